//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::normal;

/// From so many degrees of freedom on the series below is exact to 1e-9 at all confidences up to 1 - 1e-9 (its next term
/// is of the order of z^9 / degrees^4); the library's search, good to rounding up to here, fails from 1e5 on.
const SERIES_FROM: f64 = 1000.0;

/// The t that a variable of so many degrees of freedom, at least 1, stays below with this probability.
pub(in crate::study) fn student_quantile(probability: f64, degrees: f64) -> f64 {
    if degrees < SERIES_FROM {
        // Location 0, scale 1 and positive degrees are always a distribution.
        return StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |student| student.inverse_cdf(probability));
    }
    // Abramowitz and Stegun, 26.7.5.
    let z = -normal::quantile(1.0 - probability);
    let square = z * z;
    let first = z * (square + 1.0) / 4.0;
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    z + (first + (second + third / degrees) / degrees) / degrees
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven and fifteen degrees from tables, the others from the expansion in 30 digits.
    #[test]
    fn quantiles_have_their_tabled_values() {
        for (probability, degrees, expected) in [
            (0.95, 7.0, 1.894_578_605_1),
            (0.975, 15.0, 2.131_449_545_6),
            (0.99, 15.0, 2.602_480_295_0),
            (0.95, 1e5, 1.644_868_864_8),
            (0.95, 1e12, 1.644_853_626_953),
        ] {
            let found = student_quantile(probability, degrees);
            assert!((found / expected - 1.0).abs() < 1e-9, "{probability} {degrees}: {found}");
        }
    }

    #[test]
    fn the_series_continues_the_search() {
        for probability in [0.6, 0.95, 0.9999, 1.0 - 1e-9] {
            let (below, above) = (SERIES_FROM * (1.0 - 1e-12), SERIES_FROM);
            let step = student_quantile(probability, below) / student_quantile(probability, above) - 1.0;
            assert!(step.abs() < 1e-7, "{probability}: {step}");
        }
    }
}
