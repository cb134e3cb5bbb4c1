//! Sun, sky and haze.
//!
//! # Conventions
//! World coordinates, z up. Light is linear, 1 is the white of the screen.

use glam::{DVec3, Vec3};

/// Light of the sun on a surface that faces it.
const SUN: Vec3 = Vec3::new(1.02, 0.94, 0.80);
/// Light of the sky on a surface that faces up, and of the ground on one that faces down.
const FROM_SKY: Vec3 = Vec3::new(0.27, 0.32, 0.40);
const FROM_GROUND: Vec3 = Vec3::new(0.15, 0.14, 0.12);
/// The sky at the horizon, in which far things vanish, and overhead.
const HORIZON: Vec3 = Vec3::new(0.66, 0.76, 0.86);
const ZENITH: Vec3 = Vec3::new(0.10, 0.24, 0.56);
/// Haze between the eye and what stands as far as rays reach takes all but exp(-2) of its light.
const HAZE: f64 = 2.0;

/// The light of a surface with a unit normal and the colour `albedo`.
pub(super) fn of_surface(albedo: Vec3, normal: DVec3, toward_sun: DVec3, in_sun: bool) -> Vec3 {
    let facing_up = (0.5 + 0.5 * normal.z) as f32;
    let sun = if in_sun { normal.dot(toward_sun).max(0.0) as f32 } else { 0.0 };
    albedo * (SUN * sun + FROM_GROUND.lerp(FROM_SKY, facing_up))
}

/// The sky in a direction, a unit vector. Below the horizon it is all haze.
pub(super) fn of_sky(direction: DVec3) -> Vec3 {
    HORIZON.lerp(ZENITH, direction.z.clamp(0.0, 1.0).sqrt() as f32)
}

/// What is left of a light after `share` of the way that rays reach; none at the end, so that no edge shows there.
pub(super) fn through_haze(light: Vec3, share: f64) -> Vec3 {
    let left = (-HAZE * share).exp() * (1.0 - share.clamp(0.0, 1.0).powi(4));
    HORIZON.lerp(light, left as f32)
}
