//! What must hold of wheels, bodies and whole landings, whoever computes them. Each test prints what it measured.

use crate::support::landing_jobs::{
    DYNAMIC_FRICTION, STATIC_FRICTION, STEP, inputs, job_with, outcome, relative, scene,
};
use crate::support::random::{Random, test_seed};
use crate::support::recording::record;
use crate::support::rigid_body::{PointMass, RigidBody};
use crate::support::tricycle;
use crate::support::tricycle::{DOWN, GRAVITY, LOCKED, MASS, ground, main_wheel, piloted_tricycle};
use glam::{DMat3, DVec3};
use touchdown::query::{Input, LandingClass, LandingJob, Motion, Weather, WheelParameters, WheelState};
use touchdown::reference::Tracer;
use touchdown::scene::{Scene, Shape};
use touchdown::vehicle::Inertia;

// Wheels.

/// A point mass that has come to rest on its locked wheel.
fn settled_point_mass(tracer: &Tracer<'_>, step: f64) -> PointMass {
    let mut body = PointMass::new(MASS / 3.0, main_wheel(), 0.0);
    for _ in 0..(10.0 / step) as usize {
        body.step(tracer, DOWN, LOCKED, step);
    }
    assert_eq!(body.contact.state, WheelState::Standing);
    body
}

/// Gravity on a slope, seen from the slope: it pulls down and towards `way`.
fn slope_gravity(slope: f64, way: DVec3) -> DVec3 {
    GRAVITY * (slope.sin() * way - slope.cos() * DVec3::Z)
}

