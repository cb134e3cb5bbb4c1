//! The reference plane of heights.

use glam::DVec3;

use crate::elementary::atan2;

/// The plane of the runway: through the landing threshold, rising along the landing direction and level across it.
/// Heights above the ground are measured vertically from it, whatever else is in the scene.
///
/// # Conventions
/// World: x = 0, z = 0 at the landing threshold, x horizontal along the landing direction, z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPlane {
    /// Rise per horizontal distance along x \[1\]: positive uphill.
    pub slope: f64,
}

impl GroundPlane {
    /// z = 0.
    pub const LEVEL: Self = Self { slope: 0.0 };

    /// z of the ground at this x \[m\]; also the rise of the ground over a distance, and its rate at a velocity along
    /// x.
    #[must_use]
    pub fn below(self, x: f64) -> f64 {
        self.slope * x
    }

    /// Height of a point above the ground \[m\].
    #[must_use]
    pub fn height(self, place: DVec3) -> f64 {
        place.z - self.below(place.x)
    }

    /// Rate of descent relative to the ground at a velocity, world \[m/s\].
    #[must_use]
    pub fn sink_rate(self, velocity: DVec3) -> f64 {
        self.below(velocity.x) - velocity.z
    }

    /// Pitch angle of a vehicle standing on the ground along the landing direction \[rad\].
    #[must_use]
    pub fn pitch(self) -> f64 {
        atan2(self.slope, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_vertical_and_sink_rates_their_rates() {
        let plane = GroundPlane { slope: 0.02 };
        assert_eq!(plane.below(50.0), 1.0);
        assert_eq!(plane.height(DVec3::new(50.0, 7.0, 1.5)), 0.5);
        assert_eq!(plane.sink_rate(DVec3::new(50.0, 7.0, -0.5)), 1.5);
        assert!((plane.pitch() - 0.02_f64.atan()).abs() < 1e-16);
    }

    #[test]
    fn level_ground_changes_no_bit_of_a_height_and_no_angle() {
        for (x, z) in [(1.0 / 3.0, 0.1), (-2e3, -7.0 / 3.0), (1e9, 1e-9)] {
            assert_eq!(GroundPlane::LEVEL.height(DVec3::new(x, 1.0, z)).to_bits(), z.to_bits());
        }
        assert_eq!(GroundPlane::LEVEL.pitch(), 0.0);
    }
}
