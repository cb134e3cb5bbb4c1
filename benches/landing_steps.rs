//! Whole landings of a tricycle with three wheels and six structural points on a painted runway beside a house, in
//! contact steps per second on one thread. A contact step is a step with a wheel on the ground.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark is no library")]

#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/support/tricycle.rs"]
mod tricycle;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use touchdown::engine::Engine;
use touchdown::query::{Input, LandingInputs, LandingJob};
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Runway, Scene};
use touchdown::vehicle::Vehicle;

const LANDINGS: usize = 16;
const SEED: u64 = 1;
const LENGTH: f64 = 900.0;
const WIDTH: f64 = 23.0;

fn job(vehicle: Vehicle) -> LandingJob {
    let scene = Scene::new(
        &tricycle::runway_with_house(LENGTH, WIDTH),
        tricycle::runway_materials(),
        Some(MaterialId(0)),
        Some(Runway { length: LENGTH, width: WIDTH, displaced_threshold: 0.0 }),
    )
    .unwrap();
    LandingJob { vehicle, scene, gravity: tricycle::GRAVITY, step: 0.005, time_limit: 60.0 }
}

fn inputs(vehicle: &Vehicle) -> Vec<LandingInputs> {
    let mut random = random::Random::new(SEED, 0);
    let mut varied = |_| {
        let mut inputs = LandingInputs::nominal(vehicle);
        inputs.set(Input::Airspeed, random.between(25.0, 35.0));
        inputs.set(Input::SinkRate, random.between(0.2, 1.5));
        inputs.set(Input::LateralOffset, random.between(-3.0, 3.0));
        inputs.set(Input::Bank, random.between(-0.02, 0.02));
        inputs.set(Input::Pitch, random.between(0.0, 0.05));
        inputs
    };
    (0..LANDINGS).map(&mut varied).collect()
}

fn runway_landings(criterion: &mut Criterion) {
    let job = job(tricycle::piloted_tricycle());
    let inputs = inputs(&job.vehicle);
    let engine = Reference::new(1).unwrap();
    let outcomes = engine.landings(&job, &inputs).unwrap();
    let mut group = criterion.benchmark_group("landing_steps");
    group.throughput(Throughput::Elements(outcomes.iter().map(|outcome| outcome.contact_steps).sum()));
    group.bench_function("runway", |bencher| bencher.iter(|| black_box(engine.landings(&job, &inputs))));
    group.finish();
}

criterion_group!(benches, runway_landings);
criterion_main!(benches);
