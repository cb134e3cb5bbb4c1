//! What wheels can do beside a linear spring and damper, against closed forms. Each test prints what it measured.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use crate::support::engines::{GPU, REFERENCE, engines};
use crate::support::landing_jobs;
use crate::support::landing_jobs::{LENGTH, job_with, outcome, relative, scene};
use crate::support::random::{Random, test_seed};
use crate::support::recording;
use crate::support::rigid_body::{PointMass, level};
use crate::support::tricycle;
use crate::support::tricycle::{DOWN, GRAVITY, LOCKED, MASS, ground, main_wheel, material};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{
    Damper, Input, LandingClass, LandingInputs, LandingJob, Strut, Tyre, WheelFrame, WheelParameters, WheelStep, Wheels,
};
use touchdown::reference::{Tracer, spring_force};
use touchdown::scene::{Material, MaterialId, Runway, Scene, SurfaceDrag};
use touchdown::vehicle::{ContactFriction, GroundReactions, Inertia, Vehicle};

/// Short enough that an oscillation's amplitude is right to some 1e-4.
const FINE_STEP: f64 = 1e-5;

/// A level wheel on the ground, this high above it and with this speed: found there in one step, pressed in the next.
fn pressed(
    engine: &dyn Engine,
    scene: &Scene,
    parameters: &WheelParameters,
    height: f64,
    velocity: DVec3,
) -> WheelStep {
    let origin = DVec3::Z * height;
    let frame = WheelFrame { origin, orientation: level(), velocity, brake: LOCKED, brake_friction: 0.0 };
    engine.compute::<Wheels>((scene, parameters), &[vec![frame; 2]]).unwrap()[0][1]
}

// Dampers.

const REBOUND: Damper = Damper { linear: -5200.0, square: -900.0 };

fn damped() -> WheelParameters {
    WheelParameters { d_z: -1500.0, d_z_square: -2400.0, rebound: Some(REBOUND), ..main_wheel() }
}

#[test]
fn compression_and_rebound_are_damped_by_dampers_of_their_own_on_every_engine() {
    let (scene, p) = (scene(&ground()), damped());
    let compression = 0.2;
    let mut worst: f64 = 0.0;
    for (engine, exact) in engines() {
        for speed in [0.0, 0.3, -0.4, 1.0, -0.9, 2.5] {
            let step = pressed(engine, &scene, &p, p.z_zero - compression, DVec3::new(0.0, 0.0, -speed));
            let (linear, square) = if speed > 0.0 { (1500.0, 2400.0) } else { (5200.0, 900.0) };
            let expected = 40e3 * compression + (linear + square * speed.abs()) * speed;
            let off = relative(step.normal_force, expected).max(relative(step.force.z, expected));
            assert!(off < exact, "{} at {speed} m/s: {} of {expected}", engine.identity().engine, step.force.z);
            worst = worst.max(off);
        }
    }
    println!("damped force at prescribed speeds on three engines: worst {worst:e} relative");
}

/// Successive extremes of a point mass about its rest on a wheel, the first `amplitude` above it \[m\].
fn extremes(p: WheelParameters, mass: f64, amplitude: f64, count: usize) -> Vec<f64> {
    let scene = scene(&ground());
    let tracer = Tracer::new(&scene);
    let mut body = PointMass::new(mass, p, 0.0);
    let rest = p.z_zero + mass * GRAVITY / p.k_z;
    body.position.z = rest + amplitude;
    // The step that finds the ground gives no force.
    body.step(&tracer, DVec3::ZERO, LOCKED, FINE_STEP);
    body.position.z = rest + amplitude;
    body.velocity = DVec3::ZERO;
    let mut found = Vec::new();
    let (mut speed, mut extreme) = (0.0, body.position.z);
    while found.len() < count {
        body.step(&tracer, DOWN, LOCKED, FINE_STEP);
        assert!(body.contact.touches());
        if body.velocity.z * speed < 0.0 {
            found.push((extreme - rest).abs());
        }
        (speed, extreme) = (body.velocity.z, body.position.z);
    }
    found
}

