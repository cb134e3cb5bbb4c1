//! Linear filters, made discrete by the bilinear transform (Tustin).

use super::component::Filter;
use super::lowering::{Formula, Lowering};
use crate::function::Operation;

/// Output and input of a filter: weights of the inputs and of the outputs from now and before.
struct Weights {
    inputs: Vec<Formula>,
    outputs: Vec<Formula>,
}

/// What a filter remembers: inputs and outputs of the last step and of that before.
const BEFORE: [[&str; 2]; 2] = [["input before", "output before"], ["input two before", "output two before"]];

/// In its first step a filter makes 0 and reads nothing. What it remembers is not limited by its clip.
pub(super) fn filter(lowering: &mut Lowering, filter: &Filter) -> Formula {
    let (Filter::Lag(input, _) | Filter::LeadLag(input, _) | Filter::Washout(input, _) | Filter::SecondOrder(input, _)) =
        filter;
    let Weights { inputs, outputs } = weights(lowering, filter);
    let input = lowering.after_first(input.clone(), 0.0);
    let x = lowering.keep("input", input);
    let mut parts = vec![x.clone() * inputs[0].clone()];
    for (number, [input, output]) in BEFORE.iter().enumerate().take(outputs.len()) {
        parts.push(lowering.before(input) * inputs[number + 1].clone());
        parts.push(lowering.before(output) * outputs[number].clone());
    }
    let output = lowering.after_first(Formula::made(Operation::Sum, parts), 0.0);
    let y = lowering.keep("output", output);
    for number in (0..outputs.len()).rev() {
        let newer = match number.checked_sub(1) {
            None => [x.clone(), y.clone()],
            Some(newer) => BEFORE[newer].map(|name| lowering.before(name)),
        };
        for (name, value) in BEFORE[number].into_iter().zip(newer) {
            lowering.keep(name, value);
        }
    }
    y
}

fn weights(lowering: &mut Lowering, filter: &Filter) -> Weights {
    let dt = || lowering.dt.clone();
    let number = |value: f64| Formula::Value(value);
    let (inputs, outputs, divisor) = match filter {
        Filter::Lag(_, [c1]) => {
            let turn = c1.clone() * dt();
            (vec![turn.clone(), turn.clone()], vec![number(2.0) - turn.clone()], number(2.0) + turn)
        }
        Filter::Washout(_, [c1]) => {
            let turn = c1.clone() * dt();
            (vec![number(2.0), number(-2.0)], vec![number(2.0) - turn.clone()], number(2.0) + turn)
        }
        Filter::LeadLag(_, coefficients) => {
            let [c1, c2, c3, c4] = coefficients.clone();
            let (lead, turn) = (c1 * 2.0, c2 * dt());
            let (lag, back) = (c3 * 2.0, c4 * dt());
            let inputs = vec![lead.clone() + turn.clone(), turn - lead];
            (inputs, vec![lag.clone() - back.clone()], lag + back)
        }
        Filter::SecondOrder(_, coefficients) => {
            let [c1, c2, c3, c4, c5, c6] = coefficients.clone();
            // A polynomial of s at 2/dt, between, and at -2/dt.
            let at = |square: Formula, line: Formula, constant: Formula| {
                let (square, line, constant) = (square * 4.0, line * (dt() * 2.0), constant * (dt() * dt()));
                let ends = square.clone() + constant.clone();
                [ends.clone() + line.clone(), constant * 2.0 - square * 2.0, ends - line]
            };
            let inputs = at(c1, c2, c3);
            let [divisor, before, two_before] = at(c4, c5, c6);
            (inputs.to_vec(), vec![before * -1.0, two_before * -1.0], divisor)
        }
    };
    let divisor = lowering.keep("divisor", divisor);
    let mut share = |what: &str, all: Vec<Formula>| {
        let all = all.into_iter().enumerate();
        all.map(|(number, one)| lowering.keep(&format!("{what} {number}"), one / divisor.clone())).collect()
    };
    Weights { inputs: share("input weight", inputs), outputs: share("output weight", outputs) }
}
