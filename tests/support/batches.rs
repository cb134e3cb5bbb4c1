//! An engine that is asked for batches of a size that a test chooses.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use touchdown::engine::{Engine, EngineError, EngineIdentity, LandingStream, StreamsLandings};
use touchdown::native::Native;
use touchdown::query::{LandingInputs, LandingJob, LandingOutcome, LandingState, Observer};

use super::altered::computes_as;

/// The native engine, asked for batches of some size, and how often it was.
pub struct Asked {
    native: Native,
    pub batch: RangeInclusive<usize>,
    calls: AtomicUsize,
    /// How many batches have been told of, where a call waits for the batch before to be.
    told: Option<Arc<AtomicUsize>>,
    /// The call that fails.
    fails_at: Option<usize>,
    /// Landings that are lost of a stream; none is computed as a stream if this is not said.
    lost: Option<usize>,
}

impl Asked {
    pub fn for_batches(batch: RangeInclusive<usize>) -> Self {
        Self {
            native: Native::new(1).unwrap(),
            batch,
            calls: AtomicUsize::new(0),
            told: None,
            fails_at: None,
            lost: None,
        }
    }

    /// Each call waits for this many batches, those before it, to have been told of.
    pub fn waiting_for(self, told: Arc<AtomicUsize>) -> Self {
        Self { told: Some(told), ..self }
    }

    /// Fails at this call, counted from one.
    pub fn failing_at(self, call: usize) -> Self {
        Self { fails_at: Some(call), ..self }
    }

    /// Computes landings as a stream, and loses so many of the last ones.
    pub fn streaming(self, lost: usize) -> Self {
        Self { lost: Some(lost), ..self }
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

computes_as!(Asked.native: Native);

impl StreamsLandings for Asked {
    /// Three calls for landings are answered together, but for one of them, which comes with those that follow.
    fn stream_landings(&self, job: &LandingJob, landings: &mut dyn LandingStream) -> Result<(), EngineError> {
        let mut under_way = Vec::new();
        loop {
            let before = under_way.len();
            (0..3).for_each(|_| under_way.extend(landings.next(*self.batch.end())));
            let is_last = under_way.len() == before;
            let kept = if is_last { self.lost.unwrap_or_default() } else { 1 };
            let ended: Vec<LandingInputs> = under_way.drain(..under_way.len().saturating_sub(kept)).collect();
            landings.take(self.landings(job, &ended)?);
            if is_last {
                return Ok(());
            }
        }
    }
}

impl Engine for Asked {
    fn identity(&self) -> EngineIdentity {
        self.native.identity()
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        self.batch.clone()
    }

    fn streams(&self) -> Option<&dyn StreamsLandings> {
        self.lost.is_some().then_some(self)
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let before = self.calls.fetch_add(1, Ordering::SeqCst);
        if let Some(told) = &self.told {
            assert!(comes_true(|| told.load(Ordering::SeqCst) >= before), "batch {before} is not taken in meanwhile");
        }
        if self.fails_at == Some(before + 1) {
            return Err(EngineError::Incomplete { asked: inputs.len(), got: 0 });
        }
        self.native.landings(job, inputs)
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        self.native.step_landings(job, items)
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        self.native.trace_landing(job, inputs, observer)
    }
}

/// Waits for it, but not for ever.
pub fn comes_true(condition: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !condition() && started.elapsed() < Duration::from_secs(60) {
        std::thread::yield_now();
    }
    condition()
}