#[test]
fn each_half_swing_decays_by_the_damping_ratio_of_its_direction() {
    let mass = 400.0;
    let p = WheelParameters {
        d_z: -1200.0,
        rebound: Some(Damper { linear: -3000.0, square: 0.0 }),
        z_min: 0.0,
        ..main_wheel()
    };
    let (mut amplitude, mut worst) = (0.06, 0.0_f64);
    for (index, found) in extremes(p, mass, amplitude, 4).into_iter().enumerate() {
        // From above the wheel is compressed first.
        let damping = if index % 2 == 0 { 1200.0 } else { 3000.0 };
        let ratio = damping / (2.0 * f64::sqrt(40e3 * mass));
        amplitude *= f64::exp(-std::f64::consts::PI * ratio / (1.0 - ratio * ratio).sqrt());
        worst = worst.max(relative(found, amplitude));
    }
    println!("piecewise linear oscillation: worst extreme {worst:e} relative");
    assert!(worst < 1e-3, "{worst}");
}

/// The amplitude after half a swing with a square damper alone. With a = 2 e / m the first integral of
/// m x'' = -k x - e x' |x'| from -A to B is (1 - a B) exp(a B) = (1 + a A) exp(-a A).
fn after_half_a_swing(amplitude: f64, a: f64) -> f64 {
    let right = (1.0 + a * amplitude) * (-a * amplitude).exp();
    let (mut low, mut high) = (0.0, amplitude);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if (1.0 - a * middle) * (a * middle).exp() > right { low = middle } else { high = middle }
    }
    low
}

