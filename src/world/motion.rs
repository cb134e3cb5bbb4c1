//! Where a body is and how it moves, and how that goes on.

use glam::{DMat3, DQuat, DVec3};

use crate::friction::BodyMass;

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Its centre of mass \[m\].
    pub position: DVec3,
    /// Turns the body's principal axes into world coordinates; of length 1.
    pub orientation: DQuat,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: DVec3,
    /// Angular velocity in world coordinates \[rad/s\].
    pub spin: DVec3,
}

impl Motion {
    /// Where it is, and nothing else.
    #[must_use]
    pub fn at(position: DVec3) -> Self {
        Self { position, orientation: DQuat::IDENTITY, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }
}

/// What the mass of a body opposes to impulses, with these principal moments \[kg m^2\], as it is turned.
pub(super) fn body_mass(mass: f64, moments: DVec3, orientation: DQuat) -> BodyMass {
    let inverse_inertia = if moments.x == moments.y && moments.y == moments.z {
        DMat3::from_diagonal(moments.recip())
    } else {
        let axes = DMat3::from_quat(orientation);
        axes * DMat3::from_diagonal(moments.recip()) * axes.transpose()
    };
    BodyMass { inverse_mass: mass.recip(), inverse_inertia }
}

/// An orientation after a rotation vector \[rad\]: the Cayley map, which is a rotation of exactly length 1 without a sine,
/// about the right axis and short by the third power of the angle over 12.
pub(super) fn turned(orientation: DQuat, by: DVec3) -> DQuat {
    if by == DVec3::ZERO {
        return orientation;
    }
    let half = 0.5 * by;
    (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * orientation).normalize()
}

/// The spin of a body that keeps its angular momentum while it is turned: the explicit midpoint rule, second order.
/// Gives the spin to turn with over the step, and the one after it.
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
