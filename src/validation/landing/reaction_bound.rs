//! Bound on the difference of a wheel in a step by JSBSim's ground reactions between f32 and f64.
//!
//! With the terms of `wheel_bound`. A sub-step may be as short as s; the body weighs m.
//!
//! * **Compression** `c = height / cos`: the errors of foot and surface, and of the surface's slope over the distance from
//!   the place where it was found, over cos; cos itself is off by a rotation.
//! * **Strut.** `k c + d c'`: c' is off by what the speed is, over cos. Where c' is bounded by `2 c / s` it may be off by
//!   what c is, over s / 2: while a wheel gets into contact, or is pressed so little that its speed comes near that.
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

use crate::query::ground_reactions::{OWN_FRICTION_GROUND, SIDE_SHAPE, SIDE_STIFFNESS};
use crate::query::{WheelState, WheelStep};
use crate::validation::wheel_bound::{DIAGONAL, FRAME_REACH, FrameErrors, ROTATION, Surfaces, U, WheelBound};
use crate::vehicle::Wheel;

/// How a wheel meets the ground in a step, and how well that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Of the shortest sub-step \[s\].
    pub substep: f64,
    /// Of the body \[kg\].
    pub mass: f64,
    /// Greatest speed of the foot along the surface's normal \[m/s\].
    pub closing: f64,
    /// Least speed of the foot along the surface \[m/s\].
    pub sliding: f64,
    /// Brake pedal, and its error \[1\].
    pub pedal: (f64, f64),
}

/// Errors of a wheel on its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressed {
    /// Of the force along the normal and of water and slush \[N\].
    pub pushed: f64,
    /// Of friction, beside what it balances for others \[N\].
    pub rubbed: f64,
    /// Of the compression \[m\].
    compression: f64,
    /// Of the coefficient of friction.
    friction: f64,
    /// Of the point of contact \[m\].
    place: f64,
}

impl Pressed {
    /// Of the wheel in the step from `last` to `next`.
    pub fn new(
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
            return Self { pushed, rubbed: 0.0, compression, friction: 0.0, place };
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
        let spare = (own.at_rest - p.rolling_resistance).max(0.0);
        let per_load = grip * (wheel.brake_friction + spare);
        let braking_error = pedal.1 * per_load * load
            + pedal.0 * (grip_error * (wheel.brake_friction + spare) * load + per_load * normal)
            + 16.0 * U * pedal.0 * per_load * load;
        let along = resistance * normal + resistance_error * load + braking_error;
        let across = next.friction * normal + friction * (load + normal);
        // Of a wheel that swivels, and of a pad that moves.
        let follows = if p.caster || wheel.is_pad() { turned } else { 0.0 };
        let direction = (2.0 * frame.rotation + follows) * (peak + resistance) * load;
        let stopping = 2.0 * mass * speed_error / substep;
        // Friction is no more than its limits on either side.
        let most = 2.0 * ((peak + resistance + pedal.0 * per_load) * (load + normal) + along + across);
        Self { pushed, rubbed: (along + across + direction + stopping).min(most), compression, friction, place }
    }

    /// With what its friction is off by in balancing others.
    pub fn bound(&self, next: &WheelStep, balanced: f64) -> WheelBound {
        let force = self.pushed + self.rubbed + balanced + 8.0 * ROTATION * next.peak_force;
        let touches = next.contact.touches();
        WheelBound {
            pebble: self.place,
            force: if touches { force } else { 0.0 },
            // Of another sub-step perhaps. A wheel in the air has none.
            peak_force: if next.peak_force > 0.0 { 2.0 * force } else { 0.0 },
            compression: self.compression,
            friction: if touches { self.friction } else { 0.0 },
        }
    }
}
