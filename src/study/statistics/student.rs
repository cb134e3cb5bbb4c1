//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::normal;

/// Fewest degrees of freedom, those of two values.
const MIN_DEGREES: f64 = 1.0;

/// From this many degrees of freedom on, the series below is accurate to 1e-9 at all confidences up to 1 - 1e-9 (its
/// next term is of the order of z^9 / degrees^4); the library's search, accurate to rounding up to here, fails from 1e5
/// on.
const SERIES_FROM: f64 = 1000.0;

/// Student's t quantile for this many degrees of freedom, at least 1.
pub(in crate::study) fn student_quantile(probability: f64, degrees: f64) -> f64 {
    if degrees < SERIES_FROM {
        // Location 0, scale 1 and positive degrees are always a distribution.
        return StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |student| searched(&student, probability));
    }
    // Abramowitz and Stegun, 26.7.5.
    let z = -normal::quantile(1.0 - probability);
    let square = z * z;
    let first = z * (square + 1.0) / 4.0;
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    z + (first + (second + third / degrees) / degrees) / degrees
}

/// The library's search, with a fallback where that fails to converge: with few degrees and small tails it does.
fn searched(student: &StudentsT, probability: f64) -> f64 {
    /// The library's own claim is some 1e-9, and 1 - probability rounds by 1e-16.
    const ALLOWED_ERROR: f64 = 1e-7;
    let left = 1.0 - probability;
    let found = student.inverse_cdf(probability);
    if (student.sf(found) / left - 1.0).abs() < ALLOWED_ERROR + 4.0 * f64::EPSILON / left {
        return found;
    }
    // For positive t only: negative ones follow from symmetry, and no caller needs them.
    let (mut below, mut above) = (0.0, 1.0);
    while student.sf(above) > left && above < f64::MAX {
        (below, above) = (above, 2.0 * above);
    }
    // Bisected as often as there are bits, and some more.
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        *if student.sf(middle) > left { &mut below } else { &mut above } = middle;
    }
    // The end at which the tail is at most the requested one.
    above
}

/// The probability that Student's t with this many degrees of freedom, at least 1, exceeds t >= 0; `None` if an
/// argument is NaN or out of range.
pub(in crate::study) fn student_tail(t: f64, degrees: f64) -> Option<f64> {
    if !(t >= 0.0 && degrees >= MIN_DEGREES && degrees.is_finite()) {
        return None;
    }
    if degrees < SERIES_FROM {
        return StudentsT::new(0.0, 1.0, degrees).ok().map(|student| student.sf(t));
    }
    // D. B. Peizer and J. W. Pratt, JASA 63 (1968) 1416: from here on accurate to a relative 1e-4 down to 1e-9, as the
    // test shows; ample for a p-value.
    let shifted = degrees - 2.0 / 3.0 + 0.1 / degrees;
    Some(normal::complement(shifted * ((t * t / degrees).ln_1p() / (degrees - 5.0 / 6.0)).sqrt()))
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
    fn tails_of_quantiles_are_what_is_left_of_the_probability() {
        for degrees in [1.0, 1.5, 2.0, 7.0, 31.0, 255.0, 999.0, 1000.0, 1e5, 1e9, 1e15] {
            for left in [0.4, 0.05, 0.025, 1e-4, 1e-6, 1e-9, 1e-12] {
                let found = student_tail(student_quantile(1.0 - left, degrees), degrees).unwrap();
                // The search and the approximation; 1 - left rounds by 1e-16.
                let own = if degrees < SERIES_FROM { 1e-6 } else { 1e-4 };
                assert!((found / left - 1.0).abs() < own + 2e-16 / left, "{degrees} {left:e}: {found:e}");
            }
        }
    }

    #[test]
    fn nothing_is_said_of_arguments_out_of_range() {
        assert_eq!(student_tail(f64::NAN, 5.0), None);
        assert_eq!(student_tail(1.0, f64::NAN), None);
        assert_eq!(student_tail(1.0, f64::INFINITY), None);
        assert_eq!(student_tail(1.0, 0.5), None);
        assert_eq!(student_tail(f64::INFINITY, 5.0), Some(0.0));
        assert_eq!(student_tail(1e300, 1e9), Some(0.0));
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
