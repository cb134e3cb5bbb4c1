//! Jobs `world` and `world_step`: each world on a single thread.

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{WorldSteps, Worlds};
use crate::world::{World, WorldOutcome, WorldStart, WorldStep, WorldStepped, run};

impl Computes<Worlds> for Reference {
    fn answers(&self, world: &World, starts: &[WorldStart]) -> Result<Vec<WorldOutcome>, EngineError> {
        Ok(self.each(1, starts, |start| run(world, start, &mut |_| {})))
    }
}

/// Steps that one thread takes at a time.
const STEPS_PER_TASK: usize = 64;

impl Computes<WorldSteps> for Reference {
    fn answers(&self, world: &World, steps: &[WorldStep]) -> Result<Vec<WorldStepped>, EngineError> {
        Ok(self.each(STEPS_PER_TASK, steps, |step| step.stepped(world)))
    }
}
