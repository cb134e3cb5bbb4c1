//! The flight of an aircraft at a moment, as air forces see it.

use glam::DVec3;
use thiserror::Error;

use crate::elementary::{atan2, sin_cos};

/// Metres of a foot.
pub const FOOT: f64 = 0.3048;
/// Newtons of a pound.
pub const POUND: f64 = 4.448_221_615_260_5;
/// Kilograms of a slug.
pub(super) const SLUG: f64 = POUND / FOOT;

/// What air forces remember of the step before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Lift \[N\].
    pub lift: f64,
    /// 1 in a stall, else 0.
    pub stall: f64,
    /// Span over twice the airspeed \[s\].
    pub span_time: f64,
    /// Chord over twice the airspeed \[s\].
    pub chord_time: f64,
    /// Square of the coefficient of lift.
    pub squared_lift: f64,
}

/// The flight of an aircraft at a moment. Body axes X forward, Y right, Z down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flight {
    /// Velocity through the air \[m/s\].
    pub air_velocity: DVec3,
    /// Velocity over ground \[m/s\].
    pub ground_velocity: DVec3,
    /// Angular velocity \[rad/s\].
    pub rate: DVec3,
    /// Angular velocity of the air: rotary gusts \[rad/s\].
    pub air_rate: DVec3,
    /// Rate of change of the numbers of the velocity over ground, of the step before \[m/s^2\].
    pub acceleration: DVec3,
    /// Bank \[rad\].
    pub roll: f64,
    /// Pitch \[rad\].
    pub pitch: f64,
    /// Height of the centre of gravity above the ground \[m\].
    pub height: f64,
    /// Density of the air \[kg/m^3\].
    pub density: f64,
    /// Speed of sound \[m/s\].
    pub sound: f64,
    /// Temperature of the air \[K\].
    pub temperature: f64,
    /// Pressure of the air \[Pa\].
    pub pressure: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Where air forces act, from the centre of gravity \[m\].
    pub arm: DVec3,
    /// Of the step before.
    pub memory: Memory,
    /// The given properties of the aircraft, in its order and in JSBSim's units.
    pub given: Vec<f64>,
}

/// Properties that a flight has, in their order; the last five are of the step before.
pub const OF_FLIGHT: [&str; 31] = [
    "velocities/u-aero-fps",
    "velocities/v-aero-fps",
    "velocities/w-aero-fps",
    "velocities/u-fps",
    "velocities/v-fps",
    "velocities/w-fps",
    "velocities/p-rad_sec",
    "velocities/q-rad_sec",
    "velocities/r-rad_sec",
    "velocities/p-aero-rad_sec",
    "velocities/q-aero-rad_sec",
    "velocities/r-aero-rad_sec",
    "accelerations/udot-ft_sec2",
    "accelerations/vdot-ft_sec2",
    "accelerations/wdot-ft_sec2",
    "attitude/phi-rad",
    "attitude/theta-rad",
    "position/h-agl-ft",
    "atmosphere/rho-slugs_ft3",
    "atmosphere/a-fps",
    "atmosphere/T-R",
    "atmosphere/P-psf",
    "inertia/mass-slugs",
    ARM[0],
    ARM[1],
    ARM[2],
    LIFT_BEFORE,
    STALL_BEFORE,
    SPAN_TIME_BEFORE,
    CHORD_TIME_BEFORE,
    SQUARED_LIFT_BEFORE,
];

/// From the centre of gravity to where air forces act \[ft\]; the name is ours.
pub(super) const ARM: [&str; 3] = ["arm/x-ft", "arm/y-ft", "arm/z-ft"];
/// Lift of the step before \[lbf\]; the name is ours, as those that follow.
pub(super) const LIFT_BEFORE: &str = "before/lift-lbs";
pub(super) const STALL_BEFORE: &str = "before/stall-hyst-norm";
pub(super) const SPAN_TIME_BEFORE: &str = "before/bi2vel";
pub(super) const CHORD_TIME_BEFORE: &str = "before/ci2vel";
pub(super) const SQUARED_LIFT_BEFORE: &str = "before/cl-squared";

/// Limit of the magnitude of every number of a flight, in SI units.
pub const MAX_FLIGHT_NUMBER: f64 = 1e15;

/// A number of a flight that is not what it may be.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("{number} {value:e} must be {allowed}")]
pub struct FlightFault {
    /// What it is.
    pub number: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must be.
    pub allowed: &'static str,
}

