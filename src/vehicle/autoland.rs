//! Autoland: glide path, flare, decrab and retard of the throttle, until a main wheel touches.
//!
//! # Conventions
//! Heights are those of the lowest main wheel above the ground (the runway's plane), in the attitude of the trimmed glide;
//! glide slopes are against the horizon. Distances run along the runway from the landing threshold. The flare holds sink
//! rates relative to the ground, as a radio altimeter has them. Every change from one law to the next is a blend without a memory.

/// The laws by which a vehicle lands itself. Heights and times that something is divided by are above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autoland {
    /// Speed through the air \[m/s\] that the autothrottle holds when a study says nothing else.
    pub airspeed: f64,
    /// Slope of the glide path \[rad\] when a study says nothing else.
    pub glide_slope: f64,
    /// The glide path passes this height \[m\] ...
    pub gate_height: f64,
    /// ... at this distance of the centre of gravity \[m\]. Landings start there when a study says nothing else.
    pub gate_distance: f64,
    /// Sink rate asked for per height above the glide path \[1/s\].
    pub glide_gain: f64,
    /// Sink rate that the flare ends with \[m/s\].
    pub touchdown_sink_rate: f64,
    /// The flare's exponential: above `touchdown_sink_rate` it asks for height over this time \[s\].
    pub flare_time: f64,
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
    /// Thrust per error of the airspeed \[N s/m\].
    pub speed_gain: f64,
    /// Greatest thrust \[N\].
    pub greatest_thrust: f64,
    /// Below this height \[m\] the thrust asked for is retarded to idle, in proportion to the height.
    pub retard_height: f64,
    /// Time constant with which the engines follow \[s\], reverse thrust after touchdown included.
    pub engine_lag: f64,
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

impl Autoland {
    /// Share of the way to the thrust asked for that the engines go in a step \[s\].
    #[must_use]
    pub fn engine_share(&self, step: f64) -> f64 {
        if self.engine_lag > 0.0 { -(-step / self.engine_lag).exp_m1() } else { 1.0 }
    }
}
