//! What a comparison says.

use serde::{Serialize, Serializer};

use crate::model::Nouns;

/// Two-sided confidence of all intervals; a corrected p-value below the rest says "differs".
pub(super) const CONFIDENCE: f64 = 0.95;

/// Two runs beside each other: each pair of numbers is of the first and of the second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What differs between the studies, and between who computed them.
    pub differences: Vec<String>,
    /// Whether trials are paired by number.
    pub is_paired: bool,
    /// Trials compared.
    #[serde(flatten)]
    pub trials: TrialsOfBoth,
    /// How many p-values were corrected together: of criteria, and of quantities.
    pub tests: [usize; 2],
    /// Criteria of both.
    pub criteria: Vec<CriterionComparison>,
    /// Quantities of both that a trial of each has.
    pub quantities: Vec<QuantityComparison>,
}

/// How many trials of each, by what they are called: in JSON `"landings": [600, 500]`.
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
    /// Second share less the first, with the ends of its interval at 95 %.
    pub difference: (f64, f64, f64),
    /// Of paired trials, those with the event in one run alone.
    pub only_in: Option<[u64; 2]>,
    /// p-value, corrected among the criteria; `None` where it cannot differ.
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
    /// Second mean less the first, of pairs that both have it where trials are paired, with the ends of its interval at
    /// 95 %; `None` with too few values.
    pub difference: Option<(f64, f64, f64)>,
    /// p-value of the means, corrected among the quantities; `None` where they cannot differ, or have too few values.
    pub mean_p_value: Option<f64>,
    /// Quantiles.
    pub quantiles: Vec<QuantileDifference>,
    /// Largest distance between the distribution functions.
    pub distance: f64,
    /// p-value of that distance, corrected among the quantities; `None` where it cannot differ.
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
    /// Second less first, with the ends of its interval at 95 %; `None` where a run has too few values for one.
    pub difference: Option<(f64, f64, f64)>,
}

impl Comparison {
    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }
}
