//! Landings beside closed forms: drops, hops, slopes, braking, tipping over and spin. Prints a table of them.

use crate::support::landing_jobs::{DYNAMIC_FRICTION, STEP, inputs, job_with};
use crate::support::recording::record;
use crate::support::tricycle;
use crate::support::tricycle::{GRAVITY, MAIN_BEHIND, MAIN_BESIDE, NOSE_AHEAD, main_wheel, material};
use glam::DVec3;
use touchdown::query::{Input, LandingJob, LandingState, Weather, WheelParameters};
use touchdown::scene::{MaterialId, Scene, Shape};
use touchdown::vehicle::{Inertia, Vehicle, Wheel};

/// Says what was found, and asserts that it is near enough.
fn compare(what: &str, unit: &str, found: f64, expected: f64, tolerance: f64) {
    let error = (found / expected - 1.0).abs();
    println!("{what:<52} {found:>10.5} {unit:<6} closed form {expected:>10.5}, {:.4} %", 100.0 * error);
    assert!(error < tolerance, "{what}: {found} instead of {expected}");
}

/// A body of a ton on four equal wheels about its centre: it heaves and nothing else.
fn table(parameters: WheelParameters) -> Vehicle {
    let mut vehicle = tricycle::tricycle(0.0);
    let wheel = |name: &str, x: f64, y: f64| Wheel {
        name: name.to_owned(),
        position: DVec3::new(x, y, 0.2),
        parameters,
        ..vehicle.wheels[0].clone()
    };
    vehicle.wheels = vec![wheel("a", 1.0, 1.0), wheel("b", 1.0, -1.0), wheel("c", -1.0, 1.0), wheel("d", -1.0, -1.0)];
    vehicle.mass = 1000.0;
    vehicle
}

/// Lets it fall without any other speed; the states after each step.
fn dropped(parameters: WheelParameters, height: f64, time_limit: f64) -> (Vec<LandingState>, [f64; 2]) {
    let job = LandingJob { time_limit, ..job_with(table(parameters), []) };
    let start = [(Input::Airspeed, 0.0), (Input::SinkRate, 0.0), (Input::Height, height)];
    let (outcome, recording) = record(&job, &inputs(&job.vehicle, &start));
    (recording.states, [outcome.wheels[0].peak_force, outcome.wheels[0].peak_compression])
}

fn touches(state: &LandingState) -> bool {
    state.wheels[0].contact.touches()
}

#[test]
fn an_undamped_drop_compresses_as_energy_says_and_comes_back() {
    let undamped = WheelParameters { d_xy: 0.0, d_z: 0.0, ..main_wheel() };
    let (weight, spring, height) = (1000.0 * GRAVITY, -4.0 * undamped.k_z, 0.3);
    let (states, [force, compression]) = dropped(undamped, height, 3.0);
    // spring c^2 / 2 = weight (height + c)
    let deepest = (weight + (weight * weight + 2.0 * spring * weight * height).sqrt()) / spring;
    compare("drop from 0.3 m: compression", "m", compression, deepest, 1e-3);
    compare("drop from 0.3 m: force of a wheel", "N", force, 0.25 * spring * deepest, 1e-3);
    let top = states[0].motion.position.z;
    let last_contact = states.iter().rposition(touches).unwrap();
    let hops = states.windows(2).filter(|pair| touches(&pair[0]) && !touches(&pair[1])).count();
    let apex = states[..last_contact].iter().rev().take_while(|state| !touches(state)).count();
    let highest = states[100..].iter().map(|state| state.motion.position.z).fold(0.0, f64::max);
    println!("{hops} hops, {apex} steps since the last one");
    assert!(hops >= 2);
    compare("height after hops", "m", highest, top, 1e-3);
}

