//! Batches of trials on their way through an engine.
//!
//! ```text
//! a thread that draws    draws n + 1    draws n + 2
//! the engine's thread    computes n     computes n + 1
//! the caller             takes in n - 1 takes in n
//! ```
//!
//! An engine finds the next trials drawn. Models decide how many they are, and whether those before have been computed then.
//! What is taken in has the order of the trials, and does not depend on the sizes of batches.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{ScopedJoinHandle, scope};
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineError};
use crate::model::{Inputs, Model, Outcome, TRIALS_PER_TASK, Trials};
use crate::parallel;

/// Batches that wait for being taken in, at most; the engine does not go on before.
const MAX_WAITING: usize = 1;

/// Trials that have been computed: `T` is what names one.
pub(super) struct Batch<T> {
    pub trials: Vec<T>,
    pub inputs: Vec<Inputs>,
    pub outcomes: Vec<Outcome>,
    /// How long the engine was at work since the batch before.
    pub taken: Duration,
}

impl<T> Batch<T> {
    /// Trial by trial.
    pub fn into_rows(self) -> impl ExactSizeIterator<Item = (T, Inputs, Outcome)> {
        let Self { trials, inputs, outcomes, .. } = self;
        trials.into_iter().zip(inputs).zip(outcomes).map(|((trial, inputs), outcome)| (trial, inputs, outcome))
    }
}

/// The engine's end of the way.
struct Stream<'m, T, A> {
    /// How many trials are to be drawn.
    ask: Sender<usize>,
    drawn: Receiver<(Vec<T>, Vec<Inputs>)>,
    /// Whether trials have been asked for that have not been received.
    has_asked: bool,
    admit: A,
    /// There are no more trials, or nobody wants them.
    is_over: bool,
    /// Whether what is computed is still taken in.
    is_wanted: bool,
    /// Those that the engine has begun with.
    begun: VecDeque<T>,
    done: SyncSender<Batch<T>>,
    /// How long the engine was at work since the last batch, until the time that follows.
    at_work: Duration,
    since: Instant,
    model: &'m dyn Model,
    /// Why outcomes that were given back cannot be taken in.
    refused: Option<EngineError>,
}

impl<T, A: FnMut(&[T]) -> usize> Trials for Stream<'_, T, A> {
    fn next(&mut self, count: usize) -> Vec<Inputs> {
        self.at_work += self.since.elapsed();
        let inputs = self.pull(count).unwrap_or_default();
        self.since = Instant::now();
        inputs
    }

    fn take(&mut self, inputs: Vec<Inputs>, outcomes: Vec<Outcome>) {
        self.at_work += self.since.elapsed();
        let (asked, got) = (inputs.len(), outcomes.len());
        let refused = if got != asked || asked > self.begun.len() {
            Some(EngineError::Incomplete { asked, got })
        } else {
            unfitting(self.model, &outcomes)
        };
        if refused.is_some() {
            self.refused = self.refused.take().or(refused);
            self.is_over = true;
        } else if asked > 0 {
            let trials = self.begun.drain(..asked).collect();
            let batch = Batch { trials, inputs, outcomes, taken: std::mem::take(&mut self.at_work) };
            self.is_wanted &= self.done.send(batch).is_ok();
            self.is_over |= !self.is_wanted;
        }
        self.since = Instant::now();
    }
}

impl<T, A: FnMut(&[T]) -> usize> Stream<'_, T, A> {
    /// The inputs of trials that may be begun with; the next ones are drawn from now on. None at the end.
    fn pull(&mut self, count: usize) -> Option<Vec<Inputs>> {
        if self.is_over {
            return None;
        }
        if !self.has_asked {
            self.ask.send(count).ok()?;
        }
        let (mut trials, mut inputs) = self.drawn.recv().ok()?;
        self.has_asked = self.ask.send(count).is_ok();
        let admitted = if trials.is_empty() { 0 } else { (self.admit)(&trials) };
        self.is_over = trials.is_empty() || admitted < trials.len();
        trials.truncate(admitted);
        inputs.truncate(admitted);
        self.begun.extend(trials);
        Some(inputs)
    }

    /// Whether all trials have got their outcomes, or nobody wants those that have not.
    fn end(self) -> Result<(), EngineError> {
        match self.refused {
            Some(error) => Err(error),
            None if self.is_over && (self.begun.is_empty() || !self.is_wanted) => Ok(()),
            None => Err(EngineError::Incomplete { asked: self.begun.len().max(1), got: 0 }),
        }
    }
}

/// The first outcome that is not as the model says.
fn unfitting(model: &dyn Model, outcomes: &[Outcome]) -> Option<EngineError> {
    let (number, fault) = (1..).zip(outcomes).find_map(|(number, outcome)| Some((number, outcome.fault(model)?)))?;
    Some(EngineError::Unfitting { answer: number, of: outcomes.len(), fault })
}

/// Computes trials. `next` names the next ones, as many as it is told or fewer, and none at the end; when the engine gets to
/// them `admit` says how many of them it may still begin with, and if these are not all it was the last batch. `take_in`
/// gets the batches in their order.
pub(super) fn compute<T: Send + Sync, E: From<EngineError>>(
    model: &dyn Model,
    engine: &dyn Engine,
    mut next: impl FnMut(usize) -> Vec<T> + Send,
    admit: impl FnMut(&[T]) -> usize + Send,
    inputs_of: impl Fn(&T) -> Inputs + Sync,
    mut take_in: impl FnMut(Batch<T>) -> Result<(), E>,
) -> Result<(), E> {
    let (ask, asked) = channel();
    let (draw, drawn) = sync_channel(0);
    let (done, batches) = sync_channel(MAX_WAITING);
    let inputs_of = &inputs_of;
    scope(|scope| {
        let drawing = scope.spawn(move || {
            for count in asked {
                let trials = next(count);
                let inputs = parallel::map(&trials, TRIALS_PER_TASK, inputs_of);
                if draw.send((trials, inputs)).is_err() {
                    return;
                }
            }
        });
        let computing = scope.spawn(move || {
            let mut stream = Stream {
                ask,
                drawn,
                has_asked: false,
                admit,
                is_over: false,
                is_wanted: true,
                begun: VecDeque::new(),
                done,
                at_work: Duration::ZERO,
                since: Instant::now(),
                model,
                refused: None,
            };
            model.compute(engine, &mut stream)?;
            stream.end()
        });
        let taken_in = batches.into_iter().try_for_each(&mut take_in);
        let computed = joined(computing);
        joined(drawing);
        taken_in?;
        Ok(computed?)
    })
}

/// What a thread gives; it panics where the thread has.
fn joined<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
