//! Eight rigid bodies in six degrees of freedom.

use std::ops::{Add, Mul};

use crate::native::rotation::{Matrices, Quaternions};
use crate::query::rules::MAX_NUMBER;
use crate::query::{Acceleration, Motion};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};
use crate::vehicle::Vehicle;

/// Pose and motion of eight bodies.
#[derive(Clone, Copy)]
pub(super) struct Bodies<S: Simd> {
    pub position: DVec3x8<S>,
    pub orientation: Quaternions<S>,
    /// The orientation as matrices.
    pub to_world: Matrices<S>,
    pub velocity: DVec3x8<S>,
    pub rate: DVec3x8<S>,
}

/// Forces \[N\] and moments about the centres of gravity \[N m\], body axes.
#[derive(Clone, Copy)]
pub(super) struct Loads<S: Simd> {
    pub force: DVec3x8<S>,
    pub moment: DVec3x8<S>,
}

impl<S: Simd> Loads<S> {
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        Self { force: DVec3x8::zero(simd), moment: DVec3x8::zero(simd) }
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        Self { force: lanes.select3(self.force, others.force), moment: lanes.select3(self.moment, others.moment) }
    }
}

impl<S: Simd> Add for Loads<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, moment: self.moment + other.moment }
    }
}

impl<S: Simd> Mul<F64x8<S>> for Loads<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: F64x8<S>) -> Self {
        Self { force: self.force * factor, moment: self.moment * factor }
    }
}

/// Masses and inertias of eight landings, prepared for use in every step.
pub(super) struct Masses<S: Simd> {
    mass: F64x8<S>,
    inertia: Matrices<S>,
    inverse_inertia: Matrices<S>,
}

impl<S: Simd> Masses<S> {
    pub fn zero(simd: S) -> Self {
        Self { mass: F64x8::zero(simd), inertia: Matrices::zero(simd), inverse_inertia: Matrices::zero(simd) }
    }

    /// The vehicle at another mass, in one lane: the inertia scales with it.
    pub fn set(&mut self, lane: usize, vehicle: &Vehicle, mass: f64) {
        let inertia = vehicle.inertia.tensor() * (mass / vehicle.mass);
        self.mass.set(lane, mass);
        self.inertia.set(lane, &inertia);
        self.inverse_inertia.set(lane, &inertia.inverse());
    }

    /// Linear and angular accelerations that forces and moments add, body axes.
    #[inline(always)]
    pub fn accelerations(&self, force: DVec3x8<S>, moment: DVec3x8<S>) -> (DVec3x8<S>, DVec3x8<S>) {
        (force / self.mass, self.inverse_inertia.times(moment))
    }
}

impl<S: Simd> Bodies<S> {
    pub fn at_rest(simd: S) -> Self {
        let zero = DVec3x8::zero(simd);
        let orientation = Quaternions::identity(simd);
        Self { position: zero, orientation, to_world: Matrices::zero(simd), velocity: zero, rate: zero }
    }

    pub fn get(&self, lane: usize) -> Motion {
        Motion {
            position: self.position.get(lane),
            orientation: self.orientation.get(lane),
            velocity: self.velocity.get(lane),
            rate: self.rate.get(lane),
        }
    }

    pub fn set(&mut self, lane: usize, motion: &Motion) {
        let Motion { position, orientation, velocity, rate } = *motion;
        self.position.set(lane, position);
        self.orientation.set(lane, orientation);
        self.to_world.set(lane, &motion.to_world());
        self.velocity.set(lane, velocity);
        self.rate.set(lane, rate);
    }

    /// Where the numbers are physically possible; false for NaN.
    #[inline(always)]
    pub fn are_sane(&self) -> Mask8<S> {
        let bound = self.position.x.like(MAX_NUMBER);
        self.position.is_within(bound)
            & self.velocity.is_within(bound)
            & self.rate.is_within(bound)
            & self.orientation.is_finite()
    }

    /// World positions of points of the bodies.
    #[inline(always)]
    pub fn at(&self, point: DVec3x8<S>) -> DVec3x8<S> {
        self.position + self.to_world.times(point)
    }

    /// World velocities of points of the bodies.
    #[inline(always)]
    pub fn velocity_at(&self, point: DVec3x8<S>) -> DVec3x8<S> {
        self.velocity + self.to_world.times(self.rate.cross(point))
    }

    /// The bodies after times \[s\], extrapolated with their last accelerations.
    #[inline(always)]
    pub fn ahead(&self, time: F64x8<S>, acceleration: &Accelerations<S>) -> Self {
        Self {
            velocity: self.velocity + acceleration.linear * time,
            rate: self.rate + acceleration.angular * time,
            ..self.drifted(time)
        }
    }

    /// The bodies after times \[s\] at constant velocities.
    #[inline(always)]
    pub fn drifted(&self, time: F64x8<S>) -> Self {
        let orientation = self.orientation.after(Quaternions::about(self.rate * time)).normalized();
        Self {
            position: self.position + self.velocity * time,
            orientation,
            to_world: orientation.matrices(),
            velocity: self.velocity,
            rate: self.rate,
        }
    }

    /// World accelerations of a point of the bodies due to loads alone, if the bodies were at rest.
    #[inline(always)]
    pub fn push_at(&self, point: DVec3x8<S>, masses: &Masses<S>, load: Loads<S>) -> DVec3x8<S> {
        let angular = masses.inverse_inertia.times(load.moment);
        self.to_world.times(load.force / masses.mass + angular.cross(point))
    }

    /// Newton-Euler equations, the latter in body axes.
    #[inline(always)]
    pub fn acceleration(&self, masses: &Masses<S>, gravity: DVec3x8<S>, load: Loads<S>) -> Accelerations<S> {
        let gyroscopic = self.rate.cross(masses.inertia.times(self.rate));
        Accelerations {
            linear: gravity + self.to_world.times(load.force) / masses.mass,
            angular: masses.inverse_inertia.times(load.moment - gyroscopic),
        }
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        Self {
            position: lanes.select3(self.position, others.position),
            orientation: self.orientation.or(lanes, &others.orientation),
            to_world: others.to_world.unless(lanes, &self.to_world),
            velocity: lanes.select3(self.velocity, others.velocity),
            rate: lanes.select3(self.rate, others.rate),
        }
    }
}

/// Linear and angular accelerations of eight bodies.
#[derive(Clone, Copy)]
pub(super) struct Accelerations<S: Simd> {
    /// World.
    pub linear: DVec3x8<S>,
    /// Body axes.
    pub angular: DVec3x8<S>,
}

impl<S: Simd> Accelerations<S> {
    pub fn none(simd: S) -> Self {
        Self { linear: DVec3x8::zero(simd), angular: DVec3x8::zero(simd) }
    }

    pub fn get(&self, lane: usize) -> Acceleration {
        Acceleration { linear: self.linear.get(lane), angular: self.angular.get(lane) }
    }

    pub fn set(&mut self, lane: usize, acceleration: &Acceleration) {
        let Acceleration { linear, angular } = *acceleration;
        self.linear.set(lane, linear);
        self.angular.set(lane, angular);
    }
}
