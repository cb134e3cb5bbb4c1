//! Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3" (SC 2011). Integer arithmetic only, so every machine draws the same bits, any item alone and in any order.

/// Key of the random numbers within a trial: Philox with this key and item.
///
/// The inputs of a trial are drawn by the same key and item: [`uniform`]`(seed, item, number)` is the draw of the input
/// with that number. A model of one's own draws its noise by [`NoiseKey::uniform`], whose numbers are independent of
/// those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoiseKey {
    /// Key.
    pub seed: u64,
    /// Item: the number of the trial, unless a sampling method chooses another.
    pub item: u64,
}

/// The block of the counter that noise is drawn from: inputs have block 0, sampling methods and turbulence those from 1 on.
const NOISE_BLOCK: u32 = 1 << 31;

impl NoiseKey {
    /// A uniform number of a trial, strictly inside (0, 1): another one for each number, all independent of the trial's
    /// inputs.
    ///
    /// ```
    /// use touchdown_core::random::{NoiseKey, uniform};
    ///
    /// let noise = NoiseKey { seed: 1, item: 20 };
    /// assert_eq!(noise.uniform(0), noise.uniform(0));
    /// assert!(noise.uniform(0) != noise.uniform(1));
    /// assert!(noise.uniform(0) != uniform(noise.seed, noise.item, 0));
    /// ```
    #[must_use]
    pub fn uniform(self, number: u32) -> f64 {
        of_words(words(self.seed, self.item, number, NOISE_BLOCK))
    }
}

/// Multipliers of each round.
pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// Added to the key between rounds (golden ratio and sqrt(3) - 1, in 32 bits).
pub const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
pub(crate) const ROUNDS: usize = 10;

/// The four random words of one counter under one key (ten rounds).
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut words = counter;
    let mut key = key;
    for _ in 0..ROUNDS {
        words = round(words, key);
        key = [key[0].wrapping_add(KEY_STEPS[0]), key[1].wrapping_add(KEY_STEPS[1])];
    }
    words
}

fn round(words: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let (high_0, low_0) = split(u64::from(MULTIPLIERS[0]) * u64::from(words[0]));
    let (high_1, low_1) = split(u64::from(MULTIPLIERS[1]) * u64::from(words[2]));
    [high_1 ^ words[1] ^ key[0], low_1, high_0 ^ words[3] ^ key[1], low_0]
}

/// High and low word. Truncation is the purpose.
fn split(value: u64) -> (u32, u32) {
    ((value >> 32) as u32, value as u32)
}

/// The uniform number of one variable of one item, strictly inside (0, 1).
///
/// Key = seed, low word first; counter = (item low, item high, variable, 0). With the first two
/// words as the 64-bit number `w1:w0` the result is `((w1:w0 >> 11) + 0.5) 2^-53`, rounded to f64:
/// a multiple of 2^-54 between 2^-54 and 1 - 2^-53.
pub fn uniform(seed: u64, item: u64, variable: u32) -> f64 {
    of_words(words(seed, item, variable, 0))
}

fn of_words(words: [u32; 4]) -> f64 {
    unit_interval(u64::from(words[1]) << 32 | u64::from(words[0]))
}

/// The four words of one variable of one item. Block 0 is the one used by [`uniform`].
pub fn words(seed: u64, item: u64, variable: u32, block: u32) -> [u32; 4] {
    let (seed_high, seed_low) = split(seed);
    let (item_high, item_low) = split(item);
    philox4x32([item_low, item_high, variable, block], [seed_low, seed_high])
}

/// The upper 53 of 64 random bits and a half, as a number strictly inside (0, 1).
pub fn unit_interval(bits: u64) -> f64 {
    const TWO_POW_MINUS_53: f64 = f64::EPSILON / 2.0;
    // From 2^52 on the half no longer fits, and ties to even would round the largest number up to
    // 1.
    const MAX: f64 = 1.0 - TWO_POW_MINUS_53;
    (((bits >> 11) as f64 + 0.5) * TWO_POW_MINUS_53).min(MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answers_of_random123() {
        let cases = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            assert_eq!(philox4x32(counter, key), expected, "{counter:x?} {key:x?}");
        }
    }

    #[test]
    fn uniform_takes_words_in_the_documented_order() {
        let words = philox4x32([0x1111, 0x2222, 0x3333, 0], [0x4444, 0x5555]);
        let number = (f64::from(words[1]) * 2f64.powi(32) + f64::from(words[0] & !0x7ff)) * 2f64.powi(-64);
        let drawn = uniform(0x5555_0000_4444, 0x2222_0000_1111, 0x3333);
        assert!((drawn - number).abs() <= 2f64.powi(-53), "{drawn} {number}");
    }

    #[test]
    fn ends_stay_inside_the_unit_interval() {
        assert_eq!(unit_interval(0), 2f64.powi(-54));
        assert_eq!(unit_interval(u64::MAX), 1.0 - 2f64.powi(-53));
    }

    #[test]
    fn neighbouring_counters_and_seeds_are_uncorrelated() {
        const COUNT: u64 = 100_000;
        // Products of two independent uniforms, centred, have standard deviation 1/12; five
        // standard errors.
        let tolerance = 5.0 / 12.0 / (COUNT as f64).sqrt();
        let neighbours: [fn(u64) -> f64; 4] = [
            |item| uniform(1, item + 1, 0),
            |item| uniform(1, item, 1),
            |item| uniform(2, item, 0),
            |item| NoiseKey { seed: 1, item }.uniform(0),
        ];
        for neighbour in neighbours {
            let sum: f64 = (0..COUNT).map(|item| (uniform(1, item, 0) - 0.5) * (neighbour(item) - 0.5)).sum();
            assert!((sum / COUNT as f64).abs() < tolerance, "{sum}");
        }
    }

    proptest! {
        #[test]
        fn uniforms_lie_strictly_inside(seed: u64, item: u64, variable: u32) {
            let number = uniform(seed, item, variable);
            prop_assert!(number > 0.0 && number < 1.0);
        }

        #[test]
        fn unit_interval_is_monotone(first: u64, second: u64) {
            prop_assert!(unit_interval(first.min(second)) <= unit_interval(first.max(second)));
        }
    }
}
