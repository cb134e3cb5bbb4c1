//! How a landing ends in a different class.

use super::StepJudge;
use super::recording::{Flown, Recording, recording};
use super::sample::{trace, traces};
use super::step::Decisions;
use super::thresholds::{Threshold, Thresholds};
use crate::engine::Engine;
use crate::query::{Gusts, LandingClass, LandingInputs, LandingOutcome, LandingState};
use crate::validation::LandingStudy;
use crate::validation::error::one_each;
use crate::validation::{Agreement, LandingItem, ValidationError};

/// Places on the way between two states at which a decision is looked at.
const GRID: usize = 64;

/// Landings of which all states are in memory at a time: some megabytes each.
const TRACED_TOGETHER: usize = 16;

/// A landing whose class differs.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Which it is.
    pub item: LandingItem,
    /// Its class by the judge.
    pub truth: LandingClass,
    /// Its class by the candidate.
    pub answer: LandingClass,
    /// The first step in which the two trajectories are decided differently, or in which only one of them is beyond the
    /// limit that tells the classes apart.
    pub step: Option<u64>,
    /// How far apart they were before the decision, or beside the limit \[m\], \[m/s\].
    pub apart: (f64, f64),
    /// What was decided differently.
    pub decision: String,
    /// How narrow it was: the share of the way from the judge's state to the candidate's from which on the judge decides
    /// as the candidate did; 1 where it does so within the error of the candidate's own step.
    pub flips_at: Option<f64>,
    /// Steps of the candidate, each judged from its own state.
    pub steps: u64,
    /// The wrong ones among them.
    pub wrong_steps: u64,
    /// Largest error of a step as a share of its bound.
    pub largest_ratio: f64,
    /// The candidate's outcome beside the judge's recorder over the candidate's states.
    pub recording: Recording,
}

impl Disagreement {
    /// Two classes of a landing, of which nothing is known yet.
    fn new(item: LandingItem, [truth, answer]: [LandingClass; 2], recording: Recording) -> Self {
        Self {
            item,
            truth,
            answer,
            step: None,
            apart: (0.0, 0.0),
            decision: String::new(),
            flips_at: None,
            steps: 0,
            wrong_steps: 0,
            largest_ratio: 0.0,
            recording,
        }
    }

    /// True when every step of the candidate is right, its outcome is that of its states, and a decision is known in which
    /// the landings part and which flips on the way between their states.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        self.wrong_steps == 0 && self.recording.wrong.is_empty() && self.step.is_some() && self.flips_at.is_some()
    }

    fn part(&mut self, a: &LandingState, b: &LandingState, step: u64, decision: String) {
        let (from, to) = (&a.motion, &b.motion);
        self.step = Some(step);
        self.apart = ((from.position - to.position).length(), (from.velocity - to.velocity).length());
        self.decision = decision;
    }
}

/// What single landings of a study are examined with.
pub(super) struct Examiner<'a> {
    study: &'a LandingStudy,
    judge: &'a dyn Engine,
    candidate: &'a dyn Engine,
    steps: StepJudge<'a>,
    thresholds: Thresholds<'a>,
}

impl<'a> Examiner<'a> {
    pub fn new(study: &'a LandingStudy, judge: &'a dyn Engine, candidate: &'a dyn Engine) -> Self {
        let (steps, thresholds) = (StepJudge::new(&study.job, judge), Thresholds::new(&study.job));
        Self { study, judge, candidate, steps, thresholds }
    }

    /// The candidate's outcome of each landing beside that of its own states.
    pub fn recordings(
        &self,
        landings: &[(LandingItem, LandingInputs, LandingOutcome)],
    ) -> Result<Vec<Recording>, ValidationError> {
        let mut recordings = Vec::with_capacity(landings.len());
        for together in landings.chunks(TRACED_TOGETHER) {
            let inputs: Vec<LandingInputs> = together.iter().map(|(_, inputs, _)| *inputs).collect();
            for ((item, inputs, answer), flown) in together.iter().zip(traces(self.candidate, self.study, &inputs)?) {
                recordings.push(recording(&self.study.job, &self.thresholds, (*item, inputs), answer, &flown));
            }
        }
        Ok(recordings)
    }

    /// Judges every step of a candidate's landing, and finds where it parts from the judge's.
    pub fn explain(
        &self,
        (item, inputs): (LandingItem, &LandingInputs),
        (truth, answer): (&LandingOutcome, &LandingOutcome),
    ) -> Result<Disagreement, ValidationError> {
        let flown = trace(self.candidate, self.study, inputs)?;
        let recording = recording(&self.study.job, &self.thresholds, (item, inputs), answer, &flown);
        let mut found = Disagreement::new(item, [truth.class, answer.class], recording);
        let wheels = self.study.job.vehicle.wheels.len();
        if !inputs.is_valid() || flown.states.iter().any(|state| state.wheels.len() != wheels) {
            return Ok(found);
        }
        let by_judge = trace(self.judge, self.study, inputs)?.states;
        let verdicts = self.judge_steps(&mut found, inputs, &flown)?;
        self.find_parting(&mut found, inputs, &by_judge, &flown.states, &verdicts)?;
        Ok(found)
    }

