//! Judging encounters of vehicles item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::judged::{chunks_do_not_matter, gpu_passes, judged, native_is_equal};
use touchdown::job::Compute;
use touchdown::query::{EncounterAnswer, EncounterStatus, Encounters};
use touchdown::validation::Agreement;
use touchdown::validation::driven_encounters::DrivenVehicles;
use touchdown::validation::encounters::MeetingVehicles;

#[test]
fn encounters_of_the_native_engine_are_those_of_the_reference() {
    native_is_equal::<MeetingVehicles>(5_000);
}

#[test]
fn encounters_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    gpu_passes::<MeetingVehicles>(10_000);
    chunks_do_not_matter::<MeetingVehicles>(500);
}

#[test]
fn steps_of_driven_encounters_of_the_native_engine_are_those_of_the_reference() {
    native_is_equal::<DrivenVehicles>(5_000);
}

#[test]
fn steps_of_driven_encounters_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    gpu_passes::<DrivenVehicles>(10_000);
    chunks_do_not_matter::<DrivenVehicles>(500);
}

/// The reference with other answers.
fn faulty(change: fn(&mut EncounterAnswer)) -> Altered {
    Altered::new().answering::<Encounters>(move |reference, (), items| {
        let mut answers = reference.compute::<Encounters>((), items).unwrap();
        answers.iter_mut().for_each(change);
        answers
    })
}

#[test]
fn faults_of_encounters_are_called_wrong() {
    for (what, candidate) in [
        ("a little late", faulty(|answer| answer.time *= 1.001)),
        ("turning the other way", faulty(|answer| answer.after[0].yaw_rate *= -1.0)),
        ("never a contact", faulty(|answer| *answer = EncounterAnswer::none(EncounterStatus::Missed))),
        ("a larger impulse", faulty(|answer| answer.impulse *= 1.01)),
    ] {
        let wrong: u64 = judged::<MeetingVehicles>(what, &candidate, 300)
            .iter()
            .map(|(_, tally)| tally.count(Agreement::Wrong))
            .sum();
        assert!(wrong >= 300, "{what}: {wrong}");
    }
}
