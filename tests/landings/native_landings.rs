//! Wheels and landings of the native engine beside those of the reference: the same bits, whatever shares a lane array
//! with what.

use std::fmt::Debug;
use std::path::Path;

use crate::support::landing_jobs::{LENGTH, WIDTH, inputs, job_with};
use crate::support::random::{Random, test_seed};
use crate::support::random_landing;
use crate::support::recording::Recording;
use crate::support::tricycle::{FEET_TOGETHER, damped_tricycle, house, piloted_tricycle, prism};
use glam::{DQuat, DVec3};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{
    ClipCase, Controls, Input, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingState,
    LandingStep, Observer, WheelFrame, WheelState, Wheels,
};
use touchdown::reference::Reference;
use touchdown::scene::Shape;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;

/// Every field of two results, to the bit: numbers are written with all the digits that tell them apart, and minus zero
/// as such.
fn assert_same(native: &impl Debug, reference: &impl Debug, what: &str) {
    let (native, reference) = (format!("{native:?}"), format!("{reference:?}"));
    assert!(native == reference, "{what}:\nnative    {native}\nreference {reference}");
}

fn assert_all_same<T: Debug>(native: &[T], reference: &[T], what: &str) {
    assert_eq!(native.len(), reference.len(), "{what}");
    for (index, (native, reference)) in native.iter().zip(reference).enumerate() {
        assert_same(native, reference, &format!("{what}, item {index}"));
    }
}

/// Of many steps: as numbers, which is much faster, and to the bit in one of `TO_THE_BIT` and where they are not equal.
fn assert_steps_same<T: Debug + PartialEq>(native: &[T], reference: &[T], what: &str) {
    const TO_THE_BIT: usize = 16;
    assert_eq!(native.len(), reference.len(), "{what}");
    for (index, (native, reference)) in native.iter().zip(reference).enumerate() {
        if index.is_multiple_of(TO_THE_BIT) || native != reference {
            assert_same(native, reference, &format!("{what}, item {index}"));
        }
    }
}

fn engines() -> (Native, Reference) {
    (Native::new(2).unwrap(), Reference::new(2).unwrap())
}

fn classes(outcomes: &[LandingOutcome]) -> [usize; LandingClass::ALL.len()] {
    LandingClass::ALL.map(|class| outcomes.iter().filter(|outcome| outcome.class == class).count())
}

#[test]
fn landings_of_the_example_studies_have_the_references_bits() {
    const LANDINGS: u64 = 60;
    let (native, reference) = engines();
    for name in ["c172_wet_runway.toml", "737_crosswind.toml", "lander_boulders.toml", "autoland_737.toml"] {
        let study =
            LandingStudy::of(Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).unwrap())
                .unwrap();
        let inputs: Vec<LandingInputs> = (0..LANDINGS).map(|landing| study.landing_inputs(landing)).collect();
        let outcomes = native.landings(&study.job, &inputs).unwrap();
        assert_all_same(&outcomes, &reference.landings(&study.job, &inputs).unwrap(), name);
        println!("{name}: {LANDINGS} landings equal; by class: {:?}", classes(&outcomes));
    }
}

#[test]
fn wheels_that_touch_within_one_sub_step_have_the_references_bits() {
    let mut job = job_with(damped_tricycle(), []);
    job.time_limit = 0.2;
    let drop = |pitch| [(Input::SinkRate, 1.5), (Input::Pitch, pitch), (Input::Bank, 1e-4), (Input::Height, 0.01)];
    let drops = FEET_TOGETHER.map(|pitch| inputs(&job.vehicle, &drop(pitch)));
    let (native, reference) = engines();
    assert_all_same(&native.landings(&job, &drops).unwrap(), &reference.landings(&job, &drops).unwrap(), "drops");
}

/// Landings of every class, invalid ones among them.
fn varied_landings(job: &LandingJob, count: usize) -> Vec<LandingInputs> {
    let mut random = Random::new(test_seed(), 40);
    let one = |random: &mut Random| {
        let mass = if random.chance(0.02) { f64::NAN } else { random.between(900.0, 1100.0) };
        let changes = [
            (Input::Mass, mass),
            (Input::Airspeed, random.between(15.0, 38.0)),
            (Input::SinkRate, random.between(0.1, 5.5)),
            (Input::LateralOffset, random.between(-14.0, 14.0)),
            // Some begin beyond the end.
            (Input::StartDistance, random.between(0.0, LENGTH + 20.0)),
            (Input::Bank, random.between(-0.1, 0.1)),
            (Input::Crab, random.between(-0.1, 0.1)),
        ];
        inputs(&job.vehicle, &changes)
    };
    (0..count).map(|_| one(&mut random)).collect()
}

