//! Kernels that are broken on purpose.

use crate::gpu::faults::{Fault, replace};
use crate::gpu::items::source;
use crate::gpu::items::tests::assert_valid;
use crate::gpu::{Gpu, GpuOptions};
use crate::query::{EllipsoidPairs, EllipsoidWalls};
use crate::reference::Reference;
use crate::validation::{Agreement, Class, EllipsoidClass, Ellipsoids, validate_drawn};

/// Of pairs.
const FAULTS: [Fault<'_>; 11] = [
    ("select(root, -root, difference", "select(-root, root, difference"),
    ("factor * (x.z + y.w), factor", "factor * (x.z - y.w), factor"),
    ("<= RIGHT_ANGLE * ii", "<= 1e-3 * ii"),
    ("* pair.semi_axes_b / half[k]", "* pair.semi_axes_b / half.x"),
    ("let ratio = s.p / (z * z * s.q)", "let ratio = 1.001 * s.p / (z * z * s.q)"),
    ("abs(step) < MIN_STEP", "abs(step) < 1000.0 * MIN_STEP"),
    ("sqrt(low) * sqrt(high), next,", "low, next,"),
    ("let gradient = in_a / half", "let gradient = in_a"),
    ("let apart = frame.unit * dot(c, s.m)", "let apart = frame.unit * 1.0001 * dot(c, s.m)"),
    ("width_a / both", "1.0 - width_a / both"),
    ("a * (in_a * half * frame.unit)", "a * (in_a * half)"),
];
const FAULTS_OF_WALLS: [Fault<'_>; 2] =
    [("* wall.semi_axes;", "* wall.semi_axes * 1.0001;"), ("stretched / width * wall.semi_axes", "stretched / width")];
const ITEMS: u64 = 2000;

#[test]
fn kernels_are_valid_without_a_driver() {
    assert_valid::<EllipsoidPairs>();
    assert_valid::<EllipsoidWalls>();
}

#[test]
fn broken_kernels_are_called_wrong() {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
    let judge = Reference::new(0).unwrap();
    let of_class = |class| match validate_drawn::<Ellipsoids>(&judge, &gpu, (class, 1), ITEMS, &mut |_| {}) {
        Ok(report) => report.tally.count(Agreement::Wrong),
        // What is no number at all ends the run.
        Err(error) if error.to_string().contains("got no answer") => ITEMS,
        Err(error) => panic!("{error}"),
    };
    let wrong = || EllipsoidClass::CLASSES.iter().copied().map(of_class).sum::<u64>();
    let of_pairs = (source::<EllipsoidPairs>(), &FAULTS[..]);
    let of_walls = (source::<EllipsoidWalls>(), &FAULTS_OF_WALLS[..]);
    for (source, faults) in [of_pairs, of_walls] {
        let choice = replace(&gpu, source.clone(), faults);
        assert_eq!(wrong(), 0);
        for (number, (from, to)) in faults.iter().enumerate() {
            assert_eq!(source.matches(from).count(), 1, "`{from}` is not in the kernel once");
            choice.choose(Some(number));
            let found = wrong();
            println!("{from} -> {to}: {found} wrong");
            assert!(found > 0, "`{to}` for `{from}` is not noticed");
        }
        choice.choose(None);
    }
}
