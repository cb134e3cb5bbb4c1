//! Batch tables: CSV or Parquet, by file name suffix.
//!
//! ```text
//! TableReader::open --> Chunk, Chunk, ... --> (a job) --> Chunk, Chunk, ... --> TableWriter::finish
//! ```
//!
//! Reading and writing are streamed: at most [`CHUNK_ROWS`] rows are held at a time (a Parquet writer holds one more
//! such group in encoded form), however long the table is.
//!
//! # Conventions
//!
//! * A missing value is an empty cell (CSV) or a null (Parquet), and `None` in memory. So CSV cannot distinguish an
//!   empty text from a missing one; Parquet can.
//! * Numbers are finite. NaN and infinities are refused on reading and writing.
//! * CSV is RFC 4180 in UTF-8 with one header row; blank lines are skipped, spaces around column names, numbers and
//!   integers are ignored. Numbers are written in the shortest form that reads back to the same bits.
//! * Gzip-compressed CSV (`.csv.gz`) can be read, but not written.
//! * Parquet is written with snappy compression and row groups of [`CHUNK_ROWS`] rows. The bytes depend only on the
//!   columns, the metadata, the rows and the version of this program, not on how the rows were split into chunks.
//! * Files that must be verifiable carry the SHA-256 of their whole content ([`TableWriter::create_with_checksum`],
//!   [`TableReader::open_verified`]).
//! * A file appears under its name only when it is complete ([`TableWriter::finish`], [`write_atomically`]).

mod atomic;
mod checksum;
mod csv_sink;
mod csv_source;
mod error;
mod guard;
mod parquet_cells;
mod parquet_footer;
mod parquet_sink;
mod parquet_source;
mod read;
mod select;
mod text_file;
mod write;

use std::fmt;
use std::path::Path;

pub use atomic::is_unfinished;
pub use atomic::{check_writable, discard_unfinished, write_atomically};
pub use checksum::sha256;
pub(crate) use error::excerpt;
pub use error::{Place, TableError};
pub use guard::panic_becomes_error;
pub use read::TableReader;
pub(crate) use text_file::TextFile;
pub use write::TableWriter;

/// Maximum number of rows in one chunk, and rows in one Parquet row group.
pub const CHUNK_ROWS: usize = 65_536;

/// Kinds of column values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnKind {
    /// Finite f64.
    Number,
    /// i64. Files may have it as a float: tools write integers so beside numbers, and where some are missing.
    Integer,
    /// UTF-8.
    Text,
}

/// The integer that a float stands for: one of which no neighbour stands for the same.
fn whole(number: f64) -> Option<i64> {
    const MAX: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() < MAX).then_some(number as i64)
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Number => "a finite number",
            Self::Integer => "an integer of 64 bits",
            Self::Text => "text in UTF-8",
        })
    }
}

/// A column to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// Kind of its values.
    pub kind: ColumnKind,
    /// SI unit symbol, such as `m/s`; empty if dimensionless.
    pub unit: String,
    /// One-sentence description for readers of the table.
    pub description: String,
}

impl Column {
    /// A column from its four parts.
    pub fn new(name: &str, kind: ColumnKind, unit: &str, description: &str) -> Self {
        Self { name: name.to_owned(), kind, unit: unit.to_owned(), description: description.to_owned() }
    }
}

/// A column to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its name in the header.
    pub name: String,
    /// Required kind of its values.
    pub kind: ColumnKind,
    /// Whether a file without this column is refused; otherwise all its values are missing.
    pub required_column: bool,
    /// Whether a row without a value is refused.
    pub required_value: bool,
}

impl Wanted {
    /// A column that must be present with a value in every row.
    pub fn required(name: &str, kind: ColumnKind) -> Self {
        Self { name: name.to_owned(), kind, required_column: true, required_value: true }
    }

    /// A column that may be absent, as may each of its values.
    pub fn optional(name: &str, kind: ColumnKind) -> Self {
        Self { name: name.to_owned(), kind, required_column: false, required_value: false }
    }
}

/// One column's values in a chunk; a missing value is `None`.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Finite numbers, in the unit of the column.
    Number(Vec<Option<f64>>),
    /// Integers.
    Integer(Vec<Option<i64>>),
    /// Texts.
    Text(Vec<Option<String>>),
}

