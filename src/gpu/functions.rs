//! Code for functions of aircraft files: expressions as lines, tables as numbers beside them.
//!
//! A value that may be none on the processor's engines, where it is NaN, has a flag beside it that says so. Most values have none, and
//! most are known to be finite, of what they are made of: no code is spent on those.

mod operations;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use self::operations::{Known, Value};
use super::shader::float;
use super::wire::{BEYOND, INFINITE, LEAST_UNDEFINED, UNDEFINED, narrowed};
use crate::air_forces::OF_FLIGHT;
use crate::function::{Expression, Operation, Table};

/// What the code calls.
pub(super) fn functions() -> String {
    let numbers =
        [("BEYOND", BEYOND), ("INFINITE", INFINITE), ("UNDEFINED", UNDEFINED), ("LEAST_UNDEFINED", LEAST_UNDEFINED)];
    let numbers = numbers.map(|(name, value)| float(name, value)).concat();
    numbers + include_str!("../../shaders/functions.wgsl")
}

/// Code in the making: its lines, and the numbers of tables with where each table is.
#[derive(Default)]
pub(super) struct Code {
    lines: String,
    /// Values and flags that are named so far.
    named: usize,
    /// What is known of values in a row, by their places; of the others what is known of every number that is given.
    properties: HashMap<usize, Known>,
    /// What is above 0 where the code in the making is used.
    above_zero: Vec<Expression<usize>>,
    numbers: Vec<f32>,
    placed: Vec<(Arc<Table>, usize)>,
}

impl Code {
    /// The lines so far, and the numbers of the tables. Without tables the buffer is bound as well: it may not be empty, and the code
    /// must name it.
    pub fn finish(mut self) -> (String, Vec<f32>) {
        self.numbers.push(0.0);
        ("    _ = curves[0];\n".to_owned() + &self.lines, self.numbers)
    }

    /// A number that is given, as `r` with its place: finite. A row begins with the numbers of a flight.
    pub fn given(&mut self, place: usize, number: &str) {
        self.line(format_args!("let r{place} = {number};"));
        let is_any_of = |names: &[&str]| OF_FLIGHT.get(place).is_some_and(|name| names.contains(name));
        if is_any_of(&POSITIVE) {
            self.positive(place);
        } else if is_any_of(&NOT_NEGATIVE) {
            self.properties.insert(place, Known { is_positive: true, ..Known::default() });
        }
    }

    /// Makes known that a number that is given is above 0.
    pub fn positive(&mut self, place: usize) {
        self.properties.insert(place, Known { is_positive: true, is_never_zero: true, ..Known::default() });
    }

    /// A number that was written as [`Code::written`] says, and that may be none or infinite.
    pub fn read_back(&mut self, place: usize, number: &str) {
        self.given(place, number);
        let undefined = self.flag([format!("abs(r{place}) >= LEAST_UNDEFINED")]);
        self.properties.insert(place, Known { undefined, most: f64::INFINITY, ..Known::default() });
    }

