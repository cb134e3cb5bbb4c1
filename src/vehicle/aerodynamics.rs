//! Linear aerodynamic derivatives.
//!
//! # Conventions
//! Body frame and surface signs as in [`crate::vehicle`]. Rates are made dimensionless with chord / (2 V) for pitch
//! and span / (2 V) for roll and yaw. Lift and drag act in wind axes, the side force along body Y.
//! Source of the form: Roskam, Airplane Flight Dynamics, chapter 3.

use glam::DVec3;

use crate::elementary::{atan2, hypot};

/// Below this airspeed \[m/s\] the flow has no direction worth the name and its forces, under 1 Pa of dynamic
/// pressure, are left out.
pub const SLOWEST_FLOW: f64 = 1.0;

/// Reference sizes and derivatives, per radian where an angle is involved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aerodynamics {
    /// Wing area \[m^2\].
    pub area: f64,
    /// Wing span \[m\].
    pub span: f64,
    /// Mean chord \[m\].
    pub chord: f64,
    /// Angles of attack and sideslip are held within this bound, where derivatives stop being linear \[rad\].
    pub angle_limit: f64,
    /// Greatest surface deflection \[rad\].
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

/// The flow a body meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirState {
    /// Speed of the body through the air, body axes \[m/s\].
    pub velocity: DVec3,
    /// Rate of rotation, body axes \[rad/s\].
    pub rate: DVec3,
    /// Air density \[kg/m^3\].
    pub density: f64,
}

impl Aerodynamics {
    /// Force \[N\] and moment about the centre of gravity \[N m\], body axes.
    #[must_use]
    pub fn force_and_moment(&self, air: &AirState, surfaces: &Surfaces) -> (DVec3, DVec3) {
        let speed = air.velocity.length();
        if speed < SLOWEST_FLOW {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let flow = self.flow_angles(air.velocity);
        let rates = air.rate * DVec3::new(self.span, self.chord, self.span) / (2.0 * speed);
        let pressure_area = 0.5 * air.density * speed * speed * self.area;

        let lift = self.lift_zero
            + self.lift_alpha * flow.alpha
            + self.lift_pitch_rate * rates.y
            + self.lift_elevator * surfaces.elevator
            - self.spoiler_lift * surfaces.spoilers;
        let drag = self.drag_zero + self.drag_induced * lift * lift + self.spoiler_drag * surfaces.spoilers;
        let side = self.side_beta * flow.beta + self.side_rudder * surfaces.rudder;
        let roll = self.roll_beta * flow.beta
            + self.roll_roll_rate * rates.x
            + self.roll_yaw_rate * rates.z
            + self.roll_aileron * surfaces.aileron
            + self.roll_rudder * surfaces.rudder;
        let pitch = self.pitch_zero
            + self.pitch_alpha * flow.alpha
            + self.pitch_pitch_rate * rates.y
            + self.pitch_elevator * surfaces.elevator;
        let yaw = self.yaw_beta * flow.beta
            + self.yaw_roll_rate * rates.x
            + self.yaw_yaw_rate * rates.z
            + self.yaw_aileron * surfaces.aileron
            + self.yaw_rudder * surfaces.rudder;

        let force = flow.lift_direction * lift - air.velocity / speed * drag + DVec3::Y * side;
        let moment = DVec3::new(roll * self.span, pitch * self.chord, yaw * self.span);
        (pressure_area * force, pressure_area * moment)
    }

    /// The elevator \[rad\] that holds this attitude in steady flight, within the surface limit.
    #[must_use]
    pub fn trim_elevator(&self, velocity: DVec3) -> f64 {
        let speed = velocity.length();
        if speed < SLOWEST_FLOW || self.pitch_elevator == 0.0 {
            return 0.0;
        }
        let alpha = self.flow_angles(velocity).alpha;
        let elevator = -(self.pitch_zero + self.pitch_alpha * alpha) / self.pitch_elevator;
        elevator.clamp(-self.surface_limit, self.surface_limit)
    }

    /// True where spoilers do something.
    #[must_use]
    pub fn has_spoilers(&self) -> bool {
        self.spoiler_lift != 0.0 || self.spoiler_drag != 0.0
    }

    fn flow_angles(&self, velocity: DVec3) -> FlowAngles {
        let within = |angle: f64| angle.clamp(-self.angle_limit, self.angle_limit);
        let in_plane = hypot(velocity.x, velocity.z);
        // Straight sideways flow has no angle of attack; lift then has no direction either and stays vertical.
        // A tailwind above the speed of taxi meets the wing from behind; taken as from ahead, or the angle would jump
        // between its two limits with every tremor of the vehicle.
        let ahead = velocity.x.abs();
        let lift_direction = if in_plane > 0.0 { DVec3::new(velocity.z, 0.0, -ahead) / in_plane } else { DVec3::NEG_Z };
        FlowAngles {
            alpha: within(atan2(velocity.z, ahead)),
            beta: within(atan2(velocity.y, in_plane)),
            lift_direction,
        }
    }
}

struct FlowAngles {
    /// Angle of attack \[rad\].
    alpha: f64,
    /// Sideslip \[rad\], positive with the flow from the right.
    beta: f64,
    /// Unit vector of lift, body axes.
    lift_direction: DVec3,
}
