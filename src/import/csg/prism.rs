//! Cylinders with few sides: prisms, pyramids and frustums.
//!
//! # Conventions
//! The axis is z before the map. As in OpenSCAD corner i is at the angle 360 i / n from x, on the circle; so the sides
//! are at the angles in between, at distance radius cos(180 / n) from the axis.

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};

use super::map::without_rounding;
use super::text::polyhedron_of;
use crate::scene::HalfSpace;

/// A cylinder of few sides, in units of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prism {
    /// Three at least.
    pub(super) sides: u32,
    /// z of the lower end.
    pub(super) bottom: f64,
    /// Above 0.
    pub(super) height: f64,
    /// Radius of the circle around the corners of the lower end, 0 where it is a point.
    pub(super) r1: f64,
    /// The same of the upper end.
    pub(super) r2: f64,
}

/// The node of a prism under a map.
pub(super) fn prism(prism: &Prism, map: &DAffine3) -> String {
    // Normals go by the inverse transposed, so that planes stay planes under any map.
    let normals = map.matrix3.inverse().transpose();
    let mapped = |(normal, point): (DVec3, DVec3)| {
        let normal = without_rounding((normals * normal).normalize());
        HalfSpace::through(normal, map.transform_point3(point))
    };
    polyhedron_of(&faces(prism).into_iter().map(mapped).collect::<Vec<_>>())
}

/// A normal out of each face and a point of it.
fn faces(prism: &Prism) -> Vec<(DVec3, DVec3)> {
    let Prism { sides, bottom, height, r1, r2 } = *prism;
    let top = bottom + height;
    let half = PI / f64::from(sides);
    // Sides touch the circle of this radius in the wider end: the other one may be a point.
    let (wide, z) = if r1 > r2 { (r1 * half.cos(), bottom) } else { (r2 * half.cos(), top) };
    let slope = half.cos() * (r1 - r2) / height;
    let side = |index: u32| {
        let (sine, cosine) = (f64::from(2 * index + 1) * half).sin_cos();
        (DVec3::new(cosine, sine, slope), DVec3::new(wide * cosine, wide * sine, z))
    };
    // The sides end in a point by themselves.
    let lower = (r1 > 0.0).then_some((DVec3::NEG_Z, DVec3::new(0.0, 0.0, bottom)));
    let upper = (r2 > 0.0).then_some((DVec3::Z, DVec3::new(0.0, 0.0, top)));
    (0..sides).map(side).chain(lower).chain(upper).collect()
}
