//! Entry points beside parry3d, in rays per second on one thread: the same rays in the same solids.
//!
//! `peers/SCENE/RAYS/NAME`. Scenes: the house on a floor, 256 of them on level ground, 4096 boxes. Rays:
//! between random points (incoherent), and of a picture of 256 by 256 pixels (camera). parry3d is asked in each form that
//! it offers for the scene; the ratio is to the fastest. Before anything is measured the answers are compared: parry3d
//! computes in f32, so a ray may differ where it comes near an edge. The last lines are the ratios beside those
//! wanted, which nothing asserts, and how time grows with the number of boxes.
//!
//! The native engine takes the instructions that it finds when it runs, parry3d those that it was compiled for: with
//! `RUSTFLAGS=-Ctarget-cpu=native` both have the processor's own.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

#[path = "../tests/support/random.rs"]
mod random;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use parry3d::math::{Pose, Vector};
use parry3d::query::{RayCast, RayIntersection};
use parry3d::shape::{Compound, HalfSpace as Ground, SharedShape, TriMesh};
use random::Random;
use touchdown::native::SceneIndex;
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::scene::{Scene, Shape};

const SEED: u64 = 1;
/// Pixels along a side of the picture; as many rays as pixels.
const SIDE: usize = 256;
/// Rays that may differ: those that pass an edge within the rounding of f32, some 1e-6 of the scene's size.
const DIFFERENT_SHARE: f64 = 2e-3;

/// A convex solid as both sides need it: half spaces for one, corners for the other.
struct Block {
    shape: Shape,
    corners: Vec<DVec3>,
    /// Centre and half sizes, when it is a box.
    cuboid: Option<(DVec3, DVec3)>,
}

struct Case {
    name: &'static str,
    blocks: Vec<Block>,
    ground: bool,
    region: [DVec3; 2],
    /// Least ratios to parry3d: incoherent, camera.
    wanted: [f64; 2],
}

fn cuboid(center: DVec3, half: DVec3) -> Block {
    let face = |normal: DVec3| Shape::half_space(normal, normal.dot(center) + normal.abs().dot(half));
    let signs = [-1.0, 1.0];
    let corner = |index: usize| center + half * DVec3::new(signs[index & 1], signs[index >> 1 & 1], signs[index >> 2]);
    Block {
        shape: Shape::intersection(DVec3::AXES.into_iter().flat_map(|axis| [face(axis), face(-axis)])),
        corners: (0..8).map(corner).collect(),
        cuboid: Some((center, half)),
    }
}

/// Walls at x = 3 and y = 4, a roof of slope 1 with its ridge along y; here with a floor at the origin.
fn house(at: DVec3) -> Block {
    let faces = [
        (DVec3::X, 3.0),
        (DVec3::NEG_X, 3.0),
        (DVec3::Y, 4.0),
        (DVec3::NEG_Y, 4.0),
        (DVec3::new(1.0, 0.0, 1.0), 7.0),
        (DVec3::new(-1.0, 0.0, 1.0), 7.0),
        (DVec3::NEG_Z, 0.0),
    ];
    let gable =
        |y: f64| [(-3.0, 0.0), (3.0, 0.0), (-3.0, 4.0), (3.0, 4.0), (0.0, 7.0)].map(|(x, z)| DVec3::new(x, y, z));
    Block {
        shape: Shape::intersection(
            faces.into_iter().map(|(normal, offset)| Shape::half_space(normal, offset + normal.dot(at))),
        ),
        corners: [gable(-4.0), gable(4.0)].concat().into_iter().map(|corner| at + corner).collect(),
        cuboid: None,
    }
}

/// Boxes of 0.6 to 2.6 m, as dense for any number as 4096 in a cube of 100 m.
fn boxes(count: usize) -> (Vec<Block>, f64) {
    let size = 100.0 * (count as f64 / 4096.0).cbrt();
    let mut random = Random::new(SEED, count as u64);
    let mut vector = |low: f64, high: f64| DVec3::from_array([(); 3].map(|()| random.between(low, high)));
    ((0..count).map(|_| cuboid(vector(0.0, size), vector(0.3, 1.3))).collect(), size)
}

