//! Judging oriented collisions item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::judged::{chunks_do_not_matter, gpu_passes, judged, native_is_equal};
use touchdown::job::Compute;
use touchdown::query::{Oriented, OrientedAnswer, OrientedConfiguration};
use touchdown::validation::Agreement;
use touchdown::validation::oriented::OrientedCollisions;

#[test]
fn oriented_collisions_of_the_native_engine_are_those_of_the_reference() {
    native_is_equal::<OrientedCollisions>(5_000);
}

#[test]
fn oriented_collisions_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    gpu_passes::<OrientedCollisions>(10_000);
    chunks_do_not_matter::<OrientedCollisions>(500);
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
        let wrong: u64 = judged::<OrientedCollisions>(name, &faulty(change), 5_000)
            .iter()
            .map(|(_, tally)| tally.count(Agreement::Wrong))
            .sum();
        assert!(wrong > 0, "{name}");
    }
}
