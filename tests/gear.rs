//! What wheels can do beside a linear spring and damper, against closed forms. Each test prints what it measured.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "support/gpu.rs"]
mod gpu;
#[path = "support/landing_jobs.rs"]
mod landing_jobs;
#[path = "support/random.rs"]
mod random;
#[path = "support/recording.rs"]
mod recording;
#[path = "support/rigid_body.rs"]
mod rigid_body;
#[path = "support/tricycle.rs"]
mod tricycle;

use std::sync::LazyLock;

use glam::DVec3;
use landing_jobs::{LENGTH, job_with, scene};
use random::{Random, test_seed};
use rigid_body::{PointMass, level};
use touchdown::engine::Engine;
use touchdown::gpu::Gpu;
use touchdown::native::Native;
use touchdown::query::{
    ClipCase, Damper, Input, LandingClass, LandingInputs, LandingJob, Strut, Tyre, WheelFrame, WheelParameters,
    WheelStep,
};
use touchdown::reference::{Reference, Tracer, spring_force};
use touchdown::scene::{Material, MaterialId, Runway, Scene, SurfaceDrag};
use touchdown::vehicle::{Inertia, Vehicle};
use tricycle::{GRAVITY, MASS, ground, main_wheel, material};

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -GRAVITY);
/// More than any friction: the wheel is locked.
const LOCKED: f64 = 1e9;
/// Short enough that an oscillation's amplitude is right to some 1e-4.
const FINE_STEP: f64 = 1e-5;

fn relative(found: f64, expected: f64) -> f64 {
    (found / expected - 1.0).abs()
}

static REFERENCE: LazyLock<Reference> = LazyLock::new(|| Reference::new(1).unwrap());
static NATIVE: LazyLock<Native> = LazyLock::new(|| Native::new(1).unwrap());
/// Opened once: it keeps what it has compiled.
static GPU: LazyLock<Gpu> = LazyLock::new(gpu::open);

