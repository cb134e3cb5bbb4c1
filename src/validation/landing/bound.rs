//! How far one step of a landing in binary32 may be from the step in binary64 that starts from the same state.
//!
//! What a wheel may be off by stands in `wheel_bound`, with the words used here. Beside it:
//!
//! * **Place and speed of a wheel** at the arm r: narrowing, the sum with the body's, and the rotation of r and w x r.
//! * **Air.** Dynamic pressure and area times the sum of the magnitudes of all derivatives, with 64 u for angles, rates,
//!   surfaces and sums; the surfaces' own errors come through the pilot's gains.
//! * **Autoland and gusts**, where there are any: `guidance_bound`.
//! * **Body.** Semi-implicit Euler: `h / m` and `h I^-1` times the errors of force and moment, plus the roundings of what is
//!   added; then `h` times the new speeds' errors, plus roundings of place and quaternion.
//!
//! # Conventions
//! As in [`crate::query`]: metres, seconds, newtons, radians; world axes for places, forces and speeds, body axes for
//! rates.

use glam::{DMat3, DVec3};

use super::guidance_bound::GuidanceErrors;
use crate::query::{Input, LandingInputs, LandingJob, LandingState, Motion, WheelStep};
use crate::validation::wheel_bound::{DIAGONAL, FRAME_REACH, FrameErrors, ROTATION, Surfaces, U, WheelBound, reach};
use crate::vehicle::{Aerodynamics, Pilot, Wheel};

/// By how much one step may differ.
#[derive(Clone, Debug, PartialEq)]
pub struct StepBound {
    /// Of the body's place \[m\].
    pub position: f64,
    /// Angle between the orientations \[rad\].
    pub orientation: f64,
    /// Of the speed \[m/s\].
    pub velocity: f64,
    /// Of the rate of rotation \[rad/s\].
    pub rate: f64,
    /// Of the brake pedal.
    pub pedal: f64,
    /// Of the speed that the pilot remembers \[m/s\].
    pub last_speed: f64,
    /// Of the pitch that the pilot remembers \[rad\].
    pub pitch: f64,
    /// Of the gusts \[m/s\].
    pub gusts: f64,
    /// Of the thrust that the engines start from \[N\].
    pub thrust: f64,
    /// Of the pitch angle that sink rates have added \[rad\].
    pub sink_integral: f64,
    /// Of the wheels.
    pub wheels: Vec<WheelBound>,
}

impl StepBound {
    /// By how much a step may differ from one that starts at a state displaced by the bound: what the pilot remembers
    /// and what the wheels feel then differs by the displacement itself.
    #[must_use]
    pub(super) fn of_displaced(&self) -> Self {
        Self {
            position: 4.0 * self.position,
            orientation: 4.0 * self.orientation,
            velocity: 4.0 * self.velocity,
            rate: 4.0 * self.rate,
            // Follows the difference of speeds that are displaced one by one.
            pedal: 16.0 * self.pedal,
            last_speed: self.last_speed + 2.0 * self.velocity,
            pitch: self.pitch + 2.0 * self.orientation,
            gusts: 4.0 * self.gusts,
            // How they follow the speed and the place is in them.
            thrust: 4.0 * self.thrust,
            sink_integral: 4.0 * self.sink_integral,
            wheels: self.wheels.iter().map(WheelBound::of_displaced).collect(),
        }
    }
}

/// What all bounds of a job share.
#[derive(Clone, Debug)]
pub(super) struct Bounds<'a> {
    job: &'a LandingJob,
    surfaces: Surfaces<'a>,
    inverse_inertia: DMat3,
}

impl<'a> Bounds<'a> {
    pub fn new(job: &'a LandingJob) -> Self {
        Self { job, surfaces: Surfaces::new(&job.scene), inverse_inertia: job.vehicle.inertia.tensor().inverse() }
    }

