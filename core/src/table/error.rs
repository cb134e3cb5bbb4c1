//! Errors of batch tables.

use std::fmt;
use std::io;
use std::path::PathBuf;

use parquet::errors::ParquetError;
use thiserror::Error;

use super::ColumnKind;

/// Position of a value in a table, as a person would look it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, counted from 1 with the header and blank lines.
    Line(u64),
    /// Row of a table without lines, counted from 0 as in [`Chunk::first_row`](super::Chunk::first_row).
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(formatter, ":{line}"),
            Self::Row(row) => write!(formatter, ": row {row} (the first is 0)"),
        }
    }
}

/// Why a batch table could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The suffix names no table format.
    #[error("{path}: a table's name ends in .csv or .parquet, or in .csv.gz where it is read")]
    UnknownEnding {
        /// The file as given.
        path: PathBuf,
    },
    /// The path is a directory.
    #[error("{path}: is a directory, not a file")]
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The existing target must not be replaced by a file.
    #[error("cannot write {path}: it is {what}, which must not be replaced by a file; choose another name")]
    NoFile {
        /// The file that was to be written.
        path: PathBuf,
        /// What the target is.
        what: &'static str,
    },
    /// The file is read-only.
    #[error("cannot write {path}: it is read-only; choose another name or make it writable")]
    ReadOnly {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// The directory of the file does not exist.
    #[error("cannot write {path}: there is no directory {directory}")]
    NoDirectory {
        /// The file that was to be written.
        path: PathBuf,
        /// The missing directory.
        directory: PathBuf,
    },
    /// The operating system refused to read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The operating system refused to write.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file that was to be written.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not Parquet, is damaged or truncated, or uses a feature this program lacks.
    #[error("{path}: cannot be read as Parquet: {source}")]
    ReadParquet {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: ParquetError,
    },
    /// A column is compressed in a way that this program does not read.
    #[error("{path}: column `{column}` is compressed by {compression}; write it with snappy, or without compression")]
    Compressed {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The way.
        compression: String,
    },
    /// The file lacks the checksum it should carry.
    #[error(
        "{path}: carries no checksum: it is damaged or cut off, or a version of this program without checksums wrote it; delete it and compute it again"
    )]
    NoChecksum {
        /// The file.
        path: PathBuf,
    },
    /// The file has changed since it was written.
    #[error(
        "{path}: its checksum is {said}, but that of its content is {computed}: it was damaged or changed since it was written; delete it and compute it again"
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Recorded SHA-256.
        said: String,
        /// Actual SHA-256.
        computed: String,
    },
    /// The rows could not be encoded as Parquet.
    #[error("{path}: cannot be written as Parquet: {source}")]
    WriteParquet {
        /// The file that was to be written.
        path: PathBuf,
        /// The cause.
        source: ParquetError,
    },
    /// A text table without even a header row.
    #[error("{path}: is empty; a header row with the column names is needed")]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// A header cell that is not UTF-8.
    #[error("{path}: the name of column {number} (from 1) is not UTF-8: {found:?}")]
    HeaderEncoding {
        /// The file.
        path: PathBuf,
        /// Index of the column, counted from 1.
        number: usize,
        /// The name with invalid bytes replaced.
        found: String,
    },
    /// Two columns with the same name.
    #[error("{path}: more than one column is called {column:?}")]
    DuplicateColumn {
        /// The file.
        path: PathBuf,
        /// The duplicate name.
        column: String,
    },
    /// A required column is missing.
    #[error("{path}: there is no column {column:?}{}; the columns are {}", did_you_mean(nearest.as_deref()), quoted_list(present))]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The required column.
        column: String,
        /// The most similar column name in the file, if any is similar.
        nearest: Option<String>,
        /// All columns of the file, in order.
        present: Vec<String>,
    },
    /// An unrequested column whose name resembles a missing optional one.
    #[error(
        "{path}: column {found:?} is not known and {column:?} is not there; rename one that is meant to be the other"
    )]
    MisspelledColumn {
        /// The file.
        path: PathBuf,
        /// The optional column.
        column: String,
        /// The similar column name in the file.
        found: String,
    },
    /// A Parquet column whose type cannot provide the required kind.
    #[error("{path}: column {column} holds {found}; {kind} is needed")]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// The required kind.
        kind: ColumnKind,
    },
    /// A row with more or fewer cells than the header.
    #[error("{path}{place}: {found} cells in this row, {expected} in the header")]
    CellCount {
        /// The file.
        path: PathBuf,
        /// Start of the row.
        place: Place,
        /// Cells in the row.
        found: usize,
        /// Cells in the header.
        expected: usize,
    },
    /// A value not allowed in its column.
    #[error("{path}{place}: column {column}: {found:?} is not {kind}")]
    BadValue {
        /// The file.
        path: PathBuf,
        /// Position of the value.
        place: Place,
        /// Its column.
        column: String,
        /// The value, shortened if long.
        found: String,
        /// What the column allows.
        kind: ColumnKind,
    },
    /// A missing value where one is required.
    #[error("{path}{place}: column {column}: there is no value; {kind} is needed")]
    MissingValue {
        /// The file.
        path: PathBuf,
        /// Position of the missing value.
        place: Place,
        /// The column.
        column: String,
        /// What the column allows.
        kind: ColumnKind,
    },
    /// A table without columns cannot be written.
    #[error("cannot write {path}: a table needs at least one column")]
    NoColumns {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// A chunk that does not match the columns of its table.
    #[error("{path}: a chunk with {found} does not fit; the table was created with {expected}")]
    ChunkShape {
        /// The file being written.
        path: PathBuf,
        /// Shape of the chunk.
        found: String,
        /// Shape of the table.
        expected: String,
    },
    /// A column of a chunk was accessed as a different kind.
    #[error("column {column} of the chunk was asked for as {asked}, but holds {found}")]
    OtherKind {
        /// Position of the column, counted from 0.
        column: usize,
        /// The requested kind.
        asked: ColumnKind,
        /// Its kind.
        found: ColumnKind,
    },
    /// A chunk has no column at this position.
    #[error("the chunk has {columns} columns; there is no column {column} (the first is 0)")]
    NoSuchColumn {
        /// The requested position, counted from 0.
        column: usize,
        /// Number of columns.
        columns: usize,
    },
}

