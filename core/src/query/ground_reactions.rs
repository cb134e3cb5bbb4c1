//! Constants and formulas of JSBSim's ground reactions (docs/vehicles.md), for one wheel and for eight.
//!
//! # Conventions
//! SI units: what JSBSim states in feet, pounds and degrees is converted here.

use std::f64::consts::PI;

use crate::elementary::{Real, atan2, sin_cos};

/// Ground whose materials have this coefficient of static friction is that for which the friction of an aircraft's own
/// wheels holds; other ground scales it in proportion \[1\].
pub const OWN_FRICTION_GROUND: f64 = 0.8;
/// A point of contact moves above this speed along the ground \[m/s\]: 1e-3 ft/s.
pub const MIN_SLIP_SPEED: f64 = 3.048e-4;
/// Most sweeps of the projected Gauss-Seidel method.
pub const MAX_FRICTION_SWEEPS: u32 = 50;
/// Friction has settled if a sweep changes it by less in sum over all contacts \[N\]: 1e-5 lbf.
pub const SETTLED_FRICTION: f64 = 1e-5 * 4.448_221_615_260_5;

/// Of the magic formula of the side force: B per radian of slip.
pub const SIDE_STIFFNESS: f64 = 0.06 * 180.0 / PI;
/// Of the magic formula: C.
pub const SIDE_SHAPE: f64 = 2.8;
/// Of the magic formula: E.
pub const SIDE_CURVATURE: f64 = 1.03;

/// Side force over normal force \[1\], not negative, of a wheel with this peak \[1\] whose point of contact moves at
/// these speeds along its rolling direction and across it \[m/s\]: the magic formula (Bakker, Nyborg and Pacejka 1987)
/// with constant coefficients. The speeds are not both zero.
#[inline(always)]
pub fn side_friction<R: Real>(peak: R, along: R, across: R) -> R {
    let one = peak.like(1.0);
    let slip = atan2(across.abs(), along.abs()) * peak.like(SIDE_STIFFNESS);
    let curved = slip - (slip - atan2(slip, one)) * peak.like(SIDE_CURVATURE);
    let (sine, _) = sin_cos(atan2(curved, one) * peak.like(SIDE_SHAPE));
    (sine * peak).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_force_is_the_magic_formula_s() {
        // In degrees, with the standard library's functions, which are good to an ulp or two.
        for degrees in [0.0_f64, 0.01, 1.0, 5.0, 10.0, 20.0, 45.0, 90.0] {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let b = 0.06 * degrees;
            let expected = 0.8 * (2.8 * (b - 1.03 * (b - b.atan())).atan()).sin();
            let found = side_friction(0.8, -3.0 * cosine, 3.0 * sine);
            assert!((found - expected.abs()).abs() < 1e-14, "{degrees} deg: {found} {expected}");
        }
    }
}
