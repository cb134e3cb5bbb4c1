//! What the largest values of a quantity say of a limit beyond them.
//!
//! The values beyond a threshold are fitted with a generalised Pareto distribution, which tells how often the limit is
//! passed, also when it never was. The threshold is the one that the most values pass, at most 500 and a tenth of them,
//! such that the fit is not denied; half as many are tried next. A fit that stands is no proof: the vehicle may do
//! something beyond the values seen that it never did among them. So it decides no verdict.

use serde::Serialize;

use super::Event;
use super::packed::{Packer, Unpacker};
use super::row::Row;
use super::statistics::{Bounded, Pareto};
use crate::normal;

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

/// The values of a quantity that lie farthest towards a limit. Independent of the order in which they come.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Largest {
    quantity: usize,
    limit: f64,
    /// -1 for a limit from below: everything is kept and fitted as if it were from above.
    sign: f64,
    /// How many values there were.
    values: u64,
    /// The largest ones, and the threshold that is a value too, from the largest on.
    kept: Vec<f64>,
}

// Values are never NaN.
impl Eq for Largest {}

impl Largest {
    /// No values yet; `None` for an event of no quantity.
    pub fn of(event: &Event) -> Option<Self> {
        let sign = if matches!(event, Event::Below { .. }) { -1.0 } else { 1.0 };
        Some(Self { quantity: event.quantity()?, limit: event.limit()?, sign, values: 0, kept: Vec::new() })
    }

    /// Takes a landing in.
    pub fn add(&mut self, row: &Row) {
        if let Some(value) = row.quantities[self.quantity] {
            self.values += 1;
            // 0.0 takes the sign off -0.
            self.keep(self.sign * value + 0.0);
        }
    }

    fn keep(&mut self, value: f64) {
        let place = self.kept.partition_point(|&kept| kept >= value);
        if place <= MOST {
            self.kept.insert(place, value);
            self.kept.truncate(MOST + 1);
        }
    }

    /// Adds the values of another one of the same criterion.
    pub fn merge(&mut self, other: &Self) {
        self.values = self.values.saturating_add(other.values);
        other.kept.iter().for_each(|&value| self.keep(value));
    }

    /// Writes the values down: their bits, each as the step from the one before it.
    pub fn pack(&self, packer: &mut Packer) {
        packer.number(u128::from(self.values));
        let mut before = 0;
        for &value in &self.kept {
            let bits = i128::from(ordered(value));
            packer.signed(bits - before);
            before = bits;
        }
    }

    /// Reads what [`pack`](Self::pack) wrote of at most so many landings; `None` when it is not that.
    pub fn unpack(&mut self, unpacker: &mut Unpacker<'_>, landings: u64) -> Option<()> {
        self.values = unpacker.count().filter(|&values| values <= landings)?;
        let mut bits = 0_i128;
        for _ in 0..self.values.min(MOST as u64 + 1) {
            bits = bits.checked_add(unpacker.signed()?)?;
            let value = value_of(i64::try_from(bits).ok()?);
            let is_next = value.is_finite() && self.kept.last().is_none_or(|&last| last >= value);
            is_next.then(|| self.kept.push(value))?;
        }
        Some(())
    }

    /// The tail of as many landings; `None` with too few values, and where the limit is not beyond them.
    pub fn tail(&self, landings: u64, confidence: f64) -> Option<TailSummary> {
        let mut count = MOST.min((self.values / LEAST_PER_EXCEEDANCE) as usize);
        let mut found = None;
        loop {
            let fit = Fit::to(&self.kept, count, self.sign * self.limit);
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

/// The bits of a number, in the order of the numbers.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The inverse of [`ordered`].
fn value_of(ordered: i64) -> f64 {
    f64::from_bits((ordered ^ (((ordered >> 63) as u64) >> 1) as i64) as u64)
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
        let event = if sign > 0.0 { Event::Above { quantity: 0, limit } } else { Event::Below { quantity: 0, limit } };
        let mut largest = Largest::of(&event).unwrap();
        for value in values {
            let quantities = vec![Some(value)];
            let class = crate::query::LandingClass::Stopped;
            largest.add(&Row { class, force_limit: false, steps: 1, contact_steps: 1, quantities });
        }
        largest
    }

    #[test]
    fn what_is_written_down_comes_back_and_parts_make_the_whole() {
        let values = || exponential(3000).enumerate().map(|(place, value)| if place % 3 == 0 { -value } else { value });
        for sign in [1.0, -1.0] {
            let [first, second, whole] = [
                largest(values().take(400), 9.0, sign),
                largest(values().skip(400), 9.0, sign),
                largest(values(), 9.0, sign),
            ];
            let mut merged = first.clone();
            merged.merge(&second);
            assert!(merged == whole);
            let mut packer = Packer::default();
            whole.pack(&mut packer);
            let text = packer.text();
            let mut back = Largest { values: 0, kept: Vec::new(), ..whole.clone() };
            back.unpack(&mut Unpacker::new(&text), 3000).unwrap();
            assert!(back == whole);
            assert_eq!(Largest { kept: Vec::new(), ..back }.unpack(&mut Unpacker::new(&text), 2999), None);
        }
        for value in [0.0, 5e-324, 1.0, -1.0, -5e-324, 2e30, -2e30] {
            assert_eq!(value_of(ordered(value)).to_bits(), value.to_bits());
        }
        assert!(ordered(-2.0) < ordered(-1.0) && ordered(-1.0) < ordered(0.0) && ordered(0.0) < ordered(1.0));
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
