//! The runway of a scene.

/// Where the pavement of a runway lies and from where landings are measured.
///
/// # Conventions
/// x = 0 is the landing threshold, x points along the landing direction, y to the left; the centreline is y = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runway {
    /// Pavement from its start to its end, displaced part included \[m\].
    pub length: f64,
    /// Whole width \[m\].
    pub width: f64,
    /// From the start of the pavement to the landing threshold \[m\].
    pub displaced_threshold: f64,
}

impl Runway {
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
