//! Reading tables from comma-separated text.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::{self, FromStr};

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::error::excerpt;
use super::select::{Header, Selected, read_error, select};
use super::{CHUNK_ROWS, Chunk, Place, TableError, TextFile, Values, Wanted, whole};

/// Bytes per call of the operating system.
pub(super) const BUFFER_BYTES: usize = 1 << 18;

/// Longest row \[bytes\], but for a buffer: a row is held in memory, and a small compressed file may have one without end.
const MAX_ROW: usize = 16 << 20;

/// Bytes of text of a chunk, at most, but for a row: texts are held in memory.
const CHUNK_BYTES: u64 = 256 << 20;

/// A text whose rows end.
struct Rows {
    text: TextFile,
    /// Bytes since a row ended.
    since_row: usize,
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.since_row > MAX_ROW {
            return Err(io::Error::other(format!("a row has more than {MAX_ROW} bytes")));
        }
        let read = self.text.read(buffer)?;
        self.since_row += read;
        Ok(read)
    }
}

/// Reads rows of a CSV file.
pub(super) struct CsvSource {
    path: PathBuf,
    reader: Reader<Rows>,
    record: ByteRecord,
    cells_per_row: usize,
    columns: Vec<Selected>,
    rows_read: u64,
}

impl CsvSource {
    /// Reads the header row.
    pub(super) fn open(path: &Path, file: File, wanted: &[Wanted]) -> Result<(Self, Header), TableError> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            // Rows of another length are refused here, with the right line.
            .flexible(true)
            .buffer_capacity(BUFFER_BYTES)
            .from_reader(Rows { text: TextFile::new(file), since_row: 0 });
        let mut record = ByteRecord::new();
        let found = reader.read_byte_record(&mut record).map_err(|error| read_error(path, error.into()))?;
        if !found {
            return Err(TableError::NoHeader { path: path.to_owned() });
        }
        let column_names = header_names(path, &record)?;
        let columns = select(path, &column_names, wanted)?;
        let source = Self { path: path.to_owned(), reader, cells_per_row: record.len(), record, columns, rows_read: 0 };
        let header = Header { column_names, metadata: BTreeMap::new() };
        Ok((source, header))
    }

    /// The next rows; `None` at the end of the file.
    pub(super) fn next_chunk(&mut self) -> Result<Option<Chunk>, TableError> {
        let first_row = self.rows_read;
        let kinds = self.columns.iter().map(|column| column.kind);
        let mut columns: Vec<Values> = kinds.map(Values::empty).collect();
        let mut rows = 0;
        let first_byte = self.reader.position().byte();
        let is_full = |rows: usize, byte: u64| rows == CHUNK_ROWS || byte - first_byte > CHUNK_BYTES;
        while !is_full(rows, self.reader.position().byte()) && self.read_row()? {
            for (column, values) in self.columns.iter().zip(&mut columns) {
                let cell = column.position.and_then(|position| self.record.get(position));
                push_cell(values, cell.unwrap_or_default(), column.required_value)
                    .map_err(|refusal| self.refused(column, refusal))?;
            }
            rows += 1;
        }
        self.rows_read += rows as u64;
        Ok((rows > 0).then_some(Chunk { first_row, columns }))
    }

    fn read_row(&mut self) -> Result<bool, TableError> {
        let found =
            self.reader.read_byte_record(&mut self.record).map_err(|error| read_error(&self.path, error.into()))?;
        self.reader.get_mut().since_row = 0;
        if found && self.record.len() != self.cells_per_row {
            return Err(TableError::CellCount {
                path: self.path.clone(),
                place: self.place(),
                found: self.record.len(),
                expected: self.cells_per_row,
            });
        }
        Ok(found)
    }

    fn refused(&self, column: &Selected, refusal: Refusal) -> TableError {
        let (path, place) = (self.path.clone(), self.place());
        let (kind, column) = (column.kind, column.name.clone());
        match refusal {
            Refusal::Missing => TableError::MissingValue { path, place, column, kind },
            Refusal::OtherKind { found } => TableError::BadValue { path, place, column, found, kind },
        }
    }

    /// Where the current row begins. Reads the file again, so only an error may ask for it.
    fn place(&self) -> Place {
        let Some(position) = self.record.position() else {
            return Place::Row(self.rows_read);
        };
        // The position is that of the byte after the previous row: the rest of its line end and blank lines follow.
        let skipped = line_ends_at(&self.path, position.byte()).unwrap_or(0);
        Place::Line(position.line() + skipped)
    }
}

/// How many line ends stand at a byte of a file before anything else.
fn line_ends_at(path: &Path, byte: u64) -> io::Result<u64> {
    let mut line_ends = 0;
    for next in BufReader::new(TextFile::open_at(path, byte)?).bytes() {
        match next? {
            b'\n' => line_ends += 1,
            b'\r' => {}
            _ => break,
        }
    }
    Ok(line_ends)
}

