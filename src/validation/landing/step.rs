//! Single steps from the same state.

use glam::{DQuat, DVec3};

use super::bound::{Bounds, StepBound};
use super::perturbation::perturbed;
use crate::engine::{Engine, EngineError};
use crate::query::{LandingInputs, LandingJob, LandingState};
use crate::validation::Verdict;
use crate::validation::steps::{Parting, SHARES, StepJudgement, TRIALS, WheelDecisions, verdict};

/// Judges single steps of one job.
pub struct StepJudge<'a> {
    job: &'a LandingJob,
    judge: &'a dyn Engine,
    bounds: Bounds<'a>,
}

/// Everything in a state that is not a matter of degree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decisions {
    wheels: Vec<WheelDecisions>,
    struck: Option<u32>,
    touchdown_step: Option<u64>,
    begun: [bool; 3],
    pitch_is_remembered: bool,
}

impl Decisions {
    pub fn of(state: &LandingState) -> Self {
        Self {
            wheels: state.wheels.iter().map(WheelDecisions::of).collect(),
            struck: state.struck,
            touchdown_step: state.touchdown_step,
            begun: state.pilot.begun,
            pitch_is_remembered: state.pilot.pitch_at_touchdown.is_some(),
        }
    }

    /// The first thing that is decided otherwise, in words.
    pub fn parting(&self, other: &Self) -> Option<String> {
        for (index, (a, b)) in self.wheels.iter().zip(&other.wheels).enumerate() {
            if a != b {
                return Some(format!("wheel {index}: {a:?} against {b:?}"));
            }
        }
        if self.struck != other.struck {
            return Some(format!("structure: {:?} against {:?}", self.struck, other.struck));
        }
        (self != other).then(|| "what the pilot does".to_owned())
    }
}

impl<'a> StepJudge<'a> {
    /// A judge of steps; `judge` computes the truth.
    #[must_use]
    pub fn new(job: &'a LandingJob, judge: &'a dyn Engine) -> Self {
        Self { job, judge, bounds: Bounds::new(job) }
    }

    /// The judge's own step.
    ///
    /// # Errors
    /// When the judge fails.
    pub fn truths(&self, items: &[(LandingInputs, LandingState)]) -> Result<Vec<LandingState>, EngineError> {
        self.judge.step_landings(self.job, items)
    }

    /// What a candidate's answer to one step comes to.
    ///
    /// # Errors
    /// When the judge fails.
    pub fn judge(
        &self,
        item: &(LandingInputs, LandingState),
        truth: &LandingState,
        answer: &LandingState,
        seed: u64,
    ) -> Result<StepJudgement, EngineError> {
        let bound = self.bounds.step(&item.0, &item.1, truth);
        if answer.step != truth.step || answer.wheels.len() != truth.wheels.len() {
            return Ok(StepJudgement::new(Verdict::Wrong, "steps or wheels are miscounted", None));
        }
        let decisions = Decisions::of(answer);
        let Some(why) = Decisions::of(truth).parting(&decisions) else {
            let (ratio, what) = largest_ratio(&bound, truth, answer);
            return Ok(StepJudgement::new(verdict(ratio), what, Some(ratio)));
        };
        let margin = self.margin(item, &bound, answer, &decisions, seed)?;
        let parting = Some(Parting { decision: why, margin });
        Ok(match margin {
            Some(_) => StepJudgement { parting, ..StepJudgement::new(Verdict::Ambiguous, "another decision", None) },
            None => StepJudgement { parting, ..StepJudgement::new(Verdict::Wrong, "another decision", None) },
        })
    }

    /// The least share of the bound by which a displaced state makes the judge decide as the candidate did, and end where
    /// it ended; `None` when none was found.
    fn margin(
        &self,
        item: &(LandingInputs, LandingState),
        bound: &StepBound,
        answer: &LandingState,
        decisions: &Decisions,
        seed: u64,
    ) -> Result<Option<f64>, EngineError> {
        let of_displaced = bound.of_displaced();
        for share in SHARES {
            let displaced: Vec<(LandingInputs, LandingState)> =
                (0..TRIALS).map(|trial| perturbed(item, bound, share, seed, trial)).collect();
            for result in self.truths(&displaced)? {
                if Decisions::of(&result) == *decisions && largest_ratio(&of_displaced, &result, answer).0 <= 1.0 {
                    return Ok(Some(share));
                }
            }
        }
        Ok(None)
    }
}

/// The largest error as a share of its bound, and of what.
fn largest_ratio(bound: &StepBound, truth: &LandingState, answer: &LandingState) -> (f64, &'static str) {
    let between = |a: DVec3, b: DVec3| (a - b).length();
    let (a, b) = (&truth.motion, &answer.motion);
    let mut ratios = vec![
        (between(a.position, b.position) / bound.position, "position"),
        (angle(a.orientation, b.orientation) / bound.orientation, "orientation"),
        (between(a.velocity, b.velocity) / bound.velocity, "velocity"),
        (between(a.rate, b.rate) / bound.rate, "rate"),
        ((truth.pilot.pedal - answer.pilot.pedal).abs() / bound.pedal, "pedal"),
        ((truth.pilot.last_speed - answer.pilot.last_speed).abs() / bound.last_speed, "remembered speed"),
    ];
    if let (Some(a), Some(b)) = (truth.pilot.pitch_at_touchdown, answer.pilot.pitch_at_touchdown) {
        ratios.push(((a - b).abs() / bound.pitch, "remembered pitch"));
    }
    for ((a, b), bound) in truth.wheels.iter().zip(&answer.wheels).zip(&bound.wheels) {
        ratios.extend(bound.ratios(a, b));
    }
    // NaN is larger than all.
    ratios.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "nothing"))
}

/// Angle of the rotation between two orientations \[rad\]: twice the length of the vector part of their quotient.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let quotient = a.conjugate() * b;
    2.0 * quotient.xyz().length().min(1.0).asin()
}
