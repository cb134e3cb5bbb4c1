//! Whole landings: classes, and the distributions of what is measured.

use super::StepJudge;
use super::sample::{known_study, trace};
use super::step::Decisions;
use crate::engine::{Engine, EngineError};
use crate::query::{LandingClass, LandingInputs, LandingOutcome, LandingState};
use crate::study::Study;
use crate::study::statistics::{TwoSampleTest, homogeneity, kolmogorov_smirnov};
use crate::validation::error::one_each;
use crate::validation::tally::allowance;
use crate::validation::{LandingItem, ValidationError, Verdict};

/// Disagreements allowed, as a share of all landings.
const DISAGREEING_SHARE: f64 = 5e-3;
/// The least probability of a test's statistic that passes: one in a million studies fails by chance.
const LEAST_P_VALUE: f64 = 1e-6;
/// Quantities are compared on a grid of this width in their units, as summaries keep them.
const RESOLUTION: f64 = 1.0 / (1 << 20) as f64;
/// Places on the way between two states at which a decision is looked at.
const GRID: usize = 64;
/// Landings computed at a time.
const BATCH: u64 = 1024;

/// A landing whose class differs.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Which it is.
    pub item: LandingItem,
    /// Its class by the judge.
    pub truth: LandingClass,
    /// Its class by the candidate.
    pub answer: LandingClass,
    /// The first step in which the two trajectories are decided differently.
    pub step: Option<u64>,
    /// How far apart they were before it \[m\], \[m/s\].
    pub apart: (f64, f64),
    /// What was decided otherwise.
    pub decision: String,
    /// How narrow it was: the share of the way from the judge's state to the candidate's, in 64ths, from which on the
    /// judge decides as the candidate did.
    pub flips_at: Option<f64>,
    /// Steps of the candidate, each judged from its own state.
    pub steps: u64,
    /// The wrong ones among them.
    pub wrong_steps: u64,
    /// Largest error of a step as a share of its bound.
    pub largest_ratio: f64,
}

impl Disagreement {
    /// True when every step of the candidate is right and a decision is known in which the landings part.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        self.wrong_steps == 0 && self.step.is_some()
    }
}

/// What the whole landings of a study come to.
#[derive(Clone, Debug)]
pub struct LandingReport {
    /// Name of the study.
    pub study: &'static str,
    /// Landings flown by both.
    pub landings: u64,
    /// Landings of each class, by the judge and by the candidate, in the order of [`LandingClass::ALL`].
    pub classes: [[u64; LandingClass::ALL.len()]; 2],
    /// Landings whose class differs.
    pub disagreements: Vec<Disagreement>,
    /// The counts of classes, then each quantity, compared as two samples.
    pub tests: Vec<(String, TwoSampleTest)>,
}

impl LandingReport {
    /// Landings whose class differs and is not explained.
    pub fn unexplained(&self) -> impl Iterator<Item = &Disagreement> {
        self.disagreements.iter().filter(|disagreement| !disagreement.is_explained())
    }

    /// The test with the least probability, and of what.
    #[must_use]
    pub fn least_likely(&self) -> Option<&(String, TwoSampleTest)> {
        self.tests.iter().min_by(|(_, a), (_, b)| a.p_value.total_cmp(&b.p_value))
    }

    /// True when every disagreement is explained, few disagree (one always may), and no distribution differs.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.unexplained().next().is_none()
            && self.disagreements.len() as u64 <= allowance(DISAGREEING_SHARE, self.landings)
            && self.tests.iter().all(|(_, test)| test.p_value >= LEAST_P_VALUE)
    }
}

