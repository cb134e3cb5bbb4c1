//! Job `deck_landing`: each landing by itself on a thread.

use super::Reference;
use crate::deck::{DeckLanding, DeckOutcome, DeckStart, run};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::DeckLandings;

impl Computes<DeckLandings> for Reference {
    fn answers(&self, landing: &DeckLanding, starts: &[DeckStart]) -> Result<Vec<DeckOutcome>, EngineError> {
        Ok(self.each(1, starts, |start| run(landing, start, &mut |_, _| {})))
    }
}
