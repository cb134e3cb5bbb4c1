//! How far one step of a landing in binary32 may be from the same step in binary64: the bound that the GPU engine's
//! documentation of job `landing` derives, and the comparison by it.
//!
//! # Conventions
//! SI units. Bounds are of lengths of differences of vectors. `U` is the unit roundoff of binary32.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DQuat, DVec3};
use touchdown::program::walk::Walk;
use touchdown::query::rules::PEDAL_RATE;
use touchdown::query::{ClipCase, Input, LandingInputs, LandingJob, LandingState, WheelState, WheelStep};
use touchdown::scene::Solid;
use touchdown::vehicle::{Aerodynamics, Wheel};

pub const U: f64 = 1.0 / (1u64 << 24) as f64;
/// Relative error of a rotated vector: 6 U from narrowing the quaternion, 12 U from nine entries of its matrix that are
/// off by 4 U each, 6 U from the product.
const ROTATION: f64 = 24.0 * U;
/// Half of a frame's cell [m]: a body's coordinates at the start of a step.
const HALF_CELL: f64 = 8.0;

/// A step by names of what it gives: how far apart two engines are, in units of the bound.
pub type Ratios = Vec<(&'static str, f64)>;

pub struct StepBound<'a> {
    job: &'a LandingJob,
    /// Of the scene on the device [m].
    origin: DVec3,
    /// Greatest change of a friction coefficient with speed [s/m].
    friction_slope: f64,
    /// Greatest friction coefficient.
    friction: f64,
}

/// What the errors of one wheel come to.
struct WheelBound {
    pebble: f64,
    origin: f64,
    force: f64,
    normal_force: f64,
    compression: f64,
    friction: f64,
    arm: f64,
}

/// Errors of the pilot's decisions.
struct ControlBound {
    elevator: f64,
    aileron: f64,
    rudder: f64,
    pedal: f64,
    angle: f64,
}

/// Size and error of a load.
#[derive(Clone, Copy, Default)]
struct Size {
    size: f64,
    error: f64,
}

impl<'a> StepBound<'a> {
    pub fn new(job: &'a LandingJob) -> Self {
        let materials = job.scene.materials();
        let slope = |pair: &[(f64, f64)]| ((pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0)).abs();
        let slopes = materials.iter().flat_map(|material| material.dynamic_friction_by_speed.windows(2).map(slope));
        let coefficients = materials.iter().flat_map(|material| {
            let curve = material.dynamic_friction_by_speed.iter().map(|row| row.1);
            curve.chain([material.static_friction, material.dynamic_friction])
        });
        Self {
            job,
            origin: Walk::compile(&job.scene).center(),
            friction_slope: slopes.fold(0.0, f64::max),
            friction: coefficients.fold(0.0, f64::max),
        }
    }

