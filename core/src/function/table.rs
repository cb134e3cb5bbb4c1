//! Tables of one to four arguments.

use thiserror::Error;

/// Values over one argument or more. Ends hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Table {
    /// Over one argument.
    Line {
        /// Increasing.
        points: Vec<f64>,
        /// One for each point.
        values: Vec<f64>,
    },
    /// Over two: a row's first, a column's second.
    Grid {
        /// Increasing.
        rows: Vec<f64>,
        /// Increasing.
        columns: Vec<f64>,
        /// Row by row.
        values: Vec<f64>,
    },
    /// Tables over all arguments but the last, linear in the last between them.
    Blocks {
        /// Increasing.
        points: Vec<f64>,
        /// One for each point; each has points of its own.
        tables: Vec<Table>,
    },
}

/// Why numbers are no table.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TableFault {
    /// Nothing to look up.
    #[error("a table must have at least one point of each argument")]
    Empty,
    /// Points that go back or stay.
    #[error("points of a table must increase, and {after} follows {before}")]
    Order {
        /// A point.
        before: f64,
        /// The next.
        after: f64,
    },
    /// Numbers that are none.
    #[error("numbers of a table must be finite")]
    NotFinite,
    /// Too many values, or too few.
    #[error("a table of {points} points must have as many values, and has {values}")]
    Count {
        /// Points.
        points: usize,
        /// Values.
        values: usize,
    },
    /// Blocks over different numbers of arguments.
    #[error("blocks of a table must be over the same number of arguments, from one to three")]
    Arguments,
}

impl Table {
    /// Whether another is the same to the bits of its numbers: what has a zero of the other sign is another.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let same =
            |some: &[f64], others: &[f64]| some.iter().map(|x| x.to_bits()).eq(others.iter().map(|x| x.to_bits()));
        match (self, other) {
            (Self::Line { points, values }, Self::Line { points: other_points, values: others }) => {
                same(points, other_points) && same(values, others)
            }
            (
                Self::Grid { rows, columns, values },
                Self::Grid { rows: other_rows, columns: other_columns, values: others },
            ) => same(rows, other_rows) && same(columns, other_columns) && same(values, others),
            (Self::Blocks { points, tables }, Self::Blocks { points: other_points, tables: others }) => {
                let all =
                    tables.len() == others.len() && tables.iter().zip(others).all(|(own, other)| own.is_same(other));
                same(points, other_points) && all
            }
            _ => false,
        }
    }

    /// How many arguments it takes.
    #[must_use]
    pub fn arguments(&self) -> usize {
        match self {
            Self::Line { .. } => 1,
            Self::Grid { .. } => 2,
            Self::Blocks { tables, .. } => 1 + tables.first().map_or(0, Self::arguments),
        }
    }

    /// How many numbers it holds.
    #[must_use]
    pub fn numbers(&self) -> usize {
        match self {
            Self::Line { points, values } => points.len() + values.len(),
            Self::Grid { rows, columns, values } => rows.len() + columns.len() + values.len(),
            Self::Blocks { points, tables } => points.len() + tables.iter().map(Self::numbers).sum::<usize>(),
        }
    }

    /// Checks what every lookup takes for granted.
    ///
    /// # Errors
    /// If it is empty, its points do not increase, a number is not finite, or values are missing.
    pub fn check(&self) -> Result<(), TableFault> {
        let counted = |points: usize, values: &[f64]| match values.len() == points {
            true if values.iter().all(|value| value.is_finite()) => Ok(()),
            true => Err(TableFault::NotFinite),
            false => Err(TableFault::Count { points, values: values.len() }),
        };
        match self {
            Self::Line { points, values } => {
                increasing(points)?;
                counted(points.len(), values)
            }
            Self::Grid { rows, columns, values } => {
                increasing(rows)?;
                increasing(columns)?;
                counted(rows.len() * columns.len(), values)
            }
            Self::Blocks { points, tables } => {
                increasing(points)?;
                if points.len() != tables.len() {
                    return Err(TableFault::Count { points: points.len(), values: tables.len() });
                }
                let arguments = tables[0].arguments();
                if arguments > 3 || tables.iter().any(|table| table.arguments() != arguments) {
                    return Err(TableFault::Arguments);
                }
                tables.iter().try_for_each(Self::check)
            }
        }
    }

    /// The value at these arguments; NaN where one of them is.
    ///
    /// # Panics
    /// With fewer arguments than it takes.
    #[must_use]
    pub fn value(&self, arguments: &[f64]) -> f64 {
        match self {
            Self::Line { points, values } => on_line(points, values, arguments[0]),
            Self::Grid { rows, columns, values } => {
                let (row, share) = cell(rows, arguments[0]);
                let (column, across) = cell(columns, arguments[1]);
                let at = |row: usize, column: usize| values[row * columns.len() + column];
                let next = |number: usize, of: &[f64]| (number + 1).min(of.len() - 1);
                let along = |column| share * at(next(row, rows), column) + (1.0 - share) * at(row, column);
                let first = along(column);
                first + across * (along(next(column, columns)) - first)
            }
            Self::Blocks { points, tables } => {
                let last = arguments[self.arguments() - 1];
                let (number, share) = cell(points, last);
                let value = tables[number].value(arguments);
                if share == 0.0 {
                    return value;
                }
                let next = tables[(number + 1).min(tables.len() - 1)].value(arguments);
                value + (next - value) * share
            }
        }
    }
}

