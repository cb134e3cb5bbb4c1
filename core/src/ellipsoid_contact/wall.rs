//! Ellipsoids against walls (docs/theory/ellipsoids.md, 8): the limit of a pair in which one grows without bound.

use super::{Body, dot, product, times};
use crate::elementary::Real;

/// Contact of an ellipsoid scaled by some factor with a wall.
#[derive(Clone, Copy, Debug)]
pub struct WallTouch<R> {
    /// The factor; not positive if the centre is in the wall.
    pub mu: R,
    /// The unit normal into the wall.
    pub normal: [R; 3],
    /// The body's point deepest in the wall, from its centre \[m\].
    pub point: [R; 3],
    /// Its distance from the wall, negative inside \[m\].
    pub separation: R,
}

/// Contact of a body with the wall of points x with x.`normal` <= `offset`, relative to the body's centre.
#[inline(always)]
pub fn touch_wall<R: Real>(body: &Body<R>, normal: [R; 3], offset: R) -> WallTouch<R> {
    let inward = offset.like(-1.0) / dot(normal, normal).sqrt();
    let into_wall = times(normal, inward);
    // Along the body's axes, each stretched by its half length: as long as the body is wide.
    let stretched = product(body.along_axes(into_wall), body.semi_axes);
    let width = dot(stretched, stretched).sqrt();
    let height = offset * inward;
    let farthest = product(times(stretched, width.like(1.0) / width), body.semi_axes);
    WallTouch { mu: height / width, normal: into_wall, point: body.in_world(farthest), separation: height - width }
}