    /// How far `found` is from `truth`, both one step after `before`, in units of the bound. Decisions must agree.
    pub fn ratios(
        &self,
        inputs: &LandingInputs,
        before: &LandingState,
        truth: &LandingState,
        found: &LandingState,
    ) -> Ratios {
        let (job, h) = (self.job, self.job.step);
        let (v, w) = (before.motion.velocity.length(), before.motion.rate.length());
        let controls = self.controls(inputs, before);
        let mut ratios = Vec::new();
        let mut add = |name, difference: f64, bound: f64| ratios.push((name, difference / bound));
        let (mut force, mut moment) = (Size::default(), Size::default());
        for (index, wheel) in job.vehicle.wheels.iter().enumerate() {
            let (was, true_wheel, found_wheel) = (&before.wheels[index], &truth.wheels[index], &found.wheels[index]);
            let bound = self.wheel(inputs, before, &controls, wheel, was, true_wheel);
            let apart = |pick: fn(&WheelStep) -> DVec3| (pick(true_wheel) - pick(found_wheel)).length();
            let off = |pick: fn(&WheelStep) -> f64| (pick(true_wheel) - pick(found_wheel)).abs();
            let place = if true_wheel.force == DVec3::ZERO { bound.origin } else { bound.pebble };
            // A pebble means something while its wheel touches.
            if true_wheel.contact.touches() && found_wheel.contact.touches() {
                add("pebble", apart(|step| step.contact.pebble), bound.pebble);
            }
            add("application", apart(|step| step.application), place);
            add("force", apart(|step| step.force), bound.force);
            add("normal force", off(|step| step.normal_force), bound.normal_force);
            add("compression", off(|step| step.compression), bound.compression);
            add("friction", off(|step| step.friction), bound.friction);
            let size = true_wheel.force.length();
            force.size += size;
            force.error += bound.force;
            moment.size += size * bound.arm;
            moment.error += bound.arm * bound.force + size * (place + ROTATION * bound.arm);
        }
        if let Some(aerodynamics) = &job.vehicle.aerodynamics {
            let (air_force, air_moment) = self.air(aerodynamics, inputs, before, &controls);
            force = Size { size: force.size + air_force.size, error: force.error + air_force.error };
            moment = Size { size: moment.size + air_moment.size, error: moment.error + air_moment.error };
        }
        let thrust = job.vehicle.thrust.idle.abs().max(job.vehicle.thrust.reverse);
        force.size += thrust;
        moment.size += thrust * job.vehicle.thrust.line.abs();

        let mass = inputs.get(Input::Mass);
        let inertia = job.vehicle.inertia.tensor() * (mass / job.vehicle.mass);
        let norm =
            |matrix: glam::DMat3| matrix.to_cols_array().into_iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        let (inertia, inverse) = (norm(inertia), norm(inertia.inverse()));
        let rate = U * (w + truth.motion.rate.length())
            + h * inverse * (moment.error + 16.0 * U * (moment.size + w * w * inertia));
        let velocity = U * (v + truth.motion.velocity.length())
            + h * (force.error / mass + 16.0 * U * (force.size / mass + job.gravity));
        let position = 3.0 * U * 2.0 * HALF_CELL + U * h * v + h * velocity;
        let orientation = 20.0 * U + h * rate;
        let (a, b) = (&truth.motion, &found.motion);
        add("position", (a.position - b.position).length(), position);
        add("velocity", (a.velocity - b.velocity).length(), velocity);
        add("rate", (a.rate - b.rate).length(), rate);
        add("orientation", quaternion_distance(a.orientation, b.orientation), orientation);
        add("pedal", (truth.pilot.pedal - found.pilot.pedal).abs(), controls.pedal);
        add("last speed", (truth.pilot.last_speed - found.pilot.last_speed).abs(), 4.0 * U * v + f64::MIN_POSITIVE);
        let pitch = |state: &LandingState| state.pilot.pitch_at_touchdown.unwrap_or(0.0);
        add("pitch at touchdown", (pitch(truth) - pitch(found)).abs(), controls.angle);
        ratios
    }

