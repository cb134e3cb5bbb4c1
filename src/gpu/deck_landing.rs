//! Job `deck_landing`: there are no kernels for it yet.

use super::Gpu;
use crate::deck::{DeckLanding, DeckOutcome, DeckStart};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::DeckLandings;

impl Computes<DeckLandings> for Gpu {
    fn answers(&self, _: &DeckLanding, _: &[DeckStart]) -> Result<Vec<DeckOutcome>, EngineError> {
        Err(EngineError::NotComputed { engine: "gpu", job: DeckLandings::NAME, instead: "native" })
    }
}
