//! Air forces on eight vehicles: [`Aerodynamics`] in lanes.
//!
//! # Conventions
//! As in [`crate::vehicle`]: body frame; lift and drag in wind axes, the side force along body Y.

use super::body::Loads;
use super::pilot::Controls;
use crate::elementary::{atan2, hypot};
use crate::vehicle::{Aerodynamics, SLOWEST_FLOW};
use crate::wide::{Eight, Wide, Wide3};

/// The flow that eight bodies meet.
pub(super) struct Flow<S: Eight> {
    /// Speed of the body through the air, body axes \[m/s\].
    pub velocity: Wide3<S>,
    /// Rate of rotation, body axes \[rad/s\].
    pub rate: Wide3<S>,
    /// Air density \[kg/m^3\].
    pub density: Wide<S>,
}

#[inline(always)]
pub(super) fn air_loads<S: Eight>(of: &Aerodynamics, flow: &Flow<S>, controls: &Controls<S>) -> Loads<S> {
    let (velocity, elevator, rudder, spoilers) = (flow.velocity, controls.elevator, controls.rudder, controls.spoilers);
    let speed = velocity.length();
    let zero = speed.like(0.0);
    let in_plane = hypot(velocity.x, velocity.z);
    let ahead = velocity.x.abs();
    let (low, high) = (zero.like(-of.angle_limit), zero.like(of.angle_limit));
    let alpha = atan2(velocity.z, ahead).clamp(low, high);
    let beta = atan2(velocity.y, in_plane).clamp(low, high);
    // Straight sideways flow has no angle of attack: lift stays vertical.
    let lift_direction = in_plane
        .gt(zero)
        .select3(Wide3::new(velocity.z, zero, -ahead) / in_plane, Wide3::new(zero, zero, zero.like(-1.0)));

    let twice_speed = 2.0 * speed;
    let roll_rate = flow.rate.x * of.span / twice_speed;
    let pitch_rate = flow.rate.y * of.chord / twice_speed;
    let yaw_rate = flow.rate.z * of.span / twice_speed;
    let pressure_area = 0.5 * flow.density * speed * speed * of.area;

    let lift = of.lift_zero + of.lift_alpha * alpha + of.lift_pitch_rate * pitch_rate + of.lift_elevator * elevator
        - of.spoiler_lift * spoilers;
    let drag = of.drag_zero + of.drag_induced * lift * lift + of.spoiler_drag * spoilers;
    let side = of.side_beta * beta + of.side_rudder * rudder;
    let roll = of.roll_beta * beta
        + of.roll_roll_rate * roll_rate
        + of.roll_yaw_rate * yaw_rate
        + of.roll_aileron * controls.aileron
        + of.roll_rudder * rudder;
    let pitch =
        of.pitch_zero + of.pitch_alpha * alpha + of.pitch_pitch_rate * pitch_rate + of.pitch_elevator * elevator;
    let yaw = of.yaw_beta * beta
        + of.yaw_roll_rate * roll_rate
        + of.yaw_yaw_rate * yaw_rate
        + of.yaw_aileron * controls.aileron
        + of.yaw_rudder * rudder;

    let side_force = Wide3::new(0.0 * side, side, 0.0 * side);
    let force = lift_direction * lift - velocity / speed * drag + side_force;
    let moment = Wide3::new(roll * of.span, pitch * of.chord, yaw * of.span);
    let still = Wide3::new(zero, zero, zero);
    let flows = !speed.lt(zero.like(SLOWEST_FLOW));
    Loads { force: flows.select3(force * pressure_area, still), moment: flows.select3(moment * pressure_area, still) }
}
