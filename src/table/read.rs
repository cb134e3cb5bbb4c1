//! Reading a table chunk by chunk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::csv_source::CsvSource;
use super::parquet_source::ParquetSource;
use super::{Chunk, ColumnKind, Format, TableError, Wanted, first_duplicate};
use crate::document::nearest;

/// Reads some columns of a table, in chunks of at most [`CHUNK_ROWS`](super::CHUNK_ROWS) rows.
///
/// Each chunk has the columns in the order they were asked for; other columns of the file are passed over, in Parquet
/// without being read. After an error the iteration ends.
///
/// # Example
///
/// ```
/// use touchdown::table::{ColumnKind, TableReader, Wanted};
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("wind.csv");
/// std::fs::write(&path, "speed,direction\n3.5,270\n4.25,\n")?;
///
/// let wanted = [Wanted::required("speed", ColumnKind::Number)];
/// for chunk in TableReader::open(&path, &wanted)? {
///     assert_eq!(chunk?.numbers(0)?, [Some(3.5), Some(4.25)]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableReader {
    header: Header,
    source: Source,
    ended: bool,
}

/// What a file says before its first row.
pub(super) struct Header {
    pub(super) column_names: Vec<String>,
    pub(super) metadata: BTreeMap<String, String>,
}

enum Source {
    Csv(Box<CsvSource>),
    Parquet(Box<ParquetSource>),
}

impl TableReader {
    /// Opens a table and finds the wanted columns in it.
    ///
    /// # Errors
    ///
    /// An ending other than `.csv` and `.parquet`, a file that cannot be opened or is damaged, a missing, duplicate or
    /// misspelled column, a Parquet column of another kind.
    pub fn open(path: &Path, wanted: &[Wanted]) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        let file = open_file(path)?;
        let (source, header) = match format {
            Format::Csv => {
                let (source, header) = CsvSource::open(path, file, wanted)?;
                (Source::Csv(Box::new(source)), header)
            }
            Format::Parquet => {
                let (source, header) = ParquetSource::open(path, file, wanted)?;
                (Source::Parquet(Box::new(source)), header)
            }
        };
        Ok(Self { header, source, ended: false })
    }

    /// The names of all columns of the file, in its order.
    pub fn column_names(&self) -> &[String] {
        &self.header.column_names
    }

    /// The file's own key-value metadata; always empty for CSV.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.header.metadata
    }
}

impl Iterator for TableReader {
    type Item = Result<Chunk, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match &mut self.source {
            Source::Csv(source) => source.next_chunk(),
            Source::Parquet(source) => source.next_chunk(),
        };
        self.ended = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

fn open_file(path: &Path) -> Result<File, TableError> {
    // Opening a directory succeeds on Unix; only reading from it fails, and with a worse message.
    let metadata = fs::metadata(path).map_err(|source| read_error(path, source))?;
    if metadata.is_dir() {
        return Err(TableError::IsDirectory { path: path.to_owned() });
    }
    File::open(path).map_err(|source| read_error(path, source))
}

pub(super) fn read_error(path: &Path, source: io::Error) -> TableError {
    TableError::Read { path: path.to_owned(), source }
}

/// A wanted column and where the file has it.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
    pub(super) required_value: bool,
    /// Position among the file's columns; `None` where the column is absent and may be.
    pub(super) position: Option<usize>,
}

/// Finds the wanted columns among those of a file.
pub(super) fn select(path: &Path, present: &[String], wanted: &[Wanted]) -> Result<Vec<Selected>, TableError> {
    if let Some(column) = first_duplicate(present.iter().map(String::as_str)) {
        return Err(TableError::DuplicateColumn { path: path.to_owned(), column: column.to_owned() });
    }
    let unasked = || present.iter().map(String::as_str).filter(|name| wanted.iter().all(|other| other.name != *name));
    wanted
        .iter()
        .map(|wanted| {
            let position = present.iter().position(|name| *name == wanted.name);
            if position.is_none() && wanted.required_column {
                return Err(missing_column(path, present, &wanted.name));
            }
            if position.is_none() {
                refuse_misspelling(path, unasked(), &wanted.name)?;
            }
            Ok(Selected {
                name: wanted.name.clone(),
                kind: wanted.kind,
                required_value: wanted.required_value && position.is_some(),
                position,
            })
        })
        .collect()
}

