//! Steps and landings of the GPU engine judged by the reference, as `touchdown validate` judges them.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "support/gpu.rs"]
mod gpu;

use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::query::{
    EntryPoint, LandingInputs, LandingJob, LandingOutcome, LandingState, Observer, Ray, WheelFrame, WheelParameters,
    WheelState, WheelStep,
};
use touchdown::reference::Reference;
use touchdown::scene::Scene;
use touchdown::validation::{
    Finding, SceneClass, StepReport, Verdict, embedded_study, judge_landing, study_names, validate_landings,
    validate_steps, validate_wheels,
};

/// Steps of wheels judged per class of scenes.
const WHEEL_STEPS: u64 = 20_000;
/// Steps judged per study.
const STEPS: u64 = 10_000;
/// Landings compared per study.
const LANDINGS: u64 = 400;

#[test]
fn steps_of_wheels_are_within_the_derived_bound() {
    let (gpu, reference) = (gpu::open(), Reference::new(0).unwrap());
    for class in SceneClass::ALL {
        let report = validate_wheels(&reference, &gpu, (class, 1), WHEEL_STEPS, &mut |_| ()).unwrap();
        print(class.name(), &report);
        assert!(report.tally.passes(), "{:?}", report.tally.worst());
        assert!(report.contact_steps > WHEEL_STEPS / 10 && report.slipping_steps > WHEEL_STEPS / 20);
    }
}

fn print(name: &str, report: &StepReport) {
    let [matching, within, ambiguous, wrong] = Verdict::ALL.map(|verdict| report.tally.count(verdict));
    println!(
        "{name}: {matching} match, {within} within bound, {ambiguous} ambiguous, {wrong} wrong; {} in contact, {} slipping; \
         largest {:.3} of the bound: {}",
        report.contact_steps,
        report.slipping_steps,
        report.tally.largest_ratio(),
        report.tally.farthest().map_or("nothing", Finding::what)
    );
}

#[test]
fn single_steps_from_the_middle_of_landings_are_within_the_derived_bound() {
    let (gpu, reference) = (gpu::open(), Reference::new(0).unwrap());
    for name in study_names() {
        let study = embedded_study(name).unwrap().unwrap();
        let report = validate_steps(&reference, &gpu, (name, &study), 1, STEPS, &mut |_| ()).unwrap();
        print(name, &report);
        assert!(report.tally.passes(), "{:?}", report.tally.worst());
        assert!(
            report.tally.items() == STEPS && report.contact_steps > STEPS / 2 && report.slipping_steps > STEPS / 10
        );
    }
}

#[test]
fn landings_end_alike_or_part_at_a_narrow_decision() {
    let (gpu, reference) = (gpu::open(), Reference::new(0).unwrap());
    for name in study_names() {
        let study = embedded_study(name).unwrap().unwrap();
        let report = validate_landings(&reference, &gpu, (name, &study), LANDINGS, &mut |_| ()).unwrap();
        println!("{name}: classes {:?}, {} disagree", report.classes, report.disagreements.len());
        report.disagreements.iter().for_each(|disagreement| println!("  {disagreement:?}"));
        assert!(report.passes(), "{report:#?}");
        assert_eq!(report.landings, LANDINGS);
    }
}

/// The reference with something else in every job, or with one number of every step off by a little.
struct Faulty {
    reference: Reference,
    job: fn(&mut LandingJob),
    state: fn(&mut LandingState),
}

impl Faulty {
    fn new(job: fn(&mut LandingJob), state: fn(&mut LandingState)) -> Self {
        Self { reference: Reference::new(0).unwrap(), job, state }
    }

    fn changed(&self, job: &LandingJob) -> LandingJob {
        let mut job = job.clone();
        (self.job)(&mut job);
        job
    }
}

impl Engine for Faulty {
    fn identity(&self) -> EngineIdentity {
        self.reference.identity()
    }

    fn landing_batch(&self) -> usize {
        self.reference.landing_batch()
    }

    fn entry_points(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        self.reference.entry_points(scene, rays)
    }

    fn wheels(
        &self,
        scene: &Scene,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
    ) -> Result<Vec<Vec<WheelStep>>, EngineError> {
        self.reference.wheels(scene, parameters, runs)
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        self.reference.landings(&self.changed(job), inputs)
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        let mut states = self.reference.step_landings(&self.changed(job), items)?;
        states.iter_mut().for_each(self.state);
        Ok(states)
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        self.reference.trace_landing(&self.changed(job), inputs, observer)
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
        let faulty = Faulty::new(|_| (), fault);
        let report = validate_steps(&reference, &faulty, ("c172", &study), 1, 500, &mut |_| ()).unwrap();
        let wrong = report.tally.count(Verdict::Wrong);
        println!("{what}: {wrong} of {} wrong", report.tally.items());
        assert!(wrong > 250, "{what}");
        assert!(!report.tally.passes());
    }
    let right = Faulty::new(|_| (), |_| ());
    let report = validate_steps(&reference, &right, ("c172", &study), 1, 500, &mut |_| ()).unwrap();
    assert_eq!(report.tally.count(Verdict::Match), 500);
}

#[test]
fn landings_that_end_differently_for_wrong_steps_are_not_explained() {
    let reference = Reference::new(0).unwrap();
    let study = embedded_study("endings").unwrap().unwrap();
    let heavier = Faulty::new(|job| job.gravity *= 1.02, |_| ());
    let report = validate_landings(&reference, &heavier, ("endings", &study), 200, &mut |_| ()).unwrap();
    println!("{} disagree, {} unexplained", report.disagreements.len(), report.unexplained().count());
    assert!(!report.disagreements.is_empty() && !report.passes());
    for found in &report.disagreements {
        assert!(found.wrong_steps > 0 && !found.is_explained(), "{found:?}");
        let again = judge_landing(&reference, &heavier, &found.item).unwrap().disagreement.unwrap();
        assert_eq!((again.truth, again.answer, again.step), (found.truth, found.answer, found.step));
    }
}
