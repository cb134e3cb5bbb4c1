//! Single steps from the same state.

use glam::{DQuat, DVec3};

use super::bound::{Bounds, Consistency, StepBound};
use super::perturbation::perturbed;
use crate::engine::{Engine, EngineError};
use crate::query::{Gusts, LandingInputs, LandingJob, LandingState};
use crate::validation::Agreement;
use crate::validation::deviation::{Deviation, largest};
use crate::validation::steps::{BoundShares, Parting, SHARES, StepJudgement, TRIALS, WheelDecisions, verdict};
use crate::validation::wheel_bound::{WheelBound, WheelDeviations};
use crate::vehicle::GroundReactions;

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

    /// Beside which limits friction has reached.
    fn but_for_limits(self) -> Self {
        Self { wheels: self.wheels.into_iter().map(WheelDecisions::but_for_limits).collect(), ..self }
    }

    /// The first decision that differs, in words.
    pub fn parting(&self, other: &Self) -> Option<String> {
        for (index, (a, b)) in self.wheels.iter().zip(&other.wheels).enumerate() {
            if a != b {
                return Some(format!("wheel {index}: {a} against {b}"));
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

    /// How far an answer to a step is off, and how far it may be.
    pub(super) fn deviations(
        &self,
        (inputs, before): &(LandingInputs, LandingState),
        truth: &LandingState,
        answer: &LandingState,
    ) -> StepDeviations {
        StepDeviations::new(&self.bounds.step(inputs, before, truth), truth, answer)
    }

    /// Bounds of a step in contact beside what they bound, in the order of [`BoundShares::NAMES`]; `None` where it is not one.
    pub(super) fn shares(
        &self,
        (inputs, before): &(LandingInputs, LandingState),
        truth: &LandingState,
    ) -> Option<[f64; BoundShares::NAMES.len()]> {
        let load = truth.wheels.iter().map(|wheel| wheel.normal_force.abs()).fold(0.0, f64::max);
        if load == 0.0 {
            return None;
        }
        let bound = self.bounds.step(inputs, before, truth);
        let velocity = (truth.motion.velocity - before.motion.velocity).length();
        let rate = (truth.motion.rate - before.motion.rate).length();
        let [beside_velocity, beside_rate] =
            bound.consistency.as_ref().and_then(Consistency::of_motion).unwrap_or([f64::INFINITY; 2]);
        let of_wheels = |of: fn(&WheelBound) -> f64| bound.wheels.iter().map(of).fold(0.0, f64::max);
        Some([
            of_wheels(|wheel| wheel.normal_force) / load,
            of_wheels(|wheel| wheel.force) / load,
            bound.velocity / velocity,
            bound.rate / rate,
            beside_velocity / velocity,
            beside_rate / rate,
        ])
    }

    /// The judge's own step.
    ///
    /// # Errors
    /// When the judge fails.
    pub fn truths(&self, items: &[(LandingInputs, LandingState)]) -> Result<Vec<LandingState>, EngineError> {
        self.judge.step_landings(self.job, items)
    }

    /// What a candidate's answer to one step comes to; `seed` is that of the displacements which are tried where it is
    /// decided otherwise.
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
            return Ok(StepJudgement::new(Agreement::Wrong, "steps or wheels are miscounted", None));
        }
        let parting = self.decisions(truth).parting(&self.decisions(answer));
        let deviations = StepDeviations::new(&bound, truth, answer);
        let (ratio, what) = deviations.largest();
        if parting.is_none() && ratio <= 1.0 {
            return Ok(match deviations.unbounded() {
                Some(what) => StepJudgement::new(Agreement::Unjudged, what, Some(ratio)),
                None => StepJudgement::new(verdict(ratio), what, Some(ratio)),
            });
        }
        let (inconsistency, of) = largest(&deviations.consistency);
        if parting.is_none() && inconsistency > 1.0 {
            // What nobody decides within a step explains no acceleration that is not that of its forces.
            return Ok(StepJudgement::new(Agreement::Wrong, of, Some(inconsistency)));
        }
        let margin = self.margin(item, &bound, (truth, answer), parting.is_none(), seed)?;
        let decision = parting.unwrap_or_else(|| "within the step".to_owned());
        let verdict = if margin.is_some() { Agreement::Ambiguous } else { Agreement::Wrong };
        let parting = Some(Parting { decision, margin });
        Ok(StepJudgement { parting, ..StepJudgement::new(verdict, "another decision", None) })
    }

    /// What a state tells of decisions of the step that led to it. The friction of JSBSim's ground reactions is sought and
    /// comes up to its limit without a bend: whether it has reached it is none.
    fn decisions(&self, state: &LandingState) -> Decisions {
        match self.job.vehicle.ground_reactions {
            GroundReactions::Pebble => Decisions::of(state),
            GroundReactions::Jsbsim => Decisions::of(state).but_for_limits(),
        }
    }

    /// The least share of the bound by which a displaced state makes the judge decide as the candidate did, and end where
    /// it ended; `None` when none was found. What is decided within the step, in a sub-step of the gear, no state tells: the
    /// displaced judge must then end farther from its own truth than displacing alone would take it.
    fn margin(
        &self,
        item: &(LandingInputs, LandingState),
        bound: &StepBound,
        (truth, answer): (&LandingState, &LandingState),
        within_step: bool,
        seed: u64,
    ) -> Result<Option<f64>, EngineError> {
        let of_displaced = bound.of_displaced();
        let decisions = self.decisions(answer);
        let differ =
            |bound: &StepBound, a: &LandingState, b: &LandingState| StepDeviations::new(bound, a, b).largest().0 > 1.0;
        for share in SHARES {
            let displaced: Vec<(LandingInputs, LandingState)> =
                (0..TRIALS).map(|trial| perturbed(item, bound, share, seed, trial)).collect();
            for ((inputs, state), result) in displaced.iter().zip(self.truths(&displaced)?) {
                let decided_alike =
                    self.decisions(&result) == decisions && (!within_step || differ(&of_displaced, truth, &result));
                // By the bound of its own end: a wheel that lets go in the truth alone has no force there, nor a bound of one.
                let its_own = || self.bounds.step(inputs, state, &result).of_displaced();
                if decided_alike && !differ(&its_own(), &result, answer) {
                    return Ok(Some(share));
                }
            }
        }
        Ok(None)
    }
}

