//! Whole landings by JSBSim's ground reactions on a GPU, beside the reference's. Single steps are in `steps`.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::path::Path;

use touchdown::engine::Engine;
use touchdown::query::{LandingInputs, LandingJob, LandingOutcome};
use touchdown::reference::Reference;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;

use crate::steps::by_ground_reactions;
use crate::support::engines::GPU;
use crate::support::gpu;

fn landings(count: u64) -> (LandingJob, Vec<LandingInputs>) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/c172_wet_runway.toml");
    let study = LandingStudy::of(Study::read(&example).unwrap()).unwrap();
    let inputs = (0..count).map(|landing| study.landing_inputs(landing)).collect();
    (by_ground_reactions(study.job), inputs)
}

#[test]
fn whole_landings_by_ground_reactions_end_where_the_references_do() {
    let (job, inputs) = landings(64);
    let expected = Reference::new(2).unwrap().landings(&job, &inputs).unwrap();
    let found = GPU.landings(&job, &inputs).unwrap();
    let ends = |outcome: &LandingOutcome| {
        let peaks = outcome.wheels.iter().map(|wheel| wheel.peak_force);
        [outcome.stop.unwrap().point, outcome.largest_lateral_deviation.unwrap(), peaks.fold(0.0, f64::max)]
    };
    let mut worst = [0.0_f64; 3];
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.class, expected.class);
        if expected.stop.is_some() {
            let [here, there] = [ends(found), ends(expected)];
            let off = [here[0] - there[0], here[1] - there[1], here[2] / there[2] - 1.0];
            worst.iter_mut().zip(off).for_each(|(worst, off)| *worst = worst.max(off.abs()));
        }
    }
    println!("stops off by {} m, largest deviations by {} m, peak forces by {}", worst[0], worst[1], worst[2]);
    // How fast a strut closes is bounded by when its sub-step began: peaks follow the moment of contact.
    assert!(worst[0] < 0.1 && worst[1] < 0.01 && worst[2] < 0.02);
}

#[test]
fn the_same_landings_by_ground_reactions_have_the_same_bits_however_they_are_cut() {
    let (job, inputs) = landings(20);
    let whole = GPU.landings(&job, &inputs).unwrap();
    assert_eq!(gpu::open_with(Some(7), Some(33)).landings(&job, &inputs).unwrap(), whole);
}