    fn wheel(
        &self,
        inputs: &LandingInputs,
        before: &LandingState,
        controls: &ControlBound,
        wheel: &Wheel,
        was: &WheelStep,
        after: &WheelStep,
    ) -> WheelBound {
        let p = &wheel.parameters;
        let motion = &before.motion;
        // Reach of the wheel from the centre of gravity, and of its coordinates from the frame's origin, as a length.
        let arm = wheel.position.length() + p.z_max;
        let reach = 2.0 * (HALF_CELL + arm);
        let turned =
            if wheel.steering > 0.0 { ROTATION + controls.rudder + 16.0 * U * wheel.steering } else { ROTATION };
        let (v, w) = (motion.velocity.length(), motion.rate.length());
        let at_wheel = v + w * arm;

        let origin = 3.0 * U * reach + ROTATION * arm;
        let pebble = origin + 2.0 * U * reach + turned * arm;
        let velocity = 2.0 * U * v + (ROTATION + 6.0 * U) * w * arm + turned * at_wheel;
        let (k, d) = (p.k_xy.abs().max(p.k_z.abs()), p.d_xy.abs().max(p.d_z.abs()));
        let in_body = motion.to_world().transpose() * (was.contact.pebble - motion.position) - wheel.position;
        let stretch =
            if was.contact.touches() { in_body.truncate().length() + (in_body.z - p.z_zero).abs() } else { 0.0 };
        let spring = k * pebble + d * velocity + 4.0 * U * k * stretch + 64.0 * U * d * at_wheel;

        let scale = inputs.get(Input::FrictionScale);
        let mu = scale * self.friction;
        let friction = scale * self.friction_slope * 2.0 * velocity + 8.0 * U * mu;
        let brake = if wheel.brake.is_finite() { wheel.brake * (controls.pedal + 8.0 * U) } else { 0.0 };
        let brake = brake + p.rolling_resistance * spring;
        let circle = mu * spring + after.normal_force * friction;
        // The corner of the border is a square root of a difference.
        let corner = match after.clip_case {
            ClipCase::Corner => (2.0 * after.friction * after.normal_force * (circle + brake)).sqrt(),
            _ => 0.0,
        };
        let clipped = spring + circle + brake + corner;

        let moves = after.contact.state == WheelState::Slipping || !was.contact.touches();
        let pebble_after = if after.contact.touches() && moves {
            let down = -motion.to_world().z_axis;
            let normal = after.contact.normal.normalize();
            let grazing = normal.dot(down).abs();
            let place = origin + turned * arm + clipped / p.k_xy.abs();
            let surface = self.surface(before, &after.contact, reach) + 8.0 * U * reach;
            place + (place + surface) / grazing
        } else {
            2.0 * U * reach
        };
        // A wheel that gives no force on either side gives it exactly.
        let gives_force = after.clip_case as i8 >= ClipCase::Inside as i8 && after.contact.touches();
        let exact = f64::from(u8::from(gives_force));
        WheelBound {
            pebble: pebble_after,
            origin,
            force: exact * (clipped + ROTATION * after.force.length()) + f64::MIN_POSITIVE,
            normal_force: exact * spring + f64::MIN_POSITIVE,
            compression: exact * pebble + f64::MIN_POSITIVE,
            friction: exact * friction + f64::MIN_POSITIVE,
            arm: arm + 1.0,
        }
    }

    /// How far the surface under a pebble may seem to be from where it is: rounding of its constants and of the distance,
    /// with the frame far from the scene's origin.
    fn surface(&self, before: &LandingState, contact: &touchdown::query::WheelContact, reach: f64) -> f64 {
        let frame = before.motion.position - self.origin;
        let leaf = contact.leaf.map(|leaf| self.job.scene.leaf(leaf).solid);
        match leaf {
            Some(Solid::HalfSpace(half_space)) => {
                let normal = half_space.normal.normalize().abs();
                let displacement = (half_space.normal.normalize().dot(contact.pebble - self.origin)).abs();
                6.0 * U * (normal.dot(frame.abs() + HALF_CELL) + normal.dot(DVec3::splat(reach)))
                    + 4.0 * U * displacement
            }
            _ => 8.0 * U * (frame.length() + reach),
        }
    }

    fn controls(&self, inputs: &LandingInputs, before: &LandingState) -> ControlBound {
        let (pilot, motion) = (&self.job.vehicle.pilot, &before.motion);
        let (v, w) = (motion.velocity.length(), motion.rate.length());
        // Headings and banks are read off a vector that shortens with the cosine of the pitch angle.
        let angle = (ROTATION + 16.0 * U) / motion.pitch().cos();
        let since = before.steps_since_touchdown().unwrap_or(0) as f64 * self.job.step;
        let wanted = angle + 4.0 * U * (1.0 + inputs.get(Input::DerotationRate).abs() * since);
        let lateral = 4.0 * U * (self.origin.y.abs() + motion.position.y.abs() + 2.0 * HALF_CELL);
        let heading = pilot.lateral_gain.abs() * lateral + angle + 16.0 * U;
        let rate = 4.0 * U * w;
        let target = inputs.get(Input::TargetDeceleration);
        let adjusted = if target > 0.0 { PEDAL_RATE * 8.0 * U * v / target } else { 0.0 };
        ControlBound {
            elevator: pilot.pitch_gain.abs() * (wanted + angle) + pilot.pitch_damping.abs() * rate + 8.0 * U,
            aileron: pilot.bank_gain.abs() * (angle + 16.0 * U) + pilot.roll_damping.abs() * rate + 8.0 * U,
            rudder: pilot.heading_gain.abs() * (heading + 4.0 * U) + pilot.yaw_damping.abs() * rate + 8.0 * U,
            pedal: adjusted + 8.0 * U,
            angle,
        }
    }

