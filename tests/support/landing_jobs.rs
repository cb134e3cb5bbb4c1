//! Landings of the tricycle on a runway of one material.
#![allow(dead_code, reason = "each test file uses its own part")]

use touchdown::engine::Engine;
use touchdown::query::{Input, LandingInputs, LandingJob, LandingOutcome, Weather};
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Runway, Scene, Shape};
use touchdown::vehicle::Vehicle;

use super::tricycle::{GRAVITY, ground, material};

pub const STEP: f64 = 0.005;
pub const STATIC_FRICTION: f64 = 0.5;
pub const DYNAMIC_FRICTION: f64 = 0.35;
pub const LENGTH: f64 = 600.0;
pub const WIDTH: f64 = 23.0;

pub fn scene(shape: &Shape) -> Scene {
    let runway = Runway { length: LENGTH, width: WIDTH, displaced_threshold: 0.0, slope: 0.0, elevation: 0.0 };
    let materials = vec![material("runway", STATIC_FRICTION, DYNAMIC_FRICTION)];
    Scene::new(shape, materials, Some(MaterialId(0)), Some(runway)).unwrap()
}

/// Landings on the ground, and whatever stands on it.
pub fn job_with(vehicle: Vehicle, things: impl IntoIterator<Item = Shape>) -> LandingJob {
    let shape = Shape::union(std::iter::once(ground()).chain(things));
    LandingJob {
        vehicle,
        scene: scene(&shape),
        weather: Weather::default(),
        gravity: GRAVITY,
        step: STEP,
        time_limit: 60.0,
    }
}

/// The vehicle's own inputs with some changed.
pub fn inputs(vehicle: &Vehicle, changes: &[(Input, f64)]) -> LandingInputs {
    let mut inputs = LandingInputs::nominal(vehicle);
    changes.iter().for_each(|&(input, value)| inputs.set(input, value));
    inputs
}

pub fn outcome(job: &LandingJob, changes: &[(Input, f64)]) -> LandingOutcome {
    Reference::new(1).unwrap().landings(job, &[inputs(&job.vehicle, changes)]).unwrap().remove(0)
}

/// How far a number is from another, as a share of that.
pub fn relative(found: f64, expected: f64) -> f64 {
    (found / expected - 1.0).abs()
}
