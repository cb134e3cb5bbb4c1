//! Rows as Arrow record batches, handed over by the C stream interface without a copy.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use touchdown::study::{Part, PartError, RunDirectory, Study};
use touchdown::table::{CHUNK_ROWS, Column, TableError, TableReader};

/// Record batches of one schema.
#[pyclass(frozen, module = "touchdown._touchdown")]
pub struct Rows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Rows {
    /// Arrow's protocol of capsules.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows a producer to ignore the wish for another schema.
        drop(requested_schema);
        let batches: Vec<Result<RecordBatch, ArrowError>> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Why rows cannot be read.
#[derive(Debug)]
pub struct RowsError(String);

impl std::fmt::Display for RowsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RowsError {}

impl From<TableError> for RowsError {
    fn from(error: TableError) -> Self {
        Self(error.to_string())
    }
}

impl From<PartError> for RowsError {
    fn from(error: PartError) -> Self {
        Self(error.to_string())
    }
}

impl Rows {
    /// The rows of all parts of a run, in order. Each file is verified, and is a part of this study.
    pub fn of_run(study: &Study, directory: &Path) -> Result<Self, RowsError> {
        let mut batches = Vec::new();
        let mut schema = None;
        for (name, path) in part_files(directory)? {
            // Levels of a subset simulation follow each from the one before, which whoever goes on from them checks.
            if study.subset().is_none() {
                let is_its = |&number: &u64| Part::file_name_of(number) == name && number < study.parts();
                let number = name.strip_suffix(ENDING).and_then(|number| number.parse().ok()).filter(is_its);
                let number =
                    number.ok_or_else(|| RowsError(format!("{}: is no part of this study", path.display())))?;
                Part::new(study, number, &Part::identity(&path)?).check(&path)?;
            }
            drop(TableReader::open_verified(&path, &[])?);
            let about = |cause: &dyn std::fmt::Display| RowsError(format!("{}: {cause}", path.display()));
            let file = File::open(&path).map_err(|error| about(&error))?;
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| about(&error))?;
            let reader = builder.with_batch_size(CHUNK_ROWS).build().map_err(|error| about(&error))?;
            // What files say of themselves differs from part to part; the columns do not.
            let fields = RecordBatchReader::schema(&reader).fields().clone();
            let common = schema.get_or_insert_with(|| Arc::new(Schema::new(fields)));
            for batch in reader {
                let batch = batch.map_err(|error| about(&error))?;
                let columns = batch.columns().to_vec();
                batches.push(RecordBatch::try_new(Arc::clone(common), columns).map_err(|error| about(&error))?);
            }
        }
        let schema = schema.ok_or_else(|| RowsError(format!("{}: the run has no parts yet", directory.display())))?;
        Ok(Self { schema, batches })
    }

    /// Columns of numbers, each with a value or none in each row.
    pub fn of_numbers(columns: &[Column], values: Vec<Vec<Option<f64>>>) -> Result<Self, ArrowError> {
        let field = |column: &Column| {
            let metadata = [("unit", &column.unit), ("description", &column.description)];
            let metadata = HashMap::from(metadata.map(|(key, value)| (key.to_owned(), value.clone())));
            Field::new(&column.name, DataType::Float64, true).with_metadata(metadata)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let arrays = values.into_iter().map(|column| Arc::new(Float64Array::from(column)) as ArrayRef).collect();
        Ok(Self { schema: Arc::clone(&schema), batches: vec![RecordBatch::try_new(schema, arrays)?] })
    }
}

/// How files of parts end.
const ENDING: &str = ".parquet";

/// The finished files of a run's parts, each with its name, in the order of their numbers.
fn part_files(directory: &Path) -> Result<Vec<(String, PathBuf)>, RowsError> {
    let parts = RunDirectory::open(directory).parts();
    let unreadable = |error: std::io::Error| RowsError(format!("{}: {error}", parts.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&parts).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.ends_with(ENDING) && !name.starts_with('.') {
            // Numbers are padded to five digits; longer ones come later.
            files.push((name.len(), name, path));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, name, path)| (name, path)).collect())
}
