//! Tolerance intervals: the range that contains most of a distribution.

use serde::Serialize;

use super::statistics::{Accumulator, trials_for_tolerance};

/// A requested tolerance interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Share of the distribution.
    pub content: f64,
    /// Confidence that the interval contains at least this fraction.
    pub confidence: f64,
}

/// An interval that contains at least a given fraction of the trials' distribution, at a confidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToleranceInterval {
    /// Share of the distribution.
    pub content: f64,
    /// Confidence that the interval contains at least this fraction.
    pub confidence: f64,
    /// Lower end; `None` with too few values.
    pub lower: Option<f64>,
    /// Upper end; `None` with too few values.
    pub upper: Option<f64>,
    /// Number of values needed, if there are fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_needed: Option<u64>,
}

impl ToleranceInterval {
    pub(super) fn of(accumulator: &Accumulator, asked: Tolerance) -> Self {
        let Tolerance { content, confidence } = asked;
        let ends = accumulator.tolerance_interval(content, confidence);
        Self {
            content,
            confidence,
            lower: ends.map(|(lower, _)| lower),
            upper: ends.map(|(_, upper)| upper),
            values_needed: ends.is_none().then(|| trials_for_tolerance(content, confidence)),
        }
    }
}
