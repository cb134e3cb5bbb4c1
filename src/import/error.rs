//! Errors of imports.

use std::path::PathBuf;

use thiserror::Error;

/// Why a file could not be converted. Every message is one line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The table is not CSV.
    #[error("{}: cannot be read as CSV: {source}", path.display())]
    Unreadable {
        /// The table.
        path: PathBuf,
        /// Message of the reader.
        source: csv::Error,
    },
    /// A table, a model or an aircraft cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// Message of the system.
        source: std::io::Error,
    },
    /// A model has something that no scene can represent.
    #[error("{}:{line}: {message}", path.display())]
    Csg {
        /// The model.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What was found, and what is allowed.
        message: String,
    },
    /// A JSBSim aircraft has something that no vehicle can represent.
    #[error("{}:{line}: {message}", path.display())]
    Jsbsim {
        /// The aircraft.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The element, what was found, and what is allowed.
        message: String,
    },
    /// Flight controls of a JSBSim aircraft that no step can have.
    #[error("{message}")]
    Refused {
        /// The place, what was found, and what is allowed.
        message: String,
    },
    /// The table lacks a column.
    #[error("{}:1: column `{column}` is missing{}", path.display(), meant(nearest.as_deref()))]
    MissingColumn {
        /// The table.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// A column that may be a misspelling of it.
        nearest: Option<String>,
    },
    /// No row has this airport.
    #[error("{}: airport_ident: no row has `{airport}`{}", path.display(), meant(nearest.as_deref()))]
    UnknownAirport {
        /// The table.
        path: PathBuf,
        /// The airport requested.
        airport: String,
        /// The airport with the nearest name.
        nearest: Option<String>,
    },
    /// The airport has no such runway.
    #[error(
        "{}: le_ident, he_ident: {airport} has no runway `{runway}`: it has {}", path.display(), runways.join(", ")
    )]
    UnknownRunway {
        /// The table.
        path: PathBuf,
        /// The airport.
        airport: String,
        /// The runway requested.
        runway: String,
        /// The runways it has, one name per landing direction.
        runways: Vec<String>,
    },
    /// An unusable cell of the row.
    #[error("{}:{line}: {field}: {value} is not allowed: {allowed}", path.display())]
    BadValue {
        /// The table.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The column.
        field: &'static str,
        /// Contents of the cell.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// Not three runway condition codes.
    #[error("runway condition codes `{text}`: must be three codes from 1 to 6, one for each third, such as 5/5/3")]
    ConditionCodes {
        /// What was given.
        text: String,
    },
    /// Code 0.
    #[error("runway condition code 0 (less than poor): no operation is allowed and no friction figure is published")]
    NoOperation,
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; is `{nearest}` meant?")).unwrap_or_default()
}
