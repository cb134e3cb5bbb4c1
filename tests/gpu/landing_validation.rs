//! Steps and landings of the GPU engine judged by the reference, as `touchdown validate` judges them.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::ops::RangeInclusive;
use std::sync::Mutex;

use crate::support::altered::computes_as;
use crate::support::engines::GPU;
use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::job::{Computes, Job};
use touchdown::query::{
    LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingState, LandingStep, Observer,
    WheelState,
};
use touchdown::reference::Reference;
use touchdown::validation::{
    Agreement, LandingReport, SceneClass, StepReport, ValidationError, embedded_study, judge_landing, study_names,
    validate_landings, validate_steps, validate_wheels,
};

/// Steps of wheels judged per class of scenes.
const WHEEL_STEPS: u64 = 20_000;
/// Steps judged per study.
const STEPS: u64 = 10_000;
/// Landings compared per study.
const LANDINGS: u64 = 200;

#[test]
fn steps_of_wheels_are_within_the_derived_bound() {
    let reference = Reference::new(0).unwrap();
    let (mut contact_steps, mut slipping_steps) = (0, 0);
    for class in SceneClass::ALL {
        let report = validate_wheels(&reference, &*GPU, (class, 1), WHEEL_STEPS, &mut |_| ()).unwrap();
        print(class.name(), &report);
        assert!(report.tally.passes(), "{:?}", report.tally.worst());
        contact_steps += report.contact_steps;
        slipping_steps += report.slipping_steps;
    }
    // Some classes are solids in the air, which few wheels meet.
    let steps = WHEEL_STEPS * SceneClass::ALL.len() as u64;
    assert!(
        contact_steps > steps / 10 && slipping_steps > steps / 20,
        "{contact_steps} and {slipping_steps} of {steps}"
    );
}

fn print(name: &str, report: &StepReport) {
    let [matching, within, unjudged, ambiguous, wrong] = Agreement::ALL.map(|verdict| report.tally.count(verdict));
    println!(
        "{name}: {matching} match, {within} within bound, {unjudged} unjudged, {ambiguous} ambiguous, {wrong} wrong; {} in contact, {} slipping; \
         largest {:.3} of the bound: {}",
        report.contact_steps,
        report.slipping_steps,
        report.tally.largest_ratio(),
        report.tally.farthest().map_or("nothing", |finding| finding.what)
    );
}

#[test]
fn single_steps_from_the_middle_of_landings_are_within_the_derived_bound() {
    let reference = Reference::new(0).unwrap();
    for name in study_names() {
        let study = embedded_study(name).unwrap().unwrap();
        let report = validate_steps(&reference, &*GPU, (name, &study), 1, STEPS, &mut |_| ()).unwrap();
        print(name, &report);
        assert!(report.tally.passes(), "{:?}", report.tally.worst());
        assert!(
            report.tally.items() == STEPS && report.contact_steps > STEPS / 2 && report.slipping_steps > STEPS / 10
        );
    }
}

/// An engine of which the outcomes of whole landings are kept.
struct Kept<'a, E> {
    engine: &'a E,
    outcomes: Mutex<Vec<LandingOutcome>>,
}

impl<'a, E> Kept<'a, E> {
    fn of(engine: &'a E) -> Self {
        Self { engine, outcomes: Mutex::default() }
    }

    fn outcomes(self) -> Vec<LandingOutcome> {
        self.outcomes.into_inner().unwrap()
    }
}

impl<J: Job, E: Computes<J>> Computes<J> for Kept<'_, E> {
    fn answers(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError> {
        Computes::<J>::answers(self.engine, shared, items)
    }
}

impl<E: Engine> Engine for Kept<'_, E> {
    fn identity(&self) -> EngineIdentity {
        self.engine.identity()
    }

    fn promises_equality(&self) -> bool {
        self.engine.promises_equality()
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        self.engine.landing_batch()
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let outcomes = self.engine.landings(job, inputs)?;
        self.outcomes.lock().unwrap().extend_from_slice(&outcomes);
        Ok(outcomes)
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        self.engine.step_landings(job, items)
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        self.engine.trace_landing(job, inputs, observer)
    }

    fn trace_landings(
        &self,
        job: &LandingJob,
        landings: &mut [(LandingInputs, &mut dyn Observer)],
    ) -> Result<Vec<LandingOutcome>, EngineError> {
        self.engine.trace_landings(job, landings)
    }
}

