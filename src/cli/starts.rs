//! Messages about trials that cannot start, or that start as is doubtful.

use touchdown::model::{Inputs, Nouns};
use touchdown::study::Study;

use super::text::number;

/// Maximum number of trials checked: enough for shares of a thousandth, in negligible time.
const LOOKED_AT: u64 = 10_000;
/// Trials whose start is looked at for doubts: flights have to be found for them.
const DOUBTED: u64 = 64;

/// Some of the first trials.
struct Told {
    /// How many they are, and of how many.
    count: usize,
    of: u64,
    /// The first one, and what there is to say of it.
    trial: u64,
    words: String,
}

impl Told {
    /// Those of so many of which there is something to say; `None` if there is nothing.
    fn of(study: &Study, most: u64, words_of: impl Fn(&Inputs) -> Option<String>) -> Option<Self> {
        let of = study.trials.min(most);
        let mut all = (0..of).filter_map(|trial| Some((trial, words_of(&study.inputs_of(trial))?)));
        let (trial, words) = all.next()?;
        Some(Self { count: 1 + all.count(), of, trial, words })
    }
}

/// How many of the first trials cannot start, and why one of them cannot; empty if all can.
pub fn start_lines(study: &Study) -> String {
    let Some(Told { count, of, trial, words }) = Told::of(study, LOOKED_AT, |inputs| study.model.fault(inputs)) else {
        return String::new();
    };
    let Nouns { one, many } = study.nouns();
    let first = if of < study.trials { "the first " } else { "" };
    format!(
        "warning: {count} of {first}{of} {many} ({} %) cannot start and are invalid, which counts as every event; {one} {trial}: \
         {words}\n",
        number(100.0 * count as f64 / of as f64)
    )
}

/// How many of the first trials start as is doubtful, and how one of them does; empty if none does.
pub fn doubt_lines(study: &Study) -> String {
    let Some(Told { count, of, trial, words }) = Told::of(study, DOUBTED, |inputs| study.model.doubt(inputs)) else {
        return String::new();
    };
    let Nouns { one, many } = study.nouns();
    format!("warning: {count} of the first {of} {many} start doubtfully; {one} {trial}: {words}\n")
}

/// Why the trial with these inputs cannot start; empty if it can.
pub fn fault_line(study: &Study, inputs: &Inputs) -> String {
    study.model.fault(inputs).map_or_else(String::new, |fault| format!("  it cannot start: {fault}\n"))
}
