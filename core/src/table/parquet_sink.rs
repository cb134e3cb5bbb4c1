//! Writing tables as Parquet.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::atomic::{AtomicFile, write_error};
use super::checksum;
use super::{CHUNK_ROWS, Chunk, Column, ColumnKind, TableError};

/// Writes rows of a Parquet file.
pub(super) struct ParquetSink {
    path: PathBuf,
    schema: SchemaRef,
    writer: ArrowWriter<AtomicFile>,
    /// Rows that wait for their row group to be full: pages are cut by what is written at once.
    waiting: Vec<Waiting>,
    rows_waiting: usize,
    has_checksum: bool,
}

impl ParquetSink {
    pub(super) fn create(path: &Path, columns: &[Column], metadata: &[(String, String)]) -> Result<Self, TableError> {
        // Readers by way of Arrow see what the schema has, and not what the file has beside it.
        let schema = schema(columns).with_metadata(metadata.iter().cloned().collect::<HashMap<_, _>>());
        Self::with_schema(path, schema, columns, metadata)
    }

    /// Of a table whose schema says this.
    fn with_schema(
        path: &Path,
        schema: Schema,
        columns: &[Column],
        metadata: &[(String, String)],
    ) -> Result<Self, TableError> {
        let schema = Arc::new(schema);
        let properties = properties(columns, metadata);
        let file = AtomicFile::create(path)?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .map_err(|error| encode_error(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            schema,
            writer,
            waiting: columns.iter().map(|column| Waiting::new(column.kind)).collect(),
            rows_waiting: 0,
            has_checksum: false,
        })
    }

    /// The same with the sum of the whole file in its metadata, which is for this program: long, and once there.
    pub(super) fn create_with_checksum(
        path: &Path,
        columns: &[Column],
        metadata: &[(String, String)],
    ) -> Result<Self, TableError> {
        let place = (checksum::KEY.to_owned(), checksum::ZEROS.to_owned());
        let sink = Self::with_schema(path, schema(columns), columns, &[metadata, &[place]].concat())?;
        Ok(Self { has_checksum: true, ..sink })
    }

    pub(super) fn write(&mut self, chunk: &Chunk) -> Result<(), TableError> {
        let mut start = 0;
        while start < chunk.len() {
            let end = chunk.len().min(start + CHUNK_ROWS - self.rows_waiting);
            for (column, waiting) in self.waiting.iter_mut().enumerate() {
                waiting.append(chunk, column, start..end)?;
            }
            self.rows_waiting += end - start;
            start = end;
            if self.rows_waiting == CHUNK_ROWS {
                self.write_row_group()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), TableError> {
        if self.rows_waiting > 0 {
            self.write_row_group()?;
        }
        let Self { path, writer, has_checksum, .. } = self;
        let mut file = writer.into_inner().map_err(|error| encode_error(&path, error))?;
        if has_checksum {
            file.seal().map_err(|source| write_error(&path, source))?;
        }
        file.commit()
    }

    fn write_row_group(&mut self) -> Result<(), TableError> {
        let arrays = self.waiting.iter_mut().map(Waiting::take).collect();
        self.rows_waiting = 0;
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
            .map_err(ParquetError::from)
            .and_then(|batch| self.writer.write(&batch))
            .and_then(|()| self.writer.flush())
            .map_err(|error| encode_error(&self.path, error))
    }
}

/// One column's values of a row group that is not yet full.
enum Waiting {
    Number(Float64Builder),
    Integer(Int64Builder),
    Text(StringBuilder),
}

impl Waiting {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Number => Self::Number(Float64Builder::new()),
            ColumnKind::Integer => Self::Integer(Int64Builder::new()),
            ColumnKind::Text => Self::Text(StringBuilder::new()),
        }
    }

    fn append(&mut self, chunk: &Chunk, column: usize, rows: Range<usize>) -> Result<(), TableError> {
        match self {
            Self::Number(waiting) => waiting.extend(chunk.numbers(column)?[rows].iter().copied()),
            Self::Integer(waiting) => waiting.extend(chunk.integers(column)?[rows].iter().copied()),
            Self::Text(waiting) => {
                waiting.extend(chunk.texts(column)?[rows].iter().map(Option::as_deref));
            }
        }
        Ok(())
    }

    fn take(&mut self) -> ArrayRef {
        match self {
            Self::Number(waiting) => Arc::new(waiting.finish()),
            Self::Integer(waiting) => Arc::new(waiting.finish()),
            Self::Text(waiting) => Arc::new(waiting.finish()),
        }
    }
}

fn schema(columns: &[Column]) -> Schema {
    Schema::new(columns.iter().map(arrow_field).collect::<Vec<_>>())
}

fn arrow_field(column: &Column) -> Field {
    let data_type = match column.kind {
        ColumnKind::Number => DataType::Float64,
        ColumnKind::Integer => DataType::Int64,
        ColumnKind::Text => DataType::Utf8,
    };
    Field::new(&column.name, data_type, true)
        .with_metadata([("unit", column.unit.as_str()), ("description", column.description.as_str())])
}

fn properties(columns: &[Column], metadata: &[(String, String)]) -> WriterProperties {
    let entries = metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    let mut builder = WriterProperties::builder()
        // Bytes change with this program's version, not with that of a library.
        .set_created_by(concat!("touchdown version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(entries))
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(CHUNK_ROWS))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_enabled(false);
    for column in columns {
        let path = ColumnPath::new(vec![column.name.clone()]);
        builder = match column.kind {
            // Samples of a distribution rarely repeat.
            ColumnKind::Number => builder.set_column_encoding(path, Encoding::PLAIN),
            // Counts, flags and item numbers are small or rise slowly.
            ColumnKind::Integer => builder.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            ColumnKind::Text => builder.set_column_dictionary_enabled(path, true),
        };
    }
    builder.build()
}

/// The cause of a failed write: the disk's, where it is the disk's.
fn encode_error(path: &Path, error: ParquetError) -> TableError {
    let path = path.to_owned();
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => write_error(&path, *source),
            Err(source) => TableError::WriteParquet { path, source: ParquetError::External(source) },
        },
        source => TableError::WriteParquet { path, source },
    }
}
