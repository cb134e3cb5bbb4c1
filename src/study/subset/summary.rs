//! Results of subset simulation for a criterion.

use serde::Serialize;

use super::branches::Unseen;
use super::estimate::Estimate;
use super::limit_state::inputs_at;
use super::modes::{Mode, mean_and_spread, modes};
use super::replicate::{Level, Point, Replicate};
use super::settings::Settings;
use crate::model::Inputs;
use crate::study::statistics::Verdict;
use crate::study::{Criterion, CriterionSummary, Event, SampledInput, Study};

/// Quantiles of the inputs of trials with the event.
const QUANTILES: [f64; 3] = [0.05, 0.5, 0.95];

/// Results of subset simulation for a criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubsetSummary {
    /// Each replicate's estimate of the probability.
    pub estimates: Vec<f64>,
    /// Coefficient of variation of one of them; `None` without an event.
    pub variation: Option<f64>,
    /// Trials simulated.
    pub evaluations: u64,
    /// Number of invalid ones.
    pub invalid: u64,
    /// Events among the last samples that are invalid trials or lack the quantity: chains cannot approach these.
    pub events_without_nearness: u64,
    /// Branches allowed for in the upper bound because the first level has too few draws of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unseen: Option<Unseen>,
    /// The levels.
    pub levels: Vec<LevelSummary>,
    /// Distribution of the inputs given the event: why it happens.
    pub inputs: Vec<EventInput>,
    /// Modes of the event, if there are two; empty if one shift serves all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<Mode>,
}

impl SubsetSummary {
    /// Warnings, a sentence each, given the number of events in the last samples.
    #[must_use]
    pub fn warnings(&self, events: u64) -> Vec<String> {
        let without_nearness = (self.events_without_nearness > 0).then(|| {
            format!(
                "{} of its {events} events are invalid trials or lack the quantity; no chain can come nearer to such",
                self.events_without_nearness
            )
        });
        let unseen = self.unseen.as_ref().map(|unseen| unseen.advice(self.estimates.len() as u64));
        let apart = (self.modes.len() > 1).then(|| self.said_of_modes());
        without_nearness.into_iter().chain(unseen).chain(apart).collect()
    }

    /// Each mode with its share and the shifts that lead there.
    fn said_of_modes(&self) -> String {
        let place = |mode: &Mode| {
            let shifts = self.inputs.iter().zip(&mode.shifts);
            // A mean within a standard deviation of the prior is insignificant.
            let far: Vec<String> = shifts
                .filter(|(_, shift)| shift.abs() > 1.0)
                .map(|(input, shift)| format!("{} {shift:+.2}", input.name))
                .collect();
            let far = if far.is_empty() { "near 0".to_owned() } else { far.join(", ") };
            format!("{:.0} % of its events at shifts {far}", 100.0 * mode.share)
        };
        let places: Vec<String> = self.modes.iter().map(place).collect();
        format!("it has likely places apart: {}; one shift of importance sampling misses the others", places.join("; "))
    }
}

/// A level, over all replicates that reached it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelSummary {
    /// Number of these replicates.
    pub replicates: u64,
    /// Mean of their level probabilities.
    pub probability: f64,
    /// Mean of their thresholds, as a value of the criterion's quantity in SI units; `None` at the first level.
    pub threshold: Option<f64>,
    /// Acceptance rate of the proposals; `None` at the first level.
    pub acceptance: Option<f64>,
}

/// An input in the trials with the event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventInput {
    /// Name.
    pub name: String,
    /// SI symbol of its unit.
    pub unit: String,
    /// Mean of the independent standard normal behind it; 0 if the input is irrelevant to the event, or leads to it on
    /// both sides.
    pub shift: f64,
    /// Standard deviation of that normal; about 1 if the input is irrelevant, greater if both sides lead to the event.
    pub spread: f64,
    /// Quantiles: (probability, value).
    pub quantiles: Vec<(f64, f64)>,
}

