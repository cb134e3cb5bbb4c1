//! Whole landings of a tricycle with three wheels and six structural points on one thread, by engine, in contact steps per
//! second: steps with a wheel on the ground. Once on a runway of five materials beside a house, once on bare ground.
//! At the end both engines fly by turns, and the ratio of their best times is printed.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/support/tricycle.rs"]
mod tricycle;

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::query::{Input, LandingInputs, LandingJob, Weather};
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Runway, Scene, Shape};
use touchdown::vehicle::Vehicle;

/// Enough that eight lanes are seldom idle.
const LANDINGS: usize = 64;
/// Turns of each engine in the comparison.
const TURNS: usize = 5;
const SEED: u64 = 1;
const LENGTH: f64 = 900.0;
const WIDTH: f64 = 23.0;

fn job(vehicle: Vehicle, shape: &Shape) -> LandingJob {
    let scene = Scene::new(
        shape,
        tricycle::runway_materials(),
        Some(MaterialId(0)),
        Some(Runway { length: LENGTH, width: WIDTH, displaced_threshold: 0.0, slope: 0.0, elevation: 0.0 }),
    )
    .unwrap();
    LandingJob {
        vehicle,
        scene,
        weather: Weather::default(),
        gravity: tricycle::GRAVITY,
        step: 0.005,
        time_limit: 60.0,
    }
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

fn landings(criterion: &mut Criterion) {
    let engines: [(&str, &dyn Engine); 2] =
        [("reference", &Reference::new(1).unwrap()), ("native", &Native::new(1).unwrap())];
    let shapes = [("painted", tricycle::runway_with_house(LENGTH, WIDTH)), ("plain", tricycle::ground())];
    let mut group = criterion.benchmark_group("landing_steps");
    group.sample_size(10);
    for (runway, shape) in &shapes {
        let job = job(tricycle::piloted_tricycle(), shape);
        let inputs = inputs(&job.vehicle);
        let outcomes = engines[0].1.landings(&job, &inputs).unwrap();
        let steps = outcomes.iter().map(|outcome| outcome.contact_steps).sum();
        group.throughput(Throughput::Elements(steps));
        for (name, engine) in engines {
            group.bench_function(format!("{name}/{runway}"), |bencher| {
                bencher.iter(|| black_box(engine.landings(&job, &inputs)));
            });
        }
        let best = best_times(engines.map(|(_, engine)| engine), &job, &inputs);
        let [reference, native] = best.map(|time| steps as f64 / time / 1e6);
        let ratio = native / reference;
        println!("{runway}: reference {reference:.2}, native {native:.2} million contact steps/s; ratio {ratio:.2}");
    }
    group.finish();
}

/// The shortest time of each engine [s], taken by turns, so that both meet the same machine.
fn best_times(engines: [&dyn Engine; 2], job: &LandingJob, inputs: &[LandingInputs]) -> [f64; 2] {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..TURNS {
        for (engine, best) in engines.iter().zip(&mut best) {
            let start = Instant::now();
            black_box(engine.landings(job, inputs)).unwrap();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

criterion_group!(benches, landings);
criterion_main!(benches);
