//! Words of functions, eight rows at a time.
//!
//! # Conventions
//! The bits of [`Operation::of`](crate::function::Operation::of) and [`Table::value`](crate::function::Table::value): the same operations in the same order, selection in place of
//! branches, and where a function is not made of such operations, itself, lane by lane.

use crate::elementary::{atan2, sin_cos};
use crate::function::{Operation, Table, Word, Words};
use crate::lanes::LANES;
use crate::simd::{F64x8, Simd};

/// Numbers nearer to a truth than this are that truth.
const TRUTH: f64 = 1e-9;

/// Runs words over rows of eight. `stack` has room for [`Words::depth`].
#[inline(always)]
pub fn run<S: Simd>(simd: S, words: &Words, row: &mut [F64x8<S>], stack: &mut [F64x8<S>]) {
    let mut top = 0;
    for word in words.words() {
        match *word {
            Word::Value(value) => {
                stack[top] = F64x8::splat(simd, value);
                top += 1;
            }
            Word::Property(place) => {
                stack[top] = row[place];
                top += 1;
            }
            Word::Negative(place) => {
                stack[top] = -row[place];
                top += 1;
            }
            Word::Add => {
                top -= 1;
                stack[top - 1] = stack[top - 1] + stack[top];
            }
            Word::Subtract => {
                top -= 1;
                stack[top - 1] = stack[top - 1] - stack[top];
            }
            Word::Multiply => {
                top -= 1;
                stack[top - 1] = stack[top - 1] * stack[top];
            }
            Word::Operation(operation, arguments) => {
                top -= arguments;
                stack[top] = apply(operation, &stack[top..top + arguments]);
                top += 1;
            }
            Word::Table(number) => {
                let table = &*words.tables()[number];
                top -= table.arguments();
                stack[top] = look_up(table, &stack[top..top + table.arguments()]);
                top += 1;
            }
            Word::Keep(place) => {
                top -= 1;
                row[place] = stack[top];
            }
        }
    }
}

#[inline(always)]
fn apply<S: Simd>(operation: Operation, arguments: &[F64x8<S>]) -> F64x8<S> {
    let first = arguments[0];
    let (zero, one) = (first.like(0.0), first.like(1.0));
    match operation {
        Operation::Quotient => {
            let by = arguments[1];
            by.eq(zero).select(first.like(f64::INFINITY), first / by)
        }
        Operation::SquareRoot => first.lt(zero).select(first.like(f64::NEG_INFINITY), first.sqrt()),
        Operation::Magnitude => first.abs(),
        Operation::Sine => sin_cos(first).0,
        Operation::Cosine => sin_cos(first).1,
        Operation::ArcTangent2 => atan2(first, arguments[1]),
        Operation::Minimum => {
            let mut least = first;
            for &other in &arguments[1..] {
                least = other.lt(least).select(other, least);
            }
            least
        }
        Operation::Maximum => {
            let mut greatest = first;
            for &other in &arguments[1..] {
                greatest = other.gt(greatest).select(other, greatest);
            }
            greatest
        }
        Operation::Less => first.lt(arguments[1]).select(one, zero),
        Operation::LessOrEqual => first.le(arguments[1]).select(one, zero),
        Operation::Greater => first.gt(arguments[1]).select(one, zero),
        Operation::GreaterOrEqual => first.ge(arguments[1]).select(one, zero),
        Operation::IfThen => {
            let is_true = (first - one).abs().lt(first.like(TRUTH));
            let is_false = first.abs().lt(first.like(TRUTH));
            is_false.select(arguments[2], is_true.select(arguments[1], first.like(f64::NAN)))
        }
        _ => lane_by_lane(operation, arguments),
    }
}

/// What has no form of its own for eight.
fn lane_by_lane<S: Simd>(operation: Operation, arguments: &[F64x8<S>]) -> F64x8<S> {
    let mut results = [0.0; LANES];
    let mut numbers = vec![0.0; arguments.len()];
    for (lane, result) in results.iter_mut().enumerate() {
        numbers.iter_mut().zip(arguments).for_each(|(number, argument)| *number = argument.get(lane));
        *result = operation.of(&numbers);
    }
    F64x8::from_array(arguments[0].simd(), results)
}

#[inline(always)]
fn look_up<S: Simd>(table: &Table, arguments: &[F64x8<S>]) -> F64x8<S> {
    match table {
        Table::Line { points, values } => on_line(points, values, arguments[0]),
        _ => {
            let mut results = [0.0; LANES];
            for (lane, result) in results.iter_mut().enumerate() {
                let mut numbers = [0.0; 4];
                numbers.iter_mut().zip(arguments).for_each(|(number, argument)| *number = argument.get(lane));
                *result = table.value(&numbers);
            }
            F64x8::from_array(arguments[0].simd(), results)
        }
    }
}

/// Goes along the points, which are few, with all lanes together.
#[inline(always)]
fn on_line<S: Simd>(points: &[f64], values: &[f64], x: F64x8<S>) -> F64x8<S> {
    let last = points.len() - 1;
    let (mut from, mut to) = (x.like(points[0]), x.like(points[last.min(1)]));
    let (mut low, mut high) = (x.like(values[0]), x.like(values[last.min(1)]));
    for point in 1..last {
        let is_beyond = x.gt(x.like(points[point]));
        from = is_beyond.select(x.like(points[point]), from);
        to = is_beyond.select(x.like(points[point + 1]), to);
        low = is_beyond.select(x.like(values[point]), low);
        high = is_beyond.select(x.like(values[point + 1]), high);
    }
    let between = (x - from) / (to - from) * (high - low) + low;
    let held = x.ge(x.like(points[last])).select(x.like(values[last]), between);
    x.le(x.like(points[0])).select(x.like(values[0]), held)
}
