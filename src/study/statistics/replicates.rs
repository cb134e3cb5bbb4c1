//! Bounds on a probability from independent replicates, each an unbiased estimate.
//!
//! Within a replicate the trials of a Latin hypercube or a scrambled net are dependent, so that no binomial formula
//! holds; replicates are independent, and their spread measures the error of their mean, whatever the variance within.

use super::student::student_quantile;
use super::{clopper_pearson_lower, clopper_pearson_upper};

/// Minimum number of events, and of trials without, for Student's t. With fewer the replicates' counts are mostly 0 and
/// 1.
///
/// Frequencies of rare events are skewed, and a small count comes with a small spread, so that Student's upper bound
/// covers less often than stated. So the upper bound takes the variance to be proportional to the probability being
/// bounded, as Wilson's score does, which removes the effect of the skewness of Poisson counts. The lower bound is
/// Student's own, whose coverage skewness only increases. By simulation (Poisson counts, counts with half that
/// variance, and rounded ones, in 8 and 16 replicates) each fails in 0 to 3.1 % at 97.5 % from 20 events on.
const MIN_EVENTS: u64 = 20;
/// With fewer replicates, counts that differ by at most one event prove nothing.
const MIN_ALIKE: usize = 8;

/// How the bounds were obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicateBounds {
    /// Student's t on the replicates' frequencies.
    StudentT,
    /// The replicates differ by at most one event: Clopper-Pearson bounds on how often it occurs.
    LastEvent,
    /// So few events that all trials are treated as independent draws, which is conservative.
    TooFew,
}

/// One-sided bounds on the probability, each at a confidence, from (events, trials) of each replicate: (lower, upper)
/// and the method. There must be a trial, and the replicates must have about equally many.
///
/// Student's t assumes normal frequencies. If all replicates count k or k + 1 events, which happens when an event
/// depends on one input, they are not normal, and equal counts would suggest a probability known exactly: see
/// `last_event`.
#[must_use]
pub fn replicate_bounds(replicates: &[(u64, u64)], confidence: f64) -> (f64, f64, ReplicateBounds) {
    let events: u64 = replicates.iter().map(|(events, _)| events).sum();
    let trials: u64 = replicates.iter().map(|(_, trials)| trials).sum();
    if events > trials - events {
        let without: Vec<(u64, u64)> = replicates.iter().map(|&(events, trials)| (trials - events, trials)).collect();
        let (lower, upper, how) = rarer_bounds(&without, trials - events, trials, confidence);
        return (1.0 - upper, 1.0 - lower, how);
    }
    rarer_bounds(replicates, events, trials, confidence)
}

/// The bounds for an event that happens in at most half of the trials.
fn rarer_bounds(replicates: &[(u64, u64)], events: u64, trials: u64, confidence: f64) -> (f64, f64, ReplicateBounds) {
    let least = replicates.iter().map(|(events, _)| *events).min().unwrap_or(0);
    let most = replicates.iter().map(|(events, _)| *events).max().unwrap_or(0);
    let is_empty = replicates.iter().any(|&(_, trials)| trials == 0);
    if least > 0 && most <= least + 1 && replicates.len() >= MIN_ALIKE {
        let (lower, upper) = last_event(replicates, least, confidence);
        let of_one = replicates.len() as f64 / trials as f64;
        return ((lower * of_one).clamp(0.0, 1.0), (upper * of_one).clamp(0.0, 1.0), ReplicateBounds::LastEvent);
    }
    if events < MIN_EVENTS || replicates.len() < 2 || is_empty {
        let lower = clopper_pearson_lower(events, trials, confidence);
        return (lower, clopper_pearson_upper(events, trials, confidence), ReplicateBounds::TooFew);
    }
    let (lower, upper) = student(replicates, confidence);
    (lower, upper, ReplicateBounds::StudentT)
}

/// Bounds on the mean count of a replicate, if all replicates have `least` events or one more.
///
/// The last event is there with some probability f, and besides the observed counts, one event less and one more may
/// occur. The mean is `least` - 1, plus the probability of `least` or more, plus that of `least` + 1 or more, plus that
/// of `least` + 2, each with Clopper-Pearson bounds; if two of them are unknown each gets half the error probability.
fn last_event(replicates: &[(u64, u64)], least: u64, confidence: f64) -> (f64, f64) {
    let count = replicates.len() as u64;
    let higher = replicates.iter().filter(|(events, _)| *events > least).count() as u64;
    let base = least as f64;
    if higher == 0 {
        let other = clopper_pearson_upper(0, count, confidence);
        return (base - other, base + other);
    }
    let half = 0.5 * (1.0 + confidence);
    let unseen = clopper_pearson_upper(0, count, half);
    (
        base - unseen + clopper_pearson_lower(higher, count, half),
        base + clopper_pearson_upper(higher, count, half) + unseen,
    )
}

