//! Explicit SIMD with eight numbers, for long formulas.
//!
//! [`crate::lanes::Lanes`] relies on auto-vectorization of loops over eight numbers, which works for short formulas;
//! long ones are scalarized (a landing step then ran at the speed of one lane). Here each operation is a vector
//! instruction, selected by a token `S` of the instruction set detected at run time: 512 bits wide, twice 256, or the
//! baseline. Every operation is elementwise and a single IEEE 754 operation, never fused, so a lane holds the same bits
//! as the same formula in plain f64.

mod instructions;
mod narrow;
#[cfg(test)]
mod tests;
mod vector;

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use pulp::{f64x8, u64x8};

pub use self::instructions::{Portable, Simd};
pub use self::narrow::F32x8;
pub use self::vector::DVec3x8;
use crate::lanes::{LANES, Lanes, Mask, Vectorized};

/// The sign bit of a number.
const SIGN: u64 = 1 << 63;

/// Eight numbers. In memory they begin where a line of the cache does: others would be read in two halves.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct F64x8<S: Simd> {
    simd: S,
    numbers: f64x8,
}

/// Eight truth values.
#[derive(Clone, Copy, Debug)]
pub struct Mask8<S: Simd> {
    simd: S,
    answers: S::Answers,
}

/// Eight 64-bit words.
#[derive(Clone, Copy, Debug)]
pub struct Bits8<S: Simd> {
    simd: S,
    words: u64x8,
}

/// Work compiled for several instruction sets.
pub trait InRegisters {
    /// Result of the work.
    type Output;
    /// Runs the work, with a token of the instruction set.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs the work with the widest instructions of this processor. The result does not depend on them. The work itself is
/// compiled like any code; its long formulas belong in [`at_full_width`].
pub fn in_registers<W: InRegisters>(work: W) -> W::Output {
    match pulp::Arch::new() {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V4(simd) => work.run(simd),
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V3(simd) => work.run(pulp::x86::V3_512b(simd)),
        _ => work.run(Portable),
    }
}

/// Runs work with registers of the token's width: otherwise every operation would be a call. Its `run` and everything
/// it calls must be `#[inline(always)]`; closures cannot be, so long formulas are written without.
#[inline(always)]
pub fn at_full_width<S: Simd, W: Vectorized>(simd: S, work: W) -> W::Output {
    simd.at_full_width(work)
}

impl<S: Simd> F64x8<S> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(simd: S, number: f64) -> Self {
        Self { simd, numbers: bytemuck::cast([number; LANES]) }
    }