/// The errors of a step.
#[derive(Clone, Debug)]
pub(super) struct StepDeviations {
    /// Of what moves and of what the pilot remembers.
    pub body: Vec<Deviation>,
    /// Of what the results owe each other.
    pub consistency: Vec<Deviation>,
    /// Of each wheel.
    pub wheels: Vec<WheelDeviations>,
}

impl StepDeviations {
    pub fn new(bound: &StepBound, truth: &LandingState, answer: &LandingState) -> Self {
        let between = |a: DVec3, b: DVec3| (a - b).length();
        let (a, b) = (&truth.motion, &answer.motion);
        let (pilot, remembered) = (&truth.pilot, &answer.pilot);
        let mut body = vec![
            Deviation::new("position [m]", between(a.position, b.position), bound.position),
            Deviation::new("orientation [rad]", angle(a.orientation, b.orientation), bound.orientation),
            Deviation::new("velocity [m/s]", between(a.velocity, b.velocity), bound.velocity),
            Deviation::new("rate [rad/s]", between(a.rate, b.rate), bound.rate),
            Deviation::new(
                "acceleration [m/s2]",
                between(truth.acceleration.linear, answer.acceleration.linear),
                bound.acceleration,
            ),
            Deviation::new(
                "angular acceleration [rad/s2]",
                between(truth.acceleration.angular, answer.acceleration.angular),
                bound.angular_acceleration,
            ),
            Deviation::new("pedal", (pilot.pedal - remembered.pedal).abs(), bound.pedal),
            Deviation::new(
                "remembered speed [m/s]",
                (pilot.last_speed - remembered.last_speed).abs(),
                bound.last_speed,
            ),
        ];
        body.extend([
            Deviation::new("gusts [m/s]", apart(&truth.gusts, &answer.gusts), bound.gusts),
            Deviation::new("thrust [N]", (pilot.thrust - remembered.thrust).abs(), bound.thrust),
            Deviation::new(
                "integral of the sink rate [rad]",
                (pilot.sink_integral - remembered.sink_integral).abs(),
                bound.sink_integral,
            ),
        ]);
        if let (Some(a), Some(b)) = (pilot.pitch_at_touchdown, remembered.pitch_at_touchdown) {
            body.push(Deviation::new("remembered pitch [rad]", (a - b).abs(), bound.pitch));
        }
        let consistency = bound.consistency.as_ref().map_or_else(Vec::new, |owed| owed.deviations(truth, answer));
        let wheels = truth.wheels.iter().zip(&answer.wheels).zip(&bound.wheels);
        Self { body, consistency, wheels: wheels.map(|((a, b), bound)| bound.deviations(a, b)).collect() }
    }

    /// The largest as a share of its bound, and of what.
    pub fn largest(&self) -> (f64, &'static str) {
        largest(self.all())
    }

    /// A quantity about whose error nothing is known.
    fn unbounded(&self) -> Option<&'static str> {
        self.all().find(|deviation| deviation.is_unbounded()).map(|deviation| deviation.what)
    }

    fn all(&self) -> impl Iterator<Item = &Deviation> {
        self.body.iter().chain(&self.consistency).chain(self.wheels.iter().flatten())
    }
}

/// Length of the difference between gusts, with what their filters remember \[m/s\], and rotary gusts \[rad/s\].
fn apart(a: &Gusts, b: &Gusts) -> f64 {
    a.numbers().into_iter().zip(b.numbers()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Angle of the rotation between two orientations \[rad\]: twice the length of the vector part of their quotient.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let quotient = a.conjugate() * b;
    2.0 * quotient.xyz().length().min(1.0).asin()
}
