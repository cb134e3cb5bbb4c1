//! Jobs `deck_landing` and `deck_step`: the reference's own text over all threads, so that the bits are equal.

use super::Native;
use crate::deck::{DeckLanding, DeckOutcome, DeckStart, DeckStep, DeckStepped, run};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::parallel;
use crate::query::{DeckLandings, DeckSteps};

/// Steps that one thread does at a time: enough that sharing them out costs nothing.
const STEPS_PER_TASK: usize = 64;

impl Computes<DeckLandings> for Native {
    fn answers(&self, landing: &DeckLanding, starts: &[DeckStart]) -> Result<Vec<DeckOutcome>, EngineError> {
        Ok(self.pool.install(|| parallel::map(starts, 1, |start| run(landing, start, &mut |_, _| {}))))
    }
}

impl Computes<DeckSteps> for Native {
    fn answers(&self, landing: &DeckLanding, steps: &[DeckStep]) -> Result<Vec<DeckStepped>, EngineError> {
        Ok(self.pool.install(|| parallel::map(steps, STEPS_PER_TASK, |step| step.stepped(landing))))
    }
}
