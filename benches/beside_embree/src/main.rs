//! Entry points beside Embree's C library: the same rays in the same solids, one thread, in rays per second of processor
//! time. README.md says how it is run and what is compared.
#![allow(clippy::print_stdout, missing_docs, reason = "a program that prints what it measured")]

mod embree;
#[path = "../../../tests/support/random.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod random;

use std::error::Error;
use std::path::Path;

use embree::{Embree, RayHit};
use glam::DVec3;
use random::Random;
use rustix::time::{ClockId, clock_gettime};
use touchdown::columns::{EntryPointColumns, NONE, RayTable};
use touchdown::native::SceneIndex;
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::scene::{Scene, Shape};

const SEED: u64 = 1;
/// Pixels along a side of the picture; as many rays as pixels.
const SIDE: usize = 256;
/// Turns of which the fastest counts, unless an argument says otherwise.
const TURNS: usize = 20;
/// Rays that may differ: those that pass an edge within the rounding of f32, some 1e-6 of the scene's size.
const DIFFERENT_SHARE: f64 = 2e-3;
/// How far the ground reaches as triangles \[m\].
const FAR: f32 = 3000.0;

/// A convex solid as both sides need it: half spaces for one, corners for the other.
struct Block {
    shape: Shape,
    corners: Vec<DVec3>,
    /// Its triangles, by corners.
    triangles: Vec<[u32; 3]>,
}

struct Case {
    name: &'static str,
    blocks: Vec<Block>,
    ground: bool,
    region: [DVec3; 2],
}

/// Two triangles for each quadrilateral.
fn quads(corners: &[[u32; 4]]) -> Vec<[u32; 3]> {
    corners.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
}

fn cuboid(center: DVec3, half: DVec3) -> Block {
    let face = |normal: DVec3| Shape::half_space(normal, normal.dot(center) + normal.abs().dot(half));
    let signs = [-1.0, 1.0];
    let corner = |index: usize| center + half * DVec3::new(signs[index & 1], signs[index >> 1 & 1], signs[index >> 2]);
    Block {
        shape: Shape::intersection(DVec3::AXES.into_iter().flat_map(|axis| [face(axis), face(-axis)])),
        corners: (0..8).map(corner).collect(),
        triangles: quads(&[[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]),
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
        triangles: [
            quads(&[[0, 1, 6, 5], [0, 5, 7, 2], [1, 3, 8, 6], [2, 7, 9, 4], [3, 4, 9, 8]]),
            vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [5, 6, 7], [6, 8, 7], [7, 8, 9]],
        ]
        .concat(),
    }
}

/// 4096 boxes of 0.6 to 2.6 m in a cube of 100 m.
fn boxes() -> Vec<Block> {
    let mut random = Random::new(SEED, 4096);
    let mut vector = |low: f64, high: f64| DVec3::from_array([(); 3].map(|()| random.between(low, high)));
    (0..4096).map(|_| cuboid(vector(0.0, 100.0), vector(0.3, 1.3))).collect()
}

fn cases() -> [Case; 3] {
    let street = |index: usize| house(20.0 * DVec3::new((index % 16) as f64, (index / 16) as f64, 0.0));
    let case = |name, blocks, ground, low, high| Case { name, blocks, ground, region: [low, high] };
    let houses = (0..256).map(street).collect();
    [
        case("house", vec![house(DVec3::ZERO)], false, DVec3::new(-10.0, -10.0, -1.0), DVec3::splat(10.0)),
        case("256 houses", houses, true, DVec3::ZERO, DVec3::new(300.0, 300.0, 20.0)),
        case("4096 boxes", boxes(), false, DVec3::ZERO, DVec3::splat(100.0)),
    ]
}