fn cases() -> [Case; 3] {
    let street = |index: usize| house(20.0 * DVec3::new((index % 16) as f64, (index / 16) as f64, 0.0));
    [
        Case {
            name: "house",
            blocks: vec![house(DVec3::ZERO)],
            ground: false,
            region: [DVec3::new(-10.0, -10.0, -1.0), DVec3::splat(10.0)],
            wanted: [3.0, 2.0],
        },
        Case {
            name: "256_houses_and_ground",
            blocks: (0..256).map(street).collect(),
            ground: true,
            region: [DVec3::ZERO, DVec3::new(300.0, 300.0, 20.0)],
            wanted: [2.0, 2.0],
        },
        Case {
            name: "4096_boxes",
            blocks: boxes(4096).0,
            ground: false,
            region: [DVec3::ZERO, DVec3::splat(100.0)],
            wanted: [2.0, 1.5],
        },
    ]
}

fn scene_of(blocks: &[Block], ground: bool) -> Scene {
    let solids = blocks.iter().map(|block| block.shape.clone());
    let plane = ground.then(|| Shape::half_space(DVec3::Z, 0.0));
    Scene::new(&Shape::union(solids.chain(plane)), Vec::new(), None, None).unwrap()
}

fn incoherent([low, high]: [DVec3; 2]) -> Vec<Ray> {
    let mut random = Random::new(SEED, 1);
    let mut point = || low + DVec3::from_array([(); 3].map(|()| random.between(0.0, 1.0))) * (high - low);
    (0..SIDE * SIDE).map(|_| Ray::segment(point(), point())).collect()
}

fn camera([low, high]: [DVec3; 2]) -> Vec<Ray> {
    let eye = low + (high - low) * DVec3::new(-0.3, -0.4, 1.5);
    let forward = (0.5 * (low + high) - eye).normalize();
    let right = forward.cross(DVec3::Z).normalize();
    let down = forward.cross(right);
    let length = 3.0 * (high - low).length();
    let share = |pixel: usize| (pixel as f64 + 0.5) / SIDE as f64 - 0.5;
    let pixels = (0..SIDE * SIDE).map(|pixel| (share(pixel % SIDE), share(pixel / SIDE)));
    pixels.map(|(x, y)| Ray::segment(eye, eye + length * (forward + x * right + y * down))).collect()
}

