//! Trials computed batch by batch: how most models compute them.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::{Model, Trials};
use crate::engine::{Engine, EngineError};

/// How long a batch should take: far longer than it takes to start one and to wait for its last trials, and short to those
/// who wait for a sign of progress.
const GOOD_BATCH: Duration = Duration::from_secs(1);
/// How long one may take on a device that gets more done in that time: it computes few trials in no less time than many.
const LONG_BATCH: Duration = Duration::from_secs(5);
/// What is more done, as a factor on the trials per second.
const GAIN: f64 = 1.1;

/// Computes trials batch by batch, each of as many as the one before lets expect to be computed in a good time.
///
/// # Errors
/// When the engine itself fails.
pub(super) fn compute<M: Model + ?Sized>(
    model: &M,
    engine: &dyn Engine,
    trials: &mut dyn Trials,
) -> Result<(), EngineError> {
    let mut size = BatchSize::new(model.batch(engine), engine.is_device());
    loop {
        let inputs = trials.next(size.next);
        if inputs.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        let outcomes = model.outcomes(engine, &inputs)?;
        size.learn(inputs.len(), started.elapsed());
        trials.take(inputs, outcomes);
    }
}

/// Numbers of trials per batch.
struct BatchSize {
    allowed: RangeInclusive<usize>,
    /// How long a batch may take that gets more done in that time. On a processor another program's end looks the same.
    longest: Duration,
    next: usize,
    /// Of the batch with the most trials per second, no smaller one having come near: its trials, and those per second.
    fullest: (usize, f64),
}

impl BatchSize {
    /// As few as are allowed, of which the first tells how long they take.
    fn new(allowed: RangeInclusive<usize>, is_device: bool) -> Self {
        let longest = if is_device { LONG_BATCH } else { GOOD_BATCH };
        let next = (*allowed.start()).max(1);
        Self { allowed, longest, next, fullest: (0, 0.0) }
    }

    /// Goes by how long so many trials took: as many as fill the engine, of which no more than take long.
    fn learn(&mut self, trials: usize, taken: Duration) {
        let rate = trials as f64 / taken.as_secs_f64().max(1e-6);
        let within = |time: Duration| rate * time.as_secs_f64();
        // Not by much at once: the last trials of a batch are as slow in a small one as in a large one.
        let most = 4 * trials;
        let mut wanted = self.fullest.0;
        if rate > GAIN * self.fullest.1 {
            self.fullest = (trials, rate);
            wanted = most;
        }
        let size = (wanted as f64).clamp(within(GOOD_BATCH), within(self.longest)).min(most as f64) as usize;
        self.next = size.min(*self.allowed.end()).max(*self.allowed.start()).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_until_they_take_a_second_and_shrink_where_they_take_longer() {
        let mut size = BatchSize::new(100..=10_000, true);
        let mut sizes = Vec::new();
        // Of trials that take 0.5 ms each, behind each other, and then 20 ms.
        for each in [5e-4, 5e-4, 5e-4, 5e-4, 2e-2, 2e-2] {
            sizes.push(size.next);
            size.learn(size.next, Duration::from_secs_f64(each * size.next as f64));
        }
        assert_eq!(sizes, [100, 400, 1600, 2000, 2000, 100]);
        size.learn(100, Duration::ZERO);
        size.learn(400, Duration::ZERO);
        size.learn(1600, Duration::ZERO);
        size.learn(6400, Duration::ZERO);
        assert_eq!(size.next, 10_000);
    }

    #[test]
    fn batches_grow_beyond_a_second_until_they_fill_a_device_and_no_further() {
        // Of a device that takes 0.9 s for a trial, computes 50,000 at a time, and has seen nothing of them before it is done.
        let taken = |trials: usize| Duration::from_secs_f64(0.9 * trials.div_ceil(50_000) as f64);
        let mut size = BatchSize::new(1 << 12..=1 << 20, true);
        let mut sizes = Vec::new();
        for _ in 0..6 {
            sizes.push(size.next);
            size.learn(size.next, taken(size.next));
        }
        assert_eq!(sizes, [1 << 12, 1 << 14, 1 << 16, 182_044, 252_838, 182_044]);
    }

    #[test]
    fn batches_take_a_second_where_a_processor_has_become_free_for_them() {
        let mut size = BatchSize::new(10..=10_000, false);
        let mut sizes = Vec::new();
        // As long as another program is at work they take three times as long.
        for each in [3e-3, 3e-3, 3e-3, 1e-3, 1e-3, 1e-3] {
            sizes.push(size.next);
            size.learn(size.next, Duration::from_secs_f64(each * size.next as f64));
        }
        assert_eq!(sizes, [10, 40, 160, 333, 1000, 1000]);
    }

    #[test]
    fn batches_of_slow_trials_take_a_second_however_many_there_are() {
        let mut size = BatchSize::new(1..=1000, false);
        let sizes: Vec<usize> = (0..5)
            .map(|_| {
                let trials = size.next;
                size.learn(trials, Duration::from_secs_f64(0.25 * trials as f64));
                trials
            })
            .collect();
        assert_eq!(sizes, [1, 4, 4, 4, 4]);
    }

    #[test]
    fn a_batch_has_a_trial_whatever_a_model_allows() {
        let mut size = BatchSize::new(0..=0, false);
        assert_eq!(size.next, 1);
        size.learn(1, Duration::from_secs(5));
        assert_eq!(size.next, 1);
    }
}
