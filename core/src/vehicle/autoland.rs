//! Autoland: glide path, flare, decrab and thrust retard, until a main wheel touches.
//!
//! # Conventions
//! Heights are those of the lowest main wheel above the ground (the runway's plane), in the attitude of the trimmed
//! glide; glide path angles refer to the horizon. Distances run along the runway from the landing threshold. The flare
//! controls sink rates relative to the ground, as measured by a radio altimeter. Transitions between laws are
//! memoryless blends.

use crate::elementary::exp_m1;

/// Control laws of an automatic landing. Heights and times used as divisors are above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autoland {
    /// Default airspeed \[m/s\] held by the autothrottle.
    pub airspeed: f64,
    /// Default glide path angle \[rad\].
    pub glide_slope: f64,
    /// The glide path passes this height \[m\] ...
    pub gate_height: f64,
    /// ... at this distance of the centre of gravity \[m\]. The default start of landings.
    pub gate_distance: f64,
    /// Commanded sink rate per height above the glide path \[1/s\].
    pub glide_gain: f64,
    /// Sink rate at the end of the flare \[m/s\].
    pub touchdown_sink_rate: f64,
    /// Time constant of the exponential flare: above `touchdown_sink_rate` it commands height over this time \[s\].
    pub flare_time: f64,
    /// Pitch angle per sink rate error \[rad s/m\].
    pub sink_gain: f64,
    /// Rate of the pitch angle per sink rate error \[rad/m\].
    pub sink_integral_gain: f64,
    /// Limit of the integral's contribution to the pitch angle \[rad\].
    pub sink_integral_limit: f64,
    /// Smallest commanded pitch angle \[rad\].
    pub least_pitch: f64,
    /// Largest commanded pitch angle \[rad\].
    pub greatest_pitch: f64,
    /// Elevator per pitch angle error \[1\], in place of the pilot's.
    pub pitch_gain: f64,
    /// Elevator per pitch rate \[s\], in place of the pilot's.
    pub pitch_damping: f64,
    /// Thrust per airspeed error \[N s/m\].
    pub speed_gain: f64,
    /// Largest thrust \[N\].
    pub greatest_thrust: f64,
    /// Below this height \[m\] the commanded thrust is retarded to idle, in proportion to the height.
    pub retard_height: f64,
    /// Time constant of the engines \[s\], including reverse thrust after touchdown.
    pub engine_lag: f64,
    /// Bank angle towards the centreline per lateral offset \[rad/m\].
    pub bank_per_offset: f64,
    /// Bank angle against lateral drift \[rad s/m\].
    pub bank_per_drift: f64,
    /// Largest commanded bank angle \[rad\].
    pub bank_limit: f64,
    /// Below this height \[m\] the wind correction angle is removed, in proportion to the height, by the fraction
    /// `decrab`.
    pub decrab_height: f64,
}

impl Autoland {
    /// Fraction of the difference to the commanded thrust that the engines cover in a step \[s\].
    #[must_use]
    pub fn engine_share(&self, step: f64) -> f64 {
        if self.engine_lag > 0.0 { -exp_m1(-step / self.engine_lag) } else { 1.0 }
    }
}