/// Flies the first landings of a study on both engines; `advanced` hears how many are done.
///
/// # Errors
/// When an engine fails.
pub fn validate_landings(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (name, study): (&'static str, &Study),
    landings: u64,
    advanced: &mut dyn FnMut(u64),
) -> Result<LandingReport, ValidationError> {
    let steps = StepJudge::new(&study.job, judge);
    let mut classes = [[0; LandingClass::ALL.len()]; 2];
    let mut samples: Vec<[Vec<f64>; 2]> = vec![Default::default(); study.quantities().len()];
    let mut disagreements = Vec::new();
    for first in (0..landings).step_by(BATCH as usize) {
        let range = first..landings.min(first + BATCH);
        let inputs: Vec<LandingInputs> = range.clone().map(|landing| study.landing_inputs(landing)).collect();
        let truths = judge.landings(&study.job, &inputs)?;
        let answers = one_each(candidate.landings(&study.job, &inputs)?, inputs.len())?;
        for (side, outcomes) in [&truths, &answers].into_iter().enumerate() {
            for outcome in outcomes {
                classes[side][outcome.class as usize] += 1;
                collect(study, outcome, &mut samples, side);
            }
        }
        for (((landing, inputs), truth), answer) in range.clone().zip(&inputs).zip(&truths).zip(&answers) {
            if truth.class != answer.class {
                let item = LandingItem { study: name, landing };
                disagreements.push(explain(study, &steps, judge, candidate, (item, inputs), (truth, answer))?);
            }
        }
        advanced(range.end);
    }
    let mut tests = vec![("class".to_owned(), homogeneity(&classes[0], &classes[1]))];
    tests.extend(
        study
            .quantities()
            .iter()
            .zip(&samples)
            .map(|(quantity, [a, b])| (quantity.name.clone(), kolmogorov_smirnov(a, b))),
    );
    Ok(LandingReport { study: name, landings, classes, disagreements, tests })
}

/// A landing as both engines fly it.
#[derive(Clone, Debug)]
pub struct LandingComparison {
    /// Which it is.
    pub item: LandingItem,
    /// What it comes to by the judge.
    pub truth: LandingOutcome,
    /// The same by the candidate.
    pub answer: LandingOutcome,
    /// How the classes come to differ, where they do.
    pub disagreement: Option<Disagreement>,
}

/// Flies a landing again.
///
/// # Errors
/// When an engine fails, or there is no such study.
pub fn judge_landing(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    item: &LandingItem,
) -> Result<LandingComparison, ValidationError> {
    let study = known_study(item.study)?;
    let inputs = study.landing_inputs(item.landing);
    let truth = one_each(judge.landings(&study.job, &[inputs])?, 1)?.remove(0);
    let answer = one_each(candidate.landings(&study.job, &[inputs])?, 1)?.remove(0);
    let steps = StepJudge::new(&study.job, judge);
    let explained = || explain(&study, &steps, judge, candidate, (*item, &inputs), (&truth, &answer));
    let disagreement = (truth.class != answer.class).then(explained).transpose()?;
    Ok(LandingComparison { item: *item, truth, answer, disagreement })
}

fn collect(study: &Study, outcome: &LandingOutcome, samples: &mut [[Vec<f64>; 2]], side: usize) {
    for (quantity, sample) in study.quantities().iter().zip(samples) {
        // What is meant to be the same in all landings differs in the last place: that is no other distribution.
        sample[side].extend(quantity.of(outcome).map(|value| (value / RESOLUTION).round() * RESOLUTION));
    }
}

/// Judges every step of a candidate's landing, and finds where it parts from the judge's.
fn explain(
    study: &Study,
    steps: &StepJudge<'_>,
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (item, inputs): (LandingItem, &LandingInputs),
    (truth, answer): (&LandingOutcome, &LandingOutcome),
) -> Result<Disagreement, EngineError> {
    let mut found = Disagreement {
        item,
        truth: truth.class,
        answer: answer.class,
        step: None,
        apart: (0.0, 0.0),
        decision: String::new(),
        flips_at: None,
        steps: 0,
        wrong_steps: 0,
        largest_ratio: 0.0,
    };
    if !inputs.is_valid() {
        return Ok(found);
    }
    let (flown_by_judge, flown) = (trace(judge, study, inputs)?, trace(candidate, study, inputs)?);
    let items: Vec<(LandingInputs, LandingState)> =
        flown[..flown.len() - 1].iter().map(|state| (*inputs, state.clone())).collect();
    found.steps = items.len() as u64;
    for ((given, right), next) in items.iter().zip(steps.truths(&items)?).zip(&flown[1..]) {
        let judgement = steps.judge(given, &right, next, item.landing)?;
        found.wrong_steps += u64::from(judgement.verdict == Verdict::Wrong);
        found.largest_ratio = found.largest_ratio.max(judgement.ratio.unwrap_or(0.0));
    }
    let mut together = flown_by_judge.iter().zip(&flown);
    let parts = |(a, b): (&LandingState, &LandingState)| Decisions::of(a).parting(&Decisions::of(b));
    let index = together.clone().position(|pair| parts(pair).is_some());
    // Trajectories that never decide differently may still end at different steps.
    let index = index.or_else(|| (flown.len() != flown_by_judge.len()).then(|| flown.len().min(flown_by_judge.len())));
    if let Some(index) = index.filter(|&index| index > 0) {
        let (a, b) = (&flown_by_judge[index - 1].motion, &flown[index - 1].motion);
        let decision = together.nth(index).and_then(parts);
        found.step = Some(flown[index - 1].step + 1);
        found.apart = ((a.position - b.position).length(), (a.velocity - b.velocity).length());
        found.decision = decision.unwrap_or_else(|| "the end".to_owned());
        if let Some(next) = flown.get(index) {
            let wanted = Decisions::of(next);
            let ways: Vec<(LandingInputs, LandingState)> = (1..=GRID)
                .map(|part| {
                    (*inputs, between(&flown_by_judge[index - 1], &flown[index - 1], part as f64 / GRID as f64))
                })
                .collect();
            let flip = steps.truths(&ways)?.iter().position(|result| Decisions::of(result) == wanted);
            found.flips_at = flip.map(|part| (part + 1) as f64 / GRID as f64);
        }
    }
    Ok(found)
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
    state
}
