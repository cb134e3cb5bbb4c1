//! Job `world`: the reference's own code over all threads, so that the bits are equal.

use rayon::prelude::*;

use super::Native;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::Worlds;
use crate::world::{World, WorldOutcome, WorldStart, run};

impl Computes<Worlds> for Native {
    fn answers(&self, world: &World, starts: &[WorldStart]) -> Result<Vec<WorldOutcome>, EngineError> {
        let worlds = starts.par_iter().with_max_len(1);
        Ok(self.pool.install(|| worlds.map(|start| run(world, start, &mut |_| {})).collect()))
    }
}
