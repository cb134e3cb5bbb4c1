//! Single steps of landings on a GPU: from the same state, in the middle of reference landings, both engines must come to
//! the same within the bound that `step_bound` derives.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "support/gpu.rs"]
mod gpu;
#[path = "support/landing_jobs.rs"]
mod landing_jobs;
#[path = "support/random.rs"]
mod random;
#[path = "support/recording.rs"]
mod recording;
#[path = "support/step_bound.rs"]
mod step_bound;
#[path = "support/tricycle.rs"]
mod tricycle;

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DQuat, DVec3};
use random::{Random, test_seed};
use recording::record;
use step_bound::{Ratios, StepBound, U, decide_alike};
use touchdown::engine::Engine;
use touchdown::query::{Input, LandingInputs, LandingJob, LandingState, WheelState};
use touchdown::reference::Reference;
use touchdown::scene::Shape;
use touchdown::study::Study;
use tricycle::piloted_tricycle;

/// Tries to find a state nearby from which the reference does as the device did.
const TRIES: usize = 100;

/// A job, and states of its landings with the inputs they belong to.
struct Sample {
    name: &'static str,
    job: LandingJob,
    items: Vec<(LandingInputs, LandingState)>,
}

impl Sample {
    /// Every `stride`-th state of landings with these inputs.
    fn new(name: &'static str, job: LandingJob, inputs: &[LandingInputs], stride: usize) -> Self {
        let mut items = Vec::new();
        for (number, inputs) in inputs.iter().enumerate() {
            let states = record(&job, inputs).1.states;
            items.extend(states.into_iter().skip(number % stride).step_by(stride).map(|state| (*inputs, state)));
        }
        Self { name, job, items }
    }
}

fn study(name: &'static str, landings: u64, stride: usize) -> Sample {
    let study = Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).unwrap();
    let inputs: Vec<LandingInputs> = (0..landings).map(|landing| study.landing_inputs(landing)).collect();
    Sample::new(name, study.job.clone(), &inputs, stride)
}

/// A tricycle that comes down hard and crooked among boulders, and breaks or strikes now and then.
fn tricycle() -> Sample {
    let mut random = Random::new(test_seed(), 77);
    let mut boulder = |_| {
        let place = DVec3::new(random.between(0.0, 120.0), random.between(-12.0, 12.0), -0.3);
        Shape::sphere(place, random.between(0.35, 0.6))
    };
    let boulders: Vec<Shape> = (0..60).map(&mut boulder).collect();
    let job = landing_jobs::job_with(piloted_tricycle(), boulders);
    let mut varied = |_| {
        let changes = [
            (Input::Airspeed, random.between(10.0, 35.0)),
            (Input::SinkRate, random.between(0.2, 5.0)),
            (Input::LateralOffset, random.between(-3.0, 3.0)),
            (Input::Crab, random.between(-0.2, 0.2)),
            (Input::Bank, random.between(-0.1, 0.1)),
            (Input::Pitch, random.between(-0.05, 0.1)),
        ];
        landing_jobs::inputs(&job.vehicle, &changes)
    };
    let inputs: Vec<LandingInputs> = (0..150).map(&mut varied).collect();
    Sample::new("tricycle among boulders", job, &inputs, 9)
}

/// A tricycle on a slope kilometres from where the scene's middle is: planes far from the origin round most.
fn far_slope() -> Sample {
    let place = DVec3::new(4000.0, -900.0, 0.0);
    let slope = Shape::half_space(DVec3::new(0.03, -0.02, 1.3), DVec3::new(0.03, -0.02, 1.3).dot(place));
    let far = |x: f64| Shape::sphere(DVec3::new(x, 2500.0, 0.0), 1.0);
    let scene = landing_jobs::scene(&Shape::union([slope, far(-9000.0), far(9000.0)]));
    let job = LandingJob { scene, ..landing_jobs::job_with(piloted_tricycle(), []) };
    let start = |airspeed: f64| {
        let changes = [
            (Input::StartDistance, place.x),
            (Input::LateralOffset, place.y),
            (Input::Airspeed, airspeed),
            (Input::Height, 0.5),
        ];
        landing_jobs::inputs(&job.vehicle, &changes)
    };
    let inputs = [10.0, 20.0, 30.0].map(start);
    Sample::new("far slope", job, &inputs, 7)
}