    /// What is made in a row, each number as `r` with its place.
    pub fn row<'a>(&mut self, made: impl Iterator<Item = (usize, &'a Expression<usize>)>) {
        for (place, expression) in made {
            let Value { text, known } = self.value(expression);
            self.line(format_args!("let r{place} = {text};"));
            self.properties.insert(place, known);
        }
    }

    /// Of values in a row: whether one of them is none.
    pub fn undefined(&mut self, places: &[usize]) -> String {
        let flags: Vec<String> = places.iter().filter_map(|&place| self.property(place).undefined).collect();
        self.flag(flags).unwrap_or_else(|| "false".to_owned())
    }

    /// Whether a value in a row is a finite number, whatever is given.
    pub fn is_finite(&self, place: usize) -> bool {
        let Known { undefined, most, .. } = self.property(place);
        undefined.is_none() && most.is_finite()
    }

    /// A value in a row as it is written to memory: one that is none as `UNDEFINED`.
    pub fn written(&self, place: usize) -> String {
        let undefined = self.property(place).undefined;
        undefined.map_or(format!("r{place}"), |undefined| format!("select(r{place}, UNDEFINED, {undefined})"))
    }

    fn property(&self, place: usize) -> Known {
        self.properties.get(&place).cloned().unwrap_or_default()
    }

    /// A line of the function.
    pub fn line(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.lines, "    {line}");
    }

    /// The name of a value, which code may repeat.
    fn name(&mut self, value: &str) -> String {
        let name = format!("t{}", self.named);
        self.named += 1;
        self.line(format_args!("let {name} = {value};"));
        name
    }

    /// The name of a flag that is set where one of these is; none of none.
    fn flag(&mut self, parts: impl IntoIterator<Item = String>) -> Option<String> {
        let mut parts: Vec<String> = parts.into_iter().collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.len() == 1 && parts[0].chars().all(|letter| letter.is_ascii_alphanumeric()) {
            return parts.pop();
        }
        (!parts.is_empty()).then(|| self.name(&format!("({})", parts.join(") | ("))))
    }

    /// The value of an expression, as a name or a number.
    fn value(&mut self, expression: &Expression<usize>) -> Value {
        match expression {
            Expression::Value(value) => Value::constant(*value),
            Expression::Property(place) => Value { text: format!("r{place}"), known: self.property(*place) },
            Expression::Negative(place) => {
                let known = self.property(*place).negative();
                Value { text: format!("(-r{place})"), known }
            }
            Expression::Table(table, by) => {
                let by: Vec<Value> = by.iter().map(|argument| self.value(argument)).collect();
                let texts: Vec<&str> = by.iter().map(|argument| argument.text.as_str()).collect();
                let value = self.look_up(table, &texts.join(", "));
                let text = self.name(&value);
                let undefined = self.flag(by.into_iter().filter_map(|argument| argument.known.undefined));
                Value { text, known: Known { undefined, ..of_table(table) } }
            }
            Expression::Operation(operation, arguments) => {
                let values = self.arguments(*operation, arguments);
                let Value { text, known } = self.apply(*operation, &values);
                Value { text: self.name(&text), known }
            }
        }
    }

    /// The values of an operation's arguments, with what they are where they count.
    fn arguments(&mut self, operation: Operation, arguments: &[Expression<usize>]) -> Vec<Value> {
        let held = self.above_zero.len();
        let mut values = Vec::with_capacity(arguments.len());
        for (number, argument) in arguments.iter().enumerate() {
            // What a quotient is where its divisor is not above 0 does not count, if only the other case is chosen.
            match (operation, number) {
                (Operation::IfThen, 1) => self.above_zero.extend(above_zero(&arguments[0]).cloned()),
                (Operation::IfThen, 2) => self.above_zero.truncate(held),
                _ => {}
            }
            let mut value = self.value(argument);
            value.known.is_never_zero |= operation == Operation::Quotient && self.is_above_zero(argument);
            values.push(value);
        }
        values
    }

    fn is_above_zero(&self, expression: &Expression<usize>) -> bool {
        let is_known = self.above_zero.iter().any(|known| known.is_same(expression));
        is_known
            || match expression {
                Expression::Value(value) => *value > 0.0,
                Expression::Operation(Operation::Product | Operation::SquareRoot, arguments) => {
                    arguments.iter().all(|argument| self.is_above_zero(argument))
                }
                _ => false,
            }
    }

    fn look_up(&mut self, table: &Arc<Table>, by: &str) -> String {
        let known = self.placed.iter().find(|(known, _)| Arc::ptr_eq(known, table)).map(|(_, place)| *place);
        let place = known.unwrap_or_else(|| {
            let place = self.place(table);
            self.placed.push((table.clone(), place));
            place
        });
        match &**table {
            Table::Line { points, .. } => format!("on_line({place}u, {}u, {by})", points.len()),
            Table::Grid { rows, columns, .. } => {
                format!("on_grid({place}u, {}u, {}u, {by})", rows.len(), columns.len())
            }
            Table::Blocks { points, .. } => {
                let function = if table.arguments() == 3 { "on_blocks" } else { "on_blocks_of_blocks" };
                format!("{function}({place}u, {}u, {by})", points.len())
            }
        }
    }

    /// Appends a table; where it begins.
    fn place(&mut self, table: &Table) -> usize {
        let narrow = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<_>>();
        match table {
            Table::Line { points, values } => self.append([narrow(points), narrow(values)].concat()),
            Table::Grid { rows, columns, values } => {
                self.append([narrow(rows), narrow(columns), narrow(values)].concat())
            }
            Table::Blocks { points, tables } => {
                let heads: Vec<f32> = tables
                    .iter()
                    .flat_map(|table| {
                        let place = self.place(table);
                        let sizes = match table {
                            Table::Line { points, .. } | Table::Blocks { points, .. } => [points.len(), 0],
                            Table::Grid { rows, columns, .. } => [rows.len(), columns.len()],
                        };
                        [place as f32, sizes[0] as f32, sizes[1] as f32]
                    })
                    .collect();
                self.append([narrow(points), heads].concat())
            }
        }
    }

    fn append(&mut self, numbers: Vec<f32>) -> usize {
        let place = self.numbers.len();
        self.numbers.extend(numbers);
        place
    }
}

/// A look-up of `x` in a line through points, which are appended to the numbers of tables.
pub(super) fn lookup(numbers: &mut Vec<f32>, points: &[f64], values: &[f64], x: &str) -> String {
    let place = numbers.len();
    numbers.extend(points.iter().chain(values).map(|&number| number as f32));
    format!("on_line({place}u, {}u, {x})", points.len())
}

/// Numbers of a flight that are above 0.
const POSITIVE: [&str; 3] = ["atmosphere/a-fps", "atmosphere/T-R", "inertia/mass-slugs"];
/// Numbers of a flight that are not below 0.
const NOT_NEGATIVE: [&str; 2] = ["atmosphere/rho-slugs_ft3", "atmosphere/P-psf"];

/// What is above 0 where a comparison is true.
fn above_zero(comparison: &Expression<usize>) -> Option<&Expression<usize>> {
    let Expression::Operation(operation, sides) = comparison else { return None };
    match (operation, &sides[..]) {
        (Operation::Less, [Expression::Value(least), above])
        | (Operation::Greater, [above, Expression::Value(least)]) => (*least >= 0.0).then_some(above),
        (Operation::LessOrEqual, [Expression::Value(least), above])
        | (Operation::GreaterOrEqual, [above, Expression::Value(least)]) => (*least > 0.0).then_some(above),
        _ => None,
    }
}

/// What is known of the values of a table: ends hold.
fn of_table(table: &Table) -> Known {
    let (most, least) = match table {
        Table::Line { values, .. } | Table::Grid { values, .. } => values
            .iter()
            .fold((0.0_f64, f64::INFINITY), |(most, least), &value| (most.max(value.abs()), least.min(value))),
        Table::Blocks { tables, .. } => tables.iter().map(of_table).fold((0.0, f64::INFINITY), |(most, least), of| {
            (of.most.max(most), if of.is_positive { least } else { f64::NEG_INFINITY })
        }),
    };
    Known { most, is_positive: least >= 0.0, ..Known::default() }
}

/// A number; one that is infinite or none on a device as what stands for that.
fn number(value: f64) -> String {
    format!("f32({:e})", narrowed(value))
}
