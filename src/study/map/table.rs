//! The result as a table: a row for each layer and cell.

use std::path::Path;

use super::result::{Cell, Layer, Map};
use crate::study::analysis::Seal;
use crate::table::{Chunk, Column, ColumnKind, TableError, TableWriter, Values, sha256, write_atomically};

/// The result: JSON, and a table with its checksum.
pub(super) const SEAL: Seal = Seal { file: "map.json", table: "map.parquet", key: "touchdown.map_json_sha256" };

/// Writes the result into its directory, as JSON and as a table.
pub(super) fn write(map: &Map, many: &str, directory: &Path) -> Result<(), TableError> {
    let json = map.to_json();
    write_atomically(&directory.join(SEAL.file), json.as_bytes())?;
    write_table(map, many, &sha256(json.as_bytes()), &directory.join(SEAL.table))
}

/// Writes `map.parquet`.
fn write_table(map: &Map, many: &str, sum_of_json: &str, path: &Path) -> Result<(), TableError> {
    let numbers = |of: &dyn Fn(&Layer, usize, &Cell) -> Option<f64>| {
        Values::Number(rows(map).map(|(layer, number, cell)| of(layer, number, cell)).collect())
    };
    let texts = |of: &dyn Fn(&Layer, &Cell) -> Option<String>| {
        Values::Text(rows(map).map(|(layer, _, cell)| of(layer, cell)).collect())
    };
    let number = |name: &str, unit: &str, description: &str| Column::new(name, ColumnKind::Number, unit, description);
    let text = |name: &str, description: &str| Column::new(name, ColumnKind::Text, "", description);
    let count = |name: &str, description: &str| Column::new(name, ColumnKind::Integer, "1", description);
    let [x, y] = [&map.x, &map.y].map(|axis| number(&format!("input.{}", axis.input), &axis.unit, &axis.description));
    let columns = [
        text("layer", "Name of the criterion, or `safe` where no criterion's event happens"),
        x,
        y,
        count("events", &format!("{many} of the cell with the event")),
        count(many, &format!("{many} of the cell")),
        number("estimate", "1", "Estimated probability"),
        number("lower", "1", "One-sided lower bound of the probability"),
        number("upper", "1", "One-sided upper bound of the probability"),
        number("allowed", "1", "Greatest probability allowed"),
        text("verdict", "met, failed or undecided, by the cell's own bounds"),
    ];
    let values = vec![
        texts(&|layer, _| Some(layer.name.clone())),
        numbers(&|_, cell, _| Some(map.values_of(cell).0)),
        numbers(&|_, cell, _| Some(map.values_of(cell).1)),
        Values::Integer(rows(map).map(|(_, _, cell)| Some(cell.events as i64)).collect()),
        Values::Integer(rows(map).map(|_| Some(map.trials as i64)).collect()),
        numbers(&|_, _, cell| Some(cell.estimate)),
        numbers(&|_, _, cell| Some(cell.lower)),
        numbers(&|_, _, cell| Some(cell.upper)),
        numbers(&|layer, _, _| layer.allowed),
        texts(&|_, cell| cell.verdict.map(|verdict| verdict.to_string())),
    ];
    let metadata =
        [("touchdown.study", map.study_hash.as_str()), ("touchdown.version", &map.version), (SEAL.key, sum_of_json)];
    let metadata = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut writer = TableWriter::create_with_checksum(path, &columns, &metadata)?;
    writer.write(&Chunk { first_row: 0, columns: values })?;
    writer.finish()
}

fn rows(map: &Map) -> impl Iterator<Item = (&Layer, usize, &Cell)> {
    map.layers.iter().flat_map(|layer| layer.cells.iter().enumerate().map(move |(number, cell)| (layer, number, cell)))
}
