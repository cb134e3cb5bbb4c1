//! Eight numbers at a time: the arithmetic of the native engine.
//!
//! Every operation is elementwise and a single IEEE 754 operation, never fused, and none mixes lanes (except the
//! minimum and maximum over lanes). So a lane holds the same bits as the same formula in plain f64, on every processor,
//! whatever its register width: the compiler turns these loops into the available vector instructions. [`Vectorized`]
//! selects them: the widest SIMD extension detected at run time.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

/// Numbers in one [`Lanes`].
pub const LANES: usize = 8;

/// Eight numbers.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; LANES]);

/// Eight truth values: all bits of a lane are set for true, none for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Mask([u64; LANES]);

/// Eight vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes3 {
    /// First coordinates.
    pub x: Lanes,
    /// Second coordinates.
    pub y: Lanes,
    /// Third coordinates.
    pub z: Lanes,
}

/// Work compiled for several instruction sets. `run` and everything it calls must be `#[inline(always)]`, or the calls
/// fall back to the baseline instruction set.
pub trait Vectorized {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs the work with the widest instructions of this processor. The result does not depend on them.
#[inline]
pub fn vectorized<W: Vectorized>(work: W) -> W::Output {
    struct Adapter<W>(W);
    impl<W: Vectorized> pulp::NullaryFnOnce for Adapter<W> {
        type Output = W::Output;
        #[inline(always)]
        fn call(self) -> W::Output {
            self.0.run()
        }
    }
    pulp::Arch::new().dispatch(Adapter(work))
}

impl Lanes {
    /// Zeros.
    pub const ZERO: Self = Self([0.0; LANES]);

    /// The same number in every lane.
    #[must_use]
    #[inline(always)]
    pub fn splat(number: f64) -> Self {
        Self([number; LANES])
    }

    /// A number for each lane.
    #[must_use]
    #[inline(always)]
    pub fn from_fn(mut number: impl FnMut(usize) -> f64) -> Self {
        let mut all = Self::ZERO;
        for lane in 0..LANES {
            all.0[lane] = number(lane);
        }
        all
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let mut all = self;
        for lane in 0..LANES {
            all.0[lane] = f(self.0[lane]);
        }
        all
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut all = self;
        for lane in 0..LANES {
            all.0[lane] = f(self.0[lane], other.0[lane]);
        }
        all
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(f64, f64) -> bool) -> Mask {
        let mut all = Mask::NONE;
        for lane in 0..LANES {
            all.0[lane] = if f(self.0[lane], other.0[lane]) { u64::MAX } else { 0 };
        }
        all
    }

    /// Square roots.
    #[must_use]
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// Magnitudes.
    #[must_use]
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// The smaller of two; the second if either is NaN.
    #[must_use]
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.with(other, |a, b| if a < b { a } else { b })
    }

    /// The larger of two; the second if either is NaN.
    #[must_use]
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }

    /// The smallest of the eight; unspecified if any lane is NaN.
    #[must_use]
    #[inline(always)]
    pub fn least(self) -> f64 {
        self.across(|a, b| if a < b { a } else { b })
    }

    /// The largest of the eight; unspecified if any lane is NaN.
    #[must_use]
    #[inline(always)]
    pub fn greatest(self) -> f64 {
        self.across(|a, b| if a > b { a } else { b })
    }

    /// Folds the lanes pairwise, the order with the fewest steps. For operations whose result does not depend on it.
    #[inline(always)]
    fn across(self, f: impl Fn(f64, f64) -> f64) -> f64 {
        let Self([a, b, c, d, e, g, h, i]) = self;
        f(f(f(a, e), f(c, h)), f(f(b, g), f(d, i)))
    }

    /// Less than.
    #[must_use]
    #[inline(always)]
    pub fn lt(self, other: Self) -> Mask {
        self.compare(other, |a, b| a < b)
    }

    /// Less than or equal.
    #[must_use]
    #[inline(always)]
    pub fn le(self, other: Self) -> Mask {
        self.compare(other, |a, b| a <= b)
    }

    /// Greater than.
    #[must_use]
    #[inline(always)]
    pub fn gt(self, other: Self) -> Mask {
        self.compare(other, |a, b| a > b)
    }

    /// Greater than or equal.
    #[must_use]
    #[inline(always)]
    pub fn ge(self, other: Self) -> Mask {
        self.compare(other, |a, b| a >= b)
    }

    /// Clamps to two bounds as [`f64::clamp`] does.
    #[must_use]
    #[inline(always)]
    pub fn clamp(self, low: Self, high: Self) -> Self {
        let raised = self.lt(low).select(low, self);
        raised.gt(high).select(high, raised)
    }

    /// Equal.
    #[must_use]
    #[inline(always)]
    pub fn eq(self, other: Self) -> Mask {
        self.compare(other, |a, b| a == b)
    }
}

impl Mask {
    /// No lane.
    pub const NONE: Self = Self([0; LANES]);
    /// Every lane.
    pub const ALL: Self = Self([u64::MAX; LANES]);

    /// From a truth value for each lane.
    #[must_use]
    #[inline(always)]
    pub fn from_fn(mut answer: impl FnMut(usize) -> bool) -> Self {
        let mut all = Self::NONE;
        for lane in 0..LANES {
            all.0[lane] = if answer(lane) { u64::MAX } else { 0 };
        }
        all
    }