#[test]
fn one_wheel_holds_on_a_slope_up_to_static_friction_and_slides_by_dynamic_friction_above() {
    let scene = scene(&ground());
    for (name, way, brake) in [("along", DVec3::X, LOCKED), ("across", DVec3::Y, 0.0)] {
        let tracer = Tracer::new(&scene);
        let mut body = settled_point_mass(&tracer, STEP);
        // The slope rises so slowly that the wheel is always at rest on it: 60 s to the limit of 2 %.
        let steepest = (0.98 * STATIC_FRICTION).atan();
        let steps = 12_000;
        for step in 1..=steps {
            body.step(&tracer, slope_gravity(steepest * f64::from(step) / f64::from(steps), way), brake, STEP);
        }
        // The damper lags behind the ramp by some tenths of a second.
        for _ in 0..1_000 {
            body.step(&tracer, slope_gravity(steepest, way), brake, STEP);
        }
        let held = body.position;
        for _ in 0..2_000 {
            body.step(&tracer, slope_gravity(steepest, way), brake, STEP);
        }
        let crept = body.position.distance(held);
        assert_eq!(body.contact.state, WheelState::Standing, "{name}");
        assert!(crept < 1e-6, "{name}: crept {crept} m");

        let slope = (1.02 * STATIC_FRICTION).atan();
        let gravity = slope_gravity(slope, way);
        let slide = |body: &mut PointMass| {
            for _ in 0..1_000 {
                body.step(&tracer, gravity, brake, STEP);
            }
            body.velocity
        };
        let before = slide(&mut body);
        let after = slide(&mut body);
        let found = (after - before).dot(way) / (1_000.0 * STEP);
        let expected = GRAVITY * (slope.sin() - DYNAMIC_FRICTION * slope.cos());
        println!("slope {name}: crept {crept:e} m at 0.98 mu_s; slides within {:e}", relative(found, expected));
        assert!(relative(found, expected) < 1e-3, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn a_locked_point_mass_stops_in_the_distance_of_its_friction() {
    let scene = scene(&ground());
    let tracer = Tracer::new(&scene);
    let mut body = settled_point_mass(&tracer, STEP);
    let start = body.position.x;
    body.velocity.x = 30.0;
    while body.velocity.x > 0.05 {
        body.step(&tracer, DOWN, LOCKED, STEP);
    }
    let (found, expected) = (body.position.x - start, 900.0 / (2.0 * DYNAMIC_FRICTION * GRAVITY));
    println!("point mass stops in {found:.3} m, theory {expected:.3} m, {:.3} %", 100.0 * relative(found, expected));
    assert!(relative(found, expected) < 5e-3);
}

#[test]
fn an_undamped_hop_keeps_its_energy_within_a_fifth_of_a_percent() {
    let scene = scene(&ground());
    let undamped = WheelParameters { d_xy: 0.0, d_z: 0.0, ..main_wheel() };
    let mut worst: f64 = 0.0;
    for drop in [0.05, 0.1, 0.15, 0.2] {
        let tracer = Tracer::new(&scene);
        let mut body = PointMass::new(MASS / 3.0, undamped, drop);
        // Energy per mass above the lowest free height, with the term that semi-implicit Euler conserves in flight.
        let step = 1e-3;
        let energy = |body: &PointMass| {
            let height = body.position.z - undamped.z_max;
            GRAVITY * height + 0.5 * body.velocity.z * (body.velocity.z - GRAVITY * step)
        };
        let (mut before, mut hops, mut in_contact) = (energy(&body), 0, false);
        while hops < 10 {
            body.step(&tracer, DOWN, 0.0, step);
            let touches = body.contact.touches();
            if in_contact && !touches {
                hops += 1;
                worst = worst.max(relative(energy(&body), before));
                before = energy(&body);
            }
            in_contact = touches;
        }
    }
    println!("undamped hops: worst energy error {:.4} %", 100.0 * worst);
    assert!(worst < 2e-3, "{worst}");
}

// The tricycle.

#[test]
fn the_tricycle_stands_for_a_minute_without_drifting() {
    let (scene, vehicle) = (scene(&ground()), tricycle::tricycle(LOCKED));
    let tracer = Tracer::new(&scene);
    let mut body = RigidBody::new(&vehicle, 0.0);
    body.run(&tracer, DOWN, LOCKED, STEP, 10.0);
    let start = body.position;
    let mut drift: f64 = 0.0;
    for _ in 0..12_000 {
        body.step(&tracer, DOWN, LOCKED, STEP);
        drift = drift.max(body.position.distance(start));
    }
    println!("standing tricycle: {drift:e} m of drift in 60 s");
    assert!(!body.is_broken() && drift < 1e-6, "{drift}");
}

#[test]
fn free_rolling_keeps_its_speed() {
    let (scene, vehicle) = (scene(&ground()), tricycle::tricycle(0.0));
    let tracer = Tracer::new(&scene);
    let mut body = RigidBody::new(&vehicle, 0.0);
    body.velocity.x = 30.0;
    body.run(&tracer, DOWN, 0.0, STEP, 20.0);
    let before = body.velocity.x;
    body.run(&tracer, DOWN, 0.0, STEP, 10.0);
    let change = relative(body.velocity.x, before);
    println!("free rolling: {change:e} of the speed lost in 10 s");
    assert!(!body.is_broken() && before > 29.0 && change < 1e-9, "{change}");
}

/// The distance in which the tricycle stops with locked wheels, from 30 m/s on settled springs.
fn braking_distance(step: f64, turn: f64) -> f64 {
    let (scene, vehicle) = (scene(&ground()), tricycle::tricycle(LOCKED));
    let tracer = Tracer::new(&scene);
    let turn = DMat3::from_rotation_z(turn);
    let mut body = RigidBody::new(&vehicle, 0.0);
    body.axes = turn * body.axes;
    body.run(&tracer, DOWN, LOCKED, step, 10.0);
    let start = body.position;
    body.velocity = 30.0 * turn.x_axis;
    while body.velocity.dot(turn.x_axis) > 0.05 {
        body.step(&tracer, DOWN, LOCKED, step);
    }
    assert!(!body.is_broken());
    (body.position - start).dot(turn.x_axis)
}

#[test]
fn the_locked_tricycle_stops_in_the_distance_of_its_friction_in_every_direction() {
    let (found, expected) = (braking_distance(STEP, 0.0), 900.0 / (2.0 * DYNAMIC_FRICTION * GRAVITY));
    println!("tricycle stops in {found:.3} m, theory {expected:.3} m, {:.3} %", 100.0 * relative(found, expected));
    assert!(relative(found, expected) < 5e-3);
    let turned = braking_distance(STEP, std::f64::consts::FRAC_PI_2);
    println!("turned by a quarter: {:e} relative", relative(turned, found));
    assert!(relative(turned, found) < 1e-9);
}

#[test]
fn half_the_step_gives_the_same_stopping_distance() {
    let locked = relative(braking_distance(0.5 * STEP, 0.0), braking_distance(STEP, 0.0));
    let landed = |step: f64| {
        let job = LandingJob { step, ..job_with(piloted_tricycle(), []) };
        let outcome = outcome(&job, &[]);
        assert_eq!(outcome.class, LandingClass::Stopped);
        outcome.stop.unwrap().distance
    };
    let landing = relative(landed(0.5 * STEP), landed(STEP));
    println!("step halved: locked {:.4} %, landing {:.4} %", 100.0 * locked, 100.0 * landing);
    assert!(locked < 5e-3 && landing < 5e-3);
}

/// The tricycle's first two seconds as tests integrate them by hand, in so many Euler steps to each of a landing's: the
/// places after each of the landing's steps.
fn rolled_by_hand(job: &LandingJob, steps: u32) -> Vec<DVec3> {
    let mut body = RigidBody::new(&job.vehicle, job.vehicle.approach.height);
    body.velocity = DVec3::new(job.vehicle.approach.airspeed, 0.0, -job.vehicle.approach.sink_rate);
    let tracer = Tracer::new(&job.scene);
    let count = job.steps_of(job.time_limit) as usize;
    let mut places = Vec::with_capacity(count);
    for _ in 0..count {
        for _ in 0..steps {
            body.step(&tracer, DOWN, 0.0, STEP / f64::from(steps));
        }
        places.push(body.position);
    }
    places
}

#[test]
fn a_landing_follows_the_equations_integrated_by_hand() {
    let vehicle = tricycle::tricycle(0.0);
    let job = LandingJob { time_limit: 1.0, ..job_with(vehicle, []) };
    let worst = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let (coarse, fine) = (rolled_by_hand(&job, 256), rolled_by_hand(&job, 512));
    // Euler's error halves with its step: what is left of it in the finer run is as large as the two runs differ.
    let by_hand = worst(&coarse, &fine);
    let error = |cut: usize| {
        let job = LandingJob { step: job.step / cut as f64, ..job.clone() };
        let (_, recording) = record(&job, &inputs(&job.vehicle, &[]));
        let places: Vec<DVec3> = recording.motions().map(|motion| motion.position).skip(cut - 1).step_by(cut).collect();
        assert_eq!(places.len(), fine.len());
        worst(&places, &fine)
    };
    let (whole, halved) = (error(1), error(2));
    println!("landing against integration by hand: {whole:e} m, {halved:e} m at half the step; by hand {by_hand:e} m");
    // Second order: a quarter, but for what is wrong with the integration by hand.
    assert!(whole < 1e-3 && halved < 0.3 * whole + 2.0 * by_hand, "{whole} {halved} {by_hand}");
}

// Symmetry and invariants.

/// Inputs that change sign in a mirror.
const ODD: [Input; 7] =
    [Input::LateralOffset, Input::Drift, Input::Bank, Input::Crab, Input::RollRate, Input::YawRate, Input::Crosswind];

#[test]
fn a_mirrored_landing_has_the_mirrored_outcome() {
    let job = job_with(piloted_tricycle(), []);
    let mut random = Random::new(test_seed(), 0);
    let mut worst: f64 = 0.0;
    for _ in 0..200 {
        let mut right = inputs(&job.vehicle, &[]);
        ODD.iter().for_each(|&input| right.set(input, random.between(-0.05, 0.05)));
        right.set(Input::LateralOffset, random.between(-3.0, 3.0));
        let mut left = right;
        ODD.iter().for_each(|&input| left.set(input, -right.get(input)));
        let ((a, steps_a), (b, steps_b)) = (record(&job, &right), record(&job, &left));
        assert_eq!((a.class, a.steps, a.steps_in_state), (b.class, b.steps, b.steps_in_state));
        for (a, b) in steps_a.motions().zip(steps_b.motions()) {
            worst = worst.max((a.position - b.position * DVec3::new(1.0, -1.0, 1.0)).length());
            worst = worst.max((a.rate - b.rate * DVec3::new(-1.0, 1.0, -1.0)).length());
        }
        let (a, b) = (a.touchdown.unwrap(), b.touchdown.unwrap());
        for (a, b) in [(a.lateral, -b.lateral), (a.bank, -b.bank), (a.crab, -b.crab), (a.distance, b.distance)] {
            worst = worst.max((a - b).abs());
        }
    }
    println!("mirrored landings differ by {worst:e}");
    assert!(worst < 1e-9, "{worst}");
}

/// Drift of the angular momentum of a tumbling body within 6 s, relative, and of its energy.
fn tumbling_drift(step: f64) -> (f64, f64) {
    let mut vehicle = tricycle::tricycle(0.0);
    vehicle.inertia = Inertia { xx: 1285.0, yy: 1825.0, zz: 2667.0, xy: 60.0, xz: 150.0, yz: -40.0 };
    let scene = Scene::new(&Shape::Nothing, Vec::new(), None, None).unwrap();
    let inputs = inputs(&vehicle, &[(Input::RollRate, 0.9), (Input::PitchRate, -0.5), (Input::YawRate, 0.7)]);
    let job = LandingJob { vehicle, scene, weather: Weather::default(), gravity: 0.0, step, time_limit: 6.0 };
    let (outcome, recording) = record(&job, &inputs);
    assert_eq!(outcome.class, LandingClass::Unfinished);
    let inertia = job.vehicle.inertia.tensor();
    let (first, last) = (recording.states[0].motion, recording.states[recording.states.len() - 1].motion);
    assert!(first.velocity == last.velocity, "nothing pushes it");
    let momentum = |motion: &Motion| motion.orientation * (inertia * motion.rate);
    let energy = |motion: &Motion| 0.5 * motion.rate.dot(inertia * motion.rate);
    let drift = (momentum(&last) - momentum(&first)).length() / momentum(&first).length();
    (drift, relative(energy(&last), energy(&first)))
}

#[test]
fn a_tumbling_body_keeps_angular_momentum_and_energy_to_second_order_of_the_step() {
    let ((momentum, energy), (momentum_half, energy_half)) = (tumbling_drift(STEP), tumbling_drift(0.5 * STEP));
    println!(
        "tumbling 6 s at {STEP} s and half: momentum {momentum:e}, {momentum_half:e}; energy {energy:e}, {energy_half:e}"
    );
    assert!(momentum < 1e-4 && energy < 1e-4);
    for ratio in [momentum / momentum_half, energy / energy_half] {
        assert!((3.8..4.2).contains(&ratio), "halving the step divides the drift by {ratio}");
    }
}