    /// Zeros.
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        Self::splat(simd, 0.0)
    }

    /// A number for each lane.
    #[inline(always)]
    pub fn from_array(simd: S, numbers: [f64; LANES]) -> Self {
        Self { simd, numbers: bytemuck::cast(numbers) }
    }

    /// The numbers.
    #[inline(always)]
    pub fn to_array(self) -> [f64; LANES] {
        bytemuck::cast(self.numbers)
    }

    /// The numbers' bits.
    #[inline(always)]
    pub fn to_bits(self) -> Bits8<S> {
        Bits8 { simd: self.simd, words: bytemuck::cast(self.numbers) }
    }

    /// The numbers as an array.
    #[inline(always)]
    pub fn to_lanes(self) -> Lanes {
        Lanes(self.to_array())
    }

    /// The same number in every lane.
    #[inline(always)]
    pub fn like(self, number: f64) -> Self {
        Self::splat(self.simd, number)
    }

    /// The number of a lane.
    #[inline(always)]
    pub fn get(self, lane: usize) -> f64 {
        self.to_array()[lane]
    }

    /// Sets the number of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, number: f64) {
        let mut numbers = self.to_array();
        numbers[lane] = number;
        *self = Self::from_array(self.simd, numbers);
    }

    /// The token.
    #[inline(always)]
    pub fn simd(self) -> S {
        self.simd
    }

    #[inline(always)]
    fn of(self, numbers: f64x8) -> Self {
        Self { simd: self.simd, numbers }
    }

    #[inline(always)]
    fn truth(self, answers: S::Answers) -> Mask8<S> {
        Mask8 { simd: self.simd, answers }
    }

    /// Square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.of(self.simd.sqrt(self.numbers))
    }

    /// Magnitudes.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.of(self.simd.both_bits(self.numbers, self.like(f64::from_bits(!SIGN)).numbers))
    }

    /// Magnitudes with the signs of others.
    #[inline(always)]
    pub fn copysign(self, sign: Self) -> Self {
        let bits = self.simd.both_bits(sign.numbers, self.like(f64::from_bits(SIGN)).numbers);
        self.of(self.simd.either_bits(self.abs().numbers, bits))
    }

    /// The smaller of two; the second if either is NaN.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.of(self.simd.min(self.numbers, other.numbers))
    }

    /// The larger of two; the second if either is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.of(self.simd.max(self.numbers, other.numbers))
    }

    /// Clamps to two bounds as [`f64::clamp`] does.
    #[inline(always)]
    pub fn clamp(self, low: Self, high: Self) -> Self {
        // The bounds first: what is no number stays what it is.
        high.min(low.max(self))
    }

    /// The smallest of the eight; unspecified if any lane is NaN.
    #[inline(always)]
    pub fn least(self) -> f64 {
        self.to_lanes().least()
    }

    /// The largest of the eight; unspecified if any lane is NaN.
    #[inline(always)]
    pub fn greatest(self) -> f64 {
        self.to_lanes().greatest()
    }

    /// Rows of four numbers as columns.
    #[inline(always)]
    pub fn columns(simd: S, [a, b, c, d, e, f, g, h]: [[f64; LANES / 2]; LANES]) -> [Self; LANES / 2] {
        let ([a, b, c, d], [e, f, g, h]) = (simd.transposed([a, b, c, d]), simd.transposed([e, f, g, h]));
        let like = Self::zero(simd);
        [like.of_halves(a, e), like.of_halves(b, f), like.of_halves(c, g), like.of_halves(d, h)]
    }

    /// Columns as rows of four numbers.
    #[inline(always)]
    pub fn rows([a, b, c, d]: [Self; LANES / 2]) -> [[f64; LANES / 2]; LANES] {
        let simd = a.simd;
        let ([a, e], [b, f], [c, g], [d, h]) = (a.halves(), b.halves(), c.halves(), d.halves());
        bytemuck::cast([simd.transposed([a, b, c, d]), simd.transposed([e, f, g, h])])
    }

    /// The greatest number of each of eight, in the lane of its place; unspecified if any is NaN.
    #[inline(always)]
    pub fn greatest_of_each(all: [Self; LANES]) -> Self {
        Self::outermost_of_each::<true>(all)
    }

    /// The least number of each of eight, in the lane of its place; unspecified if any is NaN.
    #[inline(always)]
    pub fn least_of_each(all: [Self; LANES]) -> Self {
        Self::outermost_of_each::<false>(all)
    }

    #[inline(always)]
    fn outermost_of_each<const GREATEST: bool>([a, b, c, d, e, f, g, h]: [Self; LANES]) -> Self {
        // Numbers of two by turns; four are left of each.
        let (a, c) = (a.outer_by_turns::<GREATEST>(b), c.outer_by_turns::<GREATEST>(d));
        let (e, g) = (e.outer_by_turns::<GREATEST>(f), g.outer_by_turns::<GREATEST>(h));
        // The first four in lower halves, the last in upper ones; two are left of each.
        let (a, e) = a.halves_sorted(e);
        let (c, g) = c.halves_sorted(g);
        let ([a, e], [c, g]) = (a.outer::<GREATEST>(e).halves(), c.outer::<GREATEST>(g).halves());
        let ([a, c], [e, g]) = (b.simd.by_halves(a, c), b.simd.by_halves(e, g));
        b.of_halves(a, e).outer::<GREATEST>(b.of_halves(c, g))
    }

    #[inline(always)]
    fn outer_by_turns<const GREATEST: bool>(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.halves(), other.halves());
        let ([a, c], [b, d]) = (self.simd.by_turns(a, c), self.simd.by_turns(b, d));
        self.of_halves(a, b).outer::<GREATEST>(self.of_halves(c, d))
    }

    #[inline(always)]
    fn outer<const GREATEST: bool>(self, other: Self) -> Self {
        if GREATEST { self.max(other) } else { self.min(other) }
    }

    #[inline(always)]
    fn halves(self) -> [[f64; LANES / 2]; 2] {
        bytemuck::cast(self.numbers)
    }

    #[inline(always)]
    fn of_halves(self, lower: [f64; LANES / 2], upper: [f64; LANES / 2]) -> Self {
        self.of(bytemuck::cast([lower, upper]))
    }

    /// Both lower halves, and both upper ones.
    #[inline(always)]
    fn halves_sorted(self, other: Self) -> (Self, Self) {
        let ([a, b], [c, d]) = (self.halves(), other.halves());
        (self.of_halves(a, c), self.of_halves(b, d))
    }

    /// The upper half below the lower one.
    #[inline(always)]
    pub fn halves_swapped(self) -> Self {
        let [lower, upper] = self.halves();
        self.of_halves(upper, lower)
    }

    /// Less than.
    #[inline(always)]
    pub fn lt(self, other: Self) -> Mask8<S> {
        self.truth(self.simd.lt(self.numbers, other.numbers))
    }

    /// Less than or equal.
    #[inline(always)]
    pub fn le(self, other: Self) -> Mask8<S> {
        self.truth(self.simd.le(self.numbers, other.numbers))
    }

    /// Greater than.
    #[inline(always)]
    pub fn gt(self, other: Self) -> Mask8<S> {
        other.lt(self)
    }

    /// Greater than or equal.
    #[inline(always)]
    pub fn ge(self, other: Self) -> Mask8<S> {
        other.le(self)
    }

    /// Equal.
    #[inline(always)]
    pub fn eq(self, other: Self) -> Mask8<S> {
        self.truth(self.simd.eq(self.numbers, other.numbers))
    }
}

