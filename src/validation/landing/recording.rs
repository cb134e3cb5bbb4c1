//! A candidate's outcome compared with that of the judge's recorder over the candidate's own states.
//!
//! The states of both are the same, so classes, parts and counters must be, and numbers are off by their evaluation
//! alone. Let u = 2^-24:
//!
//! * **Places** are narrowed in a frame, `u` times what a place in it may be, and once more where a start is.
//! * **Speeds** are lengths ([`LENGTH`]) or components, narrowed where a start is. What the slope of the ground adds to the
//!   sink rate is a product of narrowed numbers, 3 u of it, and rounds the sum.
//! * **Peak forces** are lengths; a compression is narrowed.
//! * **Angles** of attitude: the point whose angle is taken is made of entries of a rotation, each off by 8 u, and by
//!   12 u for the quaternion's own length (an inverse root and a product, 6 u, which counts twice): below
//!   `2 ROTATION`. Products with the track, their sum and the length of the nose's part along the ground add 16 u. All
//!   that is seen from as far as the point is, the cosine of the pitch; the angle's own evaluation adds 8 u of it.
//! * **Largest deviation**: which of two places is farther is decided with the rounding of either's distance.
//!
//! Where a state is within rounding of a limit, what the limit decides is ambiguous.
//!
//! # Conventions
//! As in [`crate::query`].

use std::f64::consts::TAU;
use std::fmt::Debug;

use super::thresholds::{LENGTH, Threshold, Thresholds};
use crate::flight::recorded_landing;
use crate::query::{LandingClass, LandingInputs, LandingJob, LandingOutcome, LandingState, Touchdown};
use crate::scene::GroundPlane;
use crate::validation::deviation::{Deviation, largest};
use crate::validation::wheel_bound::{ROTATION, U};
use crate::validation::{Agreement, LandingItem};

/// What a candidate's outcome comes to beside the judge's recorder over the same states.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Which landing it is.
    pub item: LandingItem,
    /// What differs and may not, in words.
    pub wrong: Vec<String>,
    /// What differs where a state is within rounding of the limit that decides it.
    pub ambiguous: Vec<String>,
    /// The largest error as a share of its bound, and of what.
    pub largest: (f64, &'static str),
}

impl Recording {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Agreement {
        if !self.wrong.is_empty() {
            Agreement::Wrong
        } else if !self.ambiguous.is_empty() {
            Agreement::Ambiguous
        } else if self.largest.0 > 0.0 {
            Agreement::WithinBound
        } else {
            Agreement::Match
        }
    }
}

/// A landing as a candidate flies it: the states, the start first, and the outcome that it gives with them.
pub(super) struct Flown {
    pub states: Vec<LandingState>,
    pub outcome: LandingOutcome,
}

/// Compares a candidate's outcome with that of its states.
pub(super) fn recording(
    job: &LandingJob,
    thresholds: &Thresholds<'_>,
    (item, inputs): (LandingItem, &LandingInputs),
    answer: &LandingOutcome,
    flown: &Flown,
) -> Recording {
    let states = &flown.states;
    let mut comparison = Comparison { thresholds, states, wrong: vec![], ambiguous: vec![], deviations: vec![] };
    comparison.same("outcome of the traced landing", &flown.outcome, answer, None);
    let wheels = job.vehicle.wheels.len();
    let numbered = states.iter().zip(0..).all(|(state, step)| state.step == step && state.wheels.len() == wheels);
    if !numbered || states.len() as u64 != answer.steps + 1 || answer.wheels.len() != wheels {
        comparison.wrong.push(format!("{} states of {} steps, or a wheel is missing", states.len(), answer.steps));
    } else {
        comparison.outcomes(job, &recorded_landing(job, inputs, states), answer);
    }
    let Comparison { wrong, ambiguous, deviations, .. } = comparison;
    Recording { item, wrong, ambiguous, largest: largest(&deviations) }
}

struct Comparison<'a> {
    thresholds: &'a Thresholds<'a>,
    states: &'a [LandingState],
    wrong: Vec<String>,
    ambiguous: Vec<String>,
    deviations: Vec<Deviation>,
}

