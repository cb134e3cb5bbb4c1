//! Pose and motion of a body, and their integration.

use glam::{DMat3, DQuat, DVec3};

use crate::friction::BodyMass;

/// Pose and motion of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Its centre of mass \[m\].
    pub position: DVec3,
    /// Rotation from the body's principal axes to world axes; of length 1.
    pub orientation: DQuat,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: DVec3,
    /// Angular velocity in world coordinates \[rad/s\].
    pub spin: DVec3,
}

impl Motion {
    /// At rest at this position.
    #[must_use]
    pub fn at(position: DVec3) -> Self {
        Self { position, orientation: DQuat::IDENTITY, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }
}

/// Inverse mass properties of a body with these principal moments \[kg m^2\], in this orientation.
pub(super) fn body_mass(mass: f64, moments: DVec3, orientation: DQuat) -> BodyMass {
    let inverse_inertia = if moments.x == moments.y && moments.y == moments.z {
        DMat3::from_diagonal(moments.recip())
    } else {
        let axes = DMat3::from_quat(orientation);
        axes * DMat3::from_diagonal(moments.recip()) * axes.transpose()
    };
    BodyMass { inverse_mass: mass.recip(), inverse_inertia }
}

/// An orientation after a rotation vector \[rad\]: the Cayley map, an exact rotation without a sine, about the exact
/// axis and short by the third power of the angle over 12.
pub(super) fn turned(orientation: DQuat, by: DVec3) -> DQuat {
    if by == DVec3::ZERO {
        return orientation;
    }
    let half = 0.5 * by;
    (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * orientation).normalize()
}

/// The angular velocity of a body at constant angular momentum during a rotation: the explicit midpoint rule, second
/// order. Returns the one for the rotation over the step, and the one after it.
pub(super) fn free_spin(orientation: DQuat, moments: DVec3, spin: DVec3, step: f64) -> (DVec3, DVec3) {
    if moments.x == moments.y && moments.y == moments.z {
        return (spin, spin);
    }
    let in_body = |orientation: DQuat, vector: DVec3| orientation.inverse() * vector;
    let momentum = orientation * (moments * in_body(orientation, spin));
    let spin_at = |orientation: DQuat| orientation * (in_body(orientation, momentum) / moments);
    let middle = spin_at(turned(orientation, 0.5 * step * spin));
    (middle, spin_at(turned(orientation, step * middle)))
}
