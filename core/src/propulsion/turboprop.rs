//! Turbines that turn propellers.

use std::sync::Arc;

use super::STEP;
use super::electric::driven;
use super::formula::{Formula, both, lagged, reaches, smaller, times};
use super::lowering::Lowering;
use crate::function::{Expression, Operation, Table};

/// A turbine that turns a propeller.
#[derive(Clone, Debug, PartialEq)]
pub struct Turboprop {
    /// Speed of the gas generator at idle \[%\].
    pub idle: f64,
    /// The same at full throttle \[%\].
    pub full: f64,
    /// Time constant with which it turns up \[s\]; down it takes 2.4 times as long.
    pub lag: f64,
    /// Limit of the power \[hp\].
    pub max_power: f64,
    /// Limit of the torque, at which the throttle is taken back \[ft lbf\]; none if it is not limited.
    pub max_torque: Option<f64>,
    /// Power \[hp\] over speeds of the engine \[rev/min\] and of the gas generator \[%\].
    pub power: Arc<Table>,
    /// By what the air multiplies it.
    pub of_air: Expression<String>,
}

/// Rates at which the limiter takes the throttle back and gives it again \[1/s\].
const BACK: f64 = 0.1;
const AGAIN: f64 = 0.05;

impl Turboprop {
    /// Adds the functions of gas generator and power; the power \[ft lbf/s\].
    pub(super) fn power(&self, lowering: &mut Lowering<'_>, speed: &Formula) -> Formula {
        let asked = lowering.control("throttle-pos-norm");
        let throttle = match self.max_torque {
            Some(limit) => limited(lowering, asked, limit),
            None => asked,
        };
        let generator = lowering.of("n1");
        let target = lowering.make("n1 asked", throttle * (self.full - self.idle) + self.idle);
        lowering.starts("n1", self.idle);
        let generator = lowering.make("n1", lagged(&generator, &target, self.lag, 2.4 * self.lag));
        let of_speeds = Expression::Table(self.power.clone(), vec![speed.clone(), generator]);
        let of_air = lowering.make("EnginePowerVC", self.of_air.clone());
        let power = lowering.make("power-hp", smaller(times(of_speeds, of_air), self.max_power));
        driven(power, speed)
    }
}

/// The throttle as a limiter of the torque leaves it.
fn limited(lowering: &mut Lowering<'_>, asked: Formula, limit: f64) -> Formula {
    let before = lowering.of("limited throttle");
    let does_not_close = lowering.make("throttle does not close", reaches(asked.clone(), before.clone()));
    let torque = lowering.of("propeller-torque-ftlb").by(Operation::Magnitude);
    let is_beyond = both(Formula::from(limit).less(torque), does_not_close.clone());
    let is_beyond = lowering.make("torque is limited", is_beyond);
    let acted = both(lowering.of("limiter acts"), does_not_close);
    let given = lowering.make("throttle is given again", acted);
    let back = before.clone() - Formula::of(STEP) * BACK;
    let again = before + Formula::of(STEP) * AGAIN;
    let throttle = is_beyond.clone().choose(back, given.clone().choose(again, asked));
    lowering.make("limiter acts", Formula::made(Operation::Or, [is_beyond, given]));
    lowering.make("limited throttle", throttle)
}
