//! The state of a landing between two steps: everything an engine needs to continue.

use super::{Acceleration, Gusts, LandingEvent, Motion};
use crate::query::WheelStep;

/// A landing after a whole number of steps. With the job and the inputs it determines everything that follows.
#[derive(Clone, Debug, PartialEq)]
pub struct LandingState {
    /// Number of steps completed.
    pub step: u64,
    /// Pose and motion.
    pub motion: Motion,
    /// The acceleration at the end of the last step, from which the next one predicts velocities; zero at the start.
    pub acceleration: Acceleration,
    /// The last step of each wheel, in the vehicle's order: its state, and the friction used by the anti-skid.
    pub wheels: Vec<WheelStep>,
    /// State of the pilot.
    pub pilot: PilotState,
    /// The gusts at the end of the last step; zero without turbulence.
    pub gusts: Gusts,
    /// What a step of the airframe's own physics leaves to the next; empty without such.
    pub airframe: Vec<f64>,
    /// The step, counted from 1, in which a main wheel first touched.
    pub touchdown_step: Option<u64>,
    /// The first structural point that touched the scene in the last step, by index.
    pub struck: Option<u32>,
}

impl LandingState {
    /// Steps since touchdown; 0 in the state in which a main wheel first touches.
    #[must_use]
    pub fn steps_since_touchdown(&self) -> Option<u64> {
        self.touchdown_step.map(|touchdown| self.step.saturating_sub(touchdown))
    }
}

/// State of the pilot, or of the autoland.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PilotState {
    /// Brake pedal \[1\], 0 to 1.
    pub pedal: f64,
    /// Speed over the ground at the start of the last step \[m/s\].
    pub last_speed: f64,
    /// Pitch angle at the start of the first step after touchdown \[rad\].
    pub pitch_at_touchdown: Option<f64>,
    /// Which of [`PilotState::ACTIONS`] have begun.
    pub begun: [bool; 3],
    /// Thrust in the last step \[N\], from which the engines respond; with autoland or flare only, else 0.
    pub thrust: f64,
    /// Integral of the sink rate error, as a pitch angle \[rad\]; with autoland or flare only, else 0.
    pub sink_integral: f64,
}

impl PilotState {
    /// The pilot's actions on the ground, each after its own delay.
    pub const ACTIONS: [LandingEvent; 3] = [LandingEvent::Spoilers, LandingEvent::Brakes, LandingEvent::Reverse];
}
