//! Criteria: what must not happen more often than allowed.

use serde::Serialize;

use super::packed::{Packer, Unpacker};
use super::statistics::{clopper_pearson_lower, clopper_pearson_upper};
use crate::model::{INVALID, Model};

/// What a criterion counts.
#[derive(Clone, Debug, PartialEq)]
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
    /// The trial counts as one of the class with this index in the model's list.
    Class(usize),
    /// At least one of these happened.
    AnyOf(Vec<Event>),
    /// All of these happened.
    AllOf(Vec<Event>),
}

impl Event {
    /// Index of the one quantity that decides it, if one does.
    #[must_use]
    pub fn quantity(&self) -> Option<usize> {
        match *self {
            Self::Above { quantity, .. } | Self::Below { quantity, .. } => Some(quantity),
            Self::Class(_) | Self::AnyOf(_) | Self::AllOf(_) => None,
        }
    }

    /// Limit of that quantity in SI units.
    #[must_use]
    pub fn limit(&self) -> Option<f64> {
        match *self {
            Self::Above { limit, .. } | Self::Below { limit, .. } => Some(limit),
            Self::Class(_) | Self::AnyOf(_) | Self::AllOf(_) => None,
        }
    }

    /// Indices of all quantities it refers to.
    #[must_use]
    pub fn quantities(&self) -> Vec<usize> {
        match self {
            Self::AnyOf(events) | Self::AllOf(events) => events.iter().flat_map(Self::quantities).collect(),
            Self::Above { .. } | Self::Below { .. } | Self::Class(_) => self.quantity().into_iter().collect(),
        }
    }

    /// Whether the event happened. Missing data are counted conservatively: an invalid trial counts as every event, and
    /// so does a missing quantity, such as the stopping point of a landing that broke its gear, unless the trial is
    /// [better off](Model::is_good_without) for it; of classes the model tells what a trial [counts as](Model::counts_as).
    pub fn happened(&self, model: &dyn Model, class: usize, value: impl Fn(usize) -> Option<f64>) -> bool {
        self.response(model, class, value) > 0.0
    }

    /// Signed distance beyond the limit, in SI units: above 0 where the event [happened](Self::happened), below 0 by
    /// how far away it is. Infinite where the event is decided without a distance: a class, several events, an invalid
    /// trial, a missing quantity.
    pub fn response(&self, model: &dyn Model, class: usize, value: impl Fn(usize) -> Option<f64>) -> f64 {
        self.response_of(model, class, &value)
    }

