//! Reading a table chunk by chunk.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::path::Path;

use super::checksum::verify;
use super::csv_source::CsvSource;
use super::parquet_source::ParquetSource;
use super::select::{Header, read_error};
use super::{Chunk, Format, TableError, Wanted};

/// Reads some columns of a table, in chunks of at most [`CHUNK_ROWS`](super::CHUNK_ROWS) rows.
///
/// Each chunk has the columns in the requested order; other columns of the file are skipped, in Parquet without being
/// read. Iteration ends after an error.
///
/// # Example
///
/// ```
/// # use touchdown_core as touchdown;
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

enum Source {
    Csv(Box<CsvSource>),
    Parquet(Box<ParquetSource>),
}

impl fmt::Debug for TableReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TableReader").field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl TableReader {
    /// Opens a table and finds the wanted columns in it.
    ///
    /// # Errors
    ///
    /// A suffix other than `.csv`, `.csv.gz` and `.parquet`, a file that cannot be opened or is damaged, a missing,
    /// duplicate or misspelled column, a Parquet column of another kind.
    pub fn open(path: &Path, wanted: &[Wanted]) -> Result<Self, TableError> {
        let format = Format::of_input(path)?;
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

    /// Opens a table written by [`TableWriter::create_with_checksum`](super::TableWriter::create_with_checksum), if it
    /// is intact.
    ///
    /// # Errors
    ///
    /// [`TableError::Checksum`] if a bit of the file has changed, [`TableError::NoChecksum`], and those of
    /// [`open`](Self::open).
    pub fn open_verified(path: &Path, wanted: &[Wanted]) -> Result<Self, TableError> {
        verify(path)?;
        Self::open(path, wanted)
    }

    /// The names of all columns of the file, in order.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_files_that_are_no_tables_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let open = |name: &str| TableReader::open(&directory.path().join(name), &[]).err().unwrap();
        for name in ["rays.txt", "rays", "rays.parquet.gz", "rays.gz", ".csv"] {
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
