//! Results of a sensitivity analysis.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::SensitivityError;
use super::design::{Design, SWING};
use super::evaluations::Outcomes;
use super::event_indices::{MIN_EVENTS, event_indices};
use super::indices::{BasePoint, Indices, sobol_indices};
use super::table::SEAL;
use crate::engine::EngineIdentity;
use crate::study::analysis::sealed_text;
use crate::study::statistics::Verdict;
use crate::study::{Criterion, Study, Tally};

/// Which inputs drive the outcome of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Name of the study.
    pub study: String,
    /// SHA-256 of the study's files.
    pub study_hash: String,
    /// Seed.
    pub seed: u64,
    /// Version of the program that computed the trials.
    pub version: String,
    /// Engine that computed them.
    pub engine: String,
    /// Device it ran on.
    pub adapter: String,
    /// Base points.
    pub base_points: u64,
    /// Trials of all kinds.
    pub trials: u64,
    /// Number of invalid ones.
    pub invalid: u64,
    /// How to read indices of correlated inputs; `None` without correlations.
    pub order: Option<String>,
    /// The criteria, in the order of the study.
    pub criteria: Vec<CriterionSensitivity>,
}

/// What drives the outcome of one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionSensitivity {
    /// Name of the criterion.
    pub name: String,
    /// Its event, in words.
    pub event: String,
    /// Name of the quantity it limits; `None` for a criterion on a class.
    pub quantity: Option<String>,
    /// SI symbol of the quantity's unit.
    pub unit: Option<String>,
    /// The limit.
    pub limit: Option<f64>,
    /// The quantity with every input at its median; `None` if that trial has no value.
    pub median: Option<f64>,
    /// Confidence of the bounds of risks.
    pub confidence: f64,
    /// The event's probability with all inputs varying, from rows A and B.
    pub average: Risk,
    /// Allowed probability with any input held at any of its limits.
    pub limit_probability: Option<f64>,
    /// Verdict on it: met if the upper bounds of all held inputs are at most the allowed probability, failed if a lower
    /// bound exceeds it, at a confidence corrected for the number of bounds (Bonferroni).
    pub limit_verdict: Option<Verdict>,
    /// Base points without any event that are needed to show it met.
    #[serde(default)]
    pub limit_points: Option<u64>,
    /// The varying inputs, in the order of the study.
    pub inputs: Vec<InputSensitivity>,
}

/// The influence of one input on a criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputSensitivity {
    /// Name of the input.
    pub input: String,
    /// SI symbol of its unit.
    pub unit: String,
    /// Indices of the quantity; `None` for a criterion on a class.
    pub of_quantity: Option<Indices>,
    /// Indices of the event indicator; `None` if the event, or its complement, is too rare among the base points.
    pub of_event: Option<Indices>,
    /// The tornado: at the 5 % and at the 95 % quantile of the input.
    pub swings: [Swing; 2],
    /// Limit risks: held at each of its limits, ascending.
    pub held: Vec<Risk>,
}

/// One trial of the tornado.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swing {
    /// Value of the input.
    pub at: f64,
    /// The quantity; `None` if the trial has no value, or the criterion is on a class.
    pub quantity: Option<f64>,
    /// Whether the event happened.
    pub happened: bool,
}

/// A probability with one-sided Clopper-Pearson bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Risk {
    /// Value at which the input is held; `None` if all vary.
    pub at: Option<f64>,
    /// Trials with the event.
    pub events: u64,
    /// Trials.
    pub trials: u64,
    /// Point estimate.
    pub estimate: f64,
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound.
    pub upper: f64,
}

impl Risk {
    fn of(tally: Tally, at: Option<f64>, confidence: f64) -> Self {
        let (lower, upper) = tally.bounds(confidence);
        let Tally { events, trials } = tally;
        Self { at, events, trials, estimate: events as f64 / trials as f64, lower, upper }
    }

    fn tally(self) -> Tally {
        Tally { events: self.events, trials: self.trials }
    }
}

impl CriterionSensitivity {
    /// The inputs by total index, descending; those without by their worst limit risk.
    pub fn by_total(&self, of: fn(&InputSensitivity) -> Option<Indices>) -> Vec<&InputSensitivity> {
        let mut inputs: Vec<&InputSensitivity> = self.inputs.iter().collect();
        let total =
            |input: &InputSensitivity| of(input).and_then(|indices| indices.total).map_or(0.0, |it| it.estimate);
        let held =
            |input: &InputSensitivity| input.held.iter().map(|risk| risk.estimate).fold(f64::NEG_INFINITY, f64::max);
        inputs.sort_by(|a, b| total(b).total_cmp(&total(a)).then(held(b).total_cmp(&held(a))));
        inputs
    }

    /// Whether no trial has the event: none of the base points, and none with an input held.
    #[must_use]
    pub fn has_no_events(&self) -> bool {
        self.average.events == 0 && self.worst().is_none()
    }

