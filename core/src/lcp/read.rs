//! Problems from files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::problem::{MAX_MAGNITUDE, MAX_UNKNOWNS, Problem, ProblemError};
use super::siconos::{self, Fault};
use crate::document::{Document, DocumentError, Field, Unit};
use crate::friction::FrictionProblemError;
use crate::scene::read_limited;

/// Why a file could not be read as a problem.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// An invalid document (TOML or JSON).
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A file that cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// An invalid Siconos file.
    #[error("{}:{line}: {field}: {message}", path.display())]
    Siconos {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The expected field.
        field: String,
        /// What was found, and what is allowed.
        message: String,
    },
    /// Numbers that do not define a problem.
    #[error("{}: {problem}", path.display())]
    Problem {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        problem: ProblemError,
    },
    /// Numbers that do not define a frictional problem.
    #[error("{}: {problem}", path.display())]
    FrictionProblem {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        problem: FrictionProblemError,
    },
}

/// Reads a problem: a document with `matrix` (by rows) and `vector` if the name ends in `.json` or `.toml`, and
/// otherwise a Siconos file (dense or sparse-block), whose matrices are by columns.
///
/// # Errors
/// If the file cannot be read, or does not contain a valid problem.
pub fn read_problem(path: &Path) -> Result<Problem, ReadError> {
    Source::read(path)?.problem(path)
}

/// What a file is.
pub(crate) enum Source {
    Document(Document),
    Siconos(String),
}

