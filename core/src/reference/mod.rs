//! The reference engine: f64, written for clarity, the judge of all other engines.
//!
//! It evaluates the tree of the scene and never the program, so that an error in flattening cannot go unnoticed. (Cells
//! are formed earlier, when a scene is built; they are tested against the original shapes.) Items are spread over
//! threads; each is computed independently, so results do not depend on their number.

mod air_load;
mod box_normal;
mod deck_landing;
mod driven_encounter;
mod ellipsoid;
mod encounter;
mod entry_point;
mod landing;
mod lcp;
mod oriented;
mod particle;
mod strut;
mod surface_drag;
mod wheel;
mod world;

pub use entry_point::Tracer;
pub use wheel::{clip_force, pebble_border_axes, spring_force, step_wheel};

use std::ops::RangeInclusive;

use self::landing::Landings;
use crate::engine::{Engine, EngineError, EngineIdentity, thread_pool};
use crate::parallel;
use crate::query::{LandingInputs, LandingJob, LandingOutcome, LandingState, Observer};

/// Landings per call and thread, at least: some seconds of work where a landing is long.
const LANDINGS_PER_THREAD: usize = 128;
/// At most so many times as many, where landings are short.
const MAX_GROWTH: usize = 16;
/// Steps of landings that one thread does at a time: enough that sharing them out costs nothing.
const STEPS_PER_TASK: usize = 64;

/// The reference engine.
#[derive(Debug)]
pub struct Reference {
    pool: rayon::ThreadPool,
}

impl Reference {
    /// An engine with this many threads; 0 means one per core.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, EngineError> {
        Ok(Self { pool: thread_pool(threads)? })
    }

    /// The number of sub-steps of the gear in each step of each landing: none if no wheel touches.
    #[must_use]
    pub fn gear_substeps(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Vec<Vec<u32>> {
        let landings = Landings::new(job);
        self.each(1, inputs, |inputs| landings.gear_substeps(inputs))
    }

    /// The answer to each item; each thread takes this many at a time, so that scheduling costs nothing.
    fn each<T: Sync, R: Send>(&self, per_task: usize, items: &[T], answer: impl Fn(&T) -> R + Sync) -> Vec<R> {
        self.pool.install(|| parallel::map(items, per_task, &answer))
    }
}

impl Engine for Reference {
    fn identity(&self) -> EngineIdentity {
        EngineIdentity::of_processor("reference")
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        let least = LANDINGS_PER_THREAD * self.pool.current_num_threads();
        least..=MAX_GROWTH * least
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let landings = Landings::new(job);
        Ok(self.each(1, inputs, |inputs| landings.simulate(inputs, &mut ())))
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        let landings = Landings::new(job);
        Ok(self.each(STEPS_PER_TASK, items, |(inputs, state)| landings.step(inputs, state)))
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        Ok(Landings::new(job).simulate(inputs, observer))
    }
}
