//! Computes what is missing, and the result.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::design::{Design, inputs_of};
use super::evaluations::Evaluations;
use super::result::Sensitivity;
use super::table::write;
use super::{POINTS, SensitivityError};
use crate::engine::{Engine, EngineError};
use crate::model::{Inputs, Outcome};
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
    let mut missing = Vec::new();
    let mut done = 0;
    for file in 0..evaluations.files() {
        if evaluations.has(file)? {
            done += evaluations.size(file) as u64;
        } else {
            missing.push(file);
        }
    }
    let mut computed = 0;
    progress(design.trials(), done, computed);
    // The batch size is the engine's; a batch ends within a file or several files later.
    let mut numbers = missing.iter().flat_map(|&file| evaluations.trials(file));
    let mut unpublished = missing.iter().copied().peekable();
    let mut rows: Vec<(Inputs, Outcome)> = Vec::new();
    while unpublished.peek().is_some() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let batch = numbers.by_ref().take(study.model.batch(engine).max(1));
        let inputs: Vec<Inputs> = batch.map(|number| inputs_of(study, &design, number)).collect();
        let outcomes = study.model.outcomes(engine, &inputs).map_err(SensitivityError::Engine)?;
        if outcomes.len() != inputs.len() {
            let error = EngineError::Incomplete { asked: inputs.len(), got: outcomes.len() };
            return Err(SensitivityError::Engine(error));
        }
        computed += inputs.len() as u64;
        rows.extend(inputs.into_iter().zip(outcomes));
        while let Some(file) = unpublished.next_if(|&file| evaluations.size(file) <= rows.len()) {
            let size = evaluations.size(file);
            evaluations.write(file, &rows[..size])?;
            rows.drain(..size);
        }
        progress(design.trials(), done + computed, computed);
    }
    let outcomes = evaluations.outcomes()?;
    let sensitivity = Sensitivity::of(study, &identity, &design, &outcomes);
    write(&sensitivity, study.nouns().many, directory)?;
    Ok(Some(sensitivity))
}