    /// The truth value of a lane.
    #[must_use]
    #[inline(always)]
    pub fn get(self, lane: usize) -> bool {
        self.0[lane] != 0
    }

    /// The first true lane; [`LANES`] if none is.
    #[must_use]
    #[inline(always)]
    pub fn first(self) -> usize {
        let mut bits = 1 << LANES;
        for lane in 0..LANES {
            bits |= usize::from(self.0[lane] != 0) << lane;
        }
        bits.trailing_zeros() as usize
    }

    /// Sets the truth value of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, answer: bool) {
        self.0[lane] = if answer { u64::MAX } else { 0 };
    }

    /// True if any lane is true.
    #[must_use]
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.into_iter().fold(0, BitOr::bitor) != 0
    }

    /// True if every lane is true.
    #[must_use]
    #[inline(always)]
    pub fn all(self) -> bool {
        self.0.into_iter().fold(u64::MAX, BitAnd::bitand) != 0
    }

    /// Numbers of `yes` in true lanes, of `no` in the others.
    #[must_use]
    #[inline(always)]
    pub fn select(self, yes: Lanes, no: Lanes) -> Lanes {
        let mut all = no;
        for lane in 0..LANES {
            all.0[lane] = if self.0[lane] != 0 { yes.0[lane] } else { no.0[lane] };
        }
        all
    }

    /// Vectors of `yes` in true lanes, of `no` in the others.
    #[must_use]
    #[inline(always)]
    pub fn select3(self, yes: Lanes3, no: Lanes3) -> Lanes3 {
        Lanes3 { x: self.select(yes.x, no.x), y: self.select(yes.y, no.y), z: self.select(yes.z, no.z) }
    }
}

impl Lanes3 {
    /// Zero vectors.
    pub const ZERO: Self = Self { x: Lanes::ZERO, y: Lanes::ZERO, z: Lanes::ZERO };

    /// Vectors of these coordinates.
    #[must_use]
    #[inline(always)]
    pub fn new(x: Lanes, y: Lanes, z: Lanes) -> Self {
        Self { x, y, z }
    }

    /// The same vector in every lane.
    #[must_use]
    #[inline(always)]
    pub fn splat(vector: DVec3) -> Self {
        Self { x: Lanes::splat(vector.x), y: Lanes::splat(vector.y), z: Lanes::splat(vector.z) }
    }

    /// A vector for each lane.
    #[must_use]
    #[inline(always)]
    pub fn from_fn(mut vector: impl FnMut(usize) -> DVec3) -> Self {
        let mut all = Self::ZERO;
        for lane in 0..LANES {
            all.set(lane, vector(lane));
        }
        all
    }

    /// Coordinates along an axis: 0, 1 or 2.
    #[must_use]
    #[inline(always)]
    pub fn axis(&self, axis: usize) -> Lanes {
        [self.x, self.y, self.z][axis]
    }

    /// The vector of a lane.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, lane: usize) -> DVec3 {
        DVec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// Sets the vector of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, vector: DVec3) {
        (self.x.0[lane], self.y.0[lane], self.z.0[lane]) = vector.into();
    }

    /// Scalar products, summed in coordinate order as glam does.
    #[must_use]
    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Magnitudes of the coordinates.
    #[must_use]
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// Squared lengths.
    #[must_use]
    #[inline(always)]
    pub fn length_squared(self) -> Lanes {
        self.dot(self)
    }

    /// Lengths.
    #[must_use]
    #[inline(always)]
    pub fn length(self) -> Lanes {
        self.length_squared().sqrt()
    }
}

/// Implements an operator lane by lane, also with one number for all lanes on its right.
macro_rules! lane_by_lane {
    ($($operator:ident $function:ident $symbol:tt),*) => { $(
        impl $operator for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.with(other, |a, b| a $symbol b)
            }
        }
        impl $operator<f64> for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: f64) -> Self {
                self.map(|a| a $symbol other)
            }
        }
        impl $operator<Lanes> for f64 {
            type Output = Lanes;
            #[inline(always)]
            fn $function(self, other: Lanes) -> Lanes {
                other.map(|b| self $symbol b)
            }
        }
    )* };
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

/// Implements an operator of masks.
macro_rules! bit_by_bit {
    ($($operator:ident $function:ident $symbol:tt),*) => { $(
        impl $operator for Mask {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let mut all = self;
                for lane in 0..LANES {
                    all.0[lane] = self.0[lane] $symbol other.0[lane];
                }
                all
            }
        }
    )* };
}

bit_by_bit!(BitAnd bitand &, BitOr bitor |);

impl Not for Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|lane| !lane))
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(Neg::neg)
    }
}

impl Add for Lanes3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Lanes3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Lanes> for Lanes3 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: Lanes) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

impl Div<Lanes> for Lanes3 {
    type Output = Self;
    #[inline(always)]
    fn div(self, divisor: Lanes) -> Self {
        Self { x: self.x / divisor, y: self.y / divisor, z: self.z / divisor }
    }
}

impl Neg for Lanes3 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}
