//! What it costs a vehicle to come up a face of the ground: docs/theory/wheels.md, Limits.

use crate::support::flights::example;
use crate::support::landing_jobs::{inputs, job_with};
use crate::support::recording::record;
use crate::support::tricycle::prism;
use glam::DVec3;
use touchdown::query::{Input, LandingJob, LandingState};
use touchdown::scene::Shape;
use touchdown::vehicle::Vehicle;

const GRAVITY: f64 = 1.62;
/// [m/s]
const SPEED: f64 = 1.0;
/// Height of what it comes up [m].
const RISE: f64 = 0.1;

/// Motion, height and axial springs [J].
fn energy(job: &LandingJob, state: &LandingState) -> f64 {
    let (vehicle, motion) = (&job.vehicle, &state.motion);
    let turning = 0.5 * motion.rate.dot(vehicle.inertia.tensor() * motion.rate);
    let moving = 0.5 * vehicle.mass * motion.velocity.length_squared();
    let wheels = vehicle.wheels.iter().zip(&state.wheels);
    let springs: f64 = wheels.map(|(wheel, step)| -0.5 * wheel.parameters.k_z * step.compression.powi(2)).sum();
    turning + moving + springs + vehicle.mass * GRAVITY * motion.position.z
}

/// Most that a lander without dampers gains, on ground without friction, where a face rises at this angle [rad]: as a share of the energy
/// of its motion, with steps of this length [s].
fn gain(angle: f64, step: f64) -> f64 {
    let mut vehicle = Vehicle::read(&example("aircraft/lander.toml")).unwrap();
    for wheel in &mut vehicle.wheels {
        (wheel.parameters.d_z, wheel.parameters.d_xy) = (0.0, 0.0);
    }
    let (sine, cosine) = angle.sin_cos();
    let face = Shape::half_space(DVec3::new(-sine, 0.0, cosine), -6.0 * sine);
    let step_up = Shape::intersection([face, Shape::half_space(DVec3::Z, RISE), prism([0.0, 40.0], [-30.0, 30.0])]);
    let job = LandingJob { gravity: GRAVITY, step, time_limit: 12.0, ..job_with(vehicle, [step_up]) };
    let changes =
        [(Input::Airspeed, SPEED), (Input::SinkRate, 0.0), (Input::Height, 0.0), (Input::FrictionScale, 1e-3)];
    let (_, recording) = record(&job, &inputs(&job.vehicle, &changes));
    let start = energy(&job, &recording.states[0]);
    let most = recording.states.iter().map(|state| energy(&job, state)).fold(f64::NEG_INFINITY, f64::max);
    (most - start) / (0.5 * job.vehicle.mass * SPEED * SPEED)
}

/// What it gains on steeper ones is printed: nothing holds a wheel back that is beside what it comes upon.
#[test]
fn a_vehicle_comes_up_gentle_slopes_with_the_energy_that_it_has() {
    for degrees in [0.0_f64, 10.0, 20.0, 30.0, 45.0, 90.0] {
        let gains = [0.005, 0.001].map(|step| gain(degrees.to_radians(), step));
        println!(
            "{degrees} deg: gains {:.1} % and {:.1} % with steps of 5 and 1 ms",
            100.0 * gains[0],
            100.0 * gains[1]
        );
        assert!(degrees > 20.0 || gains.into_iter().all(|gain| gain < 0.02), "{degrees} deg: {gains:?}");
    }
}
