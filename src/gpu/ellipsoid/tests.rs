//! Kernels that are broken on purpose.

use std::sync::Arc;

use crate::gpu::items::source;
use crate::gpu::items::tests::assert_valid;
use crate::gpu::kernel::Kernel;
use crate::gpu::{Gpu, GpuOptions};
use crate::query::{EllipsoidPairs, EllipsoidWalls};
use crate::reference::Reference;
use crate::validation::{Agreement, Class, EllipsoidClass, Ellipsoids, validate_drawn};

/// What stands in the kernel of pairs, and what is made of it.
const FAULTS: [(&str, &str); 11] = [
    ("select(root, -root, difference", "select(-root, root, difference"),
    ("factor * (x.z + y.w), factor", "factor * (x.z - y.w), factor"),
    ("RIGHT_ANGLE = 1e-12", "RIGHT_ANGLE = 1e-3"),
    ("* pair.semi_axes_b / half[k]", "* pair.semi_axes_b / half.x"),
    ("let ratio = s.p / (z * z * s.q)", "let ratio = 1.001 * s.p / (z * z * s.q)"),
    ("abs(step) < MIN_STEP", "abs(step) < 1000.0 * MIN_STEP"),
    ("sqrt(low) * sqrt(high), next,", "low, next,"),
    ("let gradient = in_a / half", "let gradient = in_a"),
    ("let apart = frame.unit * dot(c, s.m)", "let apart = frame.unit * 1.0001 * dot(c, s.m)"),
    ("width_a / both", "1.0 - width_a / both"),
    ("a * (in_a * half * frame.unit)", "a * (in_a * half)"),
];
const FAULTS_OF_WALLS: [(&str, &str); 2] =
    [("* wall.semi_axes;", "* wall.semi_axes * 1.0001;"), ("stretched / width * wall.semi_axes", "stretched / width")];
const ITEMS: u64 = 2000;

/// How many answers are wrong with these kernels, over all classes.
fn wrong(pairs: &str, walls: &str) -> u64 {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
    {
        let mut session = gpu.session.lock().unwrap();
        for (proper, source) in [(source::<EllipsoidPairs>(), pairs), (source::<EllipsoidWalls>(), walls)] {
            let kernel = Kernel::new(&session.device, "ellipsoids", source).unwrap();
            session.kernels.insert(proper, Arc::new(kernel));
        }
    }
    let judge = Reference::new(0).unwrap();
    let of_class = |class| match validate_drawn::<Ellipsoids>(&judge, &gpu, (class, 1), ITEMS, &mut |_| {}) {
        Ok(report) => report.tally.count(Agreement::Wrong),
        // What is no number at all ends the run.
        Err(error) if error.to_string().contains("got no answer") => ITEMS,
        Err(error) => panic!("{error}"),
    };
    EllipsoidClass::CLASSES.iter().copied().map(of_class).sum()
}

#[test]
fn kernels_are_valid_without_a_driver() {
    assert_valid::<EllipsoidPairs>();
    assert_valid::<EllipsoidWalls>();
}

#[test]
fn broken_kernels_are_called_wrong() {
    let (pairs, walls) = (source::<EllipsoidPairs>(), source::<EllipsoidWalls>());
    assert_eq!(wrong(&pairs, &walls), 0);
    for (from, to) in FAULTS {
        assert_eq!(pairs.matches(from).count(), 1, "`{from}` is not in the kernel once");
        let found = wrong(&pairs.replace(from, to), &walls);
        println!("{from} -> {to}: {found} wrong");
        assert!(found > 0, "`{to}` for `{from}` is not noticed");
    }
    for (from, to) in FAULTS_OF_WALLS {
        assert_eq!(walls.matches(from).count(), 1, "`{from}` is not in the kernel once");
        let found = wrong(&pairs, &walls.replace(from, to));
        println!("{from} -> {to}: {found} wrong");
        assert!(found > 0, "`{to}` for `{from}` is not noticed");
    }
}
