//! Every operation beside f64's own, with every set of instructions.

use super::*;
use crate::random::uniform;

/// Corners of f64 among numbers of many sizes.
fn numbers(item: u64, variable: u32) -> [f64; LANES] {
    const CORNERS: [f64; 8] = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MAX];
    std::array::from_fn(|lane| {
        let lane = lane as u64;
        let drawn = uniform(11, item * 8 + lane, variable);
        if drawn < 0.3 {
            CORNERS[(drawn / 0.3 * 8.0) as usize]
        } else {
            (2.0 * drawn - 1.3) * 10f64.powf(40.0 * uniform(11, item * 8 + lane, variable + 1) - 20.0)
        }
    })
}

/// Every operation on three numbers, each in eight lanes.
struct Every([[f64; LANES]; 3]);

impl InRegisters for Every {
    type Output = Vec<[f64; LANES]>;
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let [a, b, c] = self.0.map(|numbers| F64x8::from_array(simd, numbers));
        let yes_or_no = [a.lt(b), a.le(b), a.gt(b), a.ge(b), a.eq(b), !a.lt(b), a.lt(b) & b.lt(c)];
        let more = [a.lt(b) | b.lt(c), a.lt(b) ^ b.lt(c), Mask8::from_array(simd, a.lt(c).to_array())];
        let in_memory = [Mask8::from_mask(simd, a.lt(c).to_mask()), Mask8::none(simd)];
        let mut all = vec![a + b, a - b, a * b, a / b, -a, a.abs(), a.abs().sqrt(), a.copysign(b)];
        all.extend([a.min(b), a.max(b), a.clamp(-c.abs(), c.abs()), a.lt(b).select(b, c), 2.0 - a, a * 3.0]);
        all.extend(yes_or_no.into_iter().chain(more).chain(in_memory).map(Mask8::as_numbers));
        all.into_iter().map(F64x8::to_array).collect()
    }
}

fn every([a, b, c]: [f64; 3]) -> Vec<f64> {
    let bound = c.abs();
    let raised = if a < -bound { -bound } else { a };
    let clamped = if raised > bound { bound } else { raised };
    let mut all = vec![a + b, a - b, a * b, a / b, -a, a.abs(), a.abs().sqrt(), a.copysign(b)];
    let chosen = if a < b { b } else { c };
    all.extend([if a < b { a } else { b }, if a > b { a } else { b }, clamped, chosen, 2.0 - a, a * 3.0]);
    let less = a < b;
    let answers = [less, a <= b, a > b, a >= b, a == b, !less, less && b < c];
    let more = [a < b || b < c, (a < b) != (b < c), a < c, a < c, false];
    all.extend(answers.into_iter().chain(more).map(|answer| f64::from(u8::from(answer))));
    all
}

#[test]
fn each_lane_does_what_one_number_does_with_every_set_of_instructions() {
    for item in 0..20_000 {
        let given = [0, 2, 4].map(|variable| numbers(item, variable));
        let mut found = vec![in_registers(Every(given)), Every(given).run(Portable)];
        #[cfg(target_arch = "x86_64")]
        found.extend(pulp::x86::V3::try_new().map(|simd| Every(given).run(pulp::x86::V3_512b(simd))));
        for lane in 0..LANES {
            let expected = every(given.map(|numbers| numbers[lane]));
            for found in &found {
                for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let found = found[lane];
                    let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                    assert!(same, "operation {number} of {given:?}, lane {lane}: {found} {expected}");
                }
            }
        }
    }
}

/// Every operation on two words, each in eight lanes, and a number to compare.
struct Words([[u64; LANES]; 2]);

impl InRegisters for Words {
    type Output = Vec<[u64; LANES]>;
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let [a, b] = self.0.map(|words| Bits8::from_array(simd, words));
        let all = [a & b, a | b, !a, a.less_one(), a.like(7), a.eq(b).select_bits(a.like(1), b), Bits8::splat(simd, 9)];
        all.into_iter().map(Bits8::to_array).collect()
    }
}

#[test]
fn each_lane_of_words_does_what_one_word_does_with_every_set_of_instructions() {
    for item in 0..2_000 {
        let word = |variable: u32, lane: usize| {
            let drawn = uniform(12, item * 8 + lane as u64, variable);
            if drawn < 0.3 { (drawn * 10.0) as u64 } else { drawn.to_bits() }
        };
        let given = [0, 1].map(|variable| std::array::from_fn(|lane| word(variable, lane)));
        let mut found = vec![in_registers(Words(given)), Words(given).run(Portable)];
        #[cfg(target_arch = "x86_64")]
        found.extend(pulp::x86::V3::try_new().map(|simd| Words(given).run(pulp::x86::V3_512b(simd))));
        for lane in 0..LANES {
            let [a, b] = given.map(|words| words[lane]);
            let expected = [a & b, a | b, !a, a.wrapping_sub(1), 7, if a == b { 1 } else { b }, 9];
            for found in &found {
                assert_eq!(found.iter().map(|words| words[lane]).collect::<Vec<_>>(), expected, "{a:x} {b:x}");
            }
        }
    }
}

#[test]
fn one_lane_is_set_and_the_others_stay() {
    let mut numbers = F64x8::from_array(Portable, [1.0; LANES]);
    numbers.set(3, 2.0);
    let mut answers = Mask8::none(Portable);
    assert!(!answers.any());
    answers.set(5, true);
    assert!(answers.any() && answers.get(5) && !answers.get(4));
    assert_eq!(answers.lanes().collect::<Vec<_>>(), [5]);
    assert_eq!(numbers.to_array(), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0]);
}

