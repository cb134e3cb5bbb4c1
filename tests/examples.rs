//! The example files are fit for use: they can be read, and a landing as the vehicle's file describes it goes well.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use touchdown::engine::Engine;
use touchdown::query::{LandingClass, LandingInputs, LandingJob, LandingOutcome};
use touchdown::reference::Reference;
use touchdown::scene::Scene;
use touchdown::vehicle::Vehicle;

const STEP: f64 = 0.005;
const EARTH: f64 = 9.80665;
const MOON: f64 = 1.62;

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(file)
}

fn nominal_landing(vehicle: &str, scene: &str, gravity: f64) -> LandingOutcome {
    let vehicle = Vehicle::read(&example(vehicle)).unwrap();
    assert_eq!(vehicle.warnings(STEP), Vec::<String>::new());
    let inputs = LandingInputs::nominal(&vehicle);
    let scene = Scene::read(&example(scene)).unwrap();
    let job = LandingJob { vehicle, scene, gravity, step: STEP, time_limit: 120.0 };
    let outcome = Reference::new(1).unwrap().landings(&job, &[inputs]).unwrap().remove(0);
    assert_eq!(outcome.class, LandingClass::Stopped);
    outcome
}

/// Ground roll [m], from the touchdown of the main wheels to the stop of the centre of gravity.
fn ground_roll(outcome: &LandingOutcome) -> f64 {
    outcome.stop.unwrap().distance
}

#[test]
fn a_cessna_stops_on_a_short_wet_runway() {
    let outcome = nominal_landing("aircraft/c172.toml", "scenes/ybcg17_wet.toml", EARTH);
    // The handbook rolls 160 to 175 m with hard braking on a dry runway; ours brakes moderately on a wet one.
    assert!((170.0..300.0).contains(&ground_roll(&outcome)), "{}", ground_roll(&outcome));
}

#[test]
fn a_boeing_stops_at_the_rate_of_its_automatic_brakes() {
    let outcome = nominal_landing("aircraft/b737.toml", "scenes/lszh14_wet.toml", EARTH);
    // From 63 m/s at 2.2 m/s2: 900 m, and up to 1.5 s of free rolling.
    assert!((900.0..1010.0).contains(&ground_roll(&outcome)), "{}", ground_roll(&outcome));
}

#[test]
fn a_lander_settles_where_it_came_down() {
    let outcome = nominal_landing("aircraft/lander.toml", "scenes/boulders.toml", MOON);
    assert!(outcome.stop.unwrap().point.abs() < 1.0);
}
