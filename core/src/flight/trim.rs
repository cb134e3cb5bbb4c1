//! Trimmed steady flight down a glide path.
//!
//! # Conventions
//! As in [`crate::vehicle`]; descents are positive.

use glam::{DVec2, DVec3};

use crate::airframe::{Airframe, SteadyFlight, Trimmed};
use crate::elementary::sin_cos;
use crate::vehicle::{GroundEffect, Vehicle};

/// Minimum airspeed \[m/s\]: below, no weight can be carried.
const MIN_AIRSPEED: f64 = 1.0;

/// No wing carries more than this \[1\]: it is not asked how it would.
const MAX_LIFT_COEFFICIENT: f64 = 4.0;
/// A flight is steady if no more than this share of the weight is left over.
const MAX_IMBALANCE: f64 = 0.01;

/// Iterations of the trim. Lift and pitching moment of the thrust are about a percent of those of the weight, and each
/// iteration reduces the error by that factor.
const ROUNDS: usize = 4;

/// Angle of attack, elevator and thrust of a steady glide.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trim {
    /// \[rad\].
    pub angle_of_attack: f64,
    /// \[rad\].
    pub elevator: f64,
    /// Aileron and rudder, as commands; 0 for derivatives, which are symmetric.
    pub lateral: DVec2,
    /// \[N\], or a throttle \[1\].
    pub thrust: f64,
    /// What a step of the airframe's own physics leaves to the next.
    pub airframe: Vec<f64>,
    /// Whether forces and pitching moment are in balance.
    pub is_steady: bool,
}

impl From<Trimmed> for Trim {
    fn from(trimmed: Trimmed) -> Self {
        let Trimmed { angle_of_attack, elevator, aileron, rudder, throttle, imbalance, kept } = trimmed;
        let is_steady = imbalance < MAX_IMBALANCE;
        let lateral = DVec2::new(aileron, rudder);
        Self { angle_of_attack, elevator, lateral, thrust: throttle, airframe: kept, is_steady }
    }
}

impl Trim {
    /// Lift and the normal component of thrust balance the weight across the path, the elevator balances the pitching
    /// moments, and thrust and weight along the path balance the drag: linear in angle of attack and elevator for a
    /// given thrust, which is found by iteration. Limited by wing, elevator and engines; without air everything is 0.
    /// The ground effect is that at the start of the glide in a level attitude. The greatest thrust is in \[N\], or a throttle \[1\] in
    /// place of that of the glide.
    pub fn new(vehicle: &Vehicle, greatest_thrust: f64, glide: &SteadyFlight) -> Self {
        if let Some(airframe) = &vehicle.airframe {
            let airspeed = glide.airspeed.max(MIN_AIRSPEED);
            let flight = SteadyFlight { airspeed, greatest_throttle: greatest_thrust, ..*glide };
            return Self::from(airframe.trimmed(&flight));
        }
        let weight = glide.mass * glide.gravity;
        let mut trim = Self {
            angle_of_attack: 0.0,
            elevator: 0.0,
            lateral: DVec2::ZERO,
            thrust: vehicle.thrust.idle,
            airframe: Vec::new(),
            is_steady: true,
        };
        let Some(a) = vehicle.aerodynamics.as_ref().filter(|a| a.pitch_elevator != 0.0) else {
            return trim;
        };
        let pressure_area = 0.5 * glide.density * glide.airspeed * glide.airspeed * a.area;
        if glide.airspeed < MIN_AIRSPEED || pressure_area <= 0.0 {
            trim.is_steady = false;
            return trim;
        }
        let (sine, cosine) = sin_cos(glide.descent);
        let near = GroundEffect::new(a, a.wing_above_ground(glide.height, DVec3::NEG_Z));
        let (lift_zero, lift_alpha) = (near.lift * a.lift_zero, near.lift * a.lift_alpha);
        let pitch_zero = a.pitch_zero - near.downwash * lift_zero;
        let pitch_alpha = a.pitch_alpha - near.downwash * lift_alpha;
        // Lift and moment per angle of attack, including the trim elevator.
        let elevator_per_alpha = -pitch_alpha / a.pitch_elevator;
        for _ in 0..ROUNDS {
            let thrust = trim.thrust / pressure_area;
            let moment = pitch_zero + thrust * vehicle.thrust.line / a.chord;
            let elevator_at_zero = -moment / a.pitch_elevator;
            let slope = lift_alpha + a.lift_elevator * elevator_per_alpha + thrust;
            let asked = weight * cosine / pressure_area - lift_zero - a.lift_elevator * elevator_at_zero;
            let alpha = if slope > 0.0 { asked / slope } else { 0.0 };
            trim.angle_of_attack = alpha.clamp(-a.angle_limit, a.angle_limit);
            let of_lift = (alpha - trim.angle_of_attack) * slope;
            let elevator = elevator_at_zero + elevator_per_alpha * trim.angle_of_attack;
            trim.elevator = elevator.clamp(-a.surface_limit, a.surface_limit);
            let of_moment = (elevator - trim.elevator) * a.pitch_elevator;
            let lift = lift_zero + lift_alpha * trim.angle_of_attack + a.lift_elevator * trim.elevator;
            let drag = a.drag_zero + near.induced_drag * a.drag_induced * lift * lift;
            let thrust = pressure_area * drag - weight * sine;
            trim.thrust = thrust.clamp(vehicle.thrust.idle, greatest_thrust.max(vehicle.thrust.idle));
            let of_thrust = (thrust - trim.thrust) / pressure_area;
            let is_balanced = |left: f64| left.abs() * pressure_area < MAX_IMBALANCE * weight;
            trim.is_steady = slope > 0.0 && [of_lift, of_moment, of_thrust].into_iter().all(is_balanced);
        }
        trim
    }

    /// The steady flight that comes before a start without laws, in which surfaces and engines have settled; `None` where the wing
    /// does not carry the weight, or nothing balances it. The pilot closes the throttle, and holds no aileron and no rudder against it.
    pub fn of_flying(airframe: &Airframe, glide: &SteadyFlight) -> Option<Self> {
        let pressure_area =
            0.5 * glide.density * glide.airspeed * glide.airspeed * airframe.description().air_forces.sizes.area;
        let is_carried = glide.mass * glide.gravity < MAX_LIFT_COEFFICIENT * pressure_area;
        let trimmed = is_carried.then(|| Self::from(airframe.trimmed_within(glide, MAX_IMBALANCE)));
        let steady = trimmed.filter(|trimmed| trimmed.is_steady)?;
        Some(Self { lateral: DVec2::ZERO, ..steady })
    }
}
