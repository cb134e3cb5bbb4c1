//! Single steps of landings on a GPU: from the same state, in the middle of reference landings, both engines must come
//! to the same within the bound that `validation` derives. Here the scenes that `landing_validation` does not have, and
//! faults of the device's numbers that must be seen.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::path::Path;

use crate::support::engines::GPU;
use crate::support::flights::example;
use crate::support::landing_jobs;
use crate::support::random::{Random, test_seed};
use crate::support::recording::record;
use crate::support::tricycle::{piloted_tricycle, prism};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::flight::{Turbulence, noise};
use touchdown::query::{
    ClipCase, Gusts, Input, LandingInputs, LandingJob, LandingState, Weather, WheelState, WindTable,
};
use touchdown::random::NoiseKey;
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Runway, Scene, Shape};
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::validation::{Agreement, StepJudge};
use touchdown::vehicle::{Autoland, ContactFriction, GroundReactions, Vehicle};

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
    let study =
        LandingStudy::of(Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).unwrap())
            .unwrap();
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

/// A lander that slides up to a kerb and to a face of 45 degrees.
fn before_faces() -> Sample {
    let vehicle = Vehicle::read(&example("aircraft/lander.toml")).unwrap();
    let face = Shape::half_space(DVec3::new(-1.0, 0.0, 1.0), -5.0);
    let low = |shape: Shape, y: [f64; 2]| {
        Shape::intersection([shape, Shape::half_space(DVec3::Z, 0.1), prism([5.0, 40.0], y)])
    };
    let things = [low(Shape::half_space(DVec3::Z, 1.0), [-30.0, -1.0]), low(face, [-1.0, 30.0])];
    let job = LandingJob { gravity: 1.62, time_limit: 4.0, ..landing_jobs::job_with(vehicle, things) };
    let at = |speed: u32| {
        let changes = [
            (Input::Airspeed, 0.1 * f64::from(speed)),
            (Input::SinkRate, 0.0),
            (Input::Height, 0.0),
            (Input::FrictionScale, 0.05),
        ];
        landing_jobs::inputs(&job.vehicle, &changes)
    };
    let inputs: Vec<LandingInputs> = (5..35).map(at).collect();
    Sample::new("lander before faces", job, &inputs, 5)
}

/// Counts of verdicts on the device's steps, and the first that is wrong.
struct Tally {
    counts: [usize; Agreement::ALL.len()],
    /// Wheels by state after the steps.
    in_state: [usize; WheelState::ALL.len()],
    largest: f64,
    first_wrong: Option<String>,
}

impl Tally {
    fn of(&self, verdict: Agreement) -> usize {
        self.counts[verdict as usize]
    }
}

/// The reference's steps of a sample.
fn truths(sample: &Sample) -> Vec<LandingState> {
    Reference::new(0).unwrap().step_landings(&sample.job, &sample.items).unwrap()
}

/// Compares the device's steps with the reference's.
fn compare(sample: &Sample, truths: &[LandingState], found: &[LandingState]) -> Tally {
    assert_eq!([truths.len(), found.len()], [sample.items.len(); 2]);
    let reference = Reference::new(0).unwrap();
    let judge = StepJudge::new(&sample.job, &reference);
    let mut tally = Tally { counts: [0; Agreement::ALL.len()], in_state: [0; 4], largest: 0.0, first_wrong: None };
    for ((item, truth), found) in sample.items.iter().zip(truths).zip(found) {
        let judgement = judge.judge(item, truth, found, test_seed()).unwrap();
        tally.counts[judgement.verdict as usize] += 1;
        truth.wheels.iter().for_each(|wheel| tally.in_state[wheel.contact.state as usize] += 1);
        tally.largest = tally.largest.max(judgement.ratio.unwrap_or(0.0));
        if judgement.verdict == Agreement::Wrong && tally.first_wrong.is_none() {
            tally.first_wrong = Some(format!("{judgement:?}\nbefore {item:?}\ntruth {truth:?}\nfound {found:?}"));
        }
    }
    tally
}

