//! Binomial tails, on a logarithmic scale and accurate to a relative 1e-12 for 1e9 trials and more.
//!
//! The textbook formula with log-gamma functions subtracts numbers near 1e10 and keeps five digits. The saddle-point
//! form of C. Loader, "Fast and accurate computation of binomial probabilities" (2000), subtracts nothing large.

use std::f64::consts::PI;

/// A tail probability and its derivative.
pub(super) struct Tail {
    /// Natural logarithm of the probability.
    pub(super) logarithm: f64,
    /// Derivative of `logarithm` with respect to the log odds.
    pub(super) slope: f64,
}

/// P(X <= k) for n trials with the given odds p / (1 - p); 0 <= k < n.
///
/// Odds, because both p and 1 - p follow from them without cancellation.
pub(super) fn at_most(k: f64, n: f64, odds: f64) -> Tail {
    // Terms relative to the one at k, downwards: t(j-1) / t(j) = j / ((n - j + 1) odds).
    let sum = sum_of_terms(k, |j| (j > 0.0).then(|| (j - 1.0, j / ((n - j + 1.0) * odds))));
    Tail { logarithm: log_probability(k, n, odds) + sum.ln(), slope: -(n - k) * odds / (1.0 + odds) / sum }
}

/// P(X >= k) for n trials with the given odds p / (1 - p); 0 < k <= n.
pub(super) fn at_least(k: f64, n: f64, odds: f64) -> Tail {
    // Terms relative to the one at k, upwards: t(j+1) / t(j) = (n - j) odds / (j + 1).
    let sum = sum_of_terms(k, |j| (j < n).then(|| (j + 1.0, (n - j) * odds / (j + 1.0))));
    Tail { logarithm: log_probability(k, n, odds) + sum.ln(), slope: k / (1.0 + odds) / sum }
}

/// 1 plus the following terms, each the previous one times a ratio. The ratios decrease along the tail, so once terms
/// decrease and are negligible, all further ones are too. About 10 sqrt(n p (1 - p)) terms.
fn sum_of_terms(start: f64, next: impl Fn(f64) -> Option<(f64, f64)>) -> f64 {
    let (mut sum, mut term, mut position) = (1.0, 1.0, start);
    while let Some((following, ratio)) = next(position) {
        term *= ratio;
        sum += term;
        position = following;
        if ratio < 1.0 && term < (1.0 - ratio) * f64::EPSILON * sum {
            break;
        }
    }
    sum
}

/// ln P(X = k), 0 <= k <= n.
fn log_probability(k: f64, n: f64, odds: f64) -> f64 {
    if k == 0.0 {
        return -n * odds.ln_1p();
    }
    if k == n {
        return -n * odds.recip().ln_1p();
    }
    let rest = n - k;
    stirling_error(n)
        - stirling_error(k)
        - stirling_error(rest)
        - deviance(k, n * odds / (1.0 + odds))
        - deviance(rest, n / (1.0 + odds))
        + 0.5 * (n / (2.0 * PI * k * rest)).ln()
}

/// ln(n!) - ln(sqrt(2 pi n) (n / e)^n), for whole n >= 1.
fn stirling_error(n: f64) -> f64 {
    /// From here on the series below is exact to rounding: its first missing term, 691 / 360360
    /// n^-11, is below 2e-16.
    const SERIES_FROM: f64 = 16.0;
    if n < SERIES_FROM {
        // 15! fits f64 exactly.
        let factorial: f64 = (2..=n as u32).map(f64::from).product();
        return factorial.ln() - 0.5 * (2.0 * PI * n).ln() - n * n.ln() + n;
    }
    let inverse_square = (n * n).recip();
    [1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0]
        .into_iter()
        .reduce(|sum, coefficient| sum * inverse_square + coefficient)
        .unwrap_or_default()
        / n
}

/// x ln(x / m) + m - x, without cancellation for x near m.
fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    let total = x + m;
    if difference.abs() >= 0.1 * total {
        return x * (x / m).ln() - difference;
    }
    // With v = difference / total: ln(x / m) = 2 atanh(v) = 2 (v + v^3/3 + ...), and the first term
    // joins m - x exactly.
    let v = difference / total;
    let mut sum = difference * v;
    let mut power = 2.0 * x * v;
    let mut odd = 1.0;
    loop {
        power *= v * v;
        odd += 2.0;
        let longer = sum + power / odd;
        if longer == sum {
            return sum;
        }
        sum = longer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The direct products below round 200 times.
    const TOLERANCE: f64 = 1e-12;

    /// P(X = k) as a plain product, for n small enough.
    fn product(k: u32, n: u32, p: f64) -> f64 {
        let choices: f64 = (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product();
        choices * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    }

    #[test]
    fn stirling_error_agrees_with_forty_digits() {
        /// Rounding of ln(15!) = 28 in the direct form, and of the first missing term of the series.
        const DIRECT: f64 = 32.0 * f64::EPSILON;
        const SERIES: f64 = 2e-16;
        let cases = [
            (1.0, 0.08106146679532726),
            (2.0, 0.0413406959554093),
            (15.0, 0.005554733551962801),
            (16.0, 0.0052076559196096404),
            (17.0, 0.004901395948434738),
            (30.0, 0.0027776749297526936),
            (1000.0, 8.333333055555635e-05),
        ];
        for (n, expected) in cases {
            let error = (stirling_error(n) - expected).abs();
            assert!(error < if n < 16.0 { DIRECT } else { SERIES }, "{n}: {error:e}");
        }
    }

    proptest! {
        #[test]
        fn tails_are_sums_of_products(n in 2..100_u32, share in 0.0..1.0f64, p in 0.01..0.99f64) {
            let k = 1 + (share * f64::from(n - 1)) as u32;
            let upper: f64 = (k..=n).map(|j| product(j, n, p)).sum();
            let lower: f64 = (0..k).map(|j| product(j, n, p)).sum();
            let (k, n, odds) = (f64::from(k), f64::from(n), p / (1.0 - p));
            prop_assert!((at_least(k, n, odds).logarithm - upper.ln()).abs() < TOLERANCE);
            prop_assert!((at_most(k - 1.0, n, odds).logarithm - lower.ln()).abs() < TOLERANCE);
        }

        /// Slopes against central differences, whose error is h^2 times the third derivative (up to
        /// about n^2 here) plus rounding over h.
        #[test]
        fn slopes_are_derivatives(n in 2..100_u32, share in 0.0..1.0f64, odds in 0.05..20.0f64) {
            const STEP: f64 = 1e-5;
            let n = f64::from(n);
            let k = (1.0 + share * (n - 1.0)).floor();
            let (below, above) = (odds * (-STEP).exp(), odds * STEP.exp());
            for (tail, k) in [(at_least as fn(f64, f64, f64) -> Tail, k), (at_most, k - 1.0)] {
                let rise = tail(k, n, above).logarithm - tail(k, n, below).logarithm;
                let difference = rise / (2.0 * STEP);
                let slope = tail(k, n, odds).slope;
                let tolerance = 1e-8 * n * (1.0 + slope.abs());
                prop_assert!((difference - slope).abs() < tolerance, "{} {}", difference, slope);
            }
        }
    }
}