    /// Force and moment of the air.
    fn air(
        &self,
        a: &Aerodynamics,
        inputs: &LandingInputs,
        before: &LandingState,
        controls: &ControlBound,
    ) -> (Size, Size) {
        let motion = &before.motion;
        let wind = DVec3::new(-inputs.get(Input::Headwind), inputs.get(Input::Crosswind), 0.0);
        let speed = (motion.velocity - wind).length();
        if speed == 0.0 {
            return (Size::default(), Size::default());
        }
        let relative = (2.0 * U * (motion.velocity.length() + wind.length()) + ROTATION * speed) / speed + 4.0 * U;
        let rate = motion.rate.length() * a.span.max(a.chord) / (2.0 * speed);
        let angle = Size { size: a.angle_limit, error: 2.0 * relative + 16.0 * U * a.angle_limit };
        let turning = Size { size: rate, error: rate * (relative + 8.0 * U) };
        let surface = |error: f64| Size { size: a.surface_limit, error };
        let spoilers = Size { size: 1.0, error: 0.0 };
        let one = Size { size: 1.0, error: 0.0 };
        let sum = |terms: &[(f64, Size)]| {
            let size: f64 = terms.iter().map(|(factor, term)| factor.abs() * term.size).sum();
            let error: f64 = terms.iter().map(|(factor, term)| factor.abs() * term.error).sum();
            Size { size, error: error + 16.0 * U * size }
        };
        let (elevator, aileron, rudder) =
            (surface(controls.elevator), surface(controls.aileron), surface(controls.rudder));
        let lift = sum(&[
            (a.lift_zero, one),
            (a.lift_alpha, angle),
            (a.lift_pitch_rate, turning),
            (a.lift_elevator, elevator),
            (a.spoiler_lift, spoilers),
        ]);
        let squared = Size { size: lift.size * lift.size, error: 2.0 * lift.size * lift.error };
        let drag = sum(&[(a.drag_zero, one), (a.drag_induced, squared), (a.spoiler_drag, spoilers)]);
        let side = sum(&[(a.side_beta, angle), (a.side_rudder, rudder)]);
        let roll = sum(&[
            (a.roll_beta, angle),
            (a.roll_roll_rate, turning),
            (a.roll_yaw_rate, turning),
            (a.roll_aileron, aileron),
            (a.roll_rudder, rudder),
        ]);
        let pitch = sum(&[
            (a.pitch_zero, one),
            (a.pitch_alpha, angle),
            (a.pitch_pitch_rate, turning),
            (a.pitch_elevator, elevator),
        ]);
        let yaw = sum(&[
            (a.yaw_beta, angle),
            (a.yaw_roll_rate, turning),
            (a.yaw_yaw_rate, turning),
            (a.yaw_aileron, aileron),
            (a.yaw_rudder, rudder),
        ]);
        let pressure = 0.5 * inputs.get(Input::AirDensity) * speed * speed * a.area;
        let total = |terms: [(f64, Size); 3]| {
            let all = sum(&terms);
            // Directions and the pressure are off by about as much as the speed.
            Size { size: pressure * all.size, error: pressure * (all.error + all.size * (4.0 * relative + 16.0 * U)) }
        };
        let force = total([(1.0, lift), (1.0, drag), (1.0, side)]);
        let moment = total([(a.span, roll), (a.chord, pitch), (a.span, yaw)]);
        (force, moment)
    }
}

fn quaternion_distance(a: DQuat, b: DQuat) -> f64 {
    (a - b).length().min((a + b).length())
}

/// True when both engines took the same turns in a step.
pub fn decide_alike(a: &LandingState, b: &LandingState) -> bool {
    let wheels = a.wheels.iter().zip(&b.wheels).all(|(a, b)| {
        let same_material = a.contact.material == b.contact.material || !a.contact.touches();
        a.contact.state == b.contact.state
            && same_material
            && a.clip_case == b.clip_case
            && a.over_max_force == b.over_max_force
    });
    wheels
        && a.step == b.step
        && a.touchdown_step == b.touchdown_step
        && a.struck == b.struck
        && a.pilot.begun == b.pilot.begun
        && a.pilot.pitch_at_touchdown.is_some() == b.pilot.pitch_at_touchdown.is_some()
}