fn header_names(path: &Path, header: &ByteRecord) -> Result<Vec<String>, TableError> {
    header
        .iter()
        .enumerate()
        .map(|(index, name)| match str::from_utf8(name) {
            Ok(name) => Ok(name.trim().to_owned()),
            Err(_) => Err(TableError::HeaderEncoding {
                path: path.to_owned(),
                number: index + 1,
                found: excerpt(&String::from_utf8_lossy(name)),
            }),
        })
        .collect()
}

/// Why a cell is refused.
enum Refusal {
    Missing,
    OtherKind { found: String },
}

fn push_cell(values: &mut Values, cell: &[u8], required: bool) -> Result<(), Refusal> {
    let cell = match values {
        Values::Number(_) | Values::Integer(_) => cell.trim_ascii(),
        Values::Text(_) => cell,
    };
    if cell.is_empty() {
        if required {
            return Err(Refusal::Missing);
        }
        values.push_missing();
        return Ok(());
    }
    let accepted = match values {
        Values::Number(values) => parse(cell)
            // "nan", "inf" and numbers beyond the range of f64 all parse.
            .filter(|value: &f64| value.is_finite())
            .map(|value| values.push(Some(value))),
        Values::Integer(values) => {
            let value = parse(cell).or_else(|| parse(cell).and_then(whole));
            value.map(|value| values.push(Some(value)))
        }
        Values::Text(values) => parse(cell).map(|value| values.push(Some(value))),
    };
    accepted.ok_or_else(|| Refusal::OtherKind { found: excerpt(&String::from_utf8_lossy(cell)) })
}

