//! Meetings against those of the processor, with the kernel as it is and broken on purpose.

use std::sync::Arc;

use glam::DVec3;

use crate::engine::{Engine, EngineError};
use crate::forest::{Forest, Lookup, Meeting};
use crate::gpu::kernel::Kernel;
use crate::gpu::shader::meetings_source;
use crate::gpu::{Gpu, GpuOptions};
use crate::program::walk::BoundingBox;
use crate::random::uniform;

/// What stands in the kernel, and what is made of it. (Boxes that it takes for meeting while they do not are no fault: these
/// are judged again.)
const FAULTS: [(&str, &str); 15] = [
    ("lookup.least <= bounds.greatest", "lookup.least < bounds.greatest"),
    ("bounds.least <= lookup.greatest", "bounds.least < lookup.greatest"),
    ("place *= CHILDREN;", "place = place * CHILDREN + 1u;"),
    ("bounds.number >= lookup", "bounds.number > lookup"),
    ("bounds.number >= lookup", "bounds.number < lookup"),
    ("place += 1u;", "place += 2u;"),
    ("level += up;", "level = lookup.top;"),
    ("var status = LOOKUP_UNFINISHED", "var status = LOOKUP_FINISHED"),
    ("status = LOOKUP_FINISHED;", "status = 0u;"),
    ("answers[id.x].place = place;", "answers[id.x].place = place + 1u;"),
    ("answers[id.x].place = place;", "answers[id.x].place = lookup.place;"),
    ("answers[id.x].level = level;", "answers[id.x].level = lookup.level;"),
    ("answers[id.x].count = count;", "answers[id.x].count = 0u;"),
    ("levels[lookup.levels_at + level]", "levels[level]"),
    ("id.x >= arrayLength(&lookups)", "id.x > 10u"),
];

fn open(chunk: Option<usize>) -> Gpu {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    Gpu::open(GpuOptions { adapter: Some(adapter), chunk, slice: None }).unwrap()
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
fn lookups(forest: &Forest, boxes: &[BoundingBox]) -> Vec<Lookup> {
    let of_box = |(least_number, &bounds): (u32, &BoundingBox)| {
        (0..forest.trees().len() as u32).map(move |tree| Lookup { tree, least_number, bounds })
    };
    (0..).zip(boxes).flat_map(of_box).collect()
}

/// Puts a kernel in the place of the proper one.
fn replace(gpu: &Gpu, source: &str) {
    let mut session = gpu.session.lock().unwrap();
    let kernel = Arc::new(Kernel::new(&session.device, "meetings", source).unwrap());
    let proper = meetings_source(session.device.rounds);
    session.kernels.insert(proper, kernel);
}

#[test]
fn broken_kernels_are_noticed() {
    let boxes = boxes(4000);
    let forest = Forest::new(&boxes);
    let lookups = lookups(&forest, &boxes);
    let gpu = open(None);
    let meetings = |gpu: &Gpu| -> Result<Vec<Meeting>, EngineError> { gpu.meetings(&forest, &lookups) };
    let right = forest.meetings(&lookups);
    assert!(meetings(&gpu).unwrap() == right);
    let source = meetings_source(gpu.session.lock().unwrap().device.rounds);
    for (from, to) in FAULTS {
        assert_eq!(source.matches(from).count(), 1, "`{from}` is not in the kernel once");
        replace(&gpu, &source.replace(from, to));
        let told = match meetings(&gpu) {
            Ok(meetings) => format!("{} meetings instead of {}", meetings.len(), right.len()),
            Err(error) => error.to_string(),
        };
        println!("{to}: {told}");
        assert!(meetings(&gpu).ok().as_ref() != Some(&right), "`{to}` for `{from}` is not noticed");
    }
}

#[test]
fn walks_go_on_where_their_rounds_or_answers_end_in_chunks_of_any_size() {
    let boxes = boxes(1000);
    let forest = Forest::new(&boxes);
    let lookups = lookups(&forest, &boxes);
    let right = forest.meetings(&lookups);
    let of_one = |lookup: u32| right.iter().filter(|meeting| meeting.lookup == lookup).count();
    let most = (0..lookups.len() as u32).map(of_one).max().unwrap();
    println!("{} lookups, {} meetings, up to {most} of one", lookups.len(), right.len());
    assert!(most > 40);
    for (rounds, chunk) in [(1 << 20, Some(1000)), (5, None), (1, None), (37, Some(77)), (500, Some(1))] {
        let gpu = open(chunk);
        replace(&gpu, &meetings_source(rounds));
        let some = if chunk == Some(1) { &lookups[..50] } else { &lookups[..] };
        assert!(gpu.meetings(&forest, some).unwrap() == forest.meetings(some), "{rounds} rounds, {chunk:?}");
    }
}

#[test]
fn a_forest_without_room_on_the_device_is_walked_here_and_the_last_forest_is_kept_there() {
    let gpu = open(None);
    let boxes = boxes(500);
    let kept = |gpu: &Gpu| gpu.session.lock().unwrap().forest.as_ref().map(Arc::as_ptr);
    let forest = Forest::new(&boxes);
    let of_forest = lookups(&forest, &boxes);
    let right = forest.meetings(&of_forest);
    assert_eq!(gpu.meetings(&forest, &of_forest).unwrap(), right);
    let first = kept(&gpu);
    assert!(first.is_some());
    assert_eq!(gpu.meetings(&forest.clone(), &of_forest).unwrap(), right);
    assert_eq!(kept(&gpu), first);
    let other = Forest::new(&boxes[200..]);
    let of_other = lookups(&other, &boxes[..300]);
    assert_eq!(gpu.meetings(&other, &of_other).unwrap(), other.meetings(&of_other));

    gpu.session.lock().unwrap().device.limits.max_storage_buffer_binding_size = 32 * 500;
    assert_eq!(gpu.meetings(&forest, &of_forest).unwrap(), right);
    assert_eq!(kept(&gpu), None);
    assert_eq!(gpu.meetings(&Forest::new(&[]), &[]).unwrap(), []);
}
