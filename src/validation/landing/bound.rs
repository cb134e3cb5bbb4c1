//! Bound on the difference of one landing step between f32 and f64 from the same state.
//!
//! The errors of a wheel are derived in `wheel_bound`, with the terms used here. In addition:
//!
//! * **Place and speed of a wheel** at the arm r: narrowing, the sum with the body's, and the rotation of r and w x r.
//! * **Air.** Loads are sums of products of two speeds, a direction, a derivative, an angle within the angle limit or a
//!   surface within its own, and, beyond the angle limit only, up to two factors of facing. A displacement of the speed V
//!   through the air by e V changes the first three by e each, an angle by e, a facing by e / (pi / 2 - limit), less than 2 e;
//!   the square of the lift follows twice. e is 4 u of the speeds of body and air and their rotation, 20 u, and the error of
//!   the air; a rotation of the air, where there is one, turns the flow at the wing's ends by its error and that of the body's
//!   rate over twice the speed; 32 u are for products and sums. The surfaces' own errors come through the pilot's gains.
//! * **Ground.** The share of the image changes by at most 8 per height over span; lift follows it by its cost and its
//!   square, twice over where that is less, induced drag and downwash in proportion. The height is known to 4 u of the
//!   lengths between wing and z = 0, and its arm is turned.
//! * **Autoland and gusts**, where there are any: `guidance_bound`.
//! * **Body.** `h / m` and `h I^-1` times the errors of force and moment, plus the roundings of what is added in every
//!   sub-step of the gear; then `h` times the new speeds' errors, plus roundings of place and quaternion, two to a
//!   sub-step.
//! * **Sub-steps.** Errors of one are in the forces of the next: those of speeds and places grow at most by
//!   `exp(h (decay + frequency))` of the gear's fastest modes within the step. With these grown errors the forces are
//!   bounded once more. Where all wheels that touch are calm there is one sub-step, which begins with the errors of the
//!   state alone.
//! * **Consistency.** What the results owe each other is judged beside, by bounds in which the forces of wheels have no
//!   part (`bound/consistency.rs`).
//! * **Onset.** A wheel that gets into contact works for the share `gap / (closing speed h)` of a sub-step h: an error of the
//!   gap is one of the impulse by the damper, or by any other force over the closing speed. By what such wheels give the
//!   body before another one touches in the same sub-step, the error of that one's closing speed is again at most that of
//!   all impulses, which the sub-steps' beginning has.
//!
//! # Conventions
//! As in [`crate::query`]: metres, seconds, newtons, radians; world axes for places, forces and speeds, body axes for
//! rates.

mod consistency;
mod reaction;
mod substeps;

use glam::{DMat3, DQuat, DVec3};

pub(super) use self::consistency::Consistency;
use super::guidance_bound::GuidanceErrors;
use crate::flight::LandingPlan;
use crate::query::{Input, LandingInputs, LandingJob, LandingState, Motion, WheelStep};
use crate::validation::wheel_bound::{DIAGONAL, FRAME_REACH, FrameErrors, ROTATION, Surfaces, U, WheelBound, reach};
use crate::vehicle::{Aerodynamics, GearModes, GroundEffect, GroundReactions, Pilot, SLOWEST_FLOW, Wheel};

/// Bounds on the difference of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepBound {
    /// Body position \[m\].
    pub position: f64,
    /// Angle between the orientations \[rad\].
    pub orientation: f64,
    /// Velocity \[m/s\].
    pub velocity: f64,
    /// Angular velocity \[rad/s\].
    pub rate: f64,
    /// Acceleration \[m/s^2\].
    pub acceleration: f64,
    /// Angular acceleration \[rad/s^2\].
    pub angular_acceleration: f64,
    /// Brake pedal.
    pub pedal: f64,
    /// Speed stored by the pilot \[m/s\].
    pub last_speed: f64,
    /// Pitch angle stored by the pilot \[rad\].
    pub pitch: f64,
    /// Gusts \[m/s\].
    pub gusts: f64,
    /// Thrust from which the engines respond \[N\].
    pub thrust: f64,
    /// Sink rate integral, as a pitch angle \[rad\].
    pub sink_integral: f64,
    /// Wheels.
    pub wheels: Vec<WheelBound>,
    /// What the results owe each other; `None` between steps from different states.
    pub(super) consistency: Option<Consistency>,
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
            acceleration: 4.0 * self.acceleration,
            angular_acceleration: 4.0 * self.angular_acceleration,
            // Follows the difference of speeds that are displaced one by one.
            pedal: 16.0 * self.pedal,
            last_speed: self.last_speed + 2.0 * self.velocity,
            pitch: self.pitch + 2.0 * self.orientation,
            gusts: 4.0 * self.gusts,
            // How they follow the speed and the place is in them.
            thrust: 4.0 * self.thrust,
            sink_integral: 4.0 * self.sink_integral,
            wheels: self.wheels.iter().map(WheelBound::of_displaced).collect(),
            consistency: None,
        }
    }
}

