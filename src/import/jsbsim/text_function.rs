//! Functions as text of a vehicle file, which reads back to the same functions, to the bit.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::text::{Names, quoted};
use crate::function::{Expression, Table};

/// Longest line of an expression that is not broken.
const WIDTH: usize = 110;
/// Longest text of a table that stands where it is looked up.
const SHORT: usize = 50;

/// Tables that have a name of their own in a file: each text once.
#[derive(Default)]
pub(super) struct TableTexts {
    names: Names,
    /// Names by texts.
    known: BTreeMap<String, String>,
    /// Names and texts, in the order in which they are found.
    all: Vec<(String, String)>,
}

impl TableTexts {
    /// All tables, each under a header of its own.
    pub(super) fn text(&self) -> String {
        self.all.iter().fold(String::new(), |mut text, (name, body)| {
            let _ = write!(text, "\n[airframe.tables.{name}]\n{body}");
            text
        })
    }

    /// An expression of a function: on one line, or with a line for each argument where that would be long. `before` characters
    /// stand on its first line already.
    pub(super) fn expression(&mut self, function: &str, expression: &Expression<String>, before: usize) -> String {
        self.broken(function, expression, 0, before)
    }

    fn broken(&mut self, function: &str, expression: &Expression<String>, indent: usize, before: usize) -> String {
        let line = self.line(function, expression);
        if before + line.len() <= WIDTH {
            return line;
        }
        let (head, arguments) = match expression {
            Expression::Operation(operation, arguments) => (format!("{{ {} = [", operation.name()), arguments),
            Expression::Table(table, by) => (format!("{{ {}, by = [", self.table(function, table)), by),
            Expression::Value(_) | Expression::Property(_) | Expression::Negative(_) => return line,
        };
        let (inner, end) = (indent + 2, " ".repeat(indent));
        let mut text = head + "\n";
        for argument in arguments {
            let argument = self.broken(function, argument, inner, inner);
            let _ = writeln!(text, "{}{argument},", " ".repeat(inner));
        }
        text + &end + "] }"
    }

    fn line(&mut self, function: &str, expression: &Expression<String>) -> String {
        match expression {
            Expression::Value(value) => exact(*value),
            Expression::Property(name) => quoted(name),
            Expression::Negative(name) => quoted(&format!("-{name}")),
            Expression::Operation(operation, arguments) => {
                let arguments = self.arguments(function, arguments);
                format!("{{ {} = {arguments} }}", operation.name())
            }
            Expression::Table(table, by) => {
                let by = self.arguments(function, by);
                format!("{{ {}, by = {by} }}", self.table(function, table))
            }
        }
    }

    /// A list of arguments; one alone stands without it.
    fn arguments(&mut self, function: &str, arguments: &[Expression<String>]) -> String {
        let all: Vec<_> = arguments.iter().map(|argument| self.line(function, argument)).collect();
        match &all[..] {
            [only] => only.clone(),
            all => format!("[{}]", all.join(", ")),
        }
    }

    /// What names a table where it is looked up, or says it there.
    fn table(&mut self, function: &str, table: &Table) -> String {
        if let Table::Line { points, values } = table {
            let short = pairs(points, values).join(", ");
            if short.len() <= SHORT {
                return format!("table = [{short}]");
            }
        }
        let body = body(table);
        let name = self.known.get(&body).cloned().unwrap_or_else(|| {
            let name = self.names.key(function.rsplit('/').next().unwrap_or_default(), "table");
            self.known.insert(body.clone(), name.clone());
            self.all.push((name.clone(), body));
            name
        });
        format!("table = \"{name}\"")
    }
}

/// A table's keys, a line each or more.
fn body(table: &Table) -> String {
    keys(table, 0).iter().fold(String::new(), |text, key| text + key + "\n")
}

/// The keys of a table with their values; lines after a first one are further in than `indent`.
fn keys(table: &Table, indent: usize) -> Vec<String> {
    match table {
        Table::Line { points, values } => vec![format!("table = {}", array(&pairs(points, values), indent))],
        Table::Grid { rows, columns, values } => {
            let all = values.chunks(columns.len()).map(|row| array(&list(row), indent + 2));
            vec![
                format!("rows = {}", array(&list(rows), indent)),
                format!("columns = {}", array(&list(columns), indent)),
                format!("values = {}", lines(all, indent)),
            ]
        }
        Table::Blocks { points, tables } => {
            let all = tables.iter().map(|table| format!("{{ {} }}", keys(table, indent + 2).join(", ")));
            vec![format!("points = {}", array(&list(points), indent)), format!("tables = {}", lines(all, indent))]
        }
    }
}

fn pairs(points: &[f64], values: &[f64]) -> Vec<String> {
    points.iter().zip(values).map(|(&x, &y)| format!("[{}, {}]", exact(x), exact(y))).collect()
}

fn list(numbers: &[f64]) -> Vec<String> {
    numbers.iter().map(|&number| exact(number)).collect()
}

/// An array with a line for each item.
fn lines(items: impl Iterator<Item = String>, indent: usize) -> String {
    let space = " ".repeat(indent);
    let items: Vec<_> = items.map(|item| format!("{space}  {item},\n")).collect();
    format!("[\n{}{space}]", items.concat())
}

/// An array on one line, or on as many as it needs.
fn array(items: &[String], indent: usize) -> String {
    let line = items.join(", ");
    if indent + line.len() <= WIDTH {
        return format!("[{line}]");
    }
    let mut all = vec![String::new()];
    for item in items {
        if let Some(line) =
            all.last_mut().filter(|line| line.is_empty() || line.len() + item.len() + 2 <= WIDTH - indent)
        {
            *line += if line.is_empty() { "" } else { ", " };
            *line += item;
        } else {
            all.push(item.clone());
        }
    }
    lines(all.into_iter(), indent)
}

/// A number that reads back to the same bits.
pub(super) fn exact(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative()) {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}
