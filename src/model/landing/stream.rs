//! Trials as a stream of landings.

use std::collections::VecDeque;

use super::LandingModel;
use crate::engine::LandingStream;
use crate::model::{Inputs, TRIALS_PER_TASK, Trials};
use crate::parallel;
use crate::query::{LandingInputs, LandingOutcome};

/// The landings of trials, as an engine computes them.
pub(super) struct Landings<'a> {
    model: &'a LandingModel,
    trials: &'a mut dyn Trials,
    /// The inputs of those that have been given out and have no outcome.
    under_way: VecDeque<Inputs>,
}

impl<'a> Landings<'a> {
    pub fn new(model: &'a LandingModel, trials: &'a mut dyn Trials) -> Self {
        Self { model, trials, under_way: VecDeque::new() }
    }
}

impl LandingStream for Landings<'_> {
    fn next(&mut self, count: usize) -> Vec<LandingInputs> {
        let inputs = self.trials.next(count);
        let landings = parallel::map(&inputs, TRIALS_PER_TASK, |inputs| LandingInputs::from(inputs));
        self.under_way.extend(inputs);
        landings
    }

    fn take(&mut self, outcomes: Vec<LandingOutcome>) {
        let inputs = self.under_way.drain(..outcomes.len().min(self.under_way.len())).collect();
        let outcomes = parallel::map(&outcomes, TRIALS_PER_TASK, |outcome| self.model.outcome(outcome));
        self.trials.take(inputs, outcomes);
    }
}
