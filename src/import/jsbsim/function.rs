//! Functions and tables of an aircraft file.

use std::sync::Arc;

use super::JsbsimError;
use super::xml::{Element, shown};
use crate::function::{Expression, Function, Operation, Table};

/// Most elements within each other: a vehicle file, in which each takes two levels, has no room for more.
const MAX_DEPTH: usize = 38;

/// Reads a `<function>`; its name without one is empty.
pub(super) fn function(element: Element<'_>) -> Result<Function<String>, JsbsimError> {
    let mut values = element.children().filter(|child| !is_text(child.tag()));
    let Some(value) = values.next() else {
        return Err(element.error("must hold a value, a property, a table or an operation"));
    };
    if let Some(second) = values.next() {
        return Err(second.error("is not allowed: a function has one value"));
    }
    Ok(Function { name: element.attribute("name").to_owned(), expression: expression(value, 0)? })
}

/// Whether an element is for people.
pub(super) fn is_text(tag: &str) -> bool {
    matches!(tag, "description" | "documentation")
}

/// Reads an element that has a value.
pub(super) fn expression(element: Element<'_>, depth: usize) -> Result<Expression<String>, JsbsimError> {
    if depth > MAX_DEPTH {
        return Err(element.error(format!("more than {MAX_DEPTH} elements within each other are not allowed")));
    }
    match element.tag() {
        "value" | "v" => Ok(Expression::Value(element.finite()?)),
        "pi" => Ok(Expression::Value(std::f64::consts::PI)),
        "property" | "p" => property(element),
        "table" | "t" => table(element),
        name => {
            let Some(operation) = Operation::named(name) else {
                let known: Vec<_> = Operation::ALL.iter().map(|(_, name, _)| *name).collect();
                return Err(element
                    .error(format!("is not read: must be value, property, table, pi or one of {}", known.join(", "))));
            };
            let children = element.children().filter(|child| !is_text(child.tag()));
            let mut arguments = children.map(|child| expression(child, depth + 1)).collect::<Result<Vec<_>, _>>()?;
            if !operation.takes(arguments.len()) {
                let allowed = operation.arguments();
                return Err(element.error(format!(
                    "{} arguments are not allowed: must be from {} to {}{}",
                    arguments.len(),
                    allowed.start(),
                    allowed.end(),
                    if operation == Operation::Interpolate { ", an odd number" } else { "" }
                )));
            }
            if arguments.len() == 1 && operation.folds() {
                return Ok(arguments.remove(0));
            }
            Ok(Expression::Operation(operation, arguments))
        }
    }
}

/// Reads a property with or without a sign.
pub(super) fn property(element: Element<'_>) -> Result<Expression<String>, JsbsimError> {
    named_property(&element.text()).ok_or_else(|| element.refused("must be the name of a property"))
}

/// A property by its name, which may follow a sign and begins with a letter.
pub(super) fn named_property(text: &str) -> Option<Expression<String>> {
    let (is_negative, name) = match text.strip_prefix('-') {
        Some(name) => (true, name.trim()),
        None => (false, text),
    };
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '/' | '_'));
    if !is_name || name.contains(char::is_whitespace) {
        return None;
    }
    Some(if is_negative { Expression::Negative(name.to_owned()) } else { Expression::Property(name.to_owned()) })
}

/// Names of a table's arguments, in their order.
const LOOKUPS: [[&str; 2]; 4] = [["row", "axis1"], ["column", "axis2"], ["table", "axis3"], ["axis4", "axis4"]];

/// Reads a table and what it is looked up by.
pub(super) fn table(element: Element<'_>) -> Result<Expression<String>, JsbsimError> {
    let mut by: [Option<Expression<String>>; 4] = [const { None }; 4];
    for variable in element.all("independentVar") {
        let lookup = variable.attribute("lookup");
        let place = match lookup {
            "" => 0,
            lookup => LOOKUPS.iter().position(|names| names.contains(&lookup)).ok_or_else(|| {
                variable.error(format!(
                    "lookup {} is not allowed: must be row, column, table or axis1 to axis4",
                    shown(lookup)
                ))
            })?,
        };
        if by[place].replace(property(variable)?).is_some() {
            return Err(variable.error("is the second of this lookup"));
        }
    }
    let by: Vec<_> = {
        let count = by.iter().take_while(|variable| variable.is_some()).count();
        if count == 0 || by[count..].iter().any(Option::is_some) {
            return Err(element.error("must have <independentVar> for row, then column, then table, then axis4"));
        }
        by.into_iter().flatten().collect()
    };
    let data = element.required("tableData")?;
    let table = match by.len() {
        1 => line(data)?,
        2 => grid(data)?,
        // With several arguments blocks are siblings, each at its break point.
        arguments => blocks(element, arguments)?,
    };
    table.check().map_err(|fault| data.error(fault.to_string()))?;
    Ok(Expression::Table(Arc::new(table), by))
}

/// Reads a table that does not say what it is looked up by: over rows, and over columns if the first row names them.
pub(super) fn unnamed_table(element: Element<'_>) -> Result<Table, JsbsimError> {
    let data = element.required("tableData")?;
    let is_line = rows(data)?.iter().all(|row| row.len() == 2);
    let table = if is_line { line(data)? } else { grid(data)? };
    table.check().map_err(|fault| data.error(fault.to_string()))?;
    Ok(table)
}

/// Reads a table that does not say what it is looked up by, which is one number.
pub(super) fn unnamed_line(element: Element<'_>) -> Result<Table, JsbsimError> {
    let table = unnamed_table(element)?;
    match table.arguments() {
        1 => Ok(table),
        _ => Err(element.error("must hold pairs of a point and a value: it is looked up by one number")),
    }
}

fn rows(data: Element<'_>) -> Result<Vec<Vec<f64>>, JsbsimError> {
    let text = data.text();
    let mut rows = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let number = |word: &str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(data.error(format!("{} is not allowed: must be a finite number", shown(word)))),
        };
        rows.push(line.split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(rows)
}

fn line(data: Element<'_>) -> Result<Table, JsbsimError> {
    // Numbers count, not how they are laid out in lines.
    let numbers: Vec<f64> = rows(data)?.into_iter().flatten().collect();
    if numbers.len() % 2 == 1 {
        return Err(data.error("must hold pairs of a point and a value"));
    }
    let (points, values) = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
    Ok(Table::Line { points, values })
}

fn grid(data: Element<'_>) -> Result<Table, JsbsimError> {
    let mut all = rows(data)?.into_iter();
    let columns = all.next().unwrap_or_default();
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for row in all {
        if row.len() != columns.len() + 1 {
            return Err(data.error(format!(
                "a row of {} numbers is not allowed: must be its point and a value for each of {} columns",
                row.len(),
                columns.len()
            )));
        }
        rows.push(row[0]);
        values.extend_from_slice(&row[1..]);
    }
    Ok(Table::Grid { rows, columns, values })
}

fn blocks(parent: Element<'_>, arguments: usize) -> Result<Table, JsbsimError> {
    let (mut points, mut tables) = (Vec::new(), Vec::new());
    for data in parent.all("tableData") {
        let text = data.attribute("breakPoint");
        match text.parse::<f64>() {
            Ok(point) if point.is_finite() => points.push(point),
            _ => return Err(data.error(format!("breakPoint {} is not allowed: must be a finite number", shown(text)))),
        }
        tables.push(if arguments == 3 { grid(data)? } else { blocks(data, arguments - 1)? });
    }
    Ok(Table::Blocks { points, tables })
}
