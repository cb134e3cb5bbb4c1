//! Result of a comparison.

use serde::{Serialize, Serializer};

use crate::model::Nouns;

/// Two-sided confidence of all intervals; a corrected p-value below 1 minus this is reported as "differs".
pub(super) const CONFIDENCE: f64 = 0.95;

/// Two runs side by side: in each pair of numbers the first belongs to the first run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Differences between the studies, and between the engines that computed them.
    pub differences: Vec<String>,
    /// Whether trials are paired by number.
    pub is_paired: bool,
    /// Trials compared.
    #[serde(flatten)]
    pub trials: TrialsOfBoth,
    /// Number of p-values corrected together: of criteria, and of quantities.
    pub tests: [usize; 2],
    /// Criteria of both.
    pub criteria: Vec<CriterionComparison>,
    /// Quantities present in at least one trial of each run.
    pub quantities: Vec<QuantityComparison>,
}

/// Number of trials of each run, under the model's name for them: in JSON `"landings": [600, 500]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialsOfBoth {
    /// What they are called.
    pub nouns: Nouns,
    /// How many.
    pub counts: [u64; 2],
}

impl Serialize for TrialsOfBoth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.nouns.many, self.counts)])
    }
}

/// A criterion in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionComparison {
    /// Name.
    pub name: String,
    /// Trials with the event.
    pub events: [u64; 2],
    /// Their shares.
    pub estimates: [f64; 2],
    /// Second estimate minus the first, with the bounds of its 95 % interval.
    pub difference: (f64, f64, f64),
    /// For paired trials: number with the event in one run only.
    pub only_in: Option<[u64; 2]>,
    /// p-value, corrected among the criteria; `None` if it cannot differ.
    pub p_value: Option<f64>,
    /// Why it has no test of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
    /// Whether it differs.
    pub differs: bool,
}

/// A quantity in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantityComparison {
    /// Name.
    pub name: String,
    /// SI symbol of its unit.
    pub unit: &'static str,
    /// Trials that have it.
    pub counts: [u64; 2],
    /// Means.
    pub means: [f64; 2],
    /// Second mean minus the first, over pairs that both have it if trials are paired, with the bounds of its 95 %
    /// interval; `None` with too few values.
    pub difference: Option<(f64, f64, f64)>,
    /// p-value of the means, corrected among the quantities; `None` if they cannot differ, or with too few values.
    pub mean_p_value: Option<f64>,
    /// Quantiles.
    pub quantiles: Vec<QuantileDifference>,
    /// Largest distance between the distribution functions.
    pub distance: f64,
    /// p-value of that distance, corrected among the quantities; `None` if it cannot differ.
    pub distance_p_value: Option<f64>,
    /// Why it has no tests of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
    /// Whether the means or the distributions differ.
    pub differs: bool,
}

/// A quantile in two runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct QuantileDifference {
    /// Its probability.
    pub probability: f64,
    /// Values.
    pub values: [f64; 2],
    /// Second minus first, with the bounds of its 95 % interval; `None` if a run has too few values.
    pub difference: Option<(f64, f64, f64)>,
}

impl Comparison {
    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }
}
