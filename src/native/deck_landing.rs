//! Jobs `deck_landing` and `deck_step`: the reference's own text over all threads, so that the bits are equal.

use rayon::prelude::*;

use super::Native;
use crate::deck::{DeckLanding, DeckOutcome, DeckStart, DeckStep, DeckStepped, run};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{DeckLandings, DeckSteps};

impl Computes<DeckLandings> for Native {
    fn answers(&self, landing: &DeckLanding, starts: &[DeckStart]) -> Result<Vec<DeckOutcome>, EngineError> {
        let landings = starts.par_iter().with_max_len(1);
        Ok(self.pool.install(|| landings.map(|start| run(landing, start, &mut |_, _| {})).collect()))
    }
}

impl Computes<DeckSteps> for Native {
    fn answers(&self, landing: &DeckLanding, steps: &[DeckStep]) -> Result<Vec<DeckStepped>, EngineError> {
        let steps = steps.par_iter().with_min_len(64);
        Ok(self.pool.install(|| steps.map(|step| step.stepped(landing)).collect()))
    }
}
