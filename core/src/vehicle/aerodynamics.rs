//! Linear aerodynamic derivatives, extended to flow from any direction and to zero airspeed.
//!
//! # Conventions
//! Body frame and surface signs as in [`crate::vehicle`]. `(u, v, w)` is the velocity of the body through the air, `V`
//! its magnitude, `P` that of `(u, w)`, the component in the plane of symmetry. Rates are made dimensionless with chord
//! / (2 P) for pitch and span / (2 V) for roll and yaw.
//!
//! # Form
//! Roskam, Airplane Flight Dynamics, chapter 3, with the derivatives of straight flight from ahead. They are extended
//! to all other flows such that loads are continuous and vanish with the square of the airspeed:
//!
//! ```text
//! alpha = atan2(w, |u|), beta = atan2(v, P), dimensionless rates      each held within +-angle_limit
//! n     = 1 up to the angle limit (at most 60 deg), -1 from behind, linear in the angle between, 0 at a right angle
//! wing  = g (lift_alpha alpha + n (lift_zero - spoiler_lift spoilers))
//! CL    = n (wing + n lift_elevator elevator + lift_pitch_rate q)
//! drag  = V (drag_zero + spoiler_drag spoilers) + P r drag_induced CL^2
//! force = rho S / 2 (P CL (w, 0, -u)  -  drag (u, v, w)  +  (V^2 side_beta beta + V P n side_rudder rudder) (0, 1, 0))
//! Cm    = pitch_alpha alpha + pitch_pitch_rate q + n (pitch_zero + pitch_elevator elevator) - d max(n, 0) wing
//! ```
//!
//! with `Cm` at `P^2`, the roll and yaw terms of sideslip and rates at `V^2` and those of aileron and rudder at
//! `V P n`. `g`, `r` and `d` are those of [`GroundEffect`], 1, 1 and 0 far from the ground.
//!
//! - The lift of the wing depends on the flow in the plane of symmetry alone, as on a yawed wing (the spanwise flow
//!   does not change pressures: R. T. Jones, NACA Report 863). It is perpendicular to that flow and does no work.
//! - `n` applies to what is built into the shape or deflected from it (incidence, camber, surfaces): a plate with
//!   positive incidence is pressed down by a flow from behind, and controls reverse. Aileron and rudder turn a flow of
//!   speed V by an angle proportional to its part P: they lose effectiveness as the flow comes from the side. Effects
//!   of the flow angles need no sign: a fin turns the nose into the flow from any direction, most strongly for flow
//!   from the side, and not at all from exactly behind.
//! - Profile drag, induced drag and the damping derivatives (`roll_roll_rate`, `pitch_pitch_rate`, `yaw_yaw_rate`, if
//!   they are at most 0) never add energy to the body.
//!
//! Straight flight from ahead within the angle limit has exactly Roskam's loads. A sideslip reduces lift and pitching
//! moment by the square of its sine (0.8 % at 5 deg, 3 % at 10 deg), and induced drag, aileron and rudder by one minus
//! its cosine (0.4 %, 1.5 %).

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use glam::DVec3;

use super::GroundEffect;
use crate::elementary::{atan2, hypot};

/// Lower limit of the speed by which rates are divided \[m/s\]. Far below any relevant speed: loads vanish with the
/// speed, and only the quotient must stay finite.
pub const SLOWEST_FLOW: f64 = 1e-20;

