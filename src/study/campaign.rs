//! Campaigns: how the trials of a study are run, and found again in the files of a run.
//!
//! By parts (`super::run`) each trial stands for itself; by levels (`super::subset`) each level depends on the one before.
//! Nothing else of a study knows which it is.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::progress::{Progress, RunError, RunOutcome};
use super::{Keep, PartError, RunDirectory, Summary};
use crate::engine::{Engine, EngineIdentity};
use crate::model::{Inputs, Outcome};

/// What is to be run, by whom, and who hears of it.
pub(super) struct Work<'a> {
    pub engine: &'a dyn Engine,
    pub directory: &'a RunDirectory,
    /// Parts, where there are some.
    pub parts: Range<u64>,
    pub keep: Keep,
    pub progress: &'a mut dyn Progress,
    pub stop: &'a AtomicBool,
}

/// What a run's files hold of a trial.
pub(super) enum Kept {
    /// No file with it is there.
    NoFile,
    /// Its row was not kept.
    NoRow,
    Row(Outcome),
}

/// One way to run a study.
pub(super) trait Campaign {
    /// Computes what is missing, and sums up what is there.
    fn run(&self, work: Work<'_>) -> Result<RunOutcome, RunError>;

    /// Who computed a trial; `None` when no file with it is there.
    fn made_by(&self, directory: &RunDirectory, trial: u64) -> Result<Option<EngineIdentity>, PartError>;

    /// The inputs of a trial; `None` when they depend on trials before that are not there.
    fn inputs_of(&self, directory: &RunDirectory, trial: u64) -> Result<Option<Inputs>, PartError>;

    /// The names of the files that are there, in their order; one that is none of the campaign's is an error.
    fn files(&self, directory: &RunDirectory) -> Result<Vec<String>, RunError>;

    /// Reads a file whole, which must be this campaign's and computed by this engine.
    fn check(&self, directory: &RunDirectory, file: &str, identity: &EngineIdentity) -> Result<(), PartError>;

    /// The summary, from the files of a finished run alone.
    fn summary(&self, directory: &RunDirectory, identity: &EngineIdentity) -> Result<Summary, RunError>;

    /// Computes some files of a run once more, into the directory of the work; what they follow from is taken from the run.
    fn compute_again(&self, work: Work<'_>, run: &RunDirectory, files: &[String]) -> Result<RunOutcome, RunError>;

    /// The row of a trial.
    fn kept(&self, directory: &RunDirectory, trial: u64) -> Result<Kept, PartError>;
}
