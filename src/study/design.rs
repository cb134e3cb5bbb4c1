//! The inputs of a study's trials as a table.

use std::path::Path;

use super::Study;
use super::row::{input_columns, input_values, number_column};
use crate::model::Inputs;
use crate::table::{CHUNK_ROWS, Chunk, TableError, TableWriter, Values};

/// Writes one row per trial of a study, in order: its number, its weight if trials have weights, and its inputs in SI
/// units, as in the parts of a run.
///
/// # Errors
/// When the table cannot be written.
pub fn write_design(study: &Study, path: &Path) -> Result<(), TableError> {
    let mut columns = vec![number_column(study)];
    columns.extend(input_columns(study));
    let metadata = [("touchdown.study", study.hash().to_owned()), ("touchdown.seed", study.seed.to_string())];
    let metadata = metadata.map(|(name, value)| (name.to_owned(), value));
    let mut writer = TableWriter::create(path, &columns, &metadata)?;
    for first_row in (0..study.trials).step_by(CHUNK_ROWS) {
        let trials = first_row..(first_row + CHUNK_ROWS as u64).min(study.trials);
        let inputs: Vec<(u64, Inputs)> = trials.map(|trial| (trial, study.inputs_of(trial))).collect();
        let rows: Vec<(u64, &Inputs)> = inputs.iter().map(|(trial, inputs)| (*trial, inputs)).collect();
        let mut columns = vec![Values::Integer(rows.iter().map(|(trial, _)| Some(*trial as i64)).collect())];
        columns.extend(input_values(study, &rows));
        writer.write(&Chunk { first_row, columns })?;
    }
    writer.finish()
}
