//! Jobs as values: what engines are asked item by item.
//!
//! A job is a type without values that stands beside its items and answers in [`crate::query`]; an engine says in a file
//! of its own how it computes it. [`crate::query::EveryJob`] is the one list of them.

use thiserror::Error;

/// Why an engine could not do a job. Bad items are not errors: they carry their own status.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The worker threads could not be started.
    #[error("{threads} worker threads could not be started: {cause}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        cause: String,
    },
    /// Fewer answers than items.
    #[error("the engine gave {got} answers to {asked} items")]
    Incomplete {
        /// Items.
        asked: usize,
        /// Answers.
        got: usize,
    },
    /// An engine that does not compute a job.
    #[error("the engine `{engine}` does not compute the job `{job}`: use --engine {instead}")]
    NotComputed {
        /// Its name.
        engine: &'static str,
        /// The job's name.
        job: &'static str,
        /// An engine that does.
        instead: &'static str,
    },
    /// A device failed; what and why is the source's to say.
    #[error(transparent)]
    Device(Box<dyn std::error::Error + Send + Sync>),
}

/// A job with one answer for each item.
pub trait Job: 'static {
    /// Its name in messages.
    const NAME: &'static str;
    /// What all items share, `()` where nothing.
    type Shared<'a>: Copy;
    /// What is asked.
    type Item: Sync;
    /// What is answered. Bad items are not errors: their answers say so.
    type Answer: Send;
}

/// What computes a job.
pub trait Computes<J: Job> {
    /// The answers to items, in their order.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn answers(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError>;
}

/// Asking what computes several jobs for one of them: `engine.compute::<EntryPoints>(&scene, &rays)`.
pub trait Compute {
    /// The answers to the items of a job, in their order.
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
