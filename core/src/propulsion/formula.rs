//! Formulas of engines, with what is constant computed at once.

use crate::elementary::sin_cos;
use crate::function::{Expression, Operation};

pub(super) type Formula = Expression<String>;

/// A product; factors of 0 and 1 leave nothing to compute.
pub(super) fn times(a: Formula, b: Formula) -> Formula {
    match (&a, &b) {
        (Expression::Value(x), Expression::Value(y)) => (x * y).into(),
        (Expression::Value(zero), _) | (_, Expression::Value(zero)) if *zero == 0.0 => 0.0.into(),
        (Expression::Value(one), _) if *one == 1.0 => b,
        (_, Expression::Value(one)) if *one == 1.0 => a,
        (Expression::Value(minus), _) if *minus == -1.0 => -b,
        (_, Expression::Value(minus)) if *minus == -1.0 => -a,
        _ => a * b,
    }
}

/// A sum; 0 adds nothing.
pub(super) fn plus(a: Formula, b: Formula) -> Formula {
    match (&a, &b) {
        (Expression::Value(x), Expression::Value(y)) => (x + y).into(),
        (Expression::Value(zero), _) if *zero == 0.0 => b,
        (_, Expression::Value(zero)) if *zero == 0.0 => a,
        _ => a + b,
    }
}

fn minus(a: Formula, b: Formula) -> Formula {
    match &b {
        Expression::Value(zero) if *zero == 0.0 => a,
        _ => plus(a, -b),
    }
}

pub(super) fn dot(a: &[Formula; 3], b: &[Formula; 3]) -> Formula {
    let parts = a.iter().zip(b).map(|(a, b)| times(a.clone(), b.clone()));
    parts.fold(Expression::Value(0.0), plus)
}

pub(super) fn cross(a: &[Formula; 3], b: &[Formula; 3]) -> [Formula; 3] {
    let part = |i: usize, j: usize| minus(times(a[i].clone(), b[j].clone()), times(a[j].clone(), b[i].clone()));
    [part(1, 2), part(2, 0), part(0, 1)]
}

pub(super) fn sum([a, b, c]: [Formula; 3], [x, y, z]: [Formula; 3]) -> [Formula; 3] {
    [plus(a, x), plus(b, y), plus(c, z)]
}

pub(super) fn scaled(vector: &[Formula; 3], by: &Formula) -> [Formula; 3] {
    vector.clone().map(|part| times(part, by.clone()))
}

pub(super) fn sine(angle: Formula) -> Formula {
    match angle {
        Expression::Value(angle) => sin_cos(angle).0.into(),
        other => other.by(Operation::Sine),
    }
}

pub(super) fn cosine(angle: Formula) -> Formula {
    match angle {
        Expression::Value(angle) => sin_cos(angle).1.into(),
        other => other.by(Operation::Cosine),
    }
}

pub(super) fn larger(a: impl Into<Formula>, b: impl Into<Formula>) -> Formula {
    Formula::made(Operation::Maximum, [a.into(), b.into()])
}

pub(super) fn smaller(a: impl Into<Formula>, b: impl Into<Formula>) -> Formula {
    Formula::made(Operation::Minimum, [a.into(), b.into()])
}

/// Whether the first is at least the second.
pub(super) fn reaches(a: impl Into<Formula>, b: impl Into<Formula>) -> Formula {
    Formula::made(Operation::GreaterOrEqual, [a.into(), b.into()])
}

pub(super) fn both(a: Formula, b: Formula) -> Formula {
    Formula::made(Operation::And, [a, b])
}

/// What moves towards a target by no more than a rate up and a rate down allow in a step.
pub(super) fn sought(value: &Formula, target: &Formula, up: Formula, down: Formula) -> Formula {
    let falls = larger(value.clone() - down * super::STEP, target.clone());
    let rises = smaller(value.clone() + up * super::STEP, target.clone());
    target.clone().less(value.clone()).choose(falls, rises)
}

/// What approaches a target with a time constant up and one down \[s\].
pub(super) fn lagged(value: &Formula, target: &Formula, up: f64, down: f64) -> Formula {
    let left = |constant: f64| (Formula::of(super::STEP) * (-1.0 / constant)).by(Operation::Exponential);
    let constant = target.clone().less(value.clone()).choose(left(down), left(up));
    (value.clone() - target.clone()) * constant + target.clone()
}
