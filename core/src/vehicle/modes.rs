//! Fastest modes of the vehicle as a rigid body on the springs and dampers of its gear.
//!
//! # Conventions
//! Body frame as in [`crate::vehicle`]. A motion of the body is its velocity \[m/s\] and its angular velocity
//! \[rad/s\].

use glam::{DMat3, DVec3};

use super::{GroundReactions, Vehicle};

/// Iterations of the power method. Its Rayleigh quotient is within a percent of the largest eigenvalue of a 6 by 6
/// matrix long before, whether or not the next one is close.
const ROUNDS: usize = 200;

/// The fastest modes of a vehicle with all wheels in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GearModes {
    /// Fastest decay by the dampers alone \[1/s\]: the largest eigenvalue of `M^-1 D`.
    pub decay: f64,
    /// Fastest oscillation on the springs alone \[rad/s\]: the root of the largest eigenvalue of `M^-1 K`.
    pub frequency: f64,
}

impl GearModes {
    /// Rate of the faster of the two \[1/s\].
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.decay.max(self.frequency)
    }
}

/// A motion of the body, or the impulse that causes it.
#[derive(Clone, Copy)]
struct Twist {
    linear: DVec3,
    angular: DVec3,
}

impl Twist {
    fn dot(self, other: Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    fn scaled(self, factor: f64) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }
}

impl Vehicle {
    /// The modes of the gear at its greatest stiffness and damping up to the approach's sink rate, in heave, sway and surge as well as in roll, pitch and yaw.
    #[must_use]
    pub fn gear_modes(&self) -> GearModes {
        // JSBSim's wheels have no springs along the ground.
        let along = |coefficient: f64| match self.ground_reactions {
            GroundReactions::Pebble => -coefficient,
            GroundReactions::Jsbsim => 0.0,
        };
        let dampers = |wheel: &super::Wheel| {
            let p = &wheel.parameters;
            DVec3::new(along(p.d_xy), along(p.d_xy), p.greatest_damping(self.approach.sink_rate))
        };
        let springs = |wheel: &super::Wheel| {
            let p = &wheel.parameters;
            DVec3::new(along(p.k_xy), along(p.k_xy), p.greatest_stiffness())
        };
        GearModes { decay: self.fastest(dampers), frequency: self.fastest(springs).sqrt() }
    }

    /// The largest eigenvalue of `M^-1 sum J^T C J`, with C the coefficients of each wheel along the body axes at its
    /// lowest point.
    fn fastest(&self, coefficients: impl Fn(&super::Wheel) -> DVec3) -> f64 {
        let inverse_inertia: DMat3 = self.inertia.tensor().inverse();
        let resisted = |motion: Twist| {
            self.wheels.iter().fold(Twist { linear: DVec3::ZERO, angular: DVec3::ZERO }, |sum, wheel| {
                let foot = wheel.position + DVec3::Z * wheel.parameters.z_max;
                let force = coefficients(wheel) * (motion.linear + motion.angular.cross(foot));
                Twist { linear: sum.linear + force, angular: sum.angular + foot.cross(force) }
            })
        };
        let accelerated =
            |force: Twist| Twist { linear: force.linear / self.mass, angular: inverse_inertia * force.angular };
        // A starting vector with a component of every mode: no gear is symmetric about these axes.
        let mut motion = Twist { linear: DVec3::new(0.31, 0.47, 1.0), angular: DVec3::new(0.83, 0.71, 0.29) };
        let mut fastest = 0.0;
        for _ in 0..ROUNDS {
            let force = resisted(motion);
            let next = accelerated(force);
            let kinetic =
                self.mass * motion.linear.length_squared() + motion.angular.dot(self.inertia.tensor() * motion.angular);
            fastest = motion.dot(force) / kinetic;
            let size = next.dot(next).sqrt();
            if size == 0.0 || !size.is_finite() {
                break;
            }
            motion = next.scaled(1.0 / size);
        }
        fastest
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::document::Document;

    /// A body of 100 kg on four equal legs at (+-1, +-1, 0.5 + 0.5), moments of inertia as given.
    fn table(inertia: [f64; 3]) -> Vehicle {
        let wheel = |name: &str, x: f64, y: f64| {
            format!(
                "[wheels.{name}]\nposition = [{x}, {y}, 0.5]\nk_z = -1000\nd_z = -50\nk_xy = -1\nd_xy = 0\n\
                 z_min = 0.1\nz_zero = 0.5\nz_max = 0.5\nmain = true\n"
            )
        };
        let wheels = [("a", 1.0, 1.0), ("b", 1.0, -1.0), ("c", -1.0, 1.0), ("d", -1.0, -1.0)];
        let wheels: String = wheels.iter().map(|(name, x, y)| wheel(name, *x, *y)).collect();
        let [xx, yy, zz] = inertia;
        let text = format!(
            "name = \"table\"\nmass = 100\n[inertia]\nxx = {xx}\nyy = {yy}\nzz = {zz}\n{wheels}\
             [approach]\nairspeed = 0\nsink_rate = 1\n"
        );
        Vehicle::from_document(&Document::parse("table.toml", &text).unwrap()).unwrap()
    }

    #[test]
    fn a_heavy_table_heaves_fastest_and_a_light_one_rolls() {
        // Heave: 4 k / m = 40 /s^2 and 4 d / m = 2 /s. Roll: 4 k y^2 / I, the horizontal springs adding 4 * 1 * z^2.
        let heavy = table([200.0, 200.0, 300.0]).gear_modes();
        assert!((heavy.frequency - 40.0_f64.sqrt()).abs() < 1e-3 && (heavy.decay - 2.0).abs() < 1e-3, "{heavy:?}");
        let light = table([20.0, 30.0, 40.0]).gear_modes();
        // Within the share that sway and roll exchange through the horizontal springs.
        assert!((light.frequency - (4004.0_f64 / 20.0).sqrt()).abs() < 1e-3 && (light.decay - 10.0).abs() < 1e-3);
    }
}
