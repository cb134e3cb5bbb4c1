//! Kernels that are broken on purpose: what the comparisons are worth.

use std::time::Duration;

use glam::DVec3;

use super::*;
use crate::engine::Engine;
use crate::gpu::device::Loops;
use crate::gpu::faults::{Choice, Fault, faulty};
use crate::gpu::probe;
use crate::gpu::shader::{Stride, WALK, aerodynamics, landing_source};
use crate::gpu::wire::StateLayout;
use crate::query::{Input, LandingClass, LandingEvent, Weather};
use crate::reference::Reference;
use crate::scene::{Material, MaterialId, Runway, Scene, Shape};
use crate::validation::{Agreement, StepJudge, embedded_study};
use crate::vehicle::Vehicle;

/// A device with a kernel that can be broken.
struct Bench {
    device: Device,
    kernel: Kernel,
    choice: Choice,
    buffers: LandingBuffers,
    scene_buffers: SceneBuffers,
    job: LandingJob,
}

impl Bench {
    fn new(job: LandingJob, faults: &[Fault<'_>]) -> Self {
        let device = open();
        let source = source(&device, &job, Stride::Alone);
        Self::with_source(device, job, (&source, Stride::Alone), faults)
    }

    fn with_source(device: Device, job: LandingJob, (source, stride): (&str, Stride), faults: &[Fault<'_>]) -> Self {
        let scene_buffers = SceneBuffers::new(&device, &job.scene).unwrap();
        let (kernel, choice) = faulty(&device, source, faults);
        let kernel = kernel.in_workgroups_of(stride.workgroup());
        Self { device, kernel, choice, buffers: LandingBuffers::new(), scene_buffers, job }
    }

    /// Runs something with the kernel, with the fault of this number or none.
    fn with<R>(&mut self, fault: Option<usize>, call: impl FnOnce(LandingFlight<'_>) -> Result<R, GpuError>) -> R {
        self.choice.choose(fault);
        let Self { device, kernel, buffers, scene_buffers, job, .. } = self;
        call(LandingFlight { device, kernel, buffers, scene_buffers, curves: None, job }).unwrap()
    }
}

fn open() -> Device {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    probe::open(Some(&adapter)).unwrap()
}

fn source(device: &Device, job: &LandingJob, stride: Stride) -> String {
    landing_source(StateLayout::new(&job.vehicle), WALK, &aerodynamics(), (device.loops, stride))
}

#[derive(Default)]
struct States(Vec<LandingState>);

impl Observer for States {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.0.push(step.state.clone());
    }

    fn event(&mut self, _: f64, _: LandingEvent) {}
}

const STEP_FAULTS: [Fault<'_>; 7] = [
    ("-vehicle.gravity)", "vehicle.gravity)"),
    ("cross(arm, force)", "cross(force, arm)"),
    ("body.position + time * body.velocity", "body.position"),
    ("-vehicle.pilot.bank_gain", "vehicle.pilot.bank_gain"),
    ("- drag * velocity", "+ drag * velocity"),
    ("select(PACE_CALM, PACE_LIVELY, is_lively)", "PACE_CALM"),
    ("select(PACE_ALOFT, PACE_LIVELY, onset.happens)", "PACE_ALOFT"),
];

#[test]
fn a_broken_step_is_called_wrong() {
    let study = embedded_study("c172").unwrap().unwrap();
    let reference = Reference::new(0).unwrap();
    let inputs = study.landing_inputs(3);
    let mut states = States::default();
    reference.trace_landing(&study.job, &inputs, &mut states).unwrap();
    // Beside its roll, the start of a flight with a wing down: there nothing hides what the ailerons do.
    let mut banked = inputs;
    banked.set(Input::Bank, 0.1);
    banked.set(Input::Height, 3.0);
    let mut flight = States::default();
    reference.trace_landing(&study.job, &banked, &mut flight).unwrap();
    let rolled = states.0.iter().step_by(29).take(100).map(|state| (inputs, state.clone()));
    let flown = flight.0.into_iter().step_by(10).take(10).map(|state| (banked, state));
    // And the first that its springs do: there the gear takes fine sub-steps.
    let touches = |state: &&LandingState| state.wheels.iter().any(|wheel| wheel.contact.touches());
    let sprung = states.0.iter().filter(touches).take(40).map(|state| (inputs, state.clone()));
    let items: Vec<_> = rolled.chain(flown).chain(sprung).collect();
    let judge = StepJudge::new(&study.job, &reference);
    let truths = judge.truths(&items).unwrap();
    let mut bench = Bench::new(study.job.clone(), &STEP_FAULTS);
    let mut wrong = |fault: Option<usize>| {
        let answers = bench.with(fault, |flight| flight.steps(&items, 100));
        let verdicts = items.iter().zip(&truths).zip(&answers);
        verdicts.filter(|((item, truth), answer)| is_wrong(&judge, item, truth, answer)).count()
    };
    assert_eq!(wrong(None), 0, "the whole kernel");
    for (number, (from, to)) in STEP_FAULTS.into_iter().enumerate() {
        let wrong = wrong(Some(number));
        println!("`{to}`: {wrong} of {} steps are called wrong", items.len());
        assert!(wrong > 0, "`{to}` for `{from}` is not seen");
    }
}

const REACTION_FAULTS: [Fault<'_>; 4] = [
    ("known.x - speed / give", "known.x + speed / give"),
    ("load = sum(load, load_at(reaction.arm, rubbed(", "load = sum(pushed, load_at(reaction.arm, rubbed("),
    ("- axial_damping(parameters, -closing) * closing", "+ axial_damping(parameters, -closing) * closing"),
    ("select(PACE_ALOFT, PACE_LIVELY, gap_at_end < 0.0)", "PACE_ALOFT"),
];

#[test]
fn a_broken_step_of_ground_reactions_is_called_wrong() {
    let study = embedded_study("reactions").unwrap().unwrap();
    let reference = Reference::new(0).unwrap();
    let mut items = Vec::new();
    for landing in 0..6 {
        let inputs = study.landing_inputs(landing);
        let mut states = States::default();
        reference.trace_landing(&study.job, &inputs, &mut states).unwrap();
        let touches = |state: &LandingState| state.wheels.iter().any(|wheel| wheel.contact.touches());
        // From just before the first touch on.
        let first = states.0.iter().position(touches).unwrap().saturating_sub(2);
        let sprung = states.0[first..].iter().take(20);
        items.extend(states.0.iter().step_by(50).chain(sprung).map(|state| (inputs, state.clone())));
    }
    let judge = StepJudge::new(&study.job, &reference);
    let truths = judge.truths(&items).unwrap();
    let mut bench = Bench::new(study.job.clone(), &REACTION_FAULTS);
    let mut wrong = |fault: Option<usize>| {
        let answers = bench.with(fault, |flight| flight.steps(&items, 1000));
        let verdicts = items.iter().zip(&truths).zip(&answers);
        verdicts.filter(|((item, truth), answer)| is_wrong(&judge, item, truth, answer)).count()
    };
    assert_eq!(wrong(None), 0, "the whole kernel");
    for (number, (from, to)) in REACTION_FAULTS.into_iter().enumerate() {
        let wrong = wrong(Some(number));
        println!("`{to}`: {wrong} of {} steps are called wrong", items.len());
        assert!(wrong > 0, "`{to}` for `{from}` is not seen");
    }
}

const PAINT_FAULTS: [Fault<'_>; 4] = [
    ("frame_origin.xy + x.xy", "x.xy"),
    ("all(place >= low)", "all(place > high)"),
    ("(place - low) * density", "place - low"),
    ("tables[starts + cell + 1u]", "tables[starts + cell]"),
];

/// A Cessna on stripes of ice across its runway, a kilometre from where the scene has its origin.
#[test]
fn paint_is_looked_up_where_the_frame_of_a_landing_stands() {
    let study = embedded_study("c172").unwrap().unwrap();
    let mut job = study.job.clone();
    let wall = |normal: DVec3, offset| Shape::half_space(normal, offset);
    let stripe = |x: f64| {
        Shape::intersection([
            wall(DVec3::X, x + 6.0),
            wall(DVec3::NEG_X, -x),
            wall(DVec3::Y, 100.0),
            wall(DVec3::NEG_Y, 100.0),
        ])
    };
    let stripes = Shape::union((-100..100).map(|number| stripe(12.0 * f64::from(number))));
    let grip = job.scene.materials()[0].clone();
    let ice = Material { static_friction: 0.1, dynamic_friction: 0.05, ..Material::only_shown("ice") };
    let ground = wall(DVec3::Z, 0.0).painted(MaterialId(1), stripes);
    let level = job.scene.runway().map(|runway| Runway { slope: 0.0, ..*runway });
    job.scene = Scene::new(&ground, vec![grip, ice], Some(MaterialId(0)), level).unwrap();
    let (reference, inputs) = (Reference::new(0).unwrap(), study.landing_inputs(3));
    let mut states = States::default();
    reference.trace_landing(&job, &inputs, &mut states).unwrap();
    let touches = |state: &&LandingState| state.wheels.iter().any(|wheel| wheel.contact.touches());
    let rolled = states.0.iter().filter(touches).step_by(17).take(100);
    let items: Vec<_> = rolled.map(|state| (inputs, state.clone())).collect();
    let judge = StepJudge::new(&job, &reference);
    let truths = judge.truths(&items).unwrap();
    let mut bench = Bench::new(job.clone(), &PAINT_FAULTS);
    let mut wrong = |fault: Option<usize>| {
        let answers = bench.with(fault, |flight| flight.steps(&items, 100));
        let verdicts = items.iter().zip(&truths).zip(&answers);
        verdicts.filter(|((item, truth), answer)| is_wrong(&judge, item, truth, answer)).count()
    };
    assert_eq!(wrong(None), 0, "the whole kernel");
    for (number, (from, to)) in PAINT_FAULTS.into_iter().enumerate() {
        let wrong = wrong(Some(number));
        println!("`{to}`: {wrong} of {} steps are called wrong", items.len());
        assert!(wrong > 10, "`{to}` for `{from}` is not seen");
    }
}

fn is_wrong(
    judge: &StepJudge<'_>,
    item: &(LandingInputs, LandingState),
    truth: &LandingState,
    answer: &LandingState,
) -> bool {
    judge.judge(item, truth, answer, 1).unwrap().verdict == Agreement::Wrong
}

/// These do not show in a step from a state that the host sends.
const LANDING_FAULTS: [Fault<'_>; 5] = [
    ("frame_origin += shift", "frame_origin -= shift"),
    ("wheel_pebble(index) - shift", "wheel_pebble(index) + shift"),
    ("state_clear(index) - travel", "state_clear(index) - 0.0"),
    ("state_steps_at_rest() >= vehicle.rest_steps", "false"),
    ("after.position.x > vehicle.runway_end - frame_origin.x;", "false;"),
];

#[test]
fn a_broken_recorder_or_frame_is_seen_in_the_outcomes() {
    let study = embedded_study("endings").unwrap().unwrap();
    let inputs: Vec<LandingInputs> = (0..80).map(|landing| study.landing_inputs(landing)).collect();
    let truths = Reference::new(0).unwrap().landings(&study.job, &inputs).unwrap();
    let mut bench = Bench::new(study.job.clone(), &LANDING_FAULTS);
    let mut different = |fault: Option<usize>| {
        let outcomes = bench.with(fault, |flight| flight.landings(&inputs, 64, None));
        let key = |outcome: &LandingOutcome| (outcome.class, outcome.bounces, outcome.runway_end_speed.is_some());
        outcomes.iter().zip(&truths).filter(|(outcome, truth)| key(outcome) != key(truth)).count()
    };
    assert_eq!(different(None), 0, "the whole kernel");
    for (number, (from, to)) in LANDING_FAULTS.into_iter().enumerate() {
        let different = different(Some(number));
        println!("`{to}`: {different} of {} landings differ", inputs.len());
        assert!(different > 0, "`{to}` for `{from}` is not seen");
    }
}

/// A lander that trips on rough ground comes over two of its legs, slow enough for long to pass for one that has stopped.
#[test]
fn a_recorder_without_the_polygon_of_the_wheels_is_seen_where_a_lander_barely_tips() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/aircraft/lander.toml");
    let vehicle = Vehicle::read(&path).unwrap();
    let rough = Material { static_friction: 2.0, dynamic_friction: 1.4, ..Material::only_shown("rough") };
    let scene = Scene::new(&Shape::half_space(DVec3::Z, 0.0), vec![rough], Some(MaterialId(0)), None).unwrap();
    // It tips from 3.479 m/s on.
    let inputs: Vec<LandingInputs> = (0..8)
        .map(|number| {
            let mut inputs = LandingInputs::nominal(&vehicle);
            let speed = 3.479 + 1e-3 * (f64::from(number) - 3.5);
            let crab = std::f64::consts::FRAC_PI_4;
            let changes =
                [(Input::Airspeed, speed), (Input::SinkRate, 0.5), (Input::Height, 0.05), (Input::Crab, crab)];
            changes.into_iter().for_each(|(input, value)| inputs.set(input, value));
            inputs
        })
        .collect();
    let job = LandingJob { vehicle, scene, weather: Weather::default(), gravity: 1.62, step: 0.005, time_limit: 60.0 };
    let classes = |outcomes: &[LandingOutcome]| -> Vec<LandingClass> { outcomes.iter().map(|it| it.class).collect() };
    let truths = classes(&Reference::new(0).unwrap().landings(&job, &inputs).unwrap());
    let stopped = truths.iter().filter(|class| **class == LandingClass::Stopped).count();
    assert!(stopped > 1 && stopped < 7, "{truths:?}");
    let fault = [("is_slow && stands_on_wheels(after.position.xy)", "is_slow")];
    let mut bench = Bench::new(job, &fault);
    let mut flown = |fault| classes(&bench.with(fault, |flight| flight.landings(&inputs, 64, None)));
    assert_eq!(flown(None), truths);
    assert_ne!(flown(Some(0)), truths, "without the polygon");
}

#[test]
fn a_slice_of_which_a_loop_was_cut_short_is_flown_again_from_its_start() {
    let study = embedded_study("endings").unwrap().unwrap();
    let inputs: Vec<LandingInputs> = (0..8).map(|landing| study.landing_inputs(landing)).collect();
    // Long enough for some to land.
    let job = LandingJob { time_limit: 4.0, ..study.job.clone() };
    let mut device = open();
    device.loops = Loops::Limited;
    // What a step that was cut short leaves behind is nobody's state.
    let is_cut = "let is_cut = loops_are_cut();";
    let cut = "let is_cut = loops_are_cut() || (steps > 1u && done == 7u);
        if is_cut {
            set_state_velocity(state_velocity() + 1.0);
            set_wheel_peak_force(0u, wheel_peak_force(0u) + 1e3);
            set_state_clear(0u, state_clear(0u) + 1.0);
        }";
    let source = source(&device, &job, Stride::Alone);
    assert_eq!(source.matches(is_cut).count(), 1);
    let faults = [
        ("loops_are_cut() || (steps > 1u && done == 7u)", "loops_are_cut()"),
        ("set_wheel_peak_force(0u, wheel_peak_force(0u) + 1e3)", "begin_slice()"),
    ];
    let source = source.replace(is_cut, cut);
    let mut bench = Bench::with_source(device, job, (&source, Stride::Alone), &faults);
    let mut flown = |fault| bench.with(fault, |flight| flight.landings(&inputs, 64, Some(100)));
    let whole = flown(Some(0));
    assert_eq!(flown(None), whole);
    assert_ne!(flown(Some(1)), whole, "nothing is seen of a state that is not put back");
}

#[test]
fn stages_count_the_steps_of_every_chunk_in_whatever_slot_it_flies() {
    let study = embedded_study("c172").unwrap().unwrap();
    let inputs: Vec<LandingInputs> = (0..3 * LANES as u64).map(|landing| study.landing_inputs(landing)).collect();
    let mut bench = Bench::new(LandingJob { time_limit: 0.05, ..study.job.clone() }, &[]);
    let landings = bench.with(None, |flight| flight.landings(&inputs, LANES, None));
    // No second chunk beside another: the third gets the slot of the first. All end in the first slice of their chunk,
    // being short enough for drivers that limit loops.
    bench.buffers.slots.full_round = Duration::ZERO;
    let slice = Some(1 << 14);
    let stages = bench.with(None, |flight| flight.stages(&inputs, LANES, slice, Duration::ZERO));
    assert_eq!(stages.items, landings.iter().map(|outcome| outcome.steps).sum::<u64>());
    let bytes = size_of::<LandingWire>() + 2 * StateLayout::new(&study.job.vehicle).bytes();
    assert_eq!(stages.bytes_of_kernel, (inputs.len() * bytes) as u64);
}

#[test]
fn landings_in_step_end_as_each_by_itself() {
    // More than a workgroup, and not a whole number of them; they end at different times.
    let study = embedded_study("endings").unwrap().unwrap();
    let inputs: Vec<LandingInputs> = (0..300).map(|landing| study.landing_inputs(landing)).collect();
    let job = LandingJob { time_limit: 10.0, ..study.job.clone() };
    let alone = Bench::new(job.clone(), &[]).with(None, |flight| flight.landings(&inputs, 1000, Some(200)));
    let device = open();
    let source = source(&device, &job, Stride::Together);
    let beyond_the_end = ("&& !has_ended() && !is_undone", "&& !is_undone");
    let mut bench = Bench::with_source(device, job, (&source, Stride::Together), &[beyond_the_end]);
    let mut together = |fault| bench.with(fault, |flight| flight.landings(&inputs, 1000, Some(200)));
    assert_eq!(together(None), alone);
    assert_ne!(together(Some(0)), alone, "nothing is seen of steps beyond the end");
}
