//! Runs studies, and retrieves trials of runs, with the campaign that fits the study.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::campaign::{Campaign, Kept, Work};
use super::progress::{Progress, RunError, RunOutcome};
use super::row::differences;
use super::run::ByParts;
use super::subset::{ByLevels, summary_of_run};
use super::{Keep, PartError, RunDirectory, Study, Summary};
use crate::engine::{Engine, EngineIdentity};
use crate::model::{Inputs, Outcome};

/// What a run holds of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The part with the trial is missing.
    NoPart,
    /// The part is present, but the row of the trial was not kept.
    NotKept,
    /// Its row.
    Row {
        /// Names of the columns that differ, compared bit for bit.
        differences: Vec<String>,
    },
}

impl Study {
    /// Its campaign.
    pub(super) fn campaign(&self) -> Box<dyn Campaign + '_> {
        match self.subset() {
            Some(settings) => Box::new(ByLevels { study: self, settings }),
            None => Box::new(ByParts { study: self }),
        }
    }
}

/// Computes the missing ones of `parts`, up to the look at which a stopping rule holds, and then the summary, if all
/// parts it needs are present. Each part keeps the rows selected by `keep`. A study with subset simulation is run as a
/// whole.
///
/// # Errors
/// If the directory holds foreign parts or parts with other rows, a file cannot be written, the engine fails, or only
/// some parts are requested of a study with stopping rules.
pub fn run(
    study: &Study,
    engine: &dyn Engine,
    directory: &RunDirectory,
    parts: Range<u64>,
    keep: Keep,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunOutcome, RunError> {
    study.campaign().run(Work { engine, directory, parts, keep, progress, stop })
}

impl RunDirectory {
    /// The engine that computed a trial; `None` if its part is missing.
    ///
    /// # Errors
    /// If the part is damaged.
    pub fn engine_of(&self, study: &Study, trial: u64) -> Result<Option<EngineIdentity>, PartError> {
        study.campaign().made_by(self, trial)
    }

    /// The summary of a run with subset simulation, from its levels; `None` if it is unfinished, or another kind of
    /// run.
    ///
    /// # Errors
    /// If a level is foreign or damaged.
    pub fn summary_by_subset(&self, study: &Study) -> Result<Option<Summary>, RunError> {
        let is_finished = self.has_summary();
        study.subset().filter(|_| is_finished).map(|settings| summary_of_run(study, &settings, self)).transpose()
    }

    /// Refuses a run with a file among its parts that is none of its study's, as whoever reads all tables there would count it
    /// as well. A directory of analyses alone has no parts.
    ///
    /// # Errors
    /// If there is such a file, or the directory of the parts cannot be read.
    pub fn refuse_strangers(&self, study: &Study) -> Result<(), RunError> {
        if self.parts().exists() { study.campaign().files(self).map(|_| ()) } else { Ok(()) }
    }

    /// The inputs of a trial; `None` if they depend on earlier trials that are missing.
    ///
    /// # Errors
    /// If a file is foreign or damaged.
    pub fn inputs_of(&self, study: &Study, trial: u64) -> Result<Option<Inputs>, PartError> {
        study.campaign().inputs_of(self, trial)
    }

    /// Compares an outcome with the row of its trial, bit for bit.
    ///
    /// # Errors
    /// If the part is foreign or damaged.
    pub fn compare(&self, study: &Study, trial: u64, outcome: &Outcome) -> Result<Comparison, PartError> {
        Ok(match study.campaign().kept(self, trial)? {
            Kept::NoFile => Comparison::NoPart,
            Kept::NoRow => Comparison::NotKept,
            Kept::Row(row) => Comparison::Row { differences: differences(study, &row, outcome) },
        })
    }
}
