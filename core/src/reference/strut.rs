//! Strut forces: a spring along the wheel's Z axis, a damper along the surface normal.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]: forces on the pebble, positive where they press the surface.

use crate::query::WheelParameters;

/// Force of the spring \[N\] with the pebble at z on the wheel's axis \[m\].
pub(super) fn axial_force(parameters: &WheelParameters, z: f64) -> f64 {
    let Some(strut) = &parameters.strut else {
        return parameters.k_z * (z - parameters.z_zero);
    };
    let compression = parameters.z_zero - z;
    // The last line that begins at or before it; the first also goes on below where it begins.
    let [first, others @ ..] = strut.lines() else {
        return 0.0;
    };
    let line = others.iter().rev().find(|line| compression >= line.compression).unwrap_or(first);
    line.force + line.slope * (compression - line.compression)
}

/// Coefficient of the damper \[N s/m\] at the pebble's velocity \[m/s\] into the surface, relative to the wheel frame:
/// negative in compression.
pub(super) fn axial_damping(parameters: &WheelParameters, speed: f64) -> f64 {
    let damper = if speed > 0.0 { parameters.rebound_damper() } else { parameters.compression_damper() };
    damper.linear + damper.square * speed.abs()
}
