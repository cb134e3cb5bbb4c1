//! What the largest values of a quantity say of a limit beyond them.
//!
//! The values beyond a threshold are fitted with a generalised Pareto distribution, which tells how often the limit is
//! passed, also when it never was. The threshold is the one that the most values pass, at most 500 and a tenth of them,
//! such that the fit is not denied; half as many are tried next. A fit that stands is no proof: the vehicle may do
//! something beyond the values seen that it never did among them. So it decides no verdict.

use serde::Serialize;

use super::part::Row;
use super::sampling::normal;
use super::statistics::{Bounded, Pareto};
use super::{Event, Study, Summary};

/// Most values beyond the threshold. More would not make the extrapolation better where the limit is far away, and a
/// threshold farther out makes the distribution fit better.
const MOST: usize = 500;
/// The threshold is passed by at most one of so many values: what lies deeper is no tail.
const LEAST_PER_EXCEEDANCE: u64 = 10;
/// Fewer are not trusted: the standard error of the shape is above 1 / 8.
const FEWEST_TRUSTED: usize = 60;
/// Fewer are not fitted.
const FEWEST: usize = 20;
/// A fit is denied when values as far from it have a lower probability.
const DENIED: f64 = 0.05;
/// Samples of the test of fit: its p-value is a multiple of 1 %.
const SAMPLES: u32 = 99;

/// The tail of a criterion's quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TailSummary {
    /// Threshold, in the quantity's unit.
    pub threshold: f64,
    /// Values beyond it.
    pub exceedances: u64,
    /// Shape: below zero the tail ends, at zero it falls exponentially, above as a power.
    pub shape: f64,
    /// Scale, in the quantity's unit.
    pub scale: f64,
    /// Probability that a landing has a value beyond the limit.
    pub estimate: f64,
    /// Its one-sided lower bound at the criterion's confidence, by the profile of the likelihood.
    pub lower: f64,
    /// Its one-sided upper bound.
    pub upper: f64,
    /// Probability of values as far from their fit as these or farther (Anderson and Darling, by sampling).
    pub fit_p_value: f64,
    /// Why it should not be trusted, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    #[serde(skip)]
    landings: u64,
}

impl TailSummary {
    /// Probability that a landing has a value beyond the threshold by more than this, in the quantity's unit.
    #[must_use]
    pub fn probability_beyond(&self, excess: f64) -> f64 {
        let Self { shape, scale, exceedances, landings, .. } = *self;
        exceedances as f64 / landings as f64 * Pareto { shape, scale }.survival(excess)
    }
}

/// The largest values of the criteria's quantities, in any order of the rows.
pub(crate) struct Tails {
    landings: u64,
    criteria: Vec<Option<Largest>>,
}

/// The values farthest towards a limit.
struct Largest {
    quantity: usize,
    limit: f64,
    /// -1 for a limit from below: everything is kept and fitted as if it were from above.
    sign: f64,
    values: u64,
    kept: Vec<f64>,
}

impl Tails {
    /// Nothing yet.
    pub fn new(study: &Study) -> Self {
        let largest = |event: &Event| {
            let (quantity, limit) = (event.quantity()?, event.limit()?);
            let sign = if matches!(event, Event::Below { .. }) { -1.0 } else { 1.0 };
            Some(Largest { quantity, limit, sign, values: 0, kept: Vec::new() })
        };
        Self { landings: 0, criteria: study.criteria.iter().map(|criterion| largest(&criterion.event)).collect() }
    }

    /// Takes a landing in.
    pub fn add(&mut self, row: &Row) {
        self.landings += 1;
        for largest in self.criteria.iter_mut().flatten() {
            if let Some(value) = row.quantities[largest.quantity] {
                largest.add(largest.sign * value);
            }
        }
    }

    /// Puts the tails into the summary of the same rows.
    pub fn tell(&self, summary: &mut Summary) {
        for (largest, criterion) in self.criteria.iter().zip(&mut summary.criteria) {
            criterion.tail = largest.as_ref().and_then(|largest| largest.tail(self.landings, criterion.confidence));
        }
    }
}

impl Largest {
    fn add(&mut self, value: f64) {
        self.values += 1;
        self.kept.push(value);
        // The threshold is a value too.
        if self.kept.len() > 2 * (MOST + 1) {
            self.kept.select_nth_unstable_by(MOST, |a, b| b.total_cmp(a));
            self.kept.truncate(MOST + 1);
        }
    }

    fn tail(&self, landings: u64, confidence: f64) -> Option<TailSummary> {
        let mut sorted = self.kept.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let mut count = MOST.min((self.values / LEAST_PER_EXCEEDANCE) as usize);
        let mut found = None;
        loop {
            let fit = Fit::to(&sorted, count, self.sign * self.limit);
            let stands = fit.as_ref().is_some_and(|fit| fit.p_value >= DENIED);
            found = fit.or(found);
            count /= 2;
            if stands || count < FEWEST_TRUSTED {
                break;
            }
        }
        Some(found?.summary(self, landings, confidence))
    }
}

/// A distribution fitted to excesses over a threshold.
struct Fit {
    threshold: f64,
    excesses: Vec<f64>,
    pareto: Pareto,
    p_value: f64,
}

