//! Heights of eight vehicles above the ground: [`GroundPlane`] in lanes.

use super::body::Bodies;
use crate::scene::GroundPlane;
use crate::simd::{F64x8, Simd};

/// As [`GroundPlane::below`].
#[inline(always)]
pub(super) fn below<S: Simd>(plane: GroundPlane, x: F64x8<S>) -> F64x8<S> {
    plane.slope * x
}

/// Of the centres of gravity \[m\]; as [`GroundPlane::height`].
#[inline(always)]
pub(super) fn heights<S: Simd>(plane: GroundPlane, bodies: &Bodies<S>) -> F64x8<S> {
    bodies.position.z - below(plane, bodies.position.x)
}
