//! Tail estimates from the most extreme values of a quantity towards a limit.
//!
//! Counting bounds the probability for any distribution: Clopper-Pearson bounds on the number of values beyond the
//! limit, which are those of order statistics. In addition, the values beyond a threshold are fitted with a generalised
//! Pareto distribution, which smooths the counts. The threshold is the lowest at which the fit is not rejected, with at
//! most 500 values and a tenth of them beyond it; the number is halved at each attempt.
//!
//! Nothing is extrapolated: beyond the values seen, where the fit predicts less than one trial, it has no estimate and
//! is not drawn. An accepted fit proves nothing, neither about the distribution (see [`Pareto`]) nor about the vehicle,
//! which may behave differently beyond. No verdict is decided by it.

use serde::Serialize;

use super::packed::{Packer, Unpacker};
use super::statistics::{Pareto, clopper_pearson_lower, clopper_pearson_upper};
use super::{Event, Trials};
use crate::model::Outcome;

/// Maximum number of values beyond the threshold: with a higher one the fit improves.
const MAX: usize = 500;
/// At most one in this many values exceeds the threshold: deeper values are no tail.
const MIN_PER_EXCEEDANCE: u64 = 10;
/// Fewer are not trusted: the standard error of the shape exceeds 1 / 8.
const MIN_TRUSTED: usize = 60;
/// Fewer are not fitted.
const MIN: usize = 20;
/// Significance level at which a fit is rejected.
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
    /// Shape: negative for a bounded tail, zero for an exponential one, positive for a power law.
    pub shape: f64,
    /// Scale, in the quantity's unit.
    pub scale: f64,
    /// The most extreme value towards the limit, or beyond it.
    pub farthest: f64,
    /// Values beyond the limit.
    pub beyond_limit: u64,
    /// Probability that a trial has a value beyond the limit, from the fit; `None` for the reason given in the warning.
    pub estimate: Option<f64>,
    /// Its exact one-sided lower bound, from the values beyond the limit.
    pub lower: f64,
    /// Its exact one-sided upper bound.
    pub upper: f64,
    /// p-value of the fit (Anderson and Darling, by sampling).
    pub fit_p_value: f64,
    /// Why there is no estimate, or a caveat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    #[serde(skip)]
    trials: u64,
}

impl TailSummary {
    /// Probability that a trial exceeds the threshold by more than this, in the quantity's unit.
    #[must_use]
    pub fn probability_beyond(&self, excess: f64) -> f64 {
        let Self { shape, scale, exceedances, trials, .. } = *self;
        exceedances as f64 / trials as f64 * Pareto { shape, scale }.survival(excess)
    }

    /// How far beyond the threshold the fit is valid, in the quantity's unit: as far as there are values, and no
    /// farther than it predicts one trial. `None` if the fit is rejected.
    #[must_use]
    pub fn reach(&self) -> Option<f64> {
        let Self { shape, scale, exceedances, threshold, farthest, fit_p_value, .. } = *self;
        let one_trial = Pareto { shape, scale }.excess((exceedances as f64).recip());
        (fit_p_value >= DENIED).then(|| one_trial.min((farthest - threshold).abs()))
    }
}

/// The most extreme values of a quantity towards a limit. Independent of the order of trials.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Largest {
    quantity: usize,
    limit: f64,
    /// -1 for a limit from below: values are negated and treated as if it were from above.
    sign: f64,
    /// Number of values seen.
    values: u64,
    /// The largest ones, including the threshold, in descending order.
    kept: Vec<f64>,
}

// Values are never NaN.
impl Eq for Largest {}

impl Largest {
    /// No values yet; `None` for an event without a quantity.
    pub fn of(event: &Event) -> Option<Self> {
        let sign = if matches!(event, Event::Below { .. }) { -1.0 } else { 1.0 };
        Some(Self { quantity: event.quantity()?, limit: event.limit()?, sign, values: 0, kept: Vec::new() })
    }

    /// Adds a trial.
    pub fn add(&mut self, row: &Outcome) {
        if let Some(value) = row.quantities[self.quantity] {
            self.values += 1;
            // Adding 0.0 turns -0 into 0.
            self.keep(self.sign * value + 0.0);
        }
    }

