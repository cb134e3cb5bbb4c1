//! What happens to what a law makes: delays and limits.

use super::component::{Clip, Component, Delay};
use super::lowering::{ControlFault, Formula, Lowering};
use crate::function::Operation;

/// Most steps of a delay: each is a number that is kept.
pub(super) const MAX_DELAY: f64 = 512.0;
/// Ends the name of what is made only where something reads it: whether an actuator is at a limit.
pub(super) const SATURATED: &str = "/saturated";

impl Lowering {
    /// Steps of the component's delay.
    pub(super) fn delay(&self, component: &Component) -> Result<usize, ControlFault> {
        let steps = match component.delay {
            None => return Ok(0),
            Some(Delay::Steps(steps)) => steps.trunc(),
            Some(Delay::Time(time)) => (time / self.length).trunc(),
        };
        if (0.0..=MAX_DELAY).contains(&steps) {
            return Ok(steps as usize);
        }
        Err(ControlFault::Delay { place: component.place.clone(), name: component.name.clone(), steps })
    }

    /// A value of `steps` - 1 steps ago.
    pub(super) fn delayed(&mut self, value: Formula, steps: usize) -> Formula {
        if steps < 2 {
            return value;
        }
        let slot = |number: usize| format!("delayed by {number}");
        let value = self.keep("undelayed", value);
        let last = self.before(&slot(steps - 1));
        let output = self.keep("delayed", last);
        for number in (2..steps).rev() {
            let younger = self.before(&slot(number - 1));
            self.keep(&slot(number), younger);
        }
        self.keep(&slot(1), value);
        output
    }

    pub(super) fn clipped(&mut self, output: Formula, Clip { low, high, is_cyclic }: &Clip) -> Formula {
        let held = |output: Formula| within(output, low.clone(), high.clone());
        let range = high.clone() - low.clone();
        let number =
            if let (Formula::Value(low), Formula::Value(high)) = (low, high) { Some(high - low) } else { None };
        match (number, is_cyclic) {
            (Some(range), _) if range < 0.0 => return output,
            (Some(_), false) | (Some(0.0), true) => return held(output),
            _ => {}
        }
        let output = self.keep("unclipped", output);
        let limited = if *is_cyclic {
            let inside = Formula::made(Operation::Remainder, [output.clone() - low.clone(), range.clone()]);
            let turned = self.keep("turned", inside + low.clone());
            turned.clone().less(low.clone()).choose(turned.clone() + range.clone(), turned)
        } else {
            held(output.clone())
        };
        if number.is_some() {
            return limited;
        }
        let is_point = Formula::made(Operation::Equal, [range, 0.0.into()]);
        let limited = if *is_cyclic { is_point.choose(held(output.clone()), limited) } else { limited };
        high.clone().less(low.clone()).choose(output, limited)
    }

    /// Whether an actuator is at a limit that is not 0.
    pub(super) fn saturation(&mut self, component: &Component) {
        let Some(Clip { low, high, .. }) = &component.clip else { return };
        let output = || Formula::of(&component.name);
        let at = |operation, limit: &Formula| {
            let is_limit = Formula::made(Operation::NotEqual, [limit.clone(), 0.0.into()]);
            Formula::made(Operation::And, [Formula::made(operation, [output(), limit.clone()]), is_limit])
        };
        let both = [at(Operation::GreaterOrEqual, high), at(Operation::LessOrEqual, low)];
        self.set(&format!("{}{SATURATED}", component.name), Formula::made(Operation::Or, both));
    }
}

/// A value held between two.
pub(super) fn within(value: Formula, low: Formula, high: Formula) -> Formula {
    let above = Formula::made(Operation::Maximum, [value, low]);
    Formula::made(Operation::Minimum, [above, high])
}
