//! The runway of a scene.

use super::GroundPlane;

/// Position of a runway's pavement, and the origin of landing distances.
///
/// # Conventions
/// x = 0, z = 0 is the landing threshold, x points horizontally along the landing direction, y to the left; the
/// centreline is y = 0. Distances along the runway are horizontal: on a slope of 2 % the distance on the pavement is
/// 0.02 % longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runway {
    /// Length of the pavement, displaced part included \[m\].
    pub length: f64,
    /// Full width \[m\].
    pub width: f64,
    /// From the start of the pavement to the landing threshold \[m\].
    pub displaced_threshold: f64,
    /// Rise per distance along the landing direction \[1\], constant from end to end: positive uphill. The ground of
    /// the scene must agree; this defines where heights are measured from.
    pub slope: f64,
    /// Elevation of the landing threshold above sea level \[m\].
    pub elevation: f64,
}

impl Runway {
    /// Largest slope accepted, up or down: the steepest in use, on mountain airfields, reach 0.19.
    pub const STEEPEST: f64 = 0.25;

    /// Range of elevations accepted \[m\]: the lowest land lies at -430 m, the highest airfields at 4,400 m.
    pub const ELEVATIONS: std::ops::RangeInclusive<f64> = -500.0..=9000.0;

    /// The plane that the pavement lies in.
    #[must_use]
    pub fn plane(&self) -> GroundPlane {
        GroundPlane { slope: self.slope }
    }

    /// The slope in words.
    #[must_use]
    pub fn rise(&self) -> String {
        let percent = 100.0 * self.slope;
        if percent == 0.0 {
            "level".to_owned()
        } else {
            format!("{:.2} % {}", percent.abs(), if percent > 0.0 { "uphill" } else { "downhill" })
        }
    }

    /// x of the end of the pavement \[m\]: the landing distance available from the threshold.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.length - self.displaced_threshold
    }

    /// True if a lateral distance from the centreline is beyond the pavement's edge.
    #[must_use]
    pub fn is_beside(&self, lateral: f64) -> bool {
        lateral.abs() > 0.5 * self.width
    }
}
