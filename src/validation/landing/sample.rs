//! Steps sampled from landings.

use super::StepJudge;
use super::recording::Flown;
use super::step::StepDeviations;
use crate::engine::{Engine, EngineError};
use crate::query::{LandingEvent, LandingInputs, LandingState, LandingStep, Observer};
use crate::validation::LandingStudy;
use crate::validation::draws::{Draws, Purpose};
use crate::validation::error::one_each;
use crate::validation::{
    Agreements, Deviation, Finding, StepItem, StepJudgement, StepReport, ValidationError, WheelDeviations,
    embedded_study, equal,
};

/// Steps judged per landing: enough to cover all its phases, few enough to cover many landings.
const STEPS_PER_LANDING: u64 = 200;
/// Share of these that are steps in contact, while there are any.
const CONTACT_SHARE: f64 = 0.8;

/// Number of landings in a row without a single step from which a study counts as having none.
const FRUITLESS_LANDINGS: u64 = 1000;

/// All states of a landing, the start included.
struct States(Vec<LandingState>);

impl Observer for States {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.0.push(step.state.clone());
    }

    fn event(&mut self, _: f64, _: LandingEvent) {}
}

/// One landing as an engine flies it.
pub(super) fn trace(engine: &dyn Engine, study: &LandingStudy, inputs: &LandingInputs) -> Result<Flown, EngineError> {
    let mut states = States(vec![LandingState::at_start(&study.job, inputs)]);
    let outcome = engine.trace_landing(&study.job, inputs, &mut states)?;
    Ok(Flown { states: states.0, outcome })
}

/// Some landings as an engine flies them together.
pub(super) fn traces(
    engine: &dyn Engine,
    study: &LandingStudy,
    inputs: &[LandingInputs],
) -> Result<Vec<Flown>, ValidationError> {
    let at_start = |inputs| States(vec![LandingState::at_start(&study.job, inputs)]);
    let mut states: Vec<States> = inputs.iter().map(at_start).collect();
    let watched = inputs.iter().zip(&mut states);
    let mut watched: Vec<(LandingInputs, &mut dyn Observer)> =
        watched.map(|(&inputs, states)| (inputs, states as &mut dyn Observer)).collect();
    let outcomes = one_each(engine.trace_landings(&study.job, &mut watched)?, inputs.len())?;
    Ok(states.into_iter().zip(outcomes).map(|(states, outcome)| Flown { states: states.0, outcome }).collect())
}