fn narrow(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

/// parry3d's answers to a ray: the parameter of the point met and the normal there.
type Caster = Box<dyn Fn(&parry3d::query::Ray) -> Option<RayIntersection>>;

/// Every form in which parry3d can hold the scene.
fn casters(case: &Case) -> Vec<(&'static str, Caster)> {
    let hulls = case.blocks.iter().map(|block| {
        let corners: Vec<Vector> = block.corners.iter().map(|&corner| narrow(corner)).collect();
        parry3d::transformation::convex_hull(&corners)
    });
    let hulls: Vec<(Vec<Vector>, Vec<[u32; 3]>)> = hulls.collect();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (corners, faces) in &hulls {
        let first = vertices.len() as u32;
        vertices.extend(corners);
        triangles.extend(faces.iter().map(|face| face.map(|corner| first + corner)));
    }
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    let compound = |shapes: Vec<SharedShape>| {
        let placed = shapes.into_iter().map(|shape| (Pose::IDENTITY, shape)).collect();
        Compound::new(placed)
    };
    let convex = hulls.into_iter().map(|(corners, faces)| SharedShape::convex_mesh(corners, &faces).unwrap()).collect();
    let convex = compound(convex);
    let mut all: Vec<(&'static str, Caster)> = vec![
        ("parry3d_mesh", Box::new(move |ray| mesh.cast_local_ray_and_get_normal(ray, 1.0, true))),
        ("parry3d_convex", Box::new(move |ray| convex.cast_local_ray_and_get_normal(ray, 1.0, true))),
    ];
    let cuboids = case.blocks.iter().map(|block| block.cuboid).collect::<Option<Vec<_>>>();
    if let Some(cuboids) = cuboids {
        let placed = cuboids.into_iter().map(|(center, half)| {
            let half = narrow(half);
            (Pose::from_translation(narrow(center)), SharedShape::cuboid(half.x, half.y, half.z))
        });
        let cuboids = Compound::new(placed.collect());
        all.push(("parry3d_cuboids", Box::new(move |ray| cuboids.cast_local_ray_and_get_normal(ray, 1.0, true))));
    }
    if !case.ground {
        return all;
    }
    // A half space beside the others: asked only as far as what they have met.
    all.into_iter()
        .map(|(name, caster)| {
            let ground = Ground::new(Vector::new(0.0, 0.0, 1.0));
            let with_ground = move |ray: &parry3d::query::Ray| {
                let met = caster(ray);
                let until = met.map_or(1.0, |met| met.time_of_impact);
                ground.cast_local_ray_and_get_normal(ray, until, true).or(met)
            };
            (name, Box::new(with_ground) as Caster)
        })
        .collect()
}

/// Benchmarks a call and gives the time of the fastest one: what else the machine does slows others. `None` where a filter
/// leaves it out.
fn fastest(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut call: impl FnMut()) -> Option<Duration> {
    let mut fastest = None;
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let mut total = Duration::ZERO;
            for _ in 0..times {
                let start = Instant::now();
                call();
                let time = start.elapsed();
                fastest = Some(fastest.map_or(time, |fastest: Duration| fastest.min(time)));
                total += time;
            }
            total
        });
    });
    fastest
}

fn millions_per_second(rays: usize, time: Duration) -> f64 {
    rays as f64 / time.as_secs_f64() / 1e6
}

fn peers(criterion: &mut Criterion) {
    let mut report = Vec::new();
    for case in cases() {
        let scene = scene_of(&case.blocks, case.ground);
        let index = SceneIndex::new(&scene);
        let casters = casters(&case);
        let kinds = [("incoherent", incoherent(case.region)), ("camera", camera(case.region))];
        for ((kind, rays), wanted) in kinds.into_iter().zip(case.wanted) {
            let theirs: Vec<parry3d::query::Ray> =
                rays.iter().map(|ray| parry3d::query::Ray::new(narrow(ray.x1), narrow(ray.x2 - ray.x1))).collect();
            let mut ours = vec![EntryPoint::none(RayStatus::Miss); rays.len()];
            index.entry_points(&rays, &mut ours);

            let mut group = criterion.benchmark_group(format!("peers/{}/{kind}", case.name));
            group.throughput(Throughput::Elements(rays.len() as u64)).sample_size(10);
            group.measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
            let native = fastest(&mut group, "native", || index.entry_points(black_box(&rays), &mut ours));
            let mut peer: Option<(&str, Duration)> = None;
            let mut met = vec![None; rays.len()];
            for (name, caster) in &casters {
                let time = fastest(&mut group, name, || {
                    for (ray, met) in theirs.iter().zip(&mut met) {
                        *met = caster(black_box(ray));
                    }
                });
                if time.is_some() {
                    compare(&format!("{} {kind} {name}", case.name), &ours, &met);
                }
                if let Some(time) = time
                    && peer.is_none_or(|(_, least)| time < least)
                {
                    peer = Some((name, time));
                }
            }
            group.finish();
            if let (Some(native), Some((name, peer))) = (native, peer) {
                let rate = |time| millions_per_second(rays.len(), time);
                report.push(format!(
                    "{:>24} {kind:>10}: native {:7.2} M rays/s, {name} {:6.2}, ratio {:5.2} (wanted {wanted})",
                    case.name,
                    rate(native),
                    rate(peer),
                    peer.div_duration_f64(native),
                ));
            }
        }
    }
    for line in report {
        println!("{line}");
    }
}

