//! Reports: a run as one self-contained HTML file, without network or scripts.
//!
//! ```text
//! parts (rows) --> Gathered (sums, tallies, worst trials, density) --> figures (SVG), tables --> report.html
//! ```
//!
//! The rows are streamed twice, once for the sums and once for what needs their extremes: the density of touchdown
//! points and the curves of weighted trials; no row is kept. The number of marks in every figure, and the number of
//! figures, is bounded, so the file's size does not grow with the trials. Its bytes are a function of the study and its
//! parts alone.

mod air_force_curves;
mod curve;
mod density;
mod figure;
mod gather;
mod map;
mod page;
mod plot;
mod rare;
mod rows;
mod sensitivity;
mod text;
mod weighted_curve;
mod worst;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::model::{Models, Nouns};
use crate::study::map::{Map, MapError};
use crate::study::sensitivity::{Sensitivity, SensitivityError};
use crate::study::{PartError, RunDirectory, RunError, Study, StudyError};
use crate::table::{TableError, write_atomically};
pub use air_force_curves::air_force_curves;
use gather::gather;
pub use map::write_map_pictures;

/// Name of the report in a run's directory.
const REPORT_FILE: &str = "report.html";

/// Why a report cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The directory's study cannot be read.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A part cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// The levels of a run cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A run by subset simulation is unfinished.
    #[error(
        "{directory}: this run by subset simulation is not finished; go on with `touchdown study run`, then ask again"
    )]
    Unfinished {
        /// The run's directory.
        directory: PathBuf,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The sensitivity analysis cannot be read.
    #[error(transparent)]
    Sensitivity(#[from] SensitivityError),
    /// The given directory has no sensitivity analysis.
    #[error(
        "{directory}: there is no sensitivity.json; run `touchdown study sensitivity` with --out {directory} first"
    )]
    NoSensitivity {
        /// The directory.
        directory: PathBuf,
    },
    /// The sensitivity analysis belongs to another study.
    #[error(
        "{directory}: the sensitivity analysis is of another study (or of this one before it was changed); run `touchdown study sensitivity` with another --out and name that with --sensitivity"
    )]
    OtherStudy {
        /// Its directory.
        directory: PathBuf,
    },
    /// The map cannot be read.
    #[error(transparent)]
    Map(#[from] MapError),
    /// There is no map where one should be.
    #[error("{directory}: there is no map.json; run `touchdown study map` with --out {directory} first")]
    NoMap {
        /// The directory.
        directory: PathBuf,
    },
    /// The map is of another study.
    #[error(
        "{directory}: the map is of another study (or of this one before it was changed); run `touchdown study map` with another --out and name that with --map"
    )]
    MapOfOtherStudy {
        /// Its directory.
        directory: PathBuf,
    },
    /// A picture cannot be encoded.
    #[error("the picture cannot be encoded: {cause}")]
    Picture {
        /// Why.
        cause: String,
    },
    /// The page cannot be rendered.
    #[error("the page cannot be rendered: {0}")]
    Page(#[from] askama::Error),
}

/// A report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its path.
    pub path: PathBuf,
    /// Number of parts included.
    pub parts: u64,
    /// The model's names for trials.
    pub nouns: Nouns,
    /// Number of trials in them.
    pub trials: u64,
}

/// Where analyses of the same study stand that a report shows; those in the run's own directory where nothing is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The sensitivity analysis.
    pub sensitivity: Option<&'a Path>,
    /// The map.
    pub map: Option<&'a Path>,
}

/// What is shown of analyses.
#[derive(Default)]
struct Analyses {
    sensitivity: Option<Sensitivity>,
    map: Option<Map>,
}

/// Writes `report.html` into the directory of a run, of the parts that are there: an unfinished run's report says what
/// is missing. It shows the analyses in the directories named, else those in the run's own if there are some.
///
/// # Errors
/// When the directory holds no run or an unfinished one by subset simulation, a part is foreign, damaged or none of the study's, the
/// analysis is not there or of another study, or the file cannot be written.
pub fn write(models: &Models, directory: &Path, beside: Beside<'_>) -> Result<Report, ReportError> {
    let study = models.stored_study(directory)?;
    let Beside { sensitivity, map } = beside;
    let analyses = Analyses {
        sensitivity: sensitivity_of(&study, sensitivity.unwrap_or(directory), sensitivity.is_some())?,
        map: map_of(&study, map.unwrap_or(directory), map.is_some())?,
    };
    let run = RunDirectory::open(directory);
    run.refuse_strangers(&study)?;
    let (html, parts, trials) = if study.subset().is_some() {
        let unfinished = || ReportError::Unfinished { directory: directory.to_owned() };
        let summary = run.summary_by_subset(&study)?.ok_or_else(unfinished)?;
        let levels = summary.criteria.iter().filter_map(|criterion| criterion.subset.as_ref());
        let parts = levels.map(|subset| subset.levels.len() as u64).sum();
        (rare::html(&study, &summary, analyses.sensitivity.as_ref())?, parts, rare::trials(&summary))
    } else {
        let gathered = gather(&study, &run)?;
        (page::html(&study, &gathered, &analyses)?, gathered.parts, gathered.trials())
    };
    let path = directory.join(REPORT_FILE);
    write_atomically(&path, html.as_bytes())?;
    Ok(Report { path, parts, nouns: study.nouns(), trials })
}

fn sensitivity_of(study: &Study, directory: &Path, must_be_there: bool) -> Result<Option<Sensitivity>, ReportError> {
    let named = || directory.to_owned();
    match Sensitivity::study_hash_in(directory)? {
        Some(hash) if hash != study.hash() => Err(ReportError::OtherStudy { directory: named() }),
        None if must_be_there => Err(ReportError::NoSensitivity { directory: named() }),
        _ => Ok(Sensitivity::read(directory, study.nouns().many)?),
    }
}

fn map_of(study: &Study, directory: &Path, must_be_there: bool) -> Result<Option<Map>, ReportError> {
    let named = || directory.to_owned();
    match Map::read(directory)? {
        Some(map) if map.study_hash != study.hash() => Err(ReportError::MapOfOtherStudy { directory: named() }),
        None if must_be_there => Err(ReportError::NoMap { directory: named() }),
        map => Ok(map),
    }
}
