//! The summary of a run: a function of its parts alone, with the same bytes in whatever order they were computed.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::statistics::{Accumulator, Verdict};
use super::stopping::Standing;
use super::subset::SubsetSummary;
use super::tail::TailSummary;
use super::tolerance::ToleranceInterval;
use super::{Event, Outlook, Source, Study};
use crate::model::Nouns;

/// Two-sided confidence of bounds on quantiles.
pub(super) const QUANTILE_CONFIDENCE: f64 = 0.95;

/// Number of trials, under the model's name for them: in JSON `"trials": 10000`.
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

/// A total over trials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// What it is called.
    pub name: &'static str,
    /// Its key in JSON.
    pub key: String,
    /// How many.
    pub count: u64,
}

/// Several counts: in JSON a number for each key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<Count>);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|count| (&count.key, count.count)))
    }
}

/// The summary of a run.
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
    /// Sampling method, as in `[sampling] method`.
    pub method: &'static str,
    /// Number of trials.
    #[serde(flatten)]
    pub trials: Trials,
    /// Number of invalid trials allowed.
    pub invalid_allowance: u64,
    /// Trials of each class, by name.
    pub classes: BTreeMap<String, u64>,
    /// Number of trials in the invalid class.
    #[serde(skip)]
    pub(super) invalid_of_classes: u64,
    /// Trials in which each of the model's flags was set, by name.
    #[serde(flatten)]
    pub flags: Counts,
    /// Totals of the model over all trials, by name.
    #[serde(flatten)]
    pub totals: Counts,
    /// State of a run with stopping rules; the trials are those up to the look.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<Standing>,
    /// What the classes and quantities below refer to, if not to the study's own trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares_of: Option<String>,
    /// The criteria, in the order of the study.
    pub criteria: Vec<CriterionSummary>,
    /// The quantities, in the order of the parts' columns.
    pub quantities: Vec<QuantitySummary>,
}

/// Result of a criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionSummary {
    /// Name.
    pub name: String,
    /// The event, in words.
    pub event: String,
    /// Allowed probability.
    pub probability: f64,
    /// Confidence of the criterion.
    pub confidence: f64,
    /// Confidence of each of the bounds: that of the look; all looks together hold at the criterion's.
    pub look_confidence: f64,
    /// Trials with the event.
    pub events: u64,
    /// Point estimate of the event's probability.
    pub estimate: f64,
    /// One-sided lower bound on the event's probability.
    pub lower: f64,
    /// One-sided upper bound on the event's probability.
    pub upper: f64,
    /// How the bounds were obtained.
    pub bounds: String,
    /// Whether the bounds are reliable; otherwise they decide nothing and should be ignored.
    pub is_trusted: bool,
    /// Number of equally weighted events that would leave the estimate as uncertain; for weighted trials only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_events: Option<f64>,
    /// Share of the largest weight in the estimate; for weighted trials only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_weight_share: Option<f64>,
    /// Source of limit and probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Trials with the event in each replicate, if trials are replicated: trial i is in replicate i mod their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicate_events: Option<Vec<u64>>,
    /// Details of subset simulation, if that was the method; the events are then those among the last samples of each
    /// replicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subset: Option<SubsetSummary>,
    /// Verdict: met, failed or undecided.
    pub verdict: Verdict,
    /// Number of trials it would take, if undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// Tail estimate of the probability; `None` for a criterion on a class, with too few values, and if the limit is
    /// exceeded so often that counting is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailSummary>,
}

/// Statistics of a quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantitySummary {
    /// Name.
    pub name: String,
    /// SI symbol of its unit.
    pub unit: String,
    /// Trials that have it.
    pub count: u64,
    /// Smallest value.
    pub minimum: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub standard_deviation: Option<f64>,
    /// Largest value.
    pub maximum: Option<f64>,
    /// 95 % two-sided bounds on the mean, for independent trials; `None` where they would not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_bounds: Option<(f64, f64)>,
    /// 95 % two-sided bounds on the standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_deviation_bounds: Option<(f64, f64)>,
    /// The tolerance intervals requested by the study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerance: Vec<ToleranceInterval>,
    /// Quantiles.
    pub quantiles: Vec<Quantile>,
}

/// A quantile with 95 % two-sided bounds. In JSON a list: probability, value, lower, upper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "(f64, f64, Option<f64>, Option<f64>)")]
pub struct Quantile {
    /// The probability.
    pub probability: f64,
    /// The value not exceeded by this fraction of the trials.
    pub value: f64,
    /// Lower bound; `None` with too few values.
    pub lower: Option<f64>,
    /// Upper bound; `None` with too few values.
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
    /// Whether the run has stopped for good: all parts are present, or a stopping rule holds.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stopping.as_ref().is_none_or(|standing| standing.is_settled)
    }

    /// Resets verdicts to undecided: the parts summarized are not the first ones of the run, so that no look was due.
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

    /// What events and quantities of this run hold of trials that ended before all was known, one sentence each.
    #[must_use]
    pub fn reservations(&self, study: &Study) -> Vec<String> {
        let nouns = study.nouns();
        let classes = study.model.classes();
        let count = |class: usize| self.classes.get(classes[class].name).copied().unwrap_or(0);
        let of_events = study.criteria.iter().zip(&self.criteria).filter_map(|(criterion, counted)| {
            let Event::Class(class) = criterion.event else { return None };
            let others = counted.events.saturating_sub(count(class) + self.invalid_of_classes);
            let words = "of other classes, in which it happened too or was not ruled out";
            (others > 0).then(|| format!("{} counts {others} {} {words}", criterion.name, nouns.of(others)))
        });
        let of_lacks = study.criteria.iter().zip(&self.criteria).filter_map(|(criterion, counted)| {
            let number = criterion.event.quantity().filter(|_| counted.subset.is_none())?;
            let quantity = &study.quantities()[number];
            let known = self.quantities[number].count + self.invalid_of_classes;
            let lacking = self.trials.count.saturating_sub(known);
            (lacking > 0 && !quantity.lack_is_good).then(|| {
                format!("{} counts {lacking} {} without {} as events", criterion.name, nouns.of(lacking), quantity.name)
            })
        });
        let of_classes = (0..classes.len()).filter_map(|class| {
            let left_open = study.model.left_open(class).filter(|_| count(class) > 0)?;
            let (count, name) = (count(class), classes[class].name);
            Some(format!("{count} {} {name}: {left_open}", nouns.of(count)))
        });
        of_events.chain(of_lacks).chain(of_classes).collect()
    }

    /// Number of invalid trials, including those of all levels.
    #[must_use]
    pub fn invalid(&self) -> u64 {
        let of_levels = self.criteria.iter().filter_map(|criterion| criterion.subset.as_ref());
        of_levels.map(|subset| subset.invalid).sum::<u64>().max(self.invalid_of_classes)
    }
}