/// What all bounds of a job share.
#[derive(Clone, Debug)]
pub(super) struct Bounds<'a> {
    job: &'a LandingJob,
    surfaces: Surfaces<'a>,
    inverse_inertia: DMat3,
    modes: GearModes,
    calm_substeps: u32,
    lively_substeps: f64,
}

/// Errors of the body's motion that a step gathers.
#[derive(Clone, Copy, Debug, Default)]
struct Gathered {
    position: f64,
    orientation: f64,
    velocity: f64,
    rate: f64,
    acceleration: f64,
    angular_acceleration: f64,
    /// Force \[N\] and moment \[N m\] beside those of the wheels.
    beside: [f64; 2],
}

impl Gathered {
    fn grown(self, factor: f64) -> Self {
        Self {
            position: factor * self.position,
            orientation: factor * self.orientation,
            velocity: factor * self.velocity,
            rate: factor * self.rate,
            ..self
        }
    }
}

/// What the sub-steps of a step begin with.
#[derive(Clone, Copy)]
struct Beginning {
    /// Beside the state's own errors.
    errors: Gathered,
    /// The forces that the step ends with are its largest: it has no other sub-step.
    is_only: bool,
}

impl<'a> Bounds<'a> {
    pub fn new(job: &'a LandingJob) -> Self {
        let gear_substeps = job.vehicle.gear_substeps(job.step);
        Self {
            job,
            surfaces: Surfaces::new(&job.scene),
            inverse_inertia: job.vehicle.inertia.tensor().inverse(),
            modes: job.vehicle.gear_modes(),
            calm_substeps: gear_substeps.calm,
            lively_substeps: f64::from(gear_substeps.lively),
        }
    }

    /// The bound of the step from `before` to `after`, as the judge has it.
    pub fn step(&self, inputs: &LandingInputs, before: &LandingState, after: &LandingState) -> StepBound {
        let body = BodyErrors::new(self, inputs, before);
        let states = (before, after);
        let beginning = if self.may_take_substeps(before, after) {
            let first = Beginning { errors: Gathered::default(), is_only: false };
            let (_, of_first) = self.gathered(&body, inputs, states, first);
            let lightness = (self.job.vehicle.mass / inputs.get(Input::Mass)).max(1.0);
            let growth = (self.job.step * lightness * (self.modes.decay + self.modes.frequency)).exp();
            Beginning { errors: of_first.grown(growth), is_only: false }
        } else {
            Beginning { errors: body.one_drift(), is_only: true }
        };
        let (wheels, whole) = self.gathered(&body, inputs, states, beginning);
        let Gathered { position, orientation, velocity, rate, acceleration, angular_acceleration, beside } = whole;
        let consistency = self.consistency(inputs, (before, after), beside, beginning.is_only);
        let following = |[by_speed, by_place]: [f64; 2]| by_speed * velocity + by_place * position;
        StepBound {
            position,
            orientation,
            velocity,
            rate,
            acceleration,
            angular_acceleration,
            pedal: body.pedal,
            // That in the middle of the step: close to rest the acceleration's part is the larger.
            last_speed: 16.0
                * U
                * (before.motion.velocity.length() + 0.5 * self.job.step * before.acceleration.linear.length()),
            pitch: body.angle,
            gusts: body.guidance.gusts,
            thrust: body.guidance.thrust + following(body.guidance.thrust_by),
            sink_integral: body.guidance.integral + following(body.guidance.integral_by),
            wheels: wheels.into_iter().map(|wheel| wheel.bound).collect(),
            consistency: Some(consistency),
        }
    }