fn varied_job() -> LandingJob {
    let mut vehicle = piloted_tricycle();
    vehicle.pilot.anti_skid = 0.8;
    vehicle.pilot.target_deceleration = 1.5;
    let wall = prism([560.0, 561.0], [-50.0, 50.0]);
    LandingJob { time_limit: 15.0, ..job_with(vehicle, [house().translated(DVec3::new(300.0, 15.0, 0.0)), wall]) }
}

#[test]
fn outcomes_depend_on_nothing_but_their_own_inputs() {
    const LANDINGS: usize = 200;
    let job = varied_job();
    let mut landings = varied_landings(&job, LANDINGS);
    // Among so few, chance would leave out a class now and then.
    let rare = [(Input::Mass, f64::NAN), (Input::StartDistance, LENGTH + 30.0), (Input::SinkRate, 8.0)];
    for (first, change) in rare.into_iter().enumerate() {
        let chosen = landings.iter_mut().skip(first).step_by(40);
        chosen.for_each(|landing| *landing = inputs(&job.vehicle, &[change]));
    }
    let (native, reference) = engines();
    let expected = reference.landings(&job, &landings).unwrap();
    let counts = classes(&expected);
    println!("{LANDINGS} landings by class: {counts:?}");
    assert!(counts.into_iter().all(|count| count > 0), "every class must occur");

    assert_all_same(&native.landings(&job, &landings).unwrap(), &expected, "in order");
    for size in [1, 3, 8, 13] {
        let cut: Vec<_> = landings[..100].chunks(size).flat_map(|part| native.landings(&job, part).unwrap()).collect();
        assert_all_same(&cut, &expected[..100], &format!("batches of {size}"));
    }
    let mut random = Random::new(test_seed(), 41);
    let mut order: Vec<usize> = (0..LANDINGS).collect();
    (1..LANDINGS).rev().for_each(|last| order.swap(last, random.index(last + 1)));
    let shuffled: Vec<LandingInputs> = order.iter().map(|&number| landings[number]).collect();
    let outcomes = Native::new(1).unwrap().landings(&job, &shuffled).unwrap();
    for (&number, outcome) in order.iter().zip(&outcomes) {
        assert_same(outcome, &expected[number], &format!("shuffled, item {number}"));
    }
}

#[test]
fn a_batch_without_landings_or_without_time_is_answered() {
    let (native, reference) = engines();
    let job = varied_job();
    assert!(native.landings(&job, &[]).unwrap().is_empty());
    assert!(native.step_landings(&job, &[]).unwrap().is_empty());
    assert!(native.compute::<Wheels>((&job.scene, &job.vehicle.wheels[0].parameters), &[]).unwrap().is_empty());
    let inputs = varied_landings(&job, 30);
    for time_limit in [0.0, 0.005, 0.006] {
        let job = LandingJob { time_limit, ..job.clone() };
        let expected = reference.landings(&job, &inputs).unwrap();
        assert_all_same(&native.landings(&job, &inputs).unwrap(), &expected, &format!("{time_limit} s"));
    }
    let mut bad = inputs;
    bad.iter_mut().for_each(|inputs| inputs.set(Input::Mass, 0.0));
    assert!(native.landings(&job, &bad).unwrap().iter().all(|outcome| outcome.class == LandingClass::Invalid));
}

#[test]
fn landings_of_random_vehicles_have_the_references_bits() {
    const JOBS: u64 = 60;
    let (native, reference) = engines();
    let (mut landings, mut contact_steps) = (Vec::new(), 0);
    for number in 0..JOBS {
        let mut random = Random::new(test_seed(), 100 + number);
        let job = random_landing::job(&mut random);
        let count = 1 + random.index(20);
        let inputs: Vec<_> = (0..count).map(|_| random_landing::inputs(&mut random, &job.vehicle)).collect();
        let expected = reference.landings(&job, &inputs).unwrap();
        assert_all_same(&native.landings(&job, &inputs).unwrap(), &expected, &format!("job {number}"));
        contact_steps += expected.iter().map(|outcome| outcome.contact_steps).sum::<u64>();
        landings.extend(expected);
    }
    println!("{} landings equal, {contact_steps} contact steps; by class: {:?}", landings.len(), classes(&landings));
    assert!(contact_steps > 20_000);
}