    /// Verdicts on the candidate's steps, each from its own state.
    fn judge_steps(
        &self,
        found: &mut Disagreement,
        inputs: &LandingInputs,
        flown: &Flown,
    ) -> Result<Vec<Agreement>, ValidationError> {
        let nexts = flown.states.iter().skip(1);
        let items: Vec<(LandingInputs, LandingState)> =
            flown.states.iter().zip(nexts.clone()).map(|(state, _)| (*inputs, state.clone())).collect();
        let truths = one_each(self.steps.truths(&items)?, items.len())?;
        let mut verdicts = Vec::with_capacity(items.len());
        for ((given, right), next) in items.iter().zip(&truths).zip(nexts) {
            let judgement = self.steps.judge(given, right, next, found.item.landing)?;
            found.largest_ratio = found.largest_ratio.max(judgement.ratio.unwrap_or(0.0));
            verdicts.push(judgement.verdict);
        }
        found.steps = verdicts.len() as u64;
        found.wrong_steps = verdicts.iter().filter(|&&verdict| verdict == Agreement::Wrong).count() as u64;
        Ok(verdicts)
    }

    /// The first of: another decision in a step, and a state on another side of the limit that tells the classes apart.
    fn find_parting(
        &self,
        found: &mut Disagreement,
        inputs: &LandingInputs,
        by_judge: &[LandingState],
        flown: &[LandingState],
        verdicts: &[Agreement],
    ) -> Result<(), ValidationError> {
        let together = || by_judge.iter().zip(flown);
        let parts = |(a, b): (&LandingState, &LandingState)| Decisions::of(a).parting(&Decisions::of(b));
        let decided = together().position(|pair| parts(pair).is_some());
        let threshold = Threshold::between(found.truth, found.answer);
        let passed = threshold.and_then(|threshold| {
            let beyond = |state| self.thresholds.beyond(threshold, state);
            let index = together().position(|(a, b)| (beyond(a) > 0.0) != (beyond(b) > 0.0))?;
            Some((threshold, index))
        });
        match (passed, decided) {
            (Some((threshold, index)), decided) if decided.is_none_or(|decided| index < decided) => {
                let (a, b) = (&by_judge[index], &flown[index]);
                let (before, after) = (self.thresholds.beyond(threshold, a), self.thresholds.beyond(threshold, b));
                found.part(a, b, b.step, threshold.name().to_owned());
                // Decided alike so far, they touch with the same wheels: the limit is on the way.
                found.flips_at = Some(before / (before - after)).filter(|share| share.is_finite());
            }
            (_, Some(index)) if index > 0 => {
                let (a, b) = (&by_judge[index - 1], &flown[index - 1]);
                let decision = together().nth(index).and_then(parts).unwrap_or_default();
                found.part(a, b, b.step + 1, decision);
                found.flips_at = self.flip(inputs, a, b, &flown[index])?;
                if found.flips_at.is_none() && verdicts[index - 1] == Agreement::Ambiguous {
                    found.flips_at = Some(1.0);
                }
            }
            _ => {
                // The trajectories are on the same sides of everything: the candidate alone may be within its rounding.
                let near = |threshold| flown.iter().find(|state| self.thresholds.is_near(threshold, state));
                if let Some((threshold, state)) = threshold.and_then(|limit| near(limit).map(|state| (limit, state)))
                    && let Some(by_judge) = by_judge.get(state.step as usize)
                {
                    found.part(by_judge, state, state.step, threshold.name().to_owned());
                    found.flips_at = Some(1.0);
                }
            }
        }
        Ok(())
    }

    /// The fraction of the way from one state to another from which on the judge decides the step as the candidate did.
    fn flip(
        &self,
        inputs: &LandingInputs,
        a: &LandingState,
        b: &LandingState,
        next: &LandingState,
    ) -> Result<Option<f64>, ValidationError> {
        let wanted = Decisions::of(next);
        let ways: Vec<(LandingInputs, LandingState)> =
            (1..=GRID).map(|part| (*inputs, between(a, b, part as f64 / GRID as f64))).collect();
        let results = one_each(self.steps.truths(&ways)?, ways.len())?;
        let flip = results.iter().position(|result| Decisions::of(result) == wanted);
        Ok(flip.map(|part| (part + 1) as f64 / GRID as f64))
    }
}

