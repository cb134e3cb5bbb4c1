//! Computes what is missing and sums up.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::MapError;
use super::counts::Counts;
use super::result::Map;
use super::table::write;
use crate::engine::Engine;
use crate::study::analysis::compute_missing;
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
    let inputs = |number| grid.inputs_of(study, number);
    let publish = |file, rows: &[_]| counts.write(file, rows);
    if !compute_missing::<MapError>(&counts.files, engine, inputs, publish, progress, stop)? {
        return Ok(None);
    }
    let map = Map::of(study, &identity, grid, &counts.all()?);
    write(&map, study.nouns().many, directory)?;
    Ok(Some(map))
}
