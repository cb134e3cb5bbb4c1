//! The standard normal distribution, accurate in both tails: quantiles to a relative 2e-15, probabilities to a relative
//! 2e-15 (1 + z^2).

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::{erfc, erfc_inv};

/// P(Z <= z).
pub fn cumulative(z: f64) -> f64 {
    if z > 0.0 {
        return 1.0 - cumulative(-z);
    }
    // statrs rounds some constants of erfc to ten digits (relative error 1e-10), but not those of its inverse. One
    // Newton step through the inverse squares the error.
    let rough = 0.5 * erfc(-z / SQRT_2);
    if rough < f64::MIN_POSITIVE {
        return rough;
    }
    let rough_z = quantile(rough);
    rough + density(rough_z) * (z - rough_z)
}

/// P(Z > z), without the cancellation of `1 - cumulative(z)`.
pub fn complement(z: f64) -> f64 {
    cumulative(-z)
}

/// Probability density at z.
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The z with P(Z <= z) = u, for u inside (0, 1).
pub fn quantile(u: f64) -> f64 {
    // Twice u is exact, and so is the 2 - 2u that erfc_inv takes in the upper half.
    -SQRT_2 * erfc_inv(2.0 * u)
}

/// A cumulative probability strictly inside (0, 1): it rounds to 1 beyond 8.3 standard deviations, and to 0 beyond 38.
pub fn inside(probability: f64) -> f64 {
    probability.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0)
}

/// The uniform number strictly inside (0, 1) that corresponds to a standard normal one.
pub fn uniform_of(z: f64) -> f64 {
    inside(cumulative(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few units in the last place.
    const QUANTILE_TOLERANCE: f64 = 2e-15;

    #[test]
    fn quantile_agrees_with_sixty_digits() {
        let cases = [
            (5e-324, -38.467405617144344),
            (1e-300, -37.0470962993612),
            (1e-100, -21.273453560965326),
            (1e-20, -9.262340089798407),
            (5.551115123125783e-17, -8.292361075813595),
            (1e-10, -6.361340902404057),
            (0.001, -3.0902323061678136),
            (0.025, -1.9599639845400543),
            (0.2, -0.8416212335729142),
            (0.3, -0.5244005127080408),
            (0.49, -0.025068908258711057),
            (0.6, 0.2533471031357997),
            (0.975, 1.9599639845400538),
            (0.999999, 4.753424308817087),
            (0.9999999999999999, 8.209536151601387),
        ];
        for (u, expected) in cases {
            let error = (quantile(u) / expected - 1.0).abs();
            assert!(error < QUANTILE_TOLERANCE, "u {u:e}: relative error {error:e}");
        }
    }

    #[test]
    fn cumulative_agrees_with_sixty_digits() {
        let cases = [
            (-37.0, 5.725571222524577e-300),
            (-20.0, 2.7536241186062337e-89),
            (-8.0, 6.220960574271784e-16),
            (-5.0, 2.866515718791939e-07),
            (-1.0, 0.15865525393145705),
            (-0.1, 0.460172162722971),
            (0.3, 0.6179114221889527),
            (2.0, 0.9772498680518208),
            (6.0, 0.9999999990134123),
        ];
        for (z, expected) in cases {
            let error = (cumulative(z) / expected - 1.0).abs();
            // The quantile's relative error in z changes the logarithm of a tail probability by z^2
            // of it.
            assert!(error < QUANTILE_TOLERANCE * (1.0 + z * z), "z {z}: relative error {error:e}");
            assert_eq!(cumulative(z), complement(-z));
        }
    }

    #[test]
    fn ends_of_the_line_have_probability_zero_and_one() {
        for far in [40.0, 1e300, f64::INFINITY] {
            assert_eq!((cumulative(-far), cumulative(far)), (0.0, 1.0));
        }
    }
}
