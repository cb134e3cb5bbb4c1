//! Reading tables from Parquet.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Schema};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ProjectionMask};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::error::excerpt;
use super::guard::guarded;
use super::parquet_cells::{integers, numbers, texts};
use super::parquet_footer;
use super::select::{Header, Selected, select};
use super::{CHUNK_ROWS, Chunk, ColumnKind, Place, TableError, Values, Wanted, whole};

/// Reads rows of a Parquet file.
pub(super) struct ParquetSource {
    path: PathBuf,
    batches: ParquetRecordBatchReader,
    /// The wanted columns, with their positions among those that are read.
    columns: Vec<Selected>,
    rows_read: u64,
}

impl ParquetSource {
    /// Reads the footer.
    pub(super) fn open(path: &Path, file: File, wanted: &[Wanted]) -> Result<(Self, Header), TableError> {
        parquet_footer::check(&file).map_err(|why| read_error(path, ParquetError::General(why)))?;
        let builder = decoded(path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
        check_compression(path, builder.metadata())?;
        let schema = builder.schema().clone();
        let column_names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let mut columns = select(path, &column_names, wanted)?;
        check_types(path, &columns, &schema)?;
        let header = Header { column_names, metadata: own_metadata(builder.metadata()) };
        let read = positions_among_read(&mut columns);
        let mask = ProjectionMask::roots(builder.parquet_schema(), read);
        let builder = builder.with_batch_size(CHUNK_ROWS).with_projection(mask);
        let batches = decoded(path, || builder.build())?;
        let source = Self { path: path.to_owned(), batches, columns, rows_read: 0 };
        Ok((source, header))
    }

    /// The next rows; `None` at the end of the file.
    pub(super) fn next_chunk(&mut self) -> Result<Option<Chunk>, TableError> {
        let batches = &mut self.batches;
        let next = decoded(&self.path, || Ok(batches.next().transpose()?))?;
        let Some(batch) = next else {
            return Ok(None);
        };
        let first_row = self.rows_read;
        let columns = self
            .columns
            .iter()
            .map(|column| match column.position {
                Some(position) => self.values(column, batch.column(position)),
                None => Ok(Values::missing(column.kind, batch.num_rows())),
            })
            .collect::<Result<_, _>>()?;
        self.rows_read += batch.num_rows() as u64;
        Ok(Some(Chunk { first_row, columns }))
    }

    fn values(&self, column: &Selected, array: &ArrayRef) -> Result<Values, TableError> {
        if column.required_value {
            self.check_present(column, array)?;
        }
        match column.kind {
            ColumnKind::Number => self.numbers(column, array).map(Values::Number),
            ColumnKind::Integer => self.integers(column, array).map(Values::Integer),
            ColumnKind::Text => Ok(Values::Text(texts(array))),
        }
    }

    fn check_present(&self, column: &Selected, array: &ArrayRef) -> Result<(), TableError> {
        let first_null = array.logical_nulls().and_then(|nulls| nulls.iter().position(|valid| !valid));
        match first_null {
            None => Ok(()),
            Some(row) => Err(TableError::MissingValue {
                path: self.path.clone(),
                place: self.place(row),
                column: column.name.clone(),
                kind: column.kind,
            }),
        }
    }

    fn numbers(&self, column: &Selected, array: &ArrayRef) -> Result<Vec<Option<f64>>, TableError> {
        let numbers = numbers(array);
        let not_finite = |&(_, number): &(usize, f64)| !number.is_finite();
        let mut present = numbers.iter().enumerate().filter_map(|(row, number)| Some((row, (*number)?)));
        match present.find(not_finite) {
            None => Ok(numbers),
            Some((row, number)) => Err(self.bad_value(column, row, &number.to_string())),
        }
    }

    fn integers(&self, column: &Selected, array: &ArrayRef) -> Result<Vec<Option<i64>>, TableError> {
        if is_floating(array.data_type()) {
            let narrowed = |(row, number): (usize, Option<f64>)| {
                let narrow = |number| whole(number).ok_or_else(|| self.bad_value(column, row, &number.to_string()));
                number.map(narrow).transpose()
            };
            return numbers(array).into_iter().enumerate().map(narrowed).collect();
        }
        let narrowed = |(row, integer): (usize, Option<i128>)| {
            let narrow =
                |integer: i128| i64::try_from(integer).map_err(|_| self.bad_value(column, row, &integer.to_string()));
            integer.map(narrow).transpose()
        };
        integers(array).into_iter().enumerate().map(narrowed).collect()
    }

    fn bad_value(&self, column: &Selected, row: usize, found: &str) -> TableError {
        TableError::BadValue {
            path: self.path.clone(),
            place: self.place(row),
            column: column.name.clone(),
            found: excerpt(found),
            kind: column.kind,
        }
    }

    fn place(&self, row: usize) -> Place {
        Place::Row(self.rows_read + row as u64)
    }
}

/// What the decoder gives. After a panic inside it the reader gives no more chunks, so no half-changed decoder is used
/// again.
fn decoded<T>(path: &Path, decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, TableError> {
    let result = guarded(decode).unwrap_or_else(|reason| Err(ParquetError::General(reason)));
    result.map_err(|source| read_error(path, source))
}

fn read_error(path: &Path, source: ParquetError) -> TableError {
    TableError::ReadParquet { path: path.to_owned(), source }
}

/// Refuses what would need a library of its own to read.
fn check_compression(path: &Path, metadata: &ParquetMetaData) -> Result<(), TableError> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let is_read =
        |column: &&ColumnChunkMetaData| matches!(column.compression(), Compression::UNCOMPRESSED | Compression::SNAPPY);
    match columns.into_iter().find(|column| !is_read(column)) {
        None => Ok(()),
        Some(column) => Err(TableError::Compressed {
            path: path.to_owned(),
            column: column.column_path().string(),
            // Without its level.
            compression: format!("{:?}", column.compression()).split('(').next().unwrap_or_default().to_lowercase(),
        }),
    }
}

fn check_types(path: &Path, columns: &[Selected], schema: &Schema) -> Result<(), TableError> {
    for column in columns {
        let Some(position) = column.position else {
            continue;
        };
        let found = schema.field(position).data_type();
        if !can_give(column.kind, found) {
            return Err(TableError::ColumnType {
                path: path.to_owned(),
                column: column.name.clone(),
                found: found.to_string(),
                kind: column.kind,
            });
        }
    }
    Ok(())
}

/// Whether values of a type have a place in a kind. NaN, infinities and what no i64 is are refused by their row.
fn can_give(kind: ColumnKind, found: &DataType) -> bool {
    match (kind, found) {
        (_, DataType::Dictionary(_, value)) => can_give(kind, value),
        // A column without any value says nothing of its type.
        (_, DataType::Null) => true,
        (ColumnKind::Number | ColumnKind::Integer, found) => found.is_integer() || found.is_floating(),
        (ColumnKind::Text, found) => found.is_string(),
    }
}

fn is_floating(found: &DataType) -> bool {
    match found {
        DataType::Dictionary(_, value) => is_floating(value),
        found => found.is_floating(),
    }
}

/// The key-value metadata without the entry that describes the arrow types.
fn own_metadata(file: &ParquetMetaData) -> BTreeMap<String, String> {
    let entries = file.file_metadata().key_value_metadata();
    entries
        .into_iter()
        .flatten()
        .filter(|entry| entry.key != ARROW_SCHEMA_META_KEY)
        .map(|entry| (entry.key.clone(), entry.value.clone().unwrap_or_default()))
        .collect()
}

/// Turns positions among the file's columns into positions among those that are read, and gives the latter.
fn positions_among_read(columns: &mut [Selected]) -> BTreeSet<usize> {
    let read: BTreeSet<usize> = columns.iter().filter_map(|column| column.position).collect();
    for column in columns {
        column.position = column.position.map(|position| read.range(..position).count());
    }
    read
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        DictionaryArray, Float32Array, Float64Array, Int16Array, Int32Array, LargeStringArray, NullArray, RecordBatch,
        StringArray, TimestampSecondArray, UInt64Array,
    };
    use parquet::arrow::ArrowWriter;
    use proptest::prelude::*;

