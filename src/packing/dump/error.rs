//! What can be wrong with a dump.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::packing::{Fault, PackingError};

/// Why a dump could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The operating system refused.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Reading was to stop.
    #[error("{path}: reading was interrupted")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// The file says what it should not.
    #[error("{path}:{line}: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1; the last one where lines are missing.
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
        /// What should follow.
        expected: &'static str,
    },
    /// Something else stands there.
    #[error("{expected} should stand here, not {found:?}")]
    Expected {
        /// What should.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// No text.
    #[error("the line is not UTF-8: only text dumps of style custom can be read")]
    Encoding,
    /// No text either.
    #[error("a line of more than {limit} bytes: only text dumps of style custom can be read")]
    LongLine {
        /// The limit \[bytes\].
        limit: u64,
    },
    /// A box of any three vectors.
    #[error(
        "the box is general triclinic (abc origin): only restricted triclinic boxes (xy xz yz) can be read, which LAMMPS \
         writes without dump_modify triclinic/general yes"
    )]
    General,
    /// No marks of boundaries.
    #[error(
        "the boundaries {found:?} are not known: three pairs of the letters p, f, s and m such as \"pp pp ff\" should \
         stand here, p in both places or none"
    )]
    Boundaries {
        /// What stands there.
        found: String,
    },
    /// No bounds.
    #[error(
        "the bounds {found:?} are not two finite numbers, the lower one first (and a tilt, where the box has xy xz yz: the \
         bounds are those of the whole leaning box)"
    )]
    Bounds {
        /// What stands there.
        found: String,
    },
    /// Columns that are needed and not there.
    #[error(
        "there are no columns {needed}; the columns are {present} (those of other names can be mapped, or renamed by \
         dump_modify ... colname)"
    )]
    MissingColumns {
        /// What is needed.
        needed: String,
        /// What is there.
        present: String,
    },
    /// Two columns of one name.
    #[error("more than one column is called {name:?}")]
    SameColumn {
        /// The name.
        name: String,
    },
    /// More or fewer values than columns.
    #[error("{found} values in this line, {expected} columns in the heading")]
    ValueCount {
        /// Values.
        found: usize,
        /// Columns.
        expected: usize,
    },
    /// A value that is none.
    #[error("column {column}: {found:?} is not {expected}")]
    Value {
        /// The column.
        column: String,
        /// What stands there.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// A particle that is no ellipsoid.
    #[error("column {column}: {fault}{}", if *is_diameter { " (half of the diameter that stands here)" } else { "" })]
    Body {
        /// The column.
        column: String,
        /// What is wrong.
        fault: Fault,
        /// True when the column holds diameters.
        is_diameter: bool,
    },
    /// A line too few.
    #[error("{read} atoms where NUMBER OF ATOMS says {count}")]
    FewAtoms {
        /// Atoms that are there.
        read: u32,
        /// Atoms that should be.
        count: u32,
    },
    /// A line too many.
    #[error("more atoms than the {count} that NUMBER OF ATOMS says")]
    ManyAtoms {
        /// Atoms that should be there.
        count: u32,
    },
    /// Two particles of one id.
    #[error("column id: the atom of line {earlier} has the same id")]
    SameId {
        /// The line of the other, counted from 1.
        earlier: u64,
    },
    /// Particles that make no packing.
    #[error("timestep {timestep}: {error}")]
    Packing {
        /// The step of the simulation.
        timestep: i64,
        /// Why.
        error: PackingError,
    },
}