#[test]
fn a_square_damper_takes_the_amplitude_that_its_first_integral_says() {
    let mass = 400.0;
    let square = 3000.0;
    let p = WheelParameters { d_z: 0.0, d_z_square: -square, z_min: 0.0, ..main_wheel() };
    let (mut amplitude, mut worst) = (0.06, 0.0_f64);
    for found in extremes(p, mass, amplitude, 6) {
        let next = after_half_a_swing(amplitude, 2.0 * square / mass);
        worst = worst.max(relative(found, next));
        assert!(next < 0.9 * amplitude);
        amplitude = next;
    }
    println!("square damper: worst extreme {worst:e} relative, last amplitude {amplitude:.4} m");
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn dampers_take_energy_at_every_speed_and_are_continuous_at_rest() {
    let mut random = Random::new(test_seed(), 50);
    let mut least: f64 = f64::INFINITY;
    for _ in 0..10_000 {
        let mut coefficient = || if random.chance(0.2) { 0.0 } else { -random.between(0.0, 5e3) };
        let p = WheelParameters {
            d_xy: coefficient(),
            d_z: coefficient(),
            d_z_square: coefficient(),
            rebound: Some(Damper { linear: coefficient(), square: coefficient() }),
            ..main_wheel()
        };
        let (pebble, down) = (DVec3::new(0.0, 0.0, 0.5), random.direction());
        let velocity = random.in_cube(3.0);
        let damping =
            |velocity: DVec3| spring_force(&p, pebble, velocity, down) - spring_force(&p, pebble, DVec3::ZERO, down);
        let power = damping(velocity).dot(velocity);
        least = least.min(-power);
        // Roundings of the springs' force, which cancels.
        assert!(power <= 1e-9, "{power} W from {p:?} at {velocity}");
        let slow = 1e-9 * velocity;
        assert!((damping(slow) - damping(-slow)).length() <= 1e-9 * 2.0 * 1e4 * velocity.length() + 1e-10);
    }
    println!("dampers take at least {least:e} W");
}

#[test]
fn the_rate_of_the_gear_is_that_of_its_steepest_damper() {
    let mut vehicle = tricycle::tricycle(0.0);
    // So heavy to turn that heaving is the fastest mode.
    let Inertia { xx, yy, zz, .. } = vehicle.inertia;
    vehicle.inertia = Inertia { xx: 1e6 * xx, yy: 1e6 * yy, zz: 1e6 * zz, ..vehicle.inertia };
    let sink_rate = vehicle.approach.sink_rate;
    assert!(sink_rate > 0.0);
    let linear = WheelParameters { rebound: Some(Damper { linear: -1e6, square: 0.0 }), ..main_wheel() };
    let square = WheelParameters { d_z_square: -1e6, ..main_wheel() };
    // A square damper has its slope at the sink rate.
    for (p, damping) in [(linear, 1e6), (square, 2e6 * sink_rate - main_wheel().d_z)] {
        vehicle.wheels.iter_mut().for_each(|wheel| wheel.parameters = p);
        let rate = vehicle.gear_modes().rate();
        let expected = 3.0 * damping / MASS;
        println!("dampers of {damping:e} N s/m: rate {rate:.1} /s of {expected:.1} /s");
        assert!(relative(rate, expected) < 1e-4);
        // 64 sub-steps with a tenth, and with half, of the mode's time each.
        for (limit, expected, words) in [
            (vehicle.greatest_step(), 6.4 / expected, "peaks within 1 %"),
            (vehicle.greatest_stable_step(), 32.0 / expected, "is stable"),
        ] {
            assert!(relative(limit, expected) < 1e-4);
            let warns = |step: f64| vehicle.warnings(step).iter().any(|warning| warning.contains(words));
            assert!(!warns(0.99 * limit) && warns(1.01 * limit));
        }
    }
}

#[test]
fn stiff_gear_comes_to_rest_up_to_the_stable_limit_of_the_step() {
    let damped = WheelParameters { d_z: -2e6, ..main_wheel() };
    let sprung = WheelParameters { k_z: -4e9, d_z: -3e5, ..main_wheel() };
    for (name, p) in [("damped", damped), ("sprung", sprung)] {
        let mut vehicle = tricycle::tricycle(LOCKED);
        vehicle.wheels.iter_mut().for_each(|wheel| wheel.parameters = p);
        vehicle.pilot.brake_level = 1.0;
        let step = 0.99 * vehicle.greatest_stable_step();
        let substeps = vehicle.gear_substeps(step);
        let job = LandingJob { step, time_limit: 20.0, ..job_with(vehicle, []) };
        let changes = [(Input::Airspeed, 3.0), (Input::SinkRate, 0.3), (Input::Height, 0.01)];
        let outcome = outcome(&job, &changes);
        println!("{name}: steps of {step:e} s, {substeps:?}: {:?} at {:?}", outcome.class, outcome.stop);
        assert_eq!((substeps.calm, outcome.class), (64, LandingClass::Stopped), "{name}: {outcome:?}");
    }
}

// Brakes.

/// The tricycle, each wheel with this rolling resistance and brake, and a pilot who holds this pedal from touchdown on.
fn rolling(rolling_resistance: f64, brake_friction: f64, pedal: f64) -> Vehicle {
    let mut vehicle = tricycle::tricycle(0.0);
    vehicle.pilot.brake_level = pedal;
    for wheel in &mut vehicle.wheels {
        wheel.parameters.rolling_resistance = rolling_resistance;
        wheel.brake_friction = brake_friction;
    }
    vehicle
}

/// From the speed of one to that of another state of a landing: the states' speeds \[m/s\] and the distance \[m\].
struct Roll {
    fast: f64,
    slow: f64,
    distance: f64,
}

/// A landing that starts on its wheels at 40 m/s.
fn fast_start(job: &LandingJob) -> LandingInputs {
    let mut inputs = LandingInputs::nominal(&job.vehicle);
    inputs.set(Input::Airspeed, 40.0);
    inputs.set(Input::SinkRate, 0.0);
    inputs.set(Input::Height, 0.0);
    inputs
}

/// The same, from its first step at or below `fast` to that at or below `slow`. Engines other than the GPU are watched
/// step by step; the GPU must stop where the reference does.
fn roll(engine: &dyn Engine, job: &LandingJob, fast: f64, slow: f64) -> Roll {
    let inputs = fast_start(job);
    if engine.identity().engine == GPU.identity().engine {
        let stop = |engine: &dyn Engine| engine.landings(job, &[inputs]).unwrap()[0].stop.unwrap().distance;
        let (found, expected) = (stop(engine), stop(&*REFERENCE));
        println!("gpu: stops at {found:.3} m, the reference at {expected:.3} m");
        assert!(relative(found, expected) < 1e-4, "{found} {expected}");
        return roll(&*REFERENCE, job, fast, slow);
    }
    let mut recording = recording::Recording::default();
    let outcome = engine.trace_landing(job, &inputs, &mut recording).unwrap();
    assert!(outcome.class == LandingClass::Stopped, "{:?} in {}", outcome.class, engine.identity().engine);
    let first = |speed: f64| recording.motions().find(|motion| motion.velocity.x <= speed).unwrap();
    let (from, to) = (first(fast), first(slow));
    assert!(from.position.y.abs() < 1e-3 && to.position.y.abs() < 1e-3);
    Roll { fast: from.velocity.x, slow: to.velocity.x, distance: to.position.x - from.position.x }
}

#[test]
fn a_brake_that_follows_the_load_stops_in_the_distance_of_its_coefficient_on_every_engine() {
    for (pedal, friction, resistance) in [(1.0, 0.25, 0.02), (0.5, 0.4, 0.0), (0.6, 0.5, 0.03)] {
        // The nose dips, and each wheel brakes with what it carries.
        let job = job_with(rolling(resistance, friction, pedal), []);
        for (engine, _) in engines() {
            let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 1.0);
            let expected = (fast * fast - slow * slow) / (2.0 * GRAVITY * (resistance + pedal * friction));
            let name = engine.identity().engine;
            println!("{name}: pedal {pedal}, brake {friction}: {distance:.3} m, theory {expected:.3} m");
            assert!(distance < LENGTH && relative(distance, expected) < 2e-3, "{distance} {expected}");
        }
    }
}

