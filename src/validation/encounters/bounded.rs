//! Numbers in f64, each with a bound of how far that of f32 may be off: the text of encounters runs with them.
//!
//! Errors of operands are passed on through each operation, products of errors included, and each operation adds its own: u =
//! 2^-24 for sums and products (rounded once, or not at all where they are fused), 5 u for a quotient and 9 u for a square
//! root, as WGSL allows (sums and products to nearest, as [`validation`](crate::validation) says), and what may be flushed to 0. Where errors leave a comparison open, what is selected by it may be either: the
//! bound holds for both.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use crate::elementary::Real;
use crate::validation::wheel_bound::U;

/// The least normal number of f32, below which results may be flushed.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// A number, and how far that of f32 may be off.
#[derive(Clone, Copy, Debug)]
pub(in crate::validation) struct Bounded {
    pub value: f64,
    pub error: f64,
}

/// An answer to a comparison, and whether f32 comes to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::validation) struct Decided {
    pub answer: bool,
    pub certain: bool,
}

impl Bounded {
    /// A number of f64 and of f32.
    pub fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// A number that is sent to a device.
    pub fn narrowed(value: f64) -> Self {
        if value == 0.0 { Self::exact(value) } else { Self::of(value, 0.0, 1.0) }
    }

    /// With what operands pass on, and so many roundings.
    fn of(value: f64, passed_on: f64, roundings: f64) -> Self {
        let error = passed_on + roundings * U * (value.abs() + passed_on) + TINY;
        Self { value, error: if error.is_nan() { f64::INFINITY } else { error } }
    }

    /// Zero on both sides: products with it are.
    fn is_zero(self) -> bool {
        self.value == 0.0 && self.error == 0.0
    }
}

impl Add for Bounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.is_zero() {
            return Self { value: self.value + other.value, ..other };
        }
        if other.is_zero() {
            return Self { value: self.value + other.value, ..self };
        }
        Self::of(self.value + other.value, self.error + other.error, 1.0)
    }
}

impl Sub for Bounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        if self.is_zero() || other.is_zero() {
            return Self::exact(value);
        }
        let passed_on = self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        Self::of(value, passed_on, 1.0)
    }
}

impl Div for Bounded {
    type Output = Self;
    fn div(self, divisor: Self) -> Self {
        let value = self.value / divisor.value;
        if self.is_zero() {
            return Self::exact(value);
        }
        let least = divisor.value.abs() - divisor.error;
        let passed_on = if least > 0.0 { (self.error + value.abs() * divisor.error) / least } else { f64::INFINITY };
        Self::of(value, passed_on, 5.0)
    }
}

impl Neg for Bounded {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Real for Bounded {
    type Mask8 = Decided;

    fn like(self, number: f64) -> Self {
        if f64::from(number as f32) == number { Self::exact(number) } else { Self::narrowed(number) }
    }

    fn sqrt(self) -> Self {
        let root = |number: f64| number.max(0.0).sqrt();
        let value = root(self.value);
        let passed_on = (root(self.value + self.error) - value).max(value - root(self.value - self.error));
        Self::of(value, passed_on + TINY.sqrt(), 9.0)
    }

    fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }

    fn copysign(self, sign: Self) -> Self {
        let value = self.value.copysign(sign.value);
        let other = if sign.value.abs() > sign.error { 0.0 } else { 2.0 * value.abs() };
        Self { value, error: self.error + other }
    }

    fn gt(self, other: Self) -> Decided {
        let apart = (self.value - other.value).abs();
        // Two that are known exactly are compared as they are.
        let certain = apart > self.error + other.error || (self.error == 0.0 && other.error == 0.0);
        Decided { answer: self.value > other.value, certain }
    }

    fn select(truth: Decided, yes: Self, no: Self) -> Self {
        let (chosen, left) = if truth.answer { (yes, no) } else { (no, yes) };
        if truth.certain {
            return chosen;
        }
        let other = (left.value - chosen.value).abs() + left.error;
        let error = chosen.error.max(other);
        Self { value: chosen.value, error: if error.is_nan() { f64::INFINITY } else { error } }
    }

    fn any(truth: Decided) -> bool {
        truth.may(true)
    }
}

impl Decided {
    /// Whether f32 may come to this.
    pub fn may(self, answer: bool) -> bool {
        self.answer == answer || !self.certain
    }
}

impl BitAnd for Decided {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        let is_false = |it: Self| it.certain && !it.answer;
        let certain = (self.certain && other.certain) || is_false(self) || is_false(other);
        Self { answer: self.answer && other.answer, certain }
    }
}

impl BitOr for Decided {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        !(!self & !other)
    }
}

impl BitXor for Decided {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self { answer: self.answer != other.answer, certain: self.certain && other.certain }
    }
}

impl Not for Decided {
    type Output = Self;
    fn not(self) -> Self {
        Self { answer: !self.answer, ..self }
    }
}
