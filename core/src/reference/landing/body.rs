//! A rigid body in six degrees of freedom.

use std::ops::{Add, AddAssign, Mul};

use glam::{DMat3, DQuat, DVec3};

use crate::elementary::sin_cos;
use crate::query::{Acceleration, Motion};
use crate::vehicle::Vehicle;

/// State of a body during one step, with the orientation as a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub motion: Motion,
    pub to_world: DMat3,
}

/// Force \[N\] and moment about the centre of gravity \[N m\], body axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub force: DVec3,
    pub moment: DVec3,
}

impl Add for Load {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, moment: self.moment + other.moment }
    }
}

impl Mul<Load> for f64 {
    type Output = Load;
    fn mul(self, load: Load) -> Load {
        Load { force: self * load.force, moment: self * load.moment }
    }
}

impl AddAssign for Load {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Mass and inertia, prepared for use in every step.
#[derive(Clone, Copy, Debug)]
pub(super) struct MassProperties {
    mass: f64,
    inertia: DMat3,
    inverse_inertia: DMat3,
}

impl MassProperties {
    /// For the vehicle at another mass: the inertia scales with it.
    pub fn new(vehicle: &Vehicle, mass: f64) -> Self {
        let inertia = vehicle.inertia.tensor() * (mass / vehicle.mass);
        Self { mass, inertia, inverse_inertia: inertia.inverse() }
    }

    /// Linear and angular acceleration that a force and a moment add, body axes.
    pub fn accelerations(&self, force: DVec3, moment: DVec3) -> (DVec3, DVec3) {
        (force / self.mass, self.inverse_inertia * moment)
    }
}

impl Body {
    pub fn new(motion: Motion) -> Self {
        Self { motion, to_world: motion.to_world() }
    }

    /// World position of a point of the body.
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.motion.position + self.to_world * point
    }

    /// World velocity of a point of the body.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.motion.velocity + self.to_world * self.motion.rate.cross(point)
    }

    /// The body after a time \[s\], extrapolated with the last acceleration.
    pub fn ahead(&self, time: f64, acceleration: &Acceleration) -> Self {
        let Motion { velocity, rate, .. } = self.motion;
        let drifted = self.drifted(time);
        Self {
            motion: Motion {
                velocity: velocity + time * acceleration.linear,
                rate: rate + time * acceleration.angular,
                ..drifted.motion
            },
            ..drifted
        }
    }

    /// The body after a time \[s\] at constant velocity.
    pub fn drifted(&self, time: f64) -> Self {
        let Motion { position, orientation, velocity, rate } = self.motion;
        Self::new(Motion {
            position: position + time * velocity,
            orientation: (orientation * turn(time * rate)).normalize(),
            velocity,
            rate,
        })
    }

    /// World acceleration of a point of the body due to a load alone, if the body were at rest \[m/s^2\].
    pub fn push_at(&self, point: DVec3, mass: &MassProperties, load: Load) -> DVec3 {
        let angular = mass.inverse_inertia * load.moment;
        self.to_world * (load.force / mass.mass + angular.cross(point))
    }

    /// Newton-Euler equations, the latter in body axes.
    pub fn acceleration(&self, mass: &MassProperties, gravity: DVec3, load: Load) -> Acceleration {
        let rate = self.motion.rate;
        let gyroscopic = rate.cross(mass.inertia * rate);
        Acceleration {
            linear: gravity + self.to_world * load.force / mass.mass,
            angular: mass.inverse_inertia * (load.moment - gyroscopic),
        }
    }
}

/// The rotation about a vector by its length \[rad\].
fn turn(vector: DVec3) -> DQuat {
    let angle = vector.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sine, cosine) = sin_cos(0.5 * angle);
    let axis = vector / angle * sine;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}