impl Comparison<'_> {
    fn outcomes(&mut self, job: &LandingJob, truth: &LandingOutcome, answer: &LandingOutcome) {
        use Threshold::{Rest, RunwayEnd};
        self.same("class", truth.class, answer.class, Threshold::between(truth.class, answer.class));
        self.same("failed part", truth.failed_part, answer.failed_part, None);
        self.same("steps", truth.steps, answer.steps, Some(Rest));
        let over = truth.stop.is_some() || truth.failed_part.is_some() || truth.class == LandingClass::Invalid;
        let at_limit = truth.steps >= job.steps_of(job.time_limit);
        self.same("end", over || at_limit, true, Some(Rest));
        self.same("step", truth.step, answer.step, None);
        self.same("bounces", truth.bounces, answer.bounces, None);
        self.counters(truth, answer);
        self.same("touchdown", truth.touchdown.is_some(), answer.touchdown.is_some(), None);
        if let (Some(truth), Some(answer)) = (truth.touchdown, answer.touchdown) {
            self.touchdown(&truth, &answer, job.scene.ground_plane());
        }
        let largest = truth.largest_lateral_deviation;
        let lateral = 2.0 * (self.thresholds.lateral + 2.0 * U * largest.unwrap_or(0.0));
        self.optional("largest lateral deviation [m]", largest, answer.largest_lateral_deviation, lateral, None);
        let speed = truth.runway_end_speed;
        let length = (LENGTH + U) * speed.unwrap_or(0.0);
        self.optional("speed at the runway's end [m/s]", speed, answer.runway_end_speed, length, Some(RunwayEnd));
        let points = [truth, answer].map(|outcome| outcome.stop.map(|stop| stop.point));
        let distances = [truth, answer].map(|outcome| outcome.stop.map(|stop| stop.distance));
        let place = self.thresholds.place;
        self.optional("stop [m]", points[0], points[1], place, Some(Rest));
        self.optional("stopping distance [m]", distances[0], distances[1], 2.0 * place, Some(Rest));
        for (truth, answer) in truth.wheels.iter().zip(&answer.wheels) {
            self.number("peak force [N]", truth.peak_force, answer.peak_force, LENGTH * truth.peak_force);
            let narrowed = U * truth.peak_compression.abs();
            self.number("peak compression [m]", truth.peak_compression, answer.peak_compression, narrowed);
        }
    }

    /// Where rounding decides in which step a landing rests, the steps in between may count or not.
    fn counters(&mut self, truth: &LandingOutcome, answer: &LandingOutcome) {
        let slack = truth.steps.abs_diff(answer.steps) * answer.wheels.len() as u64;
        let counters = |outcome: &LandingOutcome| {
            let [broken, free, slipping, standing] = outcome.steps_in_state;
            [
                ("steps of broken wheels", broken),
                ("steps of free wheels", free),
                ("steps of slipping wheels", slipping),
                ("steps of standing wheels", standing),
                ("steps over the force limit", outcome.force_limit_steps),
                ("contact steps", outcome.contact_steps),
            ]
        };
        for ((what, truth), (_, answer)) in counters(truth).into_iter().zip(counters(answer)) {
            let threshold = (truth.abs_diff(answer) <= slack).then_some(Threshold::Rest);
            self.same(what, truth, answer, threshold);
        }
    }

    fn touchdown(&mut self, truth: &Touchdown, answer: &Touchdown, ground: GroundPlane) {
        let place = self.thresholds.place;
        let speed = truth.ground_speed.hypot(truth.sink_rate);
        self.number("touchdown distance [m]", truth.distance, answer.distance, place);
        self.number("touchdown of the centre [m]", truth.center_of_gravity, answer.center_of_gravity, place);
        self.number("touchdown lateral [m]", truth.lateral, answer.lateral, place);
        let rise = ground.below(truth.ground_speed).abs();
        let sum = if ground.slope == 0.0 { 0.0 } else { truth.sink_rate.abs() };
        self.number("sink rate [m/s]", truth.sink_rate, answer.sink_rate, U * (speed + 3.0 * rise + sum));
        self.number("ground speed [m/s]", truth.ground_speed, answer.ground_speed, (LENGTH + U) * speed);
        let angles = [
            ("pitch [rad]", truth.pitch, answer.pitch),
            ("bank [rad]", truth.bank, answer.bank),
            ("crab [rad]", truth.crab, answer.crab),
        ];
        for (what, truth_angle, angle) in angles {
            let off = (truth_angle - angle).abs() % TAU;
            let bound = (2.0 * ROTATION + 16.0 * U) / truth.pitch.cos().abs() + 8.0 * U * truth_angle.abs();
            self.deviation(Deviation::new(what, off.min(TAU - off), bound), truth_angle, angle);
        }
    }

    fn number(&mut self, what: &'static str, truth: f64, answer: f64, bound: f64) {
        self.deviation(Deviation::new(what, (truth - answer).abs(), bound), truth, answer);
    }

    fn deviation(&mut self, deviation: Deviation, truth: f64, answer: f64) {
        if deviation.ratio() > 1.0 {
            self.wrong.push(words(deviation.what, truth, answer));
        }
        self.deviations.push(deviation);
    }

    /// A number that a threshold may decide.
    fn optional(
        &mut self,
        what: &'static str,
        truth: Option<f64>,
        answer: Option<f64>,
        bound: f64,
        threshold: Option<Threshold>,
    ) {
        match (truth, answer) {
            (Some(truth), Some(answer)) => {
                let deviation = Deviation::new(what, (truth - answer).abs(), bound);
                if deviation.ratio() > 1.0 {
                    self.differs(words(what, truth, answer), threshold);
                } else {
                    self.deviations.push(deviation);
                }
            }
            _ => self.same(what, truth, answer, threshold),
        }
    }

    fn same<T: PartialEq + Debug>(&mut self, what: &str, truth: T, answer: T, threshold: Option<Threshold>) {
        if truth != answer {
            self.differs(words(what, truth, answer), threshold);
        }
    }

    fn differs(&mut self, words: String, threshold: Option<Threshold>) {
        let near = |threshold| self.states.iter().any(|state| self.thresholds.is_near(threshold, state));
        if threshold.is_some_and(near) { &mut self.ambiguous } else { &mut self.wrong }.push(words);
    }
}

