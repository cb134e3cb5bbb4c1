//! What an engine can do: every job, and landings. Studies, tools and tests see only this.

use std::fmt;

use crate::bvh::{Hierarchies, Overlap, OverlapQuery};
pub use crate::job::EngineError;
use crate::query::{EveryJob, LandingInputs, LandingJob, LandingOutcome, LandingState, Observer};

/// Who computed a result. The same identity and the same inputs give the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineIdentity {
    /// `reference`, `gpu`, ...
    pub engine: String,
    /// The device it ran on. Processors are told apart by architecture and system only: engines on them compute with
    /// operations that IEEE 754 defines to the last bit and with functions of its own, never with the system's library.
    /// (What a study draws as inputs may still owe its last bits to the logarithms and exponentials of that library.)
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
    /// An engine of this program on the processor.
    pub(crate) fn of_processor(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            adapter: format!("cpu {} {}", std::env::consts::ARCH, std::env::consts::OS),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Threads of an engine on the processor; 0 takes one per processor.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, EngineError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| EngineError::Threads { threads, cause: cause.to_string() })
}

/// An engine. Results never depend on how items are cut into batches.
pub trait Engine: EveryJob + Sync {
    /// Who computes.
    fn identity(&self) -> EngineIdentity;

    /// True when the engine promises the very numbers of the reference, for scenes without slivers (faces that meet under
    /// an angle of rounding). Validation then takes any other for wrong.
    fn promises_equality(&self) -> bool {
        false
    }

    /// How many landings per call keep this engine busy while progress still shows.
    fn landing_batch(&self) -> usize;

    /// Job `overlaps`: all boxes of a set of hierarchies that meet those of queries, at most 2^32 of these; by query, of each in the
    /// order of its tree. Only comparisons decide, so the answer is the same of every engine.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn overlaps(&self, hierarchies: &Hierarchies, queries: &[OverlapQuery]) -> Result<Vec<Overlap>, EngineError> {
        Ok(hierarchies.overlaps(queries))
    }

    /// Job `landing`: whole landings.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError>;

    /// One step of each landing from the state given with its inputs: those of [`Engine::trace_landing`] when the state
    /// is one of its own. Inputs must be valid ([`LandingInputs::is_valid`]), and a state has as many wheels as the
    /// vehicle. Nothing is known of what the structure is clear of: every point is looked at.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError>;

    /// One landing of the same job, every step shown to an observer; the outcome is that of [`Engine::landings`]
    /// bit for bit.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError>;

    /// [`Engine::trace_landing`] of some landings, each with an observer of its own; an engine for many items flies them
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
