//! Criteria: what must not happen more often than allowed.

use serde::Serialize;

use super::packed::{Packer, Unpacker};
use super::statistics::{clopper_pearson_lower, clopper_pearson_upper};
use crate::model::{INVALID, Quantity};

/// What a criterion counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The quantity is above a limit.
    Above {
        /// Index of the quantity in the study's list.
        quantity: usize,
        /// Limit in SI units.
        limit: f64,
    },
    /// The quantity is below a limit.
    Below {
        /// Index of the quantity in the study's list.
        quantity: usize,
        /// Limit in SI units.
        limit: f64,
    },
    /// The trial is in the class with this index in the model's list.
    Class(usize),
}

impl Event {
    /// Index of the quantity it refers to, if any.
    #[must_use]
    pub fn quantity(&self) -> Option<usize> {
        match *self {
            Self::Above { quantity, .. } | Self::Below { quantity, .. } => Some(quantity),
            Self::Class(_) => None,
        }
    }

    /// Limit of the quantity in SI units, if it refers to one.
    #[must_use]
    pub fn limit(&self) -> Option<f64> {
        match *self {
            Self::Above { limit, .. } | Self::Below { limit, .. } => Some(limit),
            Self::Class(_) => None,
        }
    }

    /// Whether the event happened. Missing data are counted conservatively: an invalid trial counts as every event, and
    /// so does a missing quantity, such as the stopping point of a landing that broke its gear. Only a quantity whose
    /// absence is the good outcome ([`Quantity::lack_is_good`]) then counts as neither above nor below the limit.
    pub fn happened(&self, class: usize, quantities: &[Quantity], value: impl FnOnce(usize) -> Option<f64>) -> bool {
        self.response(class, quantities, value) > 0.0
    }

    /// Signed distance beyond the limit, in SI units: above 0 where the event [happened](Self::happened), below 0 by
    /// how far away it is. Infinite where the event is decided without a distance: a class, an invalid trial, a missing
    /// quantity.
    pub fn response(&self, class: usize, quantities: &[Quantity], value: impl FnOnce(usize) -> Option<f64>) -> f64 {
        let without_nearness = |happened: bool| if happened { f64::INFINITY } else { f64::NEG_INFINITY };
        let by_value = |number: usize, beyond: &dyn Fn(f64) -> f64| {
            value(number).map_or_else(|| without_nearness(!quantities[number].lack_is_good), beyond)
        };
        if class == INVALID {
            return without_nearness(true);
        }
        // The difference of two f64 is 0 only if they are equal.
        match *self {
            Self::Above { quantity, limit } => by_value(quantity, &|value| value - limit),
            Self::Below { quantity, limit } => by_value(quantity, &|value| limit - value),
            Self::Class(wanted) => without_nearness(class == wanted),
        }
    }
}

/// How well a source was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Checked {
    /// The source itself was read.
    Verified,
    /// Another document quotes it.
    Secondary,
    /// From memory, or from hearsay.
    Unverified,
}

impl Checked {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Secondary => "secondary",
            Self::Unverified => "unverified",
        }
    }
}

/// Source of a criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Document and paragraph.
    pub text: String,
    /// How well it was verified.
    pub checked: Checked,
}

/// A bound on the probability of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// Name for reports.
    pub name: String,
    /// The event, in words.
    pub description: String,
    /// The event.
    pub event: Event,
    /// Allowed probability.
    pub probability: f64,
    /// Allowed probability with any one input held at any of its limits.
    pub limit_probability: Option<f64>,
    /// Confidence of the bounds.
    pub confidence: f64,
    /// Source of limit and probability.
    pub source: Option<Source>,
}

impl Criterion {
    /// Minimum number of base points of a sensitivity analysis that can show the limit risk to be acceptable: without
    /// any event, (1 - p)^n = 1 - confidence. `None` if the criterion has no limit risk.
    #[must_use]
    pub fn limit_points(&self) -> Option<u64> {
        let points = |allowed: f64| ((-self.confidence).ln_1p() / (-allowed).ln_1p()).ceil() as u64;
        self.limit_probability.map(points)
    }
}

/// Event count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Trials with the event.
    pub events: u64,
    /// Trials.
    pub trials: u64,
}

impl Tally {
    /// Counts one trial.
    pub fn add(&mut self, happened: bool) {
        self.events += u64::from(happened);
        self.trials += 1;
    }

    /// One-sided bounds of the event's probability at a confidence: (lower, upper).
    #[must_use]
    pub fn bounds(&self, confidence: f64) -> (f64, f64) {
        (
            clopper_pearson_lower(self.events, self.trials, confidence),
            clopper_pearson_upper(self.events, self.trials, confidence),
        )
    }

    /// Adds the trials of another tally.
    pub fn merge(&mut self, other: Self) {
        self.events += other.events;
        self.trials += other.trials;
    }

    /// Serializes the tally.
    pub(super) fn pack(self, packer: &mut Packer) {
        packer.number(u128::from(self.events));
        packer.number(u128::from(self.trials));
    }

    /// Inverse of [`pack`](Self::pack); `None` for an impossible tally.
    pub(super) fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        // No study has enough trials for a sum of tallies to overflow.
        let mut count = || unpacker.count().filter(|&count| count <= u64::from(u32::MAX));
        let (events, trials) = (count()?, count()?);
        (events <= trials).then_some(Self { events, trials })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Unit;

    const FAILED: usize = 1;
    const DONE: usize = 2;

    #[test]
    fn what_is_not_known_is_not_taken_in_a_trials_favour() {
        let quantity = |name: &str, lack_is_good| Quantity {
            name: name.to_owned(),
            unit: Unit::Length,
            description: String::new(),
            lack_is_good,
        };
        let quantities = [quantity("stopping_point", false), quantity("runway_end_speed", true)];
        let number = |name: &str| quantities.iter().position(|quantity| quantity.name == name).unwrap();
        let above = |name: &str| Event::Above { quantity: number(name), limit: 10.0 };
        let happened = |event: Event, class, value: Option<f64>| event.happened(class, &quantities, |_| value);
        assert!(!happened(above("stopping_point"), DONE, Some(10.0)));
        assert!(happened(above("stopping_point"), DONE, Some(10.1)));
        assert!(happened(above("stopping_point"), FAILED, None));
        assert!(!happened(above("runway_end_speed"), DONE, None), "never reached the end");
        assert!(happened(above("runway_end_speed"), INVALID, None));
        assert!(happened(Event::Class(FAILED), INVALID, None));
        assert!(!happened(Event::Class(FAILED), DONE, None));
    }
}