#[test]
fn a_damped_drop_rebounds_as_the_oscillator_says() {
    // Damped lightly enough to leave the ground.
    let wheel = WheelParameters { d_z: -800.0, ..main_wheel() };
    let (mass, spring, damper, height) = (1000.0, -4.0 * wheel.k_z, -4.0 * wheel.d_z, 0.2);
    let (states, _) = dropped(wheel, height, 1.5);
    // m x'' + d x' + k x = m g from x = 0 with the speed of the fall, until k x + d x' = 0.
    let speed = (2.0 * GRAVITY * height).sqrt();
    let (decay, rest) = (0.5 * damper / mass, mass * GRAVITY / spring);
    let frequency = (spring / mass - decay * decay).sqrt();
    let sine = (speed - decay * rest) / frequency;
    let place = |t: f64| rest + (-decay * t).exp() * (sine * (frequency * t).sin() - rest * (frequency * t).cos());
    let rate = |t: f64| (place(t + 1e-6) - place(t - 1e-6)) / 2e-6;
    let force = |t: f64| spring * place(t) + damper * rate(t);
    // It rises fastest before it leaves the ground. Samples are off by less than 1e-7 of it there, and leapfrog
    // steps of a tenth of a mode's time by (1/10)^2 / 24 of its rate: 4e-4.
    let times = (1..20_000).map(|index| f64::from(index) * 3e-4 / frequency);
    let fastest = times.take_while(|&time| force(time) > 0.0).map(|time| -rate(time)).fold(0.0, f64::max);
    let rebound = states.iter().map(|state| state.motion.velocity.z).fold(0.0, f64::max);
    compare("drop from 0.2 m with dampers: rebound", "m/s", rebound, fastest, 1e-3);
}

/// A scene of one plane through the origin with this normal.
fn plane(normal: DVec3, friction: f64) -> Scene {
    let shape = Shape::half_space(normal, 0.0);
    Scene::new(&shape, vec![material("ground", friction, friction)], Some(MaterialId(0)), None).unwrap()
}

#[test]
fn free_rolling_down_a_slope_gathers_speed_as_gravity_says() {
    for slope in [0.01_f64, 0.03] {
        let vehicle = tricycle::tricycle(0.0);
        let job = LandingJob {
            vehicle,
            scene: plane(DVec3::new(slope.sin(), 0.0, slope.cos()), 0.5),
            weather: Weather::default(),
            gravity: GRAVITY,
            step: STEP,
            time_limit: 20.0,
        };
        let start = [
            (Input::Airspeed, 10.0),
            (Input::SinkRate, 10.0 * slope.tan()),
            (Input::Pitch, -slope),
            (Input::Height, 0.05),
        ];
        let (_, recording) = record(&job, &inputs(&job.vehicle, &start));
        let speed = |index: usize| recording.states[index].motion.velocity.length();
        // Once the springs have settled.
        let (from, to) = (1600, recording.states.len() - 1);
        let found = (speed(to) - speed(from)) / (STEP * (to - from) as f64);
        compare(&format!("free roll down {slope} rad"), "m/s2", found, GRAVITY * slope.sin(), 1e-3);
    }
}

#[test]
fn braking_with_the_mains_alone_takes_the_distance_of_the_load_that_is_left_on_them() {
    let mut vehicle = tricycle::tricycle(1e9);
    vehicle.wheels[2].brake = 0.0;
    vehicle.pilot.brake_delay = 4.0;
    let job = LandingJob { time_limit: 60.0, ..job_with(vehicle, []) };
    let start = [(Input::Airspeed, 30.0), (Input::SinkRate, 0.1), (Input::Height, 0.02)];
    let (_, recording) = record(&job, &inputs(&job.vehicle, &start));
    let states = &recording.states;
    // A second of braking from 20 m/s on, and its middle.
    let from = states.iter().position(|state| state.motion.velocity.x < 20.0).unwrap();
    let (second, middle) = ((1.0 / STEP) as usize, from + (0.5 / STEP) as usize);
    let found = states[from].motion.velocity.x - states[from + second].motion.velocity.x;
    // Contacts are those in the middle of the last sub-step, from which the body has moved on.
    let state = &states[middle];
    let moved = 0.5 * state.motion.velocity.x * STEP / f64::from(job.vehicle.gear_substeps(STEP).calm);
    let ahead = |wheel: usize| state.wheels[wheel].application.x - state.motion.position.x + moved;
    let (main, nose, height) = (ahead(0), ahead(2), state.motion.position.z);
    // Moments about the centre of gravity: the mains carry m g nose / (nose - main + mu height), the wheels standing where
    // springs and pitch have taken them.
    let expected = DYNAMIC_FRICTION * GRAVITY * nose / (nose - main + DYNAMIC_FRICTION * height);
    compare("braking with the mains alone", "m/s2", found, expected, 2e-3);
}

