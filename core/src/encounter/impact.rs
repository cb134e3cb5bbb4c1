//! The impulse between two rigid bodies that meet at a point, with restitution and friction.
//!
//! Routh's construction: as the normal impulse p grows, the friction impulse q has the magnitude mu p against the slip until
//! that has stopped; then the contact sticks, where friction suffices for it, or slips back. Compression ends where the
//! normal velocity is 0, and restitution adds e times the impulse until there (Poisson's hypothesis). Without friction, and
//! wherever the slip keeps its direction, that is Newton's law, v' = -e v. Energy never grows, with friction neither
//! (Wang and Mason, "Two-dimensional rigid-body collisions with friction", J. Appl. Mech. 59, 1992).
//!
//! # Conventions
//! As in [`super`], in any units that belong together. The tangent is the normal turned by a quarter turn to
//! the left.

use super::{Both, Vector, cross, dot};
use crate::elementary::{Real, greater, lesser};

/// Stands for an impulse that is never reached.
pub const FAR: f64 = 1e12;

/// The impulse on B.
#[derive(Clone, Copy, Debug)]
pub struct Impulse<R> {
    /// Along the normal; not negative, and 0 where the bodies part.
    pub normal: R,
    /// Along the tangent.
    pub tangential: R,
}

/// Two bodies and their law of contact.
#[derive(Clone, Copy, Debug)]
pub struct Impact<R> {
    /// One over the mass of each.
    pub mobilities: Both<R>,
    /// One over the yaw inertia of each.
    pub yaw_mobilities: Both<R>,
    /// Of the normal impulse, by Poisson's hypothesis.
    pub restitution: R,
    /// Coulomb's coefficient.
    pub friction: R,
}

impl<R: Real> Impact<R> {
    /// Of two bodies alike, whose mass is the unit.
    #[inline(always)]
    pub(super) fn of_twins(yaw_mobility: R, restitution: R, friction: R) -> Self {
        Self { mobilities: [friction.like(1.0); 2], yaw_mobilities: [yaw_mobility; 2], restitution, friction }
    }

    /// What an impulse by some levers does to the velocity at others, by turning both bodies.
    #[inline(always)]
    fn turning(&self, levers: Both<R>, others: Both<R>) -> R {
        let [turn_a, turn_b] = self.yaw_mobilities;
        turn_a * (levers[0] * others[0]) + turn_b * (levers[1] * others[1])
    }

    /// The impulse on B where both have these arms to the contact point, and B's moves there so relative to A's.
    #[inline(always)]
    pub fn impulse(&self, arms: Both<Vector<R>>, normal: Vector<R>, relative: Vector<R>) -> Impulse<R> {
        let (zero, one) = (normal[0].like(0.0), normal[0].like(1.0));
        let tangent = [-normal[1], normal[0]];
        // No closures: what is compiled for a wider instruction set must be inlined.
        let on_normal = [cross(arms[0], normal), cross(arms[1], normal)];
        let on_tangent = [cross(arms[0], tangent), cross(arms[1], tangent)];
        let push = self.mobilities[0] + self.mobilities[1];
        // What an impulse does to the relative velocity.
        let along = push + self.turning(on_normal, on_normal);
        let coupled = self.turning(on_normal, on_tangent);
        let across = push + self.turning(on_tangent, on_tangent);
        let approach = greater(-dot(relative, normal), zero);
        let slip = dot(relative, tangent);

        let friction = self.friction;
        // In the direction of the slip.
        let direction = one.copysign(slip);
        let in_direction = coupled * direction;
        let slowing = friction * across - in_direction;
        let stops = slowing.gt(zero);
        let stop = R::select(stops, slip.abs() / R::select(stops, slowing, one), one.like(FAR));
        let stop = lesser(stop, one.like(FAR));
        // How fast the approach ends while the bodies slip, and after.
        let slipping = along - friction * in_direction;
        let sticks = !coupled.abs().gt(friction * across);
        let back = -(friction.copysign(coupled));
        let drift = R::select(sticks, -coupled / across, back);
        let after = along + drift * coupled;
        let ends_slipping = !approach.gt(slipping * stop);
        let divisor = R::select(ends_slipping, slipping, after);
        let done = R::select(ends_slipping, zero, stop);
        let left = approach - slipping * done;
        let compression = done + left / divisor;
        let whole = compression * (one + self.restitution);
        let tangential = drift * greater(whole - stop, zero) - direction * friction * lesser(whole, stop);
        let is_hit = approach.gt(zero);
        Impulse { normal: R::select(is_hit, whole, zero), tangential: R::select(is_hit, tangential, zero) }
    }
}
