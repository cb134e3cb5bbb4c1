//! Shapes of bodies.

use glam::DVec3;

/// What a body is, about its centre of mass and its principal axes.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyShape {
    /// A ball.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
}

impl BodyShape {
    /// Volume \[m^3\].
    #[must_use]
    pub fn volume(&self) -> f64 {
        match self {
            Self::Sphere { radius } => 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
        }
    }

    /// Principal moments of inertia of a homogeneous body over its mass \[m^2\].
    #[must_use]
    pub fn gyration(&self) -> DVec3 {
        match self {
            Self::Sphere { radius } => DVec3::splat(0.4 * radius * radius),
        }
    }

    /// Radius of the ball about the centre that holds it \[m\].
    #[must_use]
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
        }
    }
}
