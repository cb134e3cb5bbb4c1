//! Steady flight down a glide path.
//!
//! # Conventions
//! As in [`crate::vehicle`]; descents are positive.

use crate::elementary::sin_cos;
use crate::vehicle::{Autoland, SLOWEST_FLOW, Vehicle};

/// Rounds of the trim. What the thrust lifts and pitches is about a percent of what the weight asks for, and each round
/// leaves that share of the error of the last.
const ROUNDS: usize = 4;

/// Angle of attack, elevator and thrust of a steady glide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trim {
    /// \[rad\].
    pub angle_of_attack: f64,
    /// \[rad\].
    pub elevator: f64,
    /// \[N\].
    pub thrust: f64,
}

/// Flight through air of a density \[kg/m^3\] at a speed \[m/s\], down a slope \[rad\], with a weight \[N\].
pub(super) struct Glide {
    pub weight: f64,
    pub airspeed: f64,
    pub density: f64,
    pub descent: f64,
}

impl Trim {
    /// Lift and thrust across the path carry the weight across it, the elevator holds the moments of the air and of the
    /// thrust, and thrust and weight along the path overcome the drag: linear in angle of attack and elevator where the
    /// thrust is known, which is found in rounds. Within the limits of wing, elevator and engines; without air all is 0.
    pub fn new(vehicle: &Vehicle, autoland: &Autoland, glide: &Glide) -> Self {
        let mut trim = Self { angle_of_attack: 0.0, elevator: 0.0, thrust: vehicle.thrust.idle };
        let Some(a) = vehicle.aerodynamics.as_ref().filter(|a| a.pitch_elevator != 0.0) else {
            return trim;
        };
        let pressure_area = 0.5 * glide.density * glide.airspeed * glide.airspeed * a.area;
        if glide.airspeed < SLOWEST_FLOW || pressure_area <= 0.0 {
            return trim;
        }
        let (sine, cosine) = sin_cos(glide.descent);
        // Lift and moment per angle of attack with the elevator that goes with it.
        let elevator_per_alpha = -a.pitch_alpha / a.pitch_elevator;
        for _ in 0..ROUNDS {
            let thrust = trim.thrust / pressure_area;
            let moment = a.pitch_zero + thrust * vehicle.thrust.line / a.chord;
            let elevator_at_zero = -moment / a.pitch_elevator;
            let slope = a.lift_alpha + a.lift_elevator * elevator_per_alpha + thrust;
            let asked = glide.weight * cosine / pressure_area - a.lift_zero - a.lift_elevator * elevator_at_zero;
            let alpha = if slope > 0.0 { asked / slope } else { 0.0 };
            trim.angle_of_attack = alpha.clamp(-a.angle_limit, a.angle_limit);
            let elevator = elevator_at_zero + elevator_per_alpha * trim.angle_of_attack;
            trim.elevator = elevator.clamp(-a.surface_limit, a.surface_limit);
            let lift = a.lift_zero + a.lift_alpha * trim.angle_of_attack + a.lift_elevator * trim.elevator;
            let drag = a.drag_zero + a.drag_induced * lift * lift;
            let thrust = pressure_area * drag - glide.weight * sine;
            trim.thrust = thrust.clamp(vehicle.thrust.idle, autoland.greatest_thrust.max(vehicle.thrust.idle));
        }
        trim
    }
}
