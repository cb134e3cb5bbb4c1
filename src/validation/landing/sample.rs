//! Steps from the middle of landings.

use super::{StepJudge, StepJudgement};
use crate::engine::{Engine, EngineError};
use crate::query::{LandingEvent, LandingInputs, LandingState, LandingStep, Observer, WheelState};
use crate::study::Study;
use crate::validation::Verdict;
use crate::validation::draws::{Draws, Purpose};

/// Steps judged per landing: enough to see all its phases, few enough to see many landings.
const STEPS_PER_LANDING: u64 = 200;
/// Share of these that are steps in contact, while there are any.
const CONTACT_SHARE: f64 = 0.8;
/// Ambiguous steps allowed, as a share of all.
const AMBIGUOUS_SHARE: f64 = 0.01;

/// What the single steps of a study's landings come to.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// Name of the study.
    pub study: String,
    /// Steps by verdict, in the order of [`Verdict::ALL`].
    pub counts: [u64; Verdict::ALL.len()],
    /// Steps in which a wheel touches, and steps in which one slips or rolls.
    pub contact_steps: u64,
    /// Steps in which a wheel slips or rolls.
    pub slipping_steps: u64,
    /// Largest error as a share of its bound, and of what.
    pub largest: (f64, &'static str),
    /// The worst: a landing's number, a step of it, and what was found.
    pub worst: Option<(u64, u64, StepJudgement)>,
}

impl StepReport {
    /// Steps judged.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// True when nothing is wrong and at most one step in a hundred is ambiguous.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.counts[Verdict::Wrong as usize] == 0
            && self.counts[Verdict::Ambiguous as usize] as f64 <= AMBIGUOUS_SHARE * self.items() as f64
    }

    fn add(&mut self, landing: u64, state: &LandingState, truth: &LandingState, judgement: StepJudgement) {
        let any = |test: fn(&WheelState) -> bool| truth.wheels.iter().any(|wheel| test(&wheel.contact.state));
        self.counts[judgement.verdict as usize] += 1;
        self.contact_steps += u64::from(any(|state| matches!(state, WheelState::Slipping | WheelState::Standing)));
        self.slipping_steps += u64::from(any(|state| *state == WheelState::Slipping));
        if let Some(ratio) = judgement.ratio
            && ratio > self.largest.0
        {
            self.largest = (ratio, judgement.why);
        }
        let rank = |judgement: &StepJudgement| (judgement.verdict, judgement.ratio.unwrap_or(0.0));
        if self.worst.as_ref().is_none_or(|(.., worst)| rank(&judgement) > rank(worst)) {
            self.worst = Some((landing, state.step, judgement));
        }
    }
}

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
    let mut report = StepReport { study: study.name.clone(), largest: (0.0, "nothing"), ..StepReport::default() };
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
                report.add(landing, &item.1, &truth, judgement);
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
