//! Pose of a body, and its displacement over a step.

use glam::{DMat3, DVec3};

use super::motion::{Motion, turned};
use super::shape::BodyShape;

/// Pose of a body: its centre, and its axes as columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub center: DVec3,
    pub axes: DMat3,
}

impl Pose {
    pub fn of(motion: &Motion) -> Self {
        Self { center: motion.position, axes: DMat3::from_quat(motion.orientation) }
    }

    /// A point of the body, from body axes to world coordinates.
    pub fn point(&self, own: DVec3) -> DVec3 {
        self.center + self.axes * own
    }

    /// The inverse.
    pub fn own(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.center)
    }

    /// Support point of a shape along a direction.
    pub fn support(&self, shape: &BodyShape, direction: DVec3) -> DVec3 {
        self.point(shape.support(self.axes.transpose() * direction))
    }
}

/// Displacement of a body over a step: translation \[m\] and rotation vector \[rad\].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    pub shift: DVec3,
    pub turn: DVec3,
}

impl Way {
    /// The pose after a fraction of the step.
    pub fn after(&self, motion: &Motion, share: f64) -> Pose {
        let position = motion.position + share * self.shift;
        Pose::of(&Motion { position, orientation: turned(motion.orientation, share * self.turn), ..*motion })
    }

    /// Displacement of a point at `arm` from the centre, to first order in the rotation.
    pub fn of_point(&self, arm: DVec3) -> DVec3 {
        self.shift + self.turn.cross(arm)
    }
}