    /// The bound of the step from `before` to `after`, as the judge has it.
    pub fn step(&self, inputs: &LandingInputs, before: &LandingState, after: &LandingState) -> StepBound {
        let body = BodyErrors::new(self, inputs, before);
        let wheels: Vec<WheelErrors> = self
            .job
            .vehicle
            .wheels
            .iter()
            .zip(before.wheels.iter().zip(&after.wheels))
            .map(|(wheel, (last, next))| self.wheel(wheel, &body, inputs, last, next, after.pilot.pedal))
            .collect();
        let h = self.job.step;
        let mass = inputs.get(Input::Mass);
        let forces = |after: &LandingState| after.wheels.iter().map(|step| step.force.length()).sum::<f64>();
        let wheel_forces = forces(after);
        let (air_force, air_moment) = self.air(&body, inputs, before);
        let thrust = &self.job.vehicle.thrust;
        let autoland = self.job.vehicle.autoland.as_ref();
        let engines = thrust.idle.abs().max(thrust.reverse).max(autoland.map_or(0.0, |law| law.greatest_thrust));
        let force_error = wheels.iter().map(|wheel| wheel.bound.force).sum::<f64>()
            + air_force.error
            + body.guidance.thrust
            + 4.0 * ROTATION * (wheel_forces + air_force.size + engines)
            + 8.0 * U * mass * self.job.gravity;
        let velocity =
            h / mass * force_error + 4.0 * U * (before.motion.velocity.length() + after.motion.velocity.length());
        let moment_error = wheels.iter().map(|wheel| wheel.moment).sum::<f64>()
            + air_moment.error
            + body.guidance.thrust * thrust.line.abs()
            + 4.0 * ROTATION * (air_moment.size + engines * thrust.line.abs());
        let spin = before.motion.rate.length().max(after.motion.rate.length());
        let inverse = norm(&self.inverse_inertia) * self.job.vehicle.mass / mass;
        let inertia = norm(&self.job.vehicle.inertia.tensor()) * mass / self.job.vehicle.mass;
        let moments =
            wheels.iter().map(|wheel| wheel.moment_size).sum::<f64>() + air_moment.size + inertia * spin * spin;
        let rate = h * inverse * (moment_error + 32.0 * U * moments) + 4.0 * U * spin;
        let position = h * velocity + 4.0 * U * DIAGONAL * FRAME_REACH;
        let following = |[by_speed, by_place]: [f64; 2]| by_speed * velocity + by_place * position;
        StepBound {
            position,
            orientation: h * rate + ROTATION,
            velocity,
            rate,
            pedal: body.pedal,
            last_speed: 8.0 * U * before.motion.velocity.length(),
            pitch: body.angle,
            gusts: body.guidance.gusts,
            thrust: body.guidance.thrust + following(body.guidance.thrust_by),
            sink_integral: body.guidance.integral + following(body.guidance.integral_by),
            wheels: wheels.into_iter().map(|wheel| wheel.bound).collect(),
        }
    }

    fn wheel(
        &self,
        wheel: &Wheel,
        body: &BodyErrors,
        inputs: &LandingInputs,
        last: &WheelStep,
        next: &WheelStep,
        pedal: f64,
    ) -> WheelErrors {
        let arm = wheel.position.length();
        let place = body.place(arm);
        let rotation = ROTATION + if wheel.steering > 0.0 { body.steering } else { 0.0 };
        let mut frame = FrameErrors {
            arm,
            place,
            rotation,
            velocity: body.motion.velocity + body.motion.orientation * body.motion.rate.cross(wheel.position),
            speed: body.speed_of(arm),
            speed_error: body.speed(arm),
            pebble: 0.0,
            down: body.down,
            brake: Some((0.0, 0.0)),
            brake_friction: (0.0, 0.0),
            friction_scale: inputs.get(Input::FrictionScale),
        };
        let resistance = self.surfaces.rolling_resistance(&wheel.parameters, &frame, last);
        let asked = Braking::asked(wheel, pedal, body.pedal);
        let braking = asked.spared_by_anti_skid(self.job.vehicle.pilot.anti_skid, resistance, last);
        (frame.brake, frame.brake_friction) = (braking.strength, braking.per_load);
        let bound = self.surfaces.wheel(&wheel.parameters, &frame, last, next);
        let (arm_and_pebble, force) = (arm + reach(&wheel.parameters, last), next.force.length());
        WheelErrors {
            moment: arm_and_pebble * bound.force + (place + bound.pebble + 4.0 * rotation * arm) * force,
            moment_size: arm_and_pebble * force,
            bound,
        }
    }

