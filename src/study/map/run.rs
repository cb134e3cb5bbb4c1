//! Computes what is missing and sums up.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::counts::Counts;
use super::result::Map;
use super::table::write;
use super::{Grid, MapError};
use crate::engine::{Engine, EngineError};
use crate::model::{Inputs, Outcome};
use crate::study::{RunDirectory, Study};

/// Computes the missing trials of a study's map in a directory, writes `map.json` and `map.parquet` into it; `None` when it
/// was asked to stop, with finished files kept. `progress` hears how many trials there are, are done, and were computed by
/// this call.
///
/// # Errors
/// When the study has no `[map]`, the directory holds something else, a file cannot be written, or the engine fails.
pub fn map(
    study: &Study,
    engine: &dyn Engine,
    directory: &Path,
    progress: &mut dyn FnMut(u64, u64, u64),
    stop: &AtomicBool,
) -> Result<Option<Map>, MapError> {
    let grid = study.map.as_ref().ok_or(MapError::NoMap)?;
    let _locked = RunDirectory::prepare(directory, study).map_err(MapError::Directory)?;
    let identity = engine.identity();
    let counts = Counts::prepare(study, grid, directory, &identity)?;
    let mut missing = Vec::new();
    let mut done = 0;
    for file in 0..counts.files() {
        if counts.has(file)? {
            done += counts.size(file) as u64;
        } else {
            missing.push(file);
        }
    }
    let mut computed = 0;
    progress(grid.trials(), done, computed);
    // Batches are as large as the engine likes them, and end where they end: within a file or several files later.
    let mut numbers = missing.iter().flat_map(|&file| counts.trials(file));
    let mut unpublished = missing.iter().copied().peekable();
    let mut outcomes: Vec<Outcome> = Vec::new();
    while unpublished.peek().is_some() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let batch: Vec<u64> = numbers.by_ref().take(study.model.batch(engine).max(1)).collect();
        outcomes.extend(computed_by(study, grid, engine, &batch)?);
        computed += batch.len() as u64;
        while let Some(file) = unpublished.next_if(|&file| counts.size(file) <= outcomes.len()) {
            let size = counts.size(file);
            counts.write(file, &outcomes[..size])?;
            outcomes.drain(..size);
        }
        progress(grid.trials(), done + computed, computed);
    }
    let map = Map::of(study, &identity, grid, &counts.all()?);
    write(&map, study.nouns().many, directory)?;
    Ok(Some(map))
}

fn computed_by(study: &Study, grid: &Grid, engine: &dyn Engine, batch: &[u64]) -> Result<Vec<Outcome>, MapError> {
    let inputs: Vec<Inputs> = batch.iter().map(|&number| grid.inputs_of(study, number)).collect();
    let outcomes = study.model.outcomes(engine, &inputs).map_err(MapError::Engine)?;
    if outcomes.len() == inputs.len() {
        Ok(outcomes)
    } else {
        Err(MapError::Engine(EngineError::Incomplete { asked: inputs.len(), got: outcomes.len() }))
    }
}