    /// Why no input has indices of the event, and how many base points would give them; `None` if there are some.
    #[must_use]
    pub fn lack_of_event_indices(&self, many: &str) -> Option<String> {
        let Risk { events, trials, .. } = self.average;
        let (rarer, what) =
            if events <= trials - events { (events, "with the event") } else { (trials - events, "without the event") };
        (rarer < MIN_EVENTS).then(|| {
            let more = if rarer == 0 {
                "more base points".to_owned()
            } else {
                // 1.7 times the number needed on average, which is enough in 97 % of all cases (Poisson).
                let points = (1.7 * MIN_EVENTS as f64 / rarer as f64 * 0.5 * trials as f64).ceil();
                format!("some {} more base points", points - 0.5 * trials as f64)
            };
            format!(
                "indices of the event are undecided: only {rarer} of the {trials} {many} of base points are {what}, \
                 and {MIN_EVENTS} are needed, which takes {more}"
            )
        })
    }

    /// The worst limit risk, with the input that is held: the one with the most events, the first in case of ties;
    /// `None` if no trial with a held input has the event.
    #[must_use]
    pub fn worst(&self) -> Option<(&InputSensitivity, Risk)> {
        let held = self.inputs.iter().flat_map(|input| input.held.iter().map(move |risk| (input, *risk)));
        let worst = held.reduce(|worst, next| if next.1.events > worst.1.events { next } else { worst });
        worst.filter(|(_, risk)| risk.events > 0)
    }
}

impl Sensitivity {
    pub(super) fn of(study: &Study, identity: &EngineIdentity, design: &Design, outcomes: &Outcomes) -> Self {
        let names: Vec<&str> = (0..design.inputs()).map(|input| design.sampled(study, input).input.name).collect();
        let order = format!(
            "An index is of what an input adds to those before it that it is correlated with, in the order {}.",
            names.join(", ")
        );
        Self {
            study: study.name.clone(),
            study_hash: study.hash().to_owned(),
            seed: study.seed,
            version: identity.version.clone(),
            engine: identity.engine.clone(),
            adapter: identity.adapter.clone(),
            base_points: design.points,
            trials: design.trials(),
            invalid: outcomes.invalid,
            order: study.copula.is_correlated().then_some(order),
            criteria: (0..study.criteria.len()).map(|number| explained(study, design, outcomes, number)).collect(),
        }
    }

    /// The hash of the study that the result in a directory is of, whatever its model; `None` if there is none.
    ///
    /// # Errors
    /// If it is present but cannot be read.
    pub fn study_hash_in(directory: &Path) -> Result<Option<String>, SensitivityError> {
        #[derive(Deserialize)]
        struct Of {
            study_hash: String,
        }
        let unreadable = |path, cause| SensitivityError::Unreadable { path, cause };
        let Some(text) = sealed_text(directory, &SEAL, unreadable)? else {
            return Ok(None);
        };
        let read = serde_json::from_str(&text).map(|Of { study_hash }| Some(study_hash));
        read.map_err(|error| unreadable(directory.join(SEAL.file), error.to_string()))
    }

    /// Reads the result in a directory; `None` if there is none.
    ///
    /// # Errors
    /// If it is present but cannot be read.
    pub fn read(directory: &Path, many: &str) -> Result<Option<Self>, SensitivityError> {
        let unreadable = |path, cause| SensitivityError::Unreadable { path, cause };
        let Some(text) = sealed_text(directory, &SEAL, unreadable)? else {
            return Ok(None);
        };
        let read = serde_json::from_str(&renamed(&text, many, TRIALS));
        read.map(Some).map_err(|error| unreadable(directory.join(SEAL.file), error.to_string()))
    }

    /// As JSON text. Trial counts are keyed by the model's name for trials.
    pub(super) fn to_json(&self, many: &str) -> String {
        serde_json::to_string_pretty(self).map(|json| renamed(&json, TRIALS, many) + "\n").unwrap_or_default()
    }
}

/// Key of trial counts before renaming.
const TRIALS: &str = "trials";

/// JSON text with a key renamed. No other text contains an unescaped quoted word followed by a colon.
fn renamed(json: &str, from: &str, to: &str) -> String {
    json.replace(&format!("\"{from}\": "), &format!("\"{to}\": "))
}