/// A state on the way from one to another that has been decided alike so far.
fn between(a: &LandingState, b: &LandingState, share: f64) -> LandingState {
    let mut state = b.clone();
    let number = |a: f64, b: f64| a + share * (b - a);
    let motion = &mut state.motion;
    motion.position = a.motion.position.lerp(b.motion.position, share);
    motion.velocity = a.motion.velocity.lerp(b.motion.velocity, share);
    motion.rate = a.motion.rate.lerp(b.motion.rate, share);
    motion.orientation = a.motion.orientation.slerp(b.motion.orientation, share);
    for (wheel, (a, b)) in state.wheels.iter_mut().zip(a.wheels.iter().zip(&b.wheels)) {
        wheel.contact.pebble = a.contact.pebble.lerp(b.contact.pebble, share);
        wheel.contact.normal = a.contact.normal.lerp(b.contact.normal, share);
        wheel.friction = number(a.friction, b.friction);
        wheel.normal_force = number(a.normal_force, b.normal_force);
    }
    state.pilot.pedal = number(a.pilot.pedal, b.pilot.pedal);
    state.pilot.last_speed = number(a.pilot.last_speed, b.pilot.last_speed);
    state.pilot.thrust = number(a.pilot.thrust, b.pilot.thrust);
    state.pilot.sink_integral = number(a.pilot.sink_integral, b.pilot.sink_integral);
    let (gusts, others) = (a.gusts.numbers(), b.gusts.numbers());
    state.gusts = Gusts::of_numbers(std::array::from_fn(|index| number(gusts[index], others[index])));
    state
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::query::WheelState;
    use crate::query::rules::REST_SPEED;
    use crate::reference::Reference;
    use crate::validation::embedded_study;

    /// Where a landing that stops parts from itself after a change of its states, as one of an engine that is right in
    /// every step and comes to `answer`.
    fn parting(answer: LandingClass, change: impl FnOnce(&Thresholds<'_>, &mut Vec<LandingState>)) -> Disagreement {
        let study = embedded_study("c172").unwrap().unwrap();
        let reference = Reference::new(0).unwrap();
        let examiner = Examiner::new(&study, &reference, &reference);
        let (item, inputs) = (LandingItem { study: "c172", landing: 0 }, study.landing_inputs(0));
        let Flown { states, outcome } = trace(&reference, &study, &inputs).unwrap();
        let mut changed = states.clone();
        change(&examiner.thresholds, &mut changed);
        let recording = examiner.recordings(&[(item, inputs, outcome.clone())]).unwrap().remove(0);
        let mut found = Disagreement::new(item, [outcome.class, answer], recording);
        let verdicts = vec![Agreement::Match; changed.len()];
        examiner.find_parting(&mut found, &inputs, &states, &changed, &verdicts).unwrap();
        found
    }

    /// The first state of the rest at the end.
    fn first_at_rest(thresholds: &Thresholds<'_>, states: &[LandingState]) -> usize {
        states.iter().rposition(|state| thresholds.beyond(Threshold::Rest, state) <= 0.0).unwrap() + 1
    }

    #[test]
    fn a_rest_that_only_one_of_them_reaches_explains() {
        let mut first = 0;
        let found = parting(LandingClass::Unfinished, |thresholds, states| {
            first = first_at_rest(thresholds, states);
            let velocity = &mut states[first].motion.velocity;
            *velocity *= 1.001 * REST_SPEED / velocity.length();
        });
        assert!(found.is_explained() && found.step == Some(first as u64), "{found:?}");
        assert_eq!(found.decision, "the speed of rest");
        assert!(found.flips_at.is_some_and(|share| (0.0..=1.0).contains(&share)) && found.apart.1 > 0.0);
    }

    #[test]
    fn an_end_without_a_limit_that_decides_it_is_unexplained() {
        let found = parting(LandingClass::Unfinished, |thresholds, states| {
            states.truncate(first_at_rest(thresholds, states) - 10);
        });
        assert!(found.step.is_none() && !found.is_explained(), "{found:?}");
    }

    #[test]
    fn a_decision_that_flips_nowhere_on_the_way_is_unexplained() {
        let mut touchdown = 0;
        let found = parting(LandingClass::VeeredOff, |_, states| {
            let touches = |state: &LandingState| state.wheels.iter().any(|wheel| wheel.contact.touches());
            touchdown = states.iter().position(touches).unwrap();
            for wheel in &mut states[touchdown].wheels {
                wheel.contact.state = WheelState::Free;
            }
        });
        assert!(found.step == Some(touchdown as u64) && found.flips_at.is_none(), "{found:?}");
        assert!(!found.is_explained());
    }
}
