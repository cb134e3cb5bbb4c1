//! The gusts at one moment.

/// The gusts at a vehicle, with what their filters remember \[m/s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gusts {
    /// Along the runway, towards its end.
    pub along: f64,
    /// Across the runway, to the left.
    pub across: f64,
    /// What drives the gust across.
    pub across_drive: f64,
    /// Upwards.
    pub vertical: f64,
    /// What drives the vertical gust.
    pub vertical_drive: f64,
}
