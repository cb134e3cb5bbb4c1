//! Problems from files, with friction or without.

use std::path::Path;

use super::problem::FrictionProblem;
use crate::document::{Document, DocumentError, Unit};
use crate::lcp::read::{Source, numbers_of};
use crate::lcp::siconos::{WithFriction, has_friction, with_friction};
use crate::lcp::{Problem, ReadError};

/// A problem read from a file.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyProblem {
    /// A linear complementarity problem.
    Linear(Problem),
    /// Contacts with friction.
    Friction(FrictionProblem),
}

/// Reads a problem with or without friction. Frictional problems are documents (`.json`, `.toml`) with `dimension` (2
/// or 3), `matrix` (by rows), `vector` and `friction` (a coefficient per contact), and Siconos files that begin with a
/// dimension, a number of contacts and the storage (0 or 1). All others are read as by
/// [`read_problem`](crate::lcp::read_problem).
///
/// # Errors
/// If the file cannot be read, or does not contain a valid problem.
pub fn read_any_problem(path: &Path) -> Result<AnyProblem, ReadError> {
    let source = Source::read(path)?;
    let WithFriction { dimension, matrix, vector, friction } = match &source {
        Source::Document(document) if ["friction", "dimension"].iter().any(|key| document.root().contains(key)) => {
            of_document(document)?
        }
        Source::Siconos(text) if has_friction(text) => with_friction(text).map_err(|fault| fault.of(path))?,
        _ => return source.problem(path).map(AnyProblem::Linear),
    };
    FrictionProblem::new(dimension, matrix, vector, friction)
        .map(AnyProblem::Friction)
        .map_err(|problem| ReadError::FrictionProblem { path: path.to_owned(), problem })
}

fn of_document(document: &Document) -> Result<WithFriction, DocumentError> {
    let root = document.root();
    let (dimension, friction) = (root.required("dimension")?, root.required("friction")?);
    let (matrix, vector) = (root.required("matrix")?, root.required("vector")?);
    root.finish()?;
    let dimension = match dimension.unsigned()? {
        2 => 2,
        3 => 3,
        _ => return Err(dimension.refused("must be 2 or 3")),
    };
    let (matrix, vector) = numbers_of(&matrix, &vector)?;
    Ok(WithFriction { dimension, matrix, vector, friction: friction.numbers(Unit::One)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<AnyProblem, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let place = format!("{}/", directory.path().display());
        read_any_problem(&path).map_err(|error| error.to_string().replace(&place, ""))
    }

    const PLANE: &str = "2 1 0\n2 2 2 2\n4 1\n3 5\n-1 7\n0.5\n0\n";

    #[test]
    fn headers_and_keys_tell_problems_with_friction_from_others() {
        let expected = FrictionProblem::new(2, vec![4.0, 3.0, 1.0, 5.0], vec![-1.0, 7.0], vec![0.5]).unwrap();
        let expected = AnyProblem::Friction(expected);
        assert_eq!(read("a.dat", PLANE).unwrap(), expected);
        let blocks = "2 1 1\n2 2\n1 1 1\n2\n2\n2 1\n0 1\n0\n0\n4 1\n3 5\n-1 7\n0.5";
        assert_eq!(read("a.dat", blocks).unwrap(), expected);
        let json = r#"{"dimension": 2, "matrix": [[4, 3], [1, 5]], "vector": [-1, 7], "friction": [0.5]}"#;
        assert_eq!(read("a.json", json).unwrap(), expected);
        // Of two and three unknowns, dense and in blocks, without friction.
        let linear = |size, matrix: &[f64]| AnyProblem::Linear(Problem::new(matrix.to_vec(), vec![1.0; size]).unwrap());
        assert_eq!(read("a.dat", "2 0 2 2 2 2 1 0 0 1 1 1").unwrap(), linear(2, &[1.0, 0.0, 0.0, 1.0]));
        assert_eq!(read("a.dat", "2 1 2 2 0 1 1 2 2 2 0 0 0 1 1").unwrap(), linear(2, &[0.0; 4]));
        assert_eq!(read("a.dat", "3 1 3 3 0 1 1 3 3 2 0 0 0 1 1 1").unwrap(), linear(3, &[0.0; 9]));
    }

    #[test]
    fn what_is_no_problem_with_friction_is_refused_by_place() {
        for (name, text, message) in [
            (
                "a.dat",
                "2 1 0\n2 2 2 2\n4 1\n3 5\n-1 7\n-0.5",
                "a.dat: friction[0]: -5e-1 is not allowed: must be from 0 to 100",
            ),
            ("a.dat", "2 1 0\n2 2 2 2\n4 1\n3 5\n-1 7\n", "a.dat:5: friction[0]: is missing: the file ends"),
            ("a.dat", "3 1 0\n2 2", "a.dat:2: rows: 2 is not allowed: must be 3"),
            ("a.dat", "3 0 0\n2 2", "a.dat:1: contacts: 0 is not allowed: must be a whole number from 1 to 682"),
            ("a.json", r#"{"friction": [1]}"#, "a.json:1:1: key `dimension` is missing"),
            ("a.json", r#"{"dimension": 2, "matrix": [[1]], "vector": [1]}"#, "a.json:1:1: key `friction` is missing"),
            (
                "a.json",
                r#"{"dimension": 2, "matrix": [[1]], "vector": [1], "friction": [1]}"#,
                "a.json: 1 unknowns: must be 2, 2 for each of 1 contacts",
            ),
            (
                "a.json",
                r#"{"dimension": 4, "matrix": [[1]], "vector": [1], "friction": [1]}"#,
                "a.json:1:15: dimension: 4 is not allowed",
            ),
        ] {
            let found = read(name, text).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
    }
}
