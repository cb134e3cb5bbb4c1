//! Electric motors.

use std::f64::consts::PI;

use super::formula::{Formula, larger};
use super::lowering::Lowering;
use crate::function::Operation;

/// A brushless motor on direct current.
#[derive(Clone, Debug, PartialEq)]
pub struct Brushless {
    /// Voltage at full throttle \[V\].
    pub voltage: f64,
    /// Speed by voltage without load \[rev/min/V\].
    pub speed_constant: f64,
    /// Resistance of its coils \[ohm\].
    pub resistance: f64,
    /// Current that friction takes \[A\].
    pub idle_current: f64,
}

/// Foot-pounds per second of a horsepower.
const HORSEPOWER: f64 = 550.0;
/// Watts of a horsepower, as JSBSim has it.
pub(super) const HORSEPOWER_WATTS: f64 = 745.7;
/// Newton metres of a foot-pound, as JSBSim has it.
const FOOT_POUND: f64 = 1.3558;
/// Speed below which no motor brakes \[rev/min\].
const STANDING: f64 = 0.1;
/// Speed from which a brushless motor begins to turn \[rev/min\].
const BEGINNING: f64 = 1e-4;

/// The power \[ft lbf/s\] of a number of horsepowers: none is taken from a shaft that stands.
pub(super) fn driven(horsepower: Formula, speed: &Formula) -> Formula {
    let power = horsepower * HORSEPOWER;
    let standing = Formula::made(Operation::LessOrEqual, [speed.clone(), STANDING.into()]);
    standing.choose(larger(power.clone(), 0.0), power)
}

/// Adds the function of a motor of so many watts; the power \[ft lbf/s\].
pub(super) fn power(watts: f64, lowering: &mut Lowering<'_>, speed: &Formula) -> Formula {
    let horsepower = lowering.control("throttle-pos-norm") * (watts / HORSEPOWER_WATTS);
    let horsepower = lowering.make("power-hp", horsepower);
    driven(horsepower, speed)
}

impl Brushless {
    /// Adds the functions of current and power; the power \[ft lbf/s\].
    pub(super) fn power(&self, lowering: &mut Lowering<'_>, speed: Formula) -> Formula {
        let voltage = lowering.control("throttle-pos-norm") * self.voltage;
        let current = (voltage - speed.clone() / self.speed_constant) / self.resistance;
        let current = lowering.make("current-amperes", current);
        let torque = (current - self.idle_current) * (60.0 / (2.0 * PI * FOOT_POUND) / self.speed_constant);
        let power = larger(speed, BEGINNING) * (2.0 * PI / 60.0) * torque;
        let power = lowering.make("engine power-ftlbps", power);
        lowering.make("power-hp", power.clone() * (FOOT_POUND / HORSEPOWER_WATTS));
        power
    }
}