/// Every engine, and how exact it is.
fn engines() -> [(&'static dyn Engine, f64); 3] {
    [(&*REFERENCE, 1e-12), (&*NATIVE, 1e-12), (&*GPU, 1e-5)]
}

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
    engine.wheels(scene, parameters, &[vec![frame; 2]]).unwrap()[0][1]
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
        let (rate, limit) = (vehicle.gear_modes().rate(), vehicle.greatest_step());
        let expected = 3.0 * damping / MASS;
        println!("dampers of {damping:e} N s/m: rate {rate:.1} /s of {expected:.1} /s, steps up to {limit:e} s");
        assert!(relative(rate, expected) < 1e-4);
        let warns = |step: f64| vehicle.warnings(step).iter().any(|warning| warning.contains("stable limit"));
        assert!(!warns(0.99 * limit) && warns(1.01 * limit));
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
    let runway = Runway { length: 1500.0, width: 40.0, displaced_threshold: 0.0, slope: 0.0 };
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

// Castering wheels.

/// A wheel that swivels freely; without horizontal damping, so that its horizontal force is that of its spring alone.
fn castering(rolling_resistance: f64) -> WheelParameters {
    WheelParameters { caster: true, d_xy: 0.0, rolling_resistance, ..main_wheel() }
}

#[test]
fn a_castering_wheel_resists_along_its_velocity_by_its_braking_strength_alone() {
    let scene = scene(&ground());
    let p = WheelParameters { d_xy: -3000.0, ..castering(0.03) };
    for (engine, exact) in engines() {
        for angle in [0.0, 0.5, 1.6, 3.0, 4.5] {
            let direction = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
            let origin = DVec3::Z * (p.z_zero - 0.1);
            let frame = WheelFrame {
                origin,
                orientation: level(),
                velocity: 20.0 * direction,
                brake: 150.0,
                brake_friction: 0.05,
            };
            let step = engine.wheels(&scene, &p, &[vec![frame; 2]]).unwrap()[0][1];
            let expected = -(150.0 + 0.08 * 4000.0) * direction + 4000.0 * DVec3::Z;
            let off = (step.force - expected).length() / 4000.0;
            assert!(
                off < exact && step.clip_case == ClipCase::Brake,
                "{} at {angle}: {}",
                engine.identity().engine,
                step.force
            );
        }
    }
}

#[test]
fn the_pebble_of_a_castering_wheel_follows_a_steady_turn_as_a_tractrix_does() {
    // Trailing a length of B / k_xy behind the wheel it stands asin(length / radius) off the tangent.
    let scene = scene(&ground());
    let (radius, speed, step, brake) = (5.0, 10.0, 1e-4, 1200.0);
    let length = brake / 60e3;
    let led = |p: &WheelParameters, engine: &dyn Engine| {
        let frame = |index: u32| {
            let angle: f64 = speed / radius * step * f64::from(index);
            let (outward, along) =
                (DVec3::new(angle.cos(), angle.sin(), 0.0), DVec3::new(-angle.sin(), angle.cos(), 0.0));
            let origin = radius * outward + DVec3::Z * (p.z_zero - 0.1);
            let frame =
                WheelFrame { origin, orientation: level(), velocity: speed * along, brake, brake_friction: 0.0 };
            (frame, outward, along)
        };
        // Half the circle, and no turn of the frame.
        let frames: Vec<_> = (0..(std::f64::consts::PI * radius / (speed * step)) as u32).map(frame).collect();
        let steps = engine.wheels(&scene, p, &[frames.iter().map(|frame| frame.0).collect()]).unwrap().remove(0);
        let (_, outward, along) = frames[frames.len() - 1];
        let last = steps[steps.len() - 1];
        (last.force.dot(outward), last.force.dot(along))
    };
    for (engine, _) in engines() {
        let (across, along) = led(&castering(0.0), engine);
        let sine = length / radius;
        let name = engine.identity().engine;
        println!("{name}: {across:.4} N across, {along:.3} N along; theory {:.4} N and {:.3} N", -brake * sine, -brake);
        assert!((along + brake * (1.0 - sine * sine).sqrt()).abs() < 1e-3 * brake);
        assert!(relative(across, -brake * sine) < 0.1, "{across}");
        // The same wheel held in its direction slides with all its friction when it is led across.
        let (across, along) = led(&WheelParameters { caster: false, ..castering(0.0) }, engine);
        assert!(across.hypot(along) > 1.1 * brake);
    }
}

#[test]
fn a_castering_wheel_stands_on_slopes_up_to_its_rolling_resistance_in_every_direction_and_rolls_beyond() {
    let scene = scene(&ground());
    let resistance = 0.05;
    for angle in [0.0, 0.7, 1.6, 4.0] {
        let way = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
        let tracer = Tracer::new(&scene);
        let p = WheelParameters { d_xy: -3000.0, ..castering(resistance) };
        let mut body = PointMass::new(MASS / 3.0, p, 0.0);
        let mut roll = |slope: f64, time: f64| {
            let gravity = GRAVITY * (slope.sin() * way - slope.cos() * DVec3::Z);
            for _ in 0..(time / 2e-3) as usize {
                body.step(&tracer, gravity, 0.0, 2e-3);
            }
            (body.position, body.velocity)
        };
        roll(0.0, 5.0);
        let below = (0.9 * resistance).atan();
        let (held, _) = roll(below, 20.0);
        let (stayed, _) = roll(below, 10.0);
        let crept = stayed.distance(held);
        let above: f64 = (2.0 * resistance).atan();
        let (_, before) = roll(above, 2.0);
        let (_, after) = roll(above, 5.0);
        let found = (after - before).dot(way) / 5.0;
        let expected = GRAVITY * (above.sin() - resistance * above.cos());
        println!("towards {angle}: crept {crept:e} m, rolls with {found:.5} m/s2, theory {expected:.5} m/s2");
        assert!(crept < 1e-6 && relative(found, expected) < 2e-3, "{crept} {found} {expected}");
    }
}

#[test]
fn a_castering_wheel_turns_round_without_a_jump_and_takes_energy_both_ways() {
    let scene = scene(&ground());
    let (resistance, slope, step) = (0.03, 0.1, 1e-3);
    let tracer = Tracer::new(&scene);
    let p = WheelParameters { d_xy: -3000.0, ..castering(resistance) };
    let mut body = PointMass::new(MASS / 3.0, p, 0.0);
    for _ in 0..5000 {
        body.step(&tracer, DOWN, LOCKED, step);
    }
    let gravity = GRAVITY * (f64::cos(slope) * -DVec3::Z - f64::sin(slope) * DVec3::X);
    body.velocity = 4.0 * DVec3::X;
    let (start, weight) = (body.position.x, MASS / 3.0 * GRAVITY);
    let (mut highest, mut last, mut jump) = (0.0_f64, 0.0, 0.0_f64);
    while body.position.x >= start {
        let force = body.step(&tracer, gravity, 0.0, step).force.x;
        highest = highest.max(body.position.x - start);
        // Within 0.2 m/s of the turn.
        if body.velocity.x.abs() < 0.2 {
            jump = jump.max((force - last).abs());
        }
        last = force;
    }
    let (up, down) = (slope.sin() + resistance * slope.cos(), slope.sin() - resistance * slope.cos());
    let (theory, back) = (16.0 / (2.0 * GRAVITY * up), 4.0 * (down / up).sqrt());
    println!(
        "up {highest:.4} m, theory {theory:.4} m; back with {:.4} m/s, theory {back:.4} m/s; largest change of force in \
         a step {:.4} of its range",
        -body.velocity.x,
        jump / (2.0 * resistance * weight)
    );
    assert!(relative(highest, theory) < 5e-3 && relative(-body.velocity.x, back) < 5e-3);
    assert!(jump < 0.2 * 2.0 * resistance * weight);
    assert!(body.position.y.abs() < 1e-9);
}

#[test]
fn a_castering_nose_wheel_leaves_the_mains_to_turn_the_vehicle_into_its_track_on_every_engine() {
    let landed = |engine: &dyn Engine, caster: bool| {
        let mut vehicle = tricycle::tricycle(0.0);
        vehicle.wheels[2].parameters.caster = caster;
        vehicle.wheels[2].parameters.d_xy = -1000.0;
        let job = LandingJob { time_limit: 4.0, ..job_with(vehicle, []) };
        let mut inputs = LandingInputs::nominal(&job.vehicle);
        inputs.set(Input::Crab, 0.02);
        let mut recording = recording::Recording::default();
        engine.trace_landing(&job, &inputs, &mut recording).unwrap();
        // The greatest horizontal force on the nose, and the angle between nose and track at the end.
        let side = recording.states.iter().map(|state| state.wheels[2].force.truncate().length()).fold(0.0, f64::max);
        let last = recording.states[recording.states.len() - 1].motion;
        let nose = last.orientation * DVec3::X;
        let track = last.velocity;
        (side, (nose.x * track.y - nose.y * track.x) / track.length())
    };
    for (engine, _) in engines() {
        let ((side, crab), (fixed_side, _)) = (landed(engine, true), landed(engine, false));
        println!(
            "{}: {side:e} N on a castering nose, {fixed_side:.1} N on a fixed one; crab {crab:e}",
            engine.identity().engine
        );
        // Roundings of binary32 on some 3000 N.
        assert!(side < 0.05 && fixed_side > 100.0 && crab.abs() < 1e-3);
    }
}
