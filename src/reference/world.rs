//! Job `world`: each world on a single thread.

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::Worlds;
use crate::world::{World, WorldOutcome, WorldStart, run};

impl Computes<Worlds> for Reference {
    fn answers(&self, world: &World, starts: &[WorldStart]) -> Result<Vec<WorldOutcome>, EngineError> {
        Ok(self.each(1, starts, |start| run(world, start, &mut |_| {})))
    }
}