/// An optional column under a misspelled name would be ignored without a word.
fn refuse_misspelling<'a>(
    path: &Path,
    unasked: impl Iterator<Item = &'a str>,
    optional: &str,
) -> Result<(), TableError> {
    match nearest(optional, unasked) {
        None => Ok(()),
        Some(found) => Err(TableError::MisspelledColumn {
            path: path.to_owned(),
            column: optional.to_owned(),
            found: found.to_owned(),
        }),
    }
}

fn missing_column(path: &Path, present: &[String], column: &str) -> TableError {
    TableError::MissingColumn {
        path: PathBuf::from(path),
        column: column.to_owned(),
        nearest: nearest(column, present.iter().map(String::as_str)).map(str::to_owned),
        present: present.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn columns_are_selected_in_the_order_asked_for() {
        let present = names(&["a", "b", "c"]);
        let wanted = [
            Wanted::required("c", ColumnKind::Number),
            Wanted::optional("z", ColumnKind::Text),
            Wanted::required("a", ColumnKind::Integer),
        ];
        let selected = select(Path::new("t.csv"), &present, &wanted).unwrap();
        let positions: Vec<_> = selected.iter().map(|column| column.position).collect();
        assert_eq!(positions, [Some(2), None, Some(0)]);
    }

    #[test]
    fn an_optional_column_under_a_misspelled_name_is_refused() {
        let wanted = ["lambda1", "lambda2"].map(|name| Wanted::optional(name, ColumnKind::Number));
        let error = select(Path::new("t.csv"), &names(&["lamda1", "lambda2"]), &wanted).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv: column \"lamda1\" is not known and \"lambda1\" is not there; rename one that is meant to be the other"
        );
        // The other wanted column is near as well, but it is known.
        let selected = select(Path::new("t.csv"), &names(&["lambda2", "colour"]), &wanted).unwrap();
        assert_eq!((selected[0].position, selected[1].position), (None, Some(0)));
    }

    #[test]
    fn a_missing_required_column_and_a_duplicate_are_refused() {
        let wanted = [Wanted::required("brake", ColumnKind::Number)];
        let error = select(Path::new("t.csv"), &names(&["step", "barke"]), &wanted).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv: there is no column \"brake\" (did you mean \"barke\"?); the columns are \"step\", \"barke\""
        );
        let error = select(Path::new("t.csv"), &names(&["x1", "x1"]), &[]).unwrap_err();
        assert_eq!(error.to_string(), "t.csv: more than one column is called \"x1\"");
    }

    #[test]
    fn endings_and_files_that_are_no_tables_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let open = |name: &str| TableReader::open(&directory.path().join(name), &[]).err().unwrap();
        for name in ["rays.txt", "rays", "rays.csv.gz", ".csv"] {
            let error = open(name);
            assert!(matches!(&error, TableError::UnknownEnding { .. }), "{error:?}");
            assert!(error.to_string().contains(".csv or .parquet"), "{error}");
        }
        for name in ["absent.csv", "absent.parquet"] {
            let error = open(name);
            assert!(matches!(&error, TableError::Read { .. }), "{error:?}");
            assert!(error.to_string().contains(name), "{error}");
        }
        for name in ["folder.csv", "folder.PARQUET"] {
            fs::create_dir(directory.path().join(name)).unwrap();
            let error = open(name);
            assert!(matches!(error, TableError::IsDirectory { .. }), "{error:?}");
        }
    }
}
