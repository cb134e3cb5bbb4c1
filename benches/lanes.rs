//! Lanes of a GPU that idle while others of their warp work, in studies that come with the program: what sorting landings
//! by phase could gain.
//!
//! Shares of all lane time, by the reference's own landings and the operations of the kernel; nothing is measured.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

use std::num::NonZeroUsize;

use touchdown::benchmark::idle_lanes;
use touchdown::query::LandingInputs;
use touchdown::validation::{embedded_study, study_names};

/// Warps of NVIDIA; AMD's have 32 or 64 lanes.
const WARP: NonZeroUsize = NonZeroUsize::new(32).unwrap();
/// The most steps of a slice.
const SLICE: NonZeroUsize = NonZeroUsize::new(256).unwrap();
const LANDINGS: u64 = 1024;

fn main() {
    println!("{:10} {:10} {:>8} {:>8} {:>8}", "study", "order", "at work", "ended", "waiting");
    for name in study_names() {
        let study = embedded_study(name).unwrap().unwrap();
        let inputs: Vec<LandingInputs> = (0..LANDINGS).map(|landing| study.landing_inputs(landing)).collect();
        for (order, idle) in idle_lanes((&study.job, &inputs), (WARP, SLICE)).unwrap().into_iter().flatten() {
            let [ended, waiting] = [100.0 * idle.ended, 100.0 * idle.waiting];
            let at_work = 100.0 - ended - waiting;
            println!("{name:10} {:10} {at_work:7.1}% {ended:7.1}% {waiting:7.1}%", order.name());
        }
    }
}
