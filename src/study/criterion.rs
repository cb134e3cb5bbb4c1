//! Criteria: what must not happen more often than allowed.

use super::statistics::{Verdict, clopper_pearson_lower, clopper_pearson_upper, verdict};
use crate::query::LandingClass;

/// What a criterion counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The quantity of this number is above a limit.
    Above {
        /// Number of the quantity in the study's list.
        quantity: usize,
        /// Limit in SI units.
        limit: f64,
    },
    /// The quantity of this number is below a limit.
    Below {
        /// Number of the quantity in the study's list.
        quantity: usize,
        /// Limit in SI units.
        limit: f64,
    },
    /// The landing is of this class.
    Class(LandingClass),
}

impl Event {
    /// Whether it happened. An invalid landing counts as every event, for nothing is known in its favour; a quantity
    /// that a landing does not have is neither above nor below anything.
    pub fn happened(&self, class: LandingClass, quantity: impl FnOnce(usize) -> Option<f64>) -> bool {
        class == LandingClass::Invalid
            || match *self {
                Self::Above { quantity: number, limit } => quantity(number).is_some_and(|value| value > limit),
                Self::Below { quantity: number, limit } => quantity(number).is_some_and(|value| value < limit),
                Self::Class(wanted) => class == wanted,
            }
    }
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
    /// Greatest probability allowed.
    pub probability: f64,
    /// Confidence of the bounds.
    pub confidence: f64,
}

/// How often an event happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Landings with the event.
    pub events: u64,
    /// Landings.
    pub landings: u64,
}

impl Tally {
    /// Counts one landing.
    pub fn add(&mut self, happened: bool) {
        self.events += u64::from(happened);
        self.landings += 1;
    }

    /// One-sided bounds of the event's probability at a confidence: (lower, upper).
    #[must_use]
    pub fn bounds(&self, confidence: f64) -> (f64, f64) {
        (
            clopper_pearson_lower(self.events, self.landings, confidence),
            clopper_pearson_upper(self.events, self.landings, confidence),
        )
    }

    /// The verdict on a criterion.
    #[must_use]
    pub fn verdict(&self, criterion: &Criterion) -> Verdict {
        verdict(self.events, self.landings, criterion.confidence, criterion.probability)
    }
}