/// Longest piece of a file that an error repeats, in characters.
const EXCERPT_CHARACTERS: usize = 60;

/// The beginning of a value found in a file: an unclosed quote can make a cell of megabytes.
pub(crate) fn excerpt(found: &str) -> String {
    match found.char_indices().nth(EXCERPT_CHARACTERS) {
        Some((end, _)) => format!("{}...", &found[..end]),
        None => found.to_owned(),
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

fn quoted_list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_value_reads_like_a_compiler_message() {
        let error = TableError::BadValue {
            path: PathBuf::from("rays.csv"),
            place: Place::Line(17),
            column: "x1".to_owned(),
            found: "abc".to_owned(),
            kind: ColumnKind::Number,
        };
        assert_eq!(error.to_string(), "rays.csv:17: column x1: \"abc\" is not a finite number");
    }

    #[test]
    fn a_missing_column_lists_the_columns_and_the_nearest() {
        let error = TableError::MissingColumn {
            path: PathBuf::from("rays.csv"),
            column: "x1".to_owned(),
            nearest: Some("x_1".to_owned()),
            present: vec!["x_1".to_owned(), "y1".to_owned()],
        };
        assert_eq!(
            error.to_string(),
            "rays.csv: there is no column \"x1\" (did you mean \"x_1\"?); the columns are \"x_1\", \"y1\""
        );
    }

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        assert_eq!(excerpt("short"), "short");
        let long = "é".repeat(EXCERPT_CHARACTERS + 1);
        assert_eq!(excerpt(&long), format!("{}...", "é".repeat(EXCERPT_CHARACTERS)));
    }
}
