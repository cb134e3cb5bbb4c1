//! Eight f32 in a SIMD register, for tests that are conservative: results are rounded, never exact.

use pulp::f32x8;

use super::{F64x8, Simd};
use crate::lanes::LANES;

/// Eight numbers in f32.
#[derive(Clone, Copy, Debug)]
pub struct F32x8<S: Simd> {
    simd: S,
    numbers: f32x8,
}

impl<S: Simd> F32x8<S> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(simd: S, number: f32) -> Self {
        Self::from_array(simd, [number; LANES])
    }

    /// A number for each lane.
    #[inline(always)]
    pub fn from_array(simd: S, numbers: [f32; LANES]) -> Self {
        Self { simd, numbers: bytemuck::cast(numbers) }
    }

    /// Numbers rounded to f32.
    #[inline(always)]
    pub fn narrowed(numbers: F64x8<S>) -> Self {
        Self { simd: numbers.simd, numbers: numbers.simd.narrowed(numbers.numbers) }
    }

    /// The numbers.
    #[inline(always)]
    pub fn to_array(self) -> [f32; LANES] {
        bytemuck::cast(self.numbers)
    }

    #[inline(always)]
    fn of(self, numbers: f32x8) -> Self {
        Self { numbers, ..self }
    }

    /// Differences.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        self.of(self.simd.sub_narrow(self.numbers, other.numbers))
    }

    /// Sums.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        self.of(self.simd.add_narrow(self.numbers, other.numbers))
    }

    /// Products.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        self.of(self.simd.mul_narrow(self.numbers, other.numbers))
    }

    /// Quotients.
    #[inline(always)]
    pub fn over(self, other: Self) -> Self {
        self.of(self.simd.div_narrow(self.numbers, other.numbers))
    }

    /// The smaller of two; the second if either is NaN.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.of(self.simd.min_narrow(self.numbers, other.numbers))
    }

    /// The larger of two; the second if either is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.of(self.simd.max_narrow(self.numbers, other.numbers))
    }

    /// A bit for each lane in which the number is less than the other or equal.
    #[inline(always)]
    pub fn le_bits(self, other: Self) -> u32 {
        self.simd.le_narrow(self.numbers, other.numbers)
    }
}