/// Median and greatest of some numbers.
#[derive(Clone, Copy)]
struct Spread {
    median: f64,
    greatest: f64,
}

impl Spread {
    fn new(mut numbers: Vec<f64>) -> Self {
        numbers.sort_by(f64::total_cmp);
        Self { median: numbers[numbers.len() / 2], greatest: numbers[numbers.len() - 1] }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1e} and {:.1e}", self.median, self.greatest)
    }
}

/// Studies of which most landings are the same to less than a millimetre.
const SMOOTH: [&str; 4] = ["c172", "737", "lander", "autoland"];

fn assert_most_are_near(name: &str, ours: &[LandingOutcome], theirs: &[LandingOutcome]) {
    assert_eq!([ours.len(), theirs.len()], [LANDINGS as usize; 2]);
    let apart = |number: fn(&LandingOutcome) -> Option<f64>| {
        let apart = |(ours, theirs): (&LandingOutcome, &LandingOutcome)| Some((number(ours)? - number(theirs)?).abs());
        Spread::new(ours.iter().zip(theirs).filter_map(apart).collect())
    };
    let touchdown = apart(|outcome| Some(outcome.touchdown?.distance));
    let lateral = apart(|outcome| outcome.largest_lateral_deviation);
    let stop = apart(|outcome| Some(outcome.stop?.point));
    let force = apart(|outcome| Some(outcome.wheels[1].peak_force / 1e3));
    println!(
        "  median and greatest difference: touchdown {touchdown} m, lateral {lateral} m, stop {stop} m, peak force {force} kN"
    );
    // A step is off by some 1e-6 m, and most forget. Nothing that rounding leaves out of the velocity is forgotten, and it is kept:
    // without it, thousands of steps of a jet would leave a millimetre.
    assert!(touchdown.median < 1e-4 && lateral.median < 1e-4 && stop.median < 4e-4, "{name}");
}

#[test]
fn landings_end_alike_or_part_at_a_narrow_decision() {
    let reference = Reference::new(0).unwrap();
    for name in study_names() {
        let study = embedded_study(name).unwrap().unwrap();
        let (judge, candidate) = (Kept::of(&reference), Kept::of(&*GPU));
        let report = validate_landings(&judge, &candidate, (name, &study), LANDINGS, &mut |_| ()).unwrap();
        println!("{name}: classes {:?}, {} disagree", report.classes, report.disagreements.len());
        report.disagreements.iter().for_each(|disagreement| println!("  {disagreement:?}"));
        let largest = report.recordings.iter().map(|recording| recording.largest).max_by(|a, b| a.0.total_cmp(&b.0));
        println!("  {} recordings, largest {largest:?}; {:?}", report.recordings.len(), report.differences);
        assert!(report.passes(), "{report:#?}");
        assert!(report.landings == LANDINGS && report.recordings.len() >= 32);
        if SMOOTH.contains(&name) {
            // A landing passes thousands of decisions; one in a million turns out otherwise.
            assert!(report.disagreements.len() <= 1, "{name}: {} landings end otherwise", report.disagreements.len());
            assert_most_are_near(name, &candidate.outcomes(), &judge.outcomes());
        }
    }
}

/// What is done to the outcome of a landing with these inputs.
type OutcomeFault = Box<dyn Fn(&LandingInputs, &mut LandingOutcome) + Send + Sync>;

/// The reference with something off in what it answers.
struct Faulty {
    reference: Reference,
    /// In every job.
    job: fn(&mut LandingJob),
    /// In every step.
    state: fn(&mut LandingState),
    /// In what becomes of a landing.
    outcome: OutcomeFault,
    /// The most answers and the most states of a landing that it gives.
    answers: usize,
    states: usize,
}

impl Faulty {
    fn right() -> Self {
        let reference = Reference::new(0).unwrap();
        Self {
            reference,
            job: |_| (),
            state: |_| (),
            outcome: Box::new(|_, _| ()),
            answers: usize::MAX,
            states: usize::MAX,
        }
    }

