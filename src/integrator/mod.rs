//! Ordinary differential equations by steps that may be rejected, and ended where a function changes its sign.
//!
//! ```text
//! propose --> Step (a polynomial of time) --> first_change (where a watched function changes its sign) --> accept
//! ```
//!
//! The method is Dormand and Prince's of orders 5 and 4 ("A family of embedded Runge-Kutta formulae", J. Comp. Appl. Math. 6,
//! 1980) with the continuous extension of order 4 and the choice of the first step of Hairer, Norsett and Wanner ("Solving
//! Ordinary Differential Equations I", sections II.4 and II.6). A step whose estimated error is more than the tolerance of any
//! component is rejected, and a shorter one tried. What ends a step may be asked after it is proposed and before it is
//! accepted, so that whoever holds other states than the integrator's can accept them together.
//!
//! # Conventions
//! Time and components of the state are in whatever units the system has. Time only goes forwards.
//!
//! # Example
//! A stone falls from 5 m; the step that reaches the ground ends just below it.
//! ```
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

/// What is integrated: d state / d time as a function of both.
pub trait System {
    /// Writes the rates of all components of the state. Within one step they must be smooth.
    fn rates(&self, time: f64, state: &[f64], rates: &mut [f64]);
}

/// Errors that a step may have: in each component `absolute + relative |component|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    /// Share of the component's magnitude.
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
    /// Tolerances are not for the state.
    #[error("there are {tolerances} absolute tolerances for {components} components of the state")]
    Components {
        /// How many tolerances there are.
        tolerances: usize,
        /// How many components the state has.
        components: usize,
    },
    /// A tolerance that no step can keep.
    #[error("{value:e} is no tolerance; absolute ones must be positive and finite, and the relative one not negative")]
    Tolerance {
        /// The tolerance.
        value: f64,
    },
    /// Time or state without a value.
    #[error("component {component} of the state is {value} at time {time}; it must be finite")]
    NotFinite {
        /// Number of the component.
        component: usize,
        /// Its value.
        value: f64,
        /// Of the state.
        time: f64,
    },
    /// Time does not go on.
    #[error(
        "the step from time {time} has shrunk to {step:e}: the state or its rates grow without bounds, or they jump"
    )]
    StepTooSmall {
        /// Where the step begins.
        time: f64,
        /// Its length.
        step: f64,
    },
    /// A step that would end before it begins.
    #[error("a step cannot go from time {time} to {until}")]
    Backwards {
        /// Where the step would begin.
        time: f64,
        /// Where it would have to end at the latest.
        until: f64,
    },
}

/// A safety factor on the length for which the estimated error is the tolerance, and how much longer or shorter than the
/// one before a step may be.
const SAFETY: f64 = 0.9;
const GROWTH: [f64; 2] = [0.2, 5.0];
/// A step must be longer than so many units in the last place of time.
const MIN_STEP_UNITS: f64 = 16.0;

/// A state on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Integrator {
    time: f64,
    state: Vec<f64>,
    tolerances: Tolerances,
    longest: f64,
    /// How long the next step might be; `None` at the beginning.
    next: Option<f64>,
    rejected: u64,
}

impl Integrator {
    /// Begins at a time and a state.
    ///
    /// # Errors
    /// When time, state or tolerances are not what numbers must be.
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
        finite(time, &state)?;
        Ok(Self { time, state, tolerances, longest: f64::INFINITY, next: None, rejected: 0 })
    }

    /// No step shall be longer than this.
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

    /// Steps that have been rejected because of their estimated errors.
    #[must_use]
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// A step whose estimated errors are within the tolerances, to a time at the latest. Time and state stay as they are.
    ///
    /// # Errors
    /// When no step is short enough, or the time is over already.
    pub fn propose<S: System + ?Sized>(&mut self, system: &S, until: f64) -> Result<Step, IntegratorError> {
        let left = until - self.time;
        if !(left > 0.0 && left.is_finite()) {
            return Err(IntegratorError::Backwards { time: self.time, until });
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
            // An error that is not a number says that the step has gone where there are none.
            let factor = if error.is_finite() { SAFETY * error.powf(-0.2) } else { GROWTH[0] };
            if error <= 1.0 {
                // A last step that has been cut says nothing against longer ones.
                self.next =
                    Some((step.length() * factor.clamp(GROWTH[0], growth)).max(if is_last { length } else { 0.0 }));
                return Ok(step);
            }
            self.rejected += 1;
            growth = 1.0;
            length = length.min(left) * factor.clamp(GROWTH[0], 1.0);
        }
    }

    /// Takes a proposed step as far as a time within it.
    ///
    /// # Panics
    /// When the step is not from the last accepted state, or the time is not within it.
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
