//! The worst trials by a criterion: the few farthest beyond its limit, or closest to it.

use crate::model::Model;
use crate::study::Event;

/// Number of trials kept for each criterion.
const KEPT: usize = 5;

/// A trial worth inspecting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstTrial {
    /// Its number.
    pub trial: u64,
    /// Index of its class.
    pub class: usize,
    /// The criterion's quantity, if it has one.
    pub value: Option<f64>,
}

/// The worst trials by one event: the most extreme values of its quantity, or the first trials of its class, and then the
/// first that count as such, or the first with all or any of several events. Ties are ordered by trial number.
#[derive(Clone, Debug)]
pub struct Worst {
    event: Event,
    trials: Vec<WorstTrial>,
}

impl Worst {
    /// None yet.
    pub fn new(event: Event) -> Self {
        Self { event, trials: Vec::with_capacity(KEPT + 1) }
    }

    /// The trials, the worst one first.
    pub fn trials(&self) -> &[WorstTrial] {
        &self.trials
    }

    /// Considers a trial; they come in numerical order.
    pub fn add(&mut self, model: &dyn Model, trial: u64, class: usize, value: impl Fn(usize) -> Option<f64>) {
        let value = if let Some(quantity) = self.event.quantity() {
            let Some(value) = value(quantity) else { return };
            Some(value)
        } else {
            let is_of_it = match self.event {
                Event::Class(wanted) => model.counts_as(wanted, class, &value),
                _ => self.event.happened(model, class, &value),
            };
            if !is_of_it {
                return;
            }
            None
        };
        self.keep(WorstTrial { trial, class, value });
    }

    /// Considers the trials of another batch for the same event; they are later ones.
    pub fn merge(&mut self, later: &Self) {
        later.trials.iter().for_each(|&trial| self.keep(trial));
    }

    fn keep(&mut self, added: WorstTrial) {
        // Of equal ones the earlier stays before the later.
        let place = self.trials.partition_point(|kept| self.badness(kept) >= self.badness(&added));
        if place < KEPT {
            self.trials.insert(place, added);
            self.trials.truncate(KEPT);
        }
    }

    /// Severity: larger is worse.
    fn badness(&self, trial: &WorstTrial) -> f64 {
        match self.event {
            Event::Above { .. } => trial.value.unwrap_or(0.0),
            Event::Below { .. } => -trial.value.unwrap_or(0.0),
            Event::Class(wanted) => f64::from(u8::from(trial.class == wanted)),
            Event::AnyOf(_) | Event::AllOf(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ParticleModel;
    use crate::query::Restitution;

    fn kept(event: Event, values: &[Option<f64>]) -> Vec<u64> {
        let model = ParticleModel { steps: 1, restitution: Restitution::Nominal };
        let mut worst = Worst::new(event);
        for (trial, value) in values.iter().enumerate() {
            let class = if value.is_some() { 6 } else { 1 };
            worst.add(&model, trial as u64, class, |_| *value);
        }
        worst.trials().iter().map(|trial| trial.trial).collect()
    }

    #[test]
    fn the_worst_come_first_and_of_equal_ones_the_first() {
        let values = [3.0, 9.0, 1.0, 9.0, 5.0, 7.0, 4.0].map(Some);
        assert_eq!(kept(Event::Above { quantity: 0, limit: 0.0 }, &values), [1, 3, 5, 4, 6]);
        assert_eq!(kept(Event::Below { quantity: 0, limit: 0.0 }, &values), [2, 0, 6, 4, 5]);
    }

    #[test]
    fn trials_without_the_number_are_passed_over_and_classes_give_their_first() {
        let values = [None, Some(1.0), None, Some(2.0), None, None, None, None];
        assert_eq!(kept(Event::Above { quantity: 0, limit: 0.0 }, &values), [3, 1]);
        assert_eq!(kept(Event::Class(1), &values), [0, 2, 4, 5, 6]);
        let high = Event::Above { quantity: 0, limit: 1.5 };
        let several = vec![Event::Above { quantity: 0, limit: 0.0 }, high];
        assert_eq!(kept(Event::AllOf(several.clone()), &values[1..4]), [1, 2], "one that lacks the number counts");
        assert_eq!(kept(Event::AnyOf(several), &values[1..4]), [0, 1, 2]);
    }
}
