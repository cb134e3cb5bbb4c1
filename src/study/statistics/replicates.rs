//! Bounds of a probability from independent replicates, each of which estimates it without bias.
//!
//! Within a replicate the landings of a Latin hypercube or a scrambled net depend on each other, so that no binomial
//! formula holds; the replicates do not, and their spread shows how good their mean is, whatever the variance within.

use super::student::student_quantile;
use super::{clopper_pearson_lower, clopper_pearson_upper};

/// Fewest events, and fewest landings without, for Student's t. With fewer the counts of the replicates are those of a
/// rare event: hardly better spread than independent draws, and skew. The skewness of the mean of n Poisson counts with
/// 50 events in all is 1 / sqrt(50) = 0.14, by which a one-sided 97.5 % bound of Student covers up to
/// 0.14 (1 + 2 t^2) / 6 phi(t) = 1 % less than it says (Hall, "The bootstrap and Edgeworth expansion", 1992, section 2.6).
const FEWEST_EVENTS: u64 = 50;

/// What bounds are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicateBounds {
    /// Student's t of the replicates' shares.
    StudentT,
    /// The replicates differ by one event at most: Clopper and Pearson's bounds of how often it is there.
    LastEvent,
    /// So few events that all landings are taken as independent draws, which never are better spread.
    TooFew,
}

/// One-sided bounds of the probability, each at a confidence, from (events, landings) of each replicate: (lower, upper)
/// and how they were made. There must be a landing, and the replicates must have about equally many.
///
/// Student's t takes the shares for normal. Where all replicates count k or k + 1 events, which happens when an event
/// hangs on one input, they are not: the truth is then between the two, k + f events with f the probability of the
/// higher count, and f has the bounds of Clopper and Pearson. (Without this, equal counts would stand for a probability
/// known exactly.)
#[must_use]
pub fn replicate_bounds(replicates: &[(u64, u64)], confidence: f64) -> (f64, f64, ReplicateBounds) {
    let events: u64 = replicates.iter().map(|(events, _)| events).sum();
    let landings: u64 = replicates.iter().map(|(_, landings)| landings).sum();
    let count = replicates.len() as f64;
    let least = replicates.iter().map(|(events, _)| *events).min().unwrap_or(0);
    let most = replicates.iter().map(|(events, _)| *events).max().unwrap_or(0);
    let is_empty = replicates.iter().any(|&(_, landings)| landings == 0);
    if events.min(landings - events) < FEWEST_EVENTS || replicates.len() < 2 || is_empty {
        let lower = clopper_pearson_lower(events, landings, confidence);
        return (lower, clopper_pearson_upper(events, landings, confidence), ReplicateBounds::TooFew);
    }
    if most <= least + 1 {
        let higher = replicates.iter().filter(|(events, _)| *events > least).count() as u64;
        let of_one = count / landings as f64;
        let lower = clopper_pearson_lower(higher, replicates.len() as u64, confidence);
        let upper = clopper_pearson_upper(higher, replicates.len() as u64, confidence);
        let place = |share: f64| ((least as f64 + share) * of_one).clamp(0.0, 1.0);
        return (place(lower), place(upper), ReplicateBounds::LastEvent);
    }
    let shares = || replicates.iter().map(|&(events, landings)| events as f64 / landings as f64);
    let mean = shares().sum::<f64>() / count;
    let variance = shares().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let reach = student_quantile(confidence, count - 1.0) * (variance / count).sqrt();
    ((mean - reach).clamp(0.0, 1.0), (mean + reach).clamp(0.0, 1.0), ReplicateBounds::StudentT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_has_its_case() {
        let rare = [(1, 100), (0, 100), (0, 100), (0, 100), (0, 100), (0, 100), (0, 100), (0, 100)];
        let few = replicate_bounds(&rare, 0.95);
        assert_eq!(few.2, ReplicateBounds::TooFew);
        assert_eq!((few.0, few.1), (clopper_pearson_lower(1, 800, 0.95), clopper_pearson_upper(1, 800, 0.95)));

        let (lower, upper, how) = replicate_bounds(&[(30, 100); 8], 0.95);
        assert_eq!(how, ReplicateBounds::LastEvent);
        // 1 - 0.05^(1/8) = 0.3123 of an event above 30 of 100.
        assert!(lower == 0.3 && (upper - 0.303_123).abs() < 1e-6, "{lower} {upper}");

        // Mean 0.3, standard deviation 0.02, t = 1.8946 for 7 degrees of freedom.
        let spread = [28, 32, 28, 32, 28, 32, 30, 30].map(|events| (events, 100));
        let (lower, upper, how) = replicate_bounds(&spread, 0.95);
        assert_eq!(how, ReplicateBounds::StudentT);
        let reach = 1.894_578_6 * (24.0_f64 / 7.0 / 8.0).sqrt() / 100.0;
        assert!((lower - (0.3 - reach)).abs() < 1e-9 && (upper - (0.3 + reach)).abs() < 1e-9, "{lower} {upper}");
    }

    #[test]
    fn always_and_never_have_the_bounds_of_independent_draws() {
        assert_eq!(replicate_bounds(&[(0, 1000); 16], 0.95).1, clopper_pearson_upper(0, 16_000, 0.95));
        assert_eq!(replicate_bounds(&[(1000, 1000); 16], 0.95).0, clopper_pearson_lower(16_000, 16_000, 0.95));
    }
}
