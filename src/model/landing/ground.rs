//! Checks that the ground of the runway is where heights are measured from.

use glam::DVec3;

use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::query::{EntryPoints, Ray, RayStatus};
use crate::scene::Scene;

/// Positions on the runway at which the ground is checked, as fractions of its length.
const LOOKED_FOR: [f64; 5] = [0.001, 0.25, 0.5, 0.75, 0.999];
/// Range above and below in which the ground is searched \[m\].
const LOOKED_FAR: f64 = 100.0;
/// Tolerance on the height of the ground \[m\].
const ALLOWANCE: f64 = 0.05;

/// A warning about the first position where it is not; empty if all is well, or without a runway.
pub(super) fn warning(scene: &Scene, engine: &dyn Engine) -> Result<String, EngineError> {
    let Some(runway) = scene.runway() else {
        return Ok(String::new());
    };
    let places = LOOKED_FOR.map(|part| {
        let x = part * runway.length - runway.displaced_threshold;
        DVec3::new(x, 0.0, runway.plane().below(x))
    });
    let far = LOOKED_FAR * DVec3::Z;
    let rays = places.map(|place| Ray::segment(place + far, place - far));
    for ((place, ray), entry) in places.iter().zip(&rays).zip(engine.compute::<EntryPoints>(scene, &rays)?) {
        let above = match entry.status {
            RayStatus::Hit => ray.at(entry.lambda).z - place.z,
            _ => f64::NEG_INFINITY,
        };
        if above.abs() > ALLOWANCE {
            let (x, slope) = (format!("{:.3}", place.x), runway.slope);
            let there = if above.is_finite() {
                let side = if above > 0.0 { "above" } else { "below" };
                format!("the scene's surface is {:.3} m {side}", above.abs())
            } else {
                "the scene has no surface near".to_owned()
            };
            return Ok(format!(
                "warning: on the runway at x = {x} m {there} the plane that heights are measured from, z = {slope} x; \
                 `slope` of [runway] and the ground must agree\n\n"
            ));
        }
    }
    Ok(String::new())
}
