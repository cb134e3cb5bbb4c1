//! Aerodynamic forces on eight vehicles: [`Aerodynamics`] and [`GroundEffect`](crate::vehicle::GroundEffect) in lanes.
//!
//! # Conventions
//! As in [`crate::vehicle`]: body frame, the flow split as in the documentation of [`Aerodynamics`]' module.

use std::f64::consts::{FRAC_PI_2, PI};

use super::body::Loads;
use super::pilot::Controls;
use crate::elementary::{atan2, hypot};
use crate::simd::{DVec3x8, F64x8, Simd};
use crate::vehicle::{Aerodynamics, SLOWEST_FLOW};

/// The flow that eight bodies meet.
pub(super) struct Flow<S: Simd> {
    /// Speed of the body through the air, body axes \[m/s\].
    pub velocity: DVec3x8<S>,
    /// Rate of rotation, body axes \[rad/s\].
    pub rate: DVec3x8<S>,
    /// Air density \[kg/m^3\].
    pub density: F64x8<S>,
    /// Height of the wing above the ground \[m\].
    pub wing_height: F64x8<S>,
}

/// Heights of the wings above the ground \[m\]; as [`Aerodynamics::wing_above_ground`].
#[inline(always)]
pub(super) fn wings_above_ground<S: Simd>(of: &Aerodynamics, height: F64x8<S>, down: DVec3x8<S>) -> F64x8<S> {
    height - of.wing_height * down.z
}

#[inline(always)]
pub(super) fn air_loads<S: Simd>(of: &Aerodynamics, flow: &Flow<S>, controls: &Controls<S>) -> Loads<S> {
    let DVec3x8 { x: u, y: v, z: w } = flow.velocity;
    let (elevator, aileron) = (controls.elevator, controls.aileron);
    let (rudder, spoilers) = (controls.rudder, controls.spoilers);
    let speed = flow.velocity.length();
    let in_plane = hypot(u, w);
    let (zero, one) = (speed.like(0.0), speed.like(1.0));
    let (low, high) = (speed.like(-of.angle_limit), speed.like(of.angle_limit));
    let from_ahead = atan2(w, u);
    let turned = from_ahead.abs();
    let alpha = turned.min(PI - turned).copysign(from_ahead).clamp(low, high);
    let beta = atan2(v, in_plane).clamp(low, high);
    let facing = ((FRAC_PI_2 - turned) / of.fading_angle()).clamp(-one, one);
    let roll_rate = dimensionless(flow.rate.x, of.span, speed).clamp(low, high);
    let pitch_rate = dimensionless(flow.rate.y, of.chord, in_plane).clamp(low, high);
    let yaw_rate = dimensionless(flow.rate.z, of.span, speed).clamp(low, high);
    let near = GroundEffects::new(of, flow.wing_height);

    let wing = near.lift * (of.lift_alpha * alpha + facing * (of.lift_zero - of.spoiler_lift * spoilers));
    let lift = facing * (wing + facing * of.lift_elevator * elevator + of.lift_pitch_rate * pitch_rate);
    let lifting = in_plane * lift;
    let drag = speed * (of.drag_zero + of.spoiler_drag * spoilers)
        + in_plane * (near.induced_drag * of.drag_induced * lift * lift);
    let (all, plane) = (speed * speed, in_plane * in_plane);
    let deflected = speed * in_plane * facing;
    let side = all * of.side_beta * beta + deflected * of.side_rudder * rudder;
    let force = DVec3x8::new(lifting * w - drag * u, side - drag * v, -lifting * u - drag * w);

    let roll = all * (of.roll_beta * beta + of.roll_roll_rate * roll_rate + of.roll_yaw_rate * yaw_rate)
        + deflected * (of.roll_aileron * aileron + of.roll_rudder * rudder);
    let pitch = plane
        * (of.pitch_alpha * alpha
            + of.pitch_pitch_rate * pitch_rate
            + facing * (of.pitch_zero + of.pitch_elevator * elevator)
            - near.downwash * facing.max(zero) * wing);
    let yaw = all * (of.yaw_beta * beta + of.yaw_roll_rate * roll_rate + of.yaw_yaw_rate * yaw_rate)
        + deflected * (of.yaw_aileron * aileron + of.yaw_rudder * rudder);
    let moment = DVec3x8::new(roll * of.span, pitch * of.chord, yaw * of.span);
    let half = 0.5 * flow.density * of.area;
    Loads { force: force * half, moment: moment * half }
}

/// Rates of rotation by the time in which the flow passes half of a length.
#[inline(always)]
fn dimensionless<S: Simd>(rate: F64x8<S>, length: f64, speed: F64x8<S>) -> F64x8<S> {
    rate * length / (2.0 * speed.max(speed.like(SLOWEST_FLOW)))
}

/// What eight wings' heights above the ground change.
struct GroundEffects<S: Simd> {
    lift: F64x8<S>,
    induced_drag: F64x8<S>,
    downwash: F64x8<S>,
}

impl<S: Simd> GroundEffects<S> {
    #[inline(always)]
    fn new(of: &Aerodynamics, wing_height: F64x8<S>) -> Self {
        let (zero, one) = (wing_height.like(0.0), wing_height.like(1.0));
        if !of.ground_effect {
            return Self { lift: one, induced_drag: one, downwash: zero };
        }
        let ratio = (wing_height / of.span).clamp(zero, one);
        let share = ((1.0 - 1.32 * ratio) / (1.05 + 7.4 * ratio)).max(zero);
        Self {
            lift: 1.0 / (1.0 - share * of.lift_cost()),
            induced_drag: 1.0 - share,
            downwash: share * of.downwash_moment(),
        }
    }
}
