//! Job `encounter`: not on a device yet.

use super::Gpu;
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{Encounter, EncounterAnswer, Encounters};

impl Computes<Encounters> for Gpu {
    fn answers(&self, (): (), _: &[Encounter]) -> Result<Vec<EncounterAnswer>, EngineError> {
        Err(EngineError::NotComputed { engine: "gpu", job: Encounters::NAME, instead: "native" })
    }
}
