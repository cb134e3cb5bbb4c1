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
    let inverse_inertia = if is_round(moments) {
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

/// A free rotation over a step, in world coordinates \[rad/s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FreeRotation {
    /// The angular velocity that turns the body, as [`turned`] does over the step.
    pub way: DVec3,
    /// The one after it, about the axes that the body had before: it turns with them. The energy about them is that before the step.
    pub last: DVec3,
}

/// Angle \[rad\] up to which a rotation is solved for at once, the most parts that a step is divided into, and the most improvements
/// of each.
const ANGLE: f64 = 0.5;
const MAX_PARTS: f64 = 64.0;
const ROUNDS: usize = 12;
/// Part of the angular momentum that is rounding.
const ROUNDING: f64 = 1e-15;

/// Whether all axes through the centre are alike.
pub(super) fn is_round(moments: DVec3) -> bool {
    moments.x == moments.y && moments.y == moments.z
}

/// The rotation of a body that nothing hinders: the implicit midpoint rule for the angular momentum in the body's axes, `m' = m x J^-1 m`.
/// It keeps energy and angular momentum, and with them the angular momentum in the world, for the Cayley map of [`turned`] turns the
/// one into the other.
pub(super) fn free_rotation(orientation: DQuat, moments: DVec3, spin: DVec3, step: f64) -> FreeRotation {
    if is_round(moments) || spin == DVec3::ZERO {
        return FreeRotation { way: spin, last: spin };
    }
    let start = orientation.inverse() * spin;
    let mut momentum = moments * start;
    let fastest = momentum.length() / moments.min_element();
    let parts = (step * fastest / ANGLE).ceil().clamp(1.0, MAX_PARTS);
    let part = step / parts;
    let mut rotation = DQuat::IDENTITY;
    for _ in 0..parts as u32 {
        let middle = middle_momentum(momentum, moments, part);
        rotation *= turned(DQuat::IDENTITY, part * (middle / moments));
        momentum = 2.0 * middle - momentum;
    }
    let last = momentum / moments;
    let way = if parts == 1.0 {
        0.5 * (start + last)
    } else {
        // The rotation vector of the map for all parts together; that for half a turn is endless.
        let turn = if rotation.w < 0.0 { -rotation } else { rotation };
        2.0 * turn.xyz() / (step * turn.w.max(f64::EPSILON))
    };
    FreeRotation { way: orientation * way, last: orientation * last }
}

/// The spin that a body has some time later when nothing hinders it, both in its own axes \[rad/s\].
pub(super) fn spin_after(moments: DVec3, spin: DVec3, time: f64) -> DVec3 {
    free_rotation(DQuat::IDENTITY, moments, spin, time).last
}

/// Solves `m = m0 + h / 2 m x J^-1 m` for the angular momentum in the middle of a step h, by Newton's method.
fn middle_momentum(start: DVec3, moments: DVec3, step: f64) -> DVec3 {
    let mut middle = start;
    for _ in 0..ROUNDS {
        let spin = middle / moments;
        let off = middle - start - 0.5 * step * middle.cross(spin);
        if off.length_squared() <= (ROUNDING * ROUNDING) * start.length_squared() {
            break;
        }
        let column = |axis: DVec3| axis + 0.5 * step * (spin.cross(axis) - middle.cross(axis / moments));
        let slope = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        middle -= slope.inverse() * off;
    }
    middle
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Energy, and angular momentum in the world.
    fn kept(orientation: DQuat, moments: DVec3, spin: DVec3) -> (f64, DVec3) {
        let own = orientation.inverse() * spin;
        (0.5 * own.dot(moments * own), orientation * (moments * own))
    }

    proptest! {
        #[test]
        fn a_free_body_keeps_its_energy_and_its_angular_momentum_however_fast_it_spins(
            moments in prop::array::uniform3(0.01..1.0_f64),
            spin in prop::array::uniform3(-1.0..1.0_f64),
            speed in prop_oneof![0.0..1.0, 1.0..100.0, 100.0..2000.0],
        ) {
            let (moments, mut spin) = (DVec3::from(moments), speed * DVec3::from(spin));
            let mut orientation = DQuat::from_rotation_x(0.3) * DQuat::from_rotation_z(1.1);
            let (energy, momentum) = kept(orientation, moments, spin);
            for _ in 0..200 {
                let free = free_rotation(orientation, moments, spin, 0.01);
                let after = turned(orientation, 0.01 * free.way);
                spin = after * (orientation.inverse() * free.last);
                orientation = after;
            }
            let (energy_after, momentum_after) = kept(orientation, moments, spin);
            prop_assert!((energy_after - energy).abs() <= 1e-11 * energy, "{energy_after} J instead of {energy}");
            // Half a turn in a step has no rotation vector to hold it.
            if speed < 100.0 {
                let off = (momentum_after - momentum).length();
                prop_assert!(off <= 1e-11 * momentum.length(), "{momentum_after} instead of {momentum}");
            }
        }
    }

    /// A body with a large moment, the middle one and a small one is unstable about the middle one only.
    #[test]
    fn spins_about_the_outer_axes_stay_and_about_the_middle_one_turn_over() {
        let moments = DVec3::new(0.1, 0.5, 1.0);
        for (axis, stays) in [(DVec3::X, true), (DVec3::Y, false), (DVec3::Z, true)] {
            let (mut orientation, mut spin) = (DQuat::IDENTITY, 15.0 * axis + DVec3::splat(0.01));
            let mut least = 1.0_f64;
            for _ in 0..1000 {
                let free = free_rotation(orientation, moments, spin, 0.01);
                let after = turned(orientation, 0.01 * free.way);
                spin = after * (orientation.inverse() * free.last);
                orientation = after;
                least = least.min((orientation.inverse() * spin).normalize().dot(axis));
            }
            assert_eq!(least > 0.99, stays, "{axis}: {least}");
            assert!(stays || least < -0.9);
        }
    }
}
