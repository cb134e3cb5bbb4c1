//! Functions of channels and components.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::component::{Channel, Component, FlightControls, Law};
use super::output::{MAX_DELAY, SATURATED};
use super::ties::{of_engine, tied};
use super::{condition, filter, kinematic, pid, scale, servo};
use crate::function::{Expression, Function, Operation};

pub(super) type Formula = Expression<String>;

/// Steps before time begins.
const BEFORE_TIME: f64 = 2.0;

/// Counts steps, from 1.
const STEPS: &str = "steps of channels";
/// 1 from the second step on.
const HAVE_RUN: &str = "channels have run";
/// JSBSim's names of the step \[s\], and of the channel's.
const STEP: &str = "simulation/dt";
const CHANNEL_STEP: &str = "simulation/channel-dt";

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeStep {
    /// All of this length \[s\]: what follows from it is a number.
    Constant(f64),
    /// As the property `simulation/dt` has it; delays are counted in steps of this length \[s\].
    Given(f64),
}

/// Why flight controls have no functions.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ControlFault {
    /// A step in which no time passes.
    #[error("a step of {0} s is not allowed: must be positive")]
    Step(f64),
    /// A delay that is too long.
    #[error("{place}: {name}: a delay of {steps} steps is not allowed: must be from 0 to {MAX_DELAY}")]
    Delay {
        /// Where the component is written.
        place: String,
        /// Its property.
        name: String,
        /// As it would be.
        steps: f64,
    },
}

impl FlightControls {
    /// The functions of a step, in their order. A property that they read and do not make is given by the pilot, by the flight or by
    /// another part of the aircraft; what is remembered begins with 0.
    ///
    /// # Errors
    /// If the step is not positive, or a delay is longer than 512 steps.
    pub fn functions(&self, step: TimeStep) -> Result<Vec<Function<String>>, ControlFault> {
        let (length, constant) = match step {
            TimeStep::Constant(length) => (length, Some(length)),
            TimeStep::Given(length) => (length, None),
        };
        if !(length > 0.0 && length.is_finite()) {
            return Err(ControlFault::Step(length));
        }
        let mut lowering = Lowering::new(length);
        lowering.functions.extend(self.before.iter().cloned());
        for engine in 0..self.engines {
            for (position, command) in of_engine(engine) {
                lowering.set(&position, Formula::Property(command));
            }
        }
        for (number, channel) in self.channels.iter().enumerate() {
            lowering.channel(number, channel)?;
        }
        lowering.functions.extend(self.after.iter().cloned());
        Ok(lowering.finished(constant))
    }
}

/// Functions in the making.
pub(super) struct Lowering {
    /// Step of the simulation for counting steps \[s\].
    step: f64,
    /// Step of the channel \[s\].
    pub(super) dt: Formula,
    /// The same for counting steps \[s\].
    pub(super) length: f64,
    functions: Vec<Function<String>>,
    /// Whether the channel runs in this step; none for one that always does.
    runs: Option<Formula>,
    /// 1 when the channel has run before.
    has_run: String,
    /// How often a name has been used: components of one name remember each for itself.
    names: BTreeMap<String, usize>,
    /// What hidden properties of the component begin with.
    own: String,
}

impl Lowering {
    fn new(step: f64) -> Self {
        Self {
            step,
            dt: Formula::of(STEP),
            length: step,
            functions: Vec::new(),
            runs: None,
            has_run: HAVE_RUN.to_owned(),
            names: BTreeMap::new(),
            own: String::new(),
        }
    }

    /// What runs in every step needs no count of steps, and no note of having run of its own.
    fn finished(mut self, constant: Option<f64>) -> Vec<Function<String>> {
        let mut read = BTreeSet::new();
        let names = self.functions.iter().map(|function| &function.expression);
        names.for_each(|expression| {
            expression.properties(&mut |name: &String| {
                read.insert(name.clone());
            });
        });
        self.functions.retain(|function| !function.name.ends_with(SATURATED) || read.contains(&function.name));
        let mut functions = Vec::new();
        if read.contains(STEP) {
            functions.extend(constant.map(|step| function(STEP, step.into())));
        }
        if read.contains(STEPS) {
            functions.push(function(STEPS, Formula::of(STEPS) + 1.0));
        }
        functions.append(&mut self.functions);
        if read.contains(HAVE_RUN) {
            functions.push(function(HAVE_RUN, 1.0.into()));
        }
        functions
    }

