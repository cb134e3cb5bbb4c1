//! Tables of inputs, which replace `[sampling]`.

use std::path::Path;

use super::measured::Header;
use crate::document::{Table, nearest};
use crate::model::Model;
use crate::study::sampling::{Design, Distribution};
use crate::study::{SampledInput, StudyError};
use crate::table::{ColumnKind, TableReader, Wanted};

/// Column of the rows' weights.
const WEIGHT: &str = "weight";
/// Optional prefix of an input's column, as in the parts of a run.
const PREFIX: &str = "input.";

/// Reads a table of inputs: a column `NAME`, in SI units or in those of a header `NAME [UNIT]`, for each input that it provides,
/// or `input.NAME` for all of them, and a column `weight` if rows have weights; other columns are ignored, with a warning where
/// an input may be meant. These inputs are added to the
/// study's, or replace them.
pub(super) fn design(
    path: &Path,
    root: &Table<'_>,
    sampled: &mut Vec<SampledInput>,
    model: &dyn Model,
    warnings: &mut Vec<String>,
) -> Result<Design, StudyError> {
    for key in ["sampling", "stopping"] {
        if let Some(field) = root.optional(key) {
            let why = match key {
                "sampling" => "a table of inputs takes its place",
                _ => "it decides by the first trials, and the rows of a table of inputs may stand in any order",
            };
            return Err(field.error(format!("[{key}] cannot be there: {why}")).into());
        }
    }
    let refuse = |why: String| StudyError::Inputs { path: path.to_owned(), why };
    let names = TableReader::open(path, &[])?.column_names().to_vec();
    // In the parts of a run what has no prefix is an outcome, of the same name perhaps.
    let is_part = names.iter().any(|header| has_prefix(header));
    let (mut inputs, mut scales, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    for (number, input) in model.inputs().iter().enumerate() {
        let is_its = |header: &&String| has_prefix(header) == is_part && input_name(header) == input.name;
        let mut columns = names.iter().filter(is_its);
        let Some(column) = columns.next() else { continue };
        if let Some(other) = columns.next() {
            return Err(refuse(format!("`{column}` and `{other}` are the same input")));
        }
        if let Some(why) = model.without_meaning(number) {
            return Err(refuse(format!("column `{column}`: {why}")));
        }
        let scale = Header::of(column).scale(input.unit);
        scales.push(scale.map_err(|why| refuse(format!("column `{column}`: {why}")))?);
        inputs.push(number);
        wanted.push(Wanted::required(column, ColumnKind::Number));
    }
    if inputs.is_empty() {
        let known = model.inputs().iter().map(|input| input.name).collect::<Vec<_>>().join(", ");
        return Err(refuse(format!("none of its columns is an input; known: {known}")));
    }
    let is_known = |name: &str| {
        let is_input = model.inputs().iter().any(|input| input.name == name);
        is_input || name == WEIGHT || model.quantities().iter().any(|quantity| quantity.name == name)
    };
    let others = model.inputs().iter().enumerate().filter(|(number, _)| !inputs.contains(number));
    for column in &names {
        let name = input_name(column);
        if is_part && !has_prefix(column) && others.clone().any(|(_, input)| input.name == name) {
            let why = format!("as its inputs are called `{PREFIX}NAME`, this is a result");
            warnings.push(format!("{}: column `{column}` is ignored: {why}", path.display()));
        }
        let meant = nearest(name, others.clone().map(|(_, input)| input.name)).filter(|_| !is_known(name));
        warnings.extend(
            meant.map(|input| format!("{}: column `{column}` is ignored; is `{input}` meant?", path.display())),
        );
    }
    // Otherwise a misspelled input name would be ignored silently.
    let missing = sampled.iter().filter(|sampled| !inputs.contains(&sampled.number));
    let optional = |name: &str| Wanted { required_value: true, ..Wanted::optional(name, ColumnKind::Number) };
    let prefix = if is_part { PREFIX } else { "" };
    wanted
        .extend(missing.map(|sampled| optional(&format!("{prefix}{}", sampled.input.name))).chain([optional(WEIGHT)]));

    let count = inputs.len();
    let (mut values, mut weights) = (Vec::new(), Vec::new());
    for chunk in TableReader::open(path, &wanted)? {
        let chunk = chunk?;
        let columns: Vec<&[Option<f64>]> = (0..count).map(|column| chunk.numbers(column)).collect::<Result<_, _>>()?;
        let scaled = |(column, scale): (&&[Option<f64>], &f64), row: usize| column[row].map(|value| value * scale);
        values.extend(
            (0..chunk.len()).flat_map(|row| columns.iter().zip(&scales).filter_map(move |column| scaled(column, row))),
        );
        weights.extend(chunk.numbers(wanted.len() - 1)?.iter().flatten());
    }
    if values.is_empty() {
        return Err(refuse("it has no rows".to_owned()));
    }
    if let Some(row) = weights.iter().position(|&weight: &f64| weight <= 0.0) {
        return Err(refuse(format!("row {row}, `{WEIGHT}`: {} must be above 0", weights[row])));
    }
    if !weights.iter().sum::<f64>().is_finite() {
        return Err(refuse(format!("the sum of `{WEIGHT}` is beyond all numbers; only ratios of weights matter")));
    }
    let design = Design::new(inputs, values, Some(weights).filter(|weights| !weights.is_empty()));
    join(sampled, &design, model).map_err(refuse)?;
    Ok(design)
}

/// Whether a header says that it is of an input.
fn has_prefix(header: &str) -> bool {
    Header::of(header).name.starts_with(PREFIX)
}

/// The name of the input that a header may be of.
fn input_name(header: &str) -> &str {
    let name = Header::of(header).name;
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Sets the distributions of the study's inputs to the values of the table.
fn join(sampled: &mut Vec<SampledInput>, design: &Design, model: &dyn Model) -> Result<(), String> {
    sampled.retain(|sampled| !design.inputs().contains(&sampled.number));
    for (column, &number) in design.inputs().iter().enumerate() {
        let (input, values) = (model.inputs()[number], design.column(column));
        let made = if values.iter().all(|value| *value == values[0]) {
            Distribution::constant(values[0])
        } else {
            Distribution::empirical(&values)
        };
        let distribution = made.map_err(|error| format!("column of `{}`: {error}", input.name))?;
        sampled.push(SampledInput { number, input, distribution, limit: None });
    }
    sampled.sort_by_key(|sampled| sampled.number);
    Ok(())
}