#[test]
fn part_of_a_pedal_is_that_part_of_a_brakes_newtons_in_both_models_of_the_ground() {
    let (pedal, asked) = (0.25, 2.0);
    for model in [GroundReactions::Pebble, GroundReactions::Jsbsim] {
        let mut vehicle = rolling(0.0, 0.0, pedal);
        vehicle.ground_reactions = model;
        for wheel in &mut vehicle.wheels {
            // Pressed down wholly it would be more than twice the friction.
            wheel.brake = asked * MASS / (3.0 * pedal);
            wheel.friction = Some(ContactFriction { at_rest: 0.7, moving: 0.5 });
        }
        let job = job_with(vehicle, []);
        for (engine, _) in engines() {
            let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 1.0);
            let expected = (fast * fast - slow * slow) / (2.0 * asked);
            println!("{} {}: {distance:.3} m, theory {expected:.3} m", model.name(), engine.identity().engine);
            assert!(relative(distance, expected) < 2e-3, "{distance} {expected}");
        }
    }
}

#[test]
fn a_deceleration_is_held_by_brakes_that_are_not_warned_of_as_too_strong_for_it() {
    for (brake, is_strong) in [(3e3, false), (1e5, true)] {
        let mut vehicle = rolling(0.0, 0.0, 1.0);
        vehicle.pilot.target_deceleration = 2.0;
        vehicle.wheels.iter_mut().for_each(|wheel| wheel.brake = brake);
        let job = job_with(vehicle, []);
        let warned = job.vehicle.warnings(job.step).iter().any(|warning| warning.contains("too strong for `target"));
        let Roll { fast, slow, distance } = roll(&*REFERENCE, &job, 25.0, 5.0);
        let found = (fast * fast - slow * slow) / (2.0 * distance);
        println!("{brake} N a wheel: {found:.2} m/s^2, warned: {warned}");
        assert!(warned == is_strong && (is_strong || (found - 2.0).abs() < 0.1), "{found} m/s^2, {warned}");
    }
}

