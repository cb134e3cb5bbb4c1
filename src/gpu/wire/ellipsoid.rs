//! Wire formats of job `ellipsoid`.
//!
//! # Conventions
//! Lengths are scaled for each item by the power of two below its longest semi-axis, so that the conversion to f32 is
//! uniform.

use glam::{DQuat, DVec3};

use super::{on_device, power_of_two_below};
use crate::query::{Ellipsoid, EllipsoidPair, EllipsoidWall};

/// Longest semi-axis of a pair over the shortest, at most: fourth powers of it stay in range.
const MAX_ASPECT: f64 = 1e5;
/// Distance of centres over the longest semi-axis, at most.
const MAX_DISTANCE: f64 = 1e12;

/// How the search for a contact ended. Zero is no answer: buffers are cleared before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(in crate::gpu) enum ContactWord {
    Found = 1,
    Concentric = 2,
    NotConverged = 3,
}

impl ContactWord {
    pub const ALL: [Self; 3] = [Self::Found, Self::Concentric, Self::NotConverged];
}

/// What is sent is measured in, and how different its lengths are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::gpu) struct Scale {
    /// The unit of length \[m\].
    pub unit: f64,
    /// The longest semi-axis over the shortest.
    pub aspect: f64,
}

impl Scale {
    /// Of a pair; `None` for one that is not valid, or beyond what f32 holds.
    pub fn of_pair(pair: &EllipsoidPair) -> Option<Self> {
        let (a, b) = (&pair.a, &pair.b);
        let scale = Self::new(a.semi_axes.max(b.semi_axes), a.semi_axes.min(b.semi_axes));
        let is_near = |scale: &Self| (b.center - a.center).abs().max_element() <= MAX_DISTANCE * scale.unit;
        Some(scale).filter(|scale| pair.is_valid() && scale.aspect <= MAX_ASPECT && is_near(scale))
    }

    /// Of an ellipsoid with its wall, likewise.
    pub fn of_wall(wall: &EllipsoidWall) -> Option<Self> {
        let scale = Self::new(wall.ellipsoid.semi_axes, wall.ellipsoid.semi_axes);
        Some(scale).filter(|scale| wall.is_valid() && scale.aspect <= MAX_ASPECT)
    }

    fn new(longest: DVec3, shortest: DVec3) -> Self {
        Self { unit: power_of_two_below(longest), aspect: longest.max_element() / shortest.min_element() }
    }
}

on_device! {
    /// A pair.
    PairWire {
        orientation_a: [f32; 4],
        orientation_b: [f32; 4],
        semi_axes_a: [f32; 3],
        /// Lambda to start at; where it is not positive, where it is likely.
        guess: f32,
        semi_axes_b: [f32; 3],
        unused0: u32,
        /// From the centre of A to that of B.
        between: [f32; 3],
        unused1: u32,
    }
}

impl PairWire {
    /// A pair in this unit of length.
    pub fn new(pair: &EllipsoidPair, unit: f64) -> Self {
        let (a, b) = (&pair.a, &pair.b);
        Self {
            orientation_a: orientation(a),
            orientation_b: orientation(b),
            semi_axes_a: narrow(a.semi_axes / unit),
            guess: pair.guess.map_or(0.0, |guess| guess as f32),
            semi_axes_b: narrow(b.semi_axes / unit),
            unused0: 0,
            between: narrow((b.center - a.center) / unit),
            unused1: 0,
        }
    }

    /// Two balls, in the place of a pair that is not sent.
    pub const NONE: Self = Self {
        orientation_a: [0.0, 0.0, 0.0, 1.0],
        orientation_b: [0.0, 0.0, 0.0, 1.0],
        semi_axes_a: [1.0; 3],
        guess: 0.0,
        semi_axes_b: [1.0; 3],
        unused0: 0,
        between: [3.0, 0.0, 0.0],
        unused1: 0,
    };
}

on_device! {
    /// The answer to a pair.
    PairAnswer {
        normal: [f32; 3],
        mu: f32,
        /// From the centre of A.
        point: [f32; 3],
        lambda: f32,
        separation: f32,
        status: u32,
        rounds: u32,
        unused: u32,
    }
}

on_device! {
    /// An ellipsoid and the direction of its wall.
    WallWire {
        orientation: [f32; 4],
        semi_axes: [f32; 3],
        unused0: u32,
        /// Unit normal into the wall.
        into_wall: [f32; 3],
        unused1: u32,
    }
}

impl WallWire {
    /// An ellipsoid in this unit of length.
    pub fn new(wall: &EllipsoidWall, unit: f64) -> Self {
        Self {
            orientation: orientation(&wall.ellipsoid),
            semi_axes: narrow(wall.ellipsoid.semi_axes / unit),
            unused0: 0,
            into_wall: narrow(-wall.normal.normalize()),
            unused1: 0,
        }
    }

    /// A ball, in the place of what is not sent.
    pub const NONE: Self = Self {
        orientation: [0.0, 0.0, 0.0, 1.0],
        semi_axes: [1.0; 3],
        unused0: 0,
        into_wall: [0.0, 0.0, 1.0],
        unused1: 0,
    };
}

on_device! {
    /// The answer to an ellipsoid and its wall.
    WallAnswer {
        /// From the body's centre.
        deepest: [f32; 3],
        /// Zero is no answer.
        width: f32,
    }
}

fn orientation(ellipsoid: &Ellipsoid) -> [f32; 4] {
    let DQuat { x, y, z, w } = ellipsoid.rotation.normalize();
    [x, y, z, w].map(|number| number as f32)
}

fn narrow(vector: DVec3) -> [f32; 3] {
    vector.as_vec3().to_array()
}