/// Every operation on two f32, each in eight lanes, and numbers narrowed to them.
struct Narrow([[f64; LANES]; 2]);

impl InRegisters for Narrow {
    type Output = (Vec<[f32; LANES]>, u32, u32);
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let wide = self.0.map(|numbers| F64x8::from_array(simd, numbers));
        let [a, b] = wide.map(F32x8::narrowed);
        let all = vec![a, F32x8::splat(simd, 3.0), a.plus(b), a.minus(b), a.times(b), a.over(b), a.min(b), a.max(b)];
        (all.into_iter().map(F32x8::to_array).collect(), a.le_bits(b), wide[0].lt(wide[1]).bits())
    }
}

#[test]
fn each_lane_of_f32_does_what_one_number_does_with_every_set_of_instructions() {
    for item in 0..2_000 {
        let given = [0, 2].map(|variable| numbers(item, variable));
        let mut found = vec![in_registers(Narrow(given)), Narrow(given).run(Portable)];
        #[cfg(target_arch = "x86_64")]
        found.extend(pulp::x86::V3::try_new().map(|simd| Narrow(given).run(pulp::x86::V3_512b(simd))));
        for lane in 0..LANES {
            let [wide, other] = given.map(|numbers| numbers[lane]);
            let (a, b) = (wide as f32, other as f32);
            let (least, greatest) = (if a < b { a } else { b }, if a > b { a } else { b });
            let expected = [a, 3.0, a + b, a - b, a * b, a / b, least, greatest];
            for (all, less_or_equal, less) in &found {
                for (found, expected) in all.iter().zip(expected) {
                    let found = found[lane];
                    assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{a} {b}");
                }
                assert_eq!((less_or_equal >> lane & 1 != 0, less >> lane & 1 != 0), (a <= b, wide < other));
            }
        }
    }
}

/// Vectors to memory and back.
struct Memory([[f64; LANES]; 3]);

impl InRegisters for Memory {
    type Output = ([[f64; 4]; LANES], [[f64; LANES]; 3]);
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let whole = DVec3x8::from_arrays(simd, self.0).to_whole();
        let DVec3x8 { x, y, z } = DVec3x8::from_whole(simd, whole);
        (whole, [x, y, z].map(F64x8::to_array))
    }
}

#[test]
fn each_lane_has_its_vector_whole_in_memory_with_every_set_of_instructions() {
    let given = [0.0, 10.0, 20.0].map(|from| std::array::from_fn(|lane| from + lane as f64));
    let mut found = vec![in_registers(Memory(given)), Memory(given).run(Portable)];
    #[cfg(target_arch = "x86_64")]
    found.extend(pulp::x86::V3::try_new().map(|simd| Memory(given).run(pulp::x86::V3_512b(simd))));
    for (whole, back) in found {
        assert_eq!(whole, std::array::from_fn(|lane| [lane as f64, 10.0 + lane as f64, 20.0 + lane as f64, 0.0]));
        assert_eq!(back, given);
    }
}

/// The least and the greatest of each of eight, and the last.
struct Across([[f64; LANES]; LANES]);

impl InRegisters for Across {
    type Output = [[f64; LANES]; 3];
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let [a, b, c, d, e, f, g, h] = self.0.map(|numbers| F64x8::from_array(simd, numbers));
        let all = [a, b, c, d, e, f, g, h];
        [F64x8::least_of_each(all), F64x8::greatest_of_each(all), h.halves_swapped()].map(F64x8::to_array)
    }
}

#[test]
fn the_outermost_of_each_of_eight_stands_in_its_lane_with_every_set_of_instructions() {
    for item in 0..2_000 {
        let given: [[f64; LANES]; LANES] = std::array::from_fn(|row| {
            std::array::from_fn(|lane| uniform(12, 64 * item + (8 * row + lane) as u64, 0) - 0.5)
        });
        let mut found = vec![in_registers(Across(given)), Across(given).run(Portable)];
        #[cfg(target_arch = "x86_64")]
        found.extend(pulp::x86::V3::try_new().map(|simd| Across(given).run(pulp::x86::V3_512b(simd))));
        let least = given.map(|row| row.into_iter().fold(f64::INFINITY, f64::min));
        let greatest = given.map(|row| row.into_iter().fold(f64::NEG_INFINITY, f64::max));
        let [a, b, c, d, e, f, g, h] = given[LANES - 1];
        for found in found {
            assert_eq!(found, [least, greatest, [e, f, g, h, a, b, c, d]]);
        }
    }
}

/// Those of eight numbers that are chosen.
struct Chosen([u16; LANES], u8);

impl InRegisters for Chosen {
    type Output = [u16; LANES];
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        simd.chosen_first(self.0, self.1)
    }
}

#[test]
fn the_chosen_of_eight_numbers_come_first_in_order_with_every_set_of_instructions() {
    let numbers: [u16; LANES] = std::array::from_fn(|lane| 1000 * lane as u16 + 300);
    for chosen in 0..=u8::MAX {
        let mut found = vec![in_registers(Chosen(numbers, chosen)), Chosen(numbers, chosen).run(Portable)];
        #[cfg(target_arch = "x86_64")]
        found.extend(pulp::x86::V3::try_new().map(|simd| Chosen(numbers, chosen).run(pulp::x86::V3_512b(simd))));
        let expected: Vec<u16> = (0..LANES).filter(|lane| chosen >> lane & 1 != 0).map(|lane| numbers[lane]).collect();
        for found in found {
            assert_eq!(found[..expected.len()], expected, "{chosen:b}");
        }
    }
}