    fn keep(&mut self, value: f64) {
        let place = self.kept.partition_point(|&kept| kept >= value);
        if place <= MAX {
            self.kept.insert(place, value);
            self.kept.truncate(MAX + 1);
        }
    }

    /// Adds the values of another batch for the same criterion.
    pub fn merge(&mut self, other: &Self) {
        self.values = self.values.saturating_add(other.values);
        other.kept.iter().for_each(|&value| self.keep(value));
    }

    /// Serializes the values: their bits, delta-encoded.
    pub fn pack(&self, packer: &mut Packer) {
        packer.number(u128::from(self.values));
        let mut before = 0;
        for &value in &self.kept {
            let bits = i128::from(ordered(value));
            packer.signed(bits - before);
            before = bits;
        }
    }

    /// Inverse of [`pack`](Self::pack), for at most this many trials; `None` for anything else.
    pub fn unpack(&mut self, unpacker: &mut Unpacker<'_>, trials: u64) -> Option<()> {
        self.values = unpacker.count().filter(|&values| values <= trials)?;
        let mut bits = 0_i128;
        for _ in 0..self.values.min(MAX as u64 + 1) {
            bits = bits.checked_add(unpacker.signed()?)?;
            let value = value_of(i64::try_from(bits).ok()?);
            let is_next = value.is_finite() && self.kept.last().is_none_or(|&last| last >= value);
            is_next.then(|| self.kept.push(value))?;
        }
        Some(())
    }

    /// The tail of this many trials; `None` with too few values, and if the limit is not beyond the threshold.
    pub fn tail(&self, trials: Trials, confidence: f64) -> Option<TailSummary> {
        let mut count = MAX.min((self.values / MIN_PER_EXCEEDANCE) as usize);
        let mut found = None;
        loop {
            let fit = Fit::to(&self.kept, count, self.sign * self.limit);
            let stands = fit.as_ref().is_some_and(|fit| fit.p_value >= DENIED);
            found = fit.or(found);
            count /= 2;
            if stands || count < MIN_TRUSTED {
                break;
            }
        }
        Some(found?.summary(self, trials, confidence))
    }
}

/// The bits of a number, as an integer with the same order.
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
    /// Fit to the values above the one of a rank, given in descending order; `None` if the limit is not beyond it, or
    /// if ties leave fewer values.
    fn to(sorted: &[f64], count: usize, limit: f64) -> Option<Self> {
        let threshold = *sorted.get(count)?;
        let excesses: Vec<f64> =
            sorted.iter().map(|value| value - threshold).take_while(|&excess| excess > 0.0).collect();
        if threshold >= limit || excesses.len() < MIN {
            return None;
        }
        let pareto = Pareto::fitted(&excesses)?;
        let p_value = pareto.goodness_of_fit(&excesses, SAMPLES);
        Some(Self { threshold, excesses, pareto, p_value })
    }

    fn summary(self, largest: &Largest, trials: Trials, confidence: f64) -> TailSummary {
        let (many, trials) = (trials.nouns.many, trials.count);
        let Self { threshold, excesses, pareto, p_value } = self;
        let count = excesses.len() as u64;
        let limit = largest.sign * largest.limit;
        // The threshold is inside the limit: all values beyond the limit are kept.
        let beyond_limit = largest.kept.iter().take_while(|&&value| value > limit).count() as u64;
        let fitted = count as f64 / trials as f64 * pareto.survival(limit - threshold);
        let (lower, upper) = exact_bounds(beyond_limit, trials, confidence);
        let missing = trials - largest.values;
        let none = if p_value < DENIED || !(lower..=upper).contains(&fitted) {
            Some(format!("no estimate: the tail does not fit (p {p_value:.2})"))
        } else if count < MIN_TRUSTED as u64 {
            Some(format!("no estimate: only {count} values are beyond the threshold, fewer than {MIN_TRUSTED}"))
        } else if beyond_limit == 0 || fitted * (trials as f64) < 1.0 {
            Some(format!(
                "no estimate: among {trials} {many} {} beyond the limit, and what a fit would say of farther ones can \
                 be wrong a hundredfold; the upper bound is that of counting",
                if beyond_limit == 0 { "no value is" } else { "less than one is to be expected" },
            ))
        } else {
            None
        };
        let warning =
            none.clone().or_else(|| (missing > 0).then(|| format!("{missing} {many} without a value are not in it")));
        TailSummary {
            threshold: largest.sign * threshold,
            exceedances: count,
            shape: pareto.shape,
            scale: pareto.scale,
            farthest: largest.sign * largest.kept[0],
            beyond_limit,
            estimate: none.is_none().then_some(fitted),
            lower,
            upper,
            fit_p_value: p_value,
            warning,
            trials,
        }
    }
}