#[test]
fn the_anti_skid_keeps_a_brake_that_follows_the_load_below_the_friction() {
    // Far more than the friction of 0.35.
    let mut vehicle = rolling(0.02, 2.0, 1.0);
    vehicle.pilot.anti_skid = 0.9;
    let job = job_with(vehicle, []);
    for (engine, _) in engines() {
        let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 1.0);
        let expected = (fast * fast - slow * slow) / (2.0 * GRAVITY * 0.9 * landing_jobs::DYNAMIC_FRICTION);
        println!("{}: {distance:.3} m, theory {expected:.3} m", engine.identity().engine);
        assert!(relative(distance, expected) < 5e-3, "{distance} {expected}");
    }
}

// Struts.

/// Preloaded, soft at first, then stiff, at last softer again: rows of compression [m] and force [N].
const ROWS: [(f64, f64); 5] = [(0.0, 800.0), (0.05, 1500.0), (0.15, 5000.0), (0.25, 14_000.0), (0.3, 15_000.0)];

fn sprung() -> WheelParameters {
    WheelParameters { k_z: 0.0, strut: Some(Strut::new(&ROWS).unwrap()), z_min: 0.2, ..main_wheel() }
}

/// The force at a compression, by hand.
fn table_force(compression: f64) -> f64 {
    let upper = (1..ROWS.len() - 1).find(|&row| compression < ROWS[row].0).unwrap_or(ROWS.len() - 1);
    let [(c0, f0), (c1, f1)] = [ROWS[upper - 1], ROWS[upper]];
    f0 + (f1 - f0) * (compression - c0) / (c1 - c0)
}

/// The work up to a compression [J]: the force is linear between rows, so the trapezoidal rule is exact.
fn table_work(compression: f64) -> f64 {
    let rows = ROWS.into_iter().take_while(|row| row.0 < compression);
    let points: Vec<(f64, f64)> = rows.chain([(compression, table_force(compression))]).collect();
    points.windows(2).map(|pair| 0.5 * (pair[0].1 + pair[1].1) * (pair[1].0 - pair[0].0)).sum()
}

#[test]
fn a_strut_presses_with_the_force_of_its_table_on_every_engine() {
    let (scene, p) = (scene(&ground()), sprung());
    let mut worst: f64 = 0.0;
    for (engine, exact) in engines() {
        for compression in [1e-3, 0.03, 0.05, 0.1, 0.16, 0.249, 0.27, 0.4, 0.48] {
            let step = pressed(engine, &scene, &p, p.z_zero - compression, DVec3::ZERO);
            let off = relative(step.normal_force, table_force(compression));
            let name = engine.identity().engine;
            assert!(off < 10.0 * exact, "{name} at {compression} m: {} N", step.normal_force);
            worst = worst.max(off);
        }
    }
    println!("struts on three engines: worst {worst:e} relative");
}

#[test]
fn a_strut_of_one_line_is_a_linear_spring() {
    let scene = scene(&ground());
    let linear = main_wheel();
    let strut = Some(Strut::new(&[(0.0, 0.0), (1.0, -linear.k_z)]).unwrap());
    let straight = WheelParameters { k_z: 0.0, strut, ..linear };
    for (engine, _) in engines() {
        for compression in [0.001, 0.123, 0.3] {
            let step = |p: &WheelParameters| pressed(engine, &scene, p, p.z_zero - compression, DVec3::X);
            assert_eq!(step(&linear), step(&straight), "{}", engine.identity().engine);
        }
    }
}

