//! Eight vectors in SIMD registers.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::DVec3;

use super::{F64x8, Mask8, Simd};
use crate::lanes::{LANES, Lanes3};

/// Eight vectors.
#[derive(Clone, Copy, Debug)]
pub struct DVec3x8<S: Simd> {
    /// First coordinates.
    pub x: F64x8<S>,
    /// Second coordinates.
    pub y: F64x8<S>,
    /// Third coordinates.
    pub z: F64x8<S>,
}

impl<S: Simd> DVec3x8<S> {
    /// Vectors of these coordinates.
    #[inline(always)]
    pub fn new(x: F64x8<S>, y: F64x8<S>, z: F64x8<S>) -> Self {
        Self { x, y, z }
    }

    /// Vectors by their coordinates, a number for each lane.
    #[inline(always)]
    pub fn from_arrays(simd: S, [x, y, z]: [[f64; LANES]; 3]) -> Self {
        Self { x: F64x8::from_array(simd, x), y: F64x8::from_array(simd, y), z: F64x8::from_array(simd, z) }
    }

    /// Vectors that each lane has whole in memory, with a fourth number that is left out.
    #[inline(always)]
    pub fn from_whole(simd: S, whole: [[f64; 4]; LANES]) -> Self {
        let [x, y, z, _] = F64x8::columns(simd, whole);
        Self { x, y, z }
    }

    /// Each lane's vector whole; the fourth number is zero.
    #[inline(always)]
    pub fn to_whole(self) -> [[f64; 4]; LANES] {
        F64x8::rows([self.x, self.y, self.z, self.x.like(0.0)])
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(simd: S, vector: DVec3) -> Self {
        Self { x: F64x8::splat(simd, vector.x), y: F64x8::splat(simd, vector.y), z: F64x8::splat(simd, vector.z) }
    }

    /// The smaller coordinates of two; the second's where either is NaN.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self { x: self.x.min(other.x), y: self.y.min(other.y), z: self.z.min(other.z) }
    }

    /// The larger coordinates of two; the second's where either is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self { x: self.x.max(other.x), y: self.y.max(other.y), z: self.z.max(other.z) }
    }

    /// The components of vectors perpendicular to others, of any length.
    #[inline(always)]
    pub fn reject_from(self, other: Self) -> Self {
        self - other * (self.dot(other) / other.dot(other))
    }

    /// Zero vectors.
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        Self::splat(simd, DVec3::ZERO)
    }

    /// From vectors in memory.
    #[inline(always)]
    pub fn from_lanes(simd: S, lanes: &Lanes3) -> Self {
        Self {
            x: F64x8::from_array(simd, lanes.x.0),
            y: F64x8::from_array(simd, lanes.y.0),
            z: F64x8::from_array(simd, lanes.z.0),
        }
    }

    /// The vectors as an array.
    #[inline(always)]
    pub fn to_lanes(self) -> Lanes3 {
        Lanes3::new(self.x.to_lanes(), self.y.to_lanes(), self.z.to_lanes())
    }

    /// The vector of a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> DVec3 {
        DVec3::new(self.x.get(lane), self.y.get(lane), self.z.get(lane))
    }

    /// Sets the vector of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, vector: DVec3) {
        self.x.set(lane, vector.x);
        self.y.set(lane, vector.y);
        self.z.set(lane, vector.z);
    }

    /// True where all coordinates are within a bound in magnitude; false for NaN.
    #[inline(always)]
    pub fn is_within(self, bound: F64x8<S>) -> Mask8<S> {
        self.x.abs().le(bound) & self.y.abs().le(bound) & self.z.abs().le(bound)
    }

    /// Magnitudes of the coordinates.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// Scalar products, summed in coordinate order as glam does.
    #[inline(always)]
    pub fn dot(self, other: Self) -> F64x8<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    /// Lengths.
    #[inline(always)]
    pub fn length(self) -> F64x8<S> {
        self.dot(self).sqrt()
    }
}

/// Implements an operator coordinate by coordinate.
macro_rules! coordinate_by_coordinate {
    ($($operator:ident $function:ident $symbol:tt),*) => { $(
        impl<S: Simd> $operator for DVec3x8<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self { x: self.x $symbol other.x, y: self.y $symbol other.y, z: self.z $symbol other.z }
            }
        }
    )* };
    ($($operator:ident $function:ident $symbol:tt by number),*) => { $(
        impl<S: Simd> $operator<F64x8<S>> for DVec3x8<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: F64x8<S>) -> Self {
                Self { x: self.x $symbol other, y: self.y $symbol other, z: self.z $symbol other }
            }
        }
    )* };
}

coordinate_by_coordinate!(Add add +, Sub sub -);
coordinate_by_coordinate!(Mul mul * by number, Div div / by number);

impl<S: Simd> Neg for DVec3x8<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}
