//! Sobol points with Owen scrambling: the inputs are jointly spread evenly over their space.
//!
//! The points are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections"
//! (SIAM J. Sci. Comput. 30, 2008). Each replicate scrambles them independently as A. B. Owen describes in "Randomly
//! permuted (t,m,s)-nets and (t,s)-sequences" (1995): every binary digit is flipped or not by a random bit that depends
//! on the digits before it. So each number is uniform, and every dyadic interval keeps its number of points.

use sobol::Sobol;
use sobol::params::JoeKuoD6;

use crate::random::{unit_interval, words};

/// Binary digits of a point.
const DIGITS: u32 = u32::BITS;
/// Digits per random draw: their tree of flips has 2^7 - 1 nodes, which fit the four words of one counter.
const DIGITS_AT_A_TIME: u32 = 7;
/// Counter blocks from here on are reserved for the scrambling of the replicates.
const FIRST_BLOCK: u32 = 2 << 24;

/// Scrambled Sobol points. Trial i has point i / replicates in replicate i mod replicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SobolNets {
    replicates: u32,
    /// For each dimension, the contribution of each digit of a point's number, lowest digit first.
    directions: Vec<Vec<u32>>,
}

impl SobolNets {
    /// Maximum number of points of a replicate: their numbers have as many digits as the points.
    pub const MAX_POINTS: u64 = 1 << DIGITS;
    /// Maximum number of dimensions, that of the table of direction numbers.
    pub const MAX_DIMENSIONS: usize = 100;

    /// Replicates of points with this many dimensions, at most [`MAX_DIMENSIONS`](Self::MAX_DIMENSIONS).
    ///
    /// # Panics
    /// If there are more dimensions.
    #[must_use]
    pub fn new(replicates: u32, dimensions: usize) -> Self {
        let directions = Sobol::<u32>::init_direction_vals(dimensions, DIGITS as usize, &JoeKuoD6::minimal());
        Self { replicates, directions }
    }

    /// As [`new`](Self::new), where only varying variables use up a dimension; the others keep their place in the
    /// order, and their numbers are independent draws. (The first dimensions have the best uniformity, and none should
    /// be wasted.)
    #[must_use]
    pub fn of_varying(replicates: u32, varies: &[bool]) -> Self {
        let dimensions = varies.iter().filter(|varies| **varies).count();
        let mut spread = Self::new(replicates, dimensions).directions.into_iter();
        let directions = varies.iter().map(|varies| if *varies { spread.next() } else { None }.unwrap_or_default());
        Self { replicates, directions: directions.collect() }
    }

    /// Number of replicates.
    #[must_use]
    pub fn replicates(&self) -> u32 {
        self.replicates
    }

    /// The uniform number of one variable of a trial, taken from this dimension of the points.
    #[must_use]
    pub fn uniform(&self, seed: u64, trial: u64, variable: u32, dimension: usize) -> f64 {
        let replicates = u64::from(self.replicates);
        let point = point(&self.directions[dimension], trial / replicates);
        let block = FIRST_BLOCK + (trial % replicates) as u32;
        unit_interval(scrambled(point, |item| words(seed, item, variable, block)))
    }
}

/// The point with this number, as binary digits of a fraction.
fn point(directions: &[u32], number: u64) -> u32 {
    let digits = directions.iter().enumerate().filter(|(digit, _)| number >> digit & 1 == 1);
    digits.fold(0, |point, (_, direction)| point ^ direction)
}

