//! Strut forces of eight wheels: springs along the wheels' Z axes, dampers along the surface normals.
//!
//! # Conventions
//! As in [`super::wheel`]: forces on the pebbles, positive where they press the surface.

use crate::query::WheelParameters;
use crate::simd::{F64x8, Simd};

/// Forces of the springs \[N\] with the pebbles at z on the wheels' axes \[m\].
#[inline(always)]
pub(super) fn axial_force<S: Simd>(parameters: &WheelParameters, z: F64x8<S>) -> F64x8<S> {
    let Some(strut) = &parameters.strut else {
        return parameters.k_z * (z - parameters.z_zero);
    };
    let compression = parameters.z_zero - z;
    let [first, others @ ..] = strut.lines() else {
        return z.like(0.0);
    };
    // The last line that begins at or before it; the first also goes on below where it begins.
    let (mut begin, mut force, mut slope) = (z.like(first.compression), z.like(first.force), z.like(first.slope));
    for line in others {
        let reached = compression.ge(z.like(line.compression));
        begin = reached.select(z.like(line.compression), begin);
        force = reached.select(z.like(line.force), force);
        slope = reached.select(z.like(line.slope), slope);
    }
    force + slope * (compression - begin)
}

/// Coefficients of the dampers \[N s/m\] at the pebbles' speeds \[m/s\] into the surface, relative to the wheel frames: a
/// wheel that is compressed has a negative one.
#[inline(always)]
pub(super) fn axial_damping<S: Simd>(parameters: &WheelParameters, speed: F64x8<S>) -> F64x8<S> {
    let (compression, rebound) = (parameters.compression_damper(), parameters.rebound_damper());
    let rebounds = speed.gt(speed.like(0.0));
    let linear = rebounds.select(speed.like(rebound.linear), speed.like(compression.linear));
    let square = rebounds.select(speed.like(rebound.square), speed.like(compression.square));
    linear + square * speed.abs()
}