#[test]
fn single_steps_among_boulders_and_far_from_the_origin_are_within_the_derived_bound() {
    for sample in [tricycle(), far_slope(), before_faces()] {
        let found = GPU.step_landings(&sample.job, &sample.items).unwrap();
        let tally = compare(&sample, &truths(&sample), &found);
        println!(
            "{}: {} steps, wheels by state {:?}, {} ambiguous, {} wrong; largest difference over bound {:.3}",
            sample.name,
            found.len(),
            tally.in_state,
            tally.of(Agreement::Ambiguous),
            tally.of(Agreement::Wrong),
            tally.largest
        );
        assert!(tally.first_wrong.is_none(), "{}: {}", sample.name, tally.first_wrong.unwrap());
        assert!(tally.of(Agreement::Ambiguous) * 200 <= found.len());
        assert!(tally.in_state[WheelState::Slipping as usize] > found.len());
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
    ("inertia", |job, _| job.vehicle.inertia.xx *= 1.0 + 2e-1),
    ("wheel base", |job, _| job.vehicle.wheels[1].position.x += 1e-3),
    ("friction", |_, inputs| inputs.set(Input::FrictionScale, inputs.get(Input::FrictionScale) * (1.0 + 1e-3))),
    ("air density", |_, inputs| inputs.set(Input::AirDensity, inputs.get(Input::AirDensity) * (1.0 + 1e-3))),
    ("crosswind", |_, inputs| inputs.set(Input::Crosswind, inputs.get(Input::Crosswind) + 0.1)),
    ("yaw by rudder", |job, _| {
        if let Some(aerodynamics) = &mut job.vehicle.aerodynamics {
            aerodynamics.yaw_rudder *= 1.0 + 5e-1;
        }
    }),
];

#[test]
fn the_comparison_sees_small_faults_of_every_part() {
    // Half of it high in the air, where the forces of wheels do not hide those of the air.
    let mut sample = study("c172_wet_runway.toml", 6, 41);
    let high = |(inputs, _): &(LandingInputs, LandingState)| {
        let mut inputs = *inputs;
        inputs.set(Input::Height, 5.0);
        inputs
    };
    let inputs: Vec<LandingInputs> = sample.items.iter().step_by(100).map(high).collect();
    sample.items.extend(Sample::new("", sample.job.clone(), &inputs, 41).items);
    sees_all(&sample, &CHANGES);
}

/// This job by JSBSim's ground reactions.
pub fn by_ground_reactions(mut job: LandingJob) -> LandingJob {
    job.vehicle.ground_reactions = GroundReactions::Jsbsim;
    for wheel in &mut job.vehicle.wheels {
        wheel.friction = Some(ContactFriction { at_rest: 0.7, moving: 0.5 });
    }
    job
}

/// Steps of the example on a wet runway, and of a tricycle that comes down crooked on a pad, a wheel that swivels and one
/// that is steered, among boulders: by JSBSim's ground reactions.
fn reacting() -> [Sample; 2] {
    let example = study("c172_wet_runway.toml", 6, 41);
    let mut inputs: Vec<LandingInputs> = example.items.iter().map(|(inputs, _)| *inputs).collect();
    inputs.dedup();
    let plain = Sample::new("by ground reactions", by_ground_reactions(example.job), &inputs, 7);

    let among_boulders = tricycle();
    let mut job = by_ground_reactions(among_boulders.job);
    job.vehicle.wheels[0].brake = f64::INFINITY;
    job.vehicle.wheels[1].parameters.caster = true;
    let mut inputs: Vec<LandingInputs> = among_boulders.items.iter().map(|(inputs, _)| *inputs).collect();
    inputs.dedup();
    [plain, Sample::new("by ground reactions among boulders", job, &inputs, 9)]
}

/// Faults of ground reactions that the comparison must still see.
const REACTION_CHANGES: [Change; 9] = [
    ("spring", |job, _| job.vehicle.wheels[1].parameters.k_z *= 1.0 + 1e-2),
    ("damper", |job, _| job.vehicle.wheels[1].parameters.d_z *= 1.5),
    ("travel", |job, _| job.vehicle.wheels[1].parameters.z_max += 1e-3),
    ("wheel base", |job, _| job.vehicle.wheels[1].position.x += 1e-2),
    ("inertia", |job, _| job.vehicle.inertia.yy *= 1.0 + 1e-1),
    ("ground", |_, inputs| inputs.set(Input::FrictionScale, inputs.get(Input::FrictionScale) * (1.0 + 1e-2))),
    ("friction of a wheel", |job, _| own(job).at_rest *= 1.0 + 1e-2),
    ("rolling resistance", |job, _| job.vehicle.wheels[1].parameters.rolling_resistance += 5e-2),
    ("brake", |job, _| {
        job.vehicle.wheels[1].brake *= 0.5;
        job.vehicle.wheels[1].brake_friction *= 0.5;
    }),
];

fn own(job: &mut LandingJob) -> &mut ContactFriction {
    job.vehicle.wheels[1].friction.as_mut().unwrap()
}

#[test]
fn steps_by_ground_reactions_are_within_the_bound_and_faults_of_every_part_are_seen() {
    let [plain, among_boulders] = reacting();
    let found = GPU.step_landings(&among_boulders.job, &among_boulders.items).unwrap();
    let truths = truths(&among_boulders);
    let tally = compare(&among_boulders, &truths, &found);
    println!(
        "{}: {} steps, wheels by state {:?}, {} ambiguous; largest difference over bound {:.3}",
        among_boulders.name,
        found.len(),
        tally.in_state,
        tally.of(Agreement::Ambiguous),
        tally.largest
    );
    assert!(tally.first_wrong.is_none(), "{}", tally.first_wrong.unwrap());
    assert!(tally.of(Agreement::Ambiguous) * 200 <= found.len());
    assert!(tally.in_state[WheelState::Slipping as usize] > found.len() / 2);
    // Friction that is at its limit, but for what rounding takes it away from there.
    let cases = |states: &[LandingState]| -> Vec<ClipCase> {
        states.iter().flat_map(|state| state.wheels.iter().map(|wheel| wheel.clip_case)).collect()
    };
    let (there, here) = (cases(&truths), cases(&found));
    let others = there.iter().zip(&here).filter(|(there, here)| there != here).count();
    println!("{others} of {} wheels at other limits", here.len());
    assert!(others * 50 < here.len());
    sees_all(&plain, &REACTION_CHANGES);
}

/// Steps of the example with autoland, most of them before touchdown.
fn autoland() -> Sample {
    let mut sample = study("autoland_737.toml", 12, 9);
    sample.items.retain(|(_, state)| state.step < 1500);
    sample
}

/// Faults of the autoland and of its air that the comparison must still see.
const AUTOLAND_CHANGES: [Change; 16] = [
    ("turbulence", |_, inputs| inputs.set(Input::Turbulence, inputs.get(Input::Turbulence) * (1.0 + 1e-2))),
    ("seed of the noise", |_, inputs| inputs.noise.seed ^= 1 << 40),
    ("item of the noise", |_, inputs| inputs.noise.item ^= 1 << 40),
    ("scale length", |_, inputs| inputs.set(Input::TurbulenceLengthVertical, 9.3)),
    ("shear", |_, inputs| inputs.set(Input::HeadwindShear, inputs.get(Input::HeadwindShear) + 5e-3)),
    ("glide slope", |_, inputs| inputs.set(Input::GlideSlope, inputs.get(Input::GlideSlope) + 1e-3)),
    ("target airspeed", |_, inputs| inputs.set(Input::TargetAirspeed, inputs.get(Input::TargetAirspeed) + 0.01)),
    ("flare time", |job, _| law(job).flare_time *= 1.0 + 1e-2),
    ("sink gain", |job, _| law(job).sink_gain *= 2.0),
    ("integral", |job, _| law(job).sink_integral_gain *= 1.0 + 1e-2),
    ("pitch gain", |job, _| law(job).pitch_gain *= 1.5),
    ("speed gain", |job, _| law(job).speed_gain *= 1.0 + 1e-3),
    ("retard", |job, _| law(job).retard_height *= 1.0 + 1e-3),
    ("engine lag", |job, _| law(job).engine_lag *= 1.0 + 1e-3),
    ("bank", |job, _| law(job).bank_per_offset *= 2.0),
    ("decrab", |job, _| law(job).decrab_height *= 1.5),
];

/// The sample with autoland flown towards a runway of 2 %, which is said to have this slope.
fn uphill(slope: f64) -> LandingJob {
    let job = study("autoland_737.toml", 0, 1).job;
    let ground = Shape::half_space(DVec3::new(-0.02, 0.0, 1.0), 0.0);
    let runway = Runway { slope, ..*job.scene.runway().unwrap() };
    let scene = Scene::new(&ground, job.scene.materials().to_vec(), Some(MaterialId(0)), Some(runway)).unwrap();
    LandingJob { scene, ..job }
}

#[test]
fn steps_above_a_slope_are_within_the_bound_and_a_slope_off_by_a_hundredth_is_seen() {
    let example = LandingStudy::of(
        Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/autoland_737.toml")).unwrap(),
    )
    .unwrap();
    let inputs: Vec<LandingInputs> = (0..12).map(|landing| example.landing_inputs(landing)).collect();
    let sample = Sample::new("autoland uphill", uphill(0.02), &inputs, 9);
    let truths = truths(&sample);
    let right = compare(&sample, &truths, &GPU.step_landings(&sample.job, &sample.items).unwrap());
    println!(
        "{} steps, {} ambiguous, largest difference over bound {:.3}",
        sample.items.len(),
        right.of(Agreement::Ambiguous),
        right.largest
    );
    assert!(right.first_wrong.is_none(), "{}", right.first_wrong.unwrap());
    let found = GPU.step_landings(&uphill(0.0202), &sample.items).unwrap();
    let wrong = compare(&sample, &truths, &found).of(Agreement::Wrong);
    println!("a slope of 2.02 %: {wrong} of {} steps are called wrong", sample.items.len());
    assert!(wrong * 200 > sample.items.len());
}

fn law(job: &mut LandingJob) -> &mut Autoland {
    job.vehicle.autoland.as_mut().unwrap()
}

#[test]
fn the_comparison_sees_small_faults_of_autoland_and_turbulence() {
    sees_all(&autoland(), &AUTOLAND_CHANGES);
}

/// No step is wrong as it is, and one in 200 at least after each of these changes.
fn sees_all(sample: &Sample, changes: &[Change]) {
    let truths = truths(sample);
    let right = compare(sample, &truths, &GPU.step_landings(&sample.job, &sample.items).unwrap());
    println!("{} steps, largest difference over bound {:.3}", sample.items.len(), right.largest);
    assert!(right.first_wrong.is_none(), "{}", right.first_wrong.unwrap());
    let mut unseen = Vec::new();
    for (name, change) in changes.iter().copied() {
        let mut other = Sample { name, job: sample.job.clone(), items: sample.items.clone() };
        let mut spare = sample.job.clone();
        for (inputs, _) in &mut other.items {
            change(&mut spare, inputs);
        }
        change(&mut other.job, &mut LandingInputs::nominal(&sample.job.vehicle));
        let found = GPU.step_landings(&other.job, &other.items).unwrap();
        let wrong = compare(sample, &truths, &found).of(Agreement::Wrong);
        println!("{name}: {wrong} of {} steps are called wrong", found.len());
        if wrong * 200 <= found.len() {
            unseen.push(name);
        }
    }
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// The sample with autoland in all of the air that there is.
fn rough_air() -> Sample {
    let example = LandingStudy::of(
        Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/autoland_737.toml")).unwrap(),
    )
    .unwrap();
    let profile =
        WindTable::new(vec![0.0, 7.0, 40.0], vec![DVec3::ZERO, DVec3::new(-2.0, 1.0, 0.0), DVec3::new(-7.0, 3.0, 0.3)]);
    let history =
        WindTable::new(vec![0.0, 2.0, 7.0], vec![DVec3::ZERO, DVec3::new(1.0, 0.5, -0.5), DVec3::new(-1.0, 0.0, 0.0)]);
    let weather = Weather { standard_atmosphere: true, profile, history };
    let job = LandingJob { weather, ..example.job.clone() };
    let inputs: Vec<LandingInputs> = (0..12)
        .map(|landing| {
            let mut inputs = example.landing_inputs(landing);
            for (input, value) in [
                (Input::TemperatureOffset, 20.0),
                (Input::Qnh, 99_000.0),
                (Input::RotaryTurbulence, 3.0),
                (Input::GustHeadwind, -3.0),
                (Input::GustUpdraft, 2.0),
                (Input::GustGradientDistance, 90.0),
                (Input::GustTime, 0.3 * landing as f64),
            ] {
                inputs.set(input, value);
            }
            inputs
        })
        .collect();
    let mut sample = Sample::new("autoland in rough air", job, &inputs, 9);
    sample.items.retain(|(_, state)| state.step < 1500);
    sample
}

/// Faults of that air that the comparison must still see.
const AIR_CHANGES: [Change; 7] = [
    ("temperature", |_, inputs| inputs.set(Input::TemperatureOffset, 20.1)),
    ("pressure", |_, inputs| inputs.set(Input::Qnh, 99_030.0)),
    ("rotary gusts", |_, inputs| inputs.set(Input::RotaryTurbulence, 3.03)),
    ("gust", |_, inputs| inputs.set(Input::GustHeadwind, -3.01)),
    ("beginning of the gust", |_, inputs| inputs.set(Input::GustTime, inputs.get(Input::GustTime) + 0.01)),
    ("profile", |job, _| {
        let winds = vec![DVec3::ZERO, DVec3::new(-2.01, 1.0, 0.0), DVec3::new(-7.0, 3.0, 0.3)];
        job.weather.profile = WindTable::new(vec![0.0, 7.0, 40.0], winds);
    }),
    ("history", |job, _| {
        let winds = vec![DVec3::ZERO, DVec3::new(1.0, 0.5, -0.5), DVec3::new(-1.01, 0.0, 0.0)];
        job.weather.history = WindTable::new(vec![0.0, 2.0, 7.0], winds);
    }),
];

#[test]
fn the_comparison_sees_small_faults_of_rough_air() {
    sees_all(&rough_air(), &AIR_CHANGES);
}

#[test]
fn a_device_draws_the_hosts_noise() {
    let sample = autoland();
    let mut random = Random::new(test_seed(), 78);
    let (inputs, state) = sample.items[0].clone();
    let turbulence = Turbulence::new(&inputs, sample.job.vehicle.span(), sample.job.step).unwrap();
    let mut any = || random.index(1 << 32) as u64 | (random.index(1 << 32) as u64) << 32;
    let items: Vec<_> = (0..4000)
        .map(|_| {
            let (mut inputs, mut state) = (inputs, state.clone());
            inputs.noise = NoiseKey { seed: any(), item: any() };
            (state.step, state.gusts, state.touchdown_step) = (any() >> 33, Gusts::NONE, None);
            (inputs, state)
        })
        .collect();
    let mut seen = [0usize; 33];
    for ((inputs, state), answer) in items.iter().zip(GPU.step_landings(&sample.job, &items).unwrap()) {
        // From still air a step leads to the noise times the gains: one product, whose rounding both do alike.
        let product = |gain: f64, noise: i32| f64::from(gain as f32 * noise as f32);
        let [along, across, vertical, _] = noise(inputs.noise, state.step);
        let expected = Gusts {
            along: product(turbulence.gain_along, along),
            across: product(turbulence.gain_across, across),
            across_drive: product(turbulence.gain_across, across),
            vertical: product(turbulence.gain_vertical, vertical),
            vertical_drive: product(turbulence.gain_vertical, vertical),
            ..Gusts::NONE
        };
        assert_eq!(answer.gusts, expected, "{:?} in step {}", inputs.noise, state.step);
        seen[(along + 16) as usize] += 1;
    }
    let different = seen.into_iter().filter(|&count| count > 0).count();
    println!("{} steps with the host's noise, {different} different numbers along the runway", items.len());
    assert!(different > 10);
}
