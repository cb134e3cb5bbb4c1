//! Judging landings on decks: steps item by item, whole landings where they part, and a study on a GPU.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use std::path::{Path, PathBuf};

use crate::support::altered::Altered;
use crate::support::engines::GPU;
use crate::support::gpu;
use crate::support::judged::{chunks_do_not_matter, gpu_passes, judged, native_is_equal};
use touchdown::deck::{DeckOutcome, DeckStepped};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{DeckLandings, DeckSteps};
use touchdown::reference::Reference;
use touchdown::study::Study;
use touchdown::validation::Agreement;
use touchdown::validation::deck_landings::WholeDeckLandings;
use touchdown::validation::deck_steps::DeckLandingSteps;

#[test]
fn steps_on_decks_of_the_native_engine_are_those_of_the_reference() {
    native_is_equal::<DeckLandingSteps>(2_000);
    native_is_equal::<WholeDeckLandings>(100);
}

#[test]
fn steps_on_decks_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    gpu_passes::<DeckLandingSteps>(4_000);
    chunks_do_not_matter::<DeckLandingSteps>(100);
}

#[test]
fn landings_on_decks_of_the_gpu_differ_only_where_right_steps_diverge() {
    gpu_passes::<WholeDeckLandings>(200);
}

#[test]
fn faults_of_steps_on_decks_are_called_wrong() {
    let faulty = |change: fn(&mut DeckStepped)| {
        Altered::new().answering::<DeckSteps>(move |reference, landing, items| {
            let mut answers = reference.compute::<DeckSteps>(landing, items).unwrap();
            answers.iter_mut().for_each(change);
            answers
        })
    };
    for (what, candidate) in [
        ("higher by ten micrometres", faulty(|answer| answer.record.state.place.y += 1e-5)),
        ("slower by a thousandth", faulty(|answer| answer.record.state.velocity.y *= 0.999)),
        ("a step more", faulty(|answer| answer.record.steps += 1)),
        ("rolled", faulty(|answer| answer.record.state.roll += 1e-5)),
    ] {
        let wrong: u64 = judged::<DeckLandingSteps>(what, &candidate, 50)
            .iter()
            .map(|(_, tally)| tally.count(Agreement::Wrong))
            .sum();
        assert!(wrong >= 240, "{what}: {wrong}");
    }
}

/// Their steps are right, but not what they are said to come to.
#[test]
fn outcomes_on_decks_that_their_steps_do_not_come_to_are_called_wrong() {
    let faulty = |change: fn(&mut DeckOutcome)| {
        Altered::new().answering::<DeckLandings>(move |reference, landing, items| {
            let mut answers = reference.compute::<DeckLandings>(landing, items).unwrap();
            answers.iter_mut().for_each(change);
            answers
        })
    };
    for (what, candidate) in [
        ("a larger load", faulty(|answer| answer.peak_loads[0] += 100.0)),
        ("a bounce more", faulty(|answer| answer.bounces += 1)),
        ("slid less", faulty(|answer| answer.slide -= 0.01)),
        ("slides faster", faulty(|answer| answer.sliding_speed = Some(answer.sliding_speed.unwrap_or(0.0) + 0.1))),
    ] {
        let wrong: u64 = judged::<WholeDeckLandings>(what, &candidate, 5)
            .iter()
            .map(|(_, tally)| tally.count(Agreement::Wrong))
            .sum();
        assert_eq!(wrong, 15, "{what}");
    }
}

/// Also where they end beside the deck, without a touch.
#[test]
fn an_aircraft_that_falls_past_the_deck_has_gone_over_its_edge_on_every_engine() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let offset = study.model.inputs().iter().position(|input| input.name == "lateral_offset").unwrap();
    let beside = |offset_of: f64| {
        let mut inputs = study.inputs_of(0);
        inputs.values[offset] = offset_of;
        inputs
    };
    // The deck ends 8.2 m from its middle, and the skids are 2.6 m apart.
    let inputs = [beside(0.0), beside(12.0), beside(-50.0)];
    let slid_off = study.model.classes().iter().position(|class| class.name == "slid_off").unwrap();
    let slid = study.model.quantity_named("slid_off").unwrap();
    for engine in [&Reference::new(1).unwrap() as &dyn Engine, &Native::new(1).unwrap(), &*GPU] {
        let outcomes = study.model.outcomes(engine, &inputs).unwrap();
        assert_ne!(outcomes[0].class, slid_off);
        for outcome in &outcomes[1..] {
            assert_eq!((outcome.class, outcome.quantities[slid]), (slid_off, Some(1.0)));
            let value = |quantity: usize| outcome.quantities[quantity];
            assert!(study.model.counts_as(slid_off, outcome.class, &value));
        }
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

#[test]
fn the_study_on_the_frigate_runs_on_the_gpu_whatever_chunks_and_slices() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let inputs: Vec<_> = (0..24).map(|trial| study.inputs_of(trial)).collect();
    let outcomes = |engine: &dyn Engine| study.model.outcomes(engine, &inputs).unwrap();
    let found = outcomes(&*GPU);
    assert_eq!(found, outcomes(&gpu::open_with(Some(7), Some(101))), "the same bits");
    let expected = outcomes(&Reference::new(0).unwrap());
    let class = |outcome: &touchdown::model::Outcome| study.model.classes()[outcome.class].name;
    let of = |outcome: &touchdown::model::Outcome, name: &str| {
        outcome.quantities[study.model.quantity_named(name).unwrap()].unwrap_or(f64::NAN)
    };
    for (found, expected) in found.iter().zip(&expected) {
        println!(
            "{:13} stress {:.4}, slide {:.4} m; by the reference {:13} {:.4} {:.4}",
            class(found),
            of(found, "stress_ratio"),
            of(found, "slide_distance"),
            class(expected),
            of(expected, "stress_ratio"),
            of(expected, "slide_distance")
        );
    }
    let alike = found.iter().zip(&expected).filter(|(a, b)| a.class == b.class).count();
    println!("{alike} of {} of the same class", found.len());
    assert!(alike >= 23);
}
