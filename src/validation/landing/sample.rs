//! Steps from the middle of landings.

use super::StepJudge;
use crate::engine::{Engine, EngineError};
use crate::query::{LandingEvent, LandingInputs, LandingState, LandingStep, Observer};
use crate::study::Study;
use crate::validation::draws::{Draws, Purpose};
use crate::validation::steps::StepReport;

/// Steps judged per landing: enough to see all its phases, few enough to see many landings.
const STEPS_PER_LANDING: u64 = 200;
/// Share of these that are steps in contact, while there are any.
const CONTACT_SHARE: f64 = 0.8;

/// All states of a landing, the start included.
pub(super) struct States(pub Vec<LandingState>);

impl Observer for States {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.0.push(step.state.clone());
    }

    fn event(&mut self, _: f64, _: LandingEvent) {}
}

/// The states of one landing as an engine flies it, the start first.
pub(super) fn trace(
    engine: &dyn Engine,
    study: &Study,
    inputs: &LandingInputs,
) -> Result<Vec<LandingState>, EngineError> {
    let mut states = States(vec![LandingState::at_start(&study.job, inputs)]);
    engine.trace_landing(&study.job, inputs, &mut states)?;
    Ok(states.0)
}

/// Judges about `items` single steps, each from a state of a landing as the judge flies it; `advanced` hears how many are
/// done.
///
/// # Errors
/// When an engine fails.
pub fn validate_steps(
    study: &Study,
    judge: &dyn Engine,
    candidate: &dyn Engine,
    items: u64,
    seed: u64,
    advanced: &mut dyn FnMut(u64),
) -> Result<StepReport, EngineError> {
    let steps = StepJudge::new(&study.job, judge);
    let mut report = StepReport::new(&study.name);
    let mut landing = 0;
    while report.items() < items {
        let inputs = study.landing_inputs(landing);
        if inputs.is_valid() {
            let states = trace(judge, study, &inputs)?;
            let chosen = choose(&states, seed, landing, STEPS_PER_LANDING.min(items - report.items()));
            let items: Vec<(LandingInputs, LandingState)> =
                chosen.into_iter().map(|step| (inputs, states[step].clone())).collect();
            let answers = candidate.step_landings(&study.job, &items)?;
            for ((item, truth), answer) in items.iter().zip(steps.truths(&items)?).zip(answers) {
                let judgement = steps.judge(item, &truth, &answer, seed)?;
                report.add(landing, item.1.step, &truth.wheels, judgement);
            }
            advanced(report.items());
        }
        landing += 1;
    }
    Ok(report)
}

/// Numbers of states from which a step is judged: most of them in contact. The last state has no step.
fn choose(states: &[LandingState], seed: u64, landing: u64, count: u64) -> Vec<usize> {
    let mut draws = Draws::new(seed, Purpose::Step, landing);
    let touches = |index: &usize| states[*index].wheels.iter().any(|wheel| wheel.contact.touches());
    let (contact, air): (Vec<usize>, Vec<usize>) = (0..states.len() - 1).partition(touches);
    (0..count)
        .map(|_| {
            let in_contact = draws.between(0.0, 1.0) < CONTACT_SHARE;
            let pool = if air.is_empty() || (in_contact && !contact.is_empty()) { &contact } else { &air };
            pool[draws.index(pool.len())]
        })
        .collect()
}
