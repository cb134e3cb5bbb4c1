//! Rockets.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use super::STEP;
use super::formula::{Formula, reaches};
use super::lowering::Lowering;
use crate::function::{Expression, Operation, Table};

/// A rocket.
#[derive(Clone, Debug, PartialEq)]
pub struct Rocket {
    /// Specific impulse in a vacuum \[s\].
    pub specific_impulse: Expression<String>,
    /// Throttle below which it does not burn.
    pub min_throttle: f64,
    /// Propellant that it burns at full throttle \[lb/s\].
    pub flow: f64,
    /// The grain of a solid rocket, which burns whatever the throttle.
    pub grain: Option<Grain>,
}

/// The propellant of a solid rocket.
#[derive(Clone, Debug, PartialEq)]
pub struct Grain {
    /// Thrust in a vacuum \[lbf\] over propellant that has been burnt \[lb\].
    pub thrust: Arc<Table>,
    /// Time until it burns fully \[s\].
    pub buildup: f64,
    /// Share by which thrust is above the table.
    pub thrust_variation: f64,
    /// Share by which thrust is above the table and lasts as long.
    pub impulse_variation: f64,
}

impl Rocket {
    /// Adds the functions of burning; the thrust in a vacuum \[lbf\].
    pub(super) fn thrust(&self, lowering: &mut Lowering<'_>) -> Formula {
        let throttle = lowering.control("throttle-pos-norm");
        if let Some(grain) = &self.grain {
            return grain.thrust(lowering, throttle, &self.specific_impulse);
        }
        // What is burnt in a step drives the next one.
        let burnt = lowering.of("propellant flow-pps");
        let burns = lowering.make("rocket burns", reaches(throttle.clone(), self.min_throttle));
        let thrust = burns.clone().choose(self.specific_impulse.clone() * burnt, 0.0);
        let thrust = lowering.make("vacuum-thrust_lbs", thrust);
        lowering.make("propellant flow-pps", burns.choose(throttle * self.flow, 0.0));
        thrust
    }
}

impl Grain {
    fn thrust(&self, lowering: &mut Lowering<'_>, throttle: Formula, impulse: &Formula) -> Formula {
        let (time, burnt) = (lowering.of("burning time"), lowering.of("propellant burnt-lbs"));
        let is_full = Formula::made(Operation::Equal, [throttle, 1.0.into()]);
        let lit = Formula::made(Operation::Or, [is_full, Formula::from(0.0).less(time.clone())]);
        let lit = lowering.make("grain burns", lit);
        let variation = (1.0 + self.thrust_variation) * (1.0 + self.impulse_variation);
        let full = Expression::Table(self.thrust.clone(), vec![burnt.clone()]) * variation;
        let thrust = if self.buildup > 0.0 {
            let share = (time.clone() * (FRAC_PI_2 / self.buildup)).by(Operation::Sine);
            let builds_up = Formula::made(Operation::LessOrEqual, [time.clone(), self.buildup.into()]);
            full.clone() * builds_up.choose(share, 1.0)
        } else {
            full
        };
        let thrust = lowering.make("vacuum-thrust_lbs", lit.clone().choose(thrust, 0.0));
        lowering.make("burning time", time + lit * STEP);
        let used = thrust.clone() / impulse.clone() / (1.0 + self.impulse_variation) * STEP;
        lowering.make("propellant burnt-lbs", burnt + used);
        thrust
    }
}