/// Student's t on the frequencies, upwards with a variance proportional to the probability.
fn student(replicates: &[(u64, u64)], confidence: f64) -> (f64, f64) {
    let count = replicates.len() as f64;
    let shares = || replicates.iter().map(|&(events, trials)| events as f64 / trials as f64);
    let mean = shares().sum::<f64>() / count;
    let variance = shares().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let square = student_quantile(confidence, count - 1.0).powi(2) * variance / count;
    // (upper - mean)^2 = square * upper / mean.
    let shift = 0.5 * square / mean;
    ((mean - square.sqrt()).clamp(0.0, 1.0), (mean + shift + (shift * shift + square).sqrt()).clamp(0.0, 1.0))
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;
    use crate::random::uniform;

    #[test]
    fn each_way_has_its_case() {
        let rare = [(1, 100), (0, 100), (0, 100), (0, 100), (0, 100), (0, 100), (0, 100), (0, 100)];
        let few = replicate_bounds(&rare, 0.95);
        assert_eq!(few.2, ReplicateBounds::TooFew);
        assert_eq!((few.0, few.1), (clopper_pearson_lower(1, 800, 0.95), clopper_pearson_upper(1, 800, 0.95)));

        let (lower, upper, how) = replicate_bounds(&[(30, 100); 8], 0.95);
        assert_eq!(how, ReplicateBounds::LastEvent);
        // 1 - 0.05^(1/8) = 0.3123 of an event above and below 30 of 100.
        assert!((lower - 0.296_877).abs() < 1e-6 && (upper - 0.303_123).abs() < 1e-6, "{lower} {upper}");
        let absent = replicate_bounds(&[(70, 100); 8], 0.95);
        assert!((absent.0 - (1.0 - upper)).abs() < 1e-12 && (absent.1 - (1.0 - lower)).abs() < 1e-12, "{absent:?}");

        // Mean 0.3, standard deviation 0.02, t = 1.8946 for 7 degrees of freedom.
        let spread = [28, 32, 28, 32, 28, 32, 30, 30].map(|events| (events, 100));
        let (lower, upper, how) = replicate_bounds(&spread, 0.95);
        assert_eq!(how, ReplicateBounds::StudentT);
        let square = 1.894_578_6_f64.powi(2) * 24.0 / 7.0 / 8.0 / 1e4;
        assert!((lower - (0.3 - square.sqrt())).abs() < 1e-9, "{lower}");
        assert!(((upper - 0.3).powi(2) - square * upper / 0.3).abs() < 1e-9 && upper > 0.3, "{upper}");
    }

    const REPETITIONS: u64 = 200;

    /// A replicate's events from uniform numbers, for a mean.
    type Count = fn(f64, &mut dyn FnMut() -> f64) -> u64;

    /// How often a lower bound is above the truth and an upper one below it, of 200.
    fn wrong(count: Count, mean: f64, replicates: u64, confidence: f64) -> [u32; 2] {
        const TRIALS: u64 = 256;
        let mut wrong = [0; 2];
        for repetition in 0..REPETITIONS {
            let mut item = 0;
            let mut next = || {
                item += 1;
                uniform(repetition, item, replicates as u32)
            };
            let counts: Vec<(u64, u64)> = (0..replicates).map(|_| (count(mean, &mut next), TRIALS)).collect();
            let (lower, upper, _) = replicate_bounds(&counts, confidence);
            let truth = mean / TRIALS as f64;
            // A mean that is a whole number may be a bound.
            wrong[0] += u32::from(lower > truth + 1e-12);
            wrong[1] += u32::from(upper < truth - 1e-12);
        }
        wrong
    }

    /// Counts of a replicate: of an event that hangs on one input, on one and a little else, and on everything.
    const COUNTS: [(&str, Count); 3] = [
        ("rounded", |mean, next| mean as u64 + u64::from(next() < mean.fract())),
        ("rounded, and one more or less in a tenth each", |mean, next| {
            let jump = next();
            let count = mean as u64 + u64::from(next() < mean.fract()) + u64::from(jump < 0.1);
            count - u64::from(jump > 0.9)
        }),
        ("rare", |mean, next| {
            let (mut count, mut left) = (0, mean + next().ln());
            while left > 0.0 {
                count += 1;
                left += next().ln();
            }
            count
        }),
    ];

    /// A bound that decides a verdict is wrong at most as often as it may be, at the probability that is allowed. At 95 %
    /// a true 5 % would show more than 18 of 200 in one of 200 cases.
    #[test]
    fn bounds_hold_whether_replicates_are_alike_or_independent_and_events_few_or_many() {
        for (name, count) in COUNTS {
            for replicates in [8, 16, 64] {
                let means = [1.05, 1.5, 2.97, 3.03, 5.5, 9.97, 30.03];
                let failed = means.map(|mean| wrong(count, mean, replicates, 0.975));
                println!(
                    "{name}, {replicates} replicates of {means:?} events: of 200 bounds at 97.5 % fail {failed:?}"
                );
                assert!(failed.iter().flatten().all(|&failed| failed <= 14), "{name}: {failed:?}");
            }
        }
    }

    /// With 256 trials, of which 0.97 more than 29 have the event on average, 16 replicates count 30 alike in three of
    /// five repetitions. Taken for a floor, 30 was above the truth.
    #[test]
    fn equal_counts_are_no_floor() {
        let [lower, _] = wrong(COUNTS[0].1, 29.97, 16, 0.95);
        assert!(lower <= 10, "{lower}");
    }

    #[test]
    fn always_and_never_have_the_bounds_of_independent_draws() {
        assert_eq!(replicate_bounds(&[(0, 1000); 16], 0.95).1, clopper_pearson_upper(0, 16_000, 0.95));
        assert_eq!(replicate_bounds(&[(1000, 1000); 16], 0.95).0, clopper_pearson_lower(16_000, 16_000, 0.95));
    }
}