    /// The errors of the wheels, and those that the step gathers, where every sub-step has this beginning.
    fn gathered(
        &self,
        body: &BodyErrors,
        inputs: &LandingInputs,
        (before, after): (&LandingState, &LandingState),
        beginning: Beginning,
    ) -> (Vec<WheelErrors>, Gathered) {
        let at_start = beginning.errors;
        let h = self.job.step;
        let mass = inputs.get(Input::Mass);
        let wheel_forces = after.wheels.iter().map(|step| step.peak_force).sum::<f64>();
        let (air_force, air_moment) = self.air(body, inputs, before);
        let wheels: Vec<WheelErrors> = match self.job.vehicle.ground_reactions {
            GroundReactions::Pebble => {
                let steps = self.job.vehicle.wheels.iter().zip(before.wheels.iter().zip(&after.wheels));
                let of_wheel = |(wheel, steps)| self.wheel(wheel, body, inputs, steps, after.pilot.pedal, beginning);
                steps.map(of_wheel).collect()
            }
            GroundReactions::Jsbsim => {
                self.reacting_wheels(body, inputs, (before, after), beginning, air_force.error + body.guidance.thrust)
            }
        };
        let thrust = &self.job.vehicle.thrust;
        let laws = self.job.vehicle.laws();
        let engines = thrust.idle.abs().max(thrust.reverse).max(laws.map_or(0.0, |laws| laws.greatest_thrust));
        let force_beside = air_force.error
            + body.guidance.thrust
            + (4.0 * ROTATION + at_start.orientation) * (wheel_forces + air_force.size + engines)
            + 8.0 * U * mass * self.job.gravity;
        let force_error = wheels.iter().map(|wheel| wheel.bound.peak_force).sum::<f64>() + force_beside;
        let onset_impulse = wheels.iter().map(|wheel| wheel.onset_impulse).sum::<f64>();
        let spin = before.motion.rate.length().max(after.motion.rate.length());
        let inverse = norm(&self.inverse_inertia) * self.job.vehicle.mass / mass;
        let inertia = norm(&self.job.vehicle.inertia.tensor()) * mass / self.job.vehicle.mass;
        let moments =
            wheels.iter().map(|wheel| wheel.moment_size).sum::<f64>() + air_moment.size + inertia * spin * spin;
        let moment_beside = air_moment.error
            + body.guidance.thrust * thrust.line.abs()
            + 4.0 * ROTATION * (air_moment.size + engines * thrust.line.abs())
            + 32.0 * U * moments
            + 2.0 * inertia * spin * at_start.rate;
        let moment_error = wheels.iter().map(|wheel| wheel.moment).sum::<f64>() + moment_beside;
        let onset_moment = wheels.iter().map(|wheel| wheel.onset_moment).sum::<f64>();
        let speed = before.motion.velocity.length() + after.motion.velocity.length();
        let velocity = (h * force_error + onset_impulse) / mass + 4.0 * self.lively_substeps * U * speed;
        let rate = inverse * (h * moment_error + onset_moment) + 4.0 * self.lively_substeps * U * spin;
        // Twice in a sub-step the body is moved.
        let moves = 2.0 * self.lively_substeps;
        let gathered = Gathered {
            position: h * velocity + 2.0 * moves * U * DIAGONAL * FRAME_REACH,
            orientation: h * rate + moves * ROTATION,
            velocity,
            rate,
            acceleration: force_error / mass + 8.0 * U * self.job.gravity,
            angular_acceleration: inverse * moment_error,
            beside: [force_beside, moment_beside + wheels.iter().map(|wheel| wheel.lever).sum::<f64>()],
        };
        (wheels, gathered)
    }

