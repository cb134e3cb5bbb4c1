//! Overlaps against those of the processor, with the kernel as it is and broken on purpose.

use std::sync::Arc;

use glam::DVec3;

use crate::bvh::{Hierarchies, Overlap, OverlapQuery};
use crate::engine::{Engine, EngineError};
use crate::gpu::faults::{self, Fault};
use crate::gpu::kernel::Kernel;
use crate::gpu::shader::overlaps_source;
use crate::gpu::{Gpu, GpuOptions};
use crate::random::uniform;
use crate::scene::BoundingBox;

/// What stands in the kernel, and what is made of it. (Boxes that it takes for overlap while they do not are no fault: these
/// are judged again.)
const FAULTS: [Fault<'_>; 15] = [
    ("query.least <= bounds.greatest", "query.least < bounds.greatest"),
    ("bounds.least <= query.greatest", "bounds.least < query.greatest"),
    ("place *= CHILDREN;", "place = place * CHILDREN + 1u;"),
    ("bounds.number >= query", "bounds.number > query"),
    ("bounds.number >= query", "bounds.number < query"),
    ("place += 1u;", "place += 2u;"),
    ("level += up;", "level = query.top;"),
    ("var status = QUERY_UNFINISHED", "var status = QUERY_FINISHED"),
    ("status = QUERY_FINISHED;", "status = 0u;"),
    ("answers[id.x].place = place;", "answers[id.x].place = place + 1u;"),
    ("answers[id.x].place = place;", "answers[id.x].place = query.place;"),
    ("answers[id.x].level = level;", "answers[id.x].level = query.level;"),
    ("answers[id.x].count = count;", "answers[id.x].count = 0u;"),
    ("levels[query.levels_at + level]", "levels[level]"),
    ("id.x >= arrayLength(&queries)", "id.x > 10u"),
];

fn open(chunk: Option<usize>) -> Gpu {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    Gpu::open(GpuOptions { adapter: Some(adapter), chunk, ..GpuOptions::default() }).unwrap()
}

/// Cells of a lattice whose faces coincide, boxes anywhere, some of them many times, and a few boulders.
fn boxes(count: u64) -> Vec<BoundingBox> {
    let side = (count as f64).cbrt();
    let some = |item: u64| {
        let draw = |variable| uniform(7, item, variable);
        let min = side * DVec3::new(draw(0), draw(1), draw(2));
        match item % 50 {
            0 => BoundingBox { min, max: min + 5.0 },
            1..=20 => BoundingBox { min: min.floor(), max: min.floor() + 1.0 },
            21..=24 => BoundingBox { min: DVec3::splat(1.3), max: DVec3::splat(1.4) },
            _ => BoundingBox { min, max: min + 2.0 * draw(3) },
        }
    };
    (0..count).map(some).collect()
}

/// Who meets whom, in every tree.
fn queries(hierarchies: &Hierarchies, boxes: &[BoundingBox]) -> Vec<OverlapQuery> {
    let of_box = |(least_number, &bounds): (u32, &BoundingBox)| {
        (0..hierarchies.trees().len() as u32).map(move |tree| OverlapQuery { tree, least_number, bounds })
    };
    (0..).zip(boxes).flat_map(of_box).collect()
}

/// Puts a kernel in the place of the proper one.
fn replace(gpu: &Gpu, source: &str) {
    let mut session = gpu.session.lock().unwrap();
    let kernel = Arc::new(Kernel::new(&session.device, "overlaps", source).unwrap());
    let proper = overlaps_source(session.device.rounds);
    session.kernels.insert(proper, kernel);
}

#[test]
fn broken_kernels_are_noticed() {
    let boxes = boxes(4000);
    let hierarchies = Hierarchies::new(&boxes);
    let queries = queries(&hierarchies, &boxes);
    let gpu = open(None);
    let overlaps = |gpu: &Gpu| -> Result<Vec<Overlap>, EngineError> { gpu.overlaps(&hierarchies, &queries) };
    let right = hierarchies.overlaps(&queries);
    let source = overlaps_source(gpu.session.lock().unwrap().device.rounds);
    let choice = faults::replace(&gpu, source.clone(), &FAULTS);
    assert!(overlaps(&gpu).unwrap() == right);
    for (number, (from, to)) in FAULTS.into_iter().enumerate() {
        assert_eq!(source.matches(from).count(), 1, "`{from}` is not in the kernel once");
        choice.choose(Some(number));
        let told = match overlaps(&gpu) {
            Ok(overlaps) => format!("{} overlaps instead of {}", overlaps.len(), right.len()),
            Err(error) => error.to_string(),
        };
        println!("{to}: {told}");
        assert!(overlaps(&gpu).ok().as_ref() != Some(&right), "`{to}` for `{from}` is not noticed");
    }
}

#[test]
fn walks_go_on_where_their_rounds_or_answers_end_in_chunks_of_any_size() {
    let boxes = boxes(1000);
    let hierarchies = Hierarchies::new(&boxes);
    let queries = queries(&hierarchies, &boxes);
    let right = hierarchies.overlaps(&queries);
    let of_one = |query: u32| right.iter().filter(|overlap| overlap.query == query).count();
    let most = (0..queries.len() as u32).map(of_one).max().unwrap();
    println!("{} queries, {} overlaps, up to {most} of one", queries.len(), right.len());
    assert!(most > 40);
    for (rounds, chunk) in [(1 << 20, Some(1000)), (5, None), (1, None), (37, Some(77)), (500, Some(1))] {
        let gpu = open(chunk);
        replace(&gpu, &overlaps_source(rounds));
        let some = if chunk == Some(1) { &queries[..50] } else { &queries[..] };
        assert!(gpu.overlaps(&hierarchies, some).unwrap() == hierarchies.overlaps(some), "{rounds} rounds, {chunk:?}");
    }
}

#[test]
fn a_set_of_hierarchies_without_room_on_the_device_is_walked_here_and_the_last_set_is_kept_there() {
    let gpu = open(None);
    let boxes = boxes(500);
    let kept = |gpu: &Gpu| gpu.session.lock().unwrap().hierarchies.as_ref().map(Arc::as_ptr);
    let hierarchies = Hierarchies::new(&boxes);
    let of_hierarchies = queries(&hierarchies, &boxes);
    let right = hierarchies.overlaps(&of_hierarchies);
    assert_eq!(gpu.overlaps(&hierarchies, &of_hierarchies).unwrap(), right);
    let first = kept(&gpu);
    assert!(first.is_some());
    assert_eq!(gpu.overlaps(&hierarchies.clone(), &of_hierarchies).unwrap(), right);
    assert_eq!(kept(&gpu), first);
    let other = Hierarchies::new(&boxes[200..]);
    let of_other = queries(&other, &boxes[..300]);
    assert_eq!(gpu.overlaps(&other, &of_other).unwrap(), other.overlaps(&of_other));

    gpu.session.lock().unwrap().device.limits.max_storage_buffer_binding_size = 32 * 500;
    assert_eq!(gpu.overlaps(&hierarchies, &of_hierarchies).unwrap(), right);
    assert_eq!(kept(&gpu), None);
    assert_eq!(gpu.overlaps(&Hierarchies::new(&[]), &[]).unwrap(), []);
}
