//! Code for functions of aircraft files: expressions as lines, tables as numbers beside them.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::function::{Expression, Operation, Table};

/// What the code calls.
pub(super) const FUNCTIONS: &str = include_str!("../../shaders/functions.wgsl");

/// Code in the making: its lines, and the numbers of tables with where each table is.
#[derive(Default)]
pub(super) struct Code {
    lines: String,
    /// Values that are named so far.
    named: usize,
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

    /// What is made in a row, each number as `r` with its place.
    pub fn row<'a>(&mut self, made: impl Iterator<Item = (usize, &'a Expression<usize>)>) {
        for (place, expression) in made {
            let value = self.text(expression);
            self.line(format_args!("let r{place} = {value};"));
        }
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

    /// The code of an expression: a name or a number.
    fn text(&mut self, expression: &Expression<usize>) -> String {
        match expression {
            Expression::Value(value) => number(*value),
            Expression::Property(place) => format!("r{place}"),
            Expression::Negative(place) => format!("(-r{place})"),
            Expression::Table(table, by) => {
                let by: Vec<String> = by.iter().map(|argument| self.text(argument)).collect();
                let value = self.look_up(table, &by.join(", "));
                self.name(&value)
            }
            Expression::Operation(operation, arguments) => {
                let texts: Vec<String> = arguments.iter().map(|argument| self.text(argument)).collect();
                self.name(&apply(*operation, &texts))
            }
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

/// A number; one beyond f32 is the largest.
fn number(value: f64) -> String {
    let most = f64::from(f32::MAX);
    format!("f32({:e})", value.clamp(-most, most))
}

/// The code of an operation.
fn apply(operation: Operation, texts: &[String]) -> String {
    let joined = |sign: &str| format!("({})", texts.join(sign));
    let called = |function: &str| format!("{function}({})", texts.join(", "));
    let compared = |sign: &str| format!("truth({} {sign} {})", texts[0], texts[1]);
    let nested = |function: &str| {
        let (first, others) = (texts[0].clone(), &texts[1..]);
        others.iter().fold(first, |all, one| format!("{function}({all}, {one})"))
    };
    let times = |factor: f64| format!("({} * {})", texts[0], number(factor));
    let truths = |sign: &str| {
        let all: Vec<String> = texts.iter().map(|text| format!("is_true({text})")).collect();
        format!("truth({})", all.join(sign))
    };
    match operation {
        Operation::Sum => joined(" + "),
        Operation::Difference => joined(" - "),
        Operation::Product => joined(" * "),
        Operation::Quotient => called("quotient"),
        Operation::Power => called("power"),
        Operation::SquareRoot => called("root"),
        Operation::Radians => times(1_f64.to_radians()),
        Operation::Degrees => times(1_f64.to_degrees()),
        Operation::Exponential => called("exponential"),
        Operation::BinaryLogarithm => called("binary_logarithm"),
        Operation::NaturalLogarithm => called("natural_logarithm"),
        Operation::DecimalLogarithm => called("decimal_logarithm"),
        Operation::Magnitude => called("abs"),
        Operation::Sign => format!("select(1.0, -1.0, {} < 0.0)", texts[0]),
        Operation::Sine => format!("{}.x", called("sine_cosine")),
        Operation::Cosine => format!("{}.y", called("sine_cosine")),
        Operation::Tangent => called("tangent"),
        Operation::ArcSine => called("arc_sine"),
        Operation::ArcCosine => called("arc_cosine"),
        Operation::ArcTangent => format!("angle_of({}, 1.0)", texts[0]),
        Operation::ArcTangent2 => called("angle_of"),
        Operation::Minimum => nested("min"),
        Operation::Maximum => nested("max"),
        Operation::Average => format!("({} / {})", joined(" + "), number(texts.len() as f64)),
        Operation::Fraction => format!("({0} - trunc({0}))", texts[0]),
        Operation::Integer => called("trunc"),
        Operation::IntegerRemainder => format!("remainder(trunc({}), trunc({}))", texts[0], texts[1]),
        Operation::Remainder => called("remainder"),
        Operation::RoundMultiple if texts.len() == 1 => called("nearest"),
        Operation::RoundMultiple => format!("(nearest(quotient({0}, {1})) * {1})", texts[0], texts[1]),
        Operation::Floor => called("floor"),
        Operation::Ceiling => called("ceil"),
        Operation::Less => compared("<"),
        Operation::LessOrEqual => compared("<="),
        Operation::Greater => compared(">"),
        Operation::GreaterOrEqual => compared(">="),
        Operation::Equal => compared("=="),
        Operation::NotEqual => compared("!="),
        Operation::And => truths(" && "),
        Operation::Or => truths(" || "),
        Operation::Not => format!("truth(!is_true({}))", texts[0]),
        Operation::IfThen => format!("select({}, {}, is_true({}))", texts[2], texts[1], texts[0]),
        Operation::Switch => {
            let last = texts.len() - 1;
            (1..last).rev().fold(texts[last].clone(), |others, case| {
                format!("select({others}, {}, {} < {})", texts[case], texts[0], number(case as f64 - 0.5))
            })
        }
        Operation::Interpolate => between(&texts[0], &texts[1..]),
    }
}

fn between(x: &str, pairs: &[String]) -> String {
    let (at, value) = (|pair: usize| &pairs[2 * pair], |pair: usize| &pairs[2 * pair + 1]);
    let last = pairs.len() / 2 - 1;
    let inside = (1..=last).rev().fold(value(last).clone(), |beyond, pair| {
        let (from, to, low, high) = (at(pair - 1), at(pair), value(pair - 1), value(pair));
        format!("select({beyond}, ({low} + ({x} - {from}) * ({high} - {low}) / ({to} - {from})), {x} <= {to})")
    });
    format!("select({inside}, {}, {x} <= {})", value(0), at(0))
}
