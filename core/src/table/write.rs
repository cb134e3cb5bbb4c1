//! Writing a table chunk by chunk.

use std::fmt;
use std::path::{Path, PathBuf};

use super::csv_sink::CsvSink;
use super::parquet_sink::ParquetSink;
use super::{Chunk, Column, ColumnKind, Format, Place, TableError, Values, first_duplicate};

/// Writes a table that appears under its name only when it is [finished](Self::finish).
///
/// Dropped without `finish` it leaves nothing behind, and an existing table with that name remains.
///
/// # Example
///
/// ```
/// # use touchdown_core as touchdown;
/// use touchdown::table::{Chunk, Column, ColumnKind, TableWriter, Values};
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("speeds.csv");
/// let columns = [Column::new("speed", ColumnKind::Number, "m/s", "Speed at touchdown.")];
/// let mut writer = TableWriter::create(&path, &columns, &[])?;
/// writer.write(&Chunk {
///     first_row: 0,
///     columns: vec![Values::Number(vec![Some(61.5), None])],
/// })?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "speed\n61.5\n\"\"\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    path: PathBuf,
    kinds: Vec<(String, ColumnKind)>,
    rows: u64,
    sink: Sink,
}

enum Sink {
    Csv(Box<CsvSink>),
    Parquet(Box<ParquetSink>),
}

impl fmt::Debug for TableWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kinds, rows, sink: _ } = self;
        let mut shown = formatter.debug_struct("TableWriter");
        shown.field("path", path).field("kinds", kinds).field("rows", rows).finish_non_exhaustive()
    }
}

