//! Bound on the difference of a wheel in a step by JSBSim's ground reactions between f32 and f64.
//!
//! With the terms of `wheel_bound`. A sub-step may be as short as s; the body weighs m.
//!
//! * **Compression** `c = height / cos`: the errors of foot and surface, and of the surface's slope over the distance from
//!   the place where it was found, over cos; cos itself is off by a rotation.
//! * **Strut.** `k c + d c'`: c' is off by what the speed is, over cos. Where c' is bounded by `2 c / s` it may be off by
//!   what c is, over s / 2: while a wheel gets into contact, or is pressed so little that its speed comes near that.
//! * **Normal force.** That of the strut, over cos: friction of the same sub-step has no part in it.
//! * **Limits.** Along: rolling resistance and braking in proportion to the normal force, with the errors of each. Across:
//!   the magic formula `D |sin(C atan(B a - E (B a - atan(B a))))|` is no steeper than `D C B` in the slip angle a, which is
//!   off by twice the error of the speed over the speed along the ground, and as far as the axes are turned; it is D at
//!   most. At rest the coefficient is that of the step before.
//! * **Friction within limits** stops its point. The point's speed is off by an error of the speeds, and a newton changes it
//!   by s / m at least: `2 m / s` times the error. What other wheels, air and engines are off by, it balances: where a force
//!   of theirs at an arm r is balanced at another, as much more as inertia resists it less, `sqrt(1 + m r^2 / I)` at most.
//! * **Sweeps** end where they change friction by less than 4 u of its sum: the 50 that there may be change it by 200 u.
//!
//! # Conventions
//! As in [`crate::query`]: metres, seconds, newtons, radians; world axes.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::{Beginning, BodyErrors, Bounds, WheelErrors, norm};
use crate::query::ground_reactions::{OWN_FRICTION_GROUND, SIDE_SHAPE, SIDE_STIFFNESS};
use crate::query::{Input, LandingInputs, LandingState, Motion, WheelState, WheelStep};
use crate::validation::wheel_bound::{DIAGONAL, FRAME_REACH, FrameErrors, ROTATION, Surfaces, U, WheelBound};
use crate::vehicle::Wheel;

impl Bounds<'_> {
    /// The wheels by JSBSim's ground reactions; `held` is the error of the force of air and engines \[N\].
    pub(super) fn reacting_wheels(
        &self,
        body: &BodyErrors,
        inputs: &LandingInputs,
        (before, after): (&LandingState, &LandingState),
        Beginning { errors: at_start, is_only }: Beginning,
        held: f64,
    ) -> Vec<WheelErrors> {
        let mass = inputs.get(Input::Mass);
        let steps = || self.job.vehicle.wheels.iter().zip(before.wheels.iter().zip(&after.wheels));
        let of_wheel = |(wheel, (last, next)): (&Wheel, (&WheelStep, &WheelStep))| {
            let foot = wheel.foot();
            let arm = foot.length();
            let steers = wheel.steering > 0.0;
            let frame = FrameErrors {
                arm,
                place: body.place(arm) + at_start.position + at_start.orientation * arm,
                rotation: ROTATION + at_start.orientation + if steers { body.steering } else { 0.0 },
                velocity: velocity_of(foot, &before.motion),
                speed: body.speed_of(arm),
                speed_error: body.speed(arm) + at_start.velocity + at_start.rate * arm,
                pebble: 0.0,
                down: body.down,
                brake: None,
                brake_friction: (0.0, 0.0),
                friction_scale: inputs.get(Input::FrictionScale),
                settles: false,
            };
            let normal = next.contact.normal.normalize_or_zero();
            let speeds = [before, after].map(|state| velocity_of(foot, &state.motion));
            let meeting = Meeting {
                substep: if is_only { self.job.step } else { self.job.step / self.lively_substeps },
                mass,
                closing: speeds.map(|speed| speed.dot(normal).abs()).into_iter().fold(0.0, f64::max),
                sliding: speeds
                    .map(|speed| speed.reject_from_normalized(normal).length())
                    .into_iter()
                    .fold(f64::MAX, f64::min),
                pedal: (after.pilot.pedal, body.pedal),
            };
            (frame, Pressed::new(&self.surfaces, wheel, &frame, &meeting, (last, next)))
        };
        let pressed: Vec<(FrameErrors, Pressed)> = steps().map(of_wheel).collect();
        let force: f64 = after.wheels.iter().map(|step| step.peak_force).sum();
        let others =
            held + 200.0 * U * force + pressed.iter().map(|(_, wheel)| wheel.pushed + wheel.rubbed).sum::<f64>();
        let lightness = norm(&self.inverse_inertia) * self.job.vehicle.mass;
        let bounds = pressed.iter().zip(steps()).map(|((frame, pressed), (_, (_, next)))| {
            let balanced = others * (1.0 + lightness * frame.arm * frame.arm).sqrt();
            let mut bound = pressed.bound(next, if next.peak_force > 0.0 { balanced } else { 0.0 });
            if is_only {
                bound.peak_force = bound.force;
            }
            WheelErrors {
                moment: frame.arm * bound.peak_force
                    + (bound.pebble + 4.0 * frame.rotation * frame.arm) * next.peak_force,
                moment_size: frame.arm * next.peak_force,
                lever: (2.0 * frame.place + 8.0 * (ROTATION + at_start.orientation) * frame.arm) * next.peak_force,
                onset_impulse: 0.0,
                onset_moment: 0.0,
                bound,
            }
        });
        bounds.collect()
    }
}