fn parse<T: FromStr>(cell: &[u8]) -> Option<T> {
    str::from_utf8(cell).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{ColumnKind, TableReader};
    use super::*;
    use std::fs;

    fn read(text: &[u8], wanted: &[Wanted]) -> Result<Vec<Chunk>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        fs::write(&path, text).unwrap();
        let prefix = format!("{}/", directory.path().display());
        let shorten = |error: TableError| error.to_string().replace(&prefix, "");
        let reader = TableReader::open(&path, wanted).map_err(shorten)?;
        reader.collect::<Result<_, _>>().map_err(shorten)
    }

    fn wanted(kind: ColumnKind) -> [Wanted; 1] {
        [Wanted::required("x", kind)]
    }

    fn refusal(text: &str, kind: ColumnKind) -> String {
        read(text.as_bytes(), &wanted(kind)).unwrap_err()
    }

    #[test]
    fn each_number_form_is_read_and_each_other_is_refused() {
        let chunks = read(b"x\n1\n-2.5\n+.5\n 3e-2 \n5.\n-0\n", &wanted(ColumnKind::Number));
        let numbers = [1.0, -2.5, 0.5, 0.03, 5.0, -0.0].map(Some);
        assert_eq!(chunks.unwrap()[0].numbers(0).unwrap(), numbers);
        for bad in ["abc", "NaN", "-inf", "infinity", "1e400", "1,5", "1_0", "0x10", "3 m"] {
            let error = refusal(&format!("x\n1\n\"{bad}\"\n"), ColumnKind::Number);
            assert_eq!(error, format!("t.csv:3: column x: \"{bad}\" is not a finite number"));
        }
    }

    #[test]
    fn integers_keep_all_64_bits_and_may_be_whole_floats() {
        let text = format!("x\n{}\n{}\n-3.0\n1e3\n9007199254740991.0\n", i64::MIN, i64::MAX);
        let chunks = read(text.as_bytes(), &wanted(ColumnKind::Integer)).unwrap();
        let expected = [i64::MIN, i64::MAX, -3, 1000, 9_007_199_254_740_991].map(Some);
        assert_eq!(chunks[0].integers(0).unwrap(), expected);
        for bad in ["9223372036854775808", "1.5", "9007199254740992.0", "1e300", "inf", "nan", "true"] {
            let error = refusal(&format!("x\n{bad}\n"), ColumnKind::Integer);
            assert_eq!(error, format!("t.csv:2: column x: {bad:?} is not an integer of 64 bits"));
        }
    }

    #[test]
    fn missing_values_are_none_or_refused_as_asked() {
        let text = b"x,n,t,other\n,,,junk\n 1, 2,three ,\n";
        let columns = [
            Wanted::optional("x", ColumnKind::Number),
            Wanted::optional("n", ColumnKind::Integer),
            Wanted::optional("t", ColumnKind::Text),
            Wanted::optional("absent", ColumnKind::Number),
        ];
        let chunk = &read(text, &columns).unwrap()[0];
        assert_eq!(chunk.numbers(0).unwrap(), [None, Some(1.0)]);
        assert_eq!(chunk.integers(1).unwrap(), [None, Some(2)]);
        assert_eq!(chunk.texts(2).unwrap(), [None, Some("three ".to_owned())]);
        assert_eq!(chunk.numbers(3).unwrap(), [None, None]);
        let error = refusal("x,y\n1,2\n,2\n", ColumnKind::Number);
        assert_eq!(error, "t.csv:3: column x: there is no value; a finite number is needed");
    }

    #[test]
    fn the_line_of_an_error_is_right_for_every_line_end() {
        let cases = [
            ("x,y\n1,2\nbad,2\n", 3),
            ("x,y\n1,2\nbad,2", 3),
            ("x,y\r\n1,2\r\nbad,2\r\n", 3),
            ("\n\nx,y\n\n1,2\n\n\nbad,2\n", 8),
            ("x,y\r\n\r\n1,2\r\n\r\nbad,2\r\n", 5),
            ("x,y\n1,\"two\nlines\"\nbad,2\n", 4),
            ("\u{feff}x,y\n1,2\nbad,2\n", 3),
        ];
        for (text, line) in cases {
            let error = refusal(text, ColumnKind::Number);
            let expected = format!("t.csv:{line}: column x: \"bad\" is not a finite number");
            assert_eq!(error, expected, "{text:?}");
        }
    }

    #[test]
    fn the_line_is_right_far_into_the_file() {
        let rows = CHUNK_ROWS + 10;
        let text = format!("x\r\n{}bad\r\n", "1.5\r\n".repeat(rows));
        let error = refusal(&text, ColumnKind::Number);
        assert!(error.starts_with(&format!("t.csv:{}: ", rows + 2)), "{error}");
    }

    #[test]
    fn rows_of_another_length_are_refused() {
        for (row, cells) in [("1", 1), ("1,2,3", 3), ("1,\"2\n3,4\n", 2)] {
            let error = read(format!("x,y,\"z\nz\",w\n{row}").as_bytes(), &[]).unwrap_err();
            assert_eq!(error, format!("t.csv:3: {cells} cells in this row, 4 in the header"));
        }
    }

    #[test]
    fn broken_headers_are_refused() {
        assert!(read(b"", &[]).unwrap_err().contains("is empty"));
        assert!(read(b"x, x\n", &[]).unwrap_err().contains("more than one column"));
        assert!(read(b"x,\xff\n", &[]).unwrap_err().contains("column 2"));
        assert!(refusal("y\n1\n", ColumnKind::Number).contains("no column \"x\""));
    }

    #[test]
    fn text_must_be_utf8_only_where_it_is_wanted() {
        let text = b"x,t\n1,\xff\n";
        assert_eq!(read(text, &wanted(ColumnKind::Number)).unwrap()[0].len(), 1);
        let error = read(text, &[Wanted::required("t", ColumnKind::Text)]).unwrap_err();
        assert_eq!(error, "t.csv:2: column t: \"\u{fffd}\" is not text in UTF-8");
    }

    fn compressed(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        io::Write::write_all(&mut encoder, text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compressed_text_is_read_as_it_is_with_the_right_lines() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv.gz");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let reader = TableReader::open(&path, &wanted(ColumnKind::Number)).map_err(|error| error.to_string())?;
            reader.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
        };
        let rows: String = (0..CHUNK_ROWS + 9).map(|row| format!("{row},2\n\n")).collect();
        let text = format!("x,y\n{rows}");
        let chunks = read(&compressed(text.as_bytes())).unwrap();
        assert_eq!(chunks.iter().map(Chunk::len).collect::<Vec<_>>(), [CHUNK_ROWS, 9]);
        assert_eq!(chunks[1].numbers(0).unwrap()[8], Some((CHUNK_ROWS + 8) as f64));
        let error = read(&compressed(format!("{text}bad,2\n").as_bytes())).unwrap_err();
        let line = 2 + 2 * (CHUNK_ROWS + 9);
        assert!(error.ends_with(&format!("t.csv.gz:{line}: column x: \"bad\" is not a finite number")), "{error}");
        let bytes = compressed(text.as_bytes());
        assert!(read(&bytes[..bytes.len() / 2]).unwrap_err().contains("damaged or cut off"));
    }

    #[test]
    fn a_row_without_an_end_is_refused_before_it_fills_memory() {
        let text = [b"x,y\n\"", &b"1\n".repeat(12 << 20)[..]].concat();
        let error = read(&text, &[]).unwrap_err();
        assert!(error.contains("t.csv: a row has more than 16777216 bytes"), "{error}");
    }

    #[test]
    fn after_an_error_the_iteration_ends() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        fs::write(&path, "x\nbad\n1\n").unwrap();
        let mut reader = TableReader::open(&path, &wanted(ColumnKind::Number)).unwrap();
        assert!(reader.next().unwrap().is_err());
        assert!(reader.next().is_none());
    }
}
