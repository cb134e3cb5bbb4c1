//! The native engine: f64 in lanes of eight on all cores, with the widest SIMD extension detected at run time.
//!
//! Its lanes follow the formulas of [`mod@crate::reference`] operation by operation, so it gives the same bytes as the
//! reference, on every machine of one architecture. It differs in the order of evaluation: bounding volumes exclude
//! solids that a ray cannot hit, and eight items are computed at once.

mod air_load;
mod ball;
mod border;
mod box_normal;
mod cell;
mod clearance;
mod deck_landing;
mod driven_encounter;
mod eight;
mod ellipsoid;
mod encounter;
mod entry_point;
mod grip;
mod ground_query;
mod index;
mod landing;
mod lcp;
mod oriented;
mod packet;
mod particle;
mod rays;
mod rotation;
mod search;
mod spring;
mod streams;
mod strut;
mod surface;
mod surface_drag;
mod tree;
mod wheel;
mod wheel_runs;
mod words;
mod work;
mod world;

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::index::SceneIndex;
pub use self::words::function_rows;
use crate::columns::{EntryPointColumns, RayColumns};
use crate::engine::{Engine, EngineError, EngineIdentity, thread_pool};
use crate::parallel;
use crate::query::{LandingInputs, LandingJob, LandingOutcome, LandingState, Observer};
use crate::scene::Scene;

/// Landings per call and thread, at least: some seconds of work where a landing is long.
const LANDINGS_PER_THREAD: usize = 1024;
/// At most so many times as many, where landings are short.
const MAX_GROWTH: usize = 16;

/// The native engine.
#[derive(Debug)]
pub struct Native {
    pool: rayon::ThreadPool,
    /// Cached index of the most recent scene: batches of one study use the same scene again and again.
    last: Mutex<Option<Arc<SceneIndex>>>,
}

impl Native {
    /// An engine with this many threads; 0 means one per core.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, EngineError> {
        Ok(Self { pool: thread_pool(threads)?, last: Mutex::new(None) })
    }

    /// The index of the scene. Scenes are compared, and laid out, while others may look.
    fn index(&self, scene: &Scene) -> Arc<SceneIndex> {
        let last = self.last().clone();
        if let Some(index) = last.filter(|index| index.scene() == scene) {
            return index;
        }
        let index = Arc::new(SceneIndex::new(scene));
        *self.last() = Some(Arc::clone(&index));
        index
    }

    fn last(&self) -> MutexGuard<'_, Option<Arc<SceneIndex>>> {
        // What a panic has left behind is whole: it is replaced in one step.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to each item, from a function of several items; each thread takes this many at a time, so that scheduling
/// costs nothing. `unanswered` fills the answers until they are written.
fn by_tasks<T: Sync, R: Clone + Send + Sync>(
    per_task: usize,
    items: &[T],
    unanswered: R,
    task: impl Fn(&[T], &mut [R]) + Sync,
) -> Vec<R> {
    let task = |first: usize, answers: &mut [R]| task(&items[first..first + answers.len()], answers);
    parallel::answers(items.len(), per_task, &unanswered, task)
}

impl Engine for Native {
    fn identity(&self) -> EngineIdentity {
        EngineIdentity::of_processor("native")
    }

    fn promises_equality(&self) -> bool {
        true
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        let least = LANDINGS_PER_THREAD * self.pool.current_num_threads();
        least..=MAX_GROWTH * least
    }

    fn entry_points_in_columns(
        &self,
        scene: &Scene,
        rays: &RayColumns<'_>,
        answers: &mut EntryPointColumns,
    ) -> Result<(), EngineError> {
        self.fill_entry_points(scene, rays, answers);
        Ok(())
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let index = self.index(&job.scene);
        Ok(self.pool.install(|| landing::simulate(job, &index, inputs)))
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        let index = self.index(&job.scene);
        Ok(self.pool.install(|| landing::step(job, &index, items)))
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        Ok(landing::trace(job, &self.index(&job.scene), inputs, observer))
    }
}
