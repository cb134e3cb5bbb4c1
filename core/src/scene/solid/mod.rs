//! The convex leaves of a scene, and where a line runs inside them.
//!
//! # Conventions
//! World coordinates in metres, z up. A half space (n, d) is inside where x.n - d <= 0; n need not be a unit
//! vector. Stored normals point out of the solid: a half space's own n as it was given, unit vectors for the
//! curved solids. Lambda runs along x1 + lambda (x2 - x1); it has no unit.

mod ball;
mod capsule;
mod cone;
mod cylinder;
mod half_space;
mod interval;
mod stretched;

use std::sync::Arc;

use glam::DVec3;

use super::affine::{Affine, Linear};

pub use ball::Sphere;
pub use capsule::Capsule;
pub use cone::Cone;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use interval::Interval;
pub use stretched::Stretched;

/// Any convex leaf.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// A half space.
    HalfSpace(HalfSpace),
    /// A ball.
    Sphere(Sphere),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A cone or a frustum.
    Cone(Cone),
    /// A capsule.
    Capsule(Capsule),
    /// A curved solid in stretched coordinates. Behind a pointer: the others should not be as large.
    Stretched(Arc<Stretched>),
}

impl Solid {
    /// The part of the line through `x1` (lambda 0) and `x2` (lambda 1) that is inside. (By reference: what is curved is
    /// called, and would wait for a copy of the points as long as it computes.)
    #[must_use]
    #[inline(always)] // The innermost step of every ray: a call costs as much as the half space.
    pub fn interval(&self, x1: &DVec3, x2: &DVec3) -> Interval {
        match self {
            Self::HalfSpace(half_space) => half_space.interval(*x1, *x2),
            curved => curved.interval_in_a_call(x1, x2),
        }
    }

    #[inline(never)]
    fn interval_in_a_call(&self, x1: &DVec3, x2: &DVec3) -> Interval {
        self.interval_on_the_spot(*x1, *x2)
    }

    #[inline(always)]
    fn interval_on_the_spot(&self, x1: DVec3, x2: DVec3) -> Interval {
        match self {
            Self::HalfSpace(half_space) => half_space.interval(x1, x2),
            Self::Sphere(ball) => ball.interval(x1, x2),
            Self::Cylinder(cylinder) => cylinder.interval(x1, x2),
            Self::Cone(cone) => cone.interval(x1, x2),
            Self::Capsule(capsule) => capsule.interval(x1, x2),
            Self::Stretched(stretched) => stretched.interval(x1, x2),
        }
    }

    /// True inside or on the border.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        self.distance(point) <= 0.0
    }

    /// A signed distance \[m\]: zero on the border, negative inside, never more than the true distance outside.
    ///
    /// Half spaces with a normal that is not a unit vector give a multiple of it.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> f64 {
        match self {
            Self::HalfSpace(half_space) => half_space.distance(point),
            Self::Sphere(ball) => (point - ball.center).length() - ball.radius,
            Self::Cylinder(cylinder) => cylinder.distance(point),
            Self::Cone(cone) => cone.distance(point),
            Self::Capsule(capsule) => capsule.distance(point),
            Self::Stretched(stretched) => stretched.distance(point),
        }
    }

    /// The outward normal at a point of the border: as stored for a half space, a unit vector otherwise.
    #[must_use]
    pub fn normal(&self, point: DVec3) -> DVec3 {
        match self {
            Self::HalfSpace(half_space) => half_space.normal,
            // At the centre of a ball of radius 0 every direction is as good as another.
            Self::Sphere(ball) => (point - ball.center).try_normalize().unwrap_or(DVec3::Z),
            Self::Cylinder(cylinder) => cylinder.normal(point),
            Self::Cone(cone) => cone.normal(point),
            Self::Capsule(capsule) => capsule.normal(point),
            Self::Stretched(stretched) => stretched.normal(point),
        }
    }

    /// The greatest x.direction over the solid: with a unit vector how far it reaches that way \[m\]. Infinite where it has
    /// no end.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> f64 {
        match self {
            Self::HalfSpace(half_space) => half_space.support(direction),
            Self::Sphere(ball) => ball.center.dot(direction) + ball.radius * direction.length(),
            Self::Cylinder(cylinder) => cylinder.support(direction),
            Self::Cone(cone) => cone.support(direction),
            Self::Capsule(capsule) => capsule.support(direction),
            Self::Stretched(stretched) => stretched.support(direction),
        }
    }

    /// The point that the solid's numbers are relative to: its centre, base or first end; the origin for a half space \[m\].
    #[must_use]
    pub fn reference_point(&self) -> DVec3 {
        match self {
            Self::HalfSpace(_) => DVec3::ZERO,
            Self::Sphere(ball) => ball.center,
            Self::Cylinder(cylinder) => cylinder.center,
            Self::Cone(cone) => cone.base,
            Self::Capsule(capsule) => capsule.from,
            Self::Stretched(stretched) => stretched.center,
        }
    }

    /// The image of the solid under a map that can be undone. Curved solids keep their kind under rotations, translations,
    /// reflections and uniform scales.
    #[must_use]
    pub fn transformed(&self, map: &Affine) -> Self {
        let length = match map.linear {
            Linear::Rotation(_) => 1.0,
            Linear::Similarity { factor, .. } => factor.abs(),
            Linear::General(_) => return self.distorted(map),
        };
        match self {
            Self::HalfSpace(half_space) => Self::HalfSpace(half_space.transformed(map)),
            Self::Sphere(ball) => Self::Sphere(Sphere { center: map.point(ball.center), radius: length * ball.radius }),
            Self::Cylinder(cylinder) => Self::Cylinder(Cylinder {
                center: map.point(cylinder.center),
                axis: map.linear.direction(cylinder.axis),
                radius: length * cylinder.radius,
                half_height: cylinder.half_height.map(|half| length * half),
            }),
            Self::Cone(cone) => Self::Cone(Cone {
                base: map.point(cone.base),
                axis: map.linear.direction(cone.axis),
                radius: length * cone.radius,
                slope: cone.slope,
                height: cone.height.map(|height| length * height),
            }),
            Self::Capsule(capsule) => Self::Capsule(Capsule {
                from: map.point(capsule.from),
                to: map.point(capsule.to),
                radius: length * capsule.radius,
            }),
            Self::Stretched(stretched) => Self::Stretched(Arc::new(stretched.transformed(map))),
        }
    }

    /// Under a map that keeps no circles.
    fn distorted(&self, map: &Affine) -> Self {
        match self {
            Self::HalfSpace(half_space) => Self::HalfSpace(half_space.transformed(map)),
            Self::Stretched(stretched) => Self::Stretched(Arc::new(stretched.transformed(map))),
            curved => Self::Stretched(Arc::new(Stretched::of(curved, map))),
        }
    }
}
