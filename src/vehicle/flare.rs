//! A pilot's flare: from a steady descent to a main wheel's touch.
//!
//! # Conventions
//! As in [`Autoland`], whose laws a flare shares; every change from one law to the next is a blend without a memory.

use super::Autoland;

/// How a pilot flares. Heights and times that something is divided by are above 0.
///
/// The pilot comes down at a steady sink rate, in trim, and asks for `touchdown_sink_rate + height / time` where that is
/// less: from there on the height falls as an exponential of this time. The thrust is that of the trimmed descent, taken
/// back to idle below `idle_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flare {
    /// Speed through the air \[m/s\] when a study says nothing else.
    pub airspeed: f64,
    /// Sink rate of the descent \[m/s\] when a study says nothing else.
    pub sink_rate: f64,
    /// Height of the lowest main wheel above z = 0 at the start \[m\] ...
    pub height: f64,
    /// ... and x of the centre of gravity there \[m\], when a study says nothing else.
    pub start_distance: f64,
    /// Sink rate that the flare ends with \[m/s\].
    pub touchdown_sink_rate: f64,
    /// The flare's exponential: above `touchdown_sink_rate` it asks for height over this time \[s\].
    pub time: f64,
    /// Pitch angle per error of the sink rate \[rad s/m\].
    pub sink_gain: f64,
    /// Rate of the pitch angle per error of the sink rate \[rad/m\].
    pub sink_integral_gain: f64,
    /// Greatest pitch angle that the integral adds or takes \[rad\].
    pub sink_integral_limit: f64,
    /// Least pitch angle asked for \[rad\].
    pub least_pitch: f64,
    /// Greatest pitch angle asked for \[rad\].
    pub greatest_pitch: f64,
    /// Elevator per error of the pitch angle \[1\], in place of the pilot's.
    pub pitch_gain: f64,
    /// Elevator per pitch rate \[s\], in place of the pilot's.
    pub pitch_damping: f64,
    /// Greatest thrust of the descent \[N\].
    pub greatest_thrust: f64,
    /// Below this height \[m\] the thrust goes to idle, in proportion to the height.
    pub idle_height: f64,
    /// Bank angle towards the centreline per distance from it \[rad/m\].
    pub bank_per_offset: f64,
    /// Bank angle against a drift \[rad s/m\].
    pub bank_per_drift: f64,
    /// Greatest bank angle asked for \[rad\].
    pub bank_limit: f64,
    /// Below this height \[m\] the wind correction angle is taken out, in proportion to the height, as far as `decrab`
    /// says.
    pub decrab_height: f64,
}

impl Flare {
    /// The laws of an autoland that has no glide path to follow, no throttle to hold the airspeed with and engines that
    /// follow at once.
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
