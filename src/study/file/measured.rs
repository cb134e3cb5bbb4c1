//! Tables of measured numbers, whose headers may name units.

use std::path::Path;

use super::columns_of;
use crate::document::Unit;
use crate::model::MeasuredColumn;
use crate::table::TableReader;

/// Columns of a table in SI units, as [`crate::model::Files::measured`] has them.
pub(super) fn measured(path: &Path, columns: &[MeasuredColumn]) -> Result<Vec<Vec<f64>>, String> {
    let reader = TableReader::open(path, &[]).map_err(|error| error.to_string())?;
    let headers = reader.column_names();
    let found: Vec<Option<(&String, f64)>> =
        columns.iter().map(|column| header_of(path, headers, *column)).collect::<Result<_, _>>()?;
    let names: Vec<&str> = found.iter().flatten().map(|(header, _)| header.as_str()).collect();
    let mut read = columns_of(path, &names).map_err(|error| error.to_string())?.into_iter();
    let measured: Vec<Vec<f64>> = found
        .iter()
        .map(|found| match found {
            Some((_, scale)) => read.next().unwrap_or_default().into_iter().map(|number| number * scale).collect(),
            None => Vec::new(),
        })
        .collect();
    let (first, header) = (&measured[0], names[0]);
    if first.is_empty() {
        return Err(format!("{}: has no rows", path.display()));
    }
    match first.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(measured),
        Some(row) => Err(format!(
            "{}: column {header}: {} must be above {}, the number of the row before",
            place_of(path, row + 1),
            first[row + 1],
            first[row]
        )),
    }
}

/// The header of a column: `height`, or `height [ft]`.
pub(super) struct Header<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What stands in brackets, nothing without; `None` where they are not closed.
    unit: Option<&'a str>,
}

impl<'a> Header<'a> {
    /// Of its text.
    pub fn of(text: &'a str) -> Self {
        match text.trim().split_once('[') {
            Some((name, unit)) => Self { name: name.trim(), unit: unit.strip_suffix(']').map(str::trim) },
            None => Self { name: text.trim(), unit: Some("") },
        }
    }

    /// What its numbers are worth in SI units, or what its unit must be.
    pub fn scale(&self, unit: Unit) -> Result<f64, String> {
        let scale = match self.unit {
            Some("") => Some(1.0),
            Some(symbol) => unit.parse(&format!("1 {symbol}")),
            None => None,
        };
        scale.ok_or_else(|| format!("its unit must be one of {}", unit.symbols().join(", ")))
    }
}

/// The header of a column, and what its numbers are worth in SI units.
fn header_of<'a>(
    path: &Path,
    headers: &'a [String],
    MeasuredColumn { name, unit, required }: MeasuredColumn,
) -> Result<Option<(&'a String, f64)>, String> {
    let mut found = None;
    for header in headers {
        let own = Header::of(header);
        if own.name != name {
            continue;
        }
        let scale = own.scale(unit).map_err(|why| format!("{}: column {header}: {why}", place_of_header(path)))?;
        if found.replace((header, scale)).is_some() {
            return Err(format!("{}: column {name} is there twice", place_of_header(path)));
        }
    }
    if required && found.is_none() {
        let known = headers.join(", ");
        return Err(format!("{}: there is no column {name}; columns: {known}", place_of_header(path)));
    }
    Ok(found)
}

fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

fn place_of_header(path: &Path) -> String {
    if is_text(path) { format!("{}:1", path.display()) } else { path.display().to_string() }
}

/// Where a row is, counted from 0: its line, of a text.
fn place_of(path: &Path, row: usize) -> String {
    let text = if is_text(path) { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    match lines.nth(row + 1) {
        Some((line, _)) => format!("{}:{}", path.display(), line + 1),
        None => format!("{}: row {row} (the first is 0)", path.display()),
    }
}
