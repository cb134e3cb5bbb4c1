//! Job `landing`: a vehicle from the approach or just above the ground to its stop.
//!
//! # Conventions
//! Frames as in [`crate::query`] and [`crate::vehicle`]. Angles of the vehicle: pitch nose up, bank right wing down,
//! crab nose right of the ground track. Lateral distances are positive to the left of the centreline (world y).
//!
//! On a runway with a slope, distances along it are horizontal (world x), heights above the ground are vertical and
//! measured from the runway's plane ([`crate::scene::GroundPlane`]), and sink rates at start and touchdown are rates of
//! these heights. Attitudes, glide path angles and the wind refer to the horizon.

mod gusts;
mod input;
mod motion;
mod outcome;
mod quantity;
mod rest;
pub mod rules;
mod state;
mod weather;
mod wheel_watch;

pub use gusts::Gusts;
pub use input::{Input, LandingInputs};
pub use motion::orientation;
pub use motion::{Acceleration, Motion};
pub use outcome::{LandingClass, LandingOutcome, LandingPart, Stop, Touchdown, WheelOutcome};
pub use quantity::{Quantity, quantities};
pub use rest::stands_on;
pub use state::{LandingState, PilotState};
pub use weather::{Weather, WindTable};
pub use wheel_watch::WheelWatch;

use crate::scene::Scene;
use crate::vehicle::{Surfaces, Vehicle};

/// Data shared by all landings of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct LandingJob {
    /// The vehicle.
    pub vehicle: Vehicle,
    /// The scene, with its runway if it has one.
    pub scene: Scene,
    /// The air, beside what inputs say of it.
    pub weather: Weather,
    /// Acceleration of gravity \[m/s^2\], downwards.
    pub gravity: f64,
    /// Time step \[s\].
    pub step: f64,
    /// Time limit \[s\]; a landing still in progress then is unfinished.
    pub time_limit: f64,
}

impl LandingJob {
    /// The smallest number of steps that lasts at least this time \[s\]. A time within rounding of a whole number of
    /// steps is that number: 0.07 s at 0.01 s is 7, although the quotient exceeds 7 in f64.
    #[must_use]
    pub fn steps_of(&self, time: f64) -> u64 {
        // Time, step and their quotient are each rounded by at most half of EPSILON.
        const ROUNDING: f64 = 1.5 * f64::EPSILON;
        let steps = time / self.step;
        let whole = steps.round();
        (if (steps - whole).abs() <= ROUNDING * whole { whole } else { steps.ceil() }) as u64
    }

    /// Time in the middle of the step that begins after this many \[s\].
    #[must_use]
    pub fn middle_of(&self, steps: u64) -> f64 {
        (steps as f64 + 0.5) * self.step
    }

    /// Time after this many steps \[s\].
    #[must_use]
    pub fn time_after(&self, steps: u64) -> f64 {
        steps as f64 * self.step
    }
}

/// Control inputs and thrust in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controls {
    /// Control surfaces.
    pub surfaces: Surfaces,
    /// Commanded steering angle \[rad\], positive to the right; each wheel turns as far as its limit.
    pub steering: f64,
    /// Fraction of the steering range available at this speed \[1\].
    pub steering_authority: f64,
    /// Brake pedal \[1\], 0 to 1.
    pub brake: f64,
    /// Thrust along body X \[N\].
    pub thrust: f64,
}

/// One step of one landing, as observed after the step.
#[derive(Clone, Copy, Debug)]
pub struct LandingStep<'a> {
    /// Time since the start \[s\].
    pub time: f64,
    /// The state after the step.
    pub state: &'a LandingState,
    /// Controls during the step.
    pub controls: &'a Controls,
}

/// An event for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandingEvent {
    /// A main wheel touches for the first time.
    Touchdown,
    /// All main wheels have left the ground for the time that makes a bounce.
    Bounce,
    /// A wheel gains contact, for the first time or after it was reported to be up.
    WheelDown(usize),
    /// A wheel has been without contact for the time that makes a bounce.
    WheelUp(usize),
    /// The force under a wheel passes the surface's maximum for the first time.
    ForceLimit(usize),
    /// Spoilers come out.
    Spoilers,
    /// Brakes come on.
    Brakes,
    /// Reverse thrust comes on.
    Reverse,
    /// A wheel leaves the side of the runway.
    VeeredOff,
    /// The vehicle passes the end of the runway.
    RunwayEnd,
    /// End of the landing.
    End(LandingClass),
}

/// Observes a landing; `()` ignores everything.
pub trait Observer {
    /// Called after each step.
    fn step(&mut self, step: &LandingStep<'_>);
    /// Called at an event, with its time \[s\]; before the call for the step.
    fn event(&mut self, time: f64, event: LandingEvent);
}

impl Observer for () {
    fn step(&mut self, _: &LandingStep<'_>) {}
    fn event(&mut self, _: f64, _: LandingEvent) {}
}
