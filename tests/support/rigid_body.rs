//! Bodies on wheels, integrated by the tests themselves: semi-implicit Euler around `step_wheel`.
//!
//! # Conventions
//! World z up; body and wheel frames X forward, Y right, Z down.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DMat3, DQuat, DVec3};
use touchdown::query::{WheelContact, WheelFrame, WheelParameters, WheelState, WheelStep};
use touchdown::reference::{Tracer, step_wheel};
use touchdown::vehicle::Vehicle;

/// Half a turn about x: forward along world x, right along -y, down along -z.
pub fn level() -> DQuat {
    DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)
}

/// A mass on one wheel that cannot turn.
pub struct PointMass {
    pub mass: f64,
    pub parameters: WheelParameters,
    pub orientation: DQuat,
    pub position: DVec3,
    pub velocity: DVec3,
    pub contact: WheelContact,
}

impl PointMass {
    pub fn new(mass: f64, parameters: WheelParameters, height: f64) -> Self {
        Self {
            mass,
            parameters,
            orientation: level(),
            position: DVec3::Z * (parameters.z_max + height),
            velocity: DVec3::ZERO,
            contact: WheelContact::FREE,
        }
    }

    pub fn step(&mut self, tracer: &Tracer<'_>, gravity: DVec3, brake: f64, step: f64) -> WheelStep {
        let frame = WheelFrame {
            origin: self.position,
            orientation: self.orientation,
            velocity: self.velocity,
            brake,
            brake_friction: 0.0,
        };
        let wheel = step_wheel(tracer, &self.parameters, &self.contact, &frame, 1.0);
        self.contact = wheel.contact;
        self.velocity += step * (gravity + wheel.force / self.mass);
        self.position += step * self.velocity;
        wheel
    }
}

/// A vehicle on its wheels, without air and pilot.
pub struct RigidBody<'a> {
    pub vehicle: &'a Vehicle,
    pub position: DVec3,
    pub velocity: DVec3,
    /// Body to world.
    pub axes: DMat3,
    /// Angular momentum over inertia, body axes [rad/s].
    pub rate: DVec3,
    pub contacts: Vec<WheelContact>,
}

impl<'a> RigidBody<'a> {
    /// At rest and level, the lowest wheel this high above z = 0.
    pub fn new(vehicle: &'a Vehicle, height: f64) -> Self {
        let reach = vehicle.wheels.iter().map(|wheel| wheel.position.z + wheel.parameters.z_max).fold(0.0, f64::max);
        Self {
            vehicle,
            position: DVec3::Z * (reach + height),
            velocity: DVec3::ZERO,
            axes: DMat3::from_quat(level()),
            rate: DVec3::ZERO,
            contacts: vec![WheelContact::FREE; vehicle.wheels.len()],
        }
    }

    pub fn step(&mut self, tracer: &Tracer<'_>, gravity: DVec3, brake: f64, step: f64) {
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (wheel, contact) in self.vehicle.wheels.iter().zip(&mut self.contacts) {
            let frame = WheelFrame {
                origin: self.position + self.axes * wheel.position,
                orientation: DQuat::from_mat3(&self.axes),
                velocity: self.velocity + (self.axes * self.rate).cross(self.axes * wheel.position),
                brake,
                brake_friction: 0.0,
            };
            let wheel = step_wheel(tracer, &wheel.parameters, contact, &frame, 1.0);
            *contact = wheel.contact;
            force += wheel.force;
            moment += (wheel.application - self.position).cross(wheel.force);
        }
        let inertia = self.vehicle.inertia.tensor();
        let moment = self.axes.transpose() * moment;
        self.rate += step * (inertia.inverse() * (moment - self.rate.cross(inertia * self.rate)));
        self.velocity += step * (gravity + force / self.vehicle.mass);
        self.position += step * self.velocity;
        let angle = step * self.rate.length();
        if angle > 0.0 {
            self.axes *= DMat3::from_axis_angle(self.rate.normalize(), angle);
        }
    }

    /// Runs for a time [s].
    pub fn run(&mut self, tracer: &Tracer<'_>, gravity: DVec3, brake: f64, step: f64, time: f64) {
        for _ in 0..(time / step).round() as usize {
            self.step(tracer, gravity, brake, step);
        }
    }

    pub fn is_broken(&self) -> bool {
        self.contacts.iter().any(|contact| contact.state == WheelState::Broken)
    }
}
