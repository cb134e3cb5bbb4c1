//! Pose and motion of a vehicle.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]: world z up, body Z down, headings positive with the nose to the right.

use glam::{DMat3, DQuat, DVec3};

use super::rules::MAX_NUMBER;
use crate::elementary::{atan2, hypot, sin_cos};

/// Pose and motion of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre of gravity, world \[m\].
    pub position: DVec3,
    /// Body to world, a unit quaternion.
    pub orientation: DQuat,
    /// Velocity of the centre of gravity, world \[m/s\].
    pub velocity: DVec3,
    /// Angular velocity, body axes \[rad/s\].
    pub rate: DVec3,
}

/// Linear and angular acceleration of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceleration {
    /// Of the centre of gravity, world \[m/s^2\].
    pub linear: DVec3,
    /// Rate of change of the angular velocity, body axes \[rad/s^2\].
    pub angular: DVec3,
}

impl Motion {
    /// The orientation as a matrix: its columns are the body axes in world coordinates.
    #[must_use]
    pub fn to_world(&self) -> DMat3 {
        DMat3::from_quat(self.orientation)
    }

    /// True while the numbers are physically possible; false for NaN.
    #[must_use]
    pub fn is_sane(&self) -> bool {
        let bounded = |v: DVec3| v.to_array().into_iter().all(|number| number.abs() <= MAX_NUMBER);
        bounded(self.position) && bounded(self.velocity) && bounded(self.rate) && self.orientation.is_finite()
    }

    /// Speed over the ground \[m/s\].
    #[must_use]
    pub fn ground_speed(&self) -> f64 {
        hypot(self.velocity.x, self.velocity.y)
    }

    /// Angle from the runway direction to the nose \[rad\], positive nose right.
    #[must_use]
    pub fn heading(&self) -> f64 {
        let nose = self.to_world().x_axis;
        atan2(-nose.y, nose.x)
    }

    /// Pitch angle \[rad\], nose up.
    #[must_use]
    pub fn pitch(&self) -> f64 {
        let nose = self.to_world().x_axis;
        atan2(nose.z, hypot(nose.x, nose.y))
    }

    /// Bank angle \[rad\], right wing down.
    #[must_use]
    pub fn bank(&self) -> f64 {
        let to_world = self.to_world();
        atan2(-to_world.y_axis.z, -to_world.z_axis.z)
    }

    /// Angle from the ground track to the nose \[rad\], positive nose right; 0 at rest.
    #[must_use]
    pub fn crab(&self) -> f64 {
        if self.ground_speed() == 0.0 {
            return 0.0;
        }
        let nose = self.to_world().x_axis;
        // Sine and cosine of the angle between track and nose, times both lengths; right is negative about z up.
        let cross = self.velocity.x * nose.y - self.velocity.y * nose.x;
        atan2(-cross, self.velocity.x * nose.x + self.velocity.y * nose.y)
    }
}

/// Body-to-world rotation from heading (nose right of the runway), pitch (nose up) and bank (right wing down) \[rad\].
pub fn orientation(heading: f64, pitch: f64, bank: f64) -> DQuat {
    // Half a turn about x takes the aviator's forward-right-down frame to the world's forward-left-up.
    let level = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let [about_x, about_y, about_z] = [bank, pitch, heading].map(|angle| sin_cos(0.5 * angle));
    level
        * DQuat::from_xyzw(0.0, 0.0, about_z.0, about_z.1)
        * DQuat::from_xyzw(0.0, about_y.0, 0.0, about_y.1)
        * DQuat::from_xyzw(about_x.0, 0.0, 0.0, about_x.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attitude_angles_come_back_from_the_orientation() {
        for (heading, pitch, bank) in [(0.0, 0.0, 0.0), (0.3, 0.1, -0.2), (-1.2, -0.4, 0.9), (3.0, 1.2, -2.5)] {
            let orientation = orientation(heading, pitch, bank);
            let motion = Motion { position: DVec3::ZERO, orientation, velocity: DVec3::X, rate: DVec3::ZERO };
            assert!((motion.heading() - heading).abs() < 1e-14);
            assert!((motion.pitch() - pitch).abs() < 1e-14);
            assert!((motion.bank() - bank).abs() < 1e-14);
            assert!((motion.crab() - heading).abs() < 1e-14, "the track runs along the runway");
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
