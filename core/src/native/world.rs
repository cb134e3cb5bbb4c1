//! Jobs `world` and `world_step`: worlds of balls with sweeps eight at a time; others, and single steps, by the reference's own
//! code over all threads. All have the bits of the reference.

use super::{Native, by_tasks};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::parallel;
use crate::query::{WorldSteps, Worlds};
use crate::world::{World, WorldOutcome, WorldStart, WorldStep, WorldStepped, run, run_many};

/// Worlds of balls that one thread takes at a time: some for each lane, as they end after different steps.
const WORLDS_PER_TASK: usize = 64;

impl Computes<Worlds> for Native {
    fn answers(&self, world: &World, starts: &[WorldStart]) -> Result<Vec<WorldOutcome>, EngineError> {
        Ok(self.pool.install(|| {
            if world.sweeps.is_some() {
                let invalid = WorldOutcome::invalid(world.bodies.len());
                return by_tasks(WORLDS_PER_TASK, starts, invalid, |starts, outcomes| {
                    run_many(world, starts, outcomes);
                });
            }
            parallel::map(starts, 1, |start| run(world, start, &mut |_| {}))
        }))
    }
}

/// Steps that one thread does at a time: enough that sharing them out costs nothing.
const STEPS_PER_TASK: usize = 64;

impl Computes<WorldSteps> for Native {
    fn answers(&self, world: &World, steps: &[WorldStep]) -> Result<Vec<WorldStepped>, EngineError> {
        Ok(self.pool.install(|| parallel::map(steps, STEPS_PER_TASK, |step| step.stepped(world))))
    }
}