/// Reference dimensions and derivatives, per radian where an angle is involved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aerodynamics {
    /// Wing area \[m^2\].
    pub area: f64,
    /// Wing span \[m\].
    pub span: f64,
    /// Mean chord \[m\].
    pub chord: f64,
    /// Height of the wing above the centre of gravity in a level attitude \[m\].
    pub wing_height: f64,
    /// Whether ground proximity changes lift, induced drag and downwash.
    pub ground_effect: bool,
    /// Limit of angles of attack and sideslip, where derivatives stop being linear \[rad\].
    pub angle_limit: f64,
    /// Largest surface deflection \[rad\].
    pub surface_limit: f64,
    /// Lift at zero angle of attack, landing flaps out.
    pub lift_zero: f64,
    /// Lift per angle of attack.
    pub lift_alpha: f64,
    /// Lift per dimensionless pitch rate.
    pub lift_pitch_rate: f64,
    /// Lift per elevator.
    pub lift_elevator: f64,
    /// Drag without lift, gear and flaps out.
    pub drag_zero: f64,
    /// Drag per squared lift coefficient.
    pub drag_induced: f64,
    /// Lift lost with spoilers out, positive.
    pub spoiler_lift: f64,
    /// Drag added with spoilers out.
    pub spoiler_drag: f64,
    /// Side force per sideslip.
    pub side_beta: f64,
    /// Side force per rudder.
    pub side_rudder: f64,
    /// Roll moment per sideslip.
    pub roll_beta: f64,
    /// Roll moment per dimensionless roll rate.
    pub roll_roll_rate: f64,
    /// Roll moment per dimensionless yaw rate.
    pub roll_yaw_rate: f64,
    /// Roll moment per aileron.
    pub roll_aileron: f64,
    /// Roll moment per rudder.
    pub roll_rudder: f64,
    /// Pitch moment at zero angle of attack.
    pub pitch_zero: f64,
    /// Pitch moment per angle of attack.
    pub pitch_alpha: f64,
    /// Pitch moment per dimensionless pitch rate.
    pub pitch_pitch_rate: f64,
    /// Pitch moment per elevator.
    pub pitch_elevator: f64,
    /// Yaw moment per sideslip.
    pub yaw_beta: f64,
    /// Yaw moment per dimensionless roll rate.
    pub yaw_roll_rate: f64,
    /// Yaw moment per dimensionless yaw rate.
    pub yaw_yaw_rate: f64,
    /// Yaw moment per aileron.
    pub yaw_aileron: f64,
    /// Yaw moment per rudder.
    pub yaw_rudder: f64,
}

/// Deflections of the control surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surfaces {
    /// Elevator \[rad\], down positive.
    pub elevator: f64,
    /// Aileron \[rad\], right wing down positive.
    pub aileron: f64,
    /// Rudder \[rad\], left positive.
    pub rudder: f64,
    /// Spoilers: 0 in, 1 out.
    pub spoilers: f64,
}

/// The flow around a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirState {
    /// Velocity of the body through the air, body axes \[m/s\].
    pub velocity: DVec3,
    /// Angular velocity, body axes \[rad/s\].
    pub rate: DVec3,
    /// Air density \[kg/m^3\].
    pub density: f64,
    /// Height of the wing above the ground \[m\]; infinite without ground.
    pub wing_height: f64,
}

impl Aerodynamics {
    /// Force \[N\] and moment about the centre of gravity \[N m\], body axes.
    #[must_use]
    pub fn force_and_moment(&self, air: &AirState, surfaces: &Surfaces) -> (DVec3, DVec3) {
        let DVec3 { x: u, y: v, z: w } = air.velocity;
        let (speed, in_plane) = (air.velocity.length(), hypot(u, w));
        let Flow { alpha, beta, facing } = self.flow(air.velocity);
        let near = GroundEffect::new(self, air.wing_height);
        let roll_rate = self.dimensionless(air.rate.x, self.span, speed);
        let pitch_rate = self.dimensionless(air.rate.y, self.chord, in_plane);
        let yaw_rate = self.dimensionless(air.rate.z, self.span, speed);

        let wing =
            near.lift * (self.lift_alpha * alpha + facing * (self.lift_zero - self.spoiler_lift * surfaces.spoilers));
        let lift =
            facing * (wing + facing * self.lift_elevator * surfaces.elevator + self.lift_pitch_rate * pitch_rate);
        let lifting = in_plane * lift;
        let drag = speed * (self.drag_zero + self.spoiler_drag * surfaces.spoilers)
            + in_plane * (near.induced_drag * self.drag_induced * lift * lift);
        let (all, plane) = (speed * speed, in_plane * in_plane);
        let deflected = speed * in_plane * facing;
        let side = all * self.side_beta * beta + deflected * self.side_rudder * surfaces.rudder;
        let force = DVec3::new(lifting * w - drag * u, side - drag * v, -lifting * u - drag * w);

        let roll = all * (self.roll_beta * beta + self.roll_roll_rate * roll_rate + self.roll_yaw_rate * yaw_rate)
            + deflected * (self.roll_aileron * surfaces.aileron + self.roll_rudder * surfaces.rudder);
        let pitch = plane
            * (self.pitch_alpha * alpha
                + self.pitch_pitch_rate * pitch_rate
                + facing * (self.pitch_zero + self.pitch_elevator * surfaces.elevator)
                - near.downwash * facing.max(0.0) * wing);
        let yaw = all * (self.yaw_beta * beta + self.yaw_roll_rate * roll_rate + self.yaw_yaw_rate * yaw_rate)
            + deflected * (self.yaw_aileron * surfaces.aileron + self.yaw_rudder * surfaces.rudder);
        let moment = DVec3::new(roll * self.span, pitch * self.chord, yaw * self.span);
        let half = 0.5 * air.density * self.area;
        (half * force, half * moment)
    }

