//! Maps: the probability of each criterion's event over a grid of two inputs, such as a helicopter's operating limits.
//!
//! ```text
//! study ([map]) --> Grid (cells, trials by number) --> Engine --> counts (files) --> Map (a layer for each event) --> table, picture
//! ```
//!
//! In a cell the two inputs that are swept have its values, whatever the study says of them, and all others vary as in the
//! study. Trial i of each cell draws the same random numbers, those of the study's own trial i, so that cells that lie
//! beside each other differ by what is swept and not by chance. In each cell the bounds are made as the study's sampling has them made:
//! they hold cell by cell, each at the criterion's confidence, and not for all cells together.
//!
//! # Conventions
//! Cells are numbered row by row: x runs fastest. SI units.

mod counts;
mod grid;
mod result;
mod run;
mod table;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests;

use thiserror::Error;

pub(super) use counts::NAMES;
pub use grid::{Grid, Sweep};
pub use result::{Cell, Layer, Map, MapAxis, SAFE};
pub use run::map;

use super::{PartError, RunError};
use crate::engine::EngineError;
use crate::table::TableError;

/// Why there is no map.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MapError {
    /// The study does not say what is swept.
    #[error(
        "the study has no [map]: name the two inputs that it sweeps, such as x = {{ input = \"crosswind\", from = 0, to = 15, points = 11 }}"
    )]
    NoMap,
    /// The directory cannot be used.
    #[error("{0}")]
    Directory(#[source] RunError),
    /// A file of counts cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// A result cannot be read back.
    #[error("{path}: {cause}; delete it and run `touchdown study map` again")]
    Unreadable {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        cause: String,
    },
}
