//! One-sided bounds on a failure probability, and the resulting verdict on a limit.
//!
//! C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
//! case of the binomial", Biometrika 26 (1934). The coverage is at least the confidence for every
//! true probability.

use super::binomial::{Tail, at_least, at_most};

/// Upper bound on the failure probability given `failures` in `trials`, one-sided at `confidence`: the p at which so
/// few failures have probability 1 - `confidence`.
///
/// Accurate to a relative 1e-11, for counts up to 2^53; the work grows with the square root of `failures`. Without
/// trials, or with a `confidence` outside (0, 1), the bound is 1.
pub fn clopper_pearson_upper(failures: u64, trials: u64, confidence: f64) -> f64 {
    if failures >= trials || !is_inside(confidence) {
        return 1.0;
    }
    let (k, n, doubt) = (failures as f64, trials as f64, 1.0 - confidence);
    if failures == 0 {
        return -(doubt.ln() / n).exp_m1();
    }
    solve(doubt, (k + 1.0) / (n - k), |odds| at_most(k, n, odds))
}

/// Lower bound on the failure probability given `failures` in `trials`, one-sided at `confidence`: the p at which so
/// many failures have probability 1 - `confidence`.
///
/// Accuracy and work as for [`clopper_pearson_upper`]. Without failures, or with a `confidence` outside (0, 1), the
/// bound is 0; more failures than trials count as all failed.
pub fn clopper_pearson_lower(failures: u64, trials: u64, confidence: f64) -> f64 {
    if failures == 0 || trials == 0 || !is_inside(confidence) {
        return 0.0;
    }
    let (k, n, doubt) = (failures as f64, trials as f64, 1.0 - confidence);
    if failures >= trials {
        return (doubt.ln() / n).exp();
    }
    solve(doubt, k / (n - k + 1.0), |odds| at_least(k, n, odds))
}

fn is_inside(confidence: f64) -> bool {
    confidence > 0.0 && confidence < 1.0
}

/// The p at which a tail, monotone in p, has the given probability: Newton's method on the logarithm of the tail as a
/// function of the log odds, which is concave, safeguarded by bisection in a shrinking bracket.
fn solve(probability: f64, guessed_odds: f64, tail: impl Fn(f64) -> Tail) -> f64 {
    /// Log odds beyond which f64 cannot tell p from 0 or 1.
    const MAX_SHIFT: f64 = 700.0;
    /// Newton needs about 10 steps, bisection alone 60.
    const STEP_LIMIT: u32 = 100;
    /// A step is the relative change of the odds; the error of Newton's method after it is of the order of its square
    /// times sqrt(n).
    const SMALL_STEP: f64 = 1e-10;
    let target = probability.ln();
    let (mut low, mut high) = (-MAX_SHIFT, MAX_SHIFT);
    let mut log_odds = guessed_odds.ln();
    for _ in 0..STEP_LIMIT {
        let Tail { logarithm, slope } = tail(log_odds.exp());
        let excess = logarithm - target;
        if (excess > 0.0) == (slope > 0.0) {
            high = log_odds;
        } else {
            low = log_odds;
        }
        let newton = log_odds - excess / slope;
        // The ends belong to the bracket: at the solution Newton's step is 0 and stays on one.
        let next = if newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
        let step = next - log_odds;
        log_odds = next;
        if step.abs() <= SMALL_STEP {
            break;
        }
    }
    let odds = log_odds.exp();
    odds / (1.0 + odds)
}

/// Verdict on a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The failure probability is at most the limit, at the given confidence.
    Met,
    /// The failure probability is above the limit, at the given confidence.
    Failed,
    /// Neither; more trials are needed.
    Undecided,
}

impl Verdict {
    /// Verdict from one-sided bounds on a probability: met if the upper one is at most the limit, failed if the lower
    /// one is above it, else undecided.
    #[must_use]
    pub fn of_bounds(lower: f64, upper: f64, limit: f64) -> Self {
        if upper <= limit {
            Self::Met
        } else if lower > limit {
            Self::Failed
        } else {
            Self::Undecided
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Met => "met",
            Self::Failed => "failed",
            Self::Undecided => "undecided",
        })
    }
}

