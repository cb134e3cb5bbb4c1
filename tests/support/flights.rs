//! Landings of the example studies that fly an approach.

use std::path::{Path, PathBuf};

use touchdown::engine::Engine;
use touchdown::query::{Input, LandingInputs, LandingJob, LandingOutcome};
use touchdown::reference::Reference;

pub fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(file)
}

/// The vehicle's own inputs in calm air, with some changed.
pub fn calm(job: &LandingJob, changes: &[(Input, f64)]) -> LandingInputs {
    let mut inputs = LandingInputs::nominal(&job.vehicle);
    changes.iter().for_each(|&(input, value)| inputs.set(input, value));
    inputs
}

pub fn landing(job: &LandingJob, changes: &[(Input, f64)]) -> LandingOutcome {
    Reference::new(1).unwrap().landings(job, &[calm(job, changes)]).unwrap().remove(0)
}
