//! Ellipsoids in batch tables.
//!
//! # Conventions
//! Lengths in metres; quaternions rotate ellipsoid axes to world axes.

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::fault::ELLIPSOID_FIELDS;
use super::{Bodies, BodiesFile, ColumnNames, ColumnNamesError, Fault, PackingError};
use crate::query::Ellipsoid;
use crate::table::{Chunk, ColumnKind, TableError, TableReader, Wanted};

/// The columns of an ellipsoid: centre `x y z`, semi-axes `s1 s2 s3` and quaternion `qw qx qy qz`, each with a prefix.
pub fn ellipsoid_columns(prefix: &str) -> impl Iterator<Item = Wanted> {
    ELLIPSOID_FIELDS.into_iter().map(move |name| Wanted::required(&format!("{prefix}{name}"), ColumnKind::Number))
}

/// The ellipsoids of a chunk, from ten columns starting with this one.
///
/// # Errors
/// [`TableError`] if those are not numeric columns.
pub fn ellipsoids(chunk: &Chunk, first: usize) -> Result<Vec<Ellipsoid>, TableError> {
    let columns = (first..first + 10).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, _>>()?;
    let ellipsoid = |row: usize| {
        // All are required, so none is missing.
        let value = |column: usize| columns[column][row].unwrap_or(0.0);
        Ellipsoid {
            center: DVec3::new(value(0), value(1), value(2)),
            semi_axes: DVec3::new(value(3), value(4), value(5)),
            rotation: DQuat::from_xyzw(value(7), value(8), value(9), value(6)),
        }
    };
    Ok((0..chunk.len()).map(ellipsoid).collect())
}

/// Why a table of bodies could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BodiesError {
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Column names that are not those of a table of bodies.
    #[error("{path}: {source}")]
    Columns {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ColumnNamesError,
    },
    /// A row without a valid ellipsoid.
    #[error("{path}: row {row} (the first is 0): column {column}: {fault}")]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 0.
        row: u64,
        /// The column.
        column: String,
        /// What is wrong with its value.
        fault: Fault,
    },
    /// Two rows with the same id.
    #[error("{path}: row {row} (the first is 0): column {column}: row {earlier} has the id {id} already")]
    SameId {
        /// The file.
        path: PathBuf,
        /// The column of ids.
        column: String,
        /// The row, counted from 0.
        row: usize,
        /// The row of the other.
        earlier: usize,
        /// The id.
        id: i64,
    },
    /// Bodies that do not form a packing.
    #[error("{path}: {source}")]
    Packing {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PackingError,
    },
}

impl BodiesError {
    /// Checks the ellipsoids of a chunk; `column` names that of a field.
    ///
    /// # Errors
    /// [`BodiesError::Row`] for the first invalid one.
    pub fn refuse_faults(
        path: &Path,
        chunk: &Chunk,
        column: impl Fn(&str) -> String,
        ellipsoids: &[Ellipsoid],
    ) -> Result<(), Self> {
        match (chunk.first_row..).zip(ellipsoids).find_map(|(row, ellipsoid)| Some((row, Fault::of(ellipsoid)?))) {
            None => Ok(()),
            Some((row, fault)) => {
                let column = column(ELLIPSOID_FIELDS[fault.field]);
                Err(Self::Row { path: path.to_owned(), row, column, fault })
            }
        }
    }
}