    /// Force and moment of the air.
    fn air(&self, body: &BodyErrors, inputs: &LandingInputs, before: &LandingState) -> (Quantity, Quantity) {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return (Quantity::default(), Quantity::default());
        };
        let speed = before.motion.velocity.length() + body.guidance.air_speed;
        let pressure_area = 0.5 * inputs.get(Input::AirDensity) * speed * speed * aerodynamics.area;
        let (force, moment) = coefficients(aerodynamics);
        // An error of the air's speed turns the flow, and changes its pressure, by less than twice its share each.
        let error = 64.0 * U + body.surfaces + if speed > 0.0 { 8.0 * body.guidance.air / speed } else { 0.0 };
        (
            Quantity { size: pressure_area * force, error: pressure_area * force * error },
            Quantity {
                size: pressure_area * moment * aerodynamics.span.max(aerodynamics.chord),
                error: pressure_area * moment * aerodynamics.span.max(aerodynamics.chord) * error,
            },
        )
    }
}

/// A magnitude and its error.
#[derive(Clone, Copy, Debug, Default)]
struct Quantity {
    size: f64,
    error: f64,
}

/// Sums of the magnitudes of all derivatives of force and of moment: with angles, surfaces and dimensionless rates of at
/// most one radian they bound the coefficients.
fn coefficients(a: &Aerodynamics) -> (f64, f64) {
    let lift = [a.lift_zero, a.lift_alpha, a.lift_pitch_rate, a.lift_elevator, a.spoiler_lift];
    let side = [a.side_beta, a.side_rudder];
    let moments = [
        a.roll_beta,
        a.roll_roll_rate,
        a.roll_yaw_rate,
        a.roll_aileron,
        a.roll_rudder,
        a.pitch_zero,
        a.pitch_alpha,
        a.pitch_pitch_rate,
        a.pitch_elevator,
        a.yaw_beta,
        a.yaw_roll_rate,
        a.yaw_yaw_rate,
        a.yaw_aileron,
        a.yaw_rudder,
    ];
    let sum = |terms: &[f64]| terms.iter().map(|term| term.abs()).sum::<f64>();
    let lift_sum = sum(&lift);
    let drag = a.drag_zero + a.spoiler_drag + 3.0 * a.drag_induced * lift_sum * lift_sum;
    (lift_sum + drag + sum(&side), sum(&moments))
}

/// Errors of a wheel's results and of what it does to the body.
struct WheelErrors {
    bound: WheelBound,
    moment: f64,
    moment_size: f64,
}

/// Errors of the body's state and of the pilot's answers to it.
struct BodyErrors {
    velocity: f64,
    rate: f64,
    /// Of angles of attitude \[rad\].
    angle: f64,
    /// Of the steering angle \[rad\].
    steering: f64,
    /// Of the control surfaces \[rad\].
    surfaces: f64,
    /// Of the brake pedal.
    pedal: f64,
    /// Of the air, and of what an autoland asks for.
    guidance: GuidanceErrors,
    /// The body's motion.
    motion: Motion,
    /// Its Z axis.
    down: DVec3,
}

