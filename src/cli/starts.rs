//! Messages about trials that cannot start, or that start as is doubtful.

use touchdown::model::{Inputs, Nouns};
use touchdown::study::Study;

use super::text::number;

/// Maximum number of trials checked: enough for shares of a thousandth, in negligible time.
const LOOKED_AT: u64 = 10_000;

/// How many of the first trials cannot start, and why one of them cannot; empty if all can.
pub fn start_lines(study: &Study) -> String {
    let looked_at = study.trials.min(LOOKED_AT);
    let fault_of = |trial: u64| Some((trial, study.model.fault(&study.inputs_of(trial))?));
    let mut faults = (0..looked_at).filter_map(fault_of);
    let Some((trial, fault)) = faults.next() else {
        return String::new();
    };
    let count = 1 + faults.count();
    let Nouns { one, many } = study.nouns();
    format!(
        "warning: {count} of {looked_at} {many} ({} %) cannot start and are invalid, which counts as every event; {one} \
         {trial}: {fault}\n",
        number(100.0 * count as f64 / looked_at as f64)
    )
}

/// Trials whose start is looked at for doubts: flights have to be found for them.
const DOUBTED: u64 = 64;

/// How many of the first trials start as is doubtful, and how one of them does; empty if none does.
pub fn doubt_lines(study: &Study) -> String {
    let looked_at = study.trials.min(DOUBTED);
    let doubt_of = |trial: u64| Some((trial, study.model.doubt(&study.inputs_of(trial))?));
    let mut doubts = (0..looked_at).filter_map(doubt_of);
    let Some((trial, doubt)) = doubts.next() else {
        return String::new();
    };
    let count = 1 + doubts.count();
    let Nouns { one, many } = study.nouns();
    format!("warning: {count} of the first {looked_at} {many} start doubtfully; {one} {trial}: {doubt}\n")
}

/// Why the trial with these inputs cannot start; empty if it can.
pub fn fault_line(study: &Study, inputs: &Inputs) -> String {
    study.model.fault(inputs).map_or_else(String::new, |fault| format!("  it cannot start: {fault}\n"))
}