impl Source {
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let is_document = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("json") || ending.eq_ignore_ascii_case("toml"));
        if is_document {
            return Ok(Self::Document(Document::read(path)?));
        }
        let bytes = read_limited(path).map_err(|source| ReadError::Unreadable { path: path.to_owned(), source })?;
        Ok(Self::Siconos(String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub fn problem(&self, path: &Path) -> Result<Problem, ReadError> {
        let (matrix, vector) = match self {
            Self::Document(document) => {
                let root = document.root();
                let fields = (root.required("matrix")?, root.required("vector")?);
                root.finish()?;
                numbers_of(&fields.0, &fields.1)?
            }
            Self::Siconos(text) => siconos::numbers_of(text).map_err(|fault| fault.of(path))?,
        };
        Problem::new(matrix, vector).map_err(|problem| ReadError::Problem { path: path.to_owned(), problem })
    }
}

impl Fault {
    /// In a file.
    pub(crate) fn of(self, path: &Path) -> ReadError {
        let Self { line, field, message } = self;
        ReadError::Siconos { path: path.to_owned(), line, field, message }
    }
}

/// What entries may be, in words.
pub(super) fn allowed_entry() -> String {
    format!("must be a finite number of at most {MAX_MAGNITUDE:e} in magnitude")
}

/// Matrix, row by row, and vector of a document's fields.
pub(crate) fn numbers_of(matrix: &Field<'_>, vector: &Field<'_>) -> Result<(Vec<f64>, Vec<f64>), DocumentError> {
    let rows = matrix.array()?;
    let unknowns = rows.len();
    if !(1..=MAX_UNKNOWNS).contains(&unknowns) {
        return Err(matrix.error(format!("has {unknowns} rows: must have from 1 to {MAX_UNKNOWNS}")));
    }
    let mut entries = Vec::new();
    for row in &rows {
        entries.extend(entries_of(row, unknowns)?);
    }
    Ok((entries, entries_of(vector, unknowns)?))
}

/// An array of as many entries as there are unknowns.
fn entries_of(array: &Field<'_>, unknowns: usize) -> Result<Vec<f64>, DocumentError> {
    let entries = array.array()?;
    if entries.len() != unknowns {
        let count = entries.len();
        return Err(array.error(format!("has {count} entries: must have {unknowns}, as many as the matrix has rows")));
    }
    entries.iter().map(entry).collect()
}

fn entry(field: &Field<'_>) -> Result<f64, DocumentError> {
    let number = field.number(Unit::One)?;
    if number.abs() > MAX_MAGNITUDE {
        return Err(field.refused(allowed_entry()));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(name: &str, text: &str) -> Result<Problem, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let place = format!("{}/", directory.path().display());
        read_problem(&path).map_err(|error| error.to_string().replace(&place, ""))
    }

    #[test]
    fn documents_are_row_by_row_and_files_of_siconos_column_by_column() {
        let expected = Problem::new(vec![1.0, 2.0, 3.0, 4.0], vec![5.0, 6.0]).unwrap();
        let json = r#"{"matrix": [[1, 2], [3, 4]], "vector": [5, 6]}"#;
        assert_eq!(read("a.json", json).unwrap(), expected);
        assert_eq!(read("a.TOML", "matrix = [[1, 2], [3, 4]]\nvector = [5, 6]").unwrap(), expected);
        assert_eq!(read("a.dat", "2\n0\n2\n2\n2\t2\n1 3\n2 4\n5 6\n\nw\u{fc}rfel 1 2 3").unwrap(), expected);
    }

    #[test]
    fn documents_that_are_no_problem_are_refused_by_place() {
        for (text, message) in [
            (r#"{"matrix": [[1]]}"#, "a.json:1:1: key `vector` is missing"),
            (r#"{"matrix": [[1]], "vector": [1], "z": [0]}"#, "a.json:1:34: unknown key `z`"),
            (r#"{"matrix": [], "vector": []}"#, "a.json:1:12: matrix: has 0 rows: must have from 1 to 2048"),
            (
                "{\"matrix\": [[1, 2],\n[3]], \"vector\": [1, 2]}",
                "a.json:2:1: matrix[1]: has 1 entries: must have 2, as many as the matrix has rows",
            ),
            (
                r#"{"matrix": [[1]], "vector": [1, 2]}"#,
                "a.json:1:29: vector: has 2 entries: must have 1, as many as the matrix has rows",
            ),
            (
                r#"{"matrix": [[1e999]], "vector": [1]}"#,
                "a.json:1:14: matrix[0][0]: 1e999 is not allowed: must be finite",
            ),
            (
                r#"{"matrix": [[1]], "vector": [-1e61]}"#,
                "a.json:1:30: vector[0]: -1e61 is not allowed: must be a finite number of at most 1e60 in magnitude",
            ),
            (r#"{"matrix": [["x"]], "vector": [1]}"#, "a.json:1:14: matrix[0][0]: \"x\" is not allowed"),
            (
                r#"{"matrix": [[1e-80]], "vector": [1]}"#,
                "a.json: matrix: its largest magnitude is 1e-80: must be 0 or at least 1e-60; take other units",
            ),
        ] {
            let found = read("a.json", text).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
    }

    #[test]
    fn files_of_siconos_that_are_no_problem_are_refused_by_place() {
        let entry = "must be a finite number of at most 1e60 in magnitude";
        for (text, message) in [
            ("", "a.dat:1: unknowns: is missing: the file ends".to_owned()),
            ("\n\nx", "a.dat:3: unknowns: x is not allowed: must be a whole number from 1 to 2048".to_owned()),
            ("0", "a.dat:1: unknowns: 0 is not allowed: must be a whole number from 1 to 2048".to_owned()),
            ("99999999999999999999", "a.dat:1: unknowns: 99999999999999999999 is not allowed: must be a w".to_owned()),
            ("2 2", "a.dat:1: storage: 2 is not allowed: must be 0 (dense) or 1 (blocks)".to_owned()),
            ("2\n0\n3", "a.dat:3: rows: 3 is not allowed: must be 2".to_owned()),
            ("2\n0\n2\n1", "a.dat:4: columns: 1 is not allowed: must be 2".to_owned()),
            ("2\n0\n2\n2\n2 2\n1 2\n3 inf\n", format!("a.dat:7: matrix[1][1]: inf is not allowed: {entry}")),
            ("2\n0\n2\n2\n2 2\n1 NaN\n3 4\n", format!("a.dat:6: matrix[1][0]: NaN is not allowed: {entry}")),
            ("2\n0\n2\n2\n2 2\n1 2e60\n3 4\n", format!("a.dat:6: matrix[1][0]: 2e60 is not allowed: {entry}")),
            ("2\n0\n2\n2\n2 2\n1 2\n3 4\n5\n", "a.dat:8: vector[1]: is missing: the file ends".to_owned()),
            ("2\n0\n2\n2\n2 2\n1 2\n3 4\n5 remark", format!("a.dat:8: vector[1]: remark is not allowed: {entry}")),
            ("2 1 2 2 5", "a.dat:1: blocks: 5 is not allowed: must be a whole number from 0 to 4".to_owned()),
            ("2 1 2 2 1 3", "a.dat:1: rows of blocks: 3 is not allowed: must be a whole number from 1 to 2".to_owned()),
            ("2 1 2 2 1 1 1 3", "a.dat:1: end of block row 0: 3 is not allowed: must be 2".to_owned()),
            (
                "2 1 2 2 1 2 1 0",
                "a.dat:1: end of block row 0: 0 is not allowed: must be a whole number from 1 to 2".to_owned(),
            ),
            ("2 1 2 2 1 1 1 2 2 7", "a.dat:1: row pointers: 7 is not allowed: must be 2".to_owned()),
            ("2 1 2 2 1 1 1 2 2 2 1 1", "a.dat:1: row pointer 0: 1 is not allowed: must be 0".to_owned()),
            (
                "2 1 2 2 1 1 1 2 2 2 1 0 1 1",
                "a.dat:1: column of block 0: 1 is not allowed: must be a whole number from 0 to 0".to_owned(),
            ),
            ("2 1 2 2 1 1 1 2 2 2 1 0 1 0 4", "a.dat:1: number of block 0: 4 is not allowed: must be 0".to_owned()),
        ] {
            let found = read("a.dat", text).unwrap_err();
            assert!(found.starts_with(&message), "{found}");
        }
        let directory = tempfile::tempdir().unwrap();
        assert!(read_problem(directory.path()).unwrap_err().to_string().contains("cannot be read"));
        assert!(read_problem(&directory.path().join("absent.dat")).unwrap_err().to_string().contains("absent.dat"));
    }

    /// Texts with a piece overwritten: nearly problems, which arbitrary ones never are.
    fn damaged(original: &'static str) -> impl Strategy<Value = String> {
        let piece =
            prop::sample::select(vec!["0", "1", "-", "9999999999", " ", "\n", "1e999", "nan", "x", "\u{0}", "ö", ""]);
        (0..original.len(), 0usize..4, piece).prop_map(|(start, length, piece)| {
            let end = (start + length).min(original.len());
            format!("{}{piece}{}", &original[..start], &original[end..])
        })
    }

    const BLOCKS: &str = "3 1 3 3\n3 2 2\n2 3\n1 3\n3 3\n0 2 3\n0 1 1\n0\n1 2\n1\n3 4 5 6\n2\n7 8\n-1 -2 -3\nremark\n";

    #[test]
    fn blocks_stand_where_their_rows_and_columns_begin() {
        let expected = vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0, 0.0, 7.0, 8.0];
        assert_eq!(read("a.dat", BLOCKS).unwrap(), Problem::new(expected, vec![-1.0, -2.0, -3.0]).unwrap());
    }

    proptest! {
        #[test]
        fn no_text_makes_reading_panic(
            text in any::<String>(),
            dense in damaged("2\n0\n2\n2\n2 2\n1 3\n2 4\n5 6\n"),
            blocks in damaged(BLOCKS),
        ) {
            for text in [text, dense, blocks] {
                if let Err(Fault { line, field, message }) = siconos::numbers_of(&text) {
                    prop_assert!(line >= 1 && !field.is_empty() && message.contains("is"));
                }
            }
        }
    }
}