impl TableWriter {
    /// Starts a table. CSV has no place for units, descriptions and metadata; they are omitted there.
    ///
    /// # Errors
    ///
    /// A suffix other than `.csv` and `.parquet`, no columns or two with the same name, a directory that is missing or
    /// not writable.
    pub fn create(path: &Path, columns: &[Column], metadata: &[(String, String)]) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        check_columns(path, columns)?;
        let sink = match format {
            Format::Csv => Sink::Csv(Box::new(CsvSink::create(path, columns)?)),
            Format::Parquet => Sink::Parquet(Box::new(ParquetSink::create(path, columns, metadata)?)),
        };
        Ok(Self::of(path, columns, sink))
    }

    /// The same for a Parquet table with the SHA-256 of its whole content, whatever its suffix;
    /// [`TableReader::open_verified`](super::TableReader::open_verified) reads it.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn create_with_checksum(
        path: &Path,
        columns: &[Column],
        metadata: &[(String, String)],
    ) -> Result<Self, TableError> {
        check_columns(path, columns)?;
        let sink = Sink::Parquet(Box::new(ParquetSink::create_with_checksum(path, columns, metadata)?));
        Ok(Self::of(path, columns, sink))
    }

    fn of(path: &Path, columns: &[Column], sink: Sink) -> Self {
        Self {
            path: path.to_owned(),
            kinds: columns.iter().map(|column| (column.name.clone(), column.kind)).collect(),
            rows: 0,
            sink,
        }
    }

    /// Appends the rows of a chunk of any length. A refused chunk leaves the table unchanged.
    ///
    /// # Errors
    ///
    /// [`TableError::ChunkShape`] if the columns differ from the table's in number, kind or length,
    /// [`TableError::BadValue`] for NaN and infinities, [`TableError::Write`] if writing fails; a table with such a
    /// failure can no longer be finished.
    pub fn write(&mut self, chunk: &Chunk) -> Result<(), TableError> {
        self.check_shape(chunk)?;
        self.check_finite(chunk)?;
        match &mut self.sink {
            Sink::Csv(sink) => sink.write(chunk)?,
            Sink::Parquet(sink) => sink.write(chunk)?,
        }
        self.rows += chunk.len() as u64;
        Ok(())
    }

    /// Completes the table, flushes it to disk and renames it.
    ///
    /// # Errors
    ///
    /// [`TableError::Write`] with the cause; the table does not exist then.
    pub fn finish(self) -> Result<(), TableError> {
        match self.sink {
            Sink::Csv(sink) => sink.finish(),
            Sink::Parquet(sink) => sink.finish(),
        }
    }

    fn check_shape(&self, chunk: &Chunk) -> Result<(), TableError> {
        if chunk.columns.len() != self.kinds.len() {
            return Err(
                self.shape_error(format!("{} columns", chunk.columns.len()), format!("{} columns", self.kinds.len()))
            );
        }
        let rows = chunk.len();
        for ((name, kind), values) in self.kinds.iter().zip(&chunk.columns) {
            if values.kind() != *kind {
                return Err(self.shape_error(format!("{} as column {name}", values.kind()), kind.to_string()));
            }
            if values.len() != rows {
                return Err(self.shape_error(
                    format!("{} values in column {name} and {rows} in the first", values.len()),
                    "columns of one length".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn shape_error(&self, found: String, expected: String) -> TableError {
        TableError::ChunkShape { path: self.path.clone(), found, expected }
    }

    fn check_finite(&self, chunk: &Chunk) -> Result<(), TableError> {
        for ((name, kind), values) in self.kinds.iter().zip(&chunk.columns) {
            let Values::Number(values) = values else {
                continue;
            };
            let not_finite = |value: &Option<f64>| value.is_some_and(|value| !value.is_finite());
            if let Some(row) = values.iter().position(not_finite) {
                return Err(TableError::BadValue {
                    path: self.path.clone(),
                    place: Place::Row(self.rows + row as u64),
                    column: name.clone(),
                    found: values[row].map_or_else(String::new, |value| value.to_string()),
                    kind: *kind,
                });
            }
        }
        Ok(())
    }
}

fn check_columns(path: &Path, columns: &[Column]) -> Result<(), TableError> {
    if columns.is_empty() {
        return Err(TableError::NoColumns { path: path.to_owned() });
    }
    match first_duplicate(columns.iter().map(|column| column.name.as_str())) {
        None => Ok(()),
        Some(column) => Err(TableError::DuplicateColumn { path: path.to_owned(), column: column.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::basic::{Compression, Encoding};
    use parquet::file::metadata::RowGroupMetaData;
    use proptest::prelude::*;

    use super::super::{CHUNK_ROWS, TableReader, Wanted};
    use super::*;

    const ENDINGS: [&str; 2] = ["csv", "parquet"];

    fn columns() -> Vec<Column> {
        vec![
            Column::new("sink rate", ColumnKind::Number, "m/s", "Downward speed, at \"touchdown\"."),
            Column::new("item", ColumnKind::Integer, "", "Number of the landing."),
            Column::new("class", ColumnKind::Text, "", "How it ended."),
        ]
    }

    fn wanted() -> Vec<Wanted> {
        columns().iter().map(|column| Wanted::optional(&column.name, column.kind)).collect()
    }

    fn metadata() -> Vec<(String, String)> {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        vec![pair("engine", "reference"), pair("adapter", "")]
    }

    type Row = (Option<f64>, Option<i64>, Option<String>);

    fn chunk(first_row: u64, rows: &[Row]) -> Chunk {
        Chunk {
            first_row,
            columns: vec![
                Values::Number(rows.iter().map(|row| row.0).collect()),
                Values::Integer(rows.iter().map(|row| row.1).collect()),
                Values::Text(rows.iter().map(|row| row.2.clone()).collect()),
            ],
        }
    }

    fn rows_of(chunks: &[Chunk]) -> Vec<Row> {
        let rows = |chunk: &Chunk| -> Vec<Row> {
            let numbers = chunk.numbers(0).unwrap().iter().copied();
            let integers = chunk.integers(1).unwrap().iter().copied();
            let texts = chunk.texts(2).unwrap().iter().cloned();
            numbers.zip(integers).zip(texts).map(|((x, n), t)| (x, n, t)).collect()
        };
        chunks.iter().flat_map(rows).collect()
    }

    fn write_in_pieces(path: &Path, rows: &[Row], piece: usize) {
        let mut writer = TableWriter::create(path, &columns(), &metadata()).unwrap();
        for (index, rows) in rows.chunks(piece).enumerate() {
            writer.write(&chunk((index * piece) as u64, rows)).unwrap();
        }
        writer.finish().unwrap();
    }

    fn any_row() -> impl Strategy<Value = Row> {
        use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
        (
            prop::option::of(POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO),
            prop::option::of(any::<i64>()),
            prop::option::of(prop_oneof![any::<String>(), "[ ,\"\r\n;a]{0,4}".prop_map(|text: String| text),]),
        )
    }

    /// A row whose numbers compare by their bits, so that -0 differs from 0.
    fn bits(row: &Row) -> (Option<u64>, Option<i64>, Option<&str>) {
        (row.0.map(f64::to_bits), row.1, row.2.as_deref())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read_back_bit_for_bit(rows in prop::collection::vec(any_row(), 0..40), piece in 1_usize..50) {
            let directory = tempfile::tempdir().unwrap();
            for ending in ENDINGS {
                let path = directory.path().join(format!("t.{ending}"));
                write_in_pieces(&path, &rows, piece);
                let chunks: Result<Vec<Chunk>, _> = TableReader::open(&path, &wanted()).unwrap().collect();
                let read = rows_of(&chunks.unwrap());
                let mut expected = rows.clone();
                if ending == "csv" {
                    // An empty cell is a missing text.
                    for row in &mut expected {
                        row.2.take_if(|text| text.is_empty());
                    }
                }
                let bits_of = |rows: &[Row]| -> Vec<_> { rows.iter().map(|row| format!("{:?}", bits(row))).collect() };
                prop_assert_eq!(bits_of(&read), bits_of(&expected), "{}", ending);
            }
        }
    }

    fn long_table(rows: usize) -> Vec<Row> {
        (0..rows)
            .map(|row| {
                let number = (row % 11 > 0).then_some((row as f64).sqrt());
                let text = (row % 13 > 0).then(|| format!("class {}", row % 6));
                (number, Some(row as i64), text)
            })
            .collect()
    }

    #[test]
    fn bytes_do_not_depend_on_how_the_rows_are_cut() {
        let directory = tempfile::tempdir().unwrap();
        let rows = long_table(2 * CHUNK_ROWS + 1_000);
        for ending in ENDINGS {
            let path = directory.path().join(format!("t.{ending}"));
            write_in_pieces(&path, &rows, rows.len());
            let whole = fs::read(&path).unwrap();
            for piece in [997, CHUNK_ROWS - 1, CHUNK_ROWS] {
                write_in_pieces(&path, &rows, piece);
                assert!(fs::read(&path).unwrap() == whole, "{ending} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn long_tables_are_read_in_numbered_chunks() {
        let directory = tempfile::tempdir().unwrap();
        let rows = long_table(CHUNK_ROWS + 1_000);
        for ending in ENDINGS {
            let path = directory.path().join(format!("t.{ending}"));
            write_in_pieces(&path, &rows, 40_000);
            let chunks: Vec<Chunk> = TableReader::open(&path, &wanted()).unwrap().map(Result::unwrap).collect();
            let shapes: Vec<_> = chunks.iter().map(|chunk| (chunk.first_row, chunk.len())).collect();
            assert_eq!(shapes, [(0, CHUNK_ROWS), (CHUNK_ROWS as u64, 1_000)], "{ending}");
            assert!(rows_of(&chunks) == rows, "{ending}");
        }
    }

    #[test]
    fn the_parquet_file_says_units_encodings_and_metadata_to_any_reader() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        write_in_pieces(&path, &long_table(CHUNK_ROWS + 1), 1_000);
        let file = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        for (field, column) in file.schema().fields().iter().zip(columns()) {
            assert_eq!(*field.name(), column.name);
            assert_eq!(field.metadata()["unit"], column.unit);
            assert_eq!(field.metadata()["description"], column.description);
        }
        let footer = file.metadata().file_metadata();
        let created_by = format!("touchdown version {}", env!("CARGO_PKG_VERSION"));
        assert_eq!(footer.created_by(), Some(created_by.as_str()));
        let entries = footer.key_value_metadata().unwrap();
        assert!(entries.iter().any(|entry| entry.key == "engine" && entry.value.as_deref() == Some("reference")));
        assert_eq!(file.schema().metadata()["engine"], "reference");
        let group_rows: Vec<i64> = file.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).collect();
        assert_eq!(group_rows, [CHUNK_ROWS as i64, 1]);
        let encodings = [Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::RLE_DICTIONARY];
        for (chunk, encoding) in file.metadata().row_group(0).columns().iter().zip(encodings) {
            assert_eq!(chunk.compression(), Compression::SNAPPY);
            assert!(chunk.encodings().any(|used| used == encoding), "{encoding}");
        }
        let reader = TableReader::open(&path, &[]).unwrap();
        assert_eq!(reader.column_names(), ["sink rate", "item", "class"]);
        let pairs: Vec<_> = reader.metadata().clone().into_iter().collect();
        let mut expected = metadata();
        expected.sort();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn csv_is_plain_to_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.CSV");
        let rows = [
            (Some(0.1), Some(-3), Some("a, \"b\"".to_owned())),
            (None, None, None),
            (Some(1e300), Some(0), Some("dry".to_owned())),
        ];
        write_in_pieces(&path, &rows, 2);
        let expected = "sink rate,item,class\n0.1,-3,\"a, \"\"b\"\"\"\n,,\n1e300,0,dry\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert!(TableReader::open(&path, &[]).unwrap().metadata().is_empty());
    }

    #[test]
    fn an_unfinished_table_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        for ending in ENDINGS {
            let path = directory.path().join(format!("t.{ending}"));
            let mut writer = TableWriter::create(&path, &columns(), &[]).unwrap();
            writer.write(&chunk(0, &long_table(CHUNK_ROWS + 1))).unwrap();
            assert!(!path.exists());
            drop(writer);
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{ending}");
        }
    }

    #[test]
    fn chunks_that_do_not_fit_are_refused_and_change_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let good = chunk(0, &long_table(3));
        let mut few = good.clone();
        few.columns.pop();
        let mut swapped = good.clone();
        swapped.columns.swap(0, 1);
        let mut ragged = good.clone();
        ragged.columns[2] = Values::Text(vec![None]);
        for ending in ENDINGS {
            let path = directory.path().join(format!("t.{ending}"));
            let mut writer = TableWriter::create(&path, &columns(), &[]).unwrap();
            for bad in [&few, &swapped, &ragged] {
                let error = writer.write(bad).unwrap_err();
                assert!(matches!(error, TableError::ChunkShape { .. }), "{error:?}");
            }
            writer.write(&good).unwrap();
            for bad in [f64::NAN, f64::INFINITY] {
                let mut chunk = good.clone();
                chunk.columns[0] = Values::Number(vec![Some(1.0), None, Some(bad)]);
                let error = writer.write(&chunk).unwrap_err().to_string();
                assert!(error.contains("row 5 (the first is 0): column sink rate: "), "{error}");
            }
            writer.finish().unwrap();
            let chunks: Vec<Chunk> = TableReader::open(&path, &wanted()).unwrap().map(Result::unwrap).collect();
            assert_eq!(chunks, std::slice::from_ref(&good), "{ending}");
        }
    }

    #[test]
    fn tables_that_cannot_be_are_refused_before_anything_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let create = |name: &str, columns: &[Column]| {
            TableWriter::create(&directory.path().join(name), columns, &[]).err().unwrap()
        };
        let error = create("t.xlsx", &columns());
        assert!(matches!(error, TableError::UnknownEnding { .. }), "{error:?}");
        for ending in ENDINGS {
            let error = create(&format!("t.{ending}"), &[]);
            assert!(matches!(error, TableError::NoColumns { .. }), "{error:?}");
            let twice = [columns(), columns()].concat();
            let error = create(&format!("t.{ending}"), &twice);
            assert!(matches!(error, TableError::DuplicateColumn { .. }), "{error:?}");
            let error = create(&format!("nowhere/t.{ending}"), &columns());
            assert!(matches!(error, TableError::NoDirectory { .. }), "{error:?}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn one_column_with_missing_values_keeps_its_rows_in_csv() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        let column = [Column::new("x", ColumnKind::Number, "m", "")];
        let mut writer = TableWriter::create(&path, &column, &[]).unwrap();
        let values = vec![Values::Number(vec![None, Some(1.0), None])];
        writer.write(&Chunk { first_row: 0, columns: values.clone() }).unwrap();
        writer.finish().unwrap();
        let mut reader = TableReader::open(&path, &[Wanted::optional("x", ColumnKind::Number)]).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().columns, values);
    }
}