/// Judges `failures` in `trials` against a `limit` on the failure probability.
///
/// Met if the upper bound is at most the limit, failed if the lower bound is above it, else undecided. Both bounds are
/// one-sided at `confidence`. Without trials, or with a NaN limit, the verdict is undecided.
pub fn verdict(failures: u64, trials: u64, confidence: f64, limit: f64) -> Verdict {
    if trials == 0 {
        return Verdict::Undecided;
    }
    let lower = clopper_pearson_lower(failures, trials, confidence);
    Verdict::of_bounds(lower, clopper_pearson_upper(failures, trials, confidence), limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A hundred times the rounding of the logarithms involved, and ten times better than what is
    /// promised.
    const TOLERANCE: f64 = 1e-12;

    /// (failures, trials, confidence, lower, upper), by summing the binomial terms with 50 digits
    /// and bisecting.
    const FIFTY_DIGITS: [(u64, u64, f64, f64, f64); 20] = [
        (1, 2, 0.95, 0.02532056551910363, 0.9746794344808963),
        (1, 10, 0.95, 0.005116196891823706, 0.3941633024365047),
        (3, 10, 0.9, 0.1158252780297629, 0.5517308323835991),
        (5, 10, 0.99, 0.15044282190070102, 0.849557178099299),
        (9, 10, 0.95, 0.6058366975634953, 0.9948838031081763),
        (7, 20, 0.5, 0.3279519072025613, 0.37710520517870494),
        (13, 60, 0.2, 0.2561510499110262, 0.18351812186244418),
        (1, 1000, 0.95, 5.129197890901785e-05, 0.004734993575499777),
        (500, 1000, 0.95, 0.4735177312356912, 0.5264822687643088),
        (990, 1000, 0.999, 0.9760361871553114, 0.9970304990695041),
        (1, 2_995_732, 0.95, 1.7122123724160077e-08, 1.583540034325528e-06),
        (3, 7_753_657, 0.95, 1.0545881891685306e-07, 9.999996325740091e-07),
        (1, 1_000_000_000, 0.95, 5.129329438623508e-11, 4.743864509510384e-09),
        (1, 1_000_000_000, 0.999999, 1.0000005000290884e-15, 1.6688420659921958e-08),
        (2, 1_000_000_000, 0.9, 5.31811608514106e-10, 5.322320328992984e-09),
        (10, 1_000_000_000, 0.95, 5.4254057067881056e-09, 1.6962219176674556e-08),
        (100, 1_000_000_000, 0.99, 7.821598386661702e-08, 1.258386512578546e-07),
        (1000, 1_000_000, 0.95, 0.0009485837785936197, 0.001053574877454436),
        (1500, 1_000_000_000, 0.95, 1.4368686976036103e-06, 1.56528951704021e-06),
        (49_999, 50_000, 0.95, 0.9999051262616353, 0.9999989741346385),
    ];

    #[test]
    fn bounds_agree_with_fifty_digits() {
        for (failures, trials, confidence, lower, upper) in FIFTY_DIGITS {
            for (found, expected) in [
                (clopper_pearson_lower(failures, trials, confidence), lower),
                (clopper_pearson_upper(failures, trials, confidence), upper),
            ] {
                let error = (found / expected - 1.0).abs();
                assert!(error < TOLERANCE, "{failures}/{trials} at {confidence}: {found:e}, error {error:e}");
            }
        }
    }

    #[test]
    fn no_failures_and_only_failures_have_closed_forms() {
        for trials in [1, 2, 17, 1_000_000, 1_000_000_000] {
            let n = trials as f64;
            let upper = clopper_pearson_upper(0, trials, 0.95);
            let lower = clopper_pearson_lower(trials, trials, 0.95);
            // (1 - upper)^n = lower^n = 1 - confidence
            assert!(((-upper).ln_1p() * n / 0.05f64.ln() - 1.0).abs() < TOLERANCE, "{trials}: {upper}");
            assert!((lower.ln() * n / 0.05f64.ln() - 1.0).abs() < n * f64::EPSILON + TOLERANCE, "{trials}: {lower}");
            assert_eq!(clopper_pearson_lower(0, trials, 0.95), 0.0);
            assert_eq!(clopper_pearson_upper(trials, trials, 0.95), 1.0);
        }
    }

    /// ln(0.05) / ln(1 - 1e-6) = 2,995,730.78, so one in a million needs 2,995,731 trials without
    /// a failure.
    #[test]
    fn one_in_a_million_needs_three_million_trials() {
        assert!(clopper_pearson_upper(0, 2_995_730, 0.95) > 1e-6);
        assert!(clopper_pearson_upper(0, 2_995_731, 0.95) <= 1e-6);
        assert_eq!(verdict(0, 2_995_730, 0.95, 1e-6), Verdict::Undecided);
        assert_eq!(verdict(0, 2_995_731, 0.95, 1e-6), Verdict::Met);
    }

    #[test]
    fn large_counts_approach_the_normal_interval() {
        // Clopper-Pearson differs from k/n -+ z sd by less than (z^2 + 2) / n at p = 1/2.
        let (failures, trials) = (500_000_000, 1_000_000_000);
        let half_width = 1.6448536269514722 * (0.25 / trials as f64).sqrt();
        let slack = 5.0 / trials as f64;
        assert!((clopper_pearson_lower(failures, trials, 0.95) - (0.5 - half_width)).abs() < slack);
        assert!((clopper_pearson_upper(failures, trials, 0.95) - (0.5 + half_width)).abs() < slack);
    }

    /// Exact probabilities of 0..=n failures, by the recursion over trials.
    fn binomial_probabilities(n: usize, p: f64) -> Vec<f64> {
        let mut probabilities = vec![0.0; n + 1];
        probabilities[0] = 1.0;
        for _ in 0..n {
            for k in (0..=n).rev() {
                let from_below = if k > 0 { probabilities[k - 1] * p } else { 0.0 };
                probabilities[k] = probabilities[k] * (1.0 - p) + from_below;
            }
        }
        probabilities
    }

    #[test]
    fn coverage_is_at_least_the_confidence() {
        for n in (1..=60_u64).step_by(7).chain([60]) {
            for confidence in [0.5, 0.9, 0.95, 0.999] {
                let bounds: Vec<(f64, f64)> = (0..=n)
                    .map(|k| (clopper_pearson_lower(k, n, confidence), clopper_pearson_upper(k, n, confidence)))
                    .collect();
                // Coverage is least just beside a bound, so every bound is tried from both sides.
                let beside = bounds.iter().flat_map(|(lower, upper)| [lower * 0.999_999, upper * 1.000_001]);
                for p in (1..200).map(|i| f64::from(i) / 200.0).chain(beside).filter(|p| *p > 0.0 && *p < 1.0) {
                    let probabilities = binomial_probabilities(n as usize, p);
                    let covered = |holds: fn(f64, (f64, f64)) -> bool| -> f64 {
                        let pairs = bounds.iter().zip(&probabilities);
                        pairs.filter(|(bound, _)| holds(p, **bound)).map(|(_, probability)| probability).sum()
                    };
                    let by_upper = covered(|p, (_, upper)| p <= upper);
                    let by_lower = covered(|p, (lower, _)| p >= lower);
                    assert!(by_upper >= confidence - TOLERANCE, "{n} {p} {confidence}: {by_upper}");
                    assert!(by_lower >= confidence - TOLERANCE, "{n} {p} {confidence}: {by_lower}");
                }
            }
        }
    }

    #[test]
    fn verdict_table() {
        use Verdict::{Failed, Met, Undecided};
        let cases = [
            (0, 0, 0.95, 0.5, Undecided),
            (0, 0, 0.95, 1.0, Undecided),
            (0, 10, 0.95, 0.3, Met),
            (0, 10, 0.95, 0.2, Undecided),
            (10, 10, 0.95, 0.7, Failed),
            (10, 10, 0.95, 0.75, Undecided),
            (5, 10, 0.99, 0.85, Met),
            (5, 10, 0.99, 0.84, Undecided),
            (5, 10, 0.99, 0.16, Undecided),
            (5, 10, 0.99, 0.15, Failed),
            (1, 10, 0.95, 0.0, Failed),
            (0, 1_000_000, 0.95, 0.0, Undecided),
            (11, 10, 0.95, 0.5, Failed),
            (0, 10, 1.0, 0.9, Undecided),
            (10, 10, 0.0, 0.1, Undecided),
            (0, 10, f64::NAN, 0.9, Undecided),
            (0, 10, 0.95, f64::NAN, Undecided),
        ];
        for (failures, trials, confidence, limit, expected) in cases {
            let found = verdict(failures, trials, confidence, limit);
            assert_eq!(found, expected, "{failures}/{trials} at {confidence}, limit {limit}");
        }
    }

    proptest! {
        #[test]
        fn bounds_enclose_the_share_and_mirror(
            trials in 1..10_000_000_u64,
            share in 0.0..=1.0f64,
            confidence in 0.5..0.999_999f64,
        ) {
            let failures = (share * trials as f64) as u64;
            let lower = clopper_pearson_lower(failures, trials, confidence);
            let upper = clopper_pearson_upper(failures, trials, confidence);
            let ratio = failures as f64 / trials as f64;
            prop_assert!(0.0 <= lower && lower <= ratio && ratio <= upper && upper <= 1.0);
            let mirrored = 1.0 - clopper_pearson_lower(trials - failures, trials, confidence);
            // What is left of 1 has the rounding of 1, however small it is.
            prop_assert!((upper - mirrored).abs() <= TOLERANCE * upper + f64::EPSILON);
        }

        #[test]
        fn more_failures_raise_both_bounds(
            trials in 2..1_000_000_u64,
            share in 0.0..1.0f64,
            confidence in 0.01..0.99f64,
        ) {
            let failures = (share * (trials - 1) as f64) as u64;
            for bound in [clopper_pearson_lower, clopper_pearson_upper] {
                let fewer = bound(failures, trials, confidence);
                prop_assert!(fewer < bound(failures + 1, trials, confidence));
            }
        }
    }
}
