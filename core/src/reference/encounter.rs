//! Job `encounter`: the text that engines share, one encounter at a time.

use super::Reference;
use crate::encounter::encounter;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{Encounter, EncounterAnswer, Encounters};

/// Encounters that one thread takes at a time.
const ITEMS_PER_TASK: usize = 256;

impl Computes<Encounters> for Reference {
    fn answers(&self, (): (), items: &[Encounter]) -> Result<Vec<EncounterAnswer>, EngineError> {
        Ok(self.each(ITEMS_PER_TASK, items, encounter))
    }
}
