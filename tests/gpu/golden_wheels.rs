//! The golden trajectories of wheels on a GPU, within the tolerances that their README gives for f32.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use crate::support::engines::GPU;
use crate::support::gpu;
use crate::support::{
    list, material_named, materials, number, quaternion, read_json, scene, text, vector, wheel_parameters,
};
use glam::DVec3;
use serde_json::Value;
use touchdown::job::Compute;
use touchdown::query::{ClipCase, WheelFrame, WheelState, WheelStep, Wheels};
use touchdown::reference::{Tracer, step_wheel};
use touchdown::scene::Scene;

/// f32 tolerance of forces from the cases' README, of the largest force of the case.
const FORCE_TOLERANCE: f64 = 1e-3;
/// Pebbles are found on rays of at most 0.4 m by lambda, whose tolerance is 1e-4, and stand within 16 m of their frame's origin.
const PEBBLE_TOLERANCE: f64 = 0.4 * 1e-4;

/// The frames of a trajectory: prescribed, or as the reference moves a point mass on the wheel.
fn frames(case: &Value, scene: &Scene) -> Vec<WheelFrame> {
    if case["type"] == "kinematic" {
        let frame = |frame: &Value| WheelFrame {
            origin: vector(&frame["b"]),
            orientation: quaternion(&frame["q"]),
            velocity: vector(&frame["v"]),
            brake: number(&frame["B"]),
            brake_friction: 0.0,
        };
        return list(&case["steps"]).iter().map(frame).collect();
    }
    let (h, mass, gravity) = (number(&case["h"]), number(&case["mass"]), vector(&case["g"]));
    let (mut origin, mut velocity) = (vector(&case["b0"]), vector(&case["v0"]));
    let (tracer, parameters) = (Tracer::new(scene), wheel_parameters(&case["params"]));
    let mut contact = touchdown::query::WheelContact::FREE;
    let mut frames = Vec::new();
    for index in 0..case["n_steps"].as_u64().unwrap() {
        let brake = list(&case["brake"])
            .iter()
            .rfind(|brake| brake["from_step"].as_u64().unwrap() <= index)
            .map_or(0.0, |brake| number(&brake["B"]));
        let frame = WheelFrame { origin, orientation: quaternion(&case["q"]), velocity, brake, brake_friction: 0.0 };
        let step = step_wheel(&tracer, &parameters, &contact, &frame, 1.0);
        contact = step.contact;
        velocity += h * (gravity + step.force / mass);
        origin += h * velocity;
        frames.push(frame);
    }
    frames
}

/// What a step should be: state, force, clip case, pebble.
struct Expected {
    state: WheelState,
    force: DVec3,
    clip_case: ClipCase,
    pebble: DVec3,
}

/// The steps that the reference makes of frames; for prescribed ones these are the golden numbers (`tests/landings/golden_wheel.rs`
/// compares them to 1e-12).
fn expected(case: &Value, scene: &Scene, frames: &[WheelFrame]) -> Vec<Expected> {
    let (tracer, parameters) = (Tracer::new(scene), wheel_parameters(&case["params"]));
    let mut contact = touchdown::query::WheelContact::FREE;
    frames
        .iter()
        .map(|frame| {
            let step = step_wheel(&tracer, &parameters, &contact, frame, 1.0);
            contact = step.contact;
            Expected {
                state: step.contact.state,
                force: step.force,
                clip_case: step.clip_case,
                pebble: step.contact.pebble,
            }
        })
        .collect()
}

fn step_fault(found: &WheelStep, expected: &Expected, largest_force: f64) -> Option<String> {
    let Expected { state, force, clip_case, pebble } = *expected;
    if found.contact.state != state {
        return Some(format!("state {:?} instead of {state:?}", found.contact.state));
    }
    if found.clip_case != clip_case {
        return Some(format!("clip case {:?} instead of {clip_case:?}", found.clip_case));
    }
    if (found.force - force).length() > FORCE_TOLERANCE * largest_force {
        return Some(format!("force {} instead of {force}", found.force));
    }
    (found.contact.touches() && (found.contact.pebble - pebble).length() > PEBBLE_TOLERANCE)
        .then(|| format!("pebble {} instead of {pebble}", found.contact.pebble))
}

#[test]
fn a_gpu_leads_wheels_along_the_golden_trajectories() {
    let gpu = &*GPU;
    let cases = read_json("phi_wheel/wheel_trajectories.json");
    let materials = materials(&cases["materials"]);
    let (mut steps, mut trajectories, mut first_faults) = (0, 0, Vec::new());
    for case in list(&cases["trajectories"]) {
        let default = material_named(&materials, text(&case["default_material"]));
        let scene = scene(&case["scene"], &materials, Some(default));
        let frames = frames(case, &scene);
        let expected = expected(case, &scene, &frames);
        let largest_force = expected.iter().map(|step| step.force.length()).fold(0.0, f64::max);
        let found = gpu.compute::<Wheels>((&scene, &wheel_parameters(&case["params"])), &[frames]).unwrap().remove(0);
        assert_eq!(found.len(), expected.len());
        let fault = found
            .iter()
            .zip(&expected)
            .position(|(found, expected)| step_fault(found, expected, largest_force).is_some());
        if let Some(index) = fault {
            let why = step_fault(&found[index], &expected[index], largest_force).unwrap();
            first_faults.push(format!(
                "{} step {index} of {}: {why}, ill-conditioned: {}",
                case["id"],
                found.len(),
                case["ill_conditioned"]
            ));
        }
        steps += found.len();
        trajectories += 1;
    }
    println!("{steps} steps of {trajectories} trajectories, {} trajectories leave the tolerance", first_faults.len());
    first_faults.iter().for_each(|fault| println!("  {fault}"));
    assert!(trajectories >= 8 && steps > 1000);
    assert!(first_faults.is_empty());
}

#[test]
fn wheels_with_different_numbers_of_frames_go_side_by_side_as_each_by_itself() {
    let cases = read_json("phi_wheel/wheel_trajectories.json");
    let materials = materials(&cases["materials"]);
    let case = list(&cases["trajectories"]).iter().max_by_key(|case| case["n_steps"].as_u64()).unwrap();
    let default = material_named(&materials, text(&case["default_material"]));
    let scene = scene(&case["scene"], &materials, Some(default));
    let parameters = wheel_parameters(&case["params"]);
    let frames = frames(case, &scene);
    let gpu = &*GPU;
    let whole = gpu.compute::<Wheels>((&scene, &parameters), std::slice::from_ref(&frames)).unwrap().remove(0);
    let runs: Vec<Vec<WheelFrame>> = (0..250).map(|run| frames[..1 + run * 37 % frames.len()].to_vec()).collect();
    let all: usize = runs.iter().map(Vec::len).sum();
    assert!(frames.len() > 200 && all > 20_000, "{} of {all} frames", frames.len());
    for chunk in [None, Some(5000), Some(77)] {
        let steps = gpu::open_with(chunk, None).compute::<Wheels>((&scene, &parameters), &runs).unwrap();
        for (run, steps) in runs.iter().zip(&steps) {
            assert!(steps[..] == whole[..run.len()], "{} frames, {chunk:?} at a time", run.len());
        }
    }
}
