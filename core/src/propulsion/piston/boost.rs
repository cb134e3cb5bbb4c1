//! Superchargers.

use super::super::electric::HORSEPOWER_WATTS;
use super::super::formula::{Formula, larger, smaller};
use super::super::lowering::Lowering;
use super::{PRESSURE, STANDARD};
use crate::function::Operation;

/// A supercharger.
#[derive(Clone, Debug, PartialEq)]
pub struct Boost {
    /// Its gears, from the one for the lowest height.
    pub gears: Vec<BoostSpeed>,
    /// Whether the property `boost-speed` sets the gear, and not the pressure outside.
    pub is_manual: bool,
    /// Whether the pressure is not limited.
    pub is_unlimited: bool,
    /// Limit of the pressure above the standard one, from a throttle of 0.98 on \[lbf/in^2\].
    pub takeoff: Option<f64>,
    /// Share of its power that is taken from the engine.
    pub loss: f64,
}

/// A gear of a supercharger.
#[derive(Clone, Debug, PartialEq)]
pub struct BoostSpeed {
    /// Limit of the pressure above the standard one \[lbf/in^2\].
    pub pressure: f64,
    /// Speed of the engine at which it gives that \[rev/min\].
    pub speed: f64,
    /// Largest height at which it gives that \[ft\].
    pub height: f64,
}

/// Pascals of a pound per square inch, as JSBSim has it.
const POUND: f64 = 6895.0;
/// By how much higher than rated the next gear is taken \[ft\].
const ABOVE_RATED: f64 = 1000.0;
/// By how much pressure differs between gears up and down \[Pa\].
const HYSTERESIS: f64 = 1000.0;
/// Throttle from which the limit is that of take-off.
const TAKEOFF: f64 = 0.98;
/// Ratio of specific heats, as JSBSim has it here.
const HEATS: f64 = 1.414;

/// Pressure of the standard air at a height \[ft\], as a polynomial of JSBSim's \[Pa\].
fn standard_pressure(height: f64) -> f64 {
    let height = height.min(100_000.0);
    let coefficients = [1.747_033_135_6e-17, -7.113_572_602_7e-12, 1.092_549_860_4e-6, -7.648_932_746e-2, 2_116.217];
    coefficients.into_iter().fold(0.0, |sum, coefficient| sum * height + coefficient) * PRESSURE
}

impl BoostSpeed {
    /// Limit of the pressure \[Pa\].
    fn limit(&self) -> f64 {
        STANDARD + self.pressure * POUND
    }

    /// By how much more the pressure rises with each turn per minute.
    fn slope(&self) -> f64 {
        (self.limit() / standard_pressure(self.height) - 1.0) / self.speed
    }

    /// Pressure outside at which the next gear is taken \[Pa\].
    fn next(&self) -> f64 {
        standard_pressure(if self.height > 0.0 { self.height + ABOVE_RATED } else { 0.0 })
    }
}

impl Boost {
    /// Adds the function of gears; the pressure in the manifold \[Pa\] from those behind the throttle and outside, and the power that
    /// is taken \[hp\].
    pub(super) fn pressure(
        &self,
        lowering: &mut Lowering<'_>,
        [throttled, outside, speed]: [&Formula; 3],
    ) -> (Formula, Formula) {
        let gear = self.gear(lowering, outside);
        let of_gear = |of: &dyn Fn(&BoostSpeed) -> f64| match &gear {
            None => Formula::from(self.gears[0..1].iter().map(of).sum::<f64>()),
            Some(gear) => {
                let all = self.gears.iter().map(|gear| Formula::from(of(gear)));
                Formula::made(Operation::Switch, std::iter::once(gear.clone()).chain(all))
            }
        };
        let boosted = throttled.clone() * (of_gear(&BoostSpeed::slope) * speed.clone() + 1.0);
        let pressure = if self.is_unlimited {
            boosted
        } else {
            let rated = of_gear(&BoostSpeed::limit);
            let first = self.gears.first().map_or(0.0, |gear| gear.pressure);
            let limit = match self.takeoff {
                Some(takeoff) if takeoff > first => {
                    let more = of_gear(&|gear| gear.limit() + (takeoff - first) * POUND);
                    let takes_off = Formula::from(TAKEOFF).less(lowering.control("throttle-pos-norm"));
                    takes_off.choose(more, rated)
                }
                _ => rated,
            };
            smaller(boosted, limit)
        };
        let pressure = lowering.make("boosted pressure-pa", pressure);
        if self.loss == 0.0 {
            return (pressure, 0.0.into());
        }
        // The air of the step before.
        let flow = lowering.of("air flow-m3_sec");
        let exponent = (HEATS - 1.0) / HEATS;
        let ratio = (pressure.clone() / throttled.clone()).power(exponent) - 1.0;
        let loss = throttled.clone() * flow * ratio * (self.loss / exponent / HORSEPOWER_WATTS);
        (pressure, lowering.make("boostloss-hp", loss))
    }

    /// The gear, if there are several.
    fn gear(&self, lowering: &mut Lowering<'_>, outside: &Formula) -> Option<Formula> {
        let last = self.gears.len() - 1;
        if last == 0 {
            return None;
        }
        let before = lowering.of("boost-speed");
        let gear = if self.is_manual {
            larger(smaller(before, last as f64), 0.0)
        } else {
            let chosen = |gear: &Formula, of: &dyn Fn(usize) -> f64| {
                let all = (0..=last).map(|number| Formula::from(of(number)));
                Formula::made(Operation::Switch, std::iter::once(gear.clone()).chain(all))
            };
            // Pressures that are never met keep it among its gears.
            const NEVER: f64 = 1e9;
            let up =
                chosen(&before, &|number| if number < last { self.gears[number].next() - HYSTERESIS } else { 0.0 });
            let higher = lowering.make("boost gear up", before + outside.clone().less(up));
            let down = |number: usize| if number > 0 { self.gears[number - 1].next() + HYSTERESIS } else { NEVER };
            let down = chosen(&higher, &down);
            higher - down.less(outside.clone())
        };
        Some(lowering.make("boost-speed", gear))
    }
}