    fn wheel(
        &self,
        wheel: &Wheel,
        body: &BodyErrors,
        inputs: &LandingInputs,
        (last, next): (&WheelStep, &WheelStep),
        pedal: f64,
        Beginning { errors: at_start, is_only }: Beginning,
    ) -> WheelErrors {
        let arm = wheel.position.length();
        let place = body.place(arm) + at_start.position + at_start.orientation * arm;
        let rotation = ROTATION + at_start.orientation + if wheel.steering > 0.0 { body.steering } else { 0.0 };
        let mut frame = FrameErrors {
            arm,
            place,
            rotation,
            velocity: body.motion.velocity + body.motion.orientation * body.motion.rate.cross(wheel.position),
            speed: body.speed_of(arm),
            speed_error: body.speed(arm) + at_start.velocity + at_start.rate * arm,
            pebble: 0.0,
            down: body.down,
            brake: Some((0.0, 0.0)),
            brake_friction: (0.0, 0.0),
            friction_scale: inputs.get(Input::FrictionScale),
            settles: true,
        };
        let resistance = self.surfaces.rolling_resistance(&wheel.parameters, &frame, last);
        let asked = Braking::asked(wheel, pedal, body.pedal);
        let braking = asked.spared_by_anti_skid(self.job.vehicle.pilot.anti_skid, resistance, last);
        (frame.brake, frame.brake_friction) = (braking.strength, braking.per_load);
        let mut bound = self.surfaces.wheel(&wheel.parameters, &frame, last, next);
        if is_only {
            bound.peak_force = bound.force;
        }
        let (arm_and_pebble, force) = (arm + reach(&wheel.parameters, last), next.peak_force);
        // Damping force and what friction adds to it, over the closing speed, times the error of the gap.
        let touches_first = !last.contact.touches() && force > 0.0;
        let gap = bound.compression + self.job.step * frame.speed_error;
        let onset_impulse = if touches_first {
            2.0 * (1.0 + next.friction) * wheel.parameters.greatest_damping(frame.speed) * gap
        } else {
            0.0
        };
        WheelErrors {
            moment: arm_and_pebble * bound.peak_force + (place + bound.pebble + 4.0 * rotation * arm) * force,
            moment_size: arm_and_pebble * force,
            lever: (2.0 * place + 8.0 * (ROTATION + at_start.orientation) * arm_and_pebble) * force,
            onset_impulse,
            onset_moment: arm_and_pebble * onset_impulse,
            bound,
        }
    }

    /// Force and moment of the air.
    fn air(&self, body: &BodyErrors, inputs: &LandingInputs, before: &LandingState) -> (Quantity, Quantity) {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return (Quantity::default(), Quantity::default());
        };
        let speed = before.motion.velocity.length() + body.guidance.air_speed;
        let motion = &before.motion;
        let plan = LandingPlan::new(self.job, inputs);
        let pressure_area = 0.5 * plan.atmosphere.density * speed * speed * aerodynamics.area;
        let time = self.job.middle_of(before.step);
        let ground = self.job.scene.ground_plane().height(motion.position);
        let flow =
            motion.orientation.inverse() * (motion.velocity - plan.air(&self.job.weather, ground, time, &before.gusts));
        let turned = flow.z.atan2(flow.x).abs();
        let height = aerodynamics.wing_above_ground(ground, body.down);
        let fades = turned >= (1.0 - 1e-4) * aerodynamics.angle_limit;
        let Coefficients { force, moment } = Coefficients::new(aerodynamics, height, fades);
        // A rotation of the air turns the flow that span and chord meet.
        let rates = 4.0 * U * (motion.rate.length() + before.gusts.rotation().length()) + body.guidance.air_rate;
        let rates = match before.gusts.rotation() == DVec3::ZERO {
            true => 0.0,
            false => rates * aerodynamics.span.max(aerodynamics.chord) / (2.0 * speed.max(SLOWEST_FLOW)),
        };
        let by_speed = if speed > 0.0 { body.guidance.air / speed } else { 0.0 };
        let flow = ROTATION + 4.0 * U + by_speed + rates.min(2.0 * aerodynamics.angle_limit);
        let arm = aerodynamics.wing_height.abs();
        let lengths = FRAME_REACH + motion.position.z.abs() + self.surfaces.center.z.abs() + arm;
        let share = 8.0 * (4.0 * U * lengths + ROTATION * arm) / aerodynamics.span + 8.0 * U;
        let quantity = |of: &Coefficient| Quantity {
            size: pressure_area * of.size,
            error: pressure_area
                * (flow * of.by_flow + 32.0 * U * of.size + body.surfaces * of.by_surfaces + share * of.by_share),
        };
        (quantity(&force), quantity(&moment))
    }
}

/// A magnitude and its error.
#[derive(Clone, Copy, Debug, Default)]
struct Quantity {
    size: f64,
    error: f64,
}

/// A coefficient's bound, and how steeply it follows what it depends on.
struct Coefficient {
    size: f64,
    /// Per displacement of the speed through the air, as a share of it.
    by_flow: f64,
    /// Per deflection of the surfaces.
    by_surfaces: f64,
    /// Per share of the image.
    by_share: f64,
}

/// Of force, and of moment \[m\].
struct Coefficients {
    force: Coefficient,
    moment: Coefficient,
}

