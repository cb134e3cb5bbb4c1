//! Landings that cannot start, for people.

use touchdown::query::{LandingInputs, LandingState, StartFault};
use touchdown::study::Study;

use super::text::number;

/// The most landings that are looked at: enough for shares of a thousandth, and no time.
const LOOKED_AT: u64 = 10_000;

/// How many of the first landings cannot start, and why one of them cannot; nothing where all of them can.
pub fn start_lines(study: &Study) -> String {
    let looked_at = study.landings.min(LOOKED_AT);
    let fault_of = |landing: u64| {
        let inputs = study.landing_inputs(landing);
        LandingState::start(&study.job, &inputs).err().map(|fault| (landing, inputs, fault))
    };
    let mut faults = (0..looked_at).filter_map(fault_of);
    let Some((landing, inputs, fault)) = faults.next() else {
        return String::new();
    };
    let count = 1 + faults.count();
    format!(
        "warning: {count} of {looked_at} landings ({} %) cannot start and are invalid, which counts as every event; landing \
         {landing}: {}\n",
        number(100.0 * count as f64 / looked_at as f64),
        words(study, &fault, &inputs)
    )
}

/// Why the landing with these inputs cannot start; nothing where it can.
pub fn fault_line(study: &Study, inputs: &LandingInputs) -> String {
    match LandingState::start(&study.job, inputs) {
        Ok(_) => String::new(),
        Err(fault) => format!("  it cannot start: {}\n", words(study, &fault, inputs)),
    }
}

fn words(study: &Study, fault: &StartFault, inputs: &LandingInputs) -> String {
    fault.describe(&study.job.vehicle, inputs)
}
