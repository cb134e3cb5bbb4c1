//! Shapes of bodies.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::polyhedron::Surface;

/// Shape of a body, relative to its centre of mass and principal axes.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyShape {
    /// A ball.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// A box.
    Box {
        /// Half edges \[m\].
        half: DVec3,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes \[m\].
        semi_axes: DVec3,
    },
    /// The convex hull of points.
    Hull(Arc<HullBody>),
}

/// A convex hull about its centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct HullBody {
    /// Its corners \[m\].
    pub vertices: Vec<DVec3>,
    /// Its faces and edges.
    pub(super) surface: Surface,
    /// Its volume \[m^3\].
    pub volume: f64,
    /// Its principal moments of inertia over its mass \[m^2\].
    pub gyration: DVec3,
    /// Rotation from its principal axes to those of the points that it is the hull of.
    pub axes: DQuat,
}

impl BodyShape {
    /// Volume \[m^3\].
    #[must_use]
    pub fn volume(&self) -> f64 {
        match self {
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Box { half } => 8.0 * half.element_product(),
            Self::Ellipsoid { semi_axes } => 4.0 / 3.0 * PI * semi_axes.element_product(),
            Self::Hull(hull) => hull.volume,
        }
    }

    /// Principal moments of inertia of a homogeneous body over its mass \[m^2\].
    #[must_use]
    pub fn gyration(&self) -> DVec3 {
        let of_squares = |s: DVec3, factor: f64| factor * DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y);
        match self {
            Self::Sphere { radius } => DVec3::splat(0.4 * radius * radius),
            Self::Box { half } => of_squares(*half * *half, 1.0 / 3.0),
            Self::Ellipsoid { semi_axes } => of_squares(*semi_axes * *semi_axes, 0.2),
            Self::Hull(hull) => hull.gyration,
        }
    }

    /// Rotation from the principal axes to those in which the shape was given: only of a hull may they differ.
    #[must_use]
    pub fn axes(&self) -> DQuat {
        match self {
            Self::Hull(hull) => hull.axes,
            Self::Sphere { .. } | Self::Box { .. } | Self::Ellipsoid { .. } => DQuat::IDENTITY,
        }
    }

    /// Radius of the enclosing ball about the centre \[m\].
    #[must_use]
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Box { half } => half.length(),
            Self::Ellipsoid { semi_axes } => semi_axes.max_element(),
            Self::Hull(hull) => hull.vertices.iter().map(|vertex| vertex.length()).fold(0.0, f64::max),
        }
    }

    /// Support point along a direction, both in body axes \[m\].
    #[must_use]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Self::Sphere { radius } => *radius * direction.try_normalize().unwrap_or(DVec3::Z),
            Self::Box { half } => *half * direction.map(f64::signum),
            Self::Ellipsoid { semi_axes } => {
                let stretched = *semi_axes * direction;
                *semi_axes * stretched.try_normalize().unwrap_or(DVec3::Z)
            }
            Self::Hull(hull) => {
                let farther = |best: DVec3, vertex: &DVec3| {
                    if vertex.dot(direction) > best.dot(direction) { *vertex } else { best }
                };
                hull.vertices.iter().fold(hull.vertices[0], farther)
            }
        }
    }

    /// Semi-axes of what is round \[m\].
    pub(super) fn semi_axes(&self) -> Option<DVec3> {
        match self {
            Self::Sphere { radius } => Some(DVec3::splat(*radius)),
            Self::Ellipsoid { semi_axes } => Some(*semi_axes),
            Self::Box { .. } | Self::Hull(_) => None,
        }
    }

    /// The name of the kind in files and errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Hull(_) => "hull",
        }
    }

    /// Corners in body axes, by index, if the shape has corners.
    pub(super) fn corner(&self, number: usize) -> Option<DVec3> {
        match self {
            Self::Sphere { .. } | Self::Ellipsoid { .. } => None,
            Self::Box { half } => (number < 8).then(|| {
                let sign = |bit: usize| if number >> bit & 1 == 0 { 1.0 } else { -1.0 };
                *half * DVec3::new(sign(0), sign(1), sign(2))
            }),
            Self::Hull(hull) => hull.vertices.get(number).copied(),
        }
    }
}
