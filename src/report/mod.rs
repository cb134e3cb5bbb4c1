//! Reports: a run as one HTML file that needs nothing else, no network and no script.
//!
//! ```text
//! parts (rows) --> Gathered (sums, tallies, worst landings, density) --> figures (SVG), tables --> report.html
//! ```
//!
//! The rows are streamed twice, once for the sums and once for the density of touchdown points, whose grid needs the
//! extremes; no row is kept. The number of marks in every figure, and the number of figures, is bounded, so the file's
//! size does not grow with the landings. Its bytes are a function of the study and its parts alone.

mod curve;
mod density;
mod figure;
mod gather;
mod page;
mod plot;
mod text;
mod worst;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use text::number;

use crate::study::{PartError, RunDirectory, Study, StudyError};
use crate::table::{TableError, write_atomically};
use gather::gather;

/// Name of the report in a run's directory.
const REPORT_FILE: &str = "report.html";

/// Why a report cannot be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The directory's study cannot be read.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A part cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// The run is not one of independent landings.
    #[error(
        "{directory}: a report shows shares of independent landings, which a run by subset simulation does not have; \
         its levels and the inputs of its events stand in summary.json"
    )]
    BySubset {
        /// The run's directory.
        directory: PathBuf,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The page cannot be put together.
    #[error("the page cannot be put together: {0}")]
    Page(#[from] askama::Error),
}

/// A report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Where it stands.
    pub path: PathBuf,
    /// Parts it is made of.
    pub parts: u64,
    /// Landings in them.
    pub landings: u64,
}

/// Writes `report.html` into the directory of a run, of the parts that are there: an unfinished run's report says what
/// is missing.
///
/// # Errors
/// When the directory holds no run or one by subset simulation, a part is foreign or damaged, or the file cannot be written.
pub fn write(directory: &Path) -> Result<Report, ReportError> {
    let study = Study::read_stored(directory)?;
    if study.subset().is_some() {
        return Err(ReportError::BySubset { directory: directory.to_owned() });
    }
    let gathered = gather(&study, &RunDirectory::open(directory))?;
    let html = page::html(&study, &gathered)?;
    let path = directory.join(REPORT_FILE);
    write_atomically(&path, html.as_bytes())?;
    Ok(Report { path, parts: gathered.parts, landings: gathered.landings() })
}