impl BodyErrors {
    fn new(bounds: &Bounds<'_>, inputs: &LandingInputs, before: &LandingState) -> Self {
        let Pilot {
            pitch_gain, pitch_damping, bank_gain, roll_damping, lateral_gain, heading_gain, yaw_damping, ..
        } = bounds.job.vehicle.pilot;
        let motion = &before.motion;
        let (velocity, rate) = (motion.velocity.length(), motion.rate.length());
        let lateral = 4.0 * U * (motion.position.y.abs() + bounds.surfaces.center.y.abs() + FRAME_REACH);
        let angle = 2.0 * ROTATION;
        let guidance = GuidanceErrors::new(bounds.job, inputs, before, bounds.surfaces.center, lateral, angle);
        let steering = heading_gain * (angle + lateral_gain * lateral + guidance.heading)
            + 8.0 * U * (heading_gain + yaw_damping * rate);
        let surfaces = steering
            + (pitch_gain + bank_gain) * 2.0 * angle
            + 8.0 * U * (1.0 + (pitch_damping + roll_damping) * rate)
            + guidance.elevator
            + bank_gain * guidance.bank;
        let target = inputs.get(Input::TargetDeceleration);
        // The pedal follows a difference of two speeds that are nearly equal.
        let pedal = if target > 0.0 { 32.0 * U * velocity / target } else { 0.0 } + 8.0 * U;
        Self {
            velocity,
            rate,
            angle,
            steering,
            surfaces,
            pedal,
            guidance,
            motion: *motion,
            down: motion.orientation * DVec3::Z,
        }
    }

    /// Error of the place of a point at this arm \[m\].
    #[expect(clippy::unused_self, reason = "reads as the error of the speed")]
    fn place(&self, arm: f64) -> f64 {
        2.0 * U * DIAGONAL * (FRAME_REACH + arm) + ROTATION * arm
    }

    /// Speed of a point at this arm, at most \[m/s\].
    fn speed_of(&self, arm: f64) -> f64 {
        self.velocity + self.rate * arm
    }

    /// Error of the speed of a point at this arm \[m/s\].
    fn speed(&self, arm: f64) -> f64 {
        4.0 * U * self.speed_of(arm) + ROTATION * self.rate * arm
    }
}

/// Braking strength as the landing job has it, each number with its error.
struct Braking {
    /// Without load \[N\]; `None` for a pad that never yields.
    strength: Option<(f64, f64)>,
    /// What each newton of load adds \[1\].
    per_load: (f64, f64),
}

impl Braking {
    /// What the pedal asks for, with the pedal's error.
    fn asked(wheel: &Wheel, pedal: f64, error: f64) -> Self {
        if wheel.brake.is_infinite() {
            return Self { strength: None, per_load: (0.0, 0.0) };
        }
        let of_pedal = |full: f64| (full * pedal, full * (error + 16.0 * U * pedal));
        Self { strength: Some(of_pedal(wheel.brake)), per_load: of_pedal(wheel.brake_friction) }
    }

    /// What is left of it by an anti-skid that spares friction for this rolling resistance and its error \[1\].
    fn spared_by_anti_skid(self, anti_skid: f64, (resistance, error): (f64, f64), last: &WheelStep) -> Self {
        let Some(asked) = self.strength.filter(|_| anti_skid > 0.0) else {
            return self;
        };
        let of_friction = anti_skid * last.friction;
        let share = ((of_friction - resistance).max(0.0), error + 4.0 * U * (of_friction + resistance));
        // The lesser of two numbers is off by what the lesser is, or by no more than either where that is open.
        let lesser = |a: (f64, f64), b: (f64, f64)| match (a.0 + a.1 < b.0 - b.1, b.0 + b.1 < a.0 - a.1) {
            (true, _) => a,
            (_, true) => b,
            (false, false) => (a.0.min(b.0), a.1.max(b.1)),
        };
        let of_load = (share.0 * last.normal_force, (share.1 + 4.0 * U * share.0) * last.normal_force);
        Self { strength: Some(lesser(asked, of_load)), per_load: lesser(self.per_load, share) }
    }
}

/// Frobenius norm.
fn norm(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().into_iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}
