//! One trial, step by step.

use touchdown::model::Watcher;

/// Time \[s\], state and words of an event.
pub type Event = (f64, String, String);

/// Keeps steps and events.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Values of the trace's columns.
    pub steps: Vec<Vec<Option<f64>>>,
    /// What happened.
    pub events: Vec<Event>,
}

impl Recorder {
    /// A recorder of this many columns.
    pub fn new(columns: usize) -> Self {
        Self { steps: vec![Vec::new(); columns], events: Vec::new() }
    }
}

impl Watcher for Recorder {
    fn step(&mut self, values: &[f64]) {
        for (column, value) in self.steps.iter_mut().zip(values) {
            column.push(value.is_finite().then_some(*value));
        }
    }

    fn event(&mut self, time: f64, state: &str, words: &str) {
        self.events.push((time, state.to_owned(), words.to_owned()));
    }
}