fn increasing(points: &[f64]) -> Result<(), TableFault> {
    if points.is_empty() {
        return Err(TableFault::Empty);
    }
    if points.iter().any(|point| !point.is_finite()) {
        return Err(TableFault::NotFinite);
    }
    match points.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(TableFault::Order { before: pair[0], after: pair[1] }),
        None => Ok(()),
    }
}

fn on_line(points: &[f64], values: &[f64], x: f64) -> f64 {
    let last = points.len() - 1;
    if x <= points[0] {
        return values[0];
    }
    if x >= points[last] {
        return values[last];
    }
    if x.is_nan() {
        return x;
    }
    let after = points.partition_point(|&point| point < x);
    let before = after - 1;
    (x - points[before]) / (points[after] - points[before]) * (values[after] - values[before]) + values[before]
}

/// The cell of an argument, and its share of the way through it, held within; NaN where the argument is.
fn cell(points: &[f64], x: f64) -> (usize, f64) {
    if points.len() == 1 {
        return (0, if x.is_nan() { x } else { 0.0 });
    }
    let number = points.partition_point(|&point| point < x).clamp(1, points.len() - 1) - 1;
    (number, ((x - points[number]) / (points[number + 1] - points[number])).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_of_the_other_sign_makes_another_table() {
        let line = |value: f64| Table::Line { points: vec![0.0, 1.0], values: vec![value, 1.0] };
        let blocks = |value: f64| Table::Blocks { points: vec![0.0], tables: vec![line(value)] };
        assert!(line(0.0).is_same(&line(0.0)) && !line(0.0).is_same(&line(-0.0)));
        assert!(blocks(0.0).is_same(&blocks(0.0)) && !blocks(0.0).is_same(&blocks(-0.0)));
    }

    #[test]
    fn a_table_has_no_number_where_an_argument_is_none_however_few_points_that_has() {
        let line = Table::Line { points: vec![0.0], values: vec![7.0] };
        let row = Table::Grid { rows: vec![0.0], columns: vec![0.0, 1.0], values: vec![7.0, 7.0] };
        let column = Table::Grid { rows: vec![0.0, 1.0], columns: vec![0.0], values: vec![7.0, 7.0] };
        let block = Table::Blocks { points: vec![0.0], tables: vec![row.clone()] };
        let blocks = Table::Blocks { points: vec![0.0, 1.0], tables: vec![column.clone(), column.clone()] };
        for table in [line, row, column, block, blocks] {
            let arguments = vec![0.25; table.arguments()];
            assert_eq!(table.value(&arguments), 7.0, "{table:?}");
            for place in 0..arguments.len() {
                for (argument, is_number) in [(f64::NAN, false), (f64::INFINITY, true), (f64::NEG_INFINITY, true)] {
                    let mut changed = arguments.clone();
                    changed[place] = argument;
                    let value = table.value(&changed);
                    assert_eq!(value == 7.0, is_number, "{table:?} {changed:?}: {value}");
                    assert_eq!(value.is_nan(), !is_number, "{table:?} {changed:?}: {value}");
                }
            }
        }
    }
}