    fn channel(&mut self, number: usize, channel: &Channel) -> Result<(), ControlFault> {
        let every = f64::from(channel.every.max(1));
        self.dt = if every > 1.0 { Formula::of(STEP) * every } else { Formula::of(STEP) };
        self.length = self.step * every;
        let in_turn = (every > 1.0).then(|| {
            let since = Formula::of(STEPS) - BEFORE_TIME;
            let is_before = Formula::made(Operation::LessOrEqual, [since.clone(), 0.0.into()]);
            let is_turn = Formula::made(Operation::Remainder, [since, every.into()]);
            Formula::made(Operation::Or, [is_before, Formula::made(Operation::Equal, [is_turn, 0.0.into()])])
        });
        let first = self.functions.len();
        let is_on = channel.on.clone().map(|on| Formula::made(Operation::NotEqual, [on, 0.0.into()]));
        let conditions: Vec<_> = in_turn.into_iter().chain(is_on).collect();
        self.own = format!("channel {number}");
        self.runs = None;
        HAVE_RUN.clone_into(&mut self.has_run);
        if !conditions.is_empty() {
            self.runs = Some(self.keep("runs", Formula::made(Operation::And, conditions)));
            self.has_run = format!("channel {number} has run");
        }
        for component in &channel.components {
            self.component(component)?;
        }
        if self.runs.is_some() {
            let has_run = self.has_run.clone();
            self.set(&has_run, 1.0.into());
        }
        if self.functions[first..].iter().any(|function| reads(function, CHANNEL_STEP)) {
            self.functions.insert(first, function(CHANNEL_STEP, self.dt.clone()));
        }
        Ok(())
    }

    fn component(&mut self, component: &Component) -> Result<(), ControlFault> {
        let times = self.names.entry(component.name.clone()).or_default();
        *times += 1;
        self.own = if *times == 1 { component.name.clone() } else { format!("{} {times}", component.name) };
        let delay = self.delay(component)?;
        let output = match &component.law {
            Law::Value(value) => value.clone(),
            Law::SurfaceScale(surface) => scale::surface_scale(self, surface),
            Law::Deadband { input, width, gain } => scale::deadband(self, input, width.clone(), *gain),
            Law::Switch { cases, default } => {
                let chosen = condition::switch(cases, default);
                self.delayed(chosen, delay)
            }
            Law::Function(own, input) => {
                let value = if own.name.is_empty() {
                    own.expression.clone()
                } else {
                    self.functions.push(own.clone());
                    Formula::of(&own.name)
                };
                input.clone().map_or(value.clone(), |input| value * input)
            }
            Law::Kinematic { input, scales, detents } => {
                let position = component.outputs.first().unwrap_or(&component.name);
                kinematic::kinematic(self, position, input.clone(), *scales, detents)
            }
            Law::Filter(filter) => filter::filter(self, filter),
            Law::Pid(controller) => pid::pid(self, controller),
            Law::Actuator(actuator) => {
                let moved = servo::actuator(self, actuator);
                self.delayed(moved, delay)
            }
            Law::Sensor(sensor) => {
                let sensed = servo::sensed(self, sensor);
                let delayed = self.delayed(sensed, delay);
                servo::quantized(self, sensor, delayed)
            }
            Law::Angle { source, target, scale } => scale::angle(self, source, target, *scale),
            Law::Distributor { is_exclusive, cases } => {
                condition::distribute(self, *is_exclusive, cases);
                let sets_itself = cases.iter().flat_map(|case| &case.values).any(|(name, _)| *name == component.name);
                if !sets_itself {
                    self.set(&component.name, 0.0.into());
                }
                return Ok(());
            }
        };
        let output = component.clip.iter().fold(output, |output, clip| self.clipped(output, clip));
        self.set(&component.name, output);
        for other in &component.outputs {
            self.set(other, Formula::of(&component.name));
        }
        if let Law::Actuator(_) = component.law {
            self.saturation(component);
        }
        Ok(())
    }

    /// A hidden property of the component, as it was in the step before as long as it is not kept.
    pub(super) fn before(&self, what: &str) -> Formula {
        Formula::Property(format!("{} {what}", self.own))
    }

    /// Keeps a hidden property of the component.
    pub(super) fn keep(&mut self, what: &str, expression: Formula) -> Formula {
        let name = format!("{} {what}", self.own);
        self.push(&name, expression);
        Formula::Property(name)
    }

    /// Sets a property, and those that are the same number in other units.
    pub(super) fn set(&mut self, name: &str, expression: Formula) {
        self.push(name, expression);
        for (other, value) in tied(name) {
            self.push(&other, value);
        }
    }

    /// Adds a function; in a step in which the channel does not run its property stays as it is.
    fn push(&mut self, name: &str, expression: Formula) {
        let expression = match &self.runs {
            Some(runs) => runs.clone().choose(expression, name),
            None => expression,
        };
        self.functions.push(function(name, expression));
    }

    /// A value from the second time on that the channel runs, and another in the first.
    pub(super) fn after_first(&self, value: Formula, first: impl Into<Formula>) -> Formula {
        Formula::of(&self.has_run).choose(value, first)
    }
}

fn function(name: &str, expression: Formula) -> Function<String> {
    Function { name: name.to_owned(), expression }
}

/// Whether a function reads a property.
fn reads(function: &Function<String>, name: &str) -> bool {
    let mut found = false;
    function.expression.properties(&mut |read: &String| found |= read == name);
    found
}