impl<S: Simd> Mask8<S> {
    /// No lane.
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        zero.gt(zero)
    }

    /// From a truth value for each lane.
    #[inline(always)]
    pub fn from_array(simd: S, answers: [bool; LANES]) -> Self {
        let mut numbers = [0.0; LANES];
        for lane in 0..LANES {
            numbers[lane] = f64::from(u8::from(answers[lane]));
        }
        F64x8::from_array(simd, numbers).gt(F64x8::zero(simd))
    }

    /// The truth values.
    #[inline(always)]
    pub fn to_array(self) -> [bool; LANES] {
        let numbers = self.as_numbers().to_array();
        let mut answers = [false; LANES];
        for lane in 0..LANES {
            answers[lane] = numbers[lane] > 0.0;
        }
        answers
    }

    /// From truth values in memory.
    #[inline(always)]
    pub fn from_mask(simd: S, mask: Mask) -> Self {
        F64x8::from_array(simd, mask.select(Lanes::splat(1.0), Lanes::ZERO).0).gt(F64x8::zero(simd))
    }

    /// The truth values as an array.
    #[inline(always)]
    pub fn to_mask(self) -> Mask {
        self.as_numbers().to_lanes().gt(Lanes::ZERO)
    }

    /// One in true lanes, zero in the others.
    #[inline(always)]
    pub fn as_numbers(self) -> F64x8<S> {
        self.select(F64x8::splat(self.simd, 1.0), F64x8::zero(self.simd))
    }

    /// The truth value of a lane.
    #[inline(always)]
    pub fn get(self, lane: usize) -> bool {
        self.to_array()[lane]
    }

    /// Sets the truth value of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, answer: bool) {
        let mut answers = self.to_array();
        answers[lane] = answer;
        *self = Self::from_array(self.simd, answers);
    }

    /// The true lanes.
    #[inline(always)]
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        let answers = self.to_array();
        (0..LANES).filter(move |&lane| answers[lane])
    }

    /// True if any lane is true.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.bits() != 0
    }

    /// A bit for each true lane.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.simd.bits(self.answers)
    }

    /// Numbers of `yes` in true lanes, of `no` in the others.
    #[inline(always)]
    pub fn select(self, yes: F64x8<S>, no: F64x8<S>) -> F64x8<S> {
        yes.of(self.simd.select(self.answers, yes.numbers, no.numbers))
    }

    /// Words of `yes` in true lanes, of `no` in the others.
    #[inline(always)]
    pub fn select_bits(self, yes: Bits8<S>, no: Bits8<S>) -> Bits8<S> {
        Bits8 { simd: self.simd, words: self.simd.select_words(self.answers, yes.words, no.words) }
    }

    /// Truth values of `yes` in true lanes, of `no` in the others.
    #[inline(always)]
    pub fn choose(self, yes: Self, no: Self) -> Self {
        (self & yes) | (!self & no)
    }

    /// Vectors of `yes` in true lanes, of `no` in the others.
    #[inline(always)]
    pub fn select3(self, yes: DVec3x8<S>, no: DVec3x8<S>) -> DVec3x8<S> {
        DVec3x8 { x: self.select(yes.x, no.x), y: self.select(yes.y, no.y), z: self.select(yes.z, no.z) }
    }
}