/// One criterion.
fn explained(study: &Study, design: &Design, outcomes: &Outcomes, number: usize) -> CriterionSensitivity {
    let criterion = &study.criteria[number];
    let (values, events) = (&outcomes.values[number], &outcomes.events[number]);
    let quantity = criterion.event.quantity().map(|quantity| &study.quantities()[quantity]);
    let value = |trial: u64| values[trial as usize];
    let event = |trial: u64| Some(f64::from(u8::from(events[trial as usize])));
    let of_quantity = quantity.map(|_| sobol_indices(&base_points(design, value), design.inputs(), study.seed));
    let risk = |trials: &mut dyn Iterator<Item = u64>, at| {
        let mut tally = Tally::default();
        trials.for_each(|trial| tally.add(events[trial as usize]));
        Risk::of(tally, at, criterion.confidence)
    };
    let average = risk(&mut (0..design.points).flat_map(|point| [design.first(point), design.second(point)]), None);
    let of_event = event_indices(&base_points(design, event), design.inputs());
    let input = |index: usize| {
        let sampled = design.sampled(study, index);
        let swing = |end: usize| {
            let trial = design.swing(index, end);
            Swing {
                at: sampled.distribution.quantile(SWING[end]),
                quantity: value(trial),
                happened: events[trial as usize],
            }
        };
        let held =
            |(place, at): (usize, f64)| risk(&mut (0..design.points).map(|point| design.held(place, point)), Some(at));
        InputSensitivity {
            input: sampled.input.name.to_owned(),
            unit: sampled.input.unit.symbol().to_owned(),
            of_quantity: of_quantity.as_ref().map(|indices| indices[index]),
            of_event: of_event.as_ref().map(|indices| indices[index]),
            swings: [swing(0), swing(1)],
            held: design.held_at(index).map(held).collect(),
        }
    };
    let inputs: Vec<InputSensitivity> = (0..design.inputs()).map(input).collect();
    CriterionSensitivity {
        name: criterion.name.clone(),
        event: criterion.description.clone(),
        quantity: quantity.map(|quantity| quantity.name.clone()),
        unit: quantity.map(|quantity| quantity.unit.symbol().to_owned()),
        limit: criterion.event.limit(),
        median: value(design.median()),
        confidence: criterion.confidence,
        average,
        limit_probability: criterion.limit_probability,
        limit_verdict: criterion.limit_probability.map(|allowed| limit_verdict(&inputs, criterion, allowed)),
        limit_points: criterion.limit_points(),
        inputs,
    }
}

fn base_points(design: &Design, outcome: impl Fn(u64) -> Option<f64>) -> Vec<BasePoint> {
    let inputs = design.inputs();
    let point = |point: u64| BasePoint {
        a: outcome(design.first(point)),
        b: outcome(design.second(point)),
        mixed: (0..inputs).map(|input| outcome(design.mixed(point, input))).collect(),
    };
    (0..design.points).map(point).collect()
}

/// If all bounds are below the limit no correction is needed; for one bound above it, it is.
fn limit_verdict(inputs: &[InputSensitivity], criterion: &Criterion, allowed: f64) -> Verdict {
    let held = || inputs.iter().flat_map(|input| &input.held);
    let raised = 1.0 - (1.0 - criterion.confidence) / held().count() as f64;
    if held().all(|risk| risk.upper <= allowed) {
        Verdict::Met
    } else if held().any(|risk| risk.tally().bounds(raised).0 > allowed) {
        Verdict::Failed
    } else {
        Verdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Event;

    fn held_with(events: [u64; 2]) -> InputSensitivity {
        let swing = Swing { at: 0.0, quantity: None, happened: false };
        InputSensitivity {
            input: String::new(),
            unit: String::new(),
            of_quantity: None,
            of_event: None,
            swings: [swing; 2],
            held: events.map(|events| Risk::of(Tally { events, trials: 1000 }, None, 0.95)).to_vec(),
        }
    }

    #[test]
    fn events_of_base_points_alone_are_events_too() {
        let with = |average: u64, held: u64| CriterionSensitivity {
            name: String::new(),
            event: String::new(),
            quantity: None,
            unit: None,
            limit: None,
            median: None,
            confidence: 0.95,
            average: Risk::of(Tally { events: average, trials: 1000 }, None, 0.95),
            limit_probability: None,
            limit_verdict: None,
            limit_points: None,
            inputs: vec![held_with([0, held])],
        };
        assert!(with(0, 0).has_no_events());
        assert!(!with(1, 0).has_no_events() && !with(0, 1).has_no_events());
    }

    #[test]
    fn one_of_many_held_inputs_must_be_clearly_worse_to_fail() {
        let criterion = Criterion {
            name: String::new(),
            description: String::new(),
            event: Event::Class(4),
            probability: 0.01,
            limit_probability: Some(0.05),
            confidence: 0.95,
            source: None,
        };
        let verdict = |inputs: &[InputSensitivity]| limit_verdict(inputs, &criterion, 0.05);
        assert_eq!(verdict(&[held_with([10, 20])]), Verdict::Met);
        assert_eq!(verdict(&[held_with([10, 90])]), Verdict::Failed);
        // 64 of 1000: the lower bound is 0.0517 at 95 %, and below 0.05 at 99.75 %, of which there are twenty.
        let inputs: Vec<InputSensitivity> =
            (0..10).map(|index| held_with([0, if index == 3 { 64 } else { 0 }])).collect();
        assert_eq!(verdict(&inputs), Verdict::Undecided);
        assert!(inputs[3].held[1].lower > 0.05);
    }
}
