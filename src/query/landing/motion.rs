//! Where a vehicle is and how it moves.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]: world z up, body Z down, headings positive with the nose to the right.

use glam::{DMat3, DQuat, DVec3};

use super::rules::LARGEST_NUMBER;

/// Pose and motion of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre of gravity, world \[m\].
    pub position: DVec3,
    /// Body to world, a unit quaternion.
    pub orientation: DQuat,
    /// Speed of the centre of gravity, world \[m/s\].
    pub velocity: DVec3,
    /// Rate of rotation, body \[rad/s\].
    pub rate: DVec3,
}

impl Motion {
    /// The orientation as a matrix: its columns are the body's axes in the world.
    #[must_use]
    pub fn to_world(&self) -> DMat3 {
        DMat3::from_quat(self.orientation)
    }

    /// True while the numbers are those of a vehicle; NaN fails.
    #[must_use]
    pub fn is_sane(&self) -> bool {
        let bounded = |v: DVec3| v.to_array().into_iter().all(|number| number.abs() <= LARGEST_NUMBER);
        bounded(self.position) && bounded(self.velocity) && bounded(self.rate) && self.orientation.is_finite()
    }

    /// Speed over the ground \[m/s\].
    #[must_use]
    pub fn ground_speed(&self) -> f64 {
        self.velocity.x.hypot(self.velocity.y)
    }

    /// Angle from the runway to the nose \[rad\], positive nose right.
    #[must_use]
    pub fn heading(&self) -> f64 {
        let nose = self.to_world().x_axis;
        (-nose.y).atan2(nose.x)
    }

    /// Pitch angle \[rad\], nose up.
    #[must_use]
    pub fn pitch(&self) -> f64 {
        let nose = self.to_world().x_axis;
        nose.z.atan2(nose.x.hypot(nose.y))
    }

    /// Bank angle \[rad\], right wing down.
    #[must_use]
    pub fn bank(&self) -> f64 {
        let to_world = self.to_world();
        (-to_world.y_axis.z).atan2(-to_world.z_axis.z)
    }

    /// Angle from the ground track to the nose \[rad\], positive nose right; 0 without a track.
    #[must_use]
    pub fn crab(&self) -> f64 {
        if self.ground_speed() == 0.0 {
            return 0.0;
        }
        let nose = self.to_world().x_axis;
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
