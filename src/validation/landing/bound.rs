//! How far one step in binary32 may be from the step in binary64 that starts from the same state.
//!
//! Let u = 2^-24, the largest relative error of one rounding. A device holds places relative to a frame whose origin is
//! exact and within [`FRAME_REACH`] of the body in every coordinate, so that narrowing a place costs `u (L + r)`, `r`
//! being the arm of the point. What follows adds first-order errors; every constant counts roundings and rounds up.
//!
//! * **Rotation.** The entries of a matrix from a narrowed unit quaternion are sums of at most three products of numbers
//!   below one: 8 u. A rotated vector has three products and two sums more: its error is below `ROTATION |v|`.
//! * **Place and speed of a wheel** at the arm r: narrowing, the sum with the body's, and the rotation of r and w x r.
//! * **Spring force.** `F = k p + d w`: the errors of the pebble's place p and of the speed w in the wheel frame times
//!   stiffness and damping, 8 roundings of the sums, and the turn of the surface's axes in the damping that is split
//!   along them.
//! * **Clipping**, by its case. Inside: the force's own error. Brake: that of the part across, and of B. Corner: of B and
//!   of the corner `sqrt(circle^2 - B^2)`, whose derivative is circle / corner, held at the square root of its argument's
//!   error where the corner vanishes; `circle = mu F_z`. Circle: of the radius, and twice the force's own for the turn of
//!   its direction. A pad that never yields has no B.
//! * **Pebble.** It is moved to where the springs alone hold it (the error of the clipped force over `k_xy`), then down to
//!   the surface, whose place is known to 8 u of the lengths in the scene along its normal, over the cosine between normal
//!   and wheel axis.
//! * **Air.** Dynamic pressure and area times the sum of the magnitudes of all derivatives, with 64 u for angles, rates,
//!   surfaces and sums; the surfaces' own errors come through the pilot's gains.
//! * **Body.** Semi-implicit Euler: `h / m` and `h I^-1` times the errors of force and moment, plus the roundings of what is
//!   added; then `h` times the new speeds' errors, plus roundings of place and quaternion.
//!
//! # Conventions
//! As in [`crate::query`]: metres, seconds, newtons, radians; world axes for places, forces and speeds, body axes for
//! rates.

use glam::{DMat3, DVec3};

use crate::query::{ClipCase, Input, LandingInputs, LandingJob, LandingState, WheelStep};
use crate::scene::Solid;
use crate::vehicle::{Aerodynamics, Pilot, Wheel};

/// Relative error of one rounding to binary32.
const U: f64 = 1.0 / (1 << 24) as f64;
/// Error of a rotated vector, relative to its length.
const ROTATION: f64 = 16.0 * U;
/// A coordinate of the body in its frame is below this, or a step beyond \[m\].
const FRAME_REACH: f64 = 17.0;
/// Length of a vector whose coordinates are all one.
const DIAGONAL: f64 = 1.75;
/// A wheel axis is taken no flatter to a surface than this cosine: flatter contact is over an edge and not compared.
const LEAST_COSINE: f64 = 0.1;

/// Bounds of a wheel's results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelBound {
    /// Of the pebble's place \[m\].
    pub pebble: f64,
    /// Of the force, and of the force along the normal \[N\].
    pub force: f64,
    /// Of the compression \[m\].
    pub compression: f64,
    /// Of the friction coefficient.
    pub friction: f64,
}

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
    /// Of the wheels.
    pub wheels: Vec<WheelBound>,
}

impl StepBound {
    /// By how much a step may differ from one that starts at a state displaced by the bound: what the pilot remembers
    /// and what the wheels feel then differs by the displacement itself.
    #[must_use]
    pub(super) fn of_displaced(&self) -> Self {
        let wheel = |wheel: &WheelBound| WheelBound {
            pebble: 4.0 * wheel.pebble,
            force: 4.0 * wheel.force,
            compression: 4.0 * wheel.compression,
            // Displaced by factors of 32 u, and by the speed that it is read at.
            friction: 8.0 * wheel.friction + f64::from(f32::EPSILON) * 32.0,
        };
        Self {
            position: 4.0 * self.position,
            orientation: 4.0 * self.orientation,
            velocity: 4.0 * self.velocity,
            rate: 4.0 * self.rate,
            // Follows the difference of speeds that are displaced one by one.
            pedal: 1.0,
            last_speed: self.last_speed + 2.0 * self.velocity,
            pitch: self.pitch + 2.0 * self.orientation,
            wheels: self.wheels.iter().map(wheel).collect(),
        }
    }
}

/// What all bounds of a job share.
#[derive(Clone, Debug)]
pub(super) struct Bounds<'a> {
    job: &'a LandingJob,
    /// Lengths in the scene are narrowed relative to this point \[m\].
    center: DVec3,
    inverse_inertia: DMat3,
    /// Steepest change of friction with speed of any material \[s/m\].
    friction_slope: f64,
}

