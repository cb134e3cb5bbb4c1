//! A pilot's flare: from a steady descent to the touchdown of a main wheel.
//!
//! # Conventions
//! As in [`Autoland`], whose laws a flare shares; transitions between laws are memoryless blends.

use super::Autoland;

/// How a pilot flares. Heights and times used as divisors are above 0.
///
/// The pilot descends at a steady sink rate, in trim, and commands `touchdown_sink_rate + height / time` where that is
/// less: from there on the height decays exponentially with this time constant. The thrust is that of the trimmed
/// descent, reduced to idle below `idle_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flare {
    /// Default airspeed \[m/s\].
    pub airspeed: f64,
    /// Default sink rate of the descent \[m/s\].
    pub sink_rate: f64,
    /// Default height of the lowest main wheel above z = 0 at the start \[m\] ...
    pub height: f64,
    /// ... and default x of the centre of gravity there \[m\].
    pub start_distance: f64,
    /// Sink rate at the end of the flare \[m/s\].
    pub touchdown_sink_rate: f64,
    /// Time constant of the exponential flare: above `touchdown_sink_rate` it commands height over this time \[s\].
    pub time: f64,
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
    /// Largest thrust of the descent \[N\].
    pub greatest_thrust: f64,
    /// Below this height \[m\] the thrust is reduced to idle, in proportion to the height.
    pub idle_height: f64,
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

impl Flare {
    /// The equivalent autoland laws: no glide path to follow, no autothrottle, and engines without lag.
    #[must_use]
    pub fn laws(&self) -> Autoland {
        Autoland {
            airspeed: self.airspeed,
            glide_slope: 0.0,
            gate_height: self.height,
            gate_distance: self.start_distance,
            glide_gain: 0.0,
            touchdown_sink_rate: self.touchdown_sink_rate,
            flare_time: self.time,
            sink_gain: self.sink_gain,
            sink_integral_gain: self.sink_integral_gain,
            sink_integral_limit: self.sink_integral_limit,
            least_pitch: self.least_pitch,
            greatest_pitch: self.greatest_pitch,
            pitch_gain: self.pitch_gain,
            pitch_damping: self.pitch_damping,
            speed_gain: 0.0,
            greatest_thrust: self.greatest_thrust,
            retard_height: self.idle_height,
            engine_lag: 0.0,
            bank_per_offset: self.bank_per_offset,
            bank_per_drift: self.bank_per_drift,
            bank_limit: self.bank_limit,
            decrab_height: self.decrab_height,
        }
    }
}