impl Values {
    /// No values of a kind.
    pub fn empty(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Number => Self::Number(Vec::new()),
            ColumnKind::Integer => Self::Integer(Vec::new()),
            ColumnKind::Text => Self::Text(Vec::new()),
        }
    }

    /// The kind of the values.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Self::Number(_) => ColumnKind::Number,
            Self::Integer(_) => ColumnKind::Integer,
            Self::Text(_) => ColumnKind::Text,
        }
    }

    /// Number of values, including missing ones.
    pub fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there are no values at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push_missing(&mut self) {
        match self {
            Self::Number(values) => values.push(None),
            Self::Integer(values) => values.push(None),
            Self::Text(values) => values.push(None),
        }
    }

    fn missing(kind: ColumnKind, rows: usize) -> Self {
        match kind {
            ColumnKind::Number => Self::Number(vec![None; rows]),
            ColumnKind::Integer => Self::Integer(vec![None; rows]),
            ColumnKind::Text => Self::Text(vec![None; rows]),
        }
    }
}

/// Consecutive rows of a table, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Index of the first row, counted from 0. A writer ignores it: it writes chunks in the order given.
    pub first_row: u64,
    /// One entry per column, all of equal length: in the requested order when read, in the table's order when written.
    pub columns: Vec<Values>,
}

impl Chunk {
    /// Number of rows; 0 without columns.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Values::len)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of a column, by its position in [`columns`](Self::columns).
    ///
    /// # Errors
    ///
    /// [`TableError::NoSuchColumn`], or [`TableError::OtherKind`] where the column holds no numbers.
    pub fn numbers(&self, column: usize) -> Result<&[Option<f64>], TableError> {
        match self.column(column)? {
            Values::Number(values) => Ok(values),
            other => Err(other_kind(column, ColumnKind::Number, other)),
        }
    }

    /// The integers of a column, by its position in [`columns`](Self::columns).
    ///
    /// # Errors
    ///
    /// [`TableError::NoSuchColumn`], or [`TableError::OtherKind`] where the column holds no integers.
    pub fn integers(&self, column: usize) -> Result<&[Option<i64>], TableError> {
        match self.column(column)? {
            Values::Integer(values) => Ok(values),
            other => Err(other_kind(column, ColumnKind::Integer, other)),
        }
    }

    /// The texts of a column, by its position in [`columns`](Self::columns).
    ///
    /// # Errors
    ///
    /// [`TableError::NoSuchColumn`], or [`TableError::OtherKind`] where the column holds no text.
    pub fn texts(&self, column: usize) -> Result<&[Option<String>], TableError> {
        match self.column(column)? {
            Values::Text(values) => Ok(values),
            other => Err(other_kind(column, ColumnKind::Text, other)),
        }
    }

    fn column(&self, column: usize) -> Result<&Values, TableError> {
        self.columns.get(column).ok_or_else(|| TableError::NoSuchColumn { column, columns: self.columns.len() })
    }
}

fn other_kind(column: usize, asked: ColumnKind, values: &Values) -> TableError {
    TableError::OtherKind { column, asked, found: values.kind() }
}

/// The two formats of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Parquet,
}

impl Format {
    /// The format of a file to read: CSV may be compressed.
    fn of_input(path: &Path) -> Result<Self, TableError> {
        let unknown = || TableError::UnknownEnding { path: path.to_owned() };
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("gz") => match Self::of(&path.with_extension("")) {
                Ok(Self::Csv) => Ok(Self::Csv),
                Ok(Self::Parquet) | Err(_) => Err(unknown()),
            },
            _ => Self::of(path),
        }
    }

    /// The format that a file's ending names, in small or capital letters.
    fn of(path: &Path) -> Result<Self, TableError> {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("csv") => Ok(Self::Csv),
            Some(ending) if ending.eq_ignore_ascii_case("parquet") => Ok(Self::Parquet),
            _ => Err(TableError::UnknownEnding { path: path.to_owned() }),
        }
    }
}

/// True for the name of a readable table: tables are recognized by their suffix.
#[must_use]
pub fn is_table(path: &Path) -> bool {
    Format::of_input(path).is_ok()
}

/// The first name that stands twice.
fn first_duplicate<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = std::collections::HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}