impl<'a> Bounds<'a> {
    pub fn new(job: &'a LandingJob, center: DVec3) -> Self {
        let curves = job.scene.materials().iter().flat_map(|material| material.dynamic_friction_by_speed.windows(2));
        let slope = |rows: &[(f64, f64)]| ((rows[1].1 - rows[0].1) / (rows[1].0 - rows[0].0)).abs();
        Self {
            job,
            center,
            inverse_inertia: job.vehicle.inertia.tensor().inverse(),
            friction_slope: curves.map(slope).fold(0.0, f64::max),
        }
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
        let engines = thrust.idle.abs().max(thrust.reverse);
        let force_error = wheels.iter().map(|wheel| wheel.bound.force).sum::<f64>()
            + air_force.error
            + 4.0 * ROTATION * (wheel_forces + air_force.size + engines)
            + 8.0 * U * mass * self.job.gravity;
        let velocity =
            h / mass * force_error + 4.0 * U * (before.motion.velocity.length() + after.motion.velocity.length());
        let moment_error = wheels.iter().map(|wheel| wheel.moment).sum::<f64>()
            + air_moment.error
            + 4.0 * ROTATION * (air_moment.size + engines * thrust.line.abs());
        let spin = before.motion.rate.length().max(after.motion.rate.length());
        let inverse = norm(&self.inverse_inertia) * self.job.vehicle.mass / mass;
        let inertia = norm(&self.job.vehicle.inertia.tensor()) * mass / self.job.vehicle.mass;
        let moments =
            wheels.iter().map(|wheel| wheel.moment_size).sum::<f64>() + air_moment.size + inertia * spin * spin;
        let rate = h * inverse * (moment_error + 32.0 * U * moments) + 4.0 * U * spin;
        StepBound {
            position: h * velocity + 4.0 * U * DIAGONAL * FRAME_REACH,
            orientation: h * rate + ROTATION,
            velocity,
            rate,
            pedal: body.pedal,
            last_speed: 8.0 * U * before.motion.velocity.length(),
            pitch: body.angle,
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
        let p = &wheel.parameters;
        let arm = wheel.position.length();
        let rotation = ROTATION + if wheel.steering > 0.0 { body.steering } else { 0.0 };
        let place = body.place(arm);
        // The pebble lies within the wheel's travel, or a little beside it.
        let reach = p.z_max.abs().max(p.z_min.abs()) + last.force.length() / p.k_xy.abs();
        let pebble = place + U * DIAGONAL * (FRAME_REACH + arm + 2.0 * reach) + rotation * reach;
        let speed = body.speed_of(arm);
        let speed_error = body.speed(arm) + rotation * speed;
        let (stiffness, damping) = (p.k_xy.abs().max(p.k_z.abs()), p.d_xy.abs().max(p.d_z.abs()));
        // The springs' parts may be larger than their sum.
        let size = next.force.length().max(next.normal_force.abs()) + damping * speed;
        let spring = stiffness * (pebble + U * (p.z_zero.abs() + reach))
            + damping * speed_error
            + 8.0 * U * size
            + 4.0 * rotation * (p.d_z - p.d_xy).abs() * speed;
        let friction = 8.0 * U * next.friction
            + inputs.get(Input::FrictionScale) * self.friction_slope * (speed_error + 4.0 * U * speed);
        let brake = braking_strength(wheel, last, pedal, self.job.vehicle.pilot.anti_skid);
        let clip = ClipErrors::new(
            next,
            brake,
            spring + 4.0 * rotation * size,
            friction,
            brake.map_or(0.0, |brake| 16.0 * U * brake + wheel.brake * body.pedal + p.rolling_resistance * spring),
        );
        let force = clip.of(next.clip_case) + 4.0 * rotation * next.force.length();
        // Which case holds the springs' own force is not recorded.
        let cases = [ClipCase::Brake, ClipCase::Corner, ClipCase::Circle];
        let held = cases.into_iter().map(|case| clip.of(case)).fold(0.0, f64::max);
        let surface = self.surface(next, arm) + place + rotation * reach;
        let moved = place + held / p.k_xy.abs() + 2.0 * surface / LEAST_COSINE.max(self.cosine(next, body));
        let arm_error = place + moved;
        WheelErrors {
            bound: WheelBound { pebble: pebble + moved, force, compression: pebble, friction },
            moment: (arm + reach) * force
                + arm_error * next.force.length()
                + 4.0 * rotation * arm * next.force.length(),
            moment_size: (arm + reach) * next.force.length(),
        }
    }

    /// How well a surface's place is known along its normal \[m\].
    fn surface(&self, step: &WheelStep, arm: f64) -> f64 {
        let Some(leaf) = step.contact.leaf else {
            return 0.0;
        };
        let from_center = (step.contact.pebble - self.center).abs() + DVec3::splat(FRAME_REACH);
        let lengths = match self.job.scene.leaf(leaf).solid {
            Solid::HalfSpace(_) => step.contact.normal.normalize_or_zero().abs().dot(from_center) + FRAME_REACH + arm,
            Solid::Sphere(_) | Solid::Cylinder(_) => from_center.length() + FRAME_REACH + arm,
        };
        8.0 * U * DIAGONAL * lengths
    }

    /// Cosine between the wheel's axis, taken as the body's, and the surface's normal.
    #[expect(clippy::unused_self, reason = "reads as the other parts of the bound")]
    fn cosine(&self, step: &WheelStep, body: &BodyErrors) -> f64 {
        step.contact.normal.normalize_or_zero().dot(body.down).abs()
    }

    /// Force and moment of the air.
    fn air(&self, body: &BodyErrors, inputs: &LandingInputs, before: &LandingState) -> (Quantity, Quantity) {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return (Quantity::default(), Quantity::default());
        };
        let wind = DVec3::new(inputs.get(Input::Headwind), inputs.get(Input::Crosswind), 0.0).length();
        let speed = before.motion.velocity.length() + wind;
        let pressure_area = 0.5 * inputs.get(Input::AirDensity) * speed * speed * aerodynamics.area;
        let (force, moment) = coefficients(aerodynamics);
        let error = 64.0 * U + body.surfaces;
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
    /// The body's Z axis.
    down: DVec3,
}

impl BodyErrors {
    fn new(bounds: &Bounds<'_>, inputs: &LandingInputs, before: &LandingState) -> Self {
        let Pilot {
            pitch_gain, pitch_damping, bank_gain, roll_damping, lateral_gain, heading_gain, yaw_damping, ..
        } = bounds.job.vehicle.pilot;
        let motion = &before.motion;
        let (velocity, rate) = (motion.velocity.length(), motion.rate.length());
        let lateral = 4.0 * U * (motion.position.y.abs() + bounds.center.y.abs() + FRAME_REACH);
        let angle = 2.0 * ROTATION;
        let steering = heading_gain * (angle + lateral_gain * lateral) + 8.0 * U * (heading_gain + yaw_damping * rate);
        let surfaces =
            steering + (pitch_gain + bank_gain) * 2.0 * angle + 8.0 * U * (1.0 + (pitch_damping + roll_damping) * rate);
        let target = inputs.get(Input::TargetDeceleration);
        // The pedal follows a difference of two speeds that are nearly equal.
        let pedal = if target > 0.0 { 32.0 * U * velocity / target } else { 0.0 } + 8.0 * U;
        Self { velocity, rate, angle, steering, surfaces, pedal, down: motion.orientation * DVec3::Z }
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

/// Errors of a clipped force's parts \[N\].
struct ClipErrors {
    force: f64,
    brake: f64,
    circle: f64,
    corner: f64,
}

impl ClipErrors {
    /// For the step `next` with the braking strength `brake` \[N\], from the errors of the force before clipping, of the
    /// friction coefficient, and of the braking strength.
    fn new(next: &WheelStep, brake: Option<f64>, force: f64, friction: f64, brake_error: f64) -> Self {
        let normal_force = next.normal_force.abs() + force;
        let circle = next.friction * normal_force;
        let circle_error = next.friction * force + friction * normal_force + 8.0 * U * circle;
        let corner = brake.filter(|&brake| brake < circle).map_or(0.0, |brake| {
            let square_error = 2.0 * (circle * circle_error + brake * brake_error);
            let corner = ((circle - brake) * (circle + brake)).sqrt();
            square_error / corner.max(square_error.sqrt()).max(f64::MIN_POSITIVE)
        });
        Self { force, brake: brake_error, circle: circle_error, corner }
    }

    /// Error of the clipped force, its part along the normal included.
    fn of(&self, case: ClipCase) -> f64 {
        match case {
            ClipCase::NotComputed | ClipCase::NoPressingForce => 0.0,
            ClipCase::Inside => self.force,
            ClipCase::Brake => self.force + self.brake,
            ClipCase::Corner => self.force + self.brake + self.corner,
            ClipCase::Circle => 2.0 * self.force + self.circle,
        }
    }
}

/// B of a wheel as the landing job has it \[N\]; `None` for a pad that never yields.
fn braking_strength(wheel: &Wheel, last: &WheelStep, pedal: f64, anti_skid: f64) -> Option<f64> {
    let asked = Some(wheel.brake * pedal).filter(|_| wheel.brake.is_finite())?;
    let share = (anti_skid * last.friction - wheel.parameters.rolling_resistance).max(0.0);
    Some(if anti_skid == 0.0 { asked } else { asked.min(share * last.normal_force) })
}

/// Frobenius norm.
fn norm(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().into_iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}
