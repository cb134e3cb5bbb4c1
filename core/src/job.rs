//! Jobs as types: what engines compute item by item.
//!
//! A job is an uninhabited type, defined in [`crate::query`] beside its items and answers; each engine implements it in
//! a file of its own. [`crate::query::EveryJob`] is the complete list.

use thiserror::Error;

/// Why an engine could not compute a job. Invalid items are not errors: their answers carry a status.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The worker threads could not be started.
    #[error("{threads} worker threads could not be started: {cause}")]
    Threads {
        /// Number of threads requested.
        threads: usize,
        /// Error message of the system.
        cause: String,
    },
    /// Fewer answers than items.
    #[error("the engine gave {got} answers to {asked} items")]
    Incomplete {
        /// Number of items.
        asked: usize,
        /// Number of answers.
        got: usize,
    },
    /// An answer that is not what was asked for.
    #[error("answer {answer} of {of} does not fit: {fault}")]
    Unfitting {
        /// Which one, counted from 1.
        answer: usize,
        /// Number of answers.
        of: usize,
        /// What it has, and what it should have.
        fault: String,
    },
    /// The engine does not compute this job.
    #[error("the engine `{engine}` does not compute the job `{job}`: use --engine {instead}")]
    NotComputed {
        /// Name of the engine.
        engine: &'static str,
        /// Name of the job.
        job: &'static str,
        /// Name of an engine that does.
        instead: &'static str,
    },
    /// A device failed; the source has the details.
    #[error(transparent)]
    Device(Box<dyn std::error::Error + Send + Sync>),
}

/// A job with one answer for each item.
pub trait Job: 'static {
    /// Its name in messages.
    const NAME: &'static str;
    /// Data shared by all items; `()` if none.
    type Shared<'a>: Copy;
    /// Input of one computation.
    type Item: Sync;
    /// Result of one computation. Invalid items are not errors: their answers carry a status.
    type Answer: Send;
}

/// An engine that computes job `J`.
pub trait Computes<J: Job> {
    /// The answers, in the order of the items.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn answers(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError>;
}

/// Selects the job by type on an engine that computes several: `engine.compute::<EntryPoints>(&scene, &rays)`.
pub trait Compute {
    /// The answers of job `J`, in the order of the items.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn compute<J: Job>(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError>
    where
        Self: Computes<J>,
    {
        Computes::<J>::answers(self, shared, items)
    }
}

impl<E: ?Sized> Compute for E {}

impl<J: Job, E: Computes<J> + ?Sized> Computes<J> for Box<E> {
    fn answers(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError> {
        Computes::<J>::answers(&**self, shared, items)
    }
}
