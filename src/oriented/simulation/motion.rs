//! Targets whose motion is known.

use glam::DVec2;

use crate::query::{ConvexTarget, TargetError, TargetSurface};

/// Where a target is, and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Of the origin of the target's own axes \[m\].
    pub position: DVec2,
    /// Of its own x axis from that of the plane, counter-clockwise \[rad\].
    pub angle: f64,
    /// The rate of the position \[m/s\].
    pub velocity: DVec2,
    /// The rate of the angle \[rad/s\].
    pub angular_rate: f64,
}

impl Pose {
    fn place(&self, local: DVec2) -> DVec2 {
        self.position + DVec2::from_angle(self.angle).rotate(local)
    }

    /// The velocity of what is fixed to the target \[m/s\].
    #[must_use]
    pub fn velocity_at(&self, place: DVec2) -> DVec2 {
        self.velocity + self.angular_rate * (place - self.position).perp()
    }
}

/// How fast a target may be at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionLimits {
    /// Of the position \[m/s\].
    pub speed: f64,
    /// Of the angle \[rad/s\].
    pub angular_rate: f64,
}

/// A rigid target whose motion is a known function of time.
pub struct MovingTarget<'a> {
    shape: ConvexTarget,
    limits: MotionLimits,
    motion: Box<dyn Fn(f64) -> Pose + Send + Sync + 'a>,
}

impl<'a> MovingTarget<'a> {
    /// A target of this shape in its own axes. Its motion must be smooth, and never be faster than the limits: they tell how
    /// soon it might meet what is some way off.
    pub fn new(shape: ConvexTarget, limits: MotionLimits, motion: impl Fn(f64) -> Pose + Send + Sync + 'a) -> Self {
        Self { shape, limits, motion: Box::new(motion) }
    }

    /// A target that does not move.
    #[must_use]
    pub fn at_rest(shape: ConvexTarget) -> Self {
        Self::new(shape, MotionLimits::default(), |_| Pose::default())
    }

    /// Where it is at a time.
    #[must_use]
    pub fn pose(&self, time: f64) -> Pose {
        (self.motion)(time)
    }

    /// How fast it may be.
    #[must_use]
    pub fn limits(&self) -> MotionLimits {
        self.limits
    }

    /// The target as it is at a time.
    ///
    /// # Errors
    /// When it is beyond the limits of coordinates, or so near to not being convex that rounding has it so.
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
