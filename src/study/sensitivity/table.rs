//! The result as a table: a row per criterion and input.

use std::path::Path;

use super::result::{CriterionSensitivity, InputSensitivity, Risk, Sensitivity};
use crate::study::analysis::Seal;
use crate::table::{Chunk, Column, ColumnKind, TableError, TableWriter, Values, sha256, write_atomically};

/// The result: JSON, and a table with its checksum.
pub(super) const SEAL: Seal =
    Seal { file: "sensitivity.json", table: "sensitivity.parquet", key: "touchdown.sensitivity_json_sha256" };

type Pick = Box<dyn Fn(&InputSensitivity) -> Option<f64>>;
type PickRisk = fn(&InputSensitivity) -> Option<Risk>;

/// Writes the result to its directory, as JSON and as a table.
pub(super) fn write(sensitivity: &Sensitivity, many: &str, directory: &Path) -> Result<(), TableError> {
    let json = sensitivity.to_json(many);
    write_atomically(&directory.join(SEAL.file), json.as_bytes())?;
    write_table(sensitivity, &sha256(json.as_bytes()), &directory.join(SEAL.table))
}

/// Writes `sensitivity.parquet`.
fn write_table(sensitivity: &Sensitivity, sum_of_json: &str, path: &Path) -> Result<(), TableError> {
    let mut columns = vec![
        Column::new("criterion", ColumnKind::Text, "", "Name of the criterion"),
        Column::new("input", ColumnKind::Text, "", "Name of the input"),
        Column::new("input_unit", ColumnKind::Text, "", "Unit of the values of the input"),
        Column::new("quantity_unit", ColumnKind::Text, "", "Unit of the values of the quantity"),
    ];
    let text = |of: fn(&CriterionSensitivity, &InputSensitivity) -> String| {
        Values::Text(rows(sensitivity).map(|(criterion, input)| Some(of(criterion, input))).collect())
    };
    let mut values = vec![
        text(|criterion, _| criterion.name.clone()),
        text(|_, input| input.input.clone()),
        text(|_, input| input.unit.clone()),
        text(|criterion, _| criterion.unit.clone().unwrap_or_default()),
    ];
    for (name, description, pick) in numbers() {
        columns.push(Column::new(&name, ColumnKind::Number, "", &description));
        values.push(Values::Number(rows(sensitivity).map(|(_, input)| pick(input)).collect()));
    }
    let metadata = [
        ("touchdown.study", sensitivity.study_hash.as_str()),
        ("touchdown.version", &sensitivity.version),
        (SEAL.key, sum_of_json),
    ];
    let metadata = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut writer = TableWriter::create_with_checksum(path, &columns, &metadata)?;
    writer.write(&Chunk { first_row: 0, columns: values })?;
    writer.finish()
}

fn rows(sensitivity: &Sensitivity) -> impl Iterator<Item = (&CriterionSensitivity, &InputSensitivity)> {
    sensitivity.criteria.iter().flat_map(|criterion| criterion.inputs.iter().map(move |input| (criterion, input)))
}

/// The numeric columns. Values of inputs and quantities are in SI units.
fn numbers() -> Vec<(String, String, Pick)> {
    let mut columns: Vec<(String, String, Pick)> = Vec::new();
    for outcome in ["quantity", "event"] {
        for order in ["first", "total"] {
            let index = move |input: &InputSensitivity| {
                let indices = if outcome == "quantity" { input.of_quantity } else { input.of_event }?;
                if order == "first" { indices.first } else { indices.total }
            };
            let description = format!("Sobol' index of the {outcome}, {order} order, interval at 95 %");
            let mut add = |end: &str, pick: Pick| {
                columns.push((format!("{outcome}_{order}{end}"), description.clone(), pick));
            };
            add("", Box::new(move |input| index(input).map(|index| index.estimate)));
            add("_lower", Box::new(move |input| index(input).map(|index| index.lower)));
            add("_upper", Box::new(move |input| index(input).map(|index| index.upper)));
        }
    }
    for (end, name) in ["low", "high"].into_iter().enumerate() {
        let mut add = |what: &str, description: &str, pick: Pick| {
            columns.push((format!("{what}_{name}"), description.to_owned(), pick));
        };
        add("swing_at", "Input in the tornado", Box::new(move |input| Some(input.swings[end].at)));
        add("swing", "Quantity in the tornado", Box::new(move |input| input.swings[end].quantity));
    }
    for (name, held) in HELD {
        let mut add = |what: &str, description: &str, of: fn(Risk) -> Option<f64>| {
            let pick: Pick = Box::new(move |input| of(held(input)?));
            columns.push((format!("{what}_{name}"), description.to_owned(), pick));
        };
        add("held_at", "Input held", |risk| risk.at);
        add("limit_risk", "Limit risk", |risk| Some(risk.estimate));
        add("limit_risk_lower", "Its one-sided lower bound", |risk| Some(risk.lower));
        add("limit_risk_upper", "Its one-sided upper bound", |risk| Some(risk.upper));
    }
    columns
}

/// Which limits of an input have columns: the lowest, the highest, and the one with the most events (the first in case
/// of ties).
const HELD: [(&str, PickRisk); 3] = [
    ("low", |input| input.held.first().copied()),
    ("high", |input| input.held.last().copied()),
    ("worst", |input| {
        input.held.iter().copied().reduce(|worst, next| if next.events > worst.events { next } else { worst })
    }),
];
