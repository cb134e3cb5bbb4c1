//! Computing the files that are missing.

use std::sync::atomic::{AtomicBool, Ordering};

use super::TrialFiles;
use crate::engine::{Engine, EngineError};
use crate::model::{Inputs, Outcome};
use crate::parallel;
use crate::study::PartError;
use crate::study::batches::{self, Batch};

/// Computes the trials whose files are missing, by their numbers, and publishes each file as soon as it is whole; false if it was
/// asked to stop, with finished files kept. `progress` receives the number of trials in total, done, and computed by this call.
pub(in crate::study) fn compute_missing<E: From<PartError> + From<EngineError>>(
    files: &TrialFiles<'_>,
    engine: &dyn Engine,
    inputs_of: impl Fn(u64) -> Inputs + Sync,
    publish: impl Fn(u64, &[(Inputs, Outcome)]) -> Result<(), PartError>,
    progress: &mut dyn FnMut(u64, u64, u64),
    stop: &AtomicBool,
) -> Result<bool, E> {
    let mut missing = Vec::new();
    let mut done = 0;
    let there = parallel::map_numbers(files.files() as usize, 1, |file| files.has(file as u64));
    for (file, is_there) in (0..).zip(there) {
        if is_there? {
            done += files.size(file) as u64;
        } else {
            missing.push(file);
        }
    }
    let mut computed = 0;
    progress(files.all(), done, computed);
    // A batch ends within a file or several files later.
    let mut numbers = missing.iter().flat_map(|&file| files.trials(file));
    let mut unpublished = missing.iter().copied().peekable();
    let mut rows: Vec<(Inputs, Outcome)> = Vec::new();
    let mut is_stopped = false;
    let next = |size: usize| numbers.by_ref().take(size).collect();
    let admit = |numbers: &[u64]| {
        is_stopped = stop.load(Ordering::Relaxed);
        if is_stopped { 0 } else { numbers.len() }
    };
    let take_in = |batch: Batch<u64>| -> Result<(), E> {
        computed += batch.trials.len() as u64;
        rows.extend(batch.into_rows().map(|(_, inputs, outcome)| (inputs, outcome)));
        // All that is published goes at once: what is left is moved to the front once in a batch.
        let mut published = 0;
        while let Some(file) = unpublished.next_if(|&file| published + files.size(file) <= rows.len()) {
            let end = published + files.size(file);
            publish(file, &rows[published..end])?;
            published = end;
        }
        rows.drain(..published);
        progress(files.all(), done + computed, computed);
        Ok(())
    };
    batches::compute(&*files.study.model, engine, next, admit, |&number| inputs_of(number), take_in)?;
    Ok(!is_stopped)
}
