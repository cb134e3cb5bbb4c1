//! What it costs a vehicle to come up a face of the ground: docs/theory/wheels.md, R15; and that a wheel is pressed by its load however it leans.

use crate::support::flights::example;
use crate::support::landing_jobs::{inputs, job_with};
use crate::support::recording::record;
use crate::support::tricycle::{GRAVITY, prism, tricycle};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::query::{Input, LandingJob, LandingOutcome, LandingState, WheelParameters};
use touchdown::scene::Shape;
use touchdown::vehicle::Vehicle;

const MOON: f64 = 1.62;
/// Height of what it comes up [m].
const RISE: f64 = 0.1;

/// Motion, height and axial springs [J].
fn energy(job: &LandingJob, state: &LandingState) -> f64 {
    let (vehicle, motion) = (&job.vehicle, &state.motion);
    let turning = 0.5 * motion.rate.dot(vehicle.inertia.tensor() * motion.rate);
    let moving = 0.5 * vehicle.mass * motion.velocity.length_squared();
    let wheels = vehicle.wheels.iter().zip(&state.wheels);
    let springs: f64 = wheels.map(|(wheel, step)| -0.5 * wheel.parameters.k_z * step.compression.powi(2)).sum();
    turning + moving + springs + vehicle.mass * MOON * motion.position.z
}

/// A lander without dampers on ground without friction, where a face rises at this angle [rad] to [`RISE`].
fn before_a_face(angle: f64, step: f64) -> LandingJob {
    let mut vehicle = Vehicle::read(&example("aircraft/lander.toml")).unwrap();
    for wheel in &mut vehicle.wheels {
        (wheel.parameters.d_z, wheel.parameters.d_xy) = (0.0, 0.0);
    }
    let (sine, cosine) = angle.sin_cos();
    let face = Shape::half_space(DVec3::new(-sine, 0.0, cosine), -6.0 * sine);
    let step_up = Shape::intersection([face, Shape::half_space(DVec3::Z, RISE), prism([0.0, 40.0], [-30.0, 30.0])]);
    LandingJob { gravity: MOON, step, time_limit: 12.0, ..job_with(vehicle, [step_up]) }
}

/// It comes to the face on its legs, at this speed [m/s].
fn at_speed(speed: f64) -> [(Input, f64); 4] {
    [(Input::Airspeed, speed), (Input::SinkRate, 0.0), (Input::Height, 0.0), (Input::FrictionScale, 1e-3)]
}

/// Most that it gains, as a share of the energy of its motion, and where all of it is in the end and how fast: [m], [m/s].
fn climb(job: &LandingJob, speed: f64) -> (f64, f64, f64) {
    let (_, recording) = record(job, &inputs(&job.vehicle, &at_speed(speed)));
    let start = energy(job, &recording.states[0]);
    let most = recording.states.iter().map(|state| energy(job, state)).fold(f64::NEG_INFINITY, f64::max);
    let end = recording.states.last().unwrap().motion;
    ((most - start) / (0.5 * job.vehicle.mass * speed * speed), end.position.x, end.velocity.x)
}

#[test]
fn a_vehicle_comes_up_faces_with_the_energy_that_it_has() {
    for degrees in [0.0_f64, 10.0, 20.0, 30.0, 45.0, 60.0, 90.0] {
        for (speed, step) in [(1.0, 0.005), (1.0, 0.001), (3.0, 0.005)] {
            let (gain, place, velocity) = climb(&before_a_face(degrees.to_radians(), step), speed);
            println!(
                "{degrees} deg at {speed} m/s, steps of {step} s: gains {:.1} %, ends at {place:.1} m with {velocity:.2} m/s",
                100.0 * gain
            );
            assert!(gain < 0.01, "{degrees} deg: {gain}");
        }
    }
}

/// It lifts its whole weight by the rise.
#[test]
fn a_kerb_stops_what_is_too_slow_for_it_and_not_what_is_fast() {
    let enough = (2.0 * MOON * RISE).sqrt();
    for degrees in [45.0_f64, 90.0] {
        let job = before_a_face(degrees.to_radians(), 0.005);
        let (_, place, velocity) = climb(&job, 0.5 * enough);
        assert!(place < 6.0 && velocity < 0.0, "{degrees} deg: {place} m, {velocity} m/s");
        let (_, place, velocity) = climb(&job, 5.0 * enough);
        assert!(place > 8.0 && velocity > enough, "{degrees} deg: {place} m, {velocity} m/s");
    }
}

#[test]
fn landings_before_faces_have_the_references_bits_in_lanes() {
    for degrees in [30.0_f64, 45.0, 90.0] {
        let job = before_a_face(degrees.to_radians(), 0.005);
        let all: Vec<_> = (1..=20).map(|tenths| inputs(&job.vehicle, &at_speed(0.1 * f64::from(tenths)))).collect();
        let in_lanes: Vec<LandingOutcome> = Native::new(1).unwrap().landings(&job, &all).unwrap();
        for (inputs, found) in all.iter().zip(in_lanes) {
            let expected = record(&job, inputs).0;
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{degrees} deg");
        }
    }
}

/// A tricycle that stands nose up, on springs much stiffer across than along.
fn leaning() -> Vehicle {
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
        let job = LandingJob { step, time_limit: 4.0, ..job_with(leaning(), []) };
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
    let warned = leaning_at(40.0).warnings(0.005);
    assert!(warned.iter().any(|warning| warning.starts_with("step 0.005 s is long for wheels.")), "{warned:?}");
    let calm = leaning_at(0.1).warnings(0.005);
    assert!(!calm.iter().any(|warning| warning.contains("is long for wheels.")), "{calm:?}");
}

fn leaning_at(airspeed: f64) -> Vehicle {
    let mut vehicle = leaning();
    vehicle.approach.airspeed = airspeed;
    vehicle
}