/// How a wheel meets the ground in a step, and how well that is known.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Of the shortest sub-step, which may be the step \[s\].
    substep: f64,
    /// Of the body \[kg\].
    mass: f64,
    /// Greatest speed of the foot along the surface's normal \[m/s\].
    closing: f64,
    /// Least speed of the foot along the surface \[m/s\].
    sliding: f64,
    /// Brake pedal, and its error \[1\].
    pedal: (f64, f64),
}

/// Errors of a wheel on its own.
#[derive(Clone, Copy, Debug)]
struct Pressed {
    /// Of the force along the normal \[N\].
    normal: f64,
    /// Of that and of water and slush \[N\].
    pushed: f64,
    /// Of friction, beside what it balances for others \[N\].
    rubbed: f64,
    /// Of the compression \[m\].
    compression: f64,
    /// Of the coefficient of friction.
    friction: f64,
    /// Of the point of contact \[m\].
    place: f64,
}

impl Pressed {
    /// Of the wheel in the step from `last` to `next`.
    fn new(
        surfaces: &Surfaces<'_>,
        wheel: &Wheel,
        frame: &FrameErrors,
        meeting: &Meeting,
        (last, next): (&WheelStep, &WheelStep),
    ) -> Self {
        let p = &wheel.parameters;
        let Meeting { substep, mass, closing, sliding, pedal } = *meeting;
        let cosine = if wheel.is_pad() { 1.0 } else { surfaces.cosine(next, frame) };
        let travel = p.z_max - p.z_min;
        let height = surfaces.surface(next, frame.arm) + frame.place + 2.0 * ROTATION * (p.z_max.abs() + travel);
        let compression = height / cosine + (frame.rotation + 8.0 * U) * travel / cosine;
        let speed_error = frame.speed_error + 2.0 * frame.rotation * frame.speed;

        let shallow = 2.0 * last.compression.min(next.compression) / substep <= 2.0 * closing;
        let held = if shallow { 4.0 * compression / substep } else { 0.0 };
        let closing_error = (2.0 * speed_error / cosine).max(held);
        let damping = p.greatest_damping(closing + closing_error);
        let load = next.peak_force.max(next.normal_force);
        let size = load + damping * closing;
        let normal =
            (p.greatest_stiffness() * compression + damping * closing_error + (16.0 * U + 4.0 * frame.rotation) * size)
                / cosine;
        let pushed = normal + surfaces.displacement_drag(p, frame, next);
        let place = frame.place + frame.rotation * (frame.arm + travel) + compression;
        let place = place + U * DIAGONAL * (FRAME_REACH + frame.arm + p.z_max.abs());
        let Some(own) = wheel.friction else {
            return Self { normal, pushed, rubbed: 0.0, compression, friction: 0.0, place };
        };

        let (ground, ground_error) = surfaces.ground_friction(next, frame);
        let grip = ground * frame.friction_scale / OWN_FRICTION_GROUND;
        let grip_error = ground_error * frame.friction_scale / OWN_FRICTION_GROUND + 8.0 * U * grip;
        let peak = grip * own.at_rest.max(own.moving);
        let known = next.contact.state == WheelState::Standing && last.contact.state == WheelState::Standing;
        let turned = (2.0 * speed_error / sliding.max(f64::MIN_POSITIVE)).min(FRAC_PI_2);
        let slipped = (SIDE_SHAPE * SIDE_STIFFNESS * (turned + 2.0 * frame.rotation)).min(1.0);
        let friction = match (wheel.is_pad(), known) {
            (false, true) => 2.0 * U * next.friction,
            (false, false) => peak * slipped + own.at_rest * grip_error + 16.0 * U * peak,
            (true, _) => own.at_rest.max(own.moving) * grip_error + 8.0 * U * peak,
        };
        let (resistance, resistance_error) = surfaces.rolling_resistance(p, frame, next);
        let per_load = grip * wheel.brake_friction;
        let braking_error = pedal.1 * per_load * load
            + pedal.0 * (grip_error * wheel.brake_friction * load + per_load * normal)
            + 16.0 * U * pedal.0 * per_load * load;
        // Brakes of newtons, as far as friction lets them; a pad has none.
        let brake = if wheel.is_pad() { 0.0 } else { wheel.brake };
        let spare = (own.at_rest - p.rolling_resistance).max(0.0);
        let spare_error = spare * (grip_error * load + grip * normal) + 16.0 * U * spare * grip * load;
        let (asked, spared) = (pedal.0 * brake, grip * spare * load);
        let pads_error = of_lesser((asked, (pedal.1 + 4.0 * U * pedal.0) * brake), (spared, spare_error));
        let along = resistance * normal + resistance_error * load + braking_error + pads_error;
        let across = next.friction * normal + friction * (load + normal);
        // Of a wheel that swivels, and of a pad that moves.
        let follows = if p.caster || wheel.is_pad() { turned } else { 0.0 };
        let direction = (2.0 * frame.rotation + follows) * (peak + resistance) * load;
        let stopping = 2.0 * mass * speed_error / substep;
        // Friction is no more than its limits on either side.
        let most =
            2.0 * ((peak + resistance + pedal.0 * per_load) * (load + normal) + asked.min(spared) + along + across);
        Self { normal, pushed, rubbed: (along + across + direction + stopping).min(most), compression, friction, place }
    }

    /// With what its friction is off by in balancing others.
    fn bound(&self, next: &WheelStep, balanced: f64) -> WheelBound {
        let force = self.pushed + self.rubbed + balanced + 8.0 * ROTATION * next.peak_force;
        let touches = next.contact.touches();
        WheelBound {
            pebble: self.place,
            force: if touches { force } else { 0.0 },
            normal_force: if touches { self.normal } else { 0.0 },
            // Of another sub-step perhaps. A wheel in the air has none.
            peak_force: if next.peak_force > 0.0 { 2.0 * force } else { 0.0 },
            compression: self.compression,
            friction: if touches { self.friction } else { 0.0 },
        }
    }
}

/// Error of the lesser of two numbers with their errors.
fn of_lesser((one, of_one): (f64, f64), (other, of_other): (f64, f64)) -> f64 {
    match other - one {
        more if more > of_one + of_other => of_one,
        less if less < -of_one - of_other => of_other,
        _ => of_one.max(of_other),
    }
}

/// Of a point of the body \[m/s\].
fn velocity_of(point: DVec3, motion: &Motion) -> DVec3 {
    motion.velocity + motion.orientation * motion.rate.cross(point)
}
