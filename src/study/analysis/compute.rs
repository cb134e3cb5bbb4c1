//! Computing the files that are missing.

use std::sync::atomic::{AtomicBool, Ordering};

use super::TrialFiles;
use crate::engine::{Engine, EngineError};
use crate::model::{Inputs, Outcome};
use crate::study::PartError;

/// Computes the trials whose files are missing, by their numbers, and publishes each file as soon as it is whole; false if it was
/// asked to stop, with finished files kept. `progress` receives the number of trials in total, done, and computed by this call.
pub(in crate::study) fn compute_missing<E: From<PartError> + From<EngineError>>(
    files: &TrialFiles<'_>,
    engine: &dyn Engine,
    inputs_of: impl Fn(u64) -> Inputs,
    publish: impl Fn(u64, &[(Inputs, Outcome)]) -> Result<(), PartError>,
    progress: &mut dyn FnMut(u64, u64, u64),
    stop: &AtomicBool,
) -> Result<bool, E> {
    let mut missing = Vec::new();
    let mut done = 0;
    for file in 0..files.files() {
        if files.has(file)? {
            done += files.size(file) as u64;
        } else {
            missing.push(file);
        }
    }
    let mut computed = 0;
    progress(files.all(), done, computed);
    // The batch size is the engine's; a batch ends within a file or several files later.
    let mut numbers = missing.iter().flat_map(|&file| files.trials(file));
    let mut unpublished = missing.iter().copied().peekable();
    let mut rows: Vec<(Inputs, Outcome)> = Vec::new();
    while unpublished.peek().is_some() {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let model = &files.study.model;
        let inputs: Vec<Inputs> = numbers.by_ref().take(model.batch(engine).max(1)).map(&inputs_of).collect();
        let outcomes = model.outcomes(engine, &inputs)?;
        if outcomes.len() != inputs.len() {
            return Err(EngineError::Incomplete { asked: inputs.len(), got: outcomes.len() }.into());
        }
        computed += inputs.len() as u64;
        rows.extend(inputs.into_iter().zip(outcomes));
        while let Some(file) = unpublished.next_if(|&file| files.size(file) <= rows.len()) {
            let size = files.size(file);
            publish(file, &rows[..size])?;
            rows.drain(..size);
        }
        progress(files.all(), done + computed, computed);
    }
    Ok(true)
}
