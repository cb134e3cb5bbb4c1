//! How many operations an expression is, what it is made of aside.

use naga::{BinaryOperator, Expression, MathFunction, ScalarKind, TypeInner};

use super::{CountError, Operations};

/// Numbers in f32 of a value; 0 where it has others, or is no value.
fn lanes(value: &TypeInner) -> u32 {
    let (scalar, lanes) = match *value {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as u32),
        TypeInner::Matrix { columns, rows, scalar } => (scalar, columns as u32 * rows as u32),
        _ => return 0,
    };
    if scalar.kind == ScalarKind::Float { lanes } else { 0 }
}

fn additions(count: u32) -> Operations {
    Operations { additions: f64::from(count), ..Operations::default() }
}

fn multiplications(count: u32) -> Operations {
    Operations { multiplications: f64::from(count), ..Operations::default() }
}

fn divisions(count: u32) -> Operations {
    Operations { divisions: f64::from(count), ..Operations::default() }
}

fn comparisons(count: u32) -> Operations {
    Operations { comparisons: f64::from(count), ..Operations::default() }
}

/// A number of inner products, each of a number of pairs.
fn inner_products(count: u32, pairs: u32) -> Operations {
    multiplications(count * pairs) + additions(count * pairs.saturating_sub(1))
}

/// Operations of an expression whose parts have these types.
pub(super) fn operations<'a, T>(expression: &Expression, type_of: T) -> Result<Operations, CountError>
where
    T: Fn(naga::Handle<Expression>) -> &'a TypeInner,
{
    match *expression {
        Expression::Binary { op, left, right } => Ok(of_operator(op, type_of(left), type_of(right))),
        Expression::Select { accept, .. } => Ok(comparisons(lanes(type_of(accept)))),
        Expression::Math { fun, arg, .. } => of_function(fun, lanes(type_of(arg))),
        _ => Ok(Operations::default()),
    }
}

fn of_operator(operator: BinaryOperator, left: &TypeInner, right: &TypeInner) -> Operations {
    let count = lanes(left).max(lanes(right));
    match operator {
        _ if count == 0 => Operations::default(),
        BinaryOperator::Add | BinaryOperator::Subtract => additions(count),
        BinaryOperator::Multiply => product(left, right),
        BinaryOperator::Divide | BinaryOperator::Modulo => divisions(count),
        // Of numbers these are all that is left.
        _ => comparisons(count),
    }
}

fn product(left: &TypeInner, right: &TypeInner) -> Operations {
    match (left, right) {
        (TypeInner::Matrix { columns, rows, .. }, TypeInner::Vector { .. }) => {
            inner_products(*rows as u32, *columns as u32)
        }
        (TypeInner::Vector { .. }, TypeInner::Matrix { columns, rows, .. }) => {
            inner_products(*columns as u32, *rows as u32)
        }
        (TypeInner::Matrix { columns, rows, .. }, TypeInner::Matrix { columns: others, .. }) => {
            inner_products(*rows as u32 * *others as u32, *columns as u32)
        }
        _ => multiplications(lanes(left).max(lanes(right))),
    }
}

/// Operations of a built-in function whose first argument has this many components.
fn of_function(function: MathFunction, count: u32) -> Result<Operations, CountError> {
    use MathFunction as F;
    Ok(match function {
        // Of integers, or of matrices that are read another way.
        _ if count == 0 => Operations::default(),
        F::Abs | F::Round | F::Floor | F::Ceil | F::Trunc | F::Transpose => Operations::default(),
        F::Min | F::Max | F::Sign | F::Step => comparisons(count),
        F::Clamp | F::Saturate => comparisons(2 * count),
        F::Fma => multiplications(count) + additions(count),
        F::Sqrt | F::InverseSqrt => divisions(count),
        F::Dot => inner_products(1, count),
        F::Cross => multiplications(6) + additions(3),
        F::Length => inner_products(1, count) + divisions(1),
        F::Distance => additions(count) + inner_products(1, count) + divisions(1),
        // Over the length, lane by lane.
        F::Normalize => inner_products(1, count) + divisions(1 + count),
        unknown => return Err(CountError::Unknown(format!("{unknown:?}"))),
    })
}
