//! Errors of dumps.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::packing::{Fault, PackingError};

/// Why a dump could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DumpError {
    /// Reading failed.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Reading was interrupted.
    #[error("{path}: reading was interrupted")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// The file has invalid content.
    #[error("{path}:{line}: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1; the last one if lines are missing.
        line: u64,
        /// What is wrong with it.
        problem: DumpProblem,
    },
}

/// What is wrong with a line of a dump.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DumpProblem {
    /// The file ends too early.
    #[error("the file ends after this line; {expected} should follow")]
    Truncated {
        /// What was expected.
        expected: &'static str,
    },
    /// Something else was found.
    #[error("{expected} should stand here, not {found:?}")]
    Expected {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// Not UTF-8.
    #[error("the line is not UTF-8: only text dumps of style custom can be read")]
    Encoding,
    /// A line too long for text.
    #[error("a line of more than {limit} bytes: only text dumps of style custom can be read")]
    LongLine {
        /// The limit \[bytes\].
        limit: u64,
    },
    /// A general triclinic box.
    #[error(
        "the box is general triclinic (abc origin): only restricted triclinic boxes (xy xz yz) can be read, which LAMMPS \
         writes without dump_modify triclinic/general yes"
    )]
    General,
    /// Unknown boundary marks.
    #[error(
        "the boundaries {found:?} are not known: three pairs of the letters p, f, s and m such as \"pp pp ff\" should \
         stand here, p in both places or none"
    )]
    Boundaries {
        /// What was found.
        found: String,
    },
    /// Invalid bounds.
    #[error(
        "the bounds {found:?} are not two finite numbers, the lower one first (and a tilt, where the box has xy xz yz: the \
         bounds are those of the whole leaning box)"
    )]
    Bounds {
        /// What was found.
        found: String,
    },
    /// Required columns are missing.
    #[error(
        "there are no columns {needed}; the columns are {present} (those of other names can be mapped, or renamed by \
         dump_modify ... colname)"
    )]
    MissingColumns {
        /// The required columns.
        needed: String,
        /// The columns present.
        present: String,
    },
    /// Two columns with the same name.
    #[error("more than one column is called {name:?}")]
    SameColumn {
        /// The name.
        name: String,
    },
    /// The number of values differs from the number of columns.
    #[error("{found} values in this line, {expected} columns in the heading")]
    ValueCount {
        /// Number of values.
        found: usize,
        /// Number of columns.
        expected: usize,
    },
    /// An invalid value.
    #[error("column {column}: {found:?} is not {expected}")]
    Value {
        /// The column.
        column: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A particle that is not a valid ellipsoid.
    #[error("column {column}: {fault}{}", if *is_diameter { " (half of the diameter that stands here)" } else { "" })]
    Body {
        /// The column.
        column: String,
        /// What is wrong.
        fault: Fault,
        /// Whether the column holds diameters.
        is_diameter: bool,
    },
    /// Too few lines.
    #[error("{read} atoms where NUMBER OF ATOMS says {count}")]
    FewAtoms {
        /// Number of atoms found.
        read: u32,
        /// Number of atoms declared.
        count: u32,
    },
    /// Too many lines.
    #[error("more atoms than the {count} that NUMBER OF ATOMS says")]
    ManyAtoms {
        /// Number of atoms declared.
        count: u32,
    },
    /// Two particles with the same id.
    #[error("column id: the atom of line {earlier} has the same id")]
    SameId {
        /// The line of the other, counted from 1.
        earlier: u64,
    },
    /// Particles that do not form a packing.
    #[error("timestep {timestep}: {error}")]
    Packing {
        /// The time step number of the simulation.
        timestep: i64,
        /// Why.
        error: PackingError,
    },
}