/// One-sided bounds on the probability of exceeding a limit, from the number of values that did; valid for any
/// distribution.
fn exact_bounds(beyond_limit: u64, trials: u64, confidence: f64) -> (f64, f64) {
    (clopper_pearson_lower(beyond_limit, trials, confidence), clopper_pearson_upper(beyond_limit, trials, confidence))
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;
    use crate::normal;
    use crate::random::uniform;

    fn trials(count: u64) -> Trials {
        Trials { nouns: crate::model::Nouns { one: "trial", many: "trials" }, count }
    }

    fn largest(values: impl Iterator<Item = f64>, limit: f64, sign: f64) -> Largest {
        let event = if sign > 0.0 { Event::Above { quantity: 0, limit } } else { Event::Below { quantity: 0, limit } };
        let mut largest = Largest::of(&event).unwrap();
        for value in values {
            let quantities = vec![Some(value)];
            largest.add(&Outcome { class: 1, totals: Vec::new(), labels: Vec::new(), quantities });
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

    /// A name, and the quantile of an upper probability.
    type Family = (&'static str, fn(f64) -> f64);

    /// The families of the table in the README.
    const QUANTITIES: [Family; 7] = [
        ("normal", |upper| -normal::quantile(upper)),
        ("lognormal", |upper| (-0.5 * normal::quantile(upper)).exp()),
        ("Weibull", |upper| (-upper.ln()).sqrt()),
        // At two standard deviations on either side, 2.275 % each.
        ("truncated normal", |upper| -normal::quantile(0.022_750_13 + upper * (1.0 - 2.0 * 0.022_750_13))),
        ("uniform", |upper| 1.0 - upper),
        ("exponential", |upper| -upper.ln()),
        ("Pareto", |upper| upper.powf(-0.5)),
    ];

    fn drawn(quantile: fn(f64) -> f64, seed: u64, count: u64) -> impl Iterator<Item = f64> {
        (0..count).map(move |item| quantile(uniform(seed, item, 5)))
    }

    /// Within the values, at their end and far beyond it: 100, 5, 1 and 1 / 200 values are expected beyond the limit.
    #[test]
    fn bounds_hold_for_every_family_within_the_values_and_beyond_them() {
        const TRIALS: u64 = 5000;
        for (family, (name, quantile)) in (1..).zip(QUANTITIES) {
            let limits = [100.0, 5.0, 1.0, 0.005].map(|expected| expected / TRIALS as f64);
            let mut held = [0_u32; 4];
            for repetition in 0..200 {
                let values: Vec<f64> = drawn(quantile, 1000 * family + repetition, TRIALS).collect();
                for (held, p) in held.iter_mut().zip(limits) {
                    let beyond = values.iter().filter(|&&value| value > quantile(p)).count() as u64;
                    let (lower, upper) = exact_bounds(beyond, TRIALS, 0.975);
                    *held += u32::from(lower <= p && p <= upper);
                }
            }
            println!("{name}: of 200 intervals at 95 % hold {held:?}");
            assert!(held.iter().all(|&held| held >= 186), "{name}: {held:?}");
        }
    }

    /// The normal distribution's tail is left so slowly by the Pareto family that no test of fit denies it: the estimate of
    /// 1e-6 was a hundredth of it, and the bounds held in 76 %.
    #[test]
    fn nothing_is_said_beyond_the_values() {
        for (name, quantile) in QUANTITIES {
            for repetition in 0..4 {
                let values = drawn(quantile, 900 + repetition, 5000).collect::<Vec<_>>();
                let beyond = quantile(1e-6);
                let limited = largest(values.iter().copied(), beyond, 1.0);
                let tail = limited.tail(trials(5000), 0.975).unwrap();
                assert_eq!((tail.beyond_limit, tail.estimate, tail.lower), (0, None, 0.0), "{name}");
                assert_eq!(tail.upper, clopper_pearson_upper(0, 5000, 0.975));
                let warning = tail.warning.clone().unwrap();
                assert!(
                    warning.contains("no value is beyond the limit") || warning.contains("does not fit"),
                    "{warning}"
                );
                if let Some(reach) = tail.reach() {
                    assert!(tail.threshold + reach <= tail.farthest, "{name}: {tail:?}");
                    assert!(tail.probability_beyond(reach) * 5000.0 > 0.999, "{name}: {tail:?}");
                }
            }
        }
    }

    #[test]
    fn an_exponential_tail_is_smoothed_from_either_side_in_any_order() {
        let limit = 6.0;
        let counted = exponential(20_000).filter(|&value| value > limit).count() as u64;
        let tail = largest(exponential(20_000), limit, 1.0).tail(trials(20_000), 0.975).unwrap();
        assert_eq!(tail.beyond_limit, counted);
        assert_eq!((tail.lower, tail.upper), exact_bounds(counted, 20_000, 0.975));
        // 500 excesses leave a standard error of sqrt(2 / 500) in the scale's logarithm and of 1 / sqrt(500) in the shape,
        // correlated by -0.7: 11 % in the probability 2.3 scales beyond the threshold. Three of them.
        let truth = (-limit).exp();
        assert!((tail.estimate.unwrap() / truth - 1.0).abs() < 0.33, "{tail:?}");
        assert!(tail.exceedances == 500 && tail.warning.is_none(), "{tail:?}");
        // 500 of 20,000.
        assert!((tail.probability_beyond(0.0) - 0.025).abs() < 1e-12);
        assert_eq!(largest(exponential(20_000).rev(), limit, 1.0).tail(trials(20_000), 0.975).unwrap(), tail);
        let mirrored =
            largest(exponential(20_000).map(|value| -value), -limit, -1.0).tail(trials(20_000), 0.975).unwrap();
        assert_eq!((mirrored.threshold, mirrored.farthest), (-tail.threshold, -tail.farthest));
        assert_eq!((mirrored.estimate, mirrored.reach()), (tail.estimate, tail.reach()));
    }

    #[test]
    fn a_limit_before_the_tail_has_none() {
        assert!(largest(exponential(20_000), 1.0, 1.0).tail(trials(20_000), 0.975).is_none());
        assert!(largest(exponential(100), 12.0, 1.0).tail(trials(100), 0.975).is_none());
        assert!(largest(std::iter::repeat_n(1.0, 1000), 12.0, 1.0).tail(trials(1000), 0.975).is_none());
    }

    #[test]
    fn what_cannot_be_stated_is_said() {
        let few = largest(exponential(300), 4.0, 1.0).tail(trials(300), 0.95).unwrap();
        assert!(few.estimate.is_none() && few.warning.unwrap().contains("only 30 values"));
        let lacking = largest(exponential(5000), 5.0, 1.0).tail(trials(5010), 0.95).unwrap();
        assert!(lacking.estimate.is_some() && lacking.warning.unwrap().contains("10 trials without a value"));
        // Whole numbers, as of bounces: half of the values beyond any threshold are the same.
        let steps = largest(exponential(20_000).map(|value| (2.0 * value).floor()), 14.0, 1.0)
            .tail(trials(20_000), 0.95)
            .unwrap();
        assert!(steps.estimate.is_none() && steps.reach().is_none(), "{steps:?}");
        assert!(steps.warning.unwrap().contains("does not fit"));
    }
}