    fn in_outcomes(fault: impl Fn(&LandingInputs, &mut LandingOutcome) + Send + Sync + 'static) -> Self {
        Self { outcome: Box::new(fault), ..Self::right() }
    }

    fn changed(&self, job: &LandingJob) -> LandingJob {
        let mut job = job.clone();
        (self.job)(&mut job);
        job
    }
}

/// Shows another observer so many steps.
struct First<'a>(usize, &'a mut dyn Observer);

impl Observer for First<'_> {
    fn step(&mut self, step: &LandingStep<'_>) {
        if self.0 > 0 {
            self.0 -= 1;
            self.1.step(step);
        }
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        self.1.event(time, event);
    }
}

computes_as!(Faulty.reference: Reference);

impl Engine for Faulty {
    fn identity(&self) -> EngineIdentity {
        self.reference.identity()
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        self.reference.landing_batch()
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let mut outcomes = self.reference.landings(&self.changed(job), inputs)?;
        inputs.iter().zip(&mut outcomes).for_each(|(inputs, outcome)| (self.outcome)(inputs, outcome));
        outcomes.truncate(self.answers);
        Ok(outcomes)
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        let mut states = self.reference.step_landings(&self.changed(job), items)?;
        states.iter_mut().for_each(self.state);
        states.truncate(self.answers);
        Ok(states)
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        let mut outcome =
            self.reference.trace_landing(&self.changed(job), inputs, &mut First(self.states, observer))?;
        (self.outcome)(inputs, &mut outcome);
        Ok(outcome)
    }
}

