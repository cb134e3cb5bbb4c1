//! How a car moves on its tyres, without contact.
//!
//! ```text
//! tyres:   f_n+1 = F + (f_n - F) / (1 + z + z^2/2)      z = h / T, F: steady, of the slip in the middle of the step
//! mean:    f     = F + (f_n - F) (1 + z/2) / (1 + z + z^2/2),  so that T (f_n+1 - f_n) = h (F - f)
//! ```
//!
//! Second order for steps shorter and longer than the lag, and stable where it is short. The mean forces act along the mean
//! heading over the mean of both velocities, so that they do the work by which kinetic energy changes.
//!
//! # Conventions
//! As in [`super`].

use super::course::Drive;
use crate::elementary::Real;
use crate::encounter::running_gear::{RunningGear, rotated};
use crate::encounter::{Vector, dot};

/// How a car moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<R> {
    /// The unit vector along it.
    pub heading: Vector<R>,
    /// How far it has turned since the start \[rad\].
    pub turned: R,
    /// Of its centre of mass.
    pub velocity: Vector<R>,
    /// \[rad/s\]
    pub yaw_rate: R,
    /// Lateral forces of the tyres.
    pub tyres: [R; 4],
}

impl<R: Real> Motion<R> {
    /// Of the point at an arm.
    #[inline(always)]
    pub fn velocity_at(&self, arm: Vector<R>) -> Vector<R> {
        [self.velocity[0] - self.yaw_rate * arm[1], self.velocity[1] + self.yaw_rate * arm[0]]
    }

    /// Kinetic energy.
    #[inline(always)]
    pub fn energy(&self, slenderness: R) -> R {
        let square = dot(self.velocity, self.velocity);
        (square + self.yaw_rate * self.yaw_rate / slenderness) * square.like(0.5)
    }

    /// After a time, and how far its centre has moved.
    #[inline(always)]
    pub fn after(&self, drive: &Drive<R>, gear: &RunningGear<R>, time: R) -> (Self, Vector<R>) {
        let (one, half) = (time.like(1.0), time.like(0.5));
        let half_time = time * half;
        let (force, torque) = gear.resultant(self.heading, &self.tyres);
        let velocity = [self.velocity[0] + half_time * force[0], self.velocity[1] + half_time * force[1]];
        let yaw_rate = self.yaw_rate + half_time * (drive.slenderness * torque);
        let heading = turned(self.heading, half_time * self.yaw_rate);
        let steady = gear.all_steady(heading, velocity, yaw_rate);

        let lags = time / drive.lag;
        let left = one / (one + lags + half * (lags * lags));
        let mean_left = (one + half * lags) * left;
        let (mut mean, mut tyres) = (steady, steady);
        for wheel in 0..4 {
            let beyond = self.tyres[wheel] - steady[wheel];
            mean[wheel] = steady[wheel] + beyond * mean_left;
            tyres[wheel] = steady[wheel] + beyond * left;
        }
        let (force, torque) = gear.resultant(heading, &mean);
        let velocity = [self.velocity[0] + time * force[0], self.velocity[1] + time * force[1]];
        let yaw_rate = self.yaw_rate + time * (drive.slenderness * torque);
        let moved = [half_time * (self.velocity[0] + velocity[0]), half_time * (self.velocity[1] + velocity[1])];
        let angle = half_time * (self.yaw_rate + yaw_rate);
        let heading = turned(self.heading, angle);
        (Self { heading, turned: self.turned + angle, velocity, yaw_rate, tyres }, moved)
    }
}

/// A unit vector turned by an angle, which is right to its fifth power over 720 (Pade) and keeps it a unit vector.
#[inline(always)]
fn turned<R: Real>(heading: Vector<R>, angle: R) -> Vector<R> {
    let (one, two) = (angle.like(1.0), angle.like(2.0));
    let tangent = angle / (two - angle * angle * angle.like(1.0 / 6.0));
    let square = tangent * tangent;
    let size = one + square;
    rotated([(one - square) / size, two * tangent / size], heading)
}
