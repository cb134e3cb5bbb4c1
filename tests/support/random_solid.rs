//! Random curved solids of every kind, lines about them, and how far rounding may displace their borders.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::Arc;

use glam::{DMat3, DVec3};
use touchdown::query::Ray;
use touchdown::scene::{Affine, Capsule, Cone, Cylinder, Solid, Sphere, Stretched};

use super::random::Random;

pub const SOLIDS: usize = 60_000;

/// Roundings that displace a border, as a share of the lengths that went into it, for any curved leaf.
///
/// Offsets and directions from both ends of the line, the part across an axis and a matrix to local coordinates round
/// some 8 times; pivot, product of roots and sum another 8; what is found is judged by a distance that rounds as often.
/// Half an epsilon each.
pub const ROUNDINGS: f64 = 12.0 * f64::EPSILON;

/// A size from 0.1 to 10 m.
pub fn size(random: &mut Random) -> f64 {
    10f64.powf(random.between(-1.0, 1.0))
}

pub fn stretch(random: &mut Random) -> DMat3 {
    let factors = DVec3::from_array([0; 3].map(|_| 10f64.powf(random.between(-0.7, 0.7))));
    DMat3::from_quat(random.rotation()) * DMat3::from_diagonal(factors) * DMat3::from_quat(random.rotation())
}

/// A curved leaf of kind 0 to 7 about 50 m from the origin.
pub fn random_solid(random: &mut Random, kind: usize) -> Solid {
    let place = random.in_cube(50.0);
    let axis = random.direction();
    match kind {
        0 => Solid::Sphere(Sphere { center: place, radius: size(random) }),
        1 => {
            let half_height = random.chance(0.5).then(|| size(random));
            Solid::Cylinder(Cylinder { center: place, axis, radius: size(random), half_height })
        }
        2 => Solid::Cone(Cone::infinite(place, axis, random.between(0.02, 1.5))),
        3 => Solid::Cone(Cone::frustum(place, axis, size(random), size(random), size(random))),
        4 => Solid::Cone(Cone::frustum(place, axis, size(random), size(random), 0.0)),
        // Nearly a cylinder: its apex is 10^5 to 10^12 m away.
        5 => {
            let (radius, height) = (size(random), size(random));
            let less = 1.0 - 10f64.powf(random.between(-12.0, -5.0));
            Solid::Cone(Cone::frustum(place, axis, height, radius, radius * less))
        }
        6 => Solid::Capsule(Capsule { from: place, to: place + size(random) * axis, radius: size(random) }),
        7 => {
            let axes = DVec3::new(size(random), size(random), size(random));
            Solid::Stretched(Arc::new(Stretched::ellipsoid(place, axes, random.rotation())))
        }
        _ => {
            let inner = 1 + random.index(6);
            random_solid(random, inner).transformed(&Affine::new(stretch(random), random.in_cube(20.0)))
        }
    }
}

pub const KINDS: usize = 9;

/// The greatest length that the leaf's own numbers have, and the greatest factor from world to local lengths.
pub fn scales(solid: &Solid) -> (f64, f64) {
    match solid {
        Solid::HalfSpace(_) => unreachable!("only curved solids are drawn"),
        Solid::Sphere(ball) => (ball.radius, 1.0),
        Solid::Cylinder(cylinder) => (cylinder.radius.max(cylinder.half_height.unwrap_or(0.0)), 1.0),
        Solid::Cone(cone) => (cone.radius.max(cone.height.unwrap_or(0.0)).max(cone.top_radius().unwrap_or(0.0)), 1.0),
        Solid::Capsule(capsule) => (capsule.radius + capsule.from.distance(capsule.to), 1.0),
        Solid::Stretched(stretched) => {
            let squares: f64 = stretched.to_local.to_cols_array().iter().map(|number| number * number).sum();
            let shrink: f64 = stretched.from_local.to_cols_array().iter().map(|number| number * number).sum();
            (scales(&stretched.base).0 * shrink.sqrt(), squares.sqrt())
        }
    }
}

/// A cone's radius grows with its height, and so do errors.
pub fn steepness(solid: &Solid) -> f64 {
    match solid {
        Solid::Cone(cone) => 1.0 + cone.slope.abs(),
        Solid::Stretched(stretched) => steepness(&stretched.base),
        _ => 1.0,
    }
}

pub fn has_caps(solid: &Solid) -> bool {
    match solid {
        Solid::Cylinder(cylinder) => cylinder.half_height.is_some(),
        Solid::Cone(cone) => cone.height.is_some(),
        Solid::Capsule(_) => true,
        _ => false,
    }
}

/// How far an end of an interval may be from the border, in the measure of `leaf_distance`. All lengths round: those
/// from the leaf to both ends of the line and to the point, and its own coordinates.
pub fn allowed(solid: &Solid, ray: &Ray, lambda: f64) -> f64 {
    let (own, factor) = scales(solid);
    let place = solid.reference_point();
    // Caps are half spaces of the world, where coordinates are as long as they are.
    let ends = if has_caps(solid) { ray.x1.length() + ray.x2.length() } else { 0.0 };
    let ends = ends + ray.x1.distance(place) + ray.x2.distance(place);
    let lengths = (1.0 + lambda.abs()) * ends + place.length() + own;
    ROUNDINGS * lengths * factor * steepness(solid)
}

/// A line about a solid: anywhere, grazing, from its border, along it, long, short or of no length.
pub fn random_line(random: &mut Random, solid: &Solid) -> Ray {
    let place = solid.reference_point();
    let inner = place + 0.01 * random.direction();
    let outward = random.direction();
    let exit = solid.interval(&inner, &(inner + outward)).exit;
    let border = inner + outward * if exit.is_finite() { exit } else { 1.0 };
    let normal = solid.normal(border);
    let along = random.direction().cross(normal).normalize();
    let height = random.between(-1.0, 1.0) * 10f64.powf(random.between(-15.0, 1.0));
    let through = border + height * normal;
    let direction = match random.index(3) {
        0 => random.direction(),
        1 => along,
        _ => (along + random.between(-1.0, 1.0) * 10f64.powf(random.between(-12.0, 0.0)) * normal).normalize(),
    };
    let reach = match random.index(4) {
        0 => 1e4,
        1 => 1e-6,
        2 => 0.0,
        _ => 10f64.powf(random.between(-2.0, 4.0)),
    };
    let back = if random.chance(0.3) { 0.0 } else { random.between(-0.5, 1.5) * reach };
    let x1 = if random.chance(0.05) { border } else { through - back * direction };
    Ray::segment(x1, x1 + reach * direction)
}