fn samples() -> Vec<Sample> {
    vec![
        tricycle(),
        far_slope(),
        study("c172_wet_runway.toml", 12, 7),
        study("737_crosswind.toml", 8, 9),
        study("lander_boulders.toml", 60, 5),
    ]
}

/// A state off by about what narrowing it costs.
fn nudged(state: &LandingState, random: &mut Random) -> LandingState {
    let mut nudge = |scale: f64| scale * DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)));
    let mut state = state.clone();
    state.motion.position += nudge(64.0 * U * 16.0);
    state.motion.velocity += nudge(16.0 * U * (1.0 + state.motion.velocity.length()));
    state.motion.rate += nudge(16.0 * U * (1.0 + state.motion.rate.length()));
    state.motion.orientation = (state.motion.orientation * DQuat::from_scaled_axis(nudge(32.0 * U))).normalize();
    state.pilot.last_speed += nudge(16.0 * U * (1.0 + state.pilot.last_speed)).x;
    for wheel in &mut state.wheels {
        wheel.friction *= 1.0 + nudge(16.0 * U).x;
        wheel.normal_force *= 1.0 + nudge(16.0 * U).x;
    }
    state
}

#[derive(Default)]
struct Tally {
    steps: usize,
    in_state: [usize; 4],
    ambiguous: usize,
    wrong: Vec<String>,
    worst: BTreeMap<&'static str, f64>,
}

fn worst(ratios: &Ratios) -> (&'static str, f64) {
    ratios.iter().copied().fold(("", 0.0), |worst, next| if next.1 > worst.1 { next } else { worst })
}

/// Compares the device's steps with the reference's.
fn compare(sample: &Sample, found: &[LandingState]) -> Tally {
    let reference = Reference::new(1).unwrap();
    let bound = StepBound::new(&sample.job);
    let truths = reference.step_landings(&sample.job, &sample.items).unwrap();
    let mut random = Random::new(test_seed(), 78);
    let mut tally = Tally { steps: found.len(), ..Tally::default() };
    for (((inputs, before), truth), found) in sample.items.iter().zip(&truths).zip(found) {
        for wheel in &truth.wheels {
            tally.in_state[wheel.contact.state as usize] += 1;
        }
        let alike = decide_alike(truth, found);
        let ratios = bound.ratios(inputs, before, truth, found);
        if alike && worst(&ratios).1 <= 1.0 {
            for (name, ratio) in ratios {
                let worst = tally.worst.entry(name).or_default();
                *worst = worst.max(ratio);
            }
            continue;
        }
        // At a border between decisions the reference itself goes the device's way from a state nearby.
        let nearby: Vec<(LandingInputs, LandingState)> =
            (0..TRIES).map(|_| (*inputs, nudged(before, &mut random))).collect();
        let ways = reference.step_landings(&sample.job, &nearby).unwrap();
        let explained = ways
            .iter()
            .any(|way| decide_alike(way, found) && worst(&bound.ratios(inputs, before, way, found)).1 <= 2.0);
        if explained {
            tally.ambiguous += 1;
        } else if tally.wrong.len() < 5 {
            tally.wrong.push(format!(
                "alike {alike}, {:?}\nbefore {before:?}\ntruth {truth:?}\nfound {found:?}",
                worst(&ratios)
            ));
        } else {
            tally.wrong.push(String::new());
        }
    }
    tally
}