/// On their way down wheels are far above what stands there, pass close by, and touch it.
#[test]
fn wheels_that_come_upon_roofs_and_walls_have_the_references_bits() {
    const JOBS: u64 = 30;
    const LANDINGS: usize = 40;
    let (native, reference) = engines();
    let (mut touched, mut elsewhere) = (0, 0);
    for number in 0..JOBS {
        let mut random = Random::new(test_seed(), 7000 + number);
        let block = |random: &mut Random| {
            let half = DVec3::new(random.between(0.1, 8.0), random.between(0.1, 15.0), random.between(0.1, 6.0));
            let center =
                DVec3::new(random.between(20.0, 200.0), random.between(-10.0, 10.0), random.between(0.0, 12.0));
            let tilted = DQuat::from_rotation_y(random.between(-0.2, 0.2));
            Shape::cuboid(center, half, DQuat::from_rotation_z(random.between(-1.0, 1.0)) * tilted)
        };
        let blocks: Vec<Shape> = (0..1 + random.index(25)).map(|_| block(&mut random)).collect();
        let mut job = LandingJob { time_limit: 8.0, ..job_with(damped_tricycle(), blocks) };
        // Nothing else meets what is in the way.
        job.vehicle.structure.clear();
        let landing = |random: &mut Random| {
            let changes = [
                (Input::Height, random.between(0.0, 25.0)),
                (Input::Airspeed, random.between(15.0, 38.0)),
                (Input::SinkRate, random.between(-3.0, 6.0)),
                (Input::Pitch, random.between(-0.3, 0.3)),
                (Input::RollRate, random.between(-1.0, 1.0)),
                (Input::PitchRate, random.between(-1.0, 1.0)),
                (Input::YawRate, random.between(-1.0, 1.0)),
            ];
            inputs(&job.vehicle, &changes)
        };
        let landings: Vec<LandingInputs> = (0..LANDINGS).map(|_| landing(&mut random)).collect();
        let expected = reference.landings(&job, &landings).unwrap();
        assert_all_same(&native.landings(&job, &landings).unwrap(), &expected, &format!("job {number}"));
        let bare = LandingJob { scene: job_with(damped_tricycle(), []).scene, ..job };
        for (outcome, on_bare) in expected.iter().zip(reference.landings(&bare, &landings).unwrap()) {
            touched += usize::from(outcome.contact_steps > 0);
            elsewhere += usize::from(outcome.touchdown != on_bare.touchdown);
        }
    }
    println!("{touched} landings touch, {elsewhere} elsewhere than on bare ground");
    assert!(touched > 600 && elsewhere > 200);
}

#[test]
fn one_step_from_any_state_has_the_references_bits() {
    const JOBS: u64 = 200;
    let (native, reference) = engines();
    let mut cases = [0usize; ClipCase::ALL.len()];
    for number in 0..JOBS {
        let mut random = Random::new(test_seed(), 1000 + number);
        let job = random_landing::job(&mut random);
        let items: Vec<_> = (0..1 + random.index(30))
            .map(|_| (random_landing::inputs(&mut random, &job.vehicle), random_landing::state(&mut random, &job)))
            .collect();
        let expected = reference.step_landings(&job, &items).unwrap();
        assert_all_same(&native.step_landings(&job, &items).unwrap(), &expected, &format!("job {number}"));
        for step in expected.iter().flat_map(|state| &state.wheels) {
            cases[(step.clip_case as i8 - ClipCase::NotComputed as i8) as usize] += 1;
        }
    }
    println!("wheels by clip case from {:?} on: {cases:?}", ClipCase::NotComputed);
    assert!(cases.into_iter().all(|count| count > 20), "every case must occur");
}

/// Everything an observer hears, with its times.
#[derive(Debug, Default)]
struct Log {
    events: Vec<(f64, LandingEvent)>,
    steps: Vec<(f64, LandingState, Controls)>,
}

impl Observer for Log {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.steps.push((step.time, step.state.clone(), *step.controls));
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        self.events.push((time, event));
    }
}