fn scene_of(blocks: &[Block], ground: bool) -> Result<Scene, touchdown::scene::SceneError> {
    let solids = blocks.iter().map(|block| block.shape.clone());
    let plane = ground.then(|| Shape::half_space(DVec3::Z, 0.0));
    Scene::new(&Shape::union(solids.chain(plane)), Vec::new(), None, None)
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

/// The same solids as one mesh.
fn mesh(blocks: &[Block], ground: bool) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for block in blocks {
        let first = corners.len() as u32;
        corners.extend(block.corners.iter().map(|corner| corner.as_vec3().to_array()));
        triangles.extend(block.triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
    }
    if ground {
        let first = corners.len() as u32;
        corners.extend([[-FAR, -FAR, 0.0], [FAR, -FAR, 0.0], [FAR, FAR, 0.0], [-FAR, FAR, 0.0]]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    (corners, triangles)
}

/// Packets of Embree.
fn packets<const N: usize>(rays: &[Ray]) -> Vec<RayHit<N>> {
    let narrow = |ray: &Ray| (ray.x1.as_vec3().to_array(), (ray.x2 - ray.x1).as_vec3().to_array());
    let (packets, _) = rays.as_chunks::<N>();
    packets.iter().map(|packet| RayHit::new(&packet.each_ref().map(|ray| narrow(ray)))).collect()
}

/// Processor time of this thread \[s\]: what other threads and programs do is no part of it.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Processor time of the fastest turn so far.
struct Fastest(f64);

impl Fastest {
    fn take(&mut self, turn: impl FnOnce()) {
        let start = processor_time();
        turn();
        self.0 = self.0.min(processor_time() - start);
    }
}

/// How many answers differ, and how many rays hit.
fn compare(ours: &[EntryPoint], theirs: &[RayHit<16>]) -> (usize, usize) {
    let (mut different, mut hits) = (0, 0);
    for (number, ours) in ours.iter().enumerate() {
        let (packet, lane) = (&theirs[number / 16], number % 16);
        let met = packet.geometry[lane] != u32::MAX;
        hits += usize::from(met);
        let same = match (ours.status, ours.leaf) {
            // A mesh has no inside: what starts in a solid is met by us at once, by a mesh where the ray leaves it.
            (RayStatus::Hit, None) => true,
            (RayStatus::Hit, Some(_)) => met && (f64::from(packet.far[lane]) - ours.lambda).abs() < 1e-4,
            _ => !met,
        };
        different += usize::from(!same);
    }
    (different, hits)
}

fn beside(case: &Case, kind: &str, rays: &[Ray], embree: &Embree, turns: usize) -> Result<(), Box<dyn Error>> {
    let index = SceneIndex::new(&scene_of(&case.blocks, case.ground)?);
    let (sixteen, eight, single) = (packets::<16>(rays), packets::<8>(rays), packets::<1>(rays));
    let mut theirs = (sixteen.clone(), eight.clone(), single.clone());
    let mut answers = vec![EntryPoint::none(RayStatus::Miss); rays.len()];
    let table = RayTable::new(rays);
    let mut in_columns = EntryPointColumns::default();

    let mut fastest = [(); 5].map(|()| Fastest(f64::INFINITY));
    let [of_sixteen, of_eight, of_one, rows, of_columns] = &mut fastest;
    for turn in 0..turns {
        // Embree writes into its packets. Coherent or not: the better of both counts.
        let coherent = turn % 2 == 0;
        theirs.0.clone_from_slice(&sixteen);
        of_sixteen.take(|| embree.sixteen(&mut theirs.0, coherent));
        rows.take(|| index.entry_points(rays, &mut answers));
        theirs.1.clone_from_slice(&eight);
        of_eight.take(|| embree.eight(&mut theirs.1, coherent));
        of_columns.take(|| index.entry_points_in_columns(&table.columns(), &mut in_columns));
        theirs.2.clone_from_slice(&single);
        of_one.take(|| embree.single(&mut theirs.2));
    }
    let (different, hits) = compare(&answers, &theirs.0);
    let same_columns = answers.iter().enumerate().all(|(row, entry)| {
        in_columns.lambda[row] == entry.lambda && in_columns.leaf[row] == entry.leaf.unwrap_or(NONE)
    });
    let rate = |fastest: &Fastest| rays.len() as f64 / fastest.0 / 1e6;
    let [of_sixteen, of_eight, of_one, rows, of_columns] = fastest.each_ref().map(rate);
    let (ours, best) = (rows.max(of_columns), of_sixteen.max(of_eight).max(of_one));
    println!(
        "{:>10} {kind:>10} {of_sixteen:8.2} {of_eight:8.2} {of_one:8.2} {rows:8.2} {of_columns:8.2} {:8.2} {:8.2}   {hits} hit, {different} differ",
        case.name,
        ours / of_sixteen,
        ours / best,
    );
    if !same_columns || different as f64 > DIFFERENT_SHARE * rays.len() as f64 {
        return Err(format!("{} {kind}: answers differ", case.name).into());
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("name the directory that holds libembree4 and libtbb")?;
    let turns = arguments.next().map_or(Ok(TURNS), |turns| turns.parse())?;
    println!("M rays/s     Embree: 16        8        1     ours:  columns   ratio to 16, to the best");
    for case in cases() {
        let (corners, triangles) = mesh(&case.blocks, case.ground);
        let embree = Embree::new(Path::new(&directory), &corners, &triangles)?;
        for (kind, rays) in [("camera", camera(case.region)), ("incoherent", incoherent(case.region))] {
            beside(&case, kind, &rays, &embree, turns)?;
        }
    }
    Ok(())
}
