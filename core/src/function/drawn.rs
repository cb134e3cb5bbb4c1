//! Expressions drawn for tests.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Expression, Operation, Table};

/// Properties of a row that expressions read.
pub const GIVEN: usize = 3;

/// Numbers, with those at which operations have their borders.
pub fn number() -> impl Strategy<Value = f64> {
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

/// Expressions over the first places of a row.
pub fn expression() -> impl Strategy<Value = Expression<usize>> {
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
