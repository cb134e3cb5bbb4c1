//! Whole landings on a GPU: results that do not depend on how a batch is cut, traces, events, and each way to end. How
//! far their quantities are from the reference's is in `landing_validation`.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::path::Path;

use crate::support::engines::GPU;
use crate::support::gpu;
use crate::support::landing_jobs::{LENGTH, WIDTH, inputs, job_with};
use crate::support::recording::{Recording, brute_sweep, record};
use crate::support::tricycle;
use crate::support::tricycle::{FEET_TOGETHER, damped_tricycle, piloted_tricycle, prism};
use glam::DVec3;
use touchdown::engine::{Engine, LandingStream, StreamsLandings};
use touchdown::query::{
    Input, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingStep, Observer,
};
use touchdown::reference::Reference;
use touchdown::scene::{Material, MaterialId, Scene, Shape};
use touchdown::study::Study;
use touchdown::validation::LandingStudy;

const STUDIES: [&str; 4] = ["c172_wet_runway.toml", "737_crosswind.toml", "lander_boulders.toml", "autoland_737.toml"];

fn study(name: &str, landings: u64) -> (LandingJob, Vec<LandingInputs>) {
    let study =
        LandingStudy::of(Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).unwrap())
            .unwrap();
    let inputs = (0..landings).map(|landing| study.landing_inputs(landing)).collect();
    (study.job, inputs)
}

#[test]
fn a_wheel_feels_those_that_touch_before_it_within_a_sub_step() {
    let mut job = job_with(damped_tricycle(), []);
    job.time_limit = 0.2;
    let drop = |pitch| [(Input::SinkRate, 1.5), (Input::Pitch, pitch), (Input::Height, 0.01)];
    let drops = FEET_TOGETHER.map(|pitch| inputs(&job.vehicle, &drop(pitch)));
    let ours = GPU.landings(&job, &drops).unwrap();
    let theirs = Reference::new(0).unwrap().landings(&job, &drops).unwrap();
    let nose = |outcome: &LandingOutcome| outcome.wheels[2].peak_force;
    for (ours, theirs) in ours.iter().zip(&theirs).map(|(ours, theirs)| (nose(ours), nose(theirs))) {
        println!("{ours} N beside {theirs} N");
        // f32 moves the moment of contact by some micrometres, of 2 mm in a sub-step.
        assert!((ours / theirs - 1.0).abs() < 1e-3);
    }
}

/// All bits of some outcomes.
fn bits(outcomes: &[LandingOutcome]) -> String {
    format!("{outcomes:?}")
}

#[test]
fn results_do_not_depend_on_chunks_and_slices() {
    let (job, inputs) = study("lander_boulders.toml", 40);
    let expected = GPU.landings(&job, &inputs).unwrap();
    for (chunk, slice) in [(1, 100), (7, 1), (7, 100), (1000, 1), (1000, 100), (1000, 1000)] {
        let outcomes = gpu::open_with(Some(chunk), Some(slice)).landings(&job, &inputs).unwrap();
        assert_eq!(bits(&outcomes), bits(&expected), "chunk {chunk}, slice {slice}");
    }
    let reversed: Vec<LandingInputs> = inputs.iter().rev().copied().collect();
    let mut outcomes = GPU.landings(&job, &reversed).unwrap();
    outcomes.reverse();
    assert_eq!(bits(&outcomes), bits(&expected), "the order of the batch");
}

/// Landings that come a few at a time, and what became of them.
struct Few {
    landings: std::vec::IntoIter<LandingInputs>,
    outcomes: Vec<LandingOutcome>,
}

impl LandingStream for Few {
    fn next(&mut self, count: usize) -> Vec<LandingInputs> {
        self.landings.by_ref().take(count.min(5)).collect()
    }

    fn take(&mut self, outcomes: Vec<LandingOutcome>) {
        self.outcomes.extend(outcomes);
    }
}

#[test]
fn landings_of_a_stream_end_as_those_of_a_batch_and_in_their_order() {
    let (job, inputs) = study("lander_boulders.toml", 100);
    let expected = GPU.landings(&job, &inputs).unwrap();
    // More chunks than are on the device at a time; one that holds all.
    for (chunk, slice) in [(2, 100), (7, 250), (1000, 300)] {
        let mut stream = Few { landings: inputs.clone().into_iter(), outcomes: Vec::new() };
        gpu::open_with(Some(chunk), Some(slice)).stream_landings(&job, &mut stream).unwrap();
        assert_eq!(bits(&stream.outcomes), bits(&expected), "chunk {chunk}, slice {slice}");
    }
}

