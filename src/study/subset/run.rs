//! Runs of studies by subset simulation.
//!
//! ```text
//! DIR/parts/CCC-LL.parquet    all trials simulated for criterion CCC in level LL, of all replicates
//! ```
//!
//! The points of a level are a function of the study and the responses of the levels before. So a resumed run reads the
//! responses from the files present, computes the others, and visits the same points as an uninterrupted one; the
//! summary is made by repeating the simulation from the files alone.

use std::time::Instant;

use super::branches::Unseen;
use super::level_file::{LevelFile, LevelRow};
use super::limit_state::{Stopped, StudyLimitState, Worker, inputs_at};
use super::replicate::Replicate;
use super::settings::Settings;
use super::simulate;
use super::summary::criterion_summary;
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Inputs, Outcome};
use crate::study::campaign::{Campaign, Kept, Work};
use crate::study::known::KnownSums;
use crate::study::progress::Timing;
use crate::study::sampling::Method;
use crate::study::{Part, PartError, RunDirectory, RunError, RunOutcome, Study, Summary, Sums};
use crate::table::TableError;

/// Separates the normals from the random numbers of trials, whose key is the study's seed.
const STREAM: u64 = 0x7375_6273_6574_0000;

/// Dependent levels.
pub(in crate::study) struct ByLevels<'a> {
    pub study: &'a Study,
    pub settings: Settings,
}

impl Campaign for ByLevels<'_> {
    /// Computes the missing levels of each criterion and the summary.
    fn run(&self, work: Work<'_>) -> Result<RunOutcome, RunError> {
        let (study, settings) = (self.study, &self.settings);
        let Work { engine, directory, progress, stop, .. } = work;
        let identity = engine.identity();
        let started = Instant::now();
        let mut timing = Timing::new(study);
        for criterion in 0..study.criteria.len() {
            let worker = Worker { engine, stop, progress: &mut *progress, timing: &mut timing };
            let mut each = |_: usize, _: &Outcome| Ok(());
            let mut trials = StudyLimitState::new(study, criterion, &identity, directory, Some(worker), &mut each);
            match simulate_criterion(study, settings, criterion, &mut trials) {
                Ok(_) => {}
                Err(Stopped::Interrupted) => return Ok(RunOutcome::Interrupted),
                Err(Stopped::Failed(error)) => return Err(error),
            }
        }
        let timing = timing.ended(started);
        if timing.trials.count > 0 {
            directory.write_timing(&timing)?;
        }
        let summary = summary_of_files(study, settings, &identity, directory)?;
        directory.write_summary(&summary)?;
        Ok(RunOutcome::Complete(Box::new(summary), timing))
    }

    fn files(&self, directory: &RunDirectory) -> Result<Vec<String>, RunError> {
        Ok(directory.part_files()?.into_keys().collect())
    }

    fn check(
        &self,
        directory: &RunDirectory,
        file: &str,
        identity: &EngineIdentity,
    ) -> Result<Option<(u64, Sums)>, PartError> {
        LevelFile::named(self.study, file, identity, &directory.parts())?.read().map(|_| None)
    }

    fn summary(
        &self,
        directory: &RunDirectory,
        identity: &EngineIdentity,
        _: KnownSums<'_>,
    ) -> Result<Summary, RunError> {
        summary_of_files(self.study, &self.settings, identity, directory)
    }

    /// A run that resumes where only these files are missing.
    fn compute_again(&self, work: Work<'_>, run: &RunDirectory, files: &[String]) -> Result<RunOutcome, RunError> {
        if !run.has_summary() {
            return Err(RunError::Unfinished { directory: run.path().to_owned() });
        }
        for (name, from) in run.part_files()?.into_iter().filter(|(name, _)| !files.contains(name)) {
            let to = work.directory.parts().join(name);
            std::fs::copy(&from, &to).map_err(|source| TableError::Write { path: to, source })?;
        }
        self.run(work)
    }

    fn made_by(&self, directory: &RunDirectory, trial: u64) -> Result<Option<EngineIdentity>, PartError> {
        Ok(self.recorded(directory, trial)?.map(|(_, identity)| identity))
    }

    fn inputs_of(&self, directory: &RunDirectory, trial: u64) -> Result<Option<Inputs>, PartError> {
        Ok(self.recorded(directory, trial)?.map(|(row, _)| inputs_at(self.study, &row.point)))
    }

    fn kept(&self, directory: &RunDirectory, trial: u64) -> Result<Kept, PartError> {
        Ok(self.recorded(directory, trial)?.map_or(Kept::NoFile, |(row, _)| Kept::Row(row.row)))
    }
}

