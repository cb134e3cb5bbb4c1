//! Writing tables as comma-separated text.

use std::path::{Path, PathBuf};

use csv::{Writer, WriterBuilder};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::atomic::{AtomicFile, write_error};
use super::csv_source::BUFFER_BYTES;
use super::{Chunk, Column, TableError, Values};

/// Writes rows of a CSV file.
pub(super) struct CsvSink {
    path: PathBuf,
    writer: Writer<AtomicFile>,
}

impl CsvSink {
    /// Writes the header.
    pub(super) fn create(path: &Path, columns: &[Column]) -> Result<Self, TableError> {
        let mut writer = WriterBuilder::new()
            .has_headers(false)
            .buffer_capacity(BUFFER_BYTES)
            .from_writer(AtomicFile::create(path)?);
        writer
            .write_record(columns.iter().map(|column| &column.name))
            .map_err(|error| write_error(path, error.into()))?;
        Ok(Self { path: path.to_owned(), writer })
    }

    pub(super) fn write(&mut self, chunk: &Chunk) -> Result<(), TableError> {
        for row in 0..chunk.len() {
            let columns = &chunk.columns;
            self.writer.serialize(Row { columns, row }).map_err(|error| write_error(&self.path, error.into()))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), TableError> {
        let Self { path, writer } = self;
        let file = writer.into_inner().map_err(|error| write_error(&path, error.into_error()))?;
        file.commit()
    }
}

/// One row across the columns of a chunk.
struct Row<'a> {
    columns: &'a [Values],
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut cells = serializer.serialize_seq(Some(self.columns.len()))?;
        for values in self.columns {
            match values {
                Values::Number(values) => cells.serialize_element(&values[self.row])?,
                Values::Integer(values) => cells.serialize_element(&values[self.row])?,
                Values::Text(values) => cells.serialize_element(&values[self.row])?,
            }
        }
        cells.end()
    }
}
