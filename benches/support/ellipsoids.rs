//! Pairs of ellipsoids to measure contacts with, and how they are measured.

use std::time::Instant;

use criterion::BenchmarkGroup;
use criterion::measurement::WallTime;
use glam::{DQuat, DVec3};
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{Ellipsoid, EllipsoidPair, EllipsoidPairs};

use crate::random::Random;

const SEED: u64 = 1;
pub const PAIRS: usize = 1 << 16;
/// Longest semi-axis over the shortest, at most.
const ASPECT: f64 = 5.0;
/// Overlaps that may be judged otherwise: those within the rounding of f32 of touching.
const DIFFERENT_SHARE: f64 = 1e-3;

fn body(random: &mut Random) -> Ellipsoid {
    let semi_axes = DVec3::from_array([(); 3].map(|()| ASPECT.powf(-random.between(0.0, 1.0))));
    let rotation = DQuat::from_axis_angle(random.direction(), random.between(0.0, 3.0));
    Ellipsoid { center: random.in_cube(10.0), semi_axes, rotation }
}

/// Pairs that touch when grown by factors from 0.5 to 1.5: half of them overlap.
pub fn pairs() -> Vec<EllipsoidPair> {
    let mut random = Random::new(SEED, 1);
    let mut pairs: Vec<EllipsoidPair> = (0..PAIRS)
        .map(|_| {
            let (a, b) = (body(&mut random), body(&mut random));
            EllipsoidPair::new(a, Ellipsoid { center: a.center + random.direction(), ..b })
        })
        .collect();
    let contacts = Native::new(1).unwrap().compute::<EllipsoidPairs>((), &pairs).unwrap();
    for (pair, contact) in pairs.iter_mut().zip(contacts) {
        let way = pair.b.center - pair.a.center;
        pair.b.center = pair.a.center + way * (random.between(0.5, 1.5) / contact.mu);
    }
    pairs
}

/// Whether the pairs overlap.
pub fn overlaps(pairs: &[EllipsoidPair]) -> Vec<bool> {
    let contacts = Native::new(1).unwrap().compute::<EllipsoidPairs>((), pairs).unwrap();
    contacts.iter().map(|contact| contact.f < 1.0).collect()
}

/// Answers must be those to the same question.
pub fn compare(name: &str, ours: &[bool], theirs: &[bool]) {
    let overlap = ours.iter().filter(|&&overlap| overlap).count();
    let different = ours.iter().zip(theirs).filter(|(ours, theirs)| ours != theirs).count();
    println!("{name}: {different} of {} answers differ, {overlap} pairs overlap", ours.len());
    assert!(different as f64 <= DIFFERENT_SHARE * ours.len() as f64);
}

/// Millions of pairs per second of the fastest call: what else the machine does slows others.
pub fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut call: impl FnMut()) -> f64 {
    let mut fastest = f64::INFINITY;
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let begun = Instant::now();
            for _ in 0..times {
                let start = Instant::now();
                call();
                fastest = fastest.min(start.elapsed().as_secs_f64());
            }
            begun.elapsed()
        });
    });
    PAIRS as f64 / fastest / 1e6
}

/// Says the rates, the first of which is ours.
pub fn report(rates: &[(&str, f64)]) {
    for (name, rate) in rates {
        println!("{name:>32}: {rate:6.2} M pairs/s, {} is {:6.2} times as fast", rates[0].0, rates[0].1 / rate);
    }
}
