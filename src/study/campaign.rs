//! Campaigns: how the trials of a study are run, and found again in the files of a run.
//!
//! By parts (`super::run`) each trial stands for itself; by levels (`super::subset`) each level depends on the one before.
//! Nothing else of a study knows which it is.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::progress::{Progress, RunError, RunOutcome};
use super::{Keep, PartError, RunDirectory};
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

    /// The row of a trial.
    fn kept(&self, directory: &RunDirectory, trial: u64) -> Result<Kept, PartError>;
}