    use super::super::{Column, TableReader, TableWriter};
    use super::*;

    /// Writes arrays as another program would: through the parquet crate, without this module's writer.
    fn foreign_file(directory: &Path, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
        let path = directory.join("t.parquet");
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
                .unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path
    }

    fn read(columns: Vec<(&str, ArrayRef)>, wanted: &[Wanted]) -> Result<Chunk, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = foreign_file(directory.path(), columns);
        let prefix = format!("{}/", directory.path().display());
        let shorten = |error: TableError| error.to_string().replace(&prefix, "");
        let mut reader = TableReader::open(&path, wanted).map_err(shorten)?;
        reader.next().unwrap().map_err(shorten)
    }

    #[test]
    fn every_integer_and_float_type_gives_numbers() {
        let narrow = Float32Array::from(vec![Some(0.1), None]);
        let dictionary: DictionaryArray<Int32Type> =
            DictionaryArray::new(Int32Array::from(vec![Some(1), None]), Arc::new(Float64Array::from(vec![7.0, 2.5])));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("not wanted", Arc::new(NullArray::new(2))),
            ("f32", Arc::new(narrow)),
            ("i16", Arc::new(Int16Array::from(vec![Some(-3), None]))),
            ("u64", Arc::new(UInt64Array::from(vec![Some(1 << 63), None]))),
            ("dictionary", Arc::new(dictionary)),
            ("nothing", Arc::new(NullArray::new(2))),
        ];
        // Neither the file's order nor all its columns, so a mix-up of positions shows.
        let names = ["nothing", "u64", "f32", "dictionary", "i16"];
        let expected = [None, Some(9_223_372_036_854_775_808.0), Some(f64::from(0.1_f32)), Some(2.5), Some(-3.0)];
        let wanted = names.map(|name| Wanted::optional(name, ColumnKind::Number));
        let chunk = read(columns, &wanted).unwrap();
        for (column, expected) in expected.into_iter().enumerate() {
            assert_eq!(chunk.numbers(column).unwrap(), [expected, None], "{}", names[column]);
        }
    }

    #[test]
    fn every_string_type_gives_text() {
        let dictionary: DictionaryArray<Int32Type> = [Some("dry"), None, Some("dry")].into_iter().collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("utf8", Arc::new(StringArray::from(vec![Some("dry"), None, Some("")]))),
            ("large", Arc::new(LargeStringArray::from(vec![Some("dry"), None, Some("é")]))),
            ("dictionary", Arc::new(dictionary)),
        ];
        let wanted = ["utf8", "large", "dictionary"].map(|name| Wanted::optional(name, ColumnKind::Text));
        let chunk = read(columns, &wanted).unwrap();
        for (column, last) in ["", "é", "dry"].into_iter().enumerate() {
            let expected = [Some("dry".to_owned()), None, Some(last.to_owned())];
            assert_eq!(chunk.texts(column).unwrap(), expected);
        }
    }

    #[test]
    fn other_types_are_refused_by_name() {
        let array: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1]));
        let error = read(vec![("t", array)], &[Wanted::required("t", ColumnKind::Number)]);
        assert!(error.unwrap_err().starts_with("t.parquet: column t holds Timestamp(s"));
        let array: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
        let error = read(vec![("t", array)], &[Wanted::required("t", ColumnKind::Text)]);
        assert_eq!(error.unwrap_err(), "t.parquet: column t holds Float64; text in UTF-8 is needed");
    }

    #[test]
    fn whole_floats_are_integers_and_no_others() {
        let wanted = [Wanted::optional("n", ColumnKind::Integer)];
        let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(-3.0), None, Some(1e15)]));
        let chunk = read(vec![("n", array)], &wanted).unwrap();
        assert_eq!(chunk.integers(0).unwrap(), [Some(-3), None, Some(1_000_000_000_000_000)]);
        for bad in [0.5, 9_007_199_254_740_992.0, f64::NAN, f64::NEG_INFINITY] {
            let array: ArrayRef = Arc::new(Float64Array::from(vec![1.0, bad]));
            let error = read(vec![("n", array)], &wanted).unwrap_err();
            assert!(error.starts_with("t.parquet: row 1 (the first is 0): column n: "), "{error}");
            assert!(error.ends_with(" is not an integer of 64 bits"), "{error}");
        }
    }

    #[test]
    fn values_without_a_place_in_their_kind_are_refused_with_their_row() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(bad)]));
            let error = read(vec![("x", array)], &[Wanted::optional("x", ColumnKind::Number)]);
            let error = error.unwrap_err();
            assert!(error.starts_with("t.parquet: row 2 (the first is 0): column x: "), "{error}");
            assert!(error.ends_with(" is not a finite number"), "{error}");
        }
        let array: ArrayRef = Arc::new(UInt64Array::from(vec![None, Some(u64::MAX)]));
        let error = read(vec![("n", array)], &[Wanted::optional("n", ColumnKind::Integer)]);
        assert_eq!(
            error.unwrap_err(),
            "t.parquet: row 1 (the first is 0): column n: \"18446744073709551615\" is not an integer of 64 bits"
        );
        let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
        let error = read(vec![("x", array)], &[Wanted::required("x", ColumnKind::Number)]);
        assert_eq!(
            error.unwrap_err(),
            "t.parquet: row 1 (the first is 0): column x: there is no value; a finite number is needed"
        );
    }

    #[test]
    fn an_absent_optional_column_is_all_missing_even_alone() {
        let array: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
        let chunk = read(vec![("x", array)], &[Wanted::optional("y", ColumnKind::Text)]).unwrap();
        assert_eq!(chunk.texts(0).unwrap(), [None, None]);
    }

    /// The bytes of a table with every kind of column and several pages' worth of structure.
    fn sample_bytes(directory: &Path) -> Vec<u8> {
        let path = directory.join("sample.parquet");
        let columns = [
            Column::new("x", ColumnKind::Number, "m", ""),
            Column::new("n", ColumnKind::Integer, "", ""),
            Column::new("t", ColumnKind::Text, "", ""),
        ];
        let mut writer = TableWriter::create(&path, &columns, &[]).unwrap();
        let rows = 0..200_i32;
        let chunk = Chunk {
            first_row: 0,
            columns: vec![
                Values::Number(rows.clone().map(|row| (row % 7 > 0).then_some(f64::from(row) / 3.0)).collect()),
                Values::Integer(rows.clone().map(|row| Some(i64::from(row * row))).collect()),
                Values::Text(rows.map(|row| Some(format!("runway {}", row % 5))).collect()),
            ],
        };
        writer.write(&chunk).unwrap();
        writer.finish().unwrap();
        fs::read(path).unwrap()
    }

    fn read_all(path: &Path) -> Result<Vec<Chunk>, TableError> {
        let wanted = [
            Wanted::optional("x", ColumnKind::Number),
            Wanted::optional("n", ColumnKind::Integer),
            Wanted::optional("t", ColumnKind::Text),
        ];
        TableReader::open(path, &wanted)?.collect()
    }

    #[test]
    fn every_truncation_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let bytes = sample_bytes(directory.path());
        let path = directory.path().join("cut.parquet");
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let error = read_all(&path).unwrap_err();
            assert!(matches!(&error, TableError::ReadParquet { .. }), "{length}: {error:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        /// Damage may go unnoticed inside the values, but it never brings the program down.
        #[test]
        fn damaged_bytes_are_an_error_or_other_values_but_never_a_panic(
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            in_footer in any::<bool>(),
        ) {
            let directory = tempfile::tempdir().unwrap();
            let mut bytes = sample_bytes(directory.path());
            let length = bytes.len();
            let footer = u32::from_le_bytes(bytes[length - 8..length - 4].try_into().unwrap());
            let start = if in_footer { length - 8 - footer as usize } else { 0 };
            for (index, byte) in damage {
                bytes[start + index.index(length - start)] = byte;
            }
            let path = directory.path().join("damaged.parquet");
            fs::write(&path, bytes).unwrap();
            if let Err(error) = read_all(&path) {
                prop_assert!(error.to_string().contains("damaged.parquet"));
            }
        }
    }
}
