//! Eight rigid bodies in six degrees of freedom.

use std::ops::Add;

use crate::lanes::{Lanes, Lanes3, Mask};
use crate::native::rotation::{Matrices, Quaternions};
use crate::query::Motion;
use crate::query::rules::LARGEST_NUMBER;
use crate::vehicle::Vehicle;

/// Pose and motion of eight bodies.
#[derive(Clone, Copy)]
pub(super) struct Bodies {
    pub position: Lanes3,
    pub orientation: Quaternions,
    /// The orientation as matrices.
    pub to_world: Matrices,
    pub velocity: Lanes3,
    pub rate: Lanes3,
}

/// Forces \[N\] and moments about the centres of gravity \[N m\], body axes.
#[derive(Clone, Copy)]
pub(super) struct Loads {
    pub force: Lanes3,
    pub moment: Lanes3,
}

impl Loads {
    pub const ZERO: Self = Self { force: Lanes3::ZERO, moment: Lanes3::ZERO };
}

impl Add for Loads {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, moment: self.moment + other.moment }
    }
}

/// Masses and inertias of eight landings, ready for use in every step.
pub(super) struct Masses {
    mass: Lanes,
    inertia: Matrices,
    inverse_inertia: Matrices,
}

impl Masses {
    pub const ZERO: Self = Self { mass: Lanes::ZERO, inertia: Matrices::ZERO, inverse_inertia: Matrices::ZERO };

    /// The vehicle at another mass, in one lane: the inertia scales with it.
    pub fn set(&mut self, lane: usize, vehicle: &Vehicle, mass: f64) {
        let inertia = vehicle.inertia.tensor() * (mass / vehicle.mass);
        self.mass.0[lane] = mass;
        self.inertia.set(lane, &inertia);
        self.inverse_inertia.set(lane, &inertia.inverse());
    }
}

impl Bodies {
    pub const AT_REST: Self = Self {
        position: Lanes3::ZERO,
        orientation: Quaternions::IDENTITY,
        to_world: Matrices::ZERO,
        velocity: Lanes3::ZERO,
        rate: Lanes3::ZERO,
    };

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

    /// Where the numbers are those of a vehicle; NaN fails.
    #[inline(always)]
    pub fn are_sane(&self) -> Mask {
        let below = |number: Lanes| number.abs().le(Lanes::splat(LARGEST_NUMBER));
        let bounded = |v: Lanes3| below(v.x) & below(v.y) & below(v.z);
        bounded(self.position) & bounded(self.velocity) & bounded(self.rate) & self.orientation.is_finite()
    }

    /// World places of points of the bodies.
    #[inline(always)]
    pub fn at(&self, point: Lanes3) -> Lanes3 {
        self.position + self.to_world.times(point)
    }

    /// World speeds of points of the bodies.
    #[inline(always)]
    pub fn velocity_at(&self, point: Lanes3) -> Lanes3 {
        self.velocity + self.to_world.times(self.rate.cross(point))
    }

    /// Semi-implicit Euler: the new speeds move the bodies. Euler's equations in body axes.
    #[inline(always)]
    pub fn advanced(&self, masses: &Masses, gravity: Lanes3, load: Loads, step: f64) -> Self {
        let step = Lanes::splat(step);
        let acceleration = gravity + self.to_world.times(load.force) / masses.mass;
        let velocity = self.velocity + acceleration * step;
        let gyroscopic = self.rate.cross(masses.inertia.times(self.rate));
        let rate = self.rate + masses.inverse_inertia.times(load.moment - gyroscopic) * step;
        let orientation = self.orientation.after(Quaternions::about(rate * step)).normalized();
        let position = self.position + velocity * step;
        Self { position, orientation, to_world: orientation.matrices(), velocity, rate }
    }
}
