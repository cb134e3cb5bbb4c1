//! Functions of properties in a vehicle file.
//!
//! A number, the name of a property (with `-` before it for the other sign), `{ product = [..] }` and so on with the names of
//! [`Operation::ALL`], or a table:
//!
//! ```text
//! { table = [[x, y], ..], by = E }                              over one expression
//! { rows = [..], columns = [..], values = [[..], ..], by = [E, E] }   over two
//! { points = [..], tables = [TABLE, ..], by = [E, E, E] }       over more, the last one outermost
//! { table = "NAME", by = .. }                                   one of [airframe.tables]
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::{self, DocumentError, Field, Unit, nearest};
use crate::function::{Expression, Operation, Table};

/// Tables by their names.
#[derive(Debug, Default)]
pub(super) struct Tables<'a>(BTreeMap<&'a str, Arc<Table>>);

/// Reads `[airframe.tables]`.
pub(super) fn tables<'a>(table: &document::Table<'a>) -> Result<Tables<'a>, DocumentError> {
    let read = |(name, field): (&'a str, Field<'a>)| {
        let body = field.table()?;
        let (_, first) = body.one_of(&FORMS)?;
        let table = form(&body, first)?;
        body.finish()?;
        Ok((name, Arc::new(table)))
    };
    table.entries().map(read).collect::<Result<_, _>>().map(Tables)
}

/// Keys that say what kind of table it is.
const FORMS: [&str; 3] = ["table", "rows", "points"];

/// Keys that say what an expression is, those of [`FORMS`] last.
const KEYS: [&str; Operation::ALL.len() + FORMS.len()] = {
    let mut keys = [""; Operation::ALL.len() + FORMS.len()];
    let mut number = 0;
    while number < keys.len() {
        keys[number] = match number < Operation::ALL.len() {
            true => Operation::ALL[number].1,
            false => FORMS[number - Operation::ALL.len()],
        };
        number += 1;
    }
    keys
};

/// Reads an expression.
pub(super) fn expression(field: &Field<'_>, tables: &Tables<'_>) -> Result<Expression<String>, DocumentError> {
    if field.is_string() {
        return property(field);
    }
    if !field.is_table() {
        let wrong = || field.refused("must be a number, the name of a property, or a table such as { product = [..] }");
        return if field.is_array() { Err(wrong()) } else { field.number(Unit::One).map(Expression::Value) };
    }
    let body = field.table()?;
    let (key, first) = body.one_of(&KEYS)?;
    let expression = match Operation::named(key) {
        Some(operation) => operation_of(operation, &first, tables)?,
        None => {
            let table = match first.is_string() {
                true => tables.named(&first)?,
                false => Arc::new(form(&body, first)?),
            };
            let by = body.required("by")?;
            let arguments = all(&by, tables)?;
            by.must(arguments.len() == table.arguments(), || {
                format!("the table is over {} expressions, and must be looked up by as many", table.arguments())
            })?;
            Expression::Table(table, arguments)
        }
    };
    body.finish()?;
    Ok(expression)
}

fn property(field: &Field<'_>) -> Result<Expression<String>, DocumentError> {
    let text = field.string()?;
    let (is_negative, name) = match text.strip_prefix('-') {
        Some(name) => (true, name),
        None => (false, text),
    };
    if !is_name(name) {
        return Err(field.refused("must be the name of a property, with or without a sign"));
    }
    Ok(if is_negative { Expression::Negative(name.to_owned()) } else { Expression::of(name) })
}

/// Whether a text may name a property: a sign would not be told from that of its value.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_control)
}

fn operation_of(
    operation: Operation,
    field: &Field<'_>,
    tables: &Tables<'_>,
) -> Result<Expression<String>, DocumentError> {
    let arguments = all(field, tables)?;
    field.must(operation.takes(arguments.len()), || {
        let name = operation.name();
        match operation.arguments().into_inner() {
            (least, most) if least == most => format!("{name} takes {least} of them, not {}", arguments.len()),
            _ if operation == Operation::Interpolate => {
                format!("{name} takes pairs after its first argument, two at least")
            }
            (least, most) => format!("{name} takes {least} to {most} of them, not {}", arguments.len()),
        }
    })?;
    Ok(Expression::Operation(operation, arguments))
}

/// A list of expressions, or one alone.
fn all(field: &Field<'_>, tables: &Tables<'_>) -> Result<Vec<Expression<String>>, DocumentError> {
    match field.is_array() {
        true => field.array()?.iter().map(|one| expression(one, tables)).collect(),
        false => Ok(vec![expression(field, tables)?]),
    }
}

impl Tables<'_> {
    fn named(&self, field: &Field<'_>) -> Result<Arc<Table>, DocumentError> {
        let name = field.string()?;
        self.0.get(name).cloned().ok_or_else(|| {
            let meant = nearest(name, self.0.keys().copied());
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean \"{meant}\"?"));
            field.refused(format!("must be pairs [[x, y], ..] or the name of one of [airframe.tables]{meant}"))
        })
    }
}

/// The table of a body whose first key has this value.
fn form(body: &document::Table<'_>, first: Field<'_>) -> Result<Table, DocumentError> {
    let table = if body.contains("rows") {
        let columns = body.required("columns")?.numbers(Unit::One)?;
        let rows = first.numbers(Unit::One)?;
        Table::Grid { values: values(&body.required("values")?, [rows.len(), columns.len()])?, rows, columns }
    } else if body.contains("points") {
        let read = |field: &Field<'_>| {
            let inner = field.table()?;
            let (_, first) = inner.one_of(&FORMS)?;
            let table = form(&inner, first)?;
            inner.finish()?;
            Ok(table)
        };
        let tables = body.required("tables")?.array()?.iter().map(read).collect::<Result<_, DocumentError>>()?;
        Table::Blocks { points: first.numbers(Unit::One)?, tables }
    } else {
        let (points, values) = first.array()?.iter().map(pair).collect::<Result<_, _>>()?;
        Table::Line { points, values }
    };
    match table.check() {
        Ok(()) => Ok(table),
        Err(fault) => body.must(false, || fault.to_string()).map(|()| table),
    }
}

fn pair(field: &Field<'_>) -> Result<(f64, f64), DocumentError> {
    let wrong = || field.refused("must be a pair [x, y]");
    match field.array().map_err(|_| wrong())?[..] {
        [x, y] => Ok((x.number(Unit::One)?, y.number(Unit::One)?)),
        _ => Err(wrong()),
    }
}

/// Values row by row.
fn values(field: &Field<'_>, [rows, columns]: [usize; 2]) -> Result<Vec<f64>, DocumentError> {
    let all = field.array()?;
    field
        .must(all.len() == rows, || format!("must be {rows} rows of {columns} numbers, and has {} rows", all.len()))?;
    let mut values = Vec::new();
    for row in all {
        let numbers = row.numbers(Unit::One)?;
        row.must(numbers.len() == columns, || {
            format!("must be a row of {columns} numbers, one for each column, and has {}", numbers.len())
        })?;
        values.extend(numbers);
    }
    Ok(values)
}
