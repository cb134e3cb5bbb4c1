//! The run loop: missing parts are computed, finished ones are kept.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;

use super::part::PartBuilder;
use super::{Evidence, Keep, Part, PartError, RunDirectory, Study, StudyError, Summary, subset};
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
    /// A directory to merge holds another study than the first one.
    #[error("{directory}: this directory holds a run of another study than {first}; leave one of them out")]
    ForeignRun {
        /// The directory.
        directory: PathBuf,
        /// The first one.
        first: PathBuf,
    },
    /// The directory holds a study that no run put there.
    #[error("{directory}: a study stands here, but no run of it; choose another --out")]
    NotARun {
        /// The directory.
        directory: PathBuf,
    },
    /// A part was made with other rows.
    #[error(
        "{path}: this part was made with --keep {kept}, this run has --keep {asked}; keep the same rows, or choose another --out"
    )]
    OtherRows {
        /// The part's file.
        path: PathBuf,
        /// What it keeps.
        kept: Keep,
        /// What the run keeps.
        asked: Keep,
    },
    /// Some parts only of a study that decides by its first parts how many it needs.
    #[error(
        "the study has [stopping] rules, which look at all parts from the first one on; run it without --parts, or take the rules away"
    )]
    PartsWithStopping,
    /// A part stands in two directories.
    #[error("{first} and {second} are the same part; leave one of the directories out")]
    Overlap {
        /// One file.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// Parts are missing.
    #[error("missing parts: {missing}; compute them with `study run --parts`, and name their directory too")]
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
    /// So many landings are done in all, with this evidence on the study's criteria; `computed` of them in this run.
    fn advanced(&mut self, done: u64, computed: u64, evidence: &[Evidence]);

    /// Subset simulation has come so far.
    fn advanced_in_level(&mut self, status: &subset::Status) {
        let _ = status;
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum RunOutcome {
    /// All parts that the study needs are there, or those for which there was time.
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

/// Computes the missing ones of `parts`, up to the look at which a stopping rule holds, and then the summary, if all
/// parts that it needs are there. Each part keeps the rows of these landings. A study by subset simulation is run as a
/// whole.
///
/// # Errors
/// When the directory holds foreign parts or parts with other rows, a file cannot be written, the engine fails, or some
/// parts only of a study with stopping rules are asked for.
pub fn run(
    study: &Study,
    engine: &dyn Engine,
    directory: &RunDirectory,
    parts: Range<u64>,
    keep: Keep,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunOutcome, RunError> {
    if let Some(settings) = study.subset() {
        return subset::run(study, &settings, engine, directory, progress, stop);
    }
    if study.stopping.is_some() && parts != (0..study.parts()) {
        return Err(RunError::PartsWithStopping);
    }
    let identity = engine.identity();
    let wall_time = study.stopping.and_then(|stopping| stopping.wall_time);
    let mut run = Run {
        study,
        engine,
        stop,
        deadline: wall_time.and_then(|seconds| Instant::now().checked_add(Duration::from_secs_f64(seconds))),
        keep,
        progress,
        done: 0,
        timing: Timing::default(),
        evidence: study.no_evidence(),
    };
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
    // The parts before each look, without those before the last one. A run never goes beyond a look without looking.
    let ends = study.looks().into_iter().map(|look| look.parts);
    let mut begin = parts.start;
    let mut summary = None;
    for end in ends.map(|end| end.min(parts.end)) {
        let missing: Vec<(Part, PathBuf)> =
            (begin..end).map(part_and_path).filter(|(_, path)| !path.exists()).collect();
        let end_of_stretch = run.compute(missing)?;
        if end_of_stretch == EndOfStretch::Interrupted {
            return Ok(RunOutcome::Interrupted);
        }
        let there = directory.leading_parts(study).min(end);
        if there == end && study.stopping.is_some() || end_of_stretch == EndOfStretch::OutOfTime {
            summary = Some(Summary::of_parts(study, &identity, &directory.parts(), there)?);
        }
        if end_of_stretch == EndOfStretch::OutOfTime || summary.as_ref().is_some_and(Summary::is_settled) {
            break;
        }
        begin = end;
    }
    let timing = run.timing.ended(started);
    if timing.landings > 0 {
        directory.write_timing(&timing)?;
    }
    if summary.is_none() && directory.leading_parts(study) == study.parts() {
        summary = Some(Summary::of_parts(study, &identity, &directory.parts(), study.parts())?);
    }
    let Some(summary) = summary else {
        return Ok(RunOutcome::PartsDone(timing));
    };
    directory.write_summary(&summary)?;
    Ok(RunOutcome::Complete(Box::new(summary), timing))
}

/// How the computation of some parts ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndOfStretch {
    AllThere,
    OutOfTime,
    Interrupted,
}

struct Run<'a> {
    study: &'a Study,
    engine: &'a dyn Engine,
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
    keep: Keep,
    progress: &'a mut dyn Progress,
    done: u64,
    timing: Timing,
    evidence: Vec<Evidence>,
}

impl Run<'_> {
    /// Counts a part that is there already.
    fn take_in(&mut self, part: &Part, path: &Path) -> Result<(), RunError> {
        let kept = part.kept(path)?;
        if kept != self.keep {
            return Err(RunError::OtherRows { path: path.to_owned(), kept, asked: self.keep });
        }
        let sums = part.sums(self.study, path)?;
        self.done += sums.landings();
        self.evidence.iter_mut().zip(sums.evidence()).for_each(|(mine, part)| mine.merge(part));
        self.progress.advanced(self.done, self.timing.landings, &self.evidence);
        Ok(())
    }

    /// Computes parts and publishes each as soon as it is whole. Batches are as large as the engine likes them: they end
    /// where they end, within a part or several parts later; but when the time is over, with the part.
    fn compute(&mut self, parts: Vec<(Part, PathBuf)>) -> Result<EndOfStretch, RunError> {
        let (study, keep) = (self.study, self.keep);
        let all: Vec<Range<u64>> = parts.iter().map(|(part, _)| part.landings.clone()).collect();
        let mut landings = all.into_iter().flatten();
        let mut parts = parts.into_iter();
        let builder = |(part, path): (Part, PathBuf)| PartBuilder::new(study, part, path, keep);
        let mut current = parts.next().map(builder);
        while let Some(unfinished) = &current {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(EndOfStretch::Interrupted);
            }
            let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            // A run whose time is always over would never get anywhere, so it computes a part at least.
            if is_late && self.timing.landings > 0 && unfinished.is_empty() {
                return Ok(EndOfStretch::OutOfTime);
            }
            let most = if is_late { unfinished.lacks() as usize } else { usize::MAX };
            let batch = landings.by_ref().take(self.engine.landing_batch().max(1).min(most));
            let numbers: Vec<u64> = batch.collect();
            let inputs: Vec<LandingInputs> = numbers.iter().map(|&landing| study.landing_inputs(landing)).collect();
            let outcomes = self.engine.landings(&study.job, &inputs)?;
            if outcomes.len() != inputs.len() {
                return Err(EngineError::Incomplete { asked: inputs.len(), got: outcomes.len() }.into());
            }
            for ((landing, inputs), outcome) in numbers.into_iter().zip(inputs).zip(outcomes) {
                self.count(landing, &outcome)?;
                let Some(builder_of_part) = &mut current else { break };
                builder_of_part.add(study, inputs, outcome)?;
                if builder_of_part.lacks() == 0 {
                    if let Some(whole) = current.take() {
                        whole.publish(study)?;
                    }
                    current = parts.next().map(builder);
                }
            }
            self.progress.advanced(self.done, self.timing.landings, &self.evidence);
        }
        Ok(EndOfStretch::AllThere)
    }

    fn count(&mut self, landing: u64, outcome: &LandingOutcome) -> Result<(), PartError> {
        self.done += 1;
        self.timing.add(outcome);
        let quantities = self.study.quantities();
        self.study
            .count(&mut self.evidence, landing, outcome.class, |number| quantities[number].of(outcome))
            .map_err(|error| PartError::Uncountable { landing, source: error.into() })?;
        Ok(())
    }
}
