//! The pilot: a handful of rules that bring a vehicle from first contact to a stop.

/// What the pilot does after the first contact of a main wheel, and how firmly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    /// Rate at which the nose is lowered after touchdown \[rad/s\].
    pub derotation_rate: f64,
    /// Elevator per error of the pitch angle \[1\].
    pub pitch_gain: f64,
    /// Elevator per pitch rate \[s\].
    pub pitch_damping: f64,
    /// Aileron per bank angle \[1\].
    pub bank_gain: f64,
    /// Aileron per roll rate \[s\].
    pub roll_damping: f64,
    /// From touchdown to spoilers out \[s\].
    pub spoiler_delay: f64,
    /// From touchdown to brakes \[s\].
    pub brake_delay: f64,
    /// Brake pedal: fraction of each wheel's braking strength, 0 to 1.
    pub brake_level: f64,
    /// Deceleration that the brakes are adjusted to \[m/s^2\]; zero brakes at the level alone.
    pub target_deceleration: f64,
    /// The anti-skid holds the braking strength of a wheel at this fraction of the friction it had in the step
    /// before; zero without anti-skid.
    pub anti_skid: f64,
    /// From touchdown to reverse thrust \[s\].
    pub reverse_delay: f64,
    /// Heading towards the centreline per distance from it \[rad/m\].
    pub lateral_gain: f64,
    /// Steering and rudder per error of the heading \[1\].
    pub heading_gain: f64,
    /// Steering and rudder per yaw rate \[s\].
    pub yaw_damping: f64,
    /// Ground speed up to which nose wheels may turn fully \[m/s\]; above, the limit falls with the square of speed.
    pub full_steering_speed: f64,
}

/// How the vehicle comes in when a study says nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Speed through the air \[m/s\].
    pub airspeed: f64,
    /// Rate at which the height above the ground falls \[m/s\].
    pub sink_rate: f64,
    /// Pitch angle \[rad\], nose up.
    pub pitch: f64,
    /// x of the centre of gravity at the start \[m\].
    pub start_distance: f64,
    /// Height of the lowest main wheel above the ground at the start \[m\].
    pub height: f64,
}
