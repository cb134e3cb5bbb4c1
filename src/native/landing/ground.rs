//! Heights of eight vehicles above the ground: [`GroundPlane`] in lanes.

use super::body::Bodies;
use crate::scene::GroundPlane;
use crate::wide::{Eight, Wide};

/// As [`GroundPlane::below`].
#[inline(always)]
pub(super) fn below<S: Eight>(plane: GroundPlane, x: Wide<S>) -> Wide<S> {
    plane.slope * x
}

/// Of the centres of gravity \[m\]; as [`GroundPlane::height`].
#[inline(always)]
pub(super) fn heights<S: Eight>(plane: GroundPlane, bodies: &Bodies<S>) -> Wide<S> {
    bodies.position.z - below(plane, bodies.position.x)
}
