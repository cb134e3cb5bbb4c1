//! The wheel against the golden cases: functions one by one, then whole trajectories.

use crate::support::{
    flag, list, material_named, materials, number, quaternion, read_json, scene, text, vector, wheel_parameters,
};
use glam::{DMat3, DVec3};
use serde_json::Value;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{ClipCase, WheelContact, WheelFrame, WheelState, Wheels};
use touchdown::reference::{Tracer, clip_force, pebble_border_axes, spring_force, step_wheel};

/// f64 tolerance from the cases' README, of the largest force of the case.
const TOLERANCE: f64 = 1e-12;

#[test]
fn pebble_border_axes_are_those_of_q() {
    let cases = read_json("phi_wheel/wheel_functions.json");
    for case in list(&cases["Q"]) {
        let axes = pebble_border_axes(vector(&case["n"]));
        let expect = &case["expect"];
        let expected =
            DMat3::from_cols(vector(&expect["x_axis"]), vector(&expect["y_axis"]), vector(&expect["z_axis"]));
        assert!((axes - expected).abs().to_cols_array().into_iter().all(|e| e < TOLERANCE), "{}", case["id"]);
        let from_quaternion = DMat3::from_quat(quaternion(&expect["q_wxyz"]));
        assert!((axes - from_quaternion).abs().to_cols_array().into_iter().all(|e| e < 1e-14), "{}", case["id"]);
    }
}

#[test]
fn spring_force_splits_its_damping_along_the_normal() {
    let cases = read_json("phi_wheel/wheel_functions.json");
    let mut compared = 0;
    for case in list(&cases["force"]).iter().filter(|case| case["expect"]["status"] == "ok") {
        let axes = pebble_border_axes(vector(&case["n"]));
        let force =
            spring_force(&wheel_parameters(&case["params"]), vector(&case["p"]), vector(&case["w"]), axes.z_axis);
        let expected = vector(&case["expect"]["F_normal_damping"]);
        assert!((force - expected).length() <= TOLERANCE * expected.length(), "{}", case["id"]);
        compared += 1;
    }
    assert!(compared > 10);
}

#[test]
fn clipping_takes_the_documents_cases() {
    let cases = read_json("phi_wheel/wheel_functions.json");
    for case in list(&cases["clip"]) {
        if flag(&case["ill_conditioned"]) {
            continue;
        }
        let force = vector(&case["F"]);
        let (clipped, clip_case) = clip_force(force, number(&case["mu"]), number(&case["B"]), vector(&case["n"]));
        assert_eq!(clip_case as i64, case["expect"]["case"].as_i64().unwrap(), "{}", case["id"]);
        if clip_case != ClipCase::NoPressingForce {
            let expected = vector(&case["expect"]["F_cl"]);
            assert!((clipped - expected).length() <= TOLERANCE * force.length(), "{}", case["id"]);
        }
    }
}

/// A wheel led through a trajectory of the cases.
struct Run<'a> {
    case: &'a Value,
    tracer: Tracer<'a>,
    contact: WheelContact,
    largest_force: f64,
}

impl Run<'_> {
    fn step(&mut self, frame: &WheelFrame) -> touchdown::query::WheelStep {
        let parameters = wheel_parameters(&self.case["params"]);
        let step = step_wheel(&self.tracer, &parameters, &self.contact, frame, 1.0);
        self.contact = step.contact;
        step
    }

    fn compare(&self, what: &str, found: DVec3, expected: DVec3, scale: f64, index: usize) {
        let error = (found - expected).length();
        assert!(
            error <= TOLERANCE * scale,
            "{} step {index}: {what} {found} instead of {expected}: {:e} of {scale}",
            self.case["id"],
            error / scale
        );
    }
}

