//! Wheels that swivel freely, against closed forms. Each test prints what it measured.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use crate::support::engines::engines;
use crate::support::landing_jobs::{job_with, relative, scene};
use crate::support::recording;
use crate::support::rigid_body::{PointMass, level};
use crate::support::tricycle;
use crate::support::tricycle::{DOWN, GRAVITY, LOCKED, MASS, ground, main_wheel};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{ClipCase, Input, LandingInputs, LandingJob, WheelFrame, WheelParameters, Wheels};
use touchdown::reference::Tracer;

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
            let step = engine.compute::<Wheels>((&scene, &p), &[vec![frame; 2]]).unwrap()[0][1];
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
        let steps =
            engine.compute::<Wheels>((&scene, p), &[frames.iter().map(|frame| frame.0).collect()]).unwrap().remove(0);
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
        // Roundings of f32 on some 3000 N.
        assert!(side < 0.05 && fixed_side > 100.0 && crab.abs() < 1e-3);
    }
}