impl ByLevels<'_> {
    /// The row of a trial and the engine that computed it; `None` if it was not simulated.
    fn recorded(&self, directory: &RunDirectory, trial: u64) -> Result<Option<(LevelRow, EngineIdentity)>, PartError> {
        let (study, numbers) = (self.study, self.settings.samples_at_most());
        let (criterion, level) = ((trial / numbers) as usize, self.settings.slot(trial % numbers).level);
        let unknown = EngineIdentity { engine: String::new(), adapter: String::new(), version: String::new() };
        let path = LevelFile::new(study, criterion, level, &unknown, &directory.parts()).path().to_owned();
        if !path.exists() {
            return Ok(None);
        }
        let identity = Part::identity(&path)?;
        let rows = LevelFile::new(study, criterion, level, &identity, &directory.parts()).read()?;
        Ok(rows.into_iter().find(|row| row.point.number == trial).map(|row| (row, identity)))
    }
}

fn simulate_criterion(
    study: &Study,
    settings: &Settings,
    criterion: usize,
    trials: &mut StudyLimitState<'_, '_>,
) -> Result<Vec<Replicate>, Stopped> {
    simulate(settings, study.seed ^ STREAM, criterion as u64 * settings.samples_at_most(), trials)
}

/// Summary from the files of a complete run.
fn summary_of_files(
    study: &Study,
    settings: &Settings,
    identity: &EngineIdentity,
    directory: &RunDirectory,
) -> Result<Summary, RunError> {
    let mut plain = Sums::new(study);
    let mut totals = vec![0; study.model.totals().len()];
    let unseen = study.unseen_branches();
    let mut criteria = Vec::new();
    for (number, criterion) in study.criteria.iter().enumerate() {
        let mut invalid = 0;
        let mut each = |level: usize, row: &Outcome| {
            invalid += u64::from(row.class == INVALID);
            totals.iter_mut().zip(&row.totals).for_each(|(sum, count)| *sum += count);
            if level == 0 {
                let path = directory.parts();
                let damaged = |what: String| RunError::from(PartError::Damaged { path, what });
                plain.add(study, plain.trials(), row).map_err(|error| damaged(error.to_string()))?;
            }
            Ok(())
        };
        let mut trials = StudyLimitState::new(study, number, identity, directory, None, &mut each);
        let replicates = match simulate_criterion(study, settings, number, &mut trials) {
            Ok(replicates) => replicates,
            // Reading is never interrupted.
            Err(Stopped::Interrupted) => Vec::new(),
            Err(Stopped::Failed(error)) => return Err(error),
        };
        criteria.push(criterion_summary(study, settings, criterion, &replicates, invalid, unseen.as_ref()));
    }
    let mut summary = plain.summary(study, identity, study.parts());
    summary.totals.0.iter_mut().zip(totals).for_each(|(total, sum)| total.count = sum);
    summary.shares_of = Some(format!("the {} of the first levels, which are plain draws", study.nouns().many));
    summary.criteria = criteria;
    Ok(summary)
}

/// The summary of a run whose files are all present, from these alone.
pub(in crate::study) fn summary_of_run(
    study: &Study,
    settings: &Settings,
    directory: &RunDirectory,
) -> Result<Summary, RunError> {
    let unknown = EngineIdentity { engine: String::new(), adapter: String::new(), version: String::new() };
    let first = LevelFile::new(study, 0, 0, &unknown, &directory.parts()).path().to_owned();
    summary_of_files(study, settings, &Part::identity(&first)?, directory)
}

impl Study {
    /// The subset simulation settings of a study, if it uses that method.
    #[must_use]
    pub fn subset(&self) -> Option<Settings> {
        match self.method {
            Method::Subset(settings) => Some(settings),
            _ => None,
        }
    }

    /// Branches too rare in the first level of subset simulation for their events to be seen.
    #[must_use]
    pub fn unseen_branches(&self) -> Option<Unseen> {
        let settings = self.subset()?;
        Unseen::of(&self.inputs, &self.copula, settings.samples * settings.replicates)
    }
}
