//! Whole landings and single steps on a GPU against the reference.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "support/gpu.rs"]
mod gpu;

use std::path::Path;
use std::time::Instant;

use touchdown::engine::Engine;
use touchdown::query::LandingInputs;
use touchdown::reference::Reference;
use touchdown::study::Study;

const STUDIES: [&str; 3] = ["c172_wet_runway.toml", "737_crosswind.toml", "lander_boulders.toml"];

fn study(name: &str) -> Study {
    Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).unwrap()
}

#[test]
fn explore() {
    let gpu = gpu::open();
    let reference = Reference::new(1).unwrap();
    for name in STUDIES {
        let study = study(name);
        let inputs: Vec<LandingInputs> = (0..std::env::var("N").map_or(64, |n| n.parse().unwrap()))
            .map(|landing| study.landing_inputs(landing))
            .collect();
        let at = Instant::now();
        gpu.landings(&study.job, &inputs[..1]).unwrap();
        println!("first {:?}", at.elapsed());
        let at = Instant::now();
        let ours = gpu.landings(&study.job, &inputs).unwrap();
        let taken = at.elapsed();
        let at = Instant::now();
        let theirs = reference.landings(&study.job, &inputs).unwrap();
        let steps: u64 = ours.iter().map(|o| o.contact_steps).sum();
        println!(
            "{name}: gpu {taken:?} reference {:?}, contact steps {steps}, {:.0}/s",
            at.elapsed(),
            steps as f64 / taken.as_secs_f64()
        );
        for (a, b) in ours.iter().zip(&theirs) {
            if a.class != b.class || a.steps.abs_diff(b.steps) > 5 {
                println!("{:?} {:?}  {} {}  {:?} {:?}", a.class, b.class, a.steps, b.steps, a.stop, b.stop);
            }
        }
        println!("{:?}\n{:?}", ours[0], theirs[0]);
    }
}