#[test]
fn single_steps_are_within_the_derived_bound() {
    let gpu = gpu::open();
    for sample in samples() {
        let found = gpu.step_landings(&sample.job, &sample.items).unwrap();
        let tally = compare(&sample, &found);
        println!(
            "{}: {} steps, wheels by state {:?}, {} ambiguous, {} wrong; greatest difference over bound {:.3?}",
            sample.name,
            tally.steps,
            tally.in_state,
            tally.ambiguous,
            tally.wrong.len(),
            tally.worst
        );
        assert!(tally.wrong.is_empty(), "{}: {} wrong, first {}", sample.name, tally.wrong.len(), tally.wrong[0]);
        assert!(tally.ambiguous * 200 <= tally.steps, "{}: {} ambiguous", sample.name, tally.ambiguous);
        assert!(tally.in_state[WheelState::Slipping as usize] + tally.in_state[WheelState::Standing as usize] > 1000);
    }
}

/// A job and its inputs, changed in one number.
type Change = (&'static str, fn(&mut LandingJob, &mut LandingInputs));

/// Faults that the comparison must still see: a few times the bound, in the parts of a landing where they weigh most.
const CHANGES: [Change; 12] = [
    ("gravity", |job, _| job.gravity *= 1.0 + 1e-3),
    ("mass", |_, inputs| inputs.set(Input::Mass, inputs.get(Input::Mass) * (1.0 + 1e-3))),
    ("vertical spring", |job, _| job.vehicle.wheels[1].parameters.k_z *= 1.0 + 1e-3),
    ("horizontal spring", |job, _| job.vehicle.wheels[1].parameters.k_xy *= 1.0 + 1e-2),
    ("vertical damper", |job, _| job.vehicle.wheels[1].parameters.d_z *= 1.0 + 1e-2),
    ("horizontal damper", |job, _| job.vehicle.wheels[1].parameters.d_xy *= 1.0 + 1e-2),
    ("inertia", |job, _| job.vehicle.inertia.xx *= 1.0 + 5e-2),
    ("wheel base", |job, _| job.vehicle.wheels[1].position.x += 1e-3),
    ("friction", |_, inputs| inputs.set(Input::FrictionScale, inputs.get(Input::FrictionScale) * (1.0 + 1e-3))),
    ("air density", |_, inputs| inputs.set(Input::AirDensity, inputs.get(Input::AirDensity) * (1.0 + 1e-3))),
    ("crosswind", |_, inputs| inputs.set(Input::Crosswind, inputs.get(Input::Crosswind) + 0.02)),
    ("yaw by rudder", |job, _| {
        if let Some(aerodynamics) = &mut job.vehicle.aerodynamics {
            aerodynamics.yaw_rudder *= 1.0 + 1e-1;
        }
    }),
];

#[test]
fn the_comparison_sees_small_faults_of_every_part() {
    let gpu = gpu::open();
    // Half of it high in the air, where the forces of wheels do not hide those of the air.
    let mut sample = study("c172_wet_runway.toml", 6, 41);
    let high = |(inputs, _): &(LandingInputs, LandingState)| {
        let mut inputs = *inputs;
        inputs.set(Input::Height, 5.0);
        inputs
    };
    let inputs: Vec<LandingInputs> = sample.items.iter().step_by(100).map(high).collect();
    sample.items.extend(Sample::new("", sample.job.clone(), &inputs, 41).items);
    for (name, change) in CHANGES {
        let mut other = Sample { name, job: sample.job.clone(), items: sample.items.clone() };
        for (inputs, _) in &mut other.items {
            change(&mut other.job.clone(), inputs);
        }
        change(&mut other.job, &mut LandingInputs::nominal(&sample.job.vehicle));
        let found = gpu.step_landings(&other.job, &other.items).unwrap();
        let tally = compare(&sample, &found);
        println!("{name}: {} of {} steps are called wrong", tally.wrong.len(), tally.steps);
        assert!(tally.wrong.len() * 100 > tally.steps, "{name}: only {} steps are called wrong", tally.wrong.len());
    }
}