/// Reads bodies from a table with the columns `id` and those of an ellipsoid, by the names that they have there.
///
/// # Errors
/// If the table cannot be read, or a row has an invalid ellipsoid, or a duplicate id.
pub fn read_bodies(path: &Path, names: &ColumnNames) -> Result<Bodies, BodiesError> {
    let known: Vec<&'static str> = std::iter::once("id").chain(ELLIPSOID_FIELDS).collect();
    names.check(BodiesFile::Table, &known).map_err(|source| BodiesError::Columns { path: path.to_owned(), source })?;
    let kinds = std::iter::once(ColumnKind::Integer).chain(std::iter::repeat(ColumnKind::Number));
    let wanted: Vec<Wanted> =
        known.iter().zip(kinds).map(|(name, kind)| Wanted::required(names.column(name), kind)).collect();
    let mut bodies = Vec::new();
    for chunk in TableReader::open(path, &wanted)? {
        let chunk = chunk?;
        let ellipsoids = ellipsoids(&chunk, 1)?;
        BodiesError::refuse_faults(path, &chunk, |field| names.column(field).to_owned(), &ellipsoids)?;
        bodies.extend(chunk.integers(0)?.iter().map(|id| id.unwrap_or(0)).zip(ellipsoids));
    }
    Bodies::new(bodies).map_err(|source| match source {
        PackingError::SameId { id, places: [earlier, row] } => {
            let column = names.column("id").to_owned();
            BodiesError::SameId { path: path.to_owned(), column, row, earlier, id }
        }
        source => BodiesError::Packing { path: path.to_owned(), source },
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(rows: &str) -> Result<Bodies, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        fs::write(&path, format!("id,x,y,z,s1,s2,s3,qw,qx,qy,qz\n{rows}")).unwrap();
        read_bodies(&path, &ColumnNames::default())
            .map_err(|error| error.to_string().replace(&format!("{}/", directory.path().display()), ""))
    }

    #[test]
    fn bodies_are_read_from_a_table() {
        let bodies = read("5,1,2,3,0.5,1,1.5,1,0,0,0\n-2,4,5,6,1,1,1,0.1,0.2,0.3,0.4\n").unwrap();
        assert_eq!(bodies.ids(), [-2, 5]);
        let expected = Ellipsoid {
            center: DVec3::new(4.0, 5.0, 6.0),
            semi_axes: DVec3::ONE,
            rotation: DQuat::from_xyzw(0.2, 0.3, 0.4, 0.1),
        };
        assert_eq!(bodies.ellipsoids()[0], expected);
        assert_eq!(bodies.ellipsoids()[1].semi_axes, DVec3::new(0.5, 1.0, 1.5));
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn columns_may_have_other_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        fs::write(&path, "tag,x,y,z,a,b,c,qw,qx,qy,qz\n5,1,2,3,0.5,1,1.5,1,0,0,0\n6,1,2,3,0.5,-1,1.5,1,0,0,0\n")
            .unwrap();
        let read = |names: &str| read_bodies(&path, &names.parse().unwrap()).map_err(|error| error.to_string());
        let error = read("id=tag,s1=a,s2=b,s3=c").unwrap_err();
        assert!(error.ends_with("column b: a semi-axis of -1e0 m: must be above 1e-60 and at most 1e60 m"), "{error}");
        assert_eq!(read("id=tag,s1=a,s2=c,s3=c").unwrap().ids(), [5, 6]);
        assert!(read("id=tag,s1=a,s2=c,s3=d").unwrap_err().contains("no column \"d\""));
        assert!(read("radius=a").unwrap_err().contains("\"radius\" is not known in a table"));
    }

    #[test]
    fn rows_without_a_body_are_refused_by_row_and_column() {
        let good = "5,1,2,3,0.5,1,1.5,1,0,0,0\n";
        for (row, error) in [
            (
                "6,1,2,3,0.5,-1,1.5,1,0,0,0",
                "t.csv: row 1 (the first is 0): column s2: a semi-axis of -1e0 m: must be above",
            ),
            ("6,1,2,3,0.5,1,1.5,0,0,0,0", "t.csv: row 1 (the first is 0): column qw: a quaternion of length 0e0:"),
            ("5,1,2,3,0.5,1,1.5,1,0,0,0", "t.csv: row 1 (the first is 0): column id: row 0 has the id 5 already"),
            ("6,1,2,nan,0.5,1,1.5,1,0,0,0", "t.csv:3: column z: \"nan\" is not a finite number"),
            ("6,1,2,3,1e9,1e9,1e9,1,0,0,0", "t.csv: body 5 has a semi-axis of 5e-1 m and body 6 one of 1e9 m"),
        ] {
            let found = read(&format!("{good}{row}\n")).unwrap_err();
            assert!(found.starts_with(error), "{row}: {found}");
        }
    }
}
