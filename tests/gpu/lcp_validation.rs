//! Judging small complementarity problems item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::gpu;
use crate::support::random::test_seed;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{LcpAnswer, LcpItems, LcpStatus};
use touchdown::reference::Reference;
use touchdown::validation::lcp::{Class, LcpProblems};
use touchdown::validation::{Agreement, Agreements, Class as _, validate_drawn};

fn validated(what: &str, candidate: &dyn Engine, items: u64) -> Vec<(Class, Agreements)> {
    println!("{what}, {items} items per class");
    let judge = Reference::new(0).unwrap();
    let judged = Class::CLASSES.iter().map(|&class| {
        let report =
            validate_drawn::<LcpProblems>(&judge, candidate, (class, test_seed()), items, &mut |_| {}).unwrap();
        let tally = report.tally;
        println!(
            "  {:<12}{:>9}{:>9}{:>9}{:>9}{:>9}",
            class.name(),
            tally.count(Agreement::Match),
            tally.count(Agreement::WithinBound),
            tally.ambiguous_by_chance(),
            tally.ambiguous_touching(),
            tally.count(Agreement::Wrong),
        );
        (class, tally)
    });
    judged.collect()
}

#[test]
fn problems_of_the_native_engine_are_those_of_the_reference() {
    for (class, tally) in validated("native", &Native::new(0).unwrap(), 50_000) {
        assert_eq!(tally.count(Agreement::Match), 50_000, "{}: {:?}", class.name(), tally.worst());
    }
}

#[test]
fn problems_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    for (class, tally) in validated("gpu", &gpu::open(), 20_000) {
        assert!(tally.passes(), "{}: {:?}", class.name(), tally.worst());
    }
    let whole = validated("gpu", &gpu::open(), 500);
    let in_chunks = validated("gpu, seven at a time", &gpu::open_with(Some(7), None), 500);
    for ((_, one), (class, other)) in whole.iter().zip(&in_chunks) {
        for agreement in Agreement::ALL {
            assert_eq!(one.count(agreement), other.count(agreement), "{}", class.name());
        }
    }
}

/// The reference with other answers.
fn faulty(change: fn(&mut LcpAnswer)) -> Altered {
    Altered::new().answering::<LcpItems>(move |reference, (), items| {
        let mut answers = reference.compute::<LcpItems>((), items).unwrap();
        answers.iter_mut().for_each(change);
        answers
    })
}

#[test]
fn faults_are_called_wrong() {
    for (what, candidate) in [
        ("z a little too large", faulty(|answer| answer.z[0] *= 1.001)),
        ("always a ray", faulty(|answer| *answer = LcpAnswer::none(LcpStatus::Ray, answer.pivots))),
        ("never a ray", faulty(|answer| answer.status = LcpStatus::Solved)),
        ("a pivot too many", faulty(|answer| answer.pivots += 1)),
    ] {
        let wrong: u64 = validated(what, &candidate, 300).iter().map(|(_, tally)| tally.count(Agreement::Wrong)).sum();
        assert!(wrong >= 300, "{what}: {wrong}");
    }
}