impl Fit {
    /// To the values above the one of a rank, of values from the largest on; `None` where the limit is not beyond it, or
    /// fewer values are, of which several may be the same.
    fn to(sorted: &[f64], count: usize, limit: f64) -> Option<Self> {
        let threshold = *sorted.get(count)?;
        let excesses: Vec<f64> =
            sorted.iter().map(|value| value - threshold).take_while(|&excess| excess > 0.0).collect();
        if threshold >= limit || excesses.len() < FEWEST {
            return None;
        }
        let pareto = Pareto::fitted(&excesses)?;
        let p_value = pareto.goodness_of_fit(&excesses, SAMPLES);
        Some(Self { threshold, excesses, pareto, p_value })
    }

    fn summary(self, largest: &Largest, landings: u64, confidence: f64) -> TailSummary {
        let Self { threshold, excesses, pareto, p_value } = self;
        let count = excesses.len();
        let share = count as f64 / landings as f64;
        let beyond = pareto.survival_bounds(&excesses, largest.sign * largest.limit - threshold, confidence);
        // The share itself is known to 1 / sqrt(count) of it; on the logarithmic scale the two arms add up as squares.
        let arm = normal::quantile(confidence) / (count as f64).sqrt();
        let Bounded { estimate, lower, upper } = beyond;
        let (lower, upper) = if estimate > 0.0 {
            let down = if lower > 0.0 { (-(estimate / lower).ln().hypot(arm)).exp() } else { 0.0 };
            (estimate * down, estimate * (upper / estimate).ln().hypot(arm).exp())
        } else {
            (0.0, upper * arm.exp())
        };
        let missing = landings - largest.values;
        let warning = if p_value < DENIED {
            Some(format!("the tail does not fit (p {p_value:.2}); its probabilities mean nothing"))
        } else if count < FEWEST_TRUSTED {
            Some(format!(
                "only {count} values are beyond the threshold; at least {FEWEST_TRUSTED} are needed to trust it"
            ))
        } else if missing > 0 {
            Some(format!("{missing} landings without a value are not in it"))
        } else {
            None
        };
        TailSummary {
            threshold: largest.sign * threshold,
            exceedances: count as u64,
            shape: pareto.shape,
            scale: pareto.scale,
            estimate: share * estimate,
            lower: share * lower,
            upper: (share * upper).min(1.0),
            fit_p_value: p_value,
            warning,
            landings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform;

    fn largest(values: impl Iterator<Item = f64>, limit: f64, sign: f64) -> Largest {
        let mut largest = Largest { quantity: 0, limit, sign, values: 0, kept: Vec::new() };
        values.for_each(|value| largest.add(sign * value));
        largest
    }

    fn exponential(count: u64) -> impl DoubleEndedIterator<Item = f64> + Clone {
        (0..count).map(|item| -uniform(11, item, 0).ln())
    }

    /// P(X > 12) = 6.14e-6, of which 20,000 landings have seen nothing or next to nothing.
    #[test]
    fn an_exponential_tail_is_extrapolated_from_either_side_in_any_order() {
        let tail = largest(exponential(20_000), 12.0, 1.0).tail(20_000, 0.975).unwrap();
        let truth = (-12.0_f64).exp();
        assert!(tail.lower < truth && truth < tail.upper && tail.upper < 1e-3, "{tail:?}");
        assert!(tail.exceedances == 500 && tail.warning.is_none(), "{tail:?}");
        // 500 of 20,000.
        assert!((tail.probability_beyond(0.0) - 0.025).abs() < 1e-12);
        assert_eq!(largest(exponential(20_000).rev(), 12.0, 1.0).tail(20_000, 0.975).unwrap(), tail);
        let mirrored = largest(exponential(20_000).map(|value| -value), -12.0, -1.0).tail(20_000, 0.975).unwrap();
        assert_eq!((mirrored.threshold, mirrored.upper), (-tail.threshold, tail.upper));
    }

    #[test]
    fn a_limit_within_the_tail_agrees_with_counting_and_one_before_it_has_none() {
        let limit = 5.0;
        let counted = exponential(20_000).filter(|&value| value > limit).count() as f64 / 20_000.0;
        let tail = largest(exponential(20_000), limit, 1.0).tail(20_000, 0.975).unwrap();
        assert!(tail.lower < counted && counted < tail.upper, "{counted} {tail:?}");
        assert!(largest(exponential(20_000), 1.0, 1.0).tail(20_000, 0.975).is_none());
        assert!(largest(exponential(100), 12.0, 1.0).tail(100, 0.975).is_none());
        assert!(largest(std::iter::repeat_n(1.0, 1000), 12.0, 1.0).tail(1000, 0.975).is_none());
    }

    #[test]
    fn what_cannot_be_trusted_is_said() {
        let few = largest(exponential(300), 12.0, 1.0).tail(300, 0.95).unwrap();
        assert!(few.warning.unwrap().contains("only 30 values"));
        let lacking = largest(exponential(5000), 12.0, 1.0).tail(5010, 0.95).unwrap();
        assert!(lacking.warning.unwrap().contains("10 landings without a value"));
        // Whole numbers, as of bounces: half of the values beyond any threshold are the same.
        let steps = largest(exponential(20_000).map(|value| (2.0 * value).floor()), 30.0, 1.0);
        assert!(steps.tail(20_000, 0.95).unwrap().warning.unwrap().contains("does not fit"));
    }
}
