//! What job `ellipsoid` exchanges with a device.
//!
//! # Conventions
//! Lengths in a unit of each item's own, the power of two below its longest semi-axis, so that they narrow like any others.

use bytemuck::{Pod, Zeroable};
use glam::{DQuat, DVec3};

use crate::query::{Ellipsoid, EllipsoidPair, EllipsoidWall};

/// Longest semi-axis of a pair over the shortest, at most: fourth powers of it stay in range.
const LARGEST_ASPECT: f64 = 1e5;
/// Distance of centres over the longest semi-axis, at most.
const LARGEST_DISTANCE: f64 = 1e12;

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

/// A pair.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct PairWire {
    pub orientation_a: [f32; 4],
    pub orientation_b: [f32; 4],
    pub semi_axes_a: [f32; 3],
    pub guess: f32,
    pub semi_axes_b: [f32; 3],
    pub unused0: u32,
    pub between: [f32; 3],
    pub unused1: u32,
}

impl PairWire {
    /// The pair and its unit of length \[m\]; `None` for one that is not valid, or beyond what binary32 holds.
    pub fn new(pair: &EllipsoidPair) -> Option<(Self, f64)> {
        if !pair.is_valid() {
            return None;
        }
        let (a, b) = (&pair.a, &pair.b);
        let unit = unit(a.semi_axes.max(b.semi_axes));
        let between = (b.center - a.center) / unit;
        let most = a.semi_axes.max(b.semi_axes).max_element();
        let least = a.semi_axes.min(b.semi_axes).min_element();
        let fits = most <= LARGEST_ASPECT * least && between.abs().max_element() <= LARGEST_DISTANCE;
        fits.then(|| {
            let wire = Self {
                orientation_a: orientation(a),
                orientation_b: orientation(b),
                semi_axes_a: narrow(a.semi_axes / unit),
                guess: pair.guess.map_or(0.0, |guess| guess as f32),
                semi_axes_b: narrow(b.semi_axes / unit),
                unused0: 0,
                between: narrow(between),
                unused1: 0,
            };
            (wire, unit)
        })
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

/// The answer to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct PairAnswer {
    pub normal: [f32; 3],
    pub mu: f32,
    pub point: [f32; 3],
    pub lambda: f32,
    pub separation: f32,
    pub status: u32,
    pub rounds: u32,
    pub unused: u32,
}

/// An ellipsoid and the direction of its wall.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct WallWire {
    pub orientation: [f32; 4],
    pub semi_axes: [f32; 3],
    pub unused0: u32,
    pub into_wall: [f32; 3],
    pub unused1: u32,
}

impl WallWire {
    /// The ellipsoid and its unit of length \[m\]; `None` for one that is not valid, or beyond what binary32 holds.
    pub fn new(wall: &EllipsoidWall) -> Option<(Self, f64)> {
        let semi_axes = wall.ellipsoid.semi_axes;
        let fits = wall.is_valid() && semi_axes.max_element() <= LARGEST_ASPECT * semi_axes.min_element();
        fits.then(|| {
            let unit = unit(semi_axes);
            let wire = Self {
                orientation: orientation(&wall.ellipsoid),
                semi_axes: narrow(semi_axes / unit),
                unused0: 0,
                into_wall: narrow(-wall.normal.normalize()),
                unused1: 0,
            };
            (wire, unit)
        })
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

/// The answer to an ellipsoid and its wall.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct WallAnswer {
    pub deepest: [f32; 3],
    pub width: f32,
}

/// The power of two below the longest semi-axis: dividing by it is exact.
fn unit(semi_axes: DVec3) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(semi_axes.max_element().to_bits() & EXPONENT)
}

fn orientation(ellipsoid: &Ellipsoid) -> [f32; 4] {
    let DQuat { x, y, z, w } = ellipsoid.rotation.normalize();
    [x, y, z, w].map(|number| number as f32)
}

fn narrow(vector: DVec3) -> [f32; 3] {
    vector.as_vec3().to_array()
}
