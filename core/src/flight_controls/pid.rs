//! Controllers with proportional, integral and derivative parts.

use super::component::{Integration, Pid};
use super::lowering::{Formula, Lowering};
use crate::function::Operation;

/// A trigger below this magnitude is 0.
const NO_TRIGGER: f64 = 1e-6;

/// The integral is not limited by the controller's clip.
pub(super) fn pid(lowering: &mut Lowering, controller: &Pid) -> Formula {
    let Pid { input, proportional, integral, derivative, is_standard, rate, trigger } = controller;
    let x = lowering.keep("input", input.clone());
    let before = lowering.before("input before");
    let trigger = trigger.clone().map(|trigger| lowering.keep("trigger", trigger));
    let is_reset = trigger.clone().map(|trigger| trigger.less(0.0));
    let summed = integral.as_ref().map(|(factor, rule)| {
        let increment = match rule {
            Integration::Rectangular => x.clone(),
            Integration::Trapezoidal => (x.clone() + before.clone()) * 0.5,
            Integration::AdamsBashforth2 => x.clone() * 1.5 - before.clone() * 0.5,
            Integration::AdamsBashforth3 => {
                (x.clone() * 23.0 - before.clone() * 16.0 + lowering.before("input two before") * 5.0) / 12.0
            }
        };
        let increment = match &trigger {
            Some(trigger) => trigger.clone().by(Operation::Magnitude).less(NO_TRIGGER).choose(increment, 0.0),
            None => increment,
        };
        let sum = lowering.before("integral");
        let sum = is_reset.clone().map_or(sum.clone(), |is_reset| is_reset.choose(0.0, sum));
        let weight = lowering.keep("integral weight", factor.clone() * lowering.dt.clone());
        lowering.keep("integral", sum + weight * increment)
    });
    let change = match (rate, derivative) {
        (_, Formula::Value(0.0)) => None,
        (Some(rate), factor) => Some(factor.clone() * rate.clone()),
        (None, factor) => Some(factor.clone() * ((x.clone() - before.clone()) / lowering.dt.clone())),
    };
    let others = [summed, change].into_iter().flatten();
    let output = if *is_standard {
        proportional.clone() * others.fold(x.clone(), |sum, part| sum + part)
    } else {
        let own = (*proportional != Formula::Value(0.0)).then(|| proportional.clone() * x.clone());
        own.into_iter().chain(others).reduce(|sum, part| sum + part).unwrap_or(Formula::Value(0.0))
    };
    let output = lowering.keep("controlled", output);
    if matches!(integral, Some((_, Integration::AdamsBashforth3))) {
        let older = is_reset.map_or(before.clone(), |is_reset| is_reset.choose(0.0, before));
        lowering.keep("input two before", older);
    }
    lowering.keep("input before", x);
    output
}
