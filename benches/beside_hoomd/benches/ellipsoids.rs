//! Contacts of ellipsoids per second on one thread beside hoomd-geometry, which says whether bodies overlap (by the
//! algorithm of Snethen, in f64). The pairs are those of the benchmark beside parry3d.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

#[path = "../../support/ellipsoids.rs"]
mod ellipsoids;
#[path = "../../../tests/support/random.rs"]
mod random;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ellipsoids::{PAIRS, compare, measure, overlaps, pairs, report};
use glam::DQuat;
use hoomd_geometry::shape::Ellipsoid as Shape;
use hoomd_geometry::{Convex, IntersectsAtGlobal};
use hoomd_vector::{Cartesian, Quaternion, Versor};
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{Ellipsoid, EllipsoidPairs};

type Body = (Cartesian<3>, Versor, Convex<Shape>);

fn body(ellipsoid: &Ellipsoid) -> Body {
    let DQuat { x, y, z, w } = ellipsoid.rotation;
    let semi_axes = ellipsoid.semi_axes.to_array().map(|axis| axis.try_into().unwrap());
    let rotation = Quaternion { scalar: w, vector: [x, y, z].into() }.to_versor().unwrap();
    (ellipsoid.center.to_array().into(), rotation, Convex(Shape::with_semi_axes(semi_axes)))
}

fn overlap((a, b): &(Body, Body)) -> bool {
    a.2.intersects_at_global(&b.2, &a.0, &a.1, &b.0, &b.1)
}

fn contacts(criterion: &mut Criterion) {
    let pairs = pairs();
    let native = Native::new(1).unwrap();
    let bodies: Vec<(Body, Body)> = pairs.iter().map(|pair| (body(&pair.a), body(&pair.b))).collect();
    compare("hoomd-geometry", &overlaps(&pairs), &bodies.iter().map(overlap).collect::<Vec<_>>());
    let mut group = criterion.benchmark_group("ellipsoids");
    group.throughput(Throughput::Elements(PAIRS as u64)).sample_size(10);
    let rates = [
        ("native", measure(&mut group, "native", || drop(black_box(native.compute::<EllipsoidPairs>((), &pairs))))),
        (
            "hoomd-geometry, overlap alone",
            measure(&mut group, "hoomd", || {
                for pair in &bodies {
                    black_box(overlap(pair));
                }
            }),
        ),
    ];
    group.finish();
    report(&rates);
}

criterion_group!(benches, contacts);
criterion_main!(benches);
