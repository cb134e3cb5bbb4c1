//! Progress and end of a run: stopping, observers, timing.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use serde::{Serialize, Serializer};
use thiserror::Error;

use super::batches::Batch;
use super::{Count, Counts, Evidence, Keep, PartError, Study, StudyError, Summary, Trials};
use crate::engine::{EngineError, EngineIdentity};
use crate::model::Total;
use crate::table::TableError;

/// Why a run or a merge cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
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
        "{directory}: this directory holds a run of another study (or of this one before it was changed); choose another --out{}",
        listed(.differences, "from that study to this")
    )]
    OtherStudy {
        /// The directory.
        directory: PathBuf,
        /// What differs, from that study to the one asked for.
        differences: Vec<String>,
    },
    /// The engine asked to recompute a run is not the one that computed it.
    #[error(
        "{directory}: this run was computed by {made_by}; {asked} gives different bytes: use `study compare` to compare results of two engines"
    )]
    OtherEngine {
        /// The directory.
        directory: PathBuf,
        /// The engine that computed it.
        made_by: Box<EngineIdentity>,
        /// The engine requested.
        asked: Box<EngineIdentity>,
    },
    /// Another process is writing to the directory.
    #[error(
        "{directory}: another process is at work in this directory; wait for its end, or choose another --out (parts computed there can be put together by `study merge`)"
    )]
    Busy {
        /// The directory.
        directory: PathBuf,
    },
    /// A directory to merge holds another study than the first one.
    #[error(
        "{directory}: this directory holds a run of another study than {first}; leave one of them out{}",
        listed(.differences, "from the first to that")
    )]
    ForeignRun {
        /// The directory.
        directory: PathBuf,
        /// Directory of the first one.
        first: PathBuf,
        /// What differs, from the first study to that one.
        differences: Vec<String>,
    },
    /// The directory holds a study that was not stored by a run.
    #[error("{directory}: this directory contains a study but no run of it; choose another --out")]
    NotARun {
        /// The directory.
        directory: PathBuf,
    },
    /// A part was written with another selection of rows.
    #[error(
        "{path}: this part was made with --keep {kept}, this run has --keep {asked}; keep the same rows, or choose another --out"
    )]
    OtherRows {
        /// The part's file.
        path: PathBuf,
        /// Its selection.
        kept: Keep,
        /// Selection of the run.
        asked: Keep,
    },
    /// A part to merge has another selection of rows than the first one.
    #[error(
        "{path}: this part was made with --keep {kept}, the first one with --keep {first}; merge only parts that keep the same rows"
    )]
    MixedRows {
        /// The part's file.
        path: PathBuf,
        /// Its selection.
        kept: Keep,
        /// Selection of the first part.
        first: Keep,
    },
    /// Parts were requested that the study does not have, or none.
    #[error(
        "parts {} to {}, the last not included: the study has parts 0 to {parts}, the last not included, and a run needs at least one",
        .asked.start,
        .asked.end
    )]
    NoSuchParts {
        /// The range requested.
        asked: Range<u64>,
        /// How many the study has.
        parts: u64,
    },
    /// Only some parts were requested of a study whose first parts decide how many it needs.
    #[error(
        "the study has [stopping] rules, which evaluate all parts in order; run it without --parts, or remove the rules"
    )]
    PartsWithStopping,
    /// A part is present in two directories.
    #[error("{first} and {second} are the same part; leave one of the directories out")]
    Overlap {
        /// One file.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// The directory to merge into holds a part or a summary of another run.
    #[error("{path}: this file of --out is not of the run to merge, and is not replaced; choose another --out")]
    Occupied {
        /// The file.
        path: PathBuf,
    },
    /// Parts are missing.
    #[error("missing parts: {missing}; compute them with `study run --parts`, and name their directory too")]
    Gap {
        /// Their numbers.
        missing: String,
    },
    /// Levels of an unfinished run would have to be computed as well.
    #[error("{directory}: this run by subset simulation is not finished; run the study to its end first")]
    Unfinished {
        /// The directory.
        directory: PathBuf,
    },
    /// The run has no parts.
    #[error(
        "{directory}: a run by subset simulation has no independent parts that could be computed separately or merged"
    )]
    Undivided {
        /// The directory.
        directory: PathBuf,
    },
    /// No directories were named.
    #[error("there is nothing to merge")]
    NothingToMerge,
}