/// Judges `items` single steps, each from a state of a landing as computed by the judge; `advanced` receives the counts
/// so far.
///
/// # Errors
/// If an engine fails or leaves items out, or the study has no steps.
pub fn validate_steps(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (name, study): (&'static str, &LandingStudy),
    seed: u64,
    items: u64,
    advanced: &mut dyn FnMut(&Agreements),
) -> Result<StepReport, ValidationError> {
    let steps = StepJudge::new(&study.job, judge);
    let mut report = StepReport::new();
    let (mut landing, mut fruitless) = (0, 0);
    while report.tally.items() < items {
        if fruitless == FRUITLESS_LANDINGS {
            return Err(ValidationError::NoSteps { study: name, landings: fruitless });
        }
        let before = report.tally.items();
        let inputs = study.landing_inputs(landing);
        if inputs.is_valid() {
            let Flown { states, .. } = trace(judge, study, &inputs)?;
            let chosen = choose(&states, seed, landing, STEPS_PER_LANDING.min(items - report.tally.items()));
            let items: Vec<(LandingInputs, LandingState)> =
                chosen.into_iter().map(|step| (inputs, states[step].clone())).collect();
            let answers = one_each(candidate.step_landings(&study.job, &items)?, items.len())?;
            let truths = one_each(steps.truths(&items)?, items.len())?;
            for ((item, truth), answer) in items.iter().zip(truths).zip(answers) {
                if report.bounds.has_room() {
                    report.bounds.extend(steps.shares(item, &truth));
                }
                let judgement = judged(&steps, candidate, item, (&truth, &answer), landing)?;
                let item = StepItem { study: name, landing, step: item.1.step };
                report.add(Finding::of_step(item, judgement), &truth.wheels);
            }
            advanced(&report.tally);
        }
        fruitless = if report.tally.items() == before { fruitless + 1 } else { 0 };
        landing += 1;
    }
    Ok(report)
}

/// The verdict on a candidate's step.
fn judged(
    steps: &StepJudge<'_>,
    candidate: &dyn Engine,
    item: &(LandingInputs, LandingState),
    (truth, answer): (&LandingState, &LandingState),
    landing: u64,
) -> Result<StepJudgement, EngineError> {
    if candidate.promises_equality() && !equal(truth, answer) {
        return Ok(StepJudgement::unequal());
    }
    steps.judge(item, truth, answer, landing)
}

/// A step of a landing as both engines have it.
#[derive(Clone, Debug)]
pub struct StepComparison {
    /// Which it is.
    pub item: StepItem,
    /// The state before it.
    pub before: LandingState,
    /// The state after it, by the judge.
    pub truth: LandingState,
    /// The same by the candidate.
    pub answer: LandingState,
    /// How far what moves, what the pilot remembers and what the results owe each other are off, and how far they may be.
    pub body: Vec<Deviation>,
    /// The same of each wheel.
    pub wheels: Vec<WheelDeviations>,
    /// What it comes to.
    pub judgement: StepJudgement,
}

/// Recomputes a step of a landing.
///
/// # Errors
/// If an engine fails, or there is no such study, landing or step.
pub fn judge_step(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    item: &StepItem,
) -> Result<StepComparison, ValidationError> {
    let StepItem { study: name, landing, step } = *item;
    let study = known_study(name)?;
    let inputs = study.landing_inputs(landing);
    if !inputs.is_valid() {
        return Err(ValidationError::Inputs { study: name, landing });
    }
    let Flown { mut states, .. } = trace(judge, &study, &inputs)?;
    // The last state has no step.
    states.pop();
    let last = (states.len() as u64).saturating_sub(1);
    let missing = || ValidationError::Step { what: format!("landing {landing} of {name}"), step, last };
    let before = states.into_iter().find(|state| state.step == step).ok_or_else(missing)?;
    let steps = StepJudge::new(&study.job, judge);
    let items = [(inputs, before)];
    let truth = one_each(steps.truths(&items)?, 1)?.remove(0);
    let answer = one_each(candidate.step_landings(&study.job, &items)?, 1)?.remove(0);
    let [given] = items;
    let StepDeviations { mut body, consistency, wheels } = steps.deviations(&given, &truth, &answer);
    body.extend(consistency);
    let judgement = judged(&steps, candidate, &given, (&truth, &answer), landing)?;
    Ok(StepComparison { item: *item, before: given.1, truth, answer, body, wheels, judgement })
}

/// The embedded study with this name.
pub(super) fn known_study(name: &'static str) -> Result<LandingStudy, ValidationError> {
    embedded_study(name)?.ok_or(ValidationError::NoSuchStudy { name })
}

/// Numbers of states from which a step is judged: most of them in contact. The last state has no step, and a landing may
/// have no other.
fn choose(states: &[LandingState], seed: u64, landing: u64, count: u64) -> Vec<usize> {
    let mut draws = Draws::new(seed, Purpose::Step, landing);
    let touches = |index: &usize| states[*index].wheels.iter().any(|wheel| wheel.contact.touches());
    let (contact, air): (Vec<usize>, Vec<usize>) = (0..states.len().saturating_sub(1)).partition(touches);
    let count = if contact.is_empty() && air.is_empty() { 0 } else { count };
    (0..count)
        .map(|_| {
            let in_contact = draws.between(0.0, 1.0) < CONTACT_SHARE;
            let pool = if air.is_empty() || (in_contact && !contact.is_empty()) { &contact } else { &air };
            pool[draws.index(pool.len())]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn a_landing_without_a_step_has_none_to_choose() {
        let study = embedded_study("c172").unwrap().unwrap();
        let start = LandingState::at_start(&study.job, &study.landing_inputs(0));
        assert!(choose(&[], 1, 0, 10).is_empty());
        assert!(choose(std::slice::from_ref(&start), 1, 0, 10).is_empty());
        assert_eq!(choose(&[start.clone(), start], 1, 0, 10), [0; 10]);
    }
}
