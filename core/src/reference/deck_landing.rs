//! Jobs `deck_landing` and `deck_step`: each landing by itself on a thread.

use super::Reference;
use crate::deck::{DeckLanding, DeckOutcome, DeckStart, DeckStep, DeckStepped, run};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{DeckLandings, DeckSteps};

impl Computes<DeckLandings> for Reference {
    fn answers(&self, landing: &DeckLanding, starts: &[DeckStart]) -> Result<Vec<DeckOutcome>, EngineError> {
        Ok(self.each(1, starts, |start| run(landing, start, &mut |_, _| {})))
    }
}

/// Steps that one thread takes at a time.
const STEPS_PER_TASK: usize = 64;

impl Computes<DeckSteps> for Reference {
    fn answers(&self, landing: &DeckLanding, steps: &[DeckStep]) -> Result<Vec<DeckStepped>, EngineError> {
        Ok(self.each(STEPS_PER_TASK, steps, |step| step.stepped(landing)))
    }
}