fn words(what: &str, truth: impl Debug, answer: impl Debug) -> String {
    format!("{what}: {truth:?} by the states, {answer:?} by the engine")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::super::sample::trace;
    use super::*;
    use crate::query::rules::REST_SPEED;
    use crate::reference::Reference;
    use crate::validation::embedded_study;

    /// A landing that comes to rest, the first state of its rest moving by so many u of the limit faster than that.
    fn verdict_with_rest_at(roundings: f64) -> Agreement {
        let study = embedded_study("c172").unwrap().unwrap();
        let (item, inputs) = (LandingItem { study: "c172", landing: 0 }, study.landing_inputs(0));
        let mut flown = trace(&Reference::new(1).unwrap(), &study, &inputs).unwrap();
        let thresholds = Thresholds::new(&study.job);
        let rests = |state: &LandingState| thresholds.beyond(Threshold::Rest, state) > 0.0;
        let first = flown.states.iter().rposition(|state| !rests(state)).unwrap() + 1;
        let velocity = &mut flown.states[first].motion.velocity;
        *velocity *= REST_SPEED * (1.0 + roundings * U) / velocity.length();
        recording(&study.job, &thresholds, (item, &inputs), &flown.outcome, &flown).verdict()
    }

    #[test]
    fn a_rest_that_rounding_may_decide_is_ambiguous_and_no_other() {
        assert_eq!(verdict_with_rest_at(-100.0), Agreement::Match);
        assert_eq!(verdict_with_rest_at(5.0), Agreement::Ambiguous);
        assert_eq!(verdict_with_rest_at(20.0), Agreement::Wrong);
    }

    #[test]
    fn a_limit_tells_classes_of_rolling_apart_and_no_failures() {
        use LandingClass::{Overran, Stopped, StructureContact, Unfinished, VeeredOff};
        for (a, b, threshold) in [
            (Stopped, Unfinished, Some(Threshold::Rest)),
            (Overran, Unfinished, Some(Threshold::RunwayEnd)),
            (Overran, VeeredOff, Some(Threshold::RunwayEdge)),
            (StructureContact, VeeredOff, None),
            (Stopped, Stopped, None),
        ] {
            assert_eq!(Threshold::between(a, b), threshold, "{a:?}, {b:?}");
            assert_eq!(Threshold::between(b, a), threshold, "{b:?}, {a:?}");
        }
    }
}
