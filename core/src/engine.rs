//! Interface of an engine: every job, and landings. Studies, tools and tests use only this.

use std::fmt;
use std::ops::RangeInclusive;

use crate::bvh::{Hierarchies, Overlap, OverlapQuery};
use crate::columns::{EntryPointColumns, RayColumns};
use crate::job::Computes;
pub use crate::job::EngineError;
use crate::query::{EntryPoints, EveryJob, LandingInputs, LandingJob, LandingOutcome, LandingState, Observer, Ray};
use crate::scene::Scene;

/// What computed a result. Equal identities and equal inputs give equal bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineIdentity {
    /// `reference`, `gpu`, ...
    pub engine: String,
    /// The device it ran on. CPUs are distinguished by architecture and operating system only: the CPU engines use IEEE
    /// 754 operations and elementary functions of this crate, never those of the system library. (The last bits of a
    /// study's sampled inputs may still depend on the logarithm and exponential of that library.)
    pub adapter: String,
    /// Version of this program.
    pub version: String,
}

impl fmt::Display for EngineIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {} on {}, version {}", self.engine, self.adapter, self.version)
    }
}

impl EngineIdentity {
    /// Identity of a CPU engine of this program.
    pub(crate) fn of_processor(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            adapter: format!("cpu {} {}", std::env::consts::ARCH, std::env::consts::OS),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Thread pool of a CPU engine; 0 means one thread per core.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, EngineError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| EngineError::Threads { threads, cause: cause.to_string() })
}

/// Landings that are given out one after the other, and whose outcomes are taken back while others are under way.
pub trait LandingStream {
    /// The next landings, about as many as are asked for; none at the end.
    fn next(&mut self, count: usize) -> Vec<LandingInputs>;

    /// The outcomes of those that were given out first and have none, in their order.
    fn take(&mut self, outcomes: Vec<LandingOutcome>);
}

/// An engine that begins with landings while those before are under way: one that takes as long for few of them as for many
/// is never left with the last ones of a batch.
pub trait StreamsLandings {
    /// Landings of a stream, to the last. The outcomes are those of [`Engine::landings`].
    ///
    /// # Errors
    /// When the engine itself fails.
    fn stream_landings(&self, job: &LandingJob, landings: &mut dyn LandingStream) -> Result<(), EngineError>;
}

/// An engine. Results never depend on how items are split into batches.
pub trait Engine: EveryJob + Send + Sync {
    /// Identity recorded with results.
    fn identity(&self) -> EngineIdentity;

    /// True if the engine guarantees the reference's results bit for bit, in scenes without slivers (faces that meet at
    /// an angle of the order of rounding). Validation then counts any difference as wrong.
    fn promises_equality(&self) -> bool {
        false
    }

    /// True if it computes on a device of its own, which takes as long for few items as for many until it is full.
    fn is_device(&self) -> bool {
        false
    }

    /// Landings per call: from as few as keep this engine busy to as many as are worth the memory. What is between is for
    /// the caller to choose, who may want to show progress.
    fn landing_batch(&self) -> RangeInclusive<usize>;

    /// This engine, if it computes landings as a stream faster than in batches.
    fn streams(&self) -> Option<&dyn StreamsLandings> {
        None
    }

    /// Job `overlaps`: all boxes in a set of hierarchies that overlap the query boxes, at most 2^32 results; ordered by
    /// query, then by position in the tree. Decided by comparisons alone, so every engine returns the same answer.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn overlaps(&self, hierarchies: &Hierarchies, queries: &[OverlapQuery]) -> Result<Vec<Overlap>, EngineError> {
        Ok(hierarchies.overlaps(queries))
    }

    /// Job `entry_point` for rays in columns: the same answers, without making rows of them. What was in `answers` is
    /// replaced; where the engine fails it is not said by what.
    ///
    /// ```
    /// # use touchdown_core as touchdown;
    /// use touchdown::columns::{EntryPointColumns, RayColumns};
    /// use touchdown::engine::Engine;
    /// use touchdown::native::Native;
    /// use touchdown::scene::{Scene, Shape};
    ///
    /// // Two rays straight down from 10 m to the ground and below.
    /// let ground = Scene::new(&Shape::half_space(glam::DVec3::Z, 0.0), Vec::new(), None, None)?;
    /// let (zeros, ones, tens, below) = ([0.0; 2], [1.0; 2], [10.0; 2], [0.0, -10.0]);
    /// let (x1, x2) = ([&zeros[..], &zeros, &tens], [&zeros[..], &zeros, &below]);
    /// let rays = RayColumns::new(x1, x2, &zeros, &ones)?;
    /// let mut answers = EntryPointColumns::default();
    /// Native::new(0)?.entry_points_in_columns(&ground, &rays, &mut answers)?;
    /// assert_eq!(answers.lambda, [1.0, 0.5]);
    /// assert_eq!(answers.normal[2], [1.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the engine itself fails.
    fn entry_points_in_columns(
        &self,
        scene: &Scene,
        rays: &RayColumns<'_>,
        answers: &mut EntryPointColumns,
    ) -> Result<(), EngineError> {
        let rays: Vec<Ray> = (0..rays.len()).map(|row| rays.ray(row)).collect();
        let entries = Computes::<EntryPoints>::answers(self, scene, &rays)?;
        answers.resize(entries.len());
        let mut rows = answers.rows();
        entries.into_iter().enumerate().for_each(|(row, entry)| rows.put(row, entry));
        Ok(())
    }

    /// Job `landing`: whole landings.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError>;

    /// Advances each landing by one step from the given state; identical to [`Engine::trace_landing`] where the state
    /// comes from there. Inputs must be valid ([`LandingInputs::is_valid`]), and each state must have as many wheels as
    /// the vehicle. No clearance of the structure is assumed: every structural point is checked.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError>;

    /// One landing of the same job, with every step passed to an observer; the outcome equals that of
    /// [`Engine::landings`] bit for bit.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError>;

    /// [`Engine::trace_landing`] of several landings, each with its own observer; a batch engine computes them
    /// together.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn trace_landings(
        &self,
        job: &LandingJob,
        landings: &mut [(LandingInputs, &mut dyn Observer)],
    ) -> Result<Vec<LandingOutcome>, EngineError> {
        landings.iter_mut().map(|(inputs, observer)| self.trace_landing(job, inputs, *observer)).collect()
    }
}
