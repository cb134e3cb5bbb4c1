//! What a study asks of the host beside its engine: inputs drawn, outcomes counted, tables written. The engine has computed
//! its landings before, and answers at once; in a run the rest takes place while it computes. `RAYON_NUM_THREADS=1` measures
//! one thread.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark is no library")]

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::job::{Compute, Computes, Job};
use touchdown::native::Native;
use touchdown::query::{LandingInputs, LandingJob, LandingOutcome, LandingState, Observer};
use touchdown::study::{Evidence, Keep, Progress, RunDirectory, Study, run};

const LANDINGS: u64 = 65_536;
/// Landings that differ.
const COMPUTED: usize = 1024;

/// The native engine, which computes the first landings only and gives them again and again.
struct Known {
    native: Native,
    outcomes: OnceLock<Vec<LandingOutcome>>,
}

impl<J: Job> Computes<J> for Known
where
    Native: Computes<J>,
{
    fn answers(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError> {
        self.native.compute::<J>(shared, items)
    }
}

impl Engine for Known {
    fn identity(&self) -> EngineIdentity {
        self.native.identity()
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        1 << 14..=1 << 14
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let known = self.outcomes.get_or_init(|| self.native.landings(job, &inputs[..COMPUTED]).unwrap());
        Ok(known.iter().cycle().take(inputs.len()).cloned().collect())
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

struct Unseen;

impl Progress for Unseen {
    fn advanced(&mut self, _: u64, _: u64, _: &[Evidence]) {}
}

fn studies(criterion: &mut Criterion) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/c172_wet_runway.toml");
    let mut study = Study::read(&example).unwrap();
    study.trials = LANDINGS;
    let engine = Known { native: Native::new(0).unwrap(), outcomes: OnceLock::new() };
    let mut group = criterion.benchmark_group("studies");
    group.sample_size(10).throughput(Throughput::Elements(LANDINGS));
    for (name, keep) in [("all rows", Keep::All), ("rows of failures", Keep::Failures)] {
        group.bench_function(format!("c172/{name}"), |bencher| {
            bencher.iter(|| {
                let room = tempfile::tempdir().unwrap();
                let directory = RunDirectory::prepare(&room.path().join("run"), &study).unwrap();
                run(&study, &engine, &directory, 0..study.parts(), keep, &mut Unseen, &AtomicBool::new(false)).unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, studies);
criterion_main!(benches);
