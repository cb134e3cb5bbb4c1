//! Unsigned integers of 256 bits: just enough arithmetic for an exact variance.

/// `high` 2^128 + `low`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Wide {
    high: u128,
    low: u128,
}

/// Low half of a double word.
const HALF: u128 = u64::MAX as u128;

impl Wide {
    /// The exact product.
    pub(super) fn product(a: u128, b: u128) -> Self {
        let (a_high, a_low) = (a >> 64, a & HALF);
        let (b_high, b_low) = (b >> 64, b & HALF);
        let bottom = a_low * b_low;
        // At most (2^64 - 1)^2 + (2^64 - 1), then the same again: neither overflows.
        let middle = a_high * b_low + (bottom >> 64);
        let other_middle = a_low * b_high + (middle & HALF);
        Self {
            high: a_high * b_high + (middle >> 64) + (other_middle >> 64),
            low: (other_middle << 64) | (bottom & HALF),
        }
    }

    /// The sum modulo 2^256.
    pub(super) fn plus(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Self { high: self.high.wrapping_add(other.high).wrapping_add(u128::from(carry)), low }
    }

    /// The difference modulo 2^256.
    pub(super) fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { high: self.high.wrapping_sub(other.high).wrapping_sub(u128::from(borrow)), low }
    }

    /// The product modulo 2^256.
    pub(super) fn times(self, factor: u64) -> Self {
        let factor = u128::from(factor);
        let low = Self::product(self.low, factor);
        Self { high: low.high.wrapping_add(self.high.wrapping_mul(factor)), low: low.low }
    }

    /// High and low half.
    pub(super) fn halves(self) -> (u128, u128) {
        (self.high, self.low)
    }

    /// From its halves.
    pub(super) fn from_halves(high: u128, low: u128) -> Self {
        Self { high, low }
    }

    /// The nearest f64, to one unit in the last place.
    pub(super) fn to_f64(self) -> f64 {
        self.high as f64 * 2f64.powi(128) + self.low as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX: u128 = u128::MAX;

    #[test]
    fn largest_product_is_exact() {
        // (2^128 - 1)^2 = (2^128 - 2) 2^128 + 1
        assert_eq!(Wide::product(MAX, MAX), Wide { high: MAX - 1, low: 1 });
    }

    proptest! {
        #[test]
        fn product_distributes_over_the_sum(a: u128, b: u64, c: u64) {
            let sum = u128::from(b) + u128::from(c);
            let parts = Wide::product(a, u128::from(b)).plus(Wide::product(a, u128::from(c)));
            prop_assert_eq!(Wide::product(a, sum), parts);
            let rest = parts.minus(Wide::product(a, u128::from(c)));
            prop_assert_eq!(rest, Wide::product(u128::from(b), a));
        }

        #[test]
        fn product_agrees_with_shifts_and_adds(a: u128, b: u128) {
            let mut sum = Wide::default();
            for bit in (0..128).rev() {
                sum = sum.plus(sum);
                if b >> bit & 1 == 1 {
                    sum = sum.plus(Wide { high: 0, low: a });
                }
            }
            prop_assert_eq!(Wide::product(a, b), sum);
        }

        #[test]
        fn times_is_repeated_product(a: u128, b in 0..1_u128 << 60, factor: u64) {
            let number = Wide { high: b, low: a };
            let factor_128 = u128::from(factor);
            let high = Wide { high: b * factor_128, low: 0 };
            let expected = Wide::product(a, factor_128).plus(high);
            prop_assert_eq!(number.times(factor), expected);
        }

        #[test]
        fn to_f64_keeps_the_ratio(a in 1..u128::MAX, b in 1..u128::MAX) {
            let expected = a as f64 * b as f64;
            // Three roundings on the left, two on the right.
            let error = (Wide::product(a, b).to_f64() / expected - 1.0).abs();
            prop_assert!(error < 3.0 * f64::EPSILON, "{}", error);
        }
    }
}
