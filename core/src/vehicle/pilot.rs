//! The pilot: a few rules that bring a vehicle from first contact to a stop.

/// The pilot's actions after the first contact of a main wheel, and their gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    /// Rate at which the nose is lowered after touchdown \[rad/s\].
    pub derotation_rate: f64,
    /// Elevator per pitch angle error \[1\].
    pub pitch_gain: f64,
    /// Elevator per pitch rate \[s\].
    pub pitch_damping: f64,
    /// Aileron per bank angle \[1\].
    pub bank_gain: f64,
    /// Aileron per roll rate \[s\].
    pub roll_damping: f64,
    /// Delay from touchdown to spoilers \[s\].
    pub spoiler_delay: f64,
    /// Delay from touchdown to brakes \[s\].
    pub brake_delay: f64,
    /// Brake pedal: fraction of each wheel's braking strength, 0 to 1.
    pub brake_level: f64,
    /// Target deceleration of the brakes \[m/s^2\]; with zero the pedal stays at `brake_level`.
    pub target_deceleration: f64,
    /// The anti-skid limits the braking strength of a wheel to this fraction of its friction in the previous step; zero
    /// without anti-skid.
    pub anti_skid: f64,
    /// Delay from touchdown to reverse thrust \[s\].
    pub reverse_delay: f64,
    /// Heading towards the centreline per lateral offset \[rad/m\].
    pub lateral_gain: f64,
    /// Steering and rudder per heading error \[1\].
    pub heading_gain: f64,
    /// Steering and rudder per yaw rate \[s\].
    pub yaw_damping: f64,
    /// Ground speed up to which nose wheels may turn fully \[m/s\]; above, the limit falls with the square of the
    /// speed.
    pub full_steering_speed: f64,
}

/// Default approach of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Airspeed \[m/s\].
    pub airspeed: f64,
    /// Sink rate relative to the ground \[m/s\].
    pub sink_rate: f64,
    /// Pitch angle \[rad\], nose up.
    pub pitch: f64,
    /// x of the centre of gravity at the start \[m\].
    pub start_distance: f64,
    /// Height of the lowest main wheel above the ground at the start \[m\].
    pub height: f64,
}
