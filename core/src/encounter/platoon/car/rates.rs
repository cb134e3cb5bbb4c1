//! How fast cars change: forces of springs, dampers and tyres.
//!
//! # Conventions
//! As in [`super`].

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::{Car, axes, gradients};
use crate::elementary::direction;
use crate::encounter::platoon::model::CarModel;
use crate::encounter::platoon::pseudo_rigid::dyad;
use crate::encounter::{CREEP, RunningGear};

/// A wheel on its way.
struct Wheel {
    /// From the centre of mass to the ground below its assembly point.
    arm: DVec3,
    /// Of the assembly point.
    velocity: DVec3,
    /// Forwards, in the plane.
    heading: DVec2,
}

impl Car {
    pub(super) fn planar_rates(&self, state: &[f64], rates: &mut [f64]) {
        let (velocity, yaw, yaw_rate) = (DVec2::new(state[2], state[3]), state[4], state[5]);
        let heading = direction(yaw).to_array();
        let gear = self.running_gear();
        let laterals = [state[6], state[7], state[8], state[9]];
        let steady = gear.all_steady(heading, velocity.to_array(), yaw_rate);
        for (wheel, rate) in rates[6..10].iter_mut().enumerate() {
            *rate = (steady[wheel] - laterals[wheel]) / self.model.tyre_lag;
        }
        let (force, torque) = gear.resultant(heading, &laterals);
        let acceleration = DVec2::from_array(force) / self.model.mass;
        rates[..6].copy_from_slice(&[
            velocity.x,
            velocity.y,
            acceleration.x,
            acceleration.y,
            yaw_rate,
            torque / self.model.inertia[2],
        ]);
    }

    pub(super) fn spatial_rates(&self, state: &[f64], rates: &mut [f64]) {
        let axes = axes(state);
        let (position, velocity) = (DVec3::from_slice(&state[..3]), DVec3::from_slice(&state[3..6]));
        let spin = DVec3::from_slice(&state[10..13]);
        let (mut force, mut torque) = (-self.model.mass * self.gravity * DVec3::Z, DVec3::ZERO);
        let heading = axes.x_axis.truncate().normalize_or(DVec2::X);
        for (number, point) in self.assembly_points().into_iter().enumerate() {
            let arm = axes * point;
            let place = position + arm;
            let wheel = Wheel {
                arm: arm - place.z * DVec3::Z,
                velocity: velocity + (axes * spin).cross(arm),
                heading: self.steered(number, heading),
            };
            let lateral = state[13 + number];
            rates[13 + number] = self.lag(lateral, wheel.heading, wheel.velocity.truncate());
            let load = self.load(number / 2, place.z, wheel.velocity.z);
            let push = (lateral * wheel.heading.perp()).extend(load);
            force += push;
            torque += wheel.arm.cross(push);
        }
        let inertia = DVec3::from_array(self.model.inertia);
        let turning = (axes.transpose() * torque - spin.cross(inertia * spin)) / inertia;
        let turned = DQuat::from_slice(&state[6..10]);
        let quaternion = turned * DQuat::from_vec4((0.5 * spin).extend(0.0));
        let acceleration = force / self.model.mass;
        rates[..3].copy_from_slice(&velocity.to_array());
        rates[3..6].copy_from_slice(&acceleration.to_array());
        rates[6..10].copy_from_slice(&quaternion.to_array());
        rates[10..13].copy_from_slice(&turning.to_array());
    }

    pub(super) fn deformable_rates(&self, state: &[f64], rates: &mut [f64]) {
        let (position, velocity) = (DVec3::from_slice(&state[..3]), DVec3::from_slice(&state[3..6]));
        let [gradient, rate] = gradients(state);
        let mut force = -self.model.mass * self.gravity * DVec3::Z;
        let mut dyads = DMat3::ZERO;
        let heading = gradient.x_axis.truncate().normalize_or(DVec2::X);
        let material = gradient.inverse();
        for (number, point) in self.assembly_points().into_iter().enumerate() {
            let arm = gradient * point;
            let place = position + arm;
            let wheel = Wheel {
                arm: arm - place.z * DVec3::Z,
                velocity: velocity + rate * point,
                heading: self.steered(number, heading),
            };
            let lateral = state[24 + number];
            rates[24 + number] = self.lag(lateral, wheel.heading, wheel.velocity.truncate());
            let load = self.load(number / 2, place.z, wheel.velocity.z);
            let across = (lateral * wheel.heading.perp()).extend(0.0);
            force += across + load * DVec3::Z;
            dyads += dyad(load * DVec3::Z, point) + dyad(across, material * wheel.arm);
        }
        let acceleration = force / self.model.mass;
        rates[..3].copy_from_slice(&velocity.to_array());
        rates[3..6].copy_from_slice(&acceleration.to_array());
        rates[6..15].copy_from_slice(&rate.to_cols_array());
        rates[15..24].copy_from_slice(&self.elastic.acceleration(&gradient, &dyads).to_cols_array());
    }

    /// What a spring and its damper carry at a height of the assembly point above the ground, and how fast it rises.
    fn load(&self, axle: usize, height: f64, rise: f64) -> f64 {
        let spring = self.model.stiffness[axle] * (self.model.spring_length - height);
        (spring - self.model.damping[axle] * rise).max(0.0)
    }

    /// How fast a tyre's force changes.
    fn lag(&self, lateral: f64, heading: DVec2, velocity: DVec2) -> f64 {
        let steady = self.running_gear().steady(heading.to_array(), velocity.to_array());
        (steady - lateral) / self.model.tyre_lag
    }

    fn running_gear(&self) -> RunningGear<f64> {
        RunningGear {
            axles: self.model.axles,
            half_track: self.model.half_track,
            stiffness: self.cornering_stiffness,
            creep: CREEP,
            steering: direction(self.placed.steering).to_array(),
        }
    }

    fn steered(&self, wheel: usize, heading: DVec2) -> DVec2 {
        if wheel < 2 { direction(self.placed.steering).rotate(heading) } else { heading }
    }

    /// Where springs meet the body, along its axes.
    fn assembly_points(&self) -> [DVec3; 4] {
        let CarModel { axles: [front, rear], half_track, drops, .. } = self.model;
        let at = |x: f64, side: f64, drop: f64| DVec3::new(x, side * half_track, -drop);
        [at(front, 1.0, drops[0]), at(front, -1.0, drops[0]), at(-rear, 1.0, drops[1]), at(-rear, -1.0, drops[1])]
    }
}
