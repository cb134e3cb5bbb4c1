//! Counter-based random permutations: the image of one number is computed without the others.

use crate::random::words;

/// Luby and Rackoff ("How to construct pseudorandom permutations from pseudorandom functions", SIAM J. Comput. 17,
/// 1988) need four rounds; twice as many compensate for halves of few bits.
const ROUNDS: u64 = 8;
/// Minimum number of bits in a half: with fewer, there are too few round functions.
const MIN_BITS: u32 = 4;

/// A permutation of 0..size: a Feistel network over the smallest power of four that holds the size, with cycle
/// walking back into the range (at most four steps on average, except for sizes below 64).
#[derive(Clone, Copy, Debug)]
pub(super) struct Permutation {
    pub seed: u64,
    /// Permutations of different variables and blocks are independent.
    pub variable: u32,
    pub block: u32,
    /// Size of the range; at least 1.
    pub size: u64,
}

impl Permutation {
    /// The image of a number below the size.
    pub fn place(&self, number: u64) -> u64 {
        let bits = (u64::BITS - (self.size - 1).leading_zeros()).div_ceil(2).max(MIN_BITS);
        let mut place = self.network(number, bits);
        // The network permutes its own range, so a walk that starts inside the size must return there.
        while place >= self.size {
            place = self.network(place, bits);
        }
        place
    }

    /// One pass through all rounds, for halves of this many bits.
    fn network(&self, number: u64, bits: u32) -> u64 {
        let mask = (1 << bits) - 1;
        let (mut left, mut right) = (number >> bits, number & mask);
        for round in 0..ROUNDS {
            // Halves have at most 32 bits, so the round has its own.
            let drawn = words(self.seed, round << 32 | right, self.variable, self.block)[0];
            (left, right) = (right, left ^ (u64::from(drawn) & mask));
        }
        left << bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Number 0 must go everywhere equally often, whatever the key, and so must number 1, given where 0 went: chi-square
    /// with 11 x 12 - 1 = 131 degrees of freedom has mean 131 and standard deviation 16; five of them above.
    #[test]
    fn pairs_go_everywhere_equally_often() {
        const SIZE: u64 = 12;
        const KEYS: u32 = 20_000;
        let mut counts = [[0_u32; SIZE as usize]; SIZE as usize];
        for block in 0..KEYS {
            let permutation = Permutation { seed: 5, variable: 2, block, size: SIZE };
            counts[permutation.place(0) as usize][permutation.place(1) as usize] += 1;
        }
        let expected = f64::from(KEYS) / (SIZE * (SIZE - 1)) as f64;
        let mut chi_square = 0.0;
        for (first, row) in counts.iter().enumerate() {
            for (second, &count) in row.iter().enumerate() {
                if first == second {
                    assert_eq!(count, 0);
                } else {
                    chi_square += (f64::from(count) - expected).powi(2) / expected;
                }
            }
        }
        assert!(chi_square < 131.0 + 5.0 * 16.2, "{chi_square}");
    }

    #[test]
    fn the_largest_study_has_a_permutation() {
        let permutation = Permutation { seed: 1, variable: 0, block: 1, size: 125_000_000_000 };
        for number in [0, 1, 124_999_999_999] {
            assert!(permutation.place(number) < permutation.size);
        }
    }

    proptest! {
        #[test]
        fn every_number_is_taken_once(seed: u64, variable: u32, block: u32, size in 1..3000_u64) {
            let permutation = Permutation { seed, variable, block, size };
            let mut places: Vec<u64> = (0..size).map(|number| permutation.place(number)).collect();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..size));
        }
    }
}
