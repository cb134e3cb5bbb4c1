//! Gusts at one instant.

/// The gusts at a vehicle, with the states of their filters \[m/s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gusts {
    /// Along the runway, towards its end.
    pub along: f64,
    /// Across the runway, to the left.
    pub across: f64,
    /// Driving state of the lateral gust.
    pub across_drive: f64,
    /// Upwards.
    pub vertical: f64,
    /// Driving state of the vertical gust.
    pub vertical_drive: f64,
}