/// The tricycle on gear so stiff that it stands as a rigid body, let down on a side slope; its bank from the slope at the
/// end.
fn bank_on_side_slope(slope: f64) -> f64 {
    let mut vehicle = tricycle::tricycle(1e9);
    for wheel in &mut vehicle.wheels {
        let p = &mut wheel.parameters;
        (p.k_xy, p.k_z, p.d_xy, p.d_z) = (-4e6, -4e6, -8e4, -8e4);
    }
    let job = LandingJob {
        vehicle,
        // Falls to the right.
        scene: plane(DVec3::new(0.0, -slope.sin(), slope.cos()), 2.0),
        weather: Weather::default(),
        gravity: GRAVITY,
        step: STEP,
        time_limit: 3.0,
    };
    // The centre of gravity 0.9 m and a little above the slope.
    let above = 0.905;
    let lowest_main = -above_low(slope);
    let start = [
        (Input::Airspeed, 0.0),
        (Input::SinkRate, 0.0),
        (Input::Bank, slope),
        (Input::LateralOffset, -above * slope.sin()),
        (Input::Height, above * slope.cos() + lowest_main),
    ];
    let (_, recording) = record(&job, &inputs(&job.vehicle, &start));
    let last = &recording.states[recording.states.len() - 1];
    last.motion.bank() - slope
}

/// How far the foot of the lower main wheel is below the centre of gravity at this bank [m].
fn above_low(bank: f64) -> f64 {
    0.9 * bank.cos() + MAIN_BESIDE * bank.sin()
}

#[test]
fn a_vehicle_tips_over_where_its_upper_wheel_carries_nothing() {
    // Moments about the rolling axis and about the lateral one: the mains share what the nose leaves them.
    let height = 0.9;
    let critical = (MAIN_BESIDE * NOSE_AHEAD / (NOSE_AHEAD + MAIN_BEHIND) / height).atan();
    let (below, beyond) = (bank_on_side_slope(0.97 * critical), bank_on_side_slope(1.03 * critical));
    println!("tipping over at {critical:.4} rad: leans {below:.4} rad at 0.97 of it, {beyond:.4} rad at 1.03 of it");
    assert!(below.abs() < 0.02 && beyond > 0.1, "{below} {beyond}");
}

#[test]
fn a_symmetric_top_precesses_as_euler_says() {
    let mut vehicle = tricycle::tricycle(0.0);
    vehicle.inertia = Inertia { xx: 1500.0, yy: 1500.0, zz: 2700.0, xy: 0.0, xz: 0.0, yz: 0.0 };
    let scene = Scene::new(&Shape::Nothing, Vec::new(), None, None).unwrap();
    let start = inputs(&vehicle, &[(Input::RollRate, 0.8), (Input::YawRate, 1.2)]);
    let job = LandingJob { vehicle, scene, weather: Weather::default(), gravity: 0.0, step: STEP, time_limit: 6.0 };
    let (_, recording) = record(&job, &start);
    let rate = recording.states[recording.states.len() - 1].motion.rate;
    // The rate turns about the axis of symmetry by (I_3 - I_1) / I_1 of its part along it.
    let angle: f64 = 6.0 * 1.2 * (2700.0 - 1500.0) / 1500.0;
    let expected = DVec3::new(0.8 * angle.cos(), 0.8 * angle.sin(), 1.2);
    let error = rate.distance(expected) / expected.length();
    println!("precession of a top, 6 s: {error:.2e} of the rate");
    assert!(error < 1e-4, "{rate} instead of {expected}");
}
