//! The runway of a scene.

use super::GroundPlane;

/// Where the pavement of a runway lies and from where landings are measured.
///
/// # Conventions
/// x = 0, z = 0 is the landing threshold, x points horizontally along the landing direction, y to the left; the centreline
/// is y = 0. Distances along the runway are horizontal: on a slope of 2 % the way on the pavement is 0.02 % longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runway {
    /// Pavement from its start to its end, displaced part included \[m\].
    pub length: f64,
    /// Whole width \[m\].
    pub width: f64,
    /// From the start of the pavement to the landing threshold \[m\].
    pub displaced_threshold: f64,
    /// Rise per distance along the landing direction \[1\], the same from end to end: positive uphill. The ground of the
    /// scene must lie so as well; this says where heights are measured from.
    pub slope: f64,
}

impl Runway {
    /// Slopes beyond this, up or down, are no runway's: the steepest in use, on mountain airfields, come to 0.19.
    pub const STEEPEST: f64 = 0.25;

    /// The plane that the pavement lies in.
    #[must_use]
    pub fn plane(&self) -> GroundPlane {
        GroundPlane { slope: self.slope }
    }

    /// The slope in words, as of a landing.
    #[must_use]
    pub fn rise(&self) -> String {
        let percent = 100.0 * self.slope;
        if percent == 0.0 {
            "level".to_owned()
        } else {
            format!("{:.2} % {}", percent.abs(), if percent > 0.0 { "uphill" } else { "downhill" })
        }
    }

    /// x of the end of the pavement \[m\]: what is left from the landing threshold.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.length - self.displaced_threshold
    }

    /// True when a distance from the centreline is beyond the pavement's edge.
    #[must_use]
    pub fn is_beside(&self, lateral: f64) -> bool {
        lateral.abs() > 0.5 * self.width
    }
}