/// The summary of a criterion whose replicates have ended, with this number of invalid trials.
pub(super) fn criterion_summary(
    study: &Study,
    settings: &Settings,
    criterion: &Criterion,
    replicates: &[Replicate],
    invalid: u64,
    unseen: Option<&Unseen>,
) -> CriterionSummary {
    let estimate = Estimate::of(replicates, criterion.confidence).beside(unseen);
    let events: Vec<&Point> = replicates.iter().flat_map(Replicate::events).collect();
    let verdict = Verdict::of_bounds(estimate.lower, estimate.upper, criterion.probability);
    CriterionSummary {
        name: criterion.name.clone(),
        event: criterion.description.clone(),
        probability: criterion.probability,
        confidence: criterion.confidence,
        look_confidence: criterion.confidence,
        events: events.len() as u64,
        estimate: estimate.probability,
        lower: estimate.lower,
        upper: estimate.upper,
        bounds: estimate.bounds,
        is_trusted: estimate.is_trusted,
        effective_events: None,
        largest_weight_share: None,
        source: criterion.source.clone(),
        tail: None,
        replicate_events: None,
        outlook: None,
        subset: Some(SubsetSummary {
            estimates: replicates.iter().map(Replicate::estimate).collect(),
            variation: estimate.variation,
            evaluations: replicates.iter().map(Replicate::evaluations).sum(),
            invalid,
            events_without_nearness: replicates.iter().map(|one| one.events_without_nearness() as u64).sum(),
            unseen: unseen.cloned(),
            levels: levels(settings, &criterion.event, replicates),
            inputs: event_inputs(study, &events),
            modes: modes(&events),
        }),
        verdict: if estimate.is_trusted { verdict } else { Verdict::Undecided },
    }
}

fn levels(settings: &Settings, event: &Event, replicates: &[Replicate]) -> Vec<LevelSummary> {
    let most = replicates.iter().map(Replicate::level).max().unwrap_or(0);
    (0..=most)
        .map(|number| {
            let levels: Vec<&Level> =
                replicates.iter().filter_map(|replicate| replicate.levels().nth(number)).collect();
            let count = levels.len() as f64;
            let threshold = levels.iter().map(|level| level.threshold).sum::<f64>() / count;
            let proposals = count * (settings.width(number) * settings.steps(number)) as f64;
            LevelSummary {
                replicates: levels.len() as u64,
                probability: levels.iter().map(|level| level.probability).sum::<f64>() / count,
                threshold: match event {
                    Event::Above { limit, .. } => Some(limit + threshold),
                    Event::Below { limit, .. } => Some(limit - threshold),
                    Event::Class(_) | Event::AnyOf(_) | Event::AllOf(_) => None,
                }
                .filter(|threshold| threshold.is_finite()),
                acceptance: (number > 0)
                    .then(|| levels.iter().map(|level| level.taken).sum::<u64>() as f64 / proposals),
            }
        })
        .collect()
}

fn event_inputs(study: &Study, events: &[&Point]) -> Vec<EventInput> {
    if events.is_empty() {
        return Vec::new();
    }
    let inputs: Vec<Inputs> = events.iter().map(|point| inputs_at(study, point)).collect();
    let numbered = study.inputs.iter().enumerate();
    numbered
        .map(|(number, SampledInput { number: of_model, input, .. })| {
            let mut values: Vec<f64> = inputs.iter().map(|inputs| inputs.values[*of_model]).collect();
            values.sort_unstable_by(f64::total_cmp);
            let at = |p: f64| values[((p * values.len() as f64) as usize).min(values.len() - 1)];
            let (shift, spread) = mean_and_spread(events.iter().map(|point| point.z[number]));
            EventInput {
                name: input.name.to_owned(),
                unit: input.unit.symbol().to_owned(),
                shift,
                spread,
                quantiles: QUANTILES.map(|p| (p, at(p))).to_vec(),
            }
        })
        .collect()
}