/// Answers must be those of the same solids.
fn compare(what: &str, ours: &[EntryPoint], theirs: &[Option<RayIntersection>]) {
    let hits = ours.iter().filter(|entry| entry.status == RayStatus::Hit).count();
    let is_mesh = what.ends_with("mesh");
    let same = |ours: &EntryPoint, theirs: &Option<RayIntersection>| match (ours.status, ours.leaf, theirs) {
        // A mesh has no inside: what starts in a solid is met by us at once, by a mesh where the ray leaves it.
        (RayStatus::Hit, None, met) => is_mesh || met.is_some_and(|met| met.time_of_impact == 0.0),
        (RayStatus::Hit, Some(_), Some(met)) => (ours.lambda - f64::from(met.time_of_impact)).abs() < 1e-4,
        (status, _, met) => status == RayStatus::Miss && met.is_none(),
    };
    let different = ours.iter().zip(theirs).filter(|(ours, theirs)| !same(ours, theirs)).count();
    println!("{what}: {hits} of {} rays hit, {different} differ", ours.len());
    assert!(hits * 20 > ours.len(), "{what}: too few hits to mean anything");
    assert!(different as f64 <= DIFFERENT_SHARE * ours.len() as f64, "{what}: {different} answers differ");
}

/// Time per incoherent ray against the number of boxes, with a straight line through the logarithms' points.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    let mut rows = Vec::new();
    for count in [256, 1024, 4096, 16_384, 65_536, 100_000] {
        let (blocks, size) = boxes(count);
        let scene = scene_of(&blocks, false);
        let start = Instant::now();
        let index = SceneIndex::new(&scene);
        let built = start.elapsed();
        // Rays as long as a few boxes are apart: what grows is the way to them, not their number.
        let mut random = Random::new(SEED, 2);
        let rays: Vec<Ray> = (0..SIDE * SIDE)
            .map(|_| {
                let from = DVec3::from_array([(); 3].map(|()| random.between(0.0, size)));
                Ray::segment(from, from + 30.0 * random.direction())
            })
            .collect();
        let mut answers = vec![EntryPoint::none(RayStatus::Miss); rays.len()];
        group.throughput(Throughput::Elements(rays.len() as u64));
        let time = fastest(&mut group, &format!("{count}_boxes"), || index.entry_points(&rays, &mut answers));
        if let Some(time) = time {
            rows.push((count, time.as_secs_f64() * 1e9 / rays.len() as f64, built));
        }
    }
    group.finish();
    let points: Vec<(f64, f64)> = rows.iter().map(|&(count, time, _)| ((count as f64).log2(), time)).collect();
    let Some(fit) = Line::through(&points) else {
        return;
    };
    println!("growth: boxes, ns per ray, fitted, laid out in ms");
    for ((count, time, built), (x, _)) in rows.iter().zip(&points) {
        println!("{count:>8} {time:8.1} {:8.1} {:8.1}", fit.at(*x), built.as_secs_f64() * 1e3);
    }
    println!("growth: {:.1} ns + {:.1} ns per doubling, r^2 {:.3}", fit.intercept, fit.slope, fit.r_squared);
}

/// A straight line by least squares.
struct Line {
    intercept: f64,
    slope: f64,
    r_squared: f64,
}

impl Line {
    fn through(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        let spread = |f: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(a, b)| f(a - x, b - y)).sum::<f64>();
        let (xx, xy, yy) = (spread(&|a, _| a * a), spread(&|a, b| a * b), spread(&|_, b| b * b));
        let slope = xy / xx;
        (points.len() > 2).then_some(Self { intercept: y - slope * x, slope, r_squared: xy * xy / (xx * yy) })
    }

    fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

criterion_group!(benches, peers, growth);
criterion_main!(benches);
