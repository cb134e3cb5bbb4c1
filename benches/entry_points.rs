//! Entry points of long random rays, in rays per second.
//!
//! `entry_points/house`: the house with walls at 3 and 4 m on one thread, by the tree walk of the reference and by the interpreter
//! of program words. `engines/SCENE`: the same rays in each scene of `touchdown bench` by the reference, by walks in f64 and
//! by the native engine, all on one thread, and by whole calls of the GPU engine on the adapter named by
//! `TOUCHDOWN_ADAPTER` (llvmpipe where it is not set). After each scene a line compares the fastest of each.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/support/tricycle.rs"]
mod tricycle;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use touchdown::benchmark::Rays;
use touchdown::gpu::{Gpu, GpuOptions};
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::program::walk::{Walk, Walker};
use touchdown::program::{Interpreter, Program};
use touchdown::query::{EntryPoints, Ray};
use touchdown::reference::{Reference, Tracer};
use touchdown::scene::Scene;
use touchdown::validation::SceneClass;

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

/// The engine under `TOUCHDOWN_ADAPTER`, or `None` with a line that says why.
fn gpu() -> Option<Gpu> {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    match Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }) {
        Ok(gpu) => Some(gpu),
        Err(why) => {
            println!("engines/*/gpu is skipped: {why}");
            None
        }
    }
}

/// Benchmarks a call and gives the time of its fastest sample, for one call; `None` where a filter leaves it out.
fn fastest(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut call: impl FnMut()) -> Option<Duration> {
    let mut fastest = None;
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let start = Instant::now();
            (0..times).for_each(|_| call());
            let total = start.elapsed();
            let of_one = total.div_f64(times as f64);
            fastest = Some(fastest.map_or(of_one, |fastest: Duration| fastest.min(of_one)));
            total
        });
    });
    fastest
}

fn engines(criterion: &mut Criterion) {
    let reference = Reference::new(1).unwrap();
    let native = Native::new(1).unwrap();
    let gpu = gpu();
    for class in SceneClass::ALL {
        let case = Rays::new(class).unwrap();
        let (scene, rays) = (&case.scene, case.items(RAYS));
        let walk = Walk::compile(scene);
        let walker = Walker::new(&walk, scene);
        let mut group = criterion.benchmark_group(format!("engines/{}", class.name()));
        group.throughput(Throughput::Elements(RAYS as u64)).sample_size(10).measurement_time(Duration::from_secs(2));
        let by_reference = fastest(&mut group, "reference", || {
            black_box(reference.compute::<EntryPoints>(scene, &rays).unwrap());
        });
        let by_walk = fastest(&mut group, "walk", || {
            black_box(rays.iter().map(|ray| walker.entry_point(ray)).collect::<Vec<_>>());
        });
        let by_native = fastest(&mut group, "native", || {
            black_box(native.compute::<EntryPoints>(scene, &rays).unwrap());
        });
        let by_gpu = gpu.as_ref().and_then(|gpu| {
            fastest(&mut group, "gpu", || {
                black_box(gpu.compute::<EntryPoints>(scene, &rays).unwrap());
            })
        });
        group.finish();
        for (name, other) in [("walk", by_walk), ("native", by_native), ("gpu", by_gpu)] {
            if let (Some(reference), Some(other)) = (by_reference, other) {
                let ratio = reference.div_duration_f64(other);
                println!("engines/{}: {name} is {ratio:.2} times as fast as the reference", class.name());
            }
        }
    }
}

criterion_group!(benches, house_rays, engines);
criterion_main!(benches);
