//! Words of functions, eight rows at a time.
//!
//! # Conventions
//! The bits of [`Operation::of`](crate::function::Operation::of) and [`Table::value`](crate::function::Table::value): the same operations in the same order, selection in place of
//! branches, and where a function is not made of such operations, itself, lane by lane.

use crate::elementary::{atan2, sin_cos};
use crate::function::{Binary, Leaf, Operation, Table, Word, Words};
use crate::lanes::LANES;
use crate::simd::{F64x8, Simd};

/// Numbers nearer to a truth than this are that truth.
const TRUTH: f64 = 1e-9;

/// Runs words over rows of eight. `stack` has room for [`Words::depth`] and one.
#[inline(always)]
pub(in crate::native) fn run<S: Simd>(simd: S, words: &Words, row: &mut [F64x8<S>], stack: &mut [F64x8<S>]) {
    // What was left last is not on the stack; what it pushes there before the first word is of no use.
    let (mut last, mut top) = (F64x8::zero(simd), 0);
    for word in words.words() {
        match *word {
            Word::Load(leaf) => {
                stack[top] = last;
                top += 1;
                last = at_hand(simd, leaf, row);
            }
            Word::Both(binary) => {
                top -= 1;
                last = both(binary, stack[top], last);
            }
            Word::With(binary, leaf) => last = both(binary, last, at_hand(simd, leaf, row)),
            Word::Operation(operation, arguments) => {
                stack[top] = last;
                top = top + 1 - arguments;
                last = apply(operation, &stack[top..top + arguments]);
            }
            Word::Table(number) => {
                let table = &*words.tables()[number];
                let arguments = table.arguments();
                stack[top] = last;
                top = top + 1 - arguments;
                last = look_up(table, &stack[top..top + arguments]);
            }
            Word::Keep(place) => {
                row[place] = last;
                top = 0;
            }
        }
    }
}

#[inline(always)]
fn at_hand<S: Simd>(simd: S, leaf: Leaf, row: &[F64x8<S>]) -> F64x8<S> {
    match leaf {
        Leaf::Value(value) => F64x8::splat(simd, value),
        Leaf::Property(place) => row[place],
        Leaf::Negative(place) => -row[place],
    }
}

