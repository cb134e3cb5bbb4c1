//! Trials as a limit state: computed by an engine, or read from the files of a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::vec::IntoIter;

use super::LimitState;
use super::level_file::{LevelFile, LevelRow, Simulated, response};
use super::replicate::{Point, Replicate};
use crate::engine::{Engine, EngineIdentity};
use crate::model::{Inputs, Outcome};
use crate::normal;
use crate::random::NoiseKey;
use crate::study::batches::{self, Batch};
use crate::study::progress::{LevelStatus, Progress, Timing};
use crate::study::{RunDirectory, RunError, Study};

/// Why a simulation of trials ended early.
pub(super) enum Stopped {
    /// It was asked to.
    Interrupted,
    /// It cannot continue.
    Failed(RunError),
}

impl<E: Into<RunError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Computes levels whose files are missing.
pub(super) struct Worker<'a> {
    pub engine: &'a dyn Engine,
    pub stop: &'a AtomicBool,
    pub progress: &'a mut dyn Progress,
    pub timing: &'a mut Timing,
}

/// The trials of a criterion.
pub(super) struct StudyLimitState<'a, 'b> {
    study: &'a Study,
    criterion: usize,
    identity: &'a EngineIdentity,
    directory: &'a RunDirectory,
    /// Without one, every level must be present.
    worker: Option<Worker<'b>>,
    /// Receives each trial with its level.
    each: &'b mut dyn FnMut(usize, &Outcome) -> Result<(), RunError>,
    level: Option<OpenLevel<'a>>,
    /// Trials of the criterion so far.
    done: u64,
    /// Mean probability of the replicates' levels.
    probability: f64,
}

/// The level in progress.
struct OpenLevel<'a> {
    number: usize,
    file: LevelFile<'a>,
    /// The rows of its file that were not requested yet, if there is a file.
    stored: Option<IntoIter<LevelRow>>,
    /// What was computed, if there is none.
    computed: Vec<Simulated>,
}

impl<'a, 'b> StudyLimitState<'a, 'b> {
    pub fn new(
        study: &'a Study,
        criterion: usize,
        identity: &'a EngineIdentity,
        directory: &'a RunDirectory,
        worker: Option<Worker<'b>>,
        each: &'b mut dyn FnMut(usize, &Outcome) -> Result<(), RunError>,
    ) -> Self {
        Self { study, criterion, identity, directory, worker, each, level: None, done: 0, probability: 1.0 }
    }

    fn open(&self, level: usize) -> Result<OpenLevel<'a>, Stopped> {
        let file = LevelFile::new(self.study, self.criterion, level, self.identity, &self.directory.parts());
        let stored = if self.worker.is_none() || file.path().exists() { Some(file.read()?.into_iter()) } else { None };
        Ok(OpenLevel { number: level, file, stored, computed: Vec::new() })
    }

    /// The stored answers from the level's file, which must be for exactly these points.
    fn recall(&mut self, level: &mut OpenLevel<'a>, points: &[Point]) -> Result<Vec<f64>, Stopped> {
        let mut responses = Vec::with_capacity(points.len());
        for point in points {
            let row = level.stored.as_mut().and_then(Iterator::next).filter(|row| is_same(&row.point, point));
            let Some(LevelRow { row, .. }) = row else {
                return Err(level
                    .file
                    .damaged(format!("it lacks {} {} as it should be", self.study.nouns().one, point.number))
                    .into());
            };
            (self.each)(level.number, &row)?;
            responses.push(response(self.study, self.criterion, &row));
        }
        Ok(responses)
    }

    fn compute(&mut self, level: &mut OpenLevel<'a>, points: &[Point]) -> Result<Vec<f64>, Stopped> {
        let mut responses = Vec::with_capacity(points.len());
        let Some(worker) = &mut self.worker else { return Ok(responses) };
        let (study, criterion, done, probability) = (self.study, self.criterion, self.done, self.probability);
        let (engine, stop, mut ahead, mut is_stopped) = (worker.engine, worker.stop, points, false);
        let next = |size: usize| -> Vec<&Point> {
            ahead.split_off(..size.min(ahead.len())).unwrap_or_default().iter().collect()
        };
        let admit = |points: &[&Point]| {
            is_stopped = stop.load(Ordering::Relaxed);
            if is_stopped { 0 } else { points.len() }
        };
        let take_in = |batch: Batch<&Point>| -> Result<(), Stopped> {
            worker.timing.add(&batch);
            for (point, inputs, outcome) in batch.into_rows() {
                (self.each)(level.number, &outcome)?;
                responses.push(response(study, criterion, &outcome));
                level.computed.push(Simulated { point: point.clone(), inputs, outcome });
            }
            worker.progress.advanced_in_level(&LevelStatus {
                criterion,
                level: level.number,
                probability,
                trials: done + responses.len() as u64,
                computed: worker.timing.trials.count,
            });
            Ok(())
        };
        batches::compute(&*study.model, engine, next, admit, |&point| inputs_at(study, point), take_in)?;
        if is_stopped { Err(Stopped::Interrupted) } else { Ok(responses) }
    }
}

impl LimitState for StudyLimitState<'_, '_> {
    type Error = Stopped;

    fn dimension(&self) -> usize {
        self.study.inputs.len()
    }

    fn responses(&mut self, level: usize, points: &[Point]) -> Result<Vec<f64>, Stopped> {
        let mut open = match self.level.take().filter(|open| open.number == level) {
            Some(open) => open,
            None => self.open(level)?,
        };
        let responses = match open.stored {
            Some(_) => self.recall(&mut open, points)?,
            None => self.compute(&mut open, points)?,
        };
        self.done += responses.len() as u64;
        self.level = Some(open);
        Ok(responses)
    }

    fn level_done(&mut self, _: usize, replicates: &[Replicate]) -> Result<(), Stopped> {
        self.probability = replicates.iter().map(Replicate::level_probability).sum::<f64>() / replicates.len() as f64;
        if let Some(mut open) = self.level.take() {
            if open.stored.as_mut().is_some_and(|rows| rows.next().is_some()) {
                return Err(open
                    .file
                    .damaged(format!("it has more {} than it should", self.study.nouns().many))
                    .into());
            }
            if !open.computed.is_empty() {
                open.file.write(&open.computed)?;
            }
        }
        Ok(())
    }
}

/// Bitwise equality.
fn is_same(a: &Point, b: &Point) -> bool {
    let bits = |point: &Point| point.z.iter().map(|z| z.to_bits()).collect::<Vec<_>>();
    a.number == b.number && a.noise == b.noise && bits(a) == bits(b)
}

/// The inputs of a trial.
pub(super) fn inputs_at(study: &Study, point: &Point) -> Inputs {
    let uniforms = point.z.iter().map(|&z| normal::uniform_of(z)).collect();
    study.inputs_at(uniforms, NoiseKey { seed: study.seed, item: point.noise })
}