#[test]
fn a_load_stands_on_a_strut_where_its_table_has_that_force() {
    let scene = scene(&ground());
    let mut worst: f64 = 0.0;
    for compression in [0.03, 0.1, 0.2, 0.28, 0.35] {
        let tracer = Tracer::new(&scene);
        let mass = table_force(compression) / GRAVITY;
        let mut body = PointMass::new(mass, sprung(), 0.0);
        // Dropped, the heaviest would break the wheel.
        body.position.z = body.parameters.z_zero - 0.8 * compression;
        for _ in 0..20_000 {
            body.step(&tracer, DOWN, LOCKED, 1e-3);
        }
        worst = worst.max(relative(body.parameters.z_zero - body.position.z, compression));
    }
    println!("static compression of a strut: worst {worst:e} relative");
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn a_drop_ends_where_the_strut_has_taken_its_energy() {
    let scene = scene(&ground());
    let mass = 350.0;
    let mut worst: f64 = 0.0;
    for drop in [0.05, 0.1, 0.2, 0.4] {
        let tracer = Tracer::new(&scene);
        let undamped = WheelParameters { d_xy: 0.0, d_z: 0.0, ..sprung() };
        let mut body = PointMass::new(mass, undamped, drop);
        while !body.contact.touches() || body.velocity.z < 0.0 {
            body.step(&tracer, DOWN, LOCKED, FINE_STEP);
        }
        let compression = undamped.z_zero - body.position.z;
        let energy = mass * GRAVITY * (drop + compression);
        println!(
            "dropped from {drop} m: {compression:.5} m deep, {energy:.3} J, work {:.3} J",
            table_work(compression)
        );
        worst = worst.max(relative(table_work(compression), energy));
    }
    assert!(worst < 1e-3, "{worst}");
}

// Soft and flooded ground.

/// Landings of a freely rolling vehicle on a runway that drags like this.
fn job_on(vehicle: Vehicle, drag: SurfaceDrag) -> LandingJob {
    let runway = Runway { length: 1500.0, width: 40.0, displaced_threshold: 0.0, slope: 0.0, elevation: 0.0 };
    let material = Material { drag, ..material("soft", 0.6, 0.5) };
    let scene = Scene::new(&ground(), vec![material], Some(MaterialId(0)), Some(runway)).unwrap();
    LandingJob { scene, time_limit: 200.0, ..job_with(vehicle, []) }
}

#[test]
fn soft_ground_adds_its_coefficient_to_that_of_the_wheel_on_every_engine() {
    for (of_wheel, of_ground) in [(0.0, 0.08), (0.02, 0.25)] {
        let drag = SurfaceDrag { rolling_resistance: of_ground, ..SurfaceDrag::default() };
        let job = job_on(rolling(of_wheel, 0.0, 0.0), drag);
        for (engine, _) in engines() {
            let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 1.0);
            let expected = (fast * fast - slow * slow) / (2.0 * GRAVITY * (of_wheel + of_ground));
            println!("{}: {of_wheel} + {of_ground}: {distance:.3} m, theory {expected:.3} m", engine.identity().engine);
            assert!(relative(distance, expected) < 2e-3, "{distance} {expected}");
        }
    }
}

/// The way from one speed to another where the deceleration is g (a + b v): the integral of v dv / (g (a + b v)).
fn way_with_linear_resistance(fast: f64, slow: f64, a: f64, b: f64) -> f64 {
    let antiderivative = |v: f64| v / b - a / (b * b) * (a + b * v).ln();
    (antiderivative(fast) - antiderivative(slow)) / GRAVITY
}

#[test]
fn a_rolling_resistance_by_speed_stops_in_the_distance_of_its_integral_on_every_engine() {
    // 0.05 up to 5 m/s, then linear to 0.25 at 25 m/s, constant beyond.
    let rows = vec![(5.0, 0.05), (25.0, 0.25)];
    let drag = SurfaceDrag { rolling_resistance_by_speed: rows, ..SurfaceDrag::default() };
    let job = job_on(rolling(0.01, 0.0, 0.0), drag);
    for (engine, _) in engines() {
        let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 1.0);
        let expected = (fast * fast - 625.0) / (2.0 * GRAVITY * 0.26)
            + way_with_linear_resistance(25.0, 5.0, 0.01, 0.01)
            + (25.0 - slow * slow) / (2.0 * GRAVITY * 0.06);
        println!("{}: by speed: {distance:.3} m, theory {expected:.3} m", engine.identity().engine);
        assert!(relative(distance, expected) < 2e-3, "{distance} {expected}");
    }
}