#[inline(always)]
fn both<S: Simd>(binary: Binary, first: F64x8<S>, second: F64x8<S>) -> F64x8<S> {
    let (one, zero) = (first.like(1.0), first.like(0.0));
    match binary {
        Binary::Add => first + second,
        Binary::Subtract => first - second,
        Binary::Multiply => first * second,
        Binary::Minimum => second.lt(first).select(second, first),
        Binary::Maximum => second.gt(first).select(second, first),
        Binary::Less => first.lt(second).select(one, zero),
        Binary::LessOrEqual => first.le(second).select(one, zero),
        Binary::Greater => first.gt(second).select(one, zero),
        Binary::GreaterOrEqual => first.ge(second).select(one, zero),
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
    let (mut few, mut many) = ([0.0; 4], Vec::new());
    let numbers = match few.get_mut(..arguments.len()) {
        Some(numbers) => numbers,
        None => {
            many.resize(arguments.len(), 0.0);
            &mut many[..]
        }
    };
    for (lane, result) in results.iter_mut().enumerate() {
        numbers.iter_mut().zip(arguments).for_each(|(number, argument)| *number = argument.get(lane));
        *result = operation.of(numbers);
    }
    F64x8::from_array(arguments[0].simd(), results)
}

#[inline(always)]
fn look_up<S: Simd>(table: &Table, arguments: &[F64x8<S>]) -> F64x8<S> {
    match table {
        Table::Line { points, values } => on_line(points, values, arguments[0]),
        Table::Grid { rows, columns, values } => on_grid(rows, columns, values, [arguments[0], arguments[1]]),
        Table::Blocks { .. } => {
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

/// The four corners of each lane's cell, and between them.
#[inline(always)]
fn on_grid<S: Simd>(rows: &[f64], columns: &[f64], values: &[f64], [x, y]: [F64x8<S>; 2]) -> F64x8<S> {
    let (row, share) = cells(rows, x);
    let (column, across) = cells(columns, y);
    let mut corners = [[0.0; LANES]; 4];
    for lane in 0..LANES {
        let (row, column) = (row[lane] as usize, column[lane] as usize);
        let (next_row, next_column) = ((row + 1).min(rows.len() - 1), (column + 1).min(columns.len() - 1));
        corners[0][lane] = values[row * columns.len() + column];
        corners[1][lane] = values[next_row * columns.len() + column];
        corners[2][lane] = values[row * columns.len() + next_column];
        corners[3][lane] = values[next_row * columns.len() + next_column];
    }
    let at = |corner: [f64; LANES]| F64x8::from_array(x.simd(), corner);
    let first = share * at(corners[1]) + (1.0 - share) * at(corners[0]);
    let second = share * at(corners[3]) + (1.0 - share) * at(corners[2]);
    first + across * (second - first)
}

/// The cells of arguments, and their shares of the way through them, held within.
#[inline(always)]
fn cells<S: Simd>(points: &[f64], x: F64x8<S>) -> ([f64; LANES], F64x8<S>) {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    if points.len() == 1 {
        return ([0.0; LANES], zero);
    }
    let (mut number, mut from, mut to) = (zero, x.like(points[0]), x.like(points[1]));
    for point in 1..points.len() - 1 {
        let is_beyond = x.gt(x.like(points[point]));
        number = is_beyond.select(x.like(point as f64), number);
        from = is_beyond.select(x.like(points[point]), from);
        to = is_beyond.select(x.like(points[point + 1]), to);
    }
    let share = (x - from) / (to - from);
    let share = share.lt(zero).select(zero, share);
    (number.to_array(), share.gt(one).select(one, share))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::function::Expression;
    use crate::simd::{InRegisters, in_registers};

    /// Properties of a row before what is made of it.
    const GIVEN: usize = 3;

    struct Eight<'a> {
        words: &'a Words,
        rows: [[f64; GIVEN]; LANES],
    }

    impl InRegisters for Eight<'_> {
        type Output = [f64; LANES];
        fn run<S: Simd>(self, simd: S) -> [f64; LANES] {
            let of = |place: usize| F64x8::from_array(simd, std::array::from_fn(|lane| self.rows[lane][place]));
            let mut row = [of(0), of(1), of(2), F64x8::zero(simd)];
            let mut stack = vec![F64x8::zero(simd); self.words.depth() + 1];
            run(simd, self.words, &mut row, &mut stack);
            row[GIVEN].to_array()
        }
    }

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            -3.0..3.0,
            prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(-1.0), Just(0.5), Just(2.0)],
            prop_oneof![Just(f64::INFINITY), Just(f64::NAN), Just(1e300), Just(1e-300), Just(1e-9)],
        ]
    }

    fn points(count: usize) -> impl Strategy<Value = Vec<f64>> {
        (-2.0..0.0, prop::collection::vec(0.01..1.0, count)).prop_map(|(first, steps): (f64, Vec<f64>)| {
            steps.iter().scan(first, |point, step| Some(std::mem::replace(point, *point + step))).collect()
        })
    }

    fn line() -> impl Strategy<Value = Table> {
        (1_usize..7).prop_flat_map(|count| {
            let values = prop::collection::vec(-2.0..2.0, count);
            (points(count), values).prop_map(|(points, values)| Table::Line { points, values })
        })
    }

    fn grid() -> impl Strategy<Value = Table> {
        (1_usize..4, 1_usize..4).prop_flat_map(|(rows, columns)| {
            let values = prop::collection::vec(-2.0..2.0, rows * columns);
            let all = (points(rows), points(columns), values);
            all.prop_map(|(rows, columns, values)| Table::Grid { rows, columns, values })
        })
    }

    fn expression() -> impl Strategy<Value = Expression<usize>> {
        let leaf = prop_oneof![
            number().prop_map(Expression::Value),
            (0..GIVEN).prop_map(Expression::Property),
            (0..GIVEN).prop_map(Expression::Negative),
        ];
        leaf.prop_recursive(5, 40, 5, |inner| {
            let operation =
                (0..Operation::ALL.len(), 1_usize..6).prop_filter_map("takes so many", |(number, arguments)| {
                    let operation = Operation::ALL[number].0;
                    let [least, most] = [*operation.arguments().start(), *operation.arguments().end()];
                    let arguments = arguments.clamp(least, most.max(least));
                    operation.takes(arguments).then_some((operation, arguments))
                });
            let blocks = (grid(), grid())
                .prop_map(|(low, high)| Table::Blocks { points: vec![-0.5, 0.75], tables: vec![low, high] });
            let by = prop::collection::vec(inner.clone(), 3);
            prop_oneof![
                3 => (operation, prop::collection::vec(inner, 6)).prop_map(|((operation, count), mut arguments)| {
                    arguments.truncate(count);
                    Expression::Operation(operation, arguments)
                }),
                1 => (prop_oneof![2 => line(), 1 => grid(), 1 => blocks], by).prop_map(|(table, mut by)| {
                    by.truncate(table.arguments());
                    Expression::Table(Arc::new(table), by)
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn words_in_lanes_have_the_bits_of_the_tree(
            expression in expression(),
            rows in prop::collection::vec(prop::collection::vec(number(), GIVEN), LANES),
        ) {
            let rows: [[f64; GIVEN]; LANES] = std::array::from_fn(|lane| std::array::from_fn(|place| rows[lane][place]));
            let words = Words::compile([(GIVEN, &expression)]);
            let found = in_registers(Eight { words: &words, rows });
            for (lane, row) in rows.iter().enumerate() {
                let value = expression.value(row);
                let same = found[lane].to_bits() == value.to_bits() || found[lane].is_nan() && value.is_nan();
                prop_assert!(same, "lane {lane}: {} instead of {value}", found[lane]);
            }
        }
    }
}

#[cfg(test)]
mod flight_controls;