/// A point with its digits flipped, followed by 32 random ones: digits beyond the point's are independent.
fn scrambled(point: u32, draw: impl Fn(u64) -> [u32; 4]) -> u64 {
    // Digits already passed, behind a leading one so that all prefixes have distinct numbers.
    let mut passed = 1_u64;
    let mut result = 0_u64;
    let mut left = DIGITS;
    while left > 0 {
        let taken = left.min(DIGITS_AT_A_TIME);
        let flips = draw(passed).iter().fold(0_u128, |all, &word| all << 32 | u128::from(word));
        let mut node = 1_u32;
        for _ in 0..taken {
            left -= 1;
            let digit = point >> left & 1;
            let flip = (flips >> node) as u32 & 1;
            result = result << 1 | u64::from(digit ^ flip);
            node = node << 1 | digit;
            passed = passed << 1 | u64::from(digit);
        }
    }
    result << 32 | u64::from(draw(passed)[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unscrambled_points_are_those_of_the_table() {
        let nets = SobolNets::new(1, 3);
        // The first eight of the sequence in natural order, in eighths (Joe and Kuo's notes, section 2, by hand).
        let expected: [[u32; 8]; 2] = [[0, 4, 2, 6, 1, 5, 3, 7], [0, 4, 6, 2, 5, 1, 3, 7]];
        for (dimension, expected) in expected.iter().enumerate() {
            let found: Vec<u32> = (0..8).map(|number| point(&nets.directions[dimension], number) >> 29).collect();
            assert_eq!(found, expected, "{dimension}");
        }
    }

    #[test]
    fn what_never_varies_takes_no_dimension() {
        let (all, some) = (SobolNets::new(8, 2), SobolNets::of_varying(8, &[false, true, false, true]));
        for trial in 0..64 {
            for (dimension, place) in [(0, 1), (1, 3)] {
                assert_eq!(some.uniform(1, trial, 7, place), all.uniform(1, trial, 7, dimension));
            }
            assert!((0.0..1.0).contains(&some.uniform(1, trial, 7, 0)));
        }
    }

    /// A digit is flipped by what stands before it alone, so two points with equal first digits still have equal ones.
    #[test]
    fn scrambling_keeps_nested_intervals_and_flips_half_of_the_digits() {
        let draw = |item| words(9, item, 4, FIRST_BLOCK);
        let mut flipped = 0_u32;
        for number in 0..1000_u32 {
            let first = words(1, u64::from(number), 0, 0)[0];
            for digit in 0..32 {
                let second = first ^ (1 << digit) ^ (words(2, u64::from(number), digit, 0)[0] & ((1 << digit) - 1));
                let (a, b) = ((scrambled(first, draw) >> 32) as u32, (scrambled(second, draw) >> 32) as u32);
                assert_eq!((a ^ b).leading_zeros(), 31 - digit);
            }
            flipped += ((scrambled(first, draw) >> 32) as u32 ^ first).count_ones();
        }
        // 32,000 digits, but the first ones share their flips: only the last 22 or so are drawn for each point.
        assert!((f64::from(flipped) / 32_000.0 - 0.5).abs() < 0.17, "{flipped}");
    }

    #[test]
    fn every_dimension_has_its_own_points_up_to_the_last() {
        let nets = SobolNets::new(8, SobolNets::MAX_DIMENSIONS);
        let last_trial = SobolNets::MAX_POINTS * 8 - 1;
        let numbers: std::collections::BTreeSet<u64> = (0..SobolNets::MAX_DIMENSIONS)
            .map(|dimension| nets.uniform(1, last_trial, dimension as u32, dimension).to_bits())
            .collect();
        assert_eq!(numbers.len(), SobolNets::MAX_DIMENSIONS);
    }

    proptest! {
        /// Every block of 2^k points that begins at a multiple of 2^k has one in each interval of length 2^-k.
        #[test]
        fn every_dimension_is_a_sequence_of_one_dimensional_nets(
            seed: u64, dimension in 0..SobolNets::MAX_DIMENSIONS, digits in 0..9_u32, block in 0..1000_u64
        ) {
            let nets = SobolNets::new(3, SobolNets::MAX_DIMENSIONS);
            let size = 1_u64 << digits;
            let mut found: Vec<u64> = (0..size)
                .map(|index| nets.uniform(seed, 3 * (block * size + index) + 1, 7, dimension))
                .map(|number| (number * size as f64) as u64)
                .collect();
            found.sort_unstable();
            prop_assert!(found.into_iter().eq(0..size));
        }

        /// The first two dimensions together are a (0,2)-sequence: one point in each box of area 2^-k.
        #[test]
        fn the_first_two_dimensions_fill_every_dyadic_box(seed: u64, digits in 0..8_u32, block in 0..50_u64) {
            let nets = SobolNets::new(2, 2);
            let size = 1_u64 << digits;
            for first in 0..=digits {
                let (columns, rows) = ((1_u64 << first) as f64, (1_u64 << (digits - first)) as f64);
                let mut found: Vec<(u64, u64)> = (0..size)
                    .map(|index| 2 * (block * size + index))
                    .map(|trial| (nets.uniform(seed, trial, 5, 0), nets.uniform(seed, trial, 6, 1)))
                    .map(|(x, y)| ((x * columns) as u64, (y * rows) as u64))
                    .collect();
                found.sort_unstable();
                found.dedup();
                prop_assert_eq!(found.len() as u64, size);
            }
        }
    }
}