#[test]
fn faults_of_a_step_are_called_wrong() {
    let reference = Reference::new(0).unwrap();
    let study = embedded_study("c172").unwrap().unwrap();
    type Fault = (&'static str, fn(&mut LandingState));
    let faults: [Fault; 7] = [
        ("a place off by a tenth of a millimetre", |state| state.motion.position.x += 1e-4),
        ("a speed off by a millimetre per second", |state| state.motion.velocity.z += 1e-3),
        ("forces off by a hundredth", |state| state.wheels.iter_mut().for_each(|wheel| wheel.force *= 1.01)),
        ("forces that act a millimetre beside the pebble", |state| {
            state.wheels.iter_mut().for_each(|wheel| wheel.application.x += 1e-3);
        }),
        ("a wheel that is always free", |state| state.wheels[1].contact.state = WheelState::Free),
        ("a number that is none", |state| state.motion.rate.y = f64::NAN),
        ("the same with the sign that processors give it", |state| state.motion.rate.y = -f64::NAN),
    ];
    for (what, fault) in faults {
        let faulty = Faulty { state: fault, ..Faulty::right() };
        let report = validate_steps(&reference, &faulty, ("c172", &study), 1, 500, &mut |_| ()).unwrap();
        let wrong = report.tally.count(Agreement::Wrong);
        println!("{what}: {wrong} of {} wrong", report.tally.items());
        assert!(wrong > 250, "{what}");
        assert!(!report.tally.passes());
    }
    let report = validate_steps(&reference, &Faulty::right(), ("c172", &study), 1, 500, &mut |_| ()).unwrap();
    assert_eq!(report.tally.count(Agreement::Match), 500);
}

/// Landings of the Cessna by a faulty engine.
fn landings_of(faulty: &Faulty, landings: u64) -> Result<LandingReport, ValidationError> {
    let (reference, study) = (Reference::new(0).unwrap(), embedded_study("c172").unwrap().unwrap());
    validate_landings(&reference, faulty, ("c172", &study), landings, &mut |_| ())
}

#[test]
fn faults_of_a_recorder_are_called_wrong() {
    type Fault = (&'static str, fn(&mut LandingOutcome));
    let faults: [Fault; 9] = [
        ("bank", |outcome| outcome.touchdown.iter_mut().for_each(|touchdown| touchdown.bank *= -1.0)),
        ("crab", |outcome| outcome.touchdown.iter_mut().for_each(|touchdown| touchdown.crab *= -1.0)),
        ("sink rate", |outcome| outcome.touchdown.iter_mut().for_each(|touchdown| touchdown.sink_rate += 1e-3)),
        ("stop", |outcome| outcome.stop.iter_mut().for_each(|stop| stop.point += 5.0)),
        ("peak force", |outcome| outcome.wheels.iter_mut().for_each(|wheel| wheel.peak_force *= 1.02)),
        ("peak compression", |outcome| outcome.wheels[1].peak_compression += 1e-4),
        ("contact steps", |outcome| outcome.contact_steps += 1),
        ("bounces", |outcome| outcome.bounces += 1),
        ("largest lateral", |outcome| {
            outcome.largest_lateral_deviation.iter_mut().for_each(|lateral| *lateral += 1e-3);
        }),
    ];
    for (what, fault) in faults {
        let report = landings_of(&Faulty::in_outcomes(move |_, outcome| fault(outcome)), 64).unwrap();
        let named = |text: &String| text.starts_with(what);
        let seen = report.misrecorded().filter(|recording| recording.wrong.iter().any(named)).count();
        println!("{what}: wrong in {seen} of {} recordings", report.recordings.len());
        assert!(seen > 16 && !report.passes(), "{what}");
        assert!(report.misrecorded().all(|recording| recording.wrong.iter().all(named)), "{what} alone");
    }
    let right = landings_of(&Faulty::right(), 64).unwrap();
    assert!(right.passes() && right.recordings.iter().all(|recording| recording.verdict() == Agreement::Match));
}

#[test]
fn a_wrong_class_in_one_landing_of_300_is_not_explained() {
    let marked = embedded_study("c172").unwrap().unwrap().landing_inputs(137);
    let faulty = Faulty::in_outcomes(move |inputs, outcome| {
        if *inputs == marked {
            let other = outcome.class == LandingClass::Overran;
            outcome.class = if other { LandingClass::Stopped } else { LandingClass::Overran };
        }
    });
    let report = landings_of(&faulty, 300).unwrap();
    let unexplained: Vec<u64> = report.unexplained().map(|disagreement| disagreement.item.landing).collect();
    assert_eq!(unexplained, [137]);
    assert!(report.misrecorded().count() == 1 && !report.passes());
}

#[test]
fn missing_answers_and_nothing_judged_fail() {
    let study = embedded_study("c172").unwrap().unwrap();
    let reference = Reference::new(0).unwrap();
    for answers in [0, 1] {
        let short = Faulty { answers, ..Faulty::right() };
        assert!(
            matches!(landings_of(&short, 64), Err(ValidationError::Answers { asked: 64, given }) if given == answers)
        );
        for [judge, candidate] in [[&reference as &dyn Engine, &short], [&short, &reference]] {
            let steps = validate_steps(judge, candidate, ("c172", &study), 1, 500, &mut |_| ());
            assert!(matches!(steps, Err(ValidationError::Answers { .. })), "{steps:?}");
        }
    }
    let unseen = landings_of(&Faulty { states: 100, ..Faulty::right() }, 32).unwrap();
    assert!(unseen.misrecorded().count() == 32 && !unseen.passes());
    let silent = Faulty { states: 0, ..Faulty::right() };
    let steps = validate_steps(&silent, &reference, ("c172", &study), 1, 500, &mut |_| ());
    assert!(matches!(steps, Err(ValidationError::NoSteps { study: "c172", .. })), "{steps:?}");
    assert!(!landings_of(&Faulty::right(), 0).unwrap().passes());
    let nothing = validate_steps(&reference, &reference, ("c172", &study), 1, 0, &mut |_| ()).unwrap();
    assert!(!nothing.tally.passes());
}

#[test]
fn landings_that_end_differently_for_wrong_steps_are_not_explained() {
    let reference = Reference::new(0).unwrap();
    let study = embedded_study("endings").unwrap().unwrap();
    let heavier = Faulty { job: |job| job.gravity *= 1.02, ..Faulty::right() };
    let report = validate_landings(&reference, &heavier, ("endings", &study), 200, &mut |_| ()).unwrap();
    println!("{} disagree, {} unexplained", report.disagreements.len(), report.unexplained().count());
    assert!(!report.disagreements.is_empty() && !report.passes());
    for found in &report.disagreements {
        assert!(found.wrong_steps > 0 && !found.is_explained(), "{found:?}");
        let again = judge_landing(&reference, &heavier, &found.item).unwrap().disagreement.unwrap();
        assert_eq!((again.truth, again.answer, again.step), (found.truth, found.answer, found.step));
    }
}
