//! Jobs `driven_encounter` and `driven_step`: the text that engines share, one encounter at a time.

use super::Reference;
use crate::encounter::driven::{driven_encounter, driven_step};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{DrivenAnswer, DrivenEncounter, DrivenEncounters, DrivenStep, DrivenStepAnswer, DrivenSteps};

/// Encounters that one thread takes at a time: each has hundreds of steps.
const ITEMS_PER_TASK: usize = 8;
/// Single steps that one thread takes at a time.
const STEPS_PER_TASK: usize = 256;

impl Computes<DrivenEncounters> for Reference {
    fn answers(&self, (): (), items: &[DrivenEncounter]) -> Result<Vec<DrivenAnswer>, EngineError> {
        Ok(self.each(ITEMS_PER_TASK, items, driven_encounter))
    }
}

impl Computes<DrivenSteps> for Reference {
    fn answers(&self, (): (), items: &[DrivenStep]) -> Result<Vec<DrivenStepAnswer>, EngineError> {
        Ok(self.each(STEPS_PER_TASK, items, driven_step))
    }
}
