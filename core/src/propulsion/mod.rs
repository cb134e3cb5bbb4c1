//! Engines and propellers as functions with state: what JSBSim's section `propulsion` says, as one list of functions.
//!
//! ```text
//! Engine (motor, thruster, mounting) --functions--> Function<String> in their order --Routine--> rows, step after step
//!     throttle, air --> motor: thrust or power --> thruster: thrust and torque --> sums of force and moment
//! ```
//!
//! A motor drives its thruster with a number: a thrust \[lbf\] that a nozzle or a direct thruster passes on, or a power \[ft lbf/s\] that
//! turns a propeller. What an engine remembers (speeds of spools and propellers, pitch, pressure in the manifold) is a property that is
//! read before it is made in a step. Properties have JSBSim's names, `propulsion/engine[1]/thrust-lbs`; those that JSBSim has no name
//! for have a blank in theirs.
//!
//! Engines run and burn no fuel: mass is the vehicle's, and starters, ignition, oil and temperatures are left out.
//!
//! # Conventions
//! JSBSim's units inside: feet, slugs, pounds, seconds, degrees Rankine; body axes X forward, Y right, Z down. The step is the property
//! `simulation/dt` \[s\].

mod electric;
mod formula;
mod lowering;
mod mounting;
mod piston;
mod propeller;
mod rocket;
mod turbine;
mod turboprop;

pub use electric::Brushless;
pub use mounting::{Direction, Mounting};
pub use piston::{Boost, BoostSpeed, Piston};
pub use propeller::{Pitch, Propeller};
pub use rocket::{Grain, Rocket};
pub use turbine::{Augmentation, Turbine};
pub use turboprop::Turboprop;

use crate::function::{Expression, Function};
use formula::Formula;
use lowering::Lowering;

/// Sums over all engines of the force \[lbf\] and of the moment about the centre of gravity \[lbf ft\], body axes.
pub const LOADS: [&str; 6] =
    ["engines x-lbs", "engines y-lbs", "engines z-lbs", "engines l-lbsft", "engines m-lbsft", "engines n-lbsft"];
/// JSBSim's names for them.
const OF_JSBSIM: [&str; 6] = [
    "forces/fbx-prop-lbs",
    "forces/fby-prop-lbs",
    "forces/fbz-prop-lbs",
    "moments/l-prop-lbsft",
    "moments/m-prop-lbsft",
    "moments/n-prop-lbsft",
];

/// The step \[s\].
const STEP: &str = "simulation/dt";

/// An engine of an aircraft.
#[derive(Clone, Debug, PartialEq)]
pub struct Engine {
    /// Its number among the engines of the aircraft, from 0.
    pub number: usize,
    /// What its file makes beside, before all of it: what they read of the engine is of the step before.
    pub functions: Vec<Function<String>>,
    /// What drives the thruster.
    pub motor: Motor,
    /// What makes the force.
    pub thruster: Thruster,
    /// Where the thruster is.
    pub mounting: Mounting,
}

/// What drives a thruster.
#[derive(Clone, Debug, PartialEq)]
pub enum Motor {
    /// A jet with one or two spools.
    Turbine(Box<Turbine>),
    /// A piston engine of four strokes, or two, with or without a supercharger.
    Piston(Box<Piston>),
    /// A turbine that turns a propeller.
    Turboprop(Turboprop),
    /// A rocket.
    Rocket(Rocket),
    /// A motor whose power is its throttle's share of this \[W\].
    Electric(f64),
    /// A brushless motor on direct current.
    Brushless(Brushless),
}

/// What makes a force.
#[derive(Clone, Debug, PartialEq)]
pub enum Thruster {
    /// Passes on what it is driven with.
    Direct,
    /// A rocket's nozzle of this exit area \[ft^2\]: the air's pressure on it is taken off.
    Nozzle(f64),
    /// A propeller.
    Propeller(Box<Propeller>),
}

/// Functions of engines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Propulsion {
    /// In their order; [`LOADS`] are among them. None without engines.
    pub functions: Vec<Function<String>>,
    /// What the first step finds of properties that are left to it; others are 0.
    pub at_start: Vec<(String, f64)>,
}

impl Propulsion {
    /// The functions of engines. Of the properties that may be set from outside, as a nozzle's angle, only those are left open that
    /// `is_set` names (without `[0]`); others are numbers of the engine.
    #[must_use]
    pub fn new(engines: &[Engine], is_set: &dyn Fn(&str) -> bool) -> Self {
        let mut propulsion = Self::default();
        if engines.is_empty() {
            return propulsion;
        }
        let mut sums: [Vec<Formula>; 6] = Default::default();
        for engine in engines {
            propulsion.functions.extend(engine.functions.iter().cloned());
            let mut lowering = Lowering::new(engine.number, is_set, &mut propulsion);
            let load = engine.load(&mut lowering);
            sums.iter_mut().zip(load).for_each(|(sum, part)| sum.push(part));
        }
        for ((own, name), parts) in LOADS.into_iter().zip(OF_JSBSIM).zip(sums) {
            let expression = parts.into_iter().fold(Expression::Value(0.0), formula::plus);
            propulsion.functions.push(Function { name: name.to_owned(), expression });
            propulsion.functions.push(Function { name: own.to_owned(), expression: Formula::of(name) });
        }
        propulsion
    }
}

impl Engine {
    /// Adds its functions; its force and its moment about the centre of gravity.
    fn load(&self, lowering: &mut Lowering<'_>) -> [Formula; 6] {
        lowering.make("set-running", 1.0);
        let gear = match &self.thruster {
            Thruster::Propeller(propeller) => propeller.gear_ratio,
            Thruster::Direct | Thruster::Nozzle(_) => 0.0,
        };
        let shaft = lowering.of("propeller-rpm");
        // What turns no propeller has no speed.
        let speed = if gear == 0.0 { Expression::Value(0.0) } else { formula::times(shaft.clone(), gear.into()) };
        let drive = match &self.motor {
            Motor::Turbine(turbine) => turbine.thrust(lowering),
            Motor::Piston(piston) => piston.power(lowering, &speed),
            Motor::Turboprop(turboprop) => turboprop.power(lowering, &speed),
            Motor::Rocket(rocket) => rocket.thrust(lowering),
            Motor::Electric(power) => electric::power(*power, lowering, &speed),
            Motor::Brushless(motor) => motor.power(lowering, if gear == 0.0 { 0.0.into() } else { shaft }),
        };
        if let (Motor::Piston(piston), Thruster::Propeller(_)) = (&self.motor, &self.thruster) {
            lowering.starts("propeller-rpm", piston.starting_speed() / gear);
        }
        let axes = self.mounting.axes(lowering);
        match &self.thruster {
            Thruster::Direct => {
                let reverser = lowering.settable("reverser-angle-rad", 0.0);
                let thrust = lowering.make("thrust-lbs", formula::times(formula::cosine(reverser), drive));
                self.mounting.load(&axes[0], &thrust)
            }
            Thruster::Nozzle(area) => {
                let outside = Formula::of("atmosphere/P-psf") * *area;
                let thrust = lowering.make("thrust-lbs", formula::larger(0.0, drive - outside));
                self.mounting.load(&axes[0], &thrust)
            }
            Thruster::Propeller(propeller) => {
                // A turbine does not pass its lever on.
                let has_lever = !matches!(self.motor, Motor::Turbine(_) | Motor::Rocket(_));
                let lever = if has_lever { lowering.control("advance-pos-norm") } else { 0.0.into() };
                propeller.load(lowering, &self.mounting, &axes, &drive, lever)
            }
        }
    }
}
