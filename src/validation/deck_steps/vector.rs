//! Vectors in the plane of numbers with their bounds.

use std::ops::{Add, Mul, Sub};

use glam::DVec2;

use crate::validation::encounters::bounded::Bounded;

/// A vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector(pub Bounded, pub Bounded);

/// A number that is sent to a device.
pub(super) fn narrowed(value: f64) -> Bounded {
    Bounded::narrowed(value)
}

impl Vector {
    pub fn narrowed(of: DVec2) -> Self {
        Self(narrowed(of.x), narrowed(of.y))
    }

    pub fn exact(of: DVec2) -> Self {
        Self(Bounded::exact(of.x), Bounded::exact(of.y))
    }

    pub fn dot(self, other: Self) -> Bounded {
        self.0 * other.0 + self.1 * other.1
    }

    pub fn cross(self, other: Self) -> Bounded {
        self.0 * other.1 - self.1 * other.0
    }

    pub fn left(self) -> Self {
        Self(-self.1, self.0)
    }

    pub fn by(self, factor: Bounded) -> Self {
        Self(factor * self.0, factor * self.1)
    }

    pub fn over(self, divisor: Bounded) -> Self {
        Self(self.0 / divisor, self.1 / divisor)
    }

    pub fn turned_by(self, turn: Self) -> Self {
        Self(turn.0 * self.0 - turn.1 * self.1, turn.1 * self.0 + turn.0 * self.1)
    }

    pub fn turned_back(self, turn: Self) -> Self {
        Self(turn.0 * self.0 + turn.1 * self.1, turn.0 * self.1 - turn.1 * self.0)
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl Mul<Vector> for f64 {
    type Output = Vector;
    fn mul(self, vector: Vector) -> Vector {
        vector.by(Bounded::exact(self))
    }
}
