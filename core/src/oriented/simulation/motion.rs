//! Targets with prescribed motion.

use glam::DVec2;

use crate::elementary::direction;
use crate::query::{ConvexTarget, TargetError, TargetSurface};

/// Position and motion of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position of the origin of the target's axes \[m\].
    pub position: DVec2,
    /// Angle of its x axis, counter-clockwise \[rad\].
    pub angle: f64,
    /// The rate of the position \[m/s\].
    pub velocity: DVec2,
    /// The rate of the angle \[rad/s\].
    pub angular_rate: f64,
}

impl Pose {
    fn place(&self, local: DVec2) -> DVec2 {
        self.position + direction(self.angle).rotate(local)
    }

    /// Velocity of the target's material point at a place \[m/s\].
    #[must_use]
    pub fn velocity_at(&self, place: DVec2) -> DVec2 {
        self.velocity + self.angular_rate * (place - self.position).perp()
    }
}

/// Bounds on a target's motion at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionLimits {
    /// Speed of the origin \[m/s\].
    pub speed: f64,
    /// Magnitude of the angular rate \[rad/s\].
    pub angular_rate: f64,
}

/// A rigid target whose motion is a known function of time.
pub struct MovingTarget<'a> {
    shape: ConvexTarget,
    limits: MotionLimits,
    motion: Box<dyn Fn(f64) -> Pose + Send + Sync + 'a>,
}

impl<'a> MovingTarget<'a> {
    /// A target with this shape in its own axes. Its motion must be smooth and within the limits, from which the
    /// earliest possible contact is estimated.
    pub fn new(shape: ConvexTarget, limits: MotionLimits, motion: impl Fn(f64) -> Pose + Send + Sync + 'a) -> Self {
        Self { shape, limits, motion: Box::new(motion) }
    }

    /// A target that does not move.
    #[must_use]
    pub fn at_rest(shape: ConvexTarget) -> Self {
        Self::new(shape, MotionLimits::default(), |_| Pose::default())
    }

    /// Its pose at a time.
    #[must_use]
    pub fn pose(&self, time: f64) -> Pose {
        (self.motion)(time)
    }

    /// Its motion limits.
    #[must_use]
    pub fn limits(&self) -> MotionLimits {
        self.limits
    }

    /// The target at a time.
    ///
    /// # Errors
    /// If it is beyond the limits of coordinates, or rounding makes it non-convex.
    pub fn at(&self, time: f64) -> Result<ConvexTarget, TargetError> {
        let pose = self.pose(time);
        ConvexTarget::new(self.shape.vertices().iter().map(|&vertex| pose.place(vertex)).collect())
    }

    /// One of its surfaces, as [`at`](Self::at) has them.
    pub(super) fn surface(&self, pose: &Pose, number: usize) -> TargetSurface {
        let vertices = self.shape.vertices();
        TargetSurface::new(pose.place(vertices[number]), pose.place(vertices[(number + 1) % vertices.len()]))
    }

    pub(super) fn surfaces(&self) -> usize {
        self.shape.vertices().len()
    }
}
