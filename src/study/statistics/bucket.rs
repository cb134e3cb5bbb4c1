//! Log-linear buckets for integers: exact for small ones, with relative width 2^-12 for large ones, in numerical order.
//!
//! ```text
//! magnitude m          bucket key                    width
//! 0 .. 2^13            m                             1
//! 2^(12+e) .. 2^(13+e) e 2^12 + floor(m / 2^e)       2^e
//! ```
//!
//! A negative number has the negative key of its magnitude.

/// Bits of a magnitude that a key keeps after its leading one.
const DETAIL_BITS: u32 = 12;

/// The bucket of a number.
pub(super) fn key(number: i64) -> i32 {
    let magnitude = number.unsigned_abs();
    let exponent = magnitude.max(1).ilog2().saturating_sub(DETAIL_BITS);
    // At most 51 * 2^12 + 2^13.
    let key = ((exponent << DETAIL_BITS) + (magnitude >> exponent) as u32) as i32;
    if number < 0 { -key } else { key }
}

/// The middle of a bucket: the mean of the integers it holds.
pub(super) fn middle(key: i32) -> f64 {
    let magnitude = key.unsigned_abs();
    let exponent = (magnitude >> DETAIL_BITS).saturating_sub(1);
    let leading = u64::from(magnitude - (exponent << DETAIL_BITS));
    let width = 1_u64 << exponent;
    let middle = (leading << exponent) as f64 + 0.5 * (width - 1) as f64;
    if key < 0 { -middle } else { middle }
}

/// The smallest and the largest integer in a bucket.
pub(super) fn ends(key: i32) -> (f64, f64) {
    let exponent = (key.unsigned_abs() >> DETAIL_BITS).saturating_sub(1);
    let half = 0.5 * ((1_u64 << exponent) - 1) as f64;
    (middle(key) - half, middle(key) + half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Half a bucket's relative width.
    const RESOLUTION: f64 = 1.0 / 8192.0;

    #[test]
    fn ends_are_the_first_and_the_last_number_of_a_bucket() {
        for number in [0, 1, -1, 8191, 8192, -8193, 1 << 20, -(1 << 30) - 12_345, 1 << 50] {
            let (low, high) = ends(key(number));
            let (low, high) = (low as i64, high as i64);
            assert!(low <= number && number <= high, "{number}");
            assert_eq!([low, high].map(key), [key(number); 2]);
            assert!(key(low - 1) < key(number) && key(high + 1) > key(number), "{number}: {low} {high}");
        }
    }

    #[test]
    fn small_numbers_are_their_own_bucket() {
        for number in -8192..=8192 {
            assert_eq!(
                middle(key(number)),
                if number.abs() < 8192 { number as f64 } else { 8192.5 * number.signum() as f64 }
            );
        }
    }

    #[test]
    fn keys_have_no_gaps_and_no_steps_back() {
        for exponent in 0..63 {
            let edge = 1_i64 << exponent;
            assert_eq!(key(edge), key(edge - 1) + 1, "2^{exponent}");
            assert_eq!(key(-edge), key(1 - edge) - 1, "-2^{exponent}");
        }
        assert!(key(i64::MIN) < key(-i64::MAX) && key(i64::MAX) == -key(-i64::MAX));
    }

    proptest! {
        #[test]
        fn keys_are_ordered_like_numbers(a: i64, b: i64, shift in 0..63_u32) {
            let (a, b) = (a >> shift, b >> shift);
            prop_assert!(key(a.min(b)) <= key(a.max(b)));
        }

        #[test]
        fn middle_is_within_the_resolution(number: i64, shift in 0..63_u32) {
            let number = number >> shift;
            let error = (middle(key(number)) - number as f64).abs();
            // i64 to f64 rounds by a relative 2^-53.
            let tolerance = (RESOLUTION + f64::EPSILON) * (number as f64).abs();
            prop_assert!(error <= tolerance, "{} {}", number, error);
        }
    }
}
