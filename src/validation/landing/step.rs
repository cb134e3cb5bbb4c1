//! Single steps from the same state.

use glam::{DQuat, DVec3};

use super::bound::{Bounds, StepBound};
use super::perturbation::perturbed;
use super::{Parting, StepJudgement};
use crate::engine::{Engine, EngineError};
use crate::query::{ClipCase, LandingInputs, LandingJob, LandingState, WheelState, WheelStep};
use crate::scene::MaterialId;
use crate::validation::Verdict;

/// Displaced states that are tried for each share of the bound before a different decision is called wrong.
const TRIALS: u64 = 64;
/// Shares of the bound by which states are displaced, from small to large.
const SHARES: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// Judges single steps of one job.
pub struct StepJudge<'a> {
    job: &'a LandingJob,
    judge: &'a dyn Engine,
    bounds: Bounds<'a>,
}

/// What is decided in a wheel's step.
#[derive(Clone, Debug, PartialEq)]
struct WheelDecisions {
    state: WheelState,
    clip_case: ClipCase,
    over_max_force: bool,
    material: Option<MaterialId>,
    leaf: Option<u32>,
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
        let wheel = |wheel: &WheelStep| {
            let contact = &wheel.contact;
            // What lies under a wheel means something only while it touches.
            let touched = contact.touches();
            WheelDecisions {
                state: contact.state,
                clip_case: wheel.clip_case,
                over_max_force: wheel.over_max_force,
                material: contact.material.filter(|_| touched),
                leaf: contact.leaf.filter(|_| touched),
            }
        };
        Self {
            wheels: state.wheels.iter().map(wheel).collect(),
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
        let center = crate::program::walk::Walk::compile(&job.scene).center();
        Self { job, judge, bounds: Bounds::new(job, center) }
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
            // The last place of binary32 is a small share of any bound.
            let verdict = match ratio {
                ratio if ratio <= 1.0 / 64.0 => Verdict::Match,
                ratio if ratio <= 1.0 => Verdict::WithinBound,
                _ => Verdict::Wrong, // also when it is not a number
            };
            return Ok(StepJudgement::new(verdict, what, Some(ratio)));
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
        ratios.push((between(a.force, b.force) / bound.force, "force of a wheel"));
        ratios.push(((a.normal_force - b.normal_force).abs() / bound.force, "normal force of a wheel"));
        ratios.push(((a.compression - b.compression).abs() / bound.compression, "compression of a wheel"));
        if a.friction != b.friction {
            ratios.push(((a.friction - b.friction).abs() / bound.friction, "friction of a wheel"));
        }
        if a.contact.touches() {
            ratios.push((between(a.contact.pebble, b.contact.pebble) / bound.pebble, "pebble of a wheel"));
        }
    }
    // NaN is larger than all.
    ratios.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "nothing"))
}

/// Angle of the rotation between two orientations \[rad\]: twice the length of the vector part of their quotient.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let quotient = a.conjugate() * b;
    2.0 * quotient.xyz().length().min(1.0).asin()
}