/// Differences as lines under a message, if there are any.
fn listed(differences: &[String], way: &str) -> String {
    // Names and texts of studies may have line ends.
    let lines: String = differences.iter().map(|line| format!("\n  {}", line.replace('\n', "\\n"))).collect();
    if lines.is_empty() { lines } else { format!("; what differs, {way}:{lines}") }
}

/// Progress of subset simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelStatus {
    /// Index of the criterion.
    pub criterion: usize,
    /// Level, counted from 0.
    pub level: usize,
    /// Estimated probability of reaching this level.
    pub probability: f64,
    /// Trials done for the criterion.
    pub trials: u64,
    /// Trials computed by this process, for all criteria.
    pub computed: u64,
}

/// Observes the progress of a run.
pub trait Progress {
    /// Called with the number of trials done in total, the evidence on the criteria, and the number `computed` by this
    /// process.
    fn advanced(&mut self, done: u64, computed: u64, evidence: &[Evidence]);

    /// Called with the progress of subset simulation.
    fn advanced_in_level(&mut self, status: &LevelStatus) {
        let _ = status;
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum RunOutcome {
    /// All parts that the study needs are present, or as many as the time allowed.
    Complete(Box<Summary>, Timing),
    /// The requested parts are present, others are missing.
    PartsDone(Timing),
    /// It was asked to stop; finished parts are kept.
    Interrupted,
}

/// Rates per second of wall time, by name: in JSON `"trials_per_second": 1234.5`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates(pub Vec<(String, f64)>);

impl Serialize for Rates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, rate)| (format!("{name}_per_second"), rate)))
    }
}

/// What this run took; parts already present do not count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// Wall time \[s\].
    pub wall_seconds: f64,
    /// Of it, the time in which the engine was at work \[s\]: the rest it waited for trials to be drawn, counted or written.
    pub engine_seconds: f64,
    /// Trials computed.
    #[serde(flatten)]
    pub trials: Trials,
    /// Totals of the model.
    #[serde(flatten)]
    pub totals: Counts,
    /// Trials and totals of the model per second of wall time.
    #[serde(flatten)]
    pub rates: Rates,
}

impl Timing {
    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// Timing of no trials.
    pub(in crate::study) fn new(study: &Study) -> Self {
        let total = |total: &Total| Count { name: total.short, key: total.name.to_owned(), count: 0 };
        Self {
            wall_seconds: 0.0,
            engine_seconds: 0.0,
            trials: Trials { nouns: study.nouns(), count: 0 },
            totals: Counts(study.model.totals().iter().map(total).collect()),
            rates: Rates::default(),
        }
    }

    pub(in crate::study) fn add<T>(&mut self, batch: &Batch<T>) {
        self.engine_seconds += batch.taken.as_secs_f64();
        self.trials.count += batch.outcomes.len() as u64;
        for outcome in &batch.outcomes {
            self.totals.0.iter_mut().zip(&outcome.totals).for_each(|(total, count)| total.count += count);
        }
    }

    pub(in crate::study) fn ended(mut self, since: Instant) -> Self {
        self.wall_seconds = since.elapsed().as_secs_f64();
        let per_second = |count: u64| count as f64 / self.wall_seconds.max(f64::MIN_POSITIVE);
        let trials = (self.trials.nouns.many.to_owned(), per_second(self.trials.count));
        let totals = self.totals.0.iter().map(|total| (total.key.clone(), per_second(total.count)));
        self.rates = Rates(std::iter::once(trials).chain(totals).collect());
        self
    }
}
