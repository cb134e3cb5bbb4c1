//! Bounds on mean and standard deviation, and tolerance intervals, from an accumulator.

use super::accumulator::Accumulator;
use super::binomial::at_most;
use super::student::student_quantile;

/// With fewer values there are no bounds on mean and standard deviation: a heavy tail would go unnoticed.
const MIN: u64 = 1000;
/// Nor with a larger kurtosis: a few values then dominate the fourth moment, and unseen ones would too. The normal
/// distribution has 3, the exponential 9, the lognormal with a standard deviation of 0.5 in the logarithm 8.9.
const MAX_KURTOSIS: f64 = 16.0;
/// Standard errors added to the kurtosis, to compensate its downward bias for long tails.
const ALLOWANCE: f64 = 2.0;

/// Two-sided bounds on mean and standard deviation of a distribution, each at the confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentBounds {
    /// Bounds on the mean, in the unit of the values.
    pub mean: (f64, f64),
    /// Bounds on the standard deviation, in the unit of the values.
    pub standard_deviation: (f64, f64),
}

impl Accumulator {
    /// Bounds on mean and standard deviation of the distribution of independent values: Student's t, and for the
    /// logarithm of the variance the variance (kurtosis - 1) / n, which does not assume normality (D. G. Bonett,
    /// Computational Statistics & Data Analysis 50 (2006) 775), with an allowance for the error of the kurtosis. The
    /// fourth moment is computed from bucket middles, accurate to 0.05 %. `None` where the bounds would not hold: with
    /// fewer than 1000 values, with a kurtosis above 16, and if all values are equal.
    #[must_use]
    pub fn moment_bounds(&self, confidence: f64) -> Option<MomentBounds> {
        let (mean, deviation) = (self.mean()?, self.standard_deviation()?);
        if self.count() < MIN || deviation <= 0.0 {
            return None;
        }
        let count = self.count() as f64;
        let moment = |power: i32| {
            let terms = self.buckets().map(|(value, times)| times as f64 * ((value - mean) / deviation).powi(power));
            terms.sum::<f64>() / count
        };
        let kurtosis = moment(4);
        if kurtosis > MAX_KURTOSIS {
            return None;
        }
        let error = ((moment(8) - kurtosis * kurtosis).max(0.0) / count).sqrt();
        let reach = student_quantile(0.5 * (1.0 + confidence), count - 1.0);
        let arm = reach * deviation / count.sqrt();
        let factor = (0.5 * reach * ((kurtosis + ALLOWANCE * error - 1.0).max(0.0) / count).sqrt()).exp();
        Some(MomentBounds {
            mean: (mean - arm, mean + arm),
            standard_deviation: (deviation / factor, deviation * factor),
        })
    }

    /// Two values that contain at least a fraction `content` of the distribution, at a confidence: order statistics,
    /// for any distribution (S. S. Wilks, Annals of Mathematical Statistics 12 (1941) 91). As many values as possible
    /// are left out, half of them at either end. `None` with fewer than [`trials_for_tolerance`] values. Each end is
    /// the outer edge of its value's bucket.
    ///
    /// # Panics
    /// If the content or the confidence is not between 0 and 1, both excluded.
    #[must_use]
    pub fn tolerance_interval(&self, content: f64, confidence: f64) -> Option<(f64, f64)> {
        let left_out = left_out(self.count(), content, confidence)?;
        let below = left_out / 2;
        let (lower, _) = self.reach_of_rank(below)?;
        let (_, upper) = self.reach_of_rank(self.count() + 1 - (left_out - below))?;
        Some((lower, upper))
    }
}

/// Whether this many of the spacings between ordered values may be left out: the content of the others is
/// beta-distributed, and is at least `content` unless fewer than `left_out` of the values lie in a fraction 1 -
/// `content`.
fn suffices(count: u64, left_out: u64, content: f64, confidence: f64) -> bool {
    let odds = (1.0 - content) / content;
    left_out <= count && at_most((left_out - 1) as f64, count as f64, odds).logarithm <= (1.0 - confidence).ln()
}

