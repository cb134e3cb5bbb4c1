//! The log of a trial.

use touchdown::model::{INVALID, Outcome, Watcher};
use touchdown::study::{Study, Trace};

use super::text::Shown;

/// Collects events as lines, and steps in a trace table if there is one.
#[derive(Default)]
pub struct EventLog {
    lines: String,
    trace: Option<Trace>,
}

impl EventLog {
    /// A log that writes steps to a trace table, if given.
    pub fn new(trace: Option<Trace>) -> Self {
        Self { lines: String::new(), trace }
    }

    /// The lines and the trace table.
    pub fn finish(self) -> (String, Option<Trace>) {
        (self.lines, self.trace)
    }
}

impl Watcher for EventLog {
    fn step(&mut self, values: &[f64]) {
        if let Some(trace) = &mut self.trace {
            trace.step(values);
        }
    }

    fn event(&mut self, time: f64, state: &str, words: &str) {
        self.lines.push_str(&format!("  {time:8.3} s  {state}  {words}\n"));
    }
}

/// The outcome of one trial, one quantity per line.
pub fn outcome_lines(study: &Study, outcome: &Outcome) -> String {
    let mut text = format!("  {:<28} {}\n", "class", study.model.classes()[outcome.class].name);
    for (quantity, value) in study.quantities().iter().zip(&outcome.quantities).filter(|_| outcome.class != INVALID) {
        if let Some(value) = *value {
            let shown = Shown::of(quantity.unit.symbol());
            text.push_str(&format!("  {:<28} {} {}\n", quantity.name, shown.number(value), shown.symbol));
        }
    }
    text
}
