//! What operations come to where some of their arguments are known.
//!
//! There are two ways. [`simplified`] makes the formulas that all engines evaluate: there a sum with 0 may have the other zero's sign, a
//! product with 0 is 0 even of what is infinite, and a quotient by a number is a product with its inverse, within a rounding.
//! [`folded`] is for one engine's own use of a formula that others evaluate as it is: its value has the same bits, whatever the row
//! has.

use super::{Expression, Operation};

/// The simplest expression for what an operation makes of these.
pub(super) fn simplified<P: PartialEq>(operation: Operation, arguments: Vec<Expression<P>>) -> Expression<P> {
    let arguments = flat(operation, arguments);
    if let Some(numbers) = numbers(&arguments) {
        return Expression::Value(operation.of(&numbers));
    }
    match operation {
        Operation::Sum | Operation::Difference => without(operation, arguments, |one| is(one, 0.0)),
        Operation::Product if arguments.iter().any(|one| is(one, 0.0)) => Expression::Value(0.0),
        Operation::Product => without(operation, first_numbers_together(operation, arguments), |one| is(one, 1.0)),
        Operation::Quotient => quotient(arguments),
        Operation::IfThen => choice(arguments),
        Operation::Minimum | Operation::Maximum | Operation::Average => single(operation, arguments),
        _ => Expression::Operation(operation, arguments),
    }
}

/// The simplest expression that has the bits of what an operation makes of these. Zeros stay in sums, where they make 0 of -0, and
/// in products, where they make NaN of what is infinite.
pub(super) fn folded<P: PartialEq>(operation: Operation, arguments: Vec<Expression<P>>) -> Expression<P> {
    let arguments = flat(operation, arguments);
    if let Some(numbers) = numbers(&arguments) {
        return Expression::Value(operation.of(&numbers));
    }
    match operation {
        Operation::Sum => single(operation, first_numbers_together(operation, arguments)),
        // Less 0 is the number itself; less -0 it is 0 where it is -0.
        Operation::Difference => without(operation, first_numbers_together(operation, arguments), is_positive_zero),
        Operation::Product => without(operation, first_numbers_together(operation, arguments), |one| is(one, 1.0)),
        Operation::IfThen => choice(arguments),
        Operation::Minimum | Operation::Maximum | Operation::Average => single(operation, arguments),
        _ => Expression::Operation(operation, arguments),
    }
}

/// The numbers that expressions are, if all are numbers.
pub(super) fn numbers<P>(expressions: &[Expression<P>]) -> Option<Vec<f64>> {
    let number = |expression: &Expression<P>| match expression {
        Expression::Value(value) => Some(*value),
        _ => None,
    };
    expressions.iter().map(number).collect()
}

fn is<P>(expression: &Expression<P>, number: f64) -> bool {
    matches!(expression, Expression::Value(value) if *value == number)
}

fn is_positive_zero<P>(expression: &Expression<P>) -> bool {
    matches!(expression, Expression::Value(value) if value.to_bits() == 0)
}

/// An operation that begins with what the same operation has made goes on with it.
fn flat<P>(operation: Operation, mut arguments: Vec<Expression<P>>) -> Vec<Expression<P>> {
    let goes_on = matches!(operation, Operation::Sum | Operation::Difference | Operation::Product);
    if goes_on && matches!(&arguments[0], Expression::Operation(own, _) if *own == operation) {
        let Expression::Operation(_, first) = arguments.remove(0) else { return arguments };
        arguments.splice(0..0, first);
    }
    arguments
}

/// Without arguments that change nothing. What is first in a difference stays.
fn without<P>(
    operation: Operation,
    arguments: Vec<Expression<P>>,
    is_idle: impl Fn(&Expression<P>) -> bool,
) -> Expression<P> {
    let always = usize::from(operation == Operation::Difference);
    let mut kept = arguments;
    let mut number = 0;
    kept.retain(|one| {
        number += 1;
        number <= always || !is_idle(one)
    });
    single(operation, kept)
}

fn single<P>(operation: Operation, mut arguments: Vec<Expression<P>>) -> Expression<P> {
    match arguments.len() {
        1 => arguments.remove(0),
        _ => Expression::Operation(operation, arguments),
    }
}

/// Numbers with which a sum, a difference or a product begins, as one.
fn first_numbers_together<P>(operation: Operation, mut arguments: Vec<Expression<P>>) -> Vec<Expression<P>> {
    while let [Expression::Value(first), Expression::Value(second), ..] = arguments[..] {
        arguments.splice(0..2, [Expression::Value(operation.of(&[first, second]))]);
    }
    arguments
}

fn quotient<P>(mut arguments: Vec<Expression<P>>) -> Expression<P> {
    match arguments[1] {
        Expression::Value(by) if by.is_normal() && by.recip().is_normal() => {
            arguments[1] = Expression::Value(by.recip());
            Expression::Operation(Operation::Product, arguments)
        }
        _ => Expression::Operation(Operation::Quotient, arguments),
    }
}

fn choice<P: PartialEq>(mut arguments: Vec<Expression<P>>) -> Expression<P> {
    if let Expression::Value(truth) = arguments[0] {
        // What it chooses of places tells what it is.
        let chosen = Operation::IfThen.of(&[truth, 1.0, 2.0]);
        return if chosen.is_nan() { Expression::Value(chosen) } else { arguments.remove(chosen as usize) };
    }
    let compares = |operation: &Operation| {
        matches!(operation, Operation::Less | Operation::LessOrEqual | Operation::Greater | Operation::GreaterOrEqual)
    };
    let is_truth = matches!(&arguments[0], Expression::Operation(operation, _) if compares(operation));
    if is_truth && arguments[1].is_same(&arguments[2]) {
        return arguments.remove(1);
    }
    Expression::Operation(Operation::IfThen, arguments)
}
