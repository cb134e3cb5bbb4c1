//! A rigid body in six degrees of freedom.

use std::ops::{Add, AddAssign};

use glam::{DMat3, DQuat, DVec3};

use crate::vehicle::Vehicle;

/// A position \[m\], speed \[m/s\] or rate \[rad/s\] above this is no vehicle's any more: the simulation has blown up.
const LARGEST_NUMBER: f64 = 1e9;

/// Pose and motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Body {
    /// Centre of gravity, world \[m\].
    pub position: DVec3,
    /// Body to world.
    pub orientation: DQuat,
    /// Speed of the centre of gravity, world \[m/s\].
    pub velocity: DVec3,
    /// Rate of rotation, body \[rad/s\].
    pub rate: DVec3,
    /// The orientation as a matrix, kept in step with it.
    to_world: DMat3,
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

impl AddAssign for Load {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Mass and inertia, ready for use in every step.
#[derive(Clone, Copy, Debug)]
pub(super) struct MassProperties {
    mass: f64,
    inertia: DMat3,
    inverse_inertia: DMat3,
}

impl MassProperties {
    /// The vehicle's at another mass: the inertia scales with it.
    pub fn new(vehicle: &Vehicle, mass: f64) -> Self {
        let inertia = vehicle.inertia.tensor() * (mass / vehicle.mass);
        Self { mass, inertia, inverse_inertia: inertia.inverse() }
    }
}

impl Body {
    pub fn new(position: DVec3, orientation: DQuat, velocity: DVec3, rate: DVec3) -> Self {
        Self { position, orientation, velocity, rate, to_world: DMat3::from_quat(orientation) }
    }

    pub fn rotation(&self) -> &DMat3 {
        &self.to_world
    }

    /// World place of a point of the body.
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.position + self.to_world * point
    }

    /// World speed of a point of the body.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.to_world * self.rate.cross(point)
    }

    /// Semi-implicit Euler: the new speeds move the body. Euler's equations in body axes.
    pub fn advance(&mut self, mass: &MassProperties, gravity: DVec3, load: Load, step: f64) {
        self.velocity += step * (gravity + self.to_world * load.force / mass.mass);
        let gyroscopic = self.rate.cross(mass.inertia * self.rate);
        self.rate += step * (mass.inverse_inertia * (load.moment - gyroscopic));
        self.position += step * self.velocity;
        self.orientation = (self.orientation * DQuat::from_scaled_axis(step * self.rate)).normalize();
        self.to_world = DMat3::from_quat(self.orientation);
    }

    /// True while the numbers are those of a vehicle; NaN fails.
    pub fn is_sane(&self) -> bool {
        let bounded = |v: DVec3| v.to_array().into_iter().all(|number| number.abs() <= LARGEST_NUMBER);
        bounded(self.position) && bounded(self.velocity) && bounded(self.rate) && self.orientation.is_finite()
    }

    /// Speed over the ground \[m/s\].
    pub fn ground_speed(&self) -> f64 {
        self.velocity.x.hypot(self.velocity.y)
    }

    /// Angle from the runway to the nose \[rad\], positive nose right.
    pub fn heading(&self) -> f64 {
        (-self.to_world.x_axis.y).atan2(self.to_world.x_axis.x)
    }

    /// Pitch angle \[rad\], nose up.
    pub fn pitch(&self) -> f64 {
        self.to_world.x_axis.z.atan2(self.to_world.x_axis.x.hypot(self.to_world.x_axis.y))
    }

    /// Bank angle \[rad\], right wing down.
    pub fn bank(&self) -> f64 {
        (-self.to_world.y_axis.z).atan2(-self.to_world.z_axis.z)
    }

    /// Angle from the ground track to the nose \[rad\], positive nose right; 0 without a track.
    pub fn crab(&self) -> f64 {
        if self.ground_speed() == 0.0 {
            return 0.0;
        }
        let nose = self.to_world.x_axis;
        // Sine and cosine of the angle between track and nose, times both lengths; right is negative about z up.
        let cross = self.velocity.x * nose.y - self.velocity.y * nose.x;
        (-cross).atan2(self.velocity.x * nose.x + self.velocity.y * nose.y)
    }
}

/// Body-to-world rotation from heading (nose right of the runway), pitch (nose up) and bank (right wing down) \[rad\].
pub(super) fn orientation(heading: f64, pitch: f64, bank: f64) -> DQuat {
    // Half a turn about x takes the aviator's forward-right-down frame to the world's forward-left-up.
    let level = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    level * DQuat::from_rotation_z(heading) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(bank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attitude_angles_come_back_from_the_orientation() {
        for (heading, pitch, bank) in [(0.0, 0.0, 0.0), (0.3, 0.1, -0.2), (-1.2, -0.4, 0.9), (3.0, 1.2, -2.5)] {
            let body = Body::new(DVec3::ZERO, orientation(heading, pitch, bank), DVec3::X, DVec3::ZERO);
            assert!((body.heading() - heading).abs() < 1e-14);
            assert!((body.pitch() - pitch).abs() < 1e-14);
            assert!((body.bank() - bank).abs() < 1e-14);
            assert!((body.crab() - heading).abs() < 1e-14, "the track runs along the runway");
        }
    }

    #[test]
    fn nose_right_bank_right_and_nose_up_point_where_they_say() {
        let to_world = DMat3::from_quat(orientation(0.1, 0.0, 0.0));
        assert!(to_world.x_axis.y < 0.0, "right of a runway along x is negative y");
        assert!(DMat3::from_quat(orientation(0.0, 0.1, 0.0)).x_axis.z > 0.0);
        assert!(DMat3::from_quat(orientation(0.0, 0.0, 0.1)).y_axis.z < 0.0);
    }
}