fn for_each_trajectory(kind: &str, check: impl Fn(Run<'_>, &touchdown::scene::Scene)) {
    let cases = read_json("phi_wheel/wheel_trajectories.json");
    let materials = materials(&cases["materials"]);
    let mut checked = 0;
    for case in list(&cases["trajectories"]).iter().filter(|case| case["type"] == kind) {
        let default = material_named(&materials, text(&case["default_material"]));
        let scene = scene(&case["scene"], &materials, Some(default));
        let largest_force =
            list(&case["expect"]).iter().map(|expect| vector(&expect["force"]).length()).fold(0.0, f64::max);
        check(Run { case, tracer: Tracer::new(&scene), contact: WheelContact::FREE, largest_force }, &scene);
        checked += 1;
    }
    assert!(checked >= 4);
}

/// Leads the wheels of an engine through the frames of the cases.
fn check_prescribed_frames(engine: &dyn Engine) {
    for_each_trajectory("kinematic", |run, scene| {
        let case = run.case;
        let frames = list(&case["steps"]).iter().map(|frame| WheelFrame {
            origin: vector(&frame["b"]),
            orientation: quaternion(&frame["q"]),
            velocity: vector(&frame["v"]),
            brake: number(&frame["B"]),
            brake_friction: 0.0,
        });
        let steps = engine
            .compute::<Wheels>((scene, &wheel_parameters(&case["params"])), &[frames.collect()])
            .unwrap()
            .remove(0);
        assert_eq!(steps.len(), list(&case["expect"]).len());
        for (index, (step, expect)) in steps.iter().zip(list(&case["expect"])).enumerate() {
            assert_eq!(step.contact.state as u64, expect["S"].as_u64().unwrap(), "{} step {index}", case["id"]);
            run.compare("force", step.force, vector(&expect["force"]), run.largest_force, index);
            assert_eq!(step.clip_case as i64, expect["clip_case"].as_i64().unwrap(), "{} step {index}", case["id"]);
            if step.contact.touches() {
                run.compare("pebble", step.contact.pebble, vector(&expect["p"]), 1.0, index);
                run.compare("normal", step.contact.normal, vector(&expect["n"]), 1.0, index);
                let material = scene.material(step.contact.material.unwrap());
                assert_eq!(material.name, text(&expect["material"]), "{} step {index}", case["id"]);
            }
        }
    });
}

/// The same suite for each engine in f64.
macro_rules! engine_suite {
    ($name:ident, $engine:expr) => {
        mod $name {
            #[test]
            fn prescribed_frames_give_the_golden_states_forces_and_pebbles() {
                super::check_prescribed_frames(&$engine);
            }
        }
    };
}

engine_suite!(reference, touchdown::reference::Reference::new(1).unwrap());
engine_suite!(native, touchdown::native::Native::new(1).unwrap());

#[test]
fn a_point_mass_on_one_wheel_follows_the_golden_path() {
    for_each_trajectory("dynamic", |mut run, _| {
        let case = run.case;
        let (h, mass, gravity) = (number(&case["h"]), number(&case["mass"]), vector(&case["g"]));
        let (mut origin, mut velocity) = (vector(&case["b0"]), vector(&case["v0"]));
        let expected_states: Vec<char> = text(&case["states"]).chars().collect();
        let mut records = list(&case["expect"]).iter().peekable();
        for index in 0..case["n_steps"].as_u64().unwrap() {
            let brake = list(&case["brake"])
                .iter()
                .rfind(|brake| brake["from_step"].as_u64().unwrap() <= index)
                .map_or(0.0, |brake| number(&brake["B"]));
            let frame =
                WheelFrame { origin, orientation: quaternion(&case["q"]), velocity, brake, brake_friction: 0.0 };
            let step = run.step(&frame);
            velocity += h * (gravity + step.force / mass);
            origin += h * velocity;
            let state = step.contact.state;
            assert_eq!(char::from(b'0' + state as u8), expected_states[index as usize], "{} step {index}", case["id"]);
            if let Some(expect) = records.next_if(|expect| expect["step"].as_u64() == Some(index)) {
                let index = index as usize;
                run.compare("force", step.force, vector(&expect["force"]), run.largest_force, index);
                run.compare("place", origin, vector(&expect["b"]), 1.0 + origin.length(), index);
                run.compare("speed", velocity, vector(&expect["v"]), 1.0 + velocity.length(), index);
            }
            if state == WheelState::Broken {
                break;
            }
        }
        assert!(records.peek().is_none_or(|_| run.contact.state == WheelState::Broken), "records left over");
    });
}
