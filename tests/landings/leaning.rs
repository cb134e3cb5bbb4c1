//! Wheels that lean, as those of a pitched vehicle do, with springs across that give much more or much less than those along their
//! axes: against closed forms, on every engine, and against finer steps. Each test prints what it measured.

use crate::support::engines::engines;
use crate::support::landing_jobs::{inputs, job_with, scene};
use crate::support::recording::record;
use crate::support::rigid_body::level;
use crate::support::tricycle::{GRAVITY, ground, main_wheel, tricycle};
use glam::{DQuat, DVec3};
use touchdown::job::Compute;
use touchdown::query::{Input, LandingClass, LandingJob, WheelFrame, WheelParameters, Wheels};
use touchdown::vehicle::Vehicle;

/// Of one length of step \[m\] the pebble trails behind.
const WAY: f64 = 1e-6;

#[test]
fn a_leaning_wheel_that_rolls_freely_presses_as_its_springs_do_in_a_row() {
    let scene = scene(&ground());
    let mut worst = engines().map(|_| 0.0_f64);
    // From springs across that are the stiffer ones to some that give forty times as much.
    for softness in [0.5, 1.5, 8.8, 40.0] {
        let p = WheelParameters { k_xy: -40e3 / softness, d_xy: 0.0, d_z: 0.0, ..main_wheel() };
        for lean in [-0.45_f64, -0.2, -0.05, 0.05, 0.2, 0.45] {
            let above = 0.65 * lean.cos();
            let frame = |step: u32| WheelFrame {
                origin: DVec3::new(WAY * f64::from(step), 0.0, above),
                orientation: DQuat::from_rotation_y(-lean) * level(),
                velocity: DVec3::X,
                brake: 0.0,
                brake_friction: 0.0,
            };
            let frames: Vec<WheelFrame> = (0..60).map(frame).collect();
            // The springs stand one behind the other along the normal: the compression of both is that of the row.
            let pressed = (0.70 - 0.65) * lean.cos();
            let expected = pressed / (lean.cos().powi(2) / 40e3 + lean.sin().powi(2) * softness / 40e3);
            for ((engine, exact), worst) in engines().into_iter().zip(&mut worst) {
                let steps = engine.compute::<Wheels>((&scene, &p), std::slice::from_ref(&frames)).unwrap().remove(0);
                let force = steps[steps.len() - 1].force;
                let off = (force - expected * DVec3::Z).length() / expected;
                *worst = worst.max(off);
                // What the pebble trails behind is a force along the axis too.
                let trailing = 2.0 * (1.0 + softness) * WAY / pressed;
                assert!(
                    off < 1e3 * exact + trailing,
                    "{}: springs across give {softness} times as much, {lean} rad: {force} instead of {expected}",
                    engine.identity().engine
                );
            }
        }
    }
    println!("off by at most {} on reference, native and GPU", worst.map(|off| format!("{off:.1e}")).join(", "));
}

#[test]
fn a_pitched_vehicle_on_wheels_that_give_far_across_lands_and_stops() {
    let mut vehicle = tricycle(500.0);
    for wheel in &mut vehicle.wheels {
        let springs = &mut wheel.parameters;
        (springs.k_z, springs.d_z, springs.k_xy, springs.d_xy) = (-300e3, -14e3, -7.5e3, -500.0);
    }
    let job = job_with(vehicle, []);
    let inputs = inputs(&job.vehicle, &[(Input::Airspeed, 20.0), (Input::SinkRate, 0.3), (Input::Pitch, 0.18)]);
    for (engine, _) in engines() {
        let outcome = engine.landings(&job, std::slice::from_ref(&inputs)).unwrap().remove(0);
        let force = outcome.wheels.iter().map(|wheel| wheel.peak_force).fold(0.0, f64::max);
        println!("{}: {:?}, at most {force:.0} N", engine.identity().engine, outcome.class);
        assert_eq!(outcome.class, LandingClass::Stopped, "{}", engine.identity().engine);
    }
}

