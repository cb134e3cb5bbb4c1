//! Contacts of ellipsoids per second on one thread: the engines on the processor, beside parry3d with a support map of its
//! own for ellipsoids.
//!
//! Pairs of bodies with semi-axes of up to 5 to 1, half of which overlap. Ours are whole contacts in f64. parry3d
//! gives contacts by another measure (the shortest way apart, by the algorithms of Gilbert, Johnson and Keerthi and of
//! expanding polytopes) in f32. Before anything is measured the answers are compared: whether bodies overlap. The
//! last lines are the rates beside the one wanted, which nothing asserts. `beside_hoomd` does the same with hoomd-geometry.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

#[path = "support/ellipsoids.rs"]
mod ellipsoids;
#[path = "../tests/support/random.rs"]
mod random;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ellipsoids::{PAIRS, compare, measure, overlaps, pairs, report};
use glam::DVec3;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::details::contact_support_map_support_map;
use parry3d::shape::SupportMap;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{Ellipsoid, EllipsoidPairs};
use touchdown::reference::Reference;

/// Pairs per second on one core that the native engine is to do, in millions.
const WANTED: f64 = 5.0;
/// Farther than any bodies here are apart: parry3d then gives the contact of those that do not touch as well.
const ANY_DISTANCE: f32 = 1e3;

/// An ellipsoid as parry3d knows convex bodies: by its farthest points.
struct Farthest(Vector);

impl SupportMap for Farthest {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let stretched = direction * self.0;
        stretched * self.0 / stretched.length()
    }
}

fn body(ellipsoid: &Ellipsoid) -> (Pose, Farthest) {
    let narrow = |v: DVec3| Vector::new(v.x as f32, v.y as f32, v.z as f32);
    let [x, y, z, w] = ellipsoid.rotation.to_array().map(|number| number as f32);
    let pose = Pose::from_parts(narrow(ellipsoid.center), Rotation::from_xyzw(x, y, z, w));
    (pose, Farthest(narrow(ellipsoid.semi_axes)))
}

fn contacts(criterion: &mut Criterion) {
    let pairs = pairs();
    let (native, reference) = (Native::new(1).unwrap(), Reference::new(1).unwrap());
    let bodies: Vec<_> = pairs.iter().map(|pair| (body(&pair.a), body(&pair.b))).collect();
    let parry = |((one, a), (other, b)): &((Pose, Farthest), (Pose, Farthest))| {
        contact_support_map_support_map(&one.inv_mul(other), a, b, ANY_DISTANCE)
    };
    let overlap = |pair| parry(pair).is_some_and(|contact| contact.dist < 0.0);
    compare("parry3d", &overlaps(&pairs), &bodies.iter().map(overlap).collect::<Vec<_>>());

    let mut group = criterion.benchmark_group("ellipsoids");
    group.throughput(Throughput::Elements(PAIRS as u64)).sample_size(10);
    let rates = [
        ("native", measure(&mut group, "native", || drop(black_box(native.compute::<EllipsoidPairs>((), &pairs))))),
        (
            "reference",
            measure(&mut group, "reference", || drop(black_box(reference.compute::<EllipsoidPairs>((), &pairs)))),
        ),
        (
            "parry3d, in f32",
            measure(&mut group, "parry3d", || {
                for pair in &bodies {
                    black_box(parry(pair));
                }
            }),
        ),
    ];
    group.finish();
    report(&rates);
    println!("{:>32}: {WANTED:6.2} M pairs/s", "wanted of native");
}

criterion_group!(benches, contacts);
criterion_main!(benches);
