//! Ordinary differential equations: steps may be rejected, and end at sign changes of event functions.
//!
//! ```text
//! propose --> Step (a polynomial of time) --> first_change (where a watched function changes its sign) --> accept
//! ```
//!
//! The method is Dormand and Prince's of orders 5 and 4 ("A family of embedded Runge-Kutta formulae", J. Comp. Appl.
//! Math. 6, 1980) with the continuous extension of order 4 and the initial step size of Hairer, Norsett and Wanner
//! ("Solving Ordinary Differential Equations I", sections II.4 and II.6). A step whose estimated error exceeds the
//! tolerance of any component is rejected, and a shorter one tried. Events are located after a step is proposed and
//! before it is accepted, so that states outside the integrator can be accepted together with its own.
//!
//! # Conventions
//! Time and state components have the units of the system. Time only goes forwards.
//!
//! # Example
//! A stone falls from 5 m; the step that reaches the ground ends just below it.
//! ```
//! # use touchdown_core as touchdown;
//! use touchdown::integrator::{Integrator, System, Tolerances, Watch, first_change};
//!
//! struct Stone;
//! impl System for Stone {
//!     fn rates(&self, _time: f64, state: &[f64], rates: &mut [f64]) {
//!         (rates[0], rates[1]) = (state[1], -10.0);
//!     }
//! }
//! struct Height<'a>(&'a touchdown::integrator::Step);
//! impl Watch for Height<'_> {
//!     fn count(&self) -> usize {
//!         1
//!     }
//!     fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
//!         numbers.iter().map(|_| self.0.component(0, time)).collect()
//!     }
//!     fn rate_limit(&self, _number: usize) -> f64 {
//!         self.0.rate_limit(0)
//!     }
//! }
//!
//! let mut integrator = Integrator::new(0.0, vec![5.0, 0.0], Tolerances::uniform(1e-9, 1e-9, 2))?;
//! loop {
//!     let step = integrator.propose(&Stone, 10.0)?;
//!     let ground = first_change(&Height(&step), [step.from(), step.to()], 1e-6);
//!     integrator.accept(&step, ground.as_ref().map_or(step.to(), |ground| ground.at));
//!     if ground.is_some() {
//!         break;
//!     }
//! }
//! assert!((integrator.time() - 1.0).abs() < 1e-12 && integrator.state()[0] <= 0.0);
//! # Ok::<(), touchdown::integrator::IntegratorError>(())
//! ```

mod changes;
mod dormand_prince;
#[cfg(test)]
mod tests;

pub use changes::{Change, Watch, first_change};
pub use dormand_prince::Step;

use dormand_prince::{first_step, try_step};
use thiserror::Error;

use crate::elementary::pow;

/// The system: d state / d time as a function of both.
pub trait System {
    /// Writes the rates of all components of the state. Within one step they must be smooth.
    fn rates(&self, time: f64, state: &[f64], rates: &mut [f64]);
}

/// Error tolerances of a step: for each component `absolute + relative |component|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    /// Fraction of the component's magnitude.
    pub relative: f64,
    /// In the unit of each component.
    pub absolute: Vec<f64>,
}

impl Tolerances {
    /// The same for all components.
    #[must_use]
    pub fn uniform(relative: f64, absolute: f64, components: usize) -> Self {
        Self { relative, absolute: vec![absolute; components] }
    }

    fn of(&self, component: usize, magnitude: f64) -> f64 {
        self.absolute[component] + self.relative * magnitude
    }
}

/// Why there is no step.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum IntegratorError {
    /// The number of tolerances does not match the state.
    #[error("there are {tolerances} absolute tolerances for {components} components of the state")]
    Components {
        /// Number of tolerances.
        tolerances: usize,
        /// Number of components of the state.
        components: usize,
    },
    /// A tolerance that no step can meet.
    #[error("{value:e} is no tolerance; absolute ones must be positive and finite, and the relative one not negative")]
    Tolerance {
        /// The tolerance.
        value: f64,
    },
    /// A start time that is not finite.
    #[error("the start time is {time}; it must be finite")]
    Time {
        /// The time.
        time: f64,
    },
    /// A limit on the step size that allows no step.
    #[error("the longest step is {longest}; it must be above 0")]
    LongestStep {
        /// The limit.
        longest: f64,
    },
    /// A state that is not finite.
    #[error("component {component} of the state is {value} at time {time}; it must be finite")]
    NotFinite {
        /// Index of the component.
        component: usize,
        /// Its value.
        value: f64,
        /// Of the state.
        time: f64,
    },
    /// Time does not advance.
    #[error(
        "the step from time {time} has shrunk to {step:e}: the state or its rates grow without bounds, or they jump"
    )]
    StepTooSmall {
        /// Start of the step.
        time: f64,
        /// Its length.
        step: f64,
    },
    /// A step that would end before it starts.
    #[error("a step cannot go from time {time} to {until}")]
    Backwards {
        /// Start of the step.
        time: f64,
        /// Its latest end.
        until: f64,
    },
}