/// A tricycle that stands nose up, on springs much stiffer across than along.
fn nose_up() -> Vehicle {
    let mut vehicle = tricycle(0.0);
    for wheel in &mut vehicle.wheels {
        if !wheel.main {
            wheel.position.z += 0.17;
        }
        wheel.parameters = WheelParameters { k_xy: -20.0 * 40e3, ..wheel.parameters };
    }
    vehicle
}

#[test]
fn a_leaning_wheel_that_rolls_is_pressed_by_its_load_whatever_the_step() {
    for step in [0.01, 0.005, 0.001] {
        let job = LandingJob { step, time_limit: 4.0, ..job_with(nose_up(), []) };
        let changes = [(Input::Airspeed, 40.0), (Input::SinkRate, 0.1), (Input::Height, 0.01), (Input::Pitch, 0.1)];
        let (_, recording) = record(&job, &inputs(&job.vehicle, &changes));
        let settled = &recording.states[recording.states.len() / 2..];
        let weight = job.vehicle.mass * GRAVITY;
        let forces = settled.iter().map(|state| state.wheels.iter().map(|wheel| wheel.force.z).sum::<f64>());
        let mean = forces.sum::<f64>() / settled.len() as f64;
        println!("steps of {step} s: wheels bear {:.4} of the weight", mean / weight);
        assert!((mean / weight - 1.0).abs() < 1e-3, "steps of {step} s: {mean} N of {weight} N");
        assert!(settled.iter().all(|state| state.wheels.iter().all(|wheel| wheel.contact.touches())));
    }
}

/// It drifts by a metre a second as it touches down, and is held.
#[test]
fn a_leaning_wheel_that_rolls_holds_its_track_whatever_the_step() {
    let deviation = |step: f64| {
        let job = LandingJob { step, time_limit: 4.0, ..job_with(nose_up(), []) };
        let changes = [
            (Input::Airspeed, 20.0),
            (Input::SinkRate, 0.1),
            (Input::Height, 0.01),
            (Input::Pitch, 0.1),
            (Input::Drift, 1.0),
        ];
        record(&job, &inputs(&job.vehicle, &changes)).0.largest_lateral_deviation.unwrap()
    };
    let converged = deviation(0.0002);
    for step in [0.01, 0.005, 0.002] {
        let found = deviation(step);
        println!("steps of {step} s: {found:.3} m beside the centreline, {converged:.3} m with steps of 0.0002 s");
        assert!((found - converged).abs() < 0.1 * converged, "steps of {step} s: {found} m, {converged} m");
    }
}

/// Nothing damps the springs across: what they press on a pebble that trails must not count as load.
#[test]
fn a_leaning_wheel_that_brakes_bears_its_load_whatever_the_step() {
    for (name, brake, brake_friction) in [("locked", f64::INFINITY, 0.0), ("brakes with its load", 0.0, 0.3)] {
        let mut vehicle = nose_up();
        for wheel in &mut vehicle.wheels {
            (wheel.parameters.d_xy, wheel.brake, wheel.brake_friction) = (0.0, brake, brake_friction);
        }
        vehicle.pilot.brake_delay = 0.0;
        let way = |step: f64| {
            let job = LandingJob { step, time_limit: 30.0, ..job_with(vehicle.clone(), []) };
            let changes = [(Input::Airspeed, 20.0), (Input::SinkRate, 0.1), (Input::Height, 0.01), (Input::Pitch, 0.1)];
            let (outcome, recording) = record(&job, &inputs(&job.vehicle, &changes));
            let slow = recording.states.iter().find(|state| state.motion.velocity.x < 5.0);
            println!("{name}, steps of {step} s: {:?}", outcome.class);
            slow.unwrap().motion.position.x - recording.states[0].motion.position.x
        };
        let converged = way(0.0002);
        for step in [0.01, 0.005, 0.002] {
            let found = way(step);
            println!("{name}, steps of {step} s: slow after {found:.2} m, {converged:.2} m with steps of 0.0002 s");
            assert!(
                (found - converged).abs() < 0.05 * converged,
                "{name}, steps of {step} s: {found} m, {converged} m"
            );
        }
    }
}
