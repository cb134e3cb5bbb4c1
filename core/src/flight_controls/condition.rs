//! Components that decide.

use super::component::Case;
use super::lowering::{Formula, Lowering};
use crate::function::Operation;

/// The value of the first case that holds.
pub(super) fn switch(cases: &[(Formula, Formula)], default: &Formula) -> Formula {
    cases
        .iter()
        .rev()
        .fold(default.clone(), |others, (condition, value)| condition.clone().choose(value.clone(), others))
}

/// Sets what cases that hold set. Later cases see what earlier ones have set.
pub(super) fn distribute(lowering: &mut Lowering, is_exclusive: bool, cases: &[Case]) {
    let mut done = None;
    for (number, Case { condition, values }) in cases.iter().enumerate() {
        let holds = condition.clone().map(|condition| {
            let holds = match &done {
                Some(done) if is_exclusive => {
                    let others = Formula::made(Operation::Not, [Formula::clone(done)]);
                    Formula::made(Operation::And, [condition, others])
                }
                _ => condition,
            };
            lowering.keep(&format!("case {number}"), holds)
        });
        if let Some(holds) = &holds {
            done = Some(match done {
                Some(done) => {
                    let any = Formula::made(Operation::Or, [done, holds.clone()]);
                    lowering.keep(&format!("done by case {number}"), any)
                }
                None => holds.clone(),
            });
        }
        for (name, value) in values {
            let value = match &holds {
                Some(holds) => holds.clone().choose(value.clone(), name.as_str()),
                None => value.clone(),
            };
            lowering.set(name, value);
        }
    }
}
