//! Entry points of long random rays with the house of document 000, in rays per second on one thread: the tree walk of
//! the reference, and the interpreter of program words.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark is no library")]

#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/support/tricycle.rs"]
mod tricycle;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use touchdown::program::{Interpreter, Program};
use touchdown::query::Ray;
use touchdown::reference::Tracer;
use touchdown::scene::Scene;

const RAYS: usize = 16_384;
const SEED: u64 = 1;

/// Rays of some 30 m towards points in and around the house: about half of them hit.
fn long_rays() -> Vec<Ray> {
    let mut random = random::Random::new(SEED, 0);
    (0..RAYS)
        .map(|_| {
            let from = 20.0 * random.direction();
            let through = random.in_cube(5.0) + 3.0 * DVec3::Z;
            Ray::segment(from, 2.0 * through - from)
        })
        .collect()
}

fn house_rays(criterion: &mut Criterion) {
    let scene = Scene::new(&tricycle::house(), Vec::new(), None, None).unwrap();
    let program = Program::compile(&scene);
    let rays = long_rays();
    let mut group = criterion.benchmark_group("entry_points/house");
    group.throughput(Throughput::Elements(RAYS as u64));
    group.bench_function("tree", |bencher| {
        let tracer = Tracer::new(&scene);
        bencher.iter(|| rays.iter().map(|ray| tracer.entry_point(black_box(ray)).lambda).sum::<f64>());
    });
    group.bench_function("program", |bencher| {
        let mut interpreter = Interpreter::new(&program);
        bencher.iter(|| rays.iter().map(|ray| interpreter.entry_point(black_box(ray)).lambda).sum::<f64>());
    });
    group.finish();
}

criterion_group!(benches, house_rays);
criterion_main!(benches);