/// Neighbours in the lanes of a processor share the rounds of loops that a driver with a limit allows; those of this
/// study at times need more than there are.
#[test]
fn results_do_not_depend_on_neighbours_whose_loops_are_long() {
    let (job, inputs) = study("lander_boulders.toml", 256);
    let [few, many] = [20, 600].map(|slice| gpu::open_with(None, Some(slice)).landings(&job, &inputs).unwrap());
    let differ = (0..inputs.len()).filter(|&at| bits(&few[at..=at]) != bits(&many[at..=at]));
    assert_eq!(differ.collect::<Vec<_>>(), [0usize; 0], "in slices of 20 and of 600 steps");
}

#[test]
fn an_engine_that_is_used_again_gives_the_same() {
    let gpu = gpu::open_with(Some(16), None);
    let (job, inputs) = study("lander_boulders.toml", 40);
    let first = gpu.landings(&job, &inputs).unwrap();
    let (other_job, other_inputs) = study("c172_wet_runway.toml", 5);
    gpu.landings(&other_job, &other_inputs).unwrap();
    assert_eq!(bits(&gpu.landings(&job, &inputs).unwrap()), bits(&first));
    assert_eq!(gpu.landings(&job, &[]).unwrap(), []);
}

#[test]
fn a_trace_comes_to_the_same_as_the_landing_bit_for_bit() {
    let gpu = &*GPU;
    for name in STUDIES {
        let (job, inputs) = study(name, 2);
        let outcomes = gpu.landings(&job, &inputs).unwrap();
        for (inputs, outcome) in inputs.iter().zip(&outcomes) {
            let mut recording = Recording::default();
            let traced = gpu.trace_landing(&job, inputs, &mut recording).unwrap();
            assert_eq!(bits(&[traced]), bits(std::slice::from_ref(outcome)), "{name}");
            assert_eq!(recording.states.len() as u64, outcome.steps);
            assert!(
                (1..).zip(&recording.states).all(|(step, state)| state.step == step),
                "{name}: every step, in order"
            );
        }
    }
}

/// What happens in a landing, with its times.
#[derive(Default)]
struct Events(Vec<(f64, LandingEvent)>);

