//! The summary of a run: from its parts alone, the same bytes whoever computed them in whatever order.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::statistics::{Accumulator, Verdict};
use super::stopping::Standing;
use super::subset::SubsetSummary;
use super::tail::TailSummary;
use super::tolerance::ToleranceInterval;
use super::{Outlook, Source};
use crate::model::Nouns;

/// Two-sided confidence of the bounds of quantiles.
pub(super) const QUANTILE_CONFIDENCE: f64 = 0.95;

/// How many trials, by what they are called: in JSON `"trials": 10000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trials {
    /// What they are called.
    pub nouns: Nouns,
    /// How many.
    pub count: u64,
}

impl Serialize for Trials {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.nouns.many, self.count)])
    }
}

/// Something that is counted over trials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// What it is called.
    pub name: &'static str,
    /// Its key in JSON.
    pub key: String,
    /// How many.
    pub count: u64,
}

/// Some of them: in JSON a number for each key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<Count>);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|count| (&count.key, count.count)))
    }
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Name of the study.
    pub study: String,
    /// SHA-256 of the study's files.
    pub study_hash: String,
    /// Seed.
    pub seed: u64,
    /// Version of the program that made the parts.
    pub version: String,
    /// Engine that made the parts.
    pub engine: String,
    /// Device it ran on.
    pub adapter: String,
    /// How the inputs were sampled, as `[sampling] method` says it.
    pub method: &'static str,
    /// How many trials.
    #[serde(flatten)]
    pub trials: Trials,
    /// So many of them may be invalid.
    pub invalid_allowance: u64,
    /// Trials of each class, by name.
    pub classes: BTreeMap<String, u64>,
    /// Those of the invalid class.
    #[serde(skip)]
    pub(super) invalid_of_classes: u64,
    /// Trials in which each of the model's flags was up, by name.
    #[serde(flatten)]
    pub flags: Counts,
    /// What the model counts, over all trials, by name.
    #[serde(flatten)]
    pub totals: Counts,
    /// How a run with stopping rules stands; the trials are those before.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<Standing>,
    /// Whose shares the classes and quantities below are, where it is not the study's own trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares_of: Option<String>,
    /// The criteria, in the order of the study.
    pub criteria: Vec<CriterionSummary>,
    /// The quantities, in the order of the parts' columns.
    pub quantities: Vec<QuantitySummary>,
}

/// A criterion after the trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionSummary {
    /// Name.
    pub name: String,
    /// The event, in words.
    pub event: String,
    /// Greatest probability allowed.
    pub probability: f64,
    /// Confidence of the criterion.
    pub confidence: f64,
    /// Confidence of each of the bounds: that of the look, of which all together hold at the criterion's.
    pub look_confidence: f64,
    /// Trials with the event.
    pub events: u64,
    /// Estimate of the event's probability.
    pub estimate: f64,
    /// One-sided lower bound of the event's probability.
    pub lower: f64,
    /// One-sided upper bound of the event's probability.
    pub upper: f64,
    /// How the bounds are made.
    pub bounds: String,
    /// Whether the bounds are what they say; otherwise nothing is decided by them, and nobody should read them.
    pub is_trusted: bool,
    /// Equally weighted events that would leave the estimate as uncertain; of weighted trials only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_events: Option<f64>,
    /// Share of the largest weight in the estimate; of weighted trials only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_weight_share: Option<f64>,
    /// Where limit and probability are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Trials with the event in each replicate, where trials are replicated: trial i is in replicate i mod their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicate_events: Option<Vec<u64>>,
    /// How subset simulation went, where it was the method; the events are then those among the last samples of each
    /// replicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subset: Option<SubsetSummary>,
    /// Verdict: met, failed or undecided.
    pub verdict: Verdict,
    /// How many trials it would take, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// What the largest values say of the probability; `None` for a criterion on a class, with too few values, and where
    /// the limit is passed so often that counting is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailSummary>,
}

/// A quantity after the trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantitySummary {
    /// Name.
    pub name: String,
    /// SI symbol of its unit.
    pub unit: String,
    /// Trials that have it.
    pub count: u64,
    /// Least value.
    pub minimum: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub standard_deviation: Option<f64>,
    /// Greatest value.
    pub maximum: Option<f64>,
    /// Bounds of the mean, two-sided at 95 %, as of independent trials; `None` where they would not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_bounds: Option<(f64, f64)>,
    /// Such bounds of the standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_deviation_bounds: Option<(f64, f64)>,
    /// The tolerance intervals that the study asks for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerance: Vec<ToleranceInterval>,
    /// Quantiles.
    pub quantiles: Vec<Quantile>,
}

/// A quantile between bounds, two-sided at 95 %. In JSON a list: probability, value, lower, upper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "(f64, f64, Option<f64>, Option<f64>)")]
pub struct Quantile {
    /// The probability.
    pub probability: f64,
    /// The value that this share of the trials does not exceed.
    pub value: f64,
    /// Lower bound; `None` where there are too few values for one.
    pub lower: Option<f64>,
    /// Upper bound; `None` where there are too few values for one.
    pub upper: Option<f64>,
}

impl From<Quantile> for (f64, f64, Option<f64>, Option<f64>) {
    fn from(quantile: Quantile) -> Self {
        let Quantile { probability, value, lower, upper } = quantile;
        (probability, value, lower, upper)
    }
}

impl Quantile {
    pub(super) fn of(accumulator: &Accumulator, probability: f64) -> Option<Self> {
        let (lower, upper) = accumulator.quantile_bounds(probability, QUANTILE_CONFIDENCE);
        Some(Self { probability, value: accumulator.quantile(probability)?, lower, upper })
    }
}

impl Summary {
    /// Whether the run has stopped for good: all parts are there, or a stopping rule holds.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stopping.as_ref().is_none_or(|standing| standing.is_settled)
    }

    /// Takes back what was decided: the parts that it is of are not the first ones of the run, so that no look was due.
    pub(crate) fn withhold_verdicts(&mut self) {
        self.criteria.iter_mut().for_each(|criterion| criterion.verdict = Verdict::Undecided);
        if let Some(standing) = &mut self.stopping {
            standing.stopped = "unfinished; parts are missing before others, and nothing is decided".to_owned();
            standing.is_settled = false;
        }
    }

    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Maps with string keys and finite numbers always have a JSON form.
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// How many trials are invalid, those of all levels included.
    #[must_use]
    pub fn invalid(&self) -> u64 {
        let of_levels = self.criteria.iter().filter_map(|criterion| criterion.subset.as_ref());
        of_levels.map(|subset| subset.invalid).sum::<u64>().max(self.invalid_of_classes)
    }
}
