//! Judging oriented collisions item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::gpu;
use crate::support::random::test_seed;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{Oriented, OrientedAnswer, OrientedConfiguration};
use touchdown::reference::Reference;
use touchdown::validation::oriented::{Class, OrientedCollisions};
use touchdown::validation::{Agreement, Agreements, Class as _, validate_drawn};

fn validated(what: &str, candidate: &dyn Engine, items: u64) -> Vec<(Class, Agreements)> {
    println!("{what}, {items} items per class");
    let judge = Reference::new(0).unwrap();
    let judged = Class::CLASSES.iter().map(|&class| {
        let report =
            validate_drawn::<OrientedCollisions>(&judge, candidate, (class, test_seed()), items, &mut |_| {}).unwrap();
        let tally = report.tally;
        println!(
            "  {:<12}{:>9}{:>9}{:>9}{:>9}",
            class.name(),
            tally.count(Agreement::Match),
            tally.ambiguous_by_chance(),
            tally.ambiguous_touching(),
            tally.count(Agreement::Wrong),
        );
        (class, tally)
    });
    judged.collect()
}

#[test]
fn oriented_collisions_of_the_native_engine_are_those_of_the_reference() {
    for (class, tally) in validated("native", &Native::new(0).unwrap(), 50_000) {
        assert_eq!(tally.count(Agreement::Match), 50_000, "{}: {:?}", class.name(), tally.worst());
    }
}

#[test]
fn oriented_collisions_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    for (class, tally) in validated("gpu", &gpu::open(), 50_000) {
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

/// The reference with other configurations.
fn faulty(change: fn(&mut OrientedConfiguration)) -> Altered {
    Altered::new().answering::<Oriented>(move |reference, targets, motions| {
        let answers = reference.compute::<Oriented>(targets, motions).unwrap();
        // Questions alone: what leads to them is the judge's.
        let changed = |mut answer: OrientedAnswer| {
            change(&mut answer.configuration);
            answer
        };
        answers.into_iter().map(changed).collect()
    })
}

#[test]
fn faults_of_oriented_collisions_are_called_wrong() {
    let minimum_translation: fn(&mut OrientedConfiguration) = |found| {
        if let (Some(nearest), true) = (found.minimum_translation, found.collision != 0) {
            found.collision = 1 << nearest;
        }
    };
    let first_of_several: fn(&mut OrientedConfiguration) = |found| {
        found.collision_last = found.collision & found.collision.wrapping_neg();
    };
    let never_held: fn(&mut OrientedConfiguration) = |found| {
        if found.minimum_translation.is_none() {
            (found.collision, found.collision_last) = (0, 0);
        }
    };
    let range_inverted: fn(&mut OrientedConfiguration) = |found| found.range = !found.range & found.penetration;
    let farthest: fn(&mut OrientedConfiguration) =
        |found| found.minimum_translation = found.minimum_translation.map(|nearest| nearest ^ 1);
    for (name, change) in [
        ("minimum translation", minimum_translation),
        ("the first of several", first_of_several),
        ("released where separated", never_held),
        ("ranges the other way round", range_inverted),
        ("another nearest surface", farthest),
    ] {
        let wrong: u64 =
            validated(name, &faulty(change), 5_000).iter().map(|(_, tally)| tally.count(Agreement::Wrong)).sum();
        assert!(wrong > 0, "{name}");
    }
}