    /// The elevator \[rad\] that trims the pitching moment in steady flight, with another pitching moment \[N m\] beside that of the
    /// air, within the surface limit; 0 where the air has none.
    #[must_use]
    pub fn trim_elevator(&self, air: &AirState, other: f64) -> f64 {
        let velocity = air.velocity;
        let pressing = 0.5 * air.density * self.area * self.chord * (velocity.x * velocity.x + velocity.z * velocity.z);
        let Flow { alpha, facing, .. } = self.flow(velocity);
        let by_elevator = facing * self.pitch_elevator;
        if by_elevator == 0.0 || pressing == 0.0 {
            return 0.0;
        }
        let near = GroundEffect::new(self, air.wing_height);
        let wing = near.lift * (self.lift_alpha * alpha + facing * self.lift_zero);
        let of_air = self.pitch_alpha * alpha + facing * self.pitch_zero - near.downwash * facing.max(0.0) * wing;
        let moment = of_air + other / pressing;
        (-moment / by_elevator).clamp(-self.surface_limit, self.surface_limit)
    }

    /// True if spoilers have an effect.
    #[must_use]
    pub fn has_spoilers(&self) -> bool {
        self.spoiler_lift != 0.0 || self.spoiler_drag != 0.0
    }

    /// Angle over which lift and surface effectiveness fade to zero beyond the angle limit \[rad\].
    #[must_use]
    pub(crate) fn fading_angle(&self) -> f64 {
        FRAC_PI_2 - self.angle_limit.min(FRAC_PI_3)
    }

    fn flow(&self, velocity: DVec3) -> Flow {
        let DVec3 { x: u, y: v, z: w } = velocity;
        let from_ahead = atan2(w, u);
        let turned = from_ahead.abs();
        let limit = self.angle_limit;
        Flow {
            alpha: turned.min(PI - turned).copysign(from_ahead).clamp(-limit, limit),
            beta: atan2(v, hypot(u, w)).clamp(-limit, limit),
            facing: ((FRAC_PI_2 - turned) / self.fading_angle()).clamp(-1.0, 1.0),
        }
    }

    /// A rate \[rad/s\] times a length \[m\] over the flow speed \[m/s\]: the induced flow angle at its end.
    fn dimensionless(&self, rate: f64, length: f64, speed: f64) -> f64 {
        (rate * length / (2.0 * speed.max(SLOWEST_FLOW))).clamp(-self.angle_limit, self.angle_limit)
    }
}

/// The direction of a flow.
struct Flow {
    /// Angle of attack \[rad\], from ahead or from behind.
    alpha: f64,
    /// Sideslip \[rad\], positive with the flow from the right.
    beta: f64,
    /// 1 from ahead, -1 from behind, 0 at a right angle to the body's X axis.
    facing: f64,
}
