//! Computes what is missing, and the result.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::design::{Design, inputs_of};
use super::evaluations::Evaluations;
use super::result::Sensitivity;
use super::table::write;
use super::{POINTS, SensitivityError};
use crate::engine::Engine;
use crate::study::analysis::compute_missing;
use crate::study::{RunDirectory, Study};

/// Computes the missing trials of a sensitivity analysis with this many base points in a directory and writes
/// `sensitivity.json` and `sensitivity.parquet`; `None` if it was asked to stop, with finished files kept. `progress`
/// receives the number of trials in total, done, and computed by this call.
///
/// # Errors
/// If the study has no inputs or no criteria, the directory holds something else, a file cannot be written, or the
/// engine fails.
pub fn sensitivity(
    study: &Study,
    engine: &dyn Engine,
    directory: &Path,
    points: u64,
    progress: &mut dyn FnMut(u64, u64, u64),
    stop: &AtomicBool,
) -> Result<Option<Sensitivity>, SensitivityError> {
    let design = Design::new(study, points);
    if design.inputs() == 0 {
        return Err(SensitivityError::NoInputs);
    }
    if study.criteria.is_empty() {
        return Err(SensitivityError::NoCriteria);
    }
    if !POINTS.contains(&points) {
        return Err(SensitivityError::Points { asked: points });
    }
    let _locked = RunDirectory::prepare(directory, study).map_err(SensitivityError::Directory)?;
    let identity = engine.identity();
    let evaluations = Evaluations::prepare(study, &design, directory, &identity)?;
    let inputs = |number| inputs_of(study, &design, number);
    let publish = |file, rows: &[_]| evaluations.write(file, rows);
    if !compute_missing::<SensitivityError>(&evaluations.files, engine, inputs, publish, progress, stop)? {
        return Ok(None);
    }
    let outcomes = evaluations.outcomes()?;
    let sensitivity = Sensitivity::of(study, &identity, &design, &outcomes);
    write(&sensitivity, study.nouns().many, directory)?;
    Ok(Some(sensitivity))
}
