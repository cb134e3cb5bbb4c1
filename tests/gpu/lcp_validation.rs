//! Judging small complementarity problems item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::judged::{chunks_do_not_matter, gpu_passes, judged, native_is_equal};
use touchdown::job::Compute;
use touchdown::query::{LcpAnswer, LcpItems, LcpStatus};
use touchdown::validation::Agreement;
use touchdown::validation::lcp::LcpProblems;

#[test]
fn problems_of_the_native_engine_are_those_of_the_reference() {
    native_is_equal::<LcpProblems>(5_000);
}

#[test]
fn problems_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    gpu_passes::<LcpProblems>(20_000);
    chunks_do_not_matter::<LcpProblems>(500);
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
        let wrong: u64 =
            judged::<LcpProblems>(what, &candidate, 300).iter().map(|(_, tally)| tally.count(Agreement::Wrong)).sum();
        assert!(wrong >= 300, "{what}: {wrong}");
    }
}
