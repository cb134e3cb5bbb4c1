//! A trial step by step, as a table.

use std::path::{Path, PathBuf};

use super::Study;
use crate::table::{CHUNK_ROWS, Chunk, TableError, TableWriter, Values};

/// Writes steps to a table.
#[derive(Debug)]
pub struct Trace {
    path: PathBuf,
    writer: TableWriter,
    columns: Vec<Vec<Option<f64>>>,
    /// The first error of writing; reported when the trace is finished.
    failed: Option<TableError>,
}

impl Trace {
    /// A table for one trial of a study.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, study: &Study, trial: u64) -> Result<Self, TableError> {
        let columns = study.model.trace_columns();
        let metadata = [
            ("touchdown.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("touchdown.study".to_owned(), study.hash().to_owned()),
            ("touchdown.seed".to_owned(), study.seed.to_string()),
            (format!("touchdown.{}", study.nouns().one), trial.to_string()),
        ];
        let writer = TableWriter::create(path, &columns, &metadata)?;
        Ok(Self { path: path.to_owned(), writer, columns: vec![Vec::new(); columns.len()], failed: None })
    }

    /// Adds a step, with a value for each column of the model. With another number of values
    /// [`finish`](Self::finish) fails.
    pub fn step(&mut self, values: &[f64]) {
        if values.len() != self.columns.len() {
            let (path, columns) = (&self.path, self.columns.len());
            self.failed.get_or_insert_with(|| TableError::ChunkShape {
                path: path.clone(),
                found: format!("{} values in a step", values.len()),
                expected: format!("{columns}, one for each column"),
            });
            return;
        }
        for (column, value) in self.columns.iter_mut().zip(values) {
            // A trial whose state leaves the finite range ends in that very step.
            column.push(value.is_finite().then_some(*value));
        }
        if self.columns.first().is_some_and(|column| column.len() >= CHUNK_ROWS) {
            self.flush();
        }
    }

    /// Publishes the table.
    ///
    /// # Errors
    /// If it could not be written; nothing is left behind then.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.flush();
        match self.failed {
            Some(error) => Err(error),
            None => self.writer.finish(),
        }
    }

    fn flush(&mut self) {
        let columns = self.columns.iter_mut().map(|column| Values::Number(std::mem::take(column))).collect();
        if self.failed.is_none() {
            self.failed = self.writer.write(&Chunk { first_row: 0, columns }).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_too_many_or_too_few_values_leaves_no_trace() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let study = Study::read(&path).unwrap();
        let columns = study.model.trace_columns().len();
        let room = tempfile::tempdir().unwrap();
        for (values, is_good) in [(columns, true), (columns + 1, false), (columns - 1, false)] {
            let file = room.path().join(format!("{values}.csv"));
            let mut trace = Trace::create(&file, &study, 0).unwrap();
            trace.step(&vec![1.0; columns]);
            trace.step(&vec![1.0; values]);
            let ended = trace.finish().map_err(|error| error.to_string());
            assert_eq!((ended.is_ok(), file.exists()), (is_good, is_good), "{ended:?}");
            let said = format!("{values} values in a step");
            assert!(is_good || ended.is_err_and(|error| error.contains(&said)), "{values}");
        }
    }
}