/// Safety factor on the step size for which the estimated error equals the tolerance, and limits on the change of step
/// size.
const SAFETY: f64 = 0.9;
const GROWTH: [f64; 2] = [0.2, 5.0];
/// Minimum length of a step, in units in the last place of time.
const MIN_STEP_UNITS: f64 = 16.0;

/// A state being integrated.
#[derive(Clone, Debug, PartialEq)]
pub struct Integrator {
    time: f64,
    state: Vec<f64>,
    tolerances: Tolerances,
    longest: f64,
    /// Proposed size of the next step; `None` initially.
    next: Option<f64>,
    rejected: u64,
}

impl Integrator {
    /// Starts at a time and a state.
    ///
    /// # Errors
    /// If time, state or tolerances are invalid.
    pub fn new(time: f64, state: Vec<f64>, tolerances: Tolerances) -> Result<Self, IntegratorError> {
        if tolerances.absolute.len() != state.len() {
            let tolerances = tolerances.absolute.len();
            return Err(IntegratorError::Components { tolerances, components: state.len() });
        }
        let is_bad = |&&value: &&f64| !(value > 0.0 && value.is_finite());
        if let Some(&value) = tolerances.absolute.iter().find(is_bad) {
            return Err(IntegratorError::Tolerance { value });
        }
        if !(tolerances.relative >= 0.0 && tolerances.relative.is_finite()) {
            return Err(IntegratorError::Tolerance { value: tolerances.relative });
        }
        if !time.is_finite() {
            return Err(IntegratorError::Time { time });
        }
        finite(time, &state)?;
        Ok(Self { time, state, tolerances, longest: f64::INFINITY, next: None, rejected: 0 })
    }

    /// Limits the step size; infinity is no limit. One that is not above 0 is refused by [`propose`](Self::propose).
    #[must_use]
    pub fn with_longest_step(self, longest: f64) -> Self {
        Self { longest, ..self }
    }

    /// The time of the last accepted state.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The last accepted state.
    #[must_use]
    pub fn state(&self) -> &[f64] {
        &self.state
    }

    /// Number of steps rejected because of their estimated errors.
    #[must_use]
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// A step whose estimated errors are within the tolerances, up to `until` at the latest. Time and state are
    /// unchanged.
    ///
    /// # Errors
    /// If no step is short enough, the time is over already, or the longest step is not above 0.
    pub fn propose<S: System + ?Sized>(&mut self, system: &S, until: f64) -> Result<Step, IntegratorError> {
        let left = until - self.time;
        if !(left > 0.0 && left.is_finite()) {
            return Err(IntegratorError::Backwards { time: self.time, until });
        }
        if self.longest.is_nan() || self.longest <= 0.0 {
            return Err(IntegratorError::LongestStep { longest: self.longest });
        }
        let mut rates = vec![0.0; self.state.len()];
        system.rates(self.time, &self.state, &mut rates);
        let guess = match self.next {
            Some(next) => next,
            None => first_step(system, self.time, &self.state, &rates, &self.tolerances),
        };
        let mut length = guess.min(self.longest);
        let mut growth = GROWTH[1];
        loop {
            let is_last = length >= left;
            let to = if is_last { until } else { self.time + length };
            let goes_on = length > MIN_STEP_UNITS * f64::EPSILON * self.time.abs() && to > self.time;
            if !(is_last || goes_on) {
                return Err(IntegratorError::StepTooSmall { time: self.time, step: length });
            }
            let (step, error) = try_step(system, [self.time, to], &self.state, &rates, &self.tolerances);
            // A NaN error indicates that the step left the domain of the system.
            let factor = if error.is_finite() { SAFETY * pow(error, -0.2) } else { GROWTH[0] };
            if error <= 1.0 {
                // A final step that was cut does not limit later ones.
                self.next =
                    Some((step.length() * factor.clamp(GROWTH[0], growth)).max(if is_last { length } else { 0.0 }));
                return Ok(step);
            }
            self.rejected += 1;
            growth = 1.0;
            length = length.min(left) * factor.clamp(GROWTH[0], 1.0);
        }
    }

    /// Accepts a proposed step up to a time within it.
    ///
    /// # Panics
    /// If the step does not start at the last accepted state, or the time is not within it.
    pub fn accept(&mut self, step: &Step, time: f64) {
        assert!(step.from() == self.time && step.from() < time && time <= step.to(), "not a step from here");
        self.state = step.at(time);
        self.time = time;
    }
}

fn finite(time: f64, state: &[f64]) -> Result<(), IntegratorError> {
    match state.iter().position(|value| !value.is_finite()) {
        Some(component) => Err(IntegratorError::NotFinite { component, value: state[component], time }),
        None => Ok(()),
    }
}
