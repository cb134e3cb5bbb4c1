//! Four wheels with linear tyres that lag, in the plane.
//!
//! A tyre's lateral force follows its slip, the lateral share of the wheel's velocity, with a lag: `T f' + f = -C slip`. For
//! slip angles that are not large this is the linear tyre. Wheels roll freely: nothing drives or brakes.
//!
//! # Conventions
//! As in [`super`], in any units that belong together. Wheels: front left, front right, rear left, rear right.

use super::{Vector, cross, dot};
use crate::elementary::Real;

/// Below this speed \[m/s\] tyres lose their grip on the way: at rest there is no slip.
pub(crate) const CREEP: f64 = 0.5;

/// The wheels of a car.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningGear<R> {
    /// From the centre of mass to the front and to the rear axle.
    pub axles: [R; 2],
    /// From the middle to the wheels of either side.
    pub half_track: R,
    /// Lateral force of a tyre for a slip.
    pub stiffness: R,
    /// The speed below which tyres lose their grip.
    pub creep: R,
    /// The direction of the front wheels, seen from the car.
    pub steering: Vector<R>,
}

impl<R: Real> RunningGear<R> {
    /// From the centre of mass to the wheels, along the car and to the left.
    #[inline(always)]
    fn places(&self) -> [Vector<R>; 4] {
        let ([front, rear], side) = (self.axles, self.half_track);
        [[front, side], [front, -side], [-rear, side], [-rear, -side]]
    }

    /// The directions of a front and of a rear wheel.
    #[inline(always)]
    fn directions(&self, heading: Vector<R>) -> [Vector<R>; 2] {
        [rotated(self.steering, heading), heading]
    }

    /// What a tyre's force goes to for the velocity of its wheel, where the wheel has this direction.
    #[inline(always)]
    pub fn steady(&self, direction: Vector<R>, velocity: Vector<R>) -> R {
        let (along, across) = (dot(velocity, direction), cross(direction, velocity));
        let slip = across / (along * along + across * across + self.creep * self.creep).sqrt();
        -self.stiffness * slip
    }

    /// What the forces of all tyres go to.
    #[inline(always)]
    pub fn all_steady(&self, heading: Vector<R>, velocity: Vector<R>, yaw_rate: R) -> [R; 4] {
        let (places, directions) = (self.places(), self.directions(heading));
        let mut forces = [yaw_rate; 4];
        // No closure: what is compiled for a wider instruction set must be inlined.
        for (wheel, force) in forces.iter_mut().enumerate() {
            let arm = rotated(heading, places[wheel]);
            let of_wheel = [velocity[0] + yaw_rate * -arm[1], velocity[1] + yaw_rate * arm[0]];
            *force = self.steady(directions[wheel / 2], of_wheel);
        }
        forces
    }

    /// The force of all tyres, and its torque.
    #[inline(always)]
    pub fn resultant(&self, heading: Vector<R>, tyres: &[R; 4]) -> (Vector<R>, R) {
        let zero = self.half_track.like(0.0);
        let (places, directions) = (self.places(), self.directions(heading));
        let (mut force, mut torque) = ([zero; 2], zero);
        for (wheel, &lateral) in tyres.iter().enumerate() {
            let [cos, sin] = directions[wheel / 2];
            let left = [-sin, cos];
            force = [force[0] + lateral * left[0], force[1] + lateral * left[1]];
            torque = torque + lateral * cross(rotated(heading, places[wheel]), left);
        }
        (force, torque)
    }
}

/// A vector turned as a unit vector is turned from the x axis.
#[inline(always)]
pub(crate) fn rotated<R: Real>(turn: Vector<R>, [x, y]: Vector<R>) -> Vector<R> {
    [turn[0] * x - turn[1] * y, turn[1] * x + turn[0] * y]
}