impl Flight {
    /// The direction downwards, body axes, by bank and pitch.
    #[must_use]
    pub fn downwards(&self) -> DVec3 {
        let [(sin_roll, cos_roll), (sin_pitch, cos_pitch)] = [self.roll, self.pitch].map(sin_cos);
        DVec3::new(-sin_pitch, cos_pitch * sin_roll, cos_pitch * cos_roll)
    }

    /// The first number that is not what it may be: all finite and at most [`MAX_FLIGHT_NUMBER`], density and pressure not negative,
    /// mass, speed of sound and temperature positive.
    #[must_use]
    pub fn fault(&self) -> Option<FlightFault> {
        let vectors = [
            ("air velocity", self.air_velocity),
            ("ground velocity", self.ground_velocity),
            ("rate", self.rate),
            ("rate of the air", self.air_rate),
            ("acceleration", self.acceleration),
            ("arm", self.arm),
        ];
        let Memory { lift, stall, span_time, chord_time, squared_lift } = self.memory;
        let numbers = [
            ("roll", self.roll),
            ("pitch", self.pitch),
            ("height", self.height),
            ("lift before", lift),
            ("stall before", stall),
            ("span time before", span_time),
            ("chord time before", chord_time),
            ("squared lift before", squared_lift),
        ];
        let not_negative = [("density", self.density), ("pressure", self.pressure)];
        let positive = [("speed of sound", self.sound), ("temperature", self.temperature), ("mass", self.mass)];
        let all = vectors.iter().flat_map(|(name, vector)| vector.to_array().map(|value| (*name, value)));
        let all = all.chain(numbers).chain(self.given.iter().map(|&value| ("given property", value)));
        let is_beyond = |value: f64| value.is_nan() || value.abs() > MAX_FLIGHT_NUMBER;
        let fault = |(number, value), allowed| FlightFault { number, value, allowed };
        let beyond = all.chain(not_negative).chain(positive).find(|&(_, value)| is_beyond(value));
        let beyond = beyond.map(|found| fault(found, "finite and at most 1e15 in magnitude"));
        let negative = not_negative.into_iter().find(|&(_, value)| value < 0.0);
        let not_positive = positive.into_iter().find(|&(_, value)| value <= 0.0);
        // A temperature before the pressure that follows from it.
        beyond
            .or_else(|| not_positive.map(|found| fault(found, "above 0")))
            .or_else(|| negative.map(|found| fault(found, "at least 0")))
    }

    /// The part of a force upwards across the flow, in the plane of symmetry \[N\].
    #[must_use]
    pub fn lift(&self, force: DVec3) -> f64 {
        let (sine, cosine) = sin_cos(atan2(self.air_velocity.z, self.air_velocity.x));
        sine * force.x - cosine * force.z
    }

    /// The numbers of [`OF_FLIGHT`], in JSBSim's units.
    pub(crate) fn numbers(&self) -> [f64; 31] {
        let [u, v, w] = (self.air_velocity / FOOT).to_array();
        let [over_u, over_v, over_w] = (self.ground_velocity / FOOT).to_array();
        let [p, q, r] = self.rate.to_array();
        let [air_p, air_q, air_r] = (self.rate - self.air_rate).to_array();
        let [to_u, to_v, to_w] = (self.acceleration / FOOT).to_array();
        let [x, y, z] = (self.arm / FOOT).to_array();
        let Memory { lift, stall, span_time, chord_time, squared_lift } = self.memory;
        [
            u,
            v,
            w,
            over_u,
            over_v,
            over_w,
            p,
            q,
            r,
            air_p,
            air_q,
            air_r,
            to_u,
            to_v,
            to_w,
            self.roll,
            self.pitch,
            self.height / FOOT,
            self.density / (SLUG / (FOOT * FOOT * FOOT)),
            self.sound / FOOT,
            self.temperature * 1.8,
            self.pressure / (POUND / (FOOT * FOOT)),
            self.mass / SLUG,
            x,
            y,
            z,
            lift / POUND,
            stall,
            span_time,
            chord_time,
            squared_lift,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_that_cannot_be_is_an_error_that_names_the_number() {
        let error: Box<dyn std::error::Error> = Box::new(Flight::default().fault().unwrap());
        assert_eq!(error.to_string(), "speed of sound 0e0 must be above 0");
    }
}
