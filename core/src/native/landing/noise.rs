//! Noise of the turbulence of eight landings: [`noise`](crate::flight::noise) in lanes.
//!
//! # Conventions
//! As in [`crate::random`]. Words of 32 bits are the lower halves of words of 64 bits, whose upper halves mean nothing.

use crate::flight::Turbulence;
use crate::lanes::LANES;
use crate::random::{KEY_STEPS, MULTIPLIERS, NoiseKey, ROUNDS};
use crate::simd::{Bits8, F64x8, Simd};

/// A whole number below 2^32 added to this is its lowest bits.
const WHOLE: f64 = (1u64 << 52) as f64;

/// The keys of eight landings.
#[derive(Clone, Copy)]
pub(super) struct NoiseKeys<S: Simd> {
    seed: [Bits8<S>; 2],
    item: [Bits8<S>; 2],
}

impl<S: Simd> NoiseKeys<S> {
    pub fn none(simd: S) -> Self {
        let zeros = [Bits8::splat(simd, 0); 2];
        Self { seed: zeros, item: zeros }
    }

    /// Sets the key of a lane.
    pub fn set(&mut self, lane: usize, key: NoiseKey) {
        let NoiseKey { seed, item } = key;
        for (halves, number) in [(&mut self.seed, seed), (&mut self.item, item)] {
            halves[0].set(lane, number);
            halves[1].set(lane, number >> 32);
        }
    }

    /// The four numbers of a step's noise: along, across, vertical, roll.
    #[inline(always)]
    pub fn noise(&self, steps: F64x8<S>) -> [F64x8<S>; 4] {
        let [low, high] = self.item;
        let [mut key_low, mut key_high] = self.seed;
        let mut words = [low, high, low.like(u64::from(Turbulence::VARIABLE)), (steps + WHOLE).to_bits()];
        let mut round = 0;
        while round < ROUNDS {
            let first = words[0].lower_halves_times(low.like(u64::from(MULTIPLIERS[0])));
            let second = words[2].lower_halves_times(low.like(u64::from(MULTIPLIERS[1])));
            words =
                [second.upper_halves() ^ words[1] ^ key_low, second, first.upper_halves() ^ words[3] ^ key_high, first];
            key_low = key_low.plus(low.like(u64::from(KEY_STEPS[0])));
            key_high = key_high.plus(low.like(u64::from(KEY_STEPS[1])));
            round += 1;
        }
        let [along, across, vertical, roll] = words;
        [balance(along), balance(across), balance(vertical), balance(roll)]
    }
}

/// How many more of the 32 bits are ones than half of them.
#[inline(always)]
fn balance<S: Simd>(word: Bits8<S>) -> F64x8<S> {
    let words = word.to_array();
    let mut numbers = [0.0; LANES];
    for lane in 0..LANES {
        numbers[lane] = f64::from((words[lane] as u32).count_ones() as i32 - 16);
    }
    F64x8::from_array(word.simd(), numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flight::noise;
    use crate::simd::{InRegisters, in_registers};

    struct Noise([(NoiseKey, u64); LANES]);

    impl InRegisters for Noise {
        type Output = [[f64; LANES]; 4];
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let mut keys = NoiseKeys::none(simd);
            let mut steps = F64x8::zero(simd);
            for (lane, (key, step)) in self.0.into_iter().enumerate() {
                keys.set(lane, key);
                steps.set(lane, step as f64);
            }
            keys.noise(steps).map(F64x8::to_array)
        }
    }

    #[test]
    fn lanes_have_the_noise_of_each_landing_alone() {
        let large = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let lanes: [(NoiseKey, u64); LANES] = std::array::from_fn(|lane| {
            let lane = lane as u64;
            (NoiseKey { seed: large(lane + 1), item: large(lane + 9) >> (8 * lane) }, large(lane + 17) >> 32)
        });
        let expected = lanes.map(|(key, step)| noise(key, step).map(f64::from));
        for found in [in_registers(Noise(lanes)), Noise(lanes).run(crate::simd::Portable)] {
            for (lane, expected) in expected.iter().enumerate() {
                assert_eq!(found.map(|numbers| numbers[lane]), *expected, "{:?}", lanes[lane]);
            }
        }
    }
}
