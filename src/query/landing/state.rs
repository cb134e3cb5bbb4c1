//! The state of a landing between two steps: what an engine must know to go on.

use super::{Acceleration, Gusts, LandingEvent, Motion};
use crate::query::WheelStep;

/// A landing after some whole number of steps. With the job and the inputs it decides all that follows.
#[derive(Clone, Debug, PartialEq)]
pub struct LandingState {
    /// Steps done.
    pub step: u64,
    /// Pose and motion.
    pub motion: Motion,
    /// The acceleration at the end of the last step, by which the next one knows the speeds ahead; none at the start.
    pub acceleration: Acceleration,
    /// The last step of each wheel, in the vehicle's order: what it remembers, and what the anti-skid feels.
    pub wheels: Vec<WheelStep>,
    /// What the pilot remembers.
    pub pilot: PilotState,
    /// The gusts that blow at the end of the last step; none without turbulence.
    pub gusts: Gusts,
    /// The step, counted from 1, in which a main wheel first touched.
    pub touchdown_step: Option<u64>,
    /// The first structural point that met the scene in the last step, by its number.
    pub struck: Option<u32>,
}

impl LandingState {
    /// Steps since touchdown; 0 in the state in which a main wheel touches for the first time.
    #[must_use]
    pub fn steps_since_touchdown(&self) -> Option<u64> {
        self.touchdown_step.map(|touchdown| self.step.saturating_sub(touchdown))
    }
}

/// What the pilot, or the autoland, remembers from step to step.
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
    /// Thrust in the last step \[N\], which the engines start from; with autoland or flare only, else 0.
    pub thrust: f64,
    /// Pitch angle that the sink rates of the approach have added \[rad\]; with autoland or flare only, else 0.
    pub sink_integral: f64,
}

impl PilotState {
    /// What the pilot does on the ground, each after its own delay.
    pub const ACTIONS: [LandingEvent; 3] = [LandingEvent::Spoilers, LandingEvent::Brakes, LandingEvent::Reverse];
}
