//! Judging worlds of balls: steps item by item, and the study of the bowl on a GPU.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn, `TOUCHDOWN_ADAPTER` names the adapter.

use std::path::Path;

use crate::support::altered::Altered;
use crate::support::engines::GPU;
use crate::support::gpu;
use crate::support::judged::{chunks_do_not_matter, gpu_passes, judged, native_is_equal};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::model::{Inputs, Model, WorldModel};
use touchdown::query::{WorldSteps, Worlds};
use touchdown::random::NoiseKey;
use touchdown::reference::Reference;
use touchdown::validation::Agreement;
use touchdown::validation::world_steps::BallWorldSteps;
use touchdown::world::{Contacts, Law, Resolution, World, WorldStart, WorldStepped};

#[test]
fn steps_of_worlds_of_the_native_engine_are_those_of_the_reference() {
    native_is_equal::<BallWorldSteps>(1_000);
}

#[test]
fn steps_of_worlds_of_the_gpu_pass_and_do_not_depend_on_chunks() {
    gpu_passes::<BallWorldSteps>(1_000);
    chunks_do_not_matter::<BallWorldSteps>(50);
}

#[test]
fn faults_of_steps_of_worlds_are_called_wrong() {
    let faulty = |change: fn(&mut WorldStepped)| {
        Altered::new().answering::<WorldSteps>(move |reference, world, items| {
            let mut answers = reference.compute::<WorldSteps>(world, items).unwrap();
            answers.iter_mut().for_each(change);
            answers
        })
    };
    for (what, candidate) in [
        ("higher by ten micrometres", faulty(|answer| answer.motions[0].position.z += 1e-5)),
        ("slower by a hundredth", faulty(|answer| answer.motions[0].velocity *= 0.99)),
        ("deeper", faulty(|answer| answer.depth += 1e-5)),
        ("spins", faulty(|answer| answer.motions[0].spin.x += 0.1)),
    ] {
        let counts = judged::<BallWorldSteps>(what, &candidate, 40);
        let wrong: u64 = counts.iter().map(|(_, tally)| tally.count(Agreement::Wrong)).sum();
        assert!(wrong >= 240, "{what}: {wrong} of 320");
    }
}

/// The bowl of the example with eight sweeps, for less time.
fn bowl() -> World {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/worlds/bowl.toml");
    World { sweeps: Some(8), steps: 250, ..World::read(&file).unwrap() }
}

fn starts(world: &World, count: u64) -> Vec<WorldStart> {
    let model = WorldModel::new(world.clone());
    let start = |item: u64| {
        let mut values = model.nominal();
        (values[0], values[1], values[3], values[4], values[6]) = (0.4, 0.4, 0.1, 0.2 + 0.1 * item as f64, 0.008);
        model.start(&Inputs { noise: NoiseKey { seed: 7, item }, values })
    };
    (0..count).map(start).collect()
}

#[test]
fn worlds_of_balls_run_on_the_gpu_whatever_chunks_and_slices() {
    let world = bowl();
    let starts = starts(&world, 24);
    let outcomes = |engine: &dyn Engine| engine.compute::<Worlds>(&world, &starts).unwrap();
    let found = outcomes(&*GPU);
    assert_eq!(found, outcomes(&gpu::open_with(Some(7), Some(31))), "the same bits");
    let expected = outcomes(&Reference::new(0).unwrap());
    for (found, expected) in found.iter().zip(&expected) {
        println!(
            "{:?} {} steps, {:.4} N s, {:.4} J; by the reference {:?} {} {:.4} {:.4}",
            found.class,
            found.steps,
            found.impulses.iter().copied().fold(0.0, f64::max),
            found.energy_lost,
            expected.class,
            expected.steps,
            expected.impulses.iter().copied().fold(0.0, f64::max),
            expected.energy_lost,
        );
        let [one, other] = [found, expected].map(|outcome| outcome.first_touch.unwrap());
        assert!((one.time - other.time).abs() < 1e-5, "{one:?} {other:?}");
    }
    let alike = found.iter().zip(&expected).filter(|(a, b)| a.class == b.class).count();
    println!("{alike} of {} of the same class", found.len());
    // Heaps magnify what rounding changes: a ball near the rim may fall to either side.
    assert!(alike >= 22);
}

#[test]
fn worlds_without_kernels_are_refused_by_the_key_that_says_so() {
    let gpu = &*GPU;
    let ball = World { bodies: bowl().bodies[..1].to_vec(), sweeps: None, ..bowl() };
    for (world, key) in [
        (ball.clone(), "without `sweeps`"),
        (World { resolution: Resolution::Sequential, ..ball.clone() }, "resolution = \"sequential\""),
        (World { contacts: Contacts::EndOfStep, ..ball.clone() }, "contacts = \"end_of_step\""),
        (World { law: Law::Penalty { stiffness: 1e3 }, ..ball.clone() }, "law = \"penalty\""),
    ] {
        let error = gpu.compute::<Worlds>(&world, &[WorldStart::of(&world)]).unwrap_err().to_string();
        println!("{error}");
        assert!(error.contains(key) && error.contains("--engine native"), "{error}");
    }
}