#[test]
fn an_observer_sees_and_hears_what_the_reference_tells() {
    let (native, reference) = engines();
    let mut cases: Vec<(LandingJob, LandingInputs)> = Vec::new();
    let job = varied_job();
    cases.extend(varied_landings(&job, 24).into_iter().map(|inputs| (job.clone(), inputs)));
    cases.push((job.clone(), inputs(&job.vehicle, &[(Input::Mass, f64::NAN)])));
    let short = LandingJob { time_limit: 1.0, ..job };
    cases.push((short.clone(), LandingInputs::nominal(&short.vehicle)));
    for number in 0..20 {
        let mut random = Random::new(test_seed(), 2000 + number);
        let job = LandingJob { time_limit: 5.0, ..random_landing::job(&mut random) };
        let inputs = random_landing::inputs(&mut random, &job.vehicle);
        cases.push((job, inputs));
    }
    let mut kinds = std::collections::HashSet::new();
    for (number, (job, inputs)) in cases.iter().enumerate() {
        let (mut seen, mut expected) = (Log::default(), Log::default());
        let outcome = native.trace_landing(job, inputs, &mut seen).unwrap();
        let expected_outcome = reference.trace_landing(job, inputs, &mut expected).unwrap();
        assert_same(&outcome, &expected_outcome, &format!("outcome {number}"));
        assert_same(&seen.events, &expected.events, &format!("events {number}"));
        assert_steps_same(&seen.steps, &expected.steps, &format!("steps {number}"));
        assert_same(&native.landings(job, &[*inputs]).unwrap()[0], &outcome, "without an observer");
        kinds.extend(seen.events.iter().map(|(_, event)| std::mem::discriminant(event)));
    }
    println!("{} landings traced, {} kinds of events", cases.len(), kinds.len());
    assert!(kinds.len() >= 10, "events must differ");
}

#[test]
fn steps_of_a_trace_are_those_of_single_steps() {
    let native = Native::new(2).unwrap();
    let job = varied_job();
    let inputs = inputs(&job.vehicle, &[(Input::LateralOffset, 2.0), (Input::SinkRate, 1.0)]);
    let mut recording = Recording::default();
    native.trace_landing(&job, &inputs, &mut recording).unwrap();
    let start = std::iter::once(LandingState::at_start(&job, &inputs));
    let items: Vec<_> = start.chain(recording.states.iter().cloned()).map(|state| (inputs, state)).collect();
    let next = native.step_landings(&job, &items[..items.len() - 1]).unwrap();
    assert!(next.len() > 1000);
    assert_steps_same(&next, &recording.states, "step");
}

/// Frames of a wheel that is dragged along near the ground, tilting and turning.
fn dragged(random: &mut Random) -> Vec<WheelFrame> {
    let level = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let mut origin = DVec3::new(random.between(0.0, LENGTH), random.between(-WIDTH, WIDTH), random.between(0.6, 1.0));
    let mut orientation = (level * DQuat::from_axis_angle(random.direction(), random.between(0.0, 0.3))).normalize();
    let mut velocity = DVec3::new(random.between(-5.0, 40.0), random.between(-3.0, 3.0), 0.0);
    let height = random.between(0.35, 0.9);
    (0..random.index(300))
        .map(|_| {
            velocity.z = 4.0 * (height - origin.z) + random.between(-1.0, 1.0);
            origin += 0.005 * velocity;
            orientation = (orientation * DQuat::from_scaled_axis(random.in_cube(0.01))).normalize();
            let (brake, brake_friction) = (random.between(0.0, 3000.0), random.between(0.0, 0.4));
            WheelFrame { origin, orientation, velocity, brake, brake_friction }
        })
        .collect()
}

#[test]
fn wheels_led_through_frames_have_the_references_bits() {
    const SCENES: u64 = 40;
    let (native, reference) = engines();
    let mut states = [0usize; WheelState::ALL.len()];
    for number in 0..SCENES {
        let mut random = Random::new(test_seed(), 3000 + number);
        let (scene, parameters) = (random_landing::scene(&mut random), random_landing::parameters(&mut random));
        let runs: Vec<_> = (0..random.index(100)).map(|_| dragged(&mut random)).collect();
        let expected = reference.compute::<Wheels>((&scene, &parameters), &runs).unwrap();
        let found = native.compute::<Wheels>((&scene, &parameters), &runs).unwrap();
        assert_eq!(found.len(), expected.len());
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_steps_same(found, expected, &format!("scene {number} run {index}"));
        }
        for step in expected.iter().flatten() {
            states[step.contact.state as usize] += 1;
        }
    }
    println!("steps of wheels by state, equal: {states:?}");
    assert!(states.into_iter().all(|count| count > 500), "every state must occur");
}