#[test]
fn slush_takes_speed_as_displacement_drag_does_on_every_engine() {
    let (depth, density, resistance) = (0.0127, 850.0, 0.02);
    let tyre = Tyre { width: 0.2, deflection: 0.03, count: 1 };
    let mut vehicle = rolling(resistance, 0.0, 0.0);
    vehicle.wheels.iter_mut().for_each(|wheel| wheel.parameters.tyre = Some(tyre));
    let job = job_on(vehicle, SurfaceDrag { fluid_depth: depth, fluid_density: density, ..SurfaceDrag::default() });
    // AMC 25.1591, by hand: three tyres of one chord.
    let share: f64 = (0.03 + depth) / 0.2;
    let chord = 2.0 * 0.2 * (share - share * share).sqrt();
    let over_square = 3.0 * 0.5 * density * 0.75 * chord * depth;
    for (engine, _) in engines() {
        let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 5.0);
        // v dv/ds = -(g c + a v^2 / m).
        let deceleration = |v: f64| GRAVITY * resistance + over_square / MASS * v * v;
        let expected = MASS / (2.0 * over_square) * (deceleration(fast) / deceleration(slow)).ln();
        println!("{}: slush: {distance:.3} m, theory {expected:.3} m", engine.identity().engine);
        assert!(relative(distance, expected) < 2e-3, "{distance} {expected}");
    }
}

#[test]
fn slush_resists_against_the_velocity_whatever_way_the_wheel_points_and_not_without_tyres() {
    let drag = SurfaceDrag { fluid_depth: 0.02, fluid_density: 1000.0, ..SurfaceDrag::default() };
    let (wet, dry) = (job_on(rolling(0.0, 0.0, 0.0), drag).scene, scene(&ground()));
    let tyre = Tyre { width: 0.3, deflection: 0.02, count: 2 };
    let with_tyres = WheelParameters { tyre: Some(tyre), ..main_wheel() };
    let velocity = DVec3::new(12.0, -5.0, -0.3);
    for (engine, exact) in engines() {
        let force = |p: &WheelParameters, scene: &Scene| pressed(engine, scene, p, p.z_zero - 0.1, velocity).force;
        let without = force(&main_wheel(), &wet);
        let found = force(&with_tyres, &wet) - without;
        let along = DVec3::new(12.0, -5.0, 0.0);
        let expected = -tyre.displacement_drag(0.02, 1000.0) * along.length() * along;
        assert!((found - expected).length() < exact * 10.0 * without.length(), "{found} {expected}");
        assert_eq!(force(&with_tyres, &dry), force(&main_wheel(), &dry));
    }
}

#[test]
fn the_anti_skid_leaves_room_for_what_soft_ground_takes() {
    // Brake and ground together far above the friction of 0.5.
    let mut vehicle = rolling(0.02, 2.0, 1.0);
    vehicle.pilot.anti_skid = 0.9;
    let drag = SurfaceDrag { rolling_resistance_by_speed: vec![(0.0, 0.1), (40.0, 0.3)], ..SurfaceDrag::default() };
    let job = job_on(vehicle, drag);
    for (engine, _) in engines() {
        let Roll { fast, slow, distance } = roll(engine, &job, 30.0, 1.0);
        let expected = (fast * fast - slow * slow) / (2.0 * GRAVITY * 0.9 * 0.5);
        println!("{}: anti-skid on soft ground: {distance:.3} m, theory {expected:.3} m", engine.identity().engine);
        assert!(relative(distance, expected) < 5e-3, "{distance} {expected}");
    }
}
