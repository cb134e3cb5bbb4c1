//! What a wheel's strut does: a spring along the wheel's Z axis, a damper along the surface's normal.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]: forces on the pebble, positive where they press the surface.

use crate::query::WheelParameters;

/// Force of the spring \[N\] with the pebble at z on the wheel's axis \[m\].
pub(super) fn axial_force(parameters: &WheelParameters, z: f64) -> f64 {
    parameters.k_z * (z - parameters.z_zero)
}

/// Coefficient of the damper \[N s/m\] at the pebble's speed \[m/s\] into the surface, relative to the wheel frame: a wheel
/// that is compressed has a negative one.
pub(super) fn axial_damping(parameters: &WheelParameters, speed: f64) -> f64 {
    let damper = if speed > 0.0 { parameters.rebound_damper() } else { parameters.compression_damper() };
    damper.linear + damper.square * speed.abs()
}