impl Coefficients {
    /// With the wing at this height; `fades` where the flow is beyond the angle limit, so that facing is not constant.
    fn new(a: &Aerodynamics, wing_height: f64, fades: bool) -> Self {
        let near = GroundEffect::new(a, wing_height);
        let (angle, surface) = (a.angle_limit, a.surface_limit);
        let sum = |terms: &[f64]| terms.iter().map(|term| term.abs()).sum::<f64>();
        // Two speeds and a direction, and two factors of facing with a slope below 2 each.
        let product = if fades { 7.0 } else { 3.0 };
        let wing = near.lift * (sum(&[a.lift_zero, a.spoiler_lift]) + angle * a.lift_alpha.abs());
        let lift = wing + angle * a.lift_pitch_rate.abs() + surface * a.lift_elevator.abs();
        let lift_by_angle = near.lift * a.lift_alpha.abs() + angle * a.lift_pitch_rate.abs();
        // What a change of the lift does to lift and induced drag.
        let induced = near.induced_drag * a.drag_induced;
        let dragging = 1.0 + 2.0 * induced * lift;
        let lifting = lift + induced * lift * lift * if fades { 2.0 } else { 1.0 };
        let size =
            lifting + sum(&[a.drag_zero, a.spoiler_drag]) + angle * a.side_beta.abs() + surface * a.side_rudder.abs();
        let by_lift = 2.0 * wing * near.lift * a.lift_cost();
        let force = Coefficient {
            size,
            by_flow: product * size + dragging * lift_by_angle + a.side_beta.abs(),
            by_surfaces: dragging * a.lift_elevator.abs() + a.side_rudder.abs(),
            by_share: dragging * by_lift + a.drag_induced * lift * lift,
        };

        let downwash = a.downwash_moment();
        let angles = a.span * sum(&[a.roll_beta, a.yaw_beta])
            + a.chord * (a.pitch_alpha.abs() + near.downwash * near.lift * a.lift_alpha.abs());
        let rates = a.span * sum(&[a.roll_roll_rate, a.roll_yaw_rate, a.yaw_roll_rate, a.yaw_yaw_rate])
            + a.chord * a.pitch_pitch_rate.abs();
        let by_surfaces = a.span * sum(&[a.roll_aileron, a.roll_rudder, a.yaw_aileron, a.yaw_rudder])
            + a.chord * a.pitch_elevator.abs();
        let size =
            angle * (angles + rates) + surface * by_surfaces + a.chord * (a.pitch_zero.abs() + near.downwash * wing);
        let moment = Coefficient {
            size,
            by_flow: product * size + angles + angle * rates,
            by_surfaces,
            by_share: a.chord * downwash * (wing + by_lift),
        };
        Self { force, moment }
    }
}

/// Errors of a wheel's results and of what it does to the body.
struct WheelErrors {
    bound: WheelBound,
    moment: f64,
    moment_size: f64,
    /// Of the moment of a force that is known \[N m\].
    lever: f64,
    /// Errors of what it does in the sub-step in which it touches first \[N s\], \[N m s\].
    onset_impulse: f64,
    onset_moment: f64,
}

/// Errors of the body's state and of the pilot's answers to it.
struct BodyErrors {
    velocity: f64,
    rate: f64,
    /// Attitude angles \[rad\].
    angle: f64,
    /// Steering angle \[rad\].
    steering: f64,
    /// Control surfaces \[rad\].
    surfaces: f64,
    /// Brake pedal.
    pedal: f64,
    /// Air, and commands of an autoland.
    guidance: GuidanceErrors,
    /// The body's motion.
    motion: Motion,
    /// Its Z axis.
    down: DVec3,
}

impl BodyErrors {
    /// What rounding adds where the body is moved once, to the middle of the step.
    fn one_drift(&self) -> Gathered {
        Gathered {
            position: 2.0 * U * DIAGONAL * FRAME_REACH,
            orientation: ROTATION,
            velocity: 2.0 * U * self.velocity,
            rate: 2.0 * U * self.rate,
            ..Gathered::default()
        }
    }

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

/// The orientation of a body that has turned at its rate for a time \[s\].
fn turned(motion: &Motion, time: f64) -> DQuat {
    (motion.orientation * DQuat::from_scaled_axis(time * motion.rate)).normalize()
}

/// Frobenius norm.
fn norm(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().into_iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}