impl<S: Simd> Bits8<S> {
    /// The same word in every lane.
    #[inline(always)]
    pub fn splat(simd: S, word: u64) -> Self {
        Self { simd, words: bytemuck::cast([word; LANES]) }
    }

    /// A word for each lane.
    #[inline(always)]
    pub fn from_array(simd: S, words: [u64; LANES]) -> Self {
        Self { simd, words: bytemuck::cast(words) }
    }

    /// Sets the word of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, word: u64) {
        let mut words = self.to_array();
        words[lane] = word;
        *self = Self::from_array(self.simd, words);
    }

    /// The token.
    #[inline(always)]
    pub fn simd(self) -> S {
        self.simd
    }

    /// The words.
    #[inline(always)]
    pub fn to_array(self) -> [u64; LANES] {
        bytemuck::cast(self.words)
    }

    /// The same word in every lane.
    #[inline(always)]
    pub fn like(self, word: u64) -> Self {
        Self::splat(self.simd, word)
    }

    /// Lanes with equal words.
    #[inline(always)]
    pub fn eq(self, other: Self) -> Mask8<S> {
        Mask8 { simd: self.simd, answers: self.simd.eq_words(self.words, other.words) }
    }

    /// Sums of words, wrapping.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { words: self.simd.add_words(self.words, other.words), ..self }
    }

    /// Products of the lower halves of words.
    #[inline(always)]
    pub fn lower_halves_times(self, other: Self) -> Self {
        Self { words: self.simd.mul_lower_halves(self.words, other.words), ..self }
    }

    /// The upper halves of words, as lower ones.
    #[inline(always)]
    pub fn upper_halves(self) -> Self {
        Self { words: self.simd.upper_halves(self.words), ..self }
    }

    /// Words minus one, wrapping.
    #[inline(always)]
    pub fn less_one(self) -> Self {
        Self { words: self.simd.sub_words(self.words, self.like(1).words), ..self }
    }
}

/// Implements an operator lane by lane, also with one number for all lanes.
macro_rules! lane_by_lane {
    ($($operator:ident $function:ident),*) => { $(
        impl<S: Simd> $operator for F64x8<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.of(self.simd.$function(self.numbers, other.numbers))
            }
        }
        impl<S: Simd> $operator<f64> for F64x8<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: f64) -> Self {
                self.$function(self.like(other))
            }
        }
        impl<S: Simd> $operator<F64x8<S>> for f64 {
            type Output = F64x8<S>;
            #[inline(always)]
            fn $function(self, other: F64x8<S>) -> F64x8<S> {
                other.like(self).$function(other)
            }
        }
    )* };
}

lane_by_lane!(Add add, Sub sub, Mul mul, Div div);

/// Implements an operator of truth values.
macro_rules! answer_by_answer {
    ($($operator:ident $function:ident $alone:ident),*) => { $(
        impl<S: Simd> $operator for Mask8<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self { simd: self.simd, answers: self.simd.$alone(self.answers, other.answers) }
            }
        }
    )* };
}

answer_by_answer!(BitAnd bitand and, BitOr bitor or, BitXor bitxor xor);

/// Implements an operator word by word.
macro_rules! word_by_word {
    ($($operator:ident $function:ident $instruction:ident),*) => { $(
        impl<S: Simd> $operator for Bits8<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self { words: self.simd.$instruction(self.words, other.words), ..self }
            }
        }
    )* };
}

word_by_word!(BitAnd bitand both_words, BitOr bitor either_words, BitXor bitxor differing_words);

impl<S: Simd> Not for Bits8<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { words: self.simd.not_words(self.words), ..self }
    }
}

impl<S: Simd> Not for Mask8<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { simd: self.simd, answers: self.simd.not(self.answers) }
    }
}

impl<S: Simd> Neg for F64x8<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.of(self.simd.differing_bits(self.numbers, self.like(f64::from_bits(SIGN)).numbers))
    }
}