impl Observer for Events {
    fn step(&mut self, _: &LandingStep<'_>) {}
    fn event(&mut self, time: f64, event: LandingEvent) {
        self.0.push((time, event));
    }
}

/// A tricycle with weak dampers on soft ground: it bounces, sinks in, veers off and overruns.
fn eventful() -> (LandingJob, Vec<LandingInputs>) {
    let mut vehicle = piloted_tricycle();
    vehicle.wheels.iter_mut().for_each(|wheel| wheel.parameters.d_z = -1000.0);
    let free = job_with(vehicle, []);
    let soft = Material { max_force: 6000.0, ..tricycle::material("soft", 0.5, 0.35) };
    let scene = Scene::new(&tricycle::ground(), vec![soft], Some(MaterialId(0)), free.scene.runway().copied());
    let job = LandingJob { scene: scene.unwrap(), ..free };
    let changes: [&[(Input, f64)]; 6] = [
        &[],
        &[(Input::SinkRate, 2.5), (Input::Bank, 0.08)],
        &[(Input::LateralOffset, 0.5 * WIDTH - 0.3), (Input::Crab, -0.05)],
        &[(Input::StartDistance, LENGTH - 30.0)],
        &[(Input::SinkRate, 8.0)],
        &[(Input::BrakeDelay, 3.0), (Input::SinkRate, 3.0)],
    ];
    let inputs = changes.iter().map(|changes| inputs(&job.vehicle, changes)).collect();
    (job, inputs)
}

#[test]
fn the_same_events_are_told_in_the_same_order() {
    let (gpu, reference) = (&*GPU, Reference::new(1).unwrap());
    let mut kinds = std::collections::BTreeSet::new();
    let mut jobs: Vec<(LandingJob, Vec<LandingInputs>)> = STUDIES.iter().map(|name| study(name, 2)).collect();
    jobs.push(eventful());
    for (job, inputs) in &jobs {
        for inputs in inputs {
            let (mut ours, mut theirs) = (Events::default(), Events::default());
            gpu.trace_landing(job, inputs, &mut ours).unwrap();
            reference.trace_landing(job, inputs, &mut theirs).unwrap();
            let events = |events: &Events| events.0.iter().map(|(_, event)| *event).collect::<Vec<_>>();
            assert_eq!(events(&ours), events(&theirs), "{}", job.vehicle.name);
            for ((our_time, event), (their_time, _)) in ours.0.iter().zip(&theirs.0) {
                let steps = ((our_time - their_time) / job.step).abs().round();
                assert!(steps <= 20.0, "{}: {event:?} is {steps} steps off", job.vehicle.name);
                kinds.insert(format!("{event:?}").split('(').next().unwrap().to_owned());
            }
        }
    }
    println!("events: {kinds:?}");
    assert!(kinds.len() == 11, "only {kinds:?} happened");
}

/// A wall across the runway, high above everything.
fn wall(x: f64) -> Shape {
    prism([x, x + 1.0], [-50.0, 50.0])
}

/// A job, changes of its inputs, and the class that must come out.
type Case<'a> = (&'a LandingJob, &'a [(Input, f64)], LandingClass);

#[test]
fn each_way_to_end_has_its_class() {
    let (gpu, reference) = (&*GPU, Reference::new(1).unwrap());
    let free = job_with(piloted_tricycle(), []);
    let walled = job_with(piloted_tricycle(), [wall(60.0)]);
    let short = |time_limit: f64| LandingJob { time_limit, ..free.clone() };
    let beside = (Input::LateralOffset, 0.5 * WIDTH + 2.0);
    let at_the_end = (Input::StartDistance, LENGTH - 30.0);
    let beyond = (Input::StartDistance, LENGTH + 30.0);
    let hard = (Input::SinkRate, 8.0);
    let cases: [Case<'_>; 13] = [
        (&free, &[], LandingClass::Stopped),
        (&free, &[hard], LandingClass::WheelBroken),
        (&walled, &[], LandingClass::StructureContact),
        (&walled, &[beside], LandingClass::StructureContact),
        (&free, &[beside], LandingClass::VeeredOff),
        (&free, &[beside, at_the_end], LandingClass::VeeredOff),
        (&free, &[at_the_end], LandingClass::Overran),
        (&free, &[beyond], LandingClass::Overran),
        (&short(2.0), &[], LandingClass::Unfinished),
        (&short(0.0), &[], LandingClass::Unfinished),
        (&short(2.0), &[at_the_end], LandingClass::Overran),
        (&free, &[hard, (Input::Drift, f64::NAN)], LandingClass::Invalid),
        (&free, &[(Input::BrakeLevel, 1.5)], LandingClass::Invalid),
    ];
    for (number, (job, changes, class)) in cases.into_iter().enumerate() {
        let inputs = [inputs(&job.vehicle, changes)];
        let ours = gpu.landings(job, &inputs).unwrap().remove(0);
        let theirs = reference.landings(job, &inputs).unwrap().remove(0);
        assert_eq!((ours.class, theirs.class), (class, class), "case {number}: {changes:?}");
        assert_eq!(ours.failed_part, theirs.failed_part, "case {number}");
        let slack = if matches!(class, LandingClass::Unfinished | LandingClass::Invalid) { 0 } else { 2 };
        assert!(ours.steps.abs_diff(theirs.steps) <= slack, "case {number}: {} and {} steps", ours.steps, theirs.steps);
        let mut recording = Recording::default();
        assert_eq!(gpu.trace_landing(job, &inputs[0], &mut recording).unwrap(), ours);
        assert_eq!(recording.states.len() as u64, ours.steps, "case {number}");
        assert_eq!(ours.runway_end_speed.is_some(), theirs.runway_end_speed.is_some(), "case {number}");
    }
}

#[test]
fn no_contact_of_the_structure_is_missed_or_made_up() {
    // The kernel leaves points out while a bound proves them clear; the test sweeps each of them in every step.
    // Rocks to both sides of the wheels' tracks, some of them higher than the wing tips.
    let rock = |index: u32| {
        let beside = f64::from(6 + index % 5) * if index.is_multiple_of(2) { 1.0 } else { -1.0 };
        Shape::sphere(DVec3::new(10.0 * f64::from(index), beside, -0.35), 1.65 + 0.02 * f64::from(index))
    };
    let job = job_with(piloted_tricycle(), (0..24).map(rock));
    let gpu = &*GPU;
    let mut struck = 0;
    for index in 0..16 {
        let lateral = 0.4 * (f64::from(index) - 8.0);
        let inputs =
            inputs(&job.vehicle, &[(Input::LateralOffset, lateral), (Input::Bank, 0.01 * f64::from(index % 5))]);
        let mut recording = Recording::default();
        let outcome = gpu.trace_landing(&job, &inputs, &mut recording).unwrap();
        let swept = brute_sweep(&job, &recording).map(|(step, point)| (step as u64, point as u32));
        let last = &recording.states[recording.states.len() - 1];
        assert_eq!(last.struck.map(|point| (outcome.steps, point)), swept, "landing {index}: {:?}", outcome.class);
        struck += u32::from(swept.is_some());
    }
    println!("{struck} of 16 landings strike");
    assert!((4..16).contains(&struck));
}

#[test]
fn what_no_device_holds_is_invalid_and_leaves_its_neighbours_alone() {
    let gpu = &*GPU;
    let (job, mut inputs) = study("c172_wet_runway.toml", 6);
    let whole = gpu.landings(&job, &inputs).unwrap();
    inputs[1].set(Input::Mass, 1e-30);
    inputs[2].set(Input::Airspeed, 1e30);
    inputs[3].set(Input::StartDistance, -1e300);
    inputs[4].set(Input::Height, f64::INFINITY);
    let outcomes = gpu.landings(&job, &inputs).unwrap();
    for landing in [0, 5] {
        assert_eq!(bits(&outcomes[landing..=landing]), bits(&whole[landing..=landing]));
    }
    assert!(outcomes[1..5].iter().all(|outcome| outcome.class == LandingClass::Invalid && outcome.steps == 0));
}

#[test]
fn a_vehicle_that_blows_up_is_invalid_and_no_number_is_lost() {
    // Air that drives the roll instead of damping it multiplies the rate by a few in every step.
    let (mut job, mut inputs) = study("c172_wet_runway.toml", 1);
    job.vehicle.aerodynamics.as_mut().unwrap().roll_roll_rate = 50.0;
    inputs[0].set(Input::Height, 100.0);
    inputs[0].set(Input::RollRate, 0.1);
    let ours = GPU.landings(&job, &inputs).unwrap().remove(0);
    let theirs = Reference::new(1).unwrap().landings(&job, &inputs).unwrap().remove(0);
    assert_eq!((ours.class, theirs.class), (LandingClass::Invalid, LandingClass::Invalid));
    assert!(ours.steps.abs_diff(theirs.steps) <= 2, "{} and {} steps", ours.steps, theirs.steps);
}

#[test]
fn a_scene_too_large_for_the_drivers_loops_is_an_error_or_right() {
    // Endless cylinders have no boxes: each is asked for every ray.
    let pipe = |index: u32| Shape::cylinder(DVec3::new(0.0, 500.0 + 3.0 * f64::from(index), -5.0), DVec3::X, 1.0);
    let job = job_with(piloted_tricycle(), (0..6000).map(pipe));
    let inputs = [inputs(&job.vehicle, &[])];
    match gpu::open().landings(&job, &inputs) {
        Err(error) => assert!(error.to_string().contains("landing job"), "{error}"),
        Ok(outcomes) => {
            let truth = Reference::new(1).unwrap().landings(&job, &inputs).unwrap();
            assert_eq!(outcomes[0].class, truth[0].class);
        }
    }
}

#[test]
fn a_wheel_that_touches_knows_its_leaf() {
    let (job, inputs) = study("lander_boulders.toml", 1);
    let mut recording = Recording::default();
    GPU.trace_landing(&job, &inputs[0], &mut recording).unwrap();
    let (_, theirs) = record(&job, &inputs[0]);
    let contacts = |recording: &Recording| -> Vec<Option<u32>> {
        let last = &recording.states[recording.states.len() - 1];
        last.wheels.iter().map(|wheel| wheel.contact.leaf).collect()
    };
    assert_eq!(contacts(&recording), contacts(&theirs));
    assert!(contacts(&recording).iter().any(Option::is_some));
}
