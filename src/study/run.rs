//! The run loop: missing parts are computed, finished ones are kept.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;
use thiserror::Error;

use super::{Part, PartError, RunDirectory, Study, StudyError, Summary, Tally, subset};
use crate::engine::{Engine, EngineError};
use crate::query::{LandingInputs, LandingOutcome};
use crate::table::TableError;

/// Why a run or a merge cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// A study cannot be read.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A part cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The directory holds another study.
    #[error(
        "{directory}: this directory holds a run of another study (or of this one before it was changed); choose another --out"
    )]
    OtherStudy {
        /// The directory.
        directory: PathBuf,
    },
    /// The directory holds a study that no run put there.
    #[error("{directory}: a study stands here, but no run of it; choose another --out")]
    NotARun {
        /// The directory.
        directory: PathBuf,
    },
    /// A part stands in two directories.
    #[error("{first} and {second} are the same part; leave one of the directories out")]
    Overlap {
        /// One file.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// Parts are missing.
    #[error("missing parts: {missing}")]
    Gap {
        /// Their numbers.
        missing: String,
    },
    /// The run has no parts.
    #[error("{directory}: a run by subset simulation has no parts that could be computed apart or put together")]
    Undivided {
        /// The directory.
        directory: PathBuf,
    },
    /// No directories were named.
    #[error("there is nothing to merge")]
    NothingToMerge,
}

/// Hears how a run goes on.
pub trait Progress {
    /// So many landings are done in all, with these tallies of the study's criteria; `computed` of them in this run.
    fn advanced(&mut self, done: u64, computed: u64, tallies: &[Tally]);

    /// Subset simulation has come so far.
    fn advanced_in_level(&mut self, status: &subset::Status) {
        let _ = status;
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum RunOutcome {
    /// All parts of the study are there.
    Complete(Box<Summary>, Timing),
    /// The parts asked for are there, others are missing.
    PartsDone(Timing),
    /// It was asked to stop; finished parts are kept.
    Interrupted,
}

/// What this run took; parts found finished do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// Wall time \[s\].
    pub wall_seconds: f64,
    /// Landings computed.
    pub landings: u64,
    /// Their steps.
    pub vehicle_steps: u64,
    /// Their steps with a wheel in contact.
    pub contact_steps: u64,
    /// Landings per second of wall time.
    pub landings_per_second: f64,
    /// Steps per second of wall time.
    pub vehicle_steps_per_second: f64,
    /// Steps with a wheel in contact per second of wall time.
    pub contact_steps_per_second: f64,
}

impl Timing {
    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }

    pub(super) fn add(&mut self, outcome: &LandingOutcome) {
        self.landings += 1;
        self.vehicle_steps += outcome.steps;
        self.contact_steps += outcome.contact_steps;
    }

    pub(super) fn ended(mut self, since: Instant) -> Self {
        self.wall_seconds = since.elapsed().as_secs_f64();
        let per_second = |count: u64| count as f64 / self.wall_seconds.max(f64::MIN_POSITIVE);
        self.landings_per_second = per_second(self.landings);
        self.vehicle_steps_per_second = per_second(self.vehicle_steps);
        self.contact_steps_per_second = per_second(self.contact_steps);
        self
    }
}

/// Computes the missing ones of `parts` and, when all parts of the study are there, the summary. A study by subset
/// simulation is run as a whole.
///
/// # Errors
/// When the directory holds foreign parts, a file cannot be written, or the engine fails.
pub fn run(
    study: &Study,
    engine: &dyn Engine,
    directory: &RunDirectory,
    parts: Range<u64>,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunOutcome, RunError> {
    if let Some(settings) = study.subset() {
        return subset::run(study, &settings, engine, directory, progress, stop);
    }
    let identity = engine.identity();
    let mut run = Run { study, engine, stop, progress, done: 0, timing: Timing::default(), tallies: Vec::new() };
    run.tallies = vec![Tally::default(); study.criteria.len()];
    directory.remove_unfinished(&parts)?;
    let part_and_path = |number| {
        let part = Part::new(study, number, &identity);
        let path = directory.part(&part);
        (part, path)
    };
    for (part, path) in parts.clone().map(part_and_path).filter(|(_, path)| path.exists()) {
        run.take_in(&part, &path)?;
    }
    let started = Instant::now();
    let missing: Vec<(Part, PathBuf)> = parts.map(part_and_path).filter(|(_, path)| !path.exists()).collect();
    if !run.compute(&missing)? {
        return Ok(RunOutcome::Interrupted);
    }
    let timing = run.timing.ended(started);
    if timing.landings > 0 {
        directory.write_timing(&timing)?;
    }
    let complete = (0..study.parts()).all(|number| directory.part(&Part::new(study, number, &identity)).exists());
    if !complete {
        return Ok(RunOutcome::PartsDone(timing));
    }
    let summary = Summary::of_parts(study, &identity, &directory.parts())?;
    directory.write_summary(&summary)?;
    Ok(RunOutcome::Complete(Box::new(summary), timing))
}

struct Run<'a> {
    study: &'a Study,
    engine: &'a dyn Engine,
    stop: &'a AtomicBool,
    progress: &'a mut dyn Progress,
    done: u64,
    timing: Timing,
    tallies: Vec<Tally>,
}

impl Run<'_> {
    /// Counts a part that is there already.
    fn take_in(&mut self, part: &Part, path: &std::path::Path) -> Result<(), RunError> {
        let (study, tallies, done) = (self.study, &mut self.tallies, &mut self.done);
        part.read(study, path, |_, row| {
            *done += 1;
            study.tally(tallies, row.class, |number| row.quantities[number]);
            Ok(())
        })?;
        self.progress.advanced(self.done, self.timing.landings, &self.tallies);
        Ok(())
    }

    /// Computes parts and publishes each as soon as it is whole; false when it was asked to stop. Batches are as large
    /// as the engine likes them: they end where they end, within a part or several parts later.
    fn compute(&mut self, parts: &[(Part, PathBuf)]) -> Result<bool, RunError> {
        let mut landings = parts.iter().flat_map(|(part, _)| part.landings.clone());
        let mut unpublished = parts.iter().peekable();
        let mut rows: Vec<(LandingInputs, LandingOutcome)> = Vec::new();
        while unpublished.peek().is_some() {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let batch = landings.by_ref().take(self.engine.landing_batch().max(1));
            let inputs: Vec<LandingInputs> = batch.map(|landing| self.study.landing_inputs(landing)).collect();
            let outcomes = self.engine.landings(&self.study.job, &inputs)?;
            if outcomes.len() != inputs.len() {
                return Err(EngineError::Incomplete { asked: inputs.len(), got: outcomes.len() }.into());
            }
            for outcome in &outcomes {
                self.count(outcome);
            }
            rows.extend(inputs.into_iter().zip(outcomes));
            while let Some((part, path)) = unpublished.next_if(|(part, _)| part.size() <= rows.len()) {
                part.write(self.study, path, &rows[..part.size()])?;
                rows.drain(..part.size());
            }
            self.progress.advanced(self.done, self.timing.landings, &self.tallies);
        }
        Ok(true)
    }

    fn count(&mut self, outcome: &LandingOutcome) {
        self.done += 1;
        self.timing.add(outcome);
        let quantities = self.study.quantities();
        self.study.tally(&mut self.tallies, outcome.class, |number| quantities[number].of(outcome));
    }
}