    fn response_of(&self, model: &dyn Model, class: usize, value: &dyn Fn(usize) -> Option<f64>) -> f64 {
        let without_nearness = |happened: bool| if happened { f64::INFINITY } else { f64::NEG_INFINITY };
        let by_value = |number: usize, beyond: &dyn Fn(f64) -> f64| {
            let lacking = || without_nearness(!model.is_good_without(number, class, value));
            value(number).map_or_else(lacking, beyond)
        };
        if class == INVALID {
            return without_nearness(true);
        }
        // The difference of two f64 is 0 only if they are equal.
        let happened = |event: &Self| event.response_of(model, class, value) > 0.0;
        match *self {
            Self::Above { quantity, limit } => by_value(quantity, &|value| value - limit),
            Self::Below { quantity, limit } => by_value(quantity, &|value| limit - value),
            Self::Class(wanted) => without_nearness(model.counts_as(wanted, class, value)),
            Self::AnyOf(ref events) => without_nearness(events.iter().any(happened)),
            Self::AllOf(ref events) => without_nearness(events.iter().all(happened)),
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
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::study::Study;

    /// Whether an event happened in a trial of a class with these quantities; a limit is 10.
    fn happened(study: &str, event: &str, class: &str, known: &[(&str, f64)]) -> bool {
        let study = Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(study)).unwrap();
        let model = study.model.as_ref();
        let event = match event.strip_suffix(" above") {
            Some(name) => Event::Above { quantity: quantity(model, name), limit: 10.0 },
            None => Event::Class(model.class_named(event).unwrap()),
        };
        let value = |number: usize| known.iter().find(|(name, _)| quantity(model, name) == number).map(|known| known.1);
        event.happened(model, model.class_named(class).unwrap(), value)
    }

    fn quantity(model: &dyn Model, name: &str) -> usize {
        model.quantities().iter().position(|quantity| quantity.name == name).unwrap()
    }

    #[test]
    fn what_is_not_known_is_not_taken_in_a_landings_favour() {
        let landing = |event, class, known: &[_]| happened("tests/data/tricycle/study.toml", event, class, known);
        let at_rest = ("stopping_point", 5.0);
        let passed_end = ("runway_end_speed", 3.0);
        assert!(!landing("stopping_point above", "stopped", &[("stopping_point", 10.0)]));
        assert!(landing("stopping_point above", "stopped", &[("stopping_point", 10.1)]));
        assert!(landing("stopping_point above", "wheel_broken", &[]));
        assert!(!landing("runway_end_speed above", "stopped", &[at_rest]), "it stopped on the runway");
        for (class, known) in
            [("invalid", &[][..]), ("unfinished", &[]), ("wheel_broken", &[]), ("veered_off", &[("bounces", 0.0)])]
        {
            assert!(landing("runway_end_speed above", class, known), "{class}: it might have come to the end");
            assert!(landing("overran", class, known), "{class}: it might have passed the end");
        }
        assert!(!landing("runway_end_speed above", "overran", &[passed_end]), "it came there slowly");
        assert!(!landing("overran", "veered_off", &[at_rest]));
        assert!(landing("overran", "veered_off", &[at_rest, passed_end]), "the side's class hides the end's");
        assert!(
            !landing("veered_off", "overran", &[at_rest, passed_end]) && !landing("veered_off", "stopped", &[at_rest])
        );
        assert!(landing("veered_off", "unfinished", &[]) && landing("veered_off", "structure_contact", &[]));
        assert!(landing("wheel_broken", "unfinished", &[]), "it might have broken later");
        assert!(!landing("wheel_broken", "structure_contact", &[]), "the contact came first");
        assert!(!landing("wheel_broken", "veered_off", &[at_rest]) && landing("unfinished", "veered_off", &[]));
        let short = ("touchdown_distance", -0.1);
        assert!(landing("undershot", "overran", &[short]) && landing("undershot", "veered_off", &[short, at_rest]));
        assert!(!landing("undershot", "stopped", &[("touchdown_distance", 0.1), at_rest]));
        assert!(landing("undershot", "unfinished", &[]), "it may still come down there");
        assert!(!landing("undershot", "overran", &[passed_end]), "it flew past the runway");
        assert!(
            !landing("overran", "undershot", &[short, at_rest]) && !landing("wheel_broken", "undershot", &[at_rest])
        );
        assert!(["wheel_broken", "overran"].iter().all(|event| landing(event, "invalid", &[])));
    }

    #[test]
    fn without_a_runway_no_landing_leaves_it() {
        for (event, class) in [
            ("overran", "unfinished"),
            ("veered_off", "wheel_broken"),
            ("runway_end_speed above", "wheel_broken"),
            ("undershot", "unfinished"),
        ] {
            assert!(!happened("examples/lander_boulders.toml", event, class, &[]), "{event}, {class}");
        }
        assert!(happened("examples/lander_boulders.toml", "wheel_broken", "unfinished", &[]));
    }

    #[test]
    fn a_landing_on_a_deck_counts_as_all_that_happened_to_it() {
        let deck = |event, class, known: &[_]| happened("examples/skid_on_frigate.toml", event, class, known);
        for class in ["rolled_over", "slid_off", "airborne"] {
            assert!(deck("gear_yielded", class, &[("gear_yielded", 1.0)]));
            assert!(!deck("gear_yielded", class, &[("gear_yielded", 0.0)]));
        }
        assert!(deck("slid_off", "rolled_over", &[("edge_distance", -0.1)]));
        assert!(!deck("slid_off", "rolled_over", &[("edge_distance", 0.1)]));
        assert!(!deck("airborne", "safe", &[]) && deck("airborne", "airborne", &[]));
    }
}
