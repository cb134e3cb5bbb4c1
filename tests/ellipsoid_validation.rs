//! Judging contacts of ellipsoids item by item: the native engine is equal, the GPU within the bound of each item, and a
//! contact that is off by a little more is wrong.
//!
//! `TOUCHDOWN_TEST_SEED` changes the pairs, `TOUCHDOWN_ADAPTER` names the adapter.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "support/gpu.rs"]
mod gpu;
#[path = "support/random.rs"]
mod random;

use random::test_seed;
use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::reference::Reference;
use touchdown::validation::{EllipsoidClass, EllipsoidReport, Verdict, validate_ellipsoids};

/// Rounds of Newton's method that errata 004.7 allows.
const MOST_ROUNDS: usize = 24;

fn validated(what: &str, candidate: &dyn Engine, items: u64) -> [(EllipsoidClass, EllipsoidReport); 10] {
    println!(
        "{what}, {items} items per class: match, within bound, ambiguous by chance, by touch, wrong, error/bound; rounds"
    );
    let judge = Reference::new(0).unwrap();
    EllipsoidClass::ALL.map(|class| {
        let report = validate_ellipsoids(&judge, candidate, (class, test_seed()), items, &mut |_| {}).unwrap();
        let tally = &report.tally;
        println!(
            "  {:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9.4}   {} {} {}",
            class.name(),
            tally.count(Verdict::Match),
            tally.count(Verdict::WithinBound),
            tally.ambiguous_by_chance(),
            tally.ambiguous_touching(),
            tally.count(Verdict::Wrong),
            tally.largest_ratio(),
            report.rounds_of(0.5),
            report.rounds_of(0.99),
            report.rounds_of(1.0),
        );
        (class, report)
    })
}

#[test]
fn the_native_engine_gives_the_bits_of_the_reference() {
    for (class, report) in validated("native", &Native::new(0).unwrap(), 50_000) {
        assert_eq!(report.tally.count(Verdict::Match), 50_000, "{}: {:?}", class.name(), report.tally.worst());
        assert!(report.rounds_of(1.0) <= MOST_ROUNDS, "{}", class.name());
    }
}

#[test]
fn the_gpu_passes() {
    for (class, report) in validated("gpu", &gpu::open(), 10_000) {
        assert!(report.tally.passes(), "{}: {:?}", class.name(), report.tally.worst());
        assert!(report.rounds_of(1.0) <= MOST_ROUNDS, "{}", class.name());
    }
}
