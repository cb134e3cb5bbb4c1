//! Campaigns: how the trials of a study are run, and retrieved from the files of a run.
//!
//! By parts (`super::run`) the trials are independent; by levels (`super::subset`) each level depends on the one
//! before. The rest of the study code does not know which it is.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::known::KnownSums;
use super::progress::{Progress, RunError, RunOutcome};
use super::{Keep, PartError, RunDirectory, Summary, Sums};
use crate::engine::{Engine, EngineIdentity};
use crate::model::{Inputs, Outcome};

/// What to run, on which engine, and the progress observer.
pub(super) struct Work<'a> {
    pub engine: &'a dyn Engine,
    pub directory: &'a RunDirectory,
    /// Parts to compute, if the study has parts.
    pub parts: Range<u64>,
    pub keep: Keep,
    pub progress: &'a mut dyn Progress,
    pub stop: &'a AtomicBool,
}

/// What the files of a run hold of a trial.
pub(super) enum Kept {
    /// The file it belongs to is missing.
    NoFile,
    /// Its row was not kept.
    NoRow,
    Row(Outcome),
}

/// One way to run a study.
pub(super) trait Campaign: Sync {
    /// Computes what is missing, and summarizes.
    fn run(&self, work: Work<'_>) -> Result<RunOutcome, RunError>;

    /// The engine that computed a trial; `None` if its file is missing.
    fn made_by(&self, directory: &RunDirectory, trial: u64) -> Result<Option<EngineIdentity>, PartError>;

    /// The inputs of a trial; `None` if they depend on earlier trials that are missing.
    fn inputs_of(&self, directory: &RunDirectory, trial: u64) -> Result<Option<Inputs>, PartError>;

    /// The names of the files present, in order. A campaign by parts refuses a file that is none of its study's parts; by
    /// levels it is [`check`](Self::check) that does.
    fn files(&self, directory: &RunDirectory) -> Result<Vec<String>, RunError>;

    /// Reads a file completely; it must belong to this campaign and engine. One of a part gives its number and its sums.
    fn check(
        &self,
        directory: &RunDirectory,
        file: &str,
        identity: &EngineIdentity,
    ) -> Result<Option<(u64, Sums)>, PartError>;

    /// The summary, from the files of a finished run alone; sums that are known are not read again.
    fn summary(
        &self,
        directory: &RunDirectory,
        identity: &EngineIdentity,
        known: KnownSums<'_>,
    ) -> Result<Summary, RunError>;

    /// Recomputes some files of a run in the directory of `work`; the files they depend on are taken from the run.
    fn compute_again(&self, work: Work<'_>, run: &RunDirectory, files: &[String]) -> Result<RunOutcome, RunError>;

    /// The row of a trial.
    fn kept(&self, directory: &RunDirectory, trial: u64) -> Result<Kept, PartError>;
}
