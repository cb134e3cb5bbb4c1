//! Job `world`: there are no kernels for it yet.

use super::Gpu;
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::Worlds;
use crate::world::{World, WorldOutcome, WorldStart};

impl Computes<Worlds> for Gpu {
    fn answers(&self, _: &World, _: &[WorldStart]) -> Result<Vec<WorldOutcome>, EngineError> {
        Err(EngineError::NotComputed { engine: "gpu", job: Worlds::NAME, instead: "native" })
    }
}