fn assert_between_0_and_1(content: f64, confidence: f64) {
    let is_inside = |share: f64| 0.0 < share && share < 1.0;
    assert!(is_inside(content), "content is {content}; it must be between 0 and 1, both excluded");
    assert!(is_inside(confidence), "confidence is {confidence}; it must be between 0 and 1, both excluded");
}

/// The maximum number of spacings that may be left out: at least two, one at either end.
fn left_out(count: u64, content: f64, confidence: f64) -> Option<u64> {
    assert_between_0_and_1(content, confidence);
    last_of(2, count, |number| suffices(count, number, content, confidence))
}

/// The smallest number of values with a tolerance interval, from the smallest to the largest of them: 93 for 95 % at 95
/// %. Where that is above 2^50, it is 2^50 + 1.
///
/// # Panics
/// If the content or the confidence is not between 0 and 1, both excluded.
#[must_use]
pub fn trials_for_tolerance(content: f64, confidence: f64) -> u64 {
    const MAX: u64 = 1 << 50;
    assert_between_0_and_1(content, confidence);
    last_of(2, MAX, |count| !suffices(count, 2, content, confidence)).map_or(2, |count| count + 1)
}

/// The last number that satisfies a monotone predicate, true first.
fn last_of(first: u64, most: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if first > most || !holds(first) {
        return None;
    }
    let (mut low, mut step) = (first, 1);
    while step <= most - low && holds(low + step) {
        (low, step) = (low + step, 2 * step);
    }
    // Beyond low + step the predicate is false, or the range ends.
    let mut high = (low + step).min(most + 1);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;
    use crate::normal;
    use crate::random::uniform;

    const REPETITIONS: u64 = 200;
    const TOLERANCE_REPETITIONS: u64 = 1000;

    /// Quantile, mean, standard deviation, and the share between two values.
    struct Known {
        name: &'static str,
        quantile: fn(f64) -> f64,
        moments: (f64, f64),
        below: fn(f64) -> f64,
    }

    fn phi(x: f64) -> f64 {
        0.5 * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2)
    }

    fn known() -> [Known; 6] {
        let variance = |log: f64| (log.exp() - 1.0) * log.exp();
        [
            Known { name: "normal", quantile: normal::quantile, moments: (0.0, 1.0), below: phi },
            Known {
                name: "lognormal",
                quantile: |u| (0.5 * normal::quantile(u)).exp(),
                moments: (0.125_f64.exp(), variance(0.25).sqrt()),
                below: |x| phi(2.0 * x.ln()),
            },
            Known { name: "uniform", quantile: |u| u, moments: (0.5, 12_f64.sqrt().recip()), below: |x| x },
            Known { name: "exponential", quantile: |u| -u.ln(), moments: (1.0, 1.0), below: |x| 1.0 - (-x).exp() },
            Known {
                name: "wide lognormal",
                quantile: |u| normal::quantile(u).exp(),
                moments: (0.5_f64.exp(), variance(1.0).sqrt()),
                below: |x| phi(x.ln()),
            },
            Known {
                name: "Pareto",
                quantile: |u| u.powf(-1.0 / 3.0),
                moments: (1.5, 0.75_f64.sqrt()),
                below: |x| 1.0 - x.powi(-3),
            },
        ]
    }

    fn drawn(quantile: fn(f64) -> f64, seed: u64, count: u64) -> Accumulator {
        let mut sums = Accumulator::new();
        (0..count).for_each(|item| sums.add(quantile(uniform(seed, item, 9))).unwrap());
        sums
    }

    /// Of the last two, whose kurtosis is 114 and infinite, nothing is stated where it would be wrong.
    #[test]
    fn bounds_of_moments_hold_or_are_not_stated() {
        for (number, Known { name, quantile, moments: (mean, deviation), .. }) in known().into_iter().enumerate() {
            for count in [1000, 3000] {
                let (mut stated, mut wrong) = (0, [0, 0]);
                for repetition in 0..REPETITIONS {
                    let sums = drawn(quantile, 1000 * number as u64 + repetition, count);
                    let Some(bounds) = sums.moment_bounds(0.95) else { continue };
                    stated += 1;
                    let misses = |(lower, upper): (f64, f64), truth: f64| u32::from(truth < lower || upper < truth);
                    wrong[0] += misses(bounds.mean, mean);
                    wrong[1] += misses(bounds.standard_deviation, deviation);
                }
                println!(
                    "{name}, {count} values: stated in {stated} of {REPETITIONS}, mean and deviation wrong in {wrong:?}"
                );
                assert!(wrong.iter().all(|&wrong| wrong <= 14), "{name}: {wrong:?}");
                assert!(number >= 4 || stated >= 160, "{name}: {stated}");
            }
        }
        assert_eq!(drawn(|u| u, 1, 999).moment_bounds(0.95), None);
        assert_eq!(drawn(|_| 2.0, 1, 2000).moment_bounds(0.95), None);
    }

    /// Their confidence is that of the binomial distribution, and no more: 1000 repetitions have a standard error of 0.7 %,
    /// of which 93 % is three below 95 %.
    #[test]
    fn tolerance_intervals_hold_their_share_whatever_the_distribution() {
        for (content, confidence, count) in
            [(0.95, 0.95, 93), (0.95, 0.95, 1000), (0.9, 0.95, 300), (0.999, 0.95, 5000)]
        {
            for (number, Known { name, quantile, below, .. }) in known().into_iter().enumerate() {
                let held = |seed: u64| {
                    let sums = drawn(quantile, 10_000 * (1 + number as u64) + seed, count);
                    let (lower, upper) = sums.tolerance_interval(content, confidence).unwrap();
                    below(upper) - below(lower) >= content
                };
                let held = (0..TOLERANCE_REPETITIONS).filter(|&seed| held(seed)).count();
                println!("{content} at {confidence} of {count} {name} values: {held} of {TOLERANCE_REPETITIONS} hold");
                assert!(held >= 930, "{name}: {held}");
            }
        }
    }

    #[test]
    fn shares_that_are_none_are_refused_and_not_searched_for() {
        for (content, confidence) in
            [(f64::NAN, 0.95), (0.0, 0.95), (1.0, 0.95), (-1.0, 0.95), (0.95, f64::NAN), (0.95, 1.0)]
        {
            assert!(
                std::panic::catch_unwind(|| trials_for_tolerance(content, confidence)).is_err(),
                "{content} {confidence}"
            );
            let sums = Accumulator::default();
            let interval = std::panic::catch_unwind(|| sums.tolerance_interval(content, confidence));
            assert!(interval.is_err(), "{content} {confidence}");
        }
    }

    /// Wilks' numbers: 93 for 95 % at 95 %, 4742 for 99.9 % at 95 %; one more is left out if possible.
    #[test]
    fn as_many_values_as_need_be_and_none_left_out_in_vain() {
        for (content, count) in [(0.9, 46), (0.95, 93), (0.99, 473), (0.999, 4742)] {
            assert_eq!(trials_for_tolerance(content, 0.95), count);
            assert_eq!(left_out(count - 1, content, 0.95), None);
            assert_eq!(left_out(count, content, 0.95), Some(2));
        }
        assert_eq!(drawn(|u| u, 1, 92).tolerance_interval(0.95, 0.95), None);
        for count in [200, 1000, 100_000] {
            let most = left_out(count, 0.95, 0.95).unwrap();
            assert!(suffices(count, most, 0.95, 0.95) && !suffices(count, most + 1, 0.95, 0.95), "{count}");
        }
    }
}
