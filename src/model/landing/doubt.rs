//! What the simulation of landings does not have, where a study would meet it.

use glam::DVec2;

use crate::query::rules::{REST_SPEED, REST_TIME};
use crate::query::{LandingJob, stands_on};
use crate::scene::bounded_parts;
use crate::vehicle::Wheel;

/// What is lower is no more than the ground's roughness \[m\].
const LEAST_HEIGHT: f64 = 0.02;

/// What of vehicle, scene and gravity makes outcomes doubtful.
pub(super) fn doubts(job: &LandingJob) -> Vec<String> {
    unsupported(job).into_iter().chain(slow_fall(job)).chain(low_solids(job)).collect()
}

/// Level on all of its wheels it falls over.
fn unsupported(job: &LandingJob) -> Option<String> {
    let places = job.vehicle.wheels.iter().map(|wheel| Some(wheel.position.truncate()));
    (!stands_on(DVec2::ZERO, places)).then(|| {
        "its centre of gravity is not above the inside of the polygon of its wheels: level on the ground it falls over, and no landing ends as \
         `stopped`"
            .to_owned()
    })
}

/// In so little gravity what bounces is slow for as long as a rest takes.
fn slow_fall(job: &LandingJob) -> Option<String> {
    let turned = 2.0 * REST_SPEED / REST_TIME;
    (job.gravity < turned).then(|| {
        format!(
            "gravity = {} m/s²: below {turned} m/s² a vehicle may pass for `stopped` while its springs turn it, wheels touching, \
             slower than {REST_SPEED} m/s for {REST_TIME} s",
            job.gravity
        )
    })
}

/// A wheel looks for ground along its axis alone: beside a solid lower than its travel it is lifted to the top, and not held back.
fn low_solids(job: &LandingJob) -> Option<String> {
    let travel = |wheel: &Wheel| wheel.parameters.z_max - wheel.parameters.z_min;
    let most = job.vehicle.wheels.iter().max_by(|a, b| travel(a).total_cmp(&travel(b)))?;
    let plane = job.scene.ground_plane();
    let heights = bounded_parts(&job.scene).into_iter().map(|part| part.max.z - plane.below(part.center().x));
    let low: Vec<f64> = heights.filter(|height| *height > LEAST_HEIGHT && *height < travel(most)).collect();
    let highest = low.iter().copied().reduce(f64::max)?;
    let (solids, end) = if low.len() == 1 { ("solid", "s") } else { ("solids", "") };
    Some(format!(
        "{} {solids} of the scene end{end} up to {highest:.2} m above the ground, within the {:.2} m of travel of wheel \"{}\": a wheel that \
         comes to a face steeper than 30 deg from beside is lifted onto it and hardly held back, which adds energy",
        low.len(),
        travel(most),
        most.name
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::LandingModel;
    use crate::study::Study;

    fn job_of(example: &str) -> LandingJob {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example);
        Study::read(&path).unwrap().model.downcast::<LandingModel>().unwrap().job().clone()
    }

    #[test]
    fn low_boulders_and_little_gravity_are_told_and_a_runway_on_the_earth_is_not() {
        assert_eq!(doubts(&job_of("c172_wet_runway.toml")), Vec::<String>::new());
        let among_boulders = job_of("lander_boulders.toml");
        let told = doubts(&among_boulders);
        assert!(told.len() == 1 && told[0].starts_with("40 solids of the scene end up to 0.52 m"), "{told:?}");
        let mut nose_heavy = job_of("c172_wet_runway.toml");
        nose_heavy.vehicle.wheels.iter_mut().for_each(|wheel| wheel.position.x -= 2.0);
        let told = doubts(&nose_heavy);
        assert!(told.len() == 1 && told[0].starts_with("its centre of gravity is not above"), "{told:?}");
        let on_an_asteroid = LandingJob { gravity: 0.0057, ..among_boulders };
        let told = doubts(&on_an_asteroid);
        assert!(told.len() == 2 && told[0].starts_with("gravity = 0.0057 m/s²: below 0.2 m/s²"), "{told:?}");
    }
}
