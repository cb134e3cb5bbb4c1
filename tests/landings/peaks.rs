//! Peaks of force, compression and rebound: they do not depend on the step that a study happens to have.

use std::path::Path;

use crate::support::landing_jobs::{inputs, job_with};
use crate::support::random::{Random, test_seed};
use crate::support::recording::record;
use crate::support::tricycle;
use crate::support::tricycle::GRAVITY;
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::import::{StructureContacts, jsbsim_vehicle};
use touchdown::native::Native;
use touchdown::query::{Input, LandingClass, LandingInputs, LandingJob, LandingState};
use touchdown::reference::Reference;
use touchdown::scene::{Material, MaterialId, Scene};
use touchdown::vehicle::Vehicle;

/// The step of a study that names none [s].
const USUAL_STEP: f64 = 0.005;
/// So fine that what is left to converge does not count [s].
const FINE_STEP: f64 = 1.0 / 16384.0;
/// How long each drop is watched [s]: past the first rebound.
const WATCHED: f64 = 1.25;
const DROPS: usize = 6;

/// The vehicle falls with the air switched off, so that the gear alone decides; what is made for the moon falls there.
fn drop_job(vehicle: Vehicle, step: f64) -> LandingJob {
    let gravity = if vehicle.name.contains("lander") { 1.62 } else { GRAVITY };
    let bare = Vehicle { aerodynamics: None, autoland: None, flare: None, ..vehicle };
    LandingJob { step, gravity, time_limit: WATCHED, ..job_with(bare, []) }
}

/// A touchdown with another sink rate, attitude and moment within a step each time.
fn drop_inputs(vehicle: &Vehicle, largest_bank: f64, random: &mut Random) -> LandingInputs {
    let changes = [
        (Input::Airspeed, random.between(0.0, 20.0)),
        (Input::SinkRate, random.between(0.5, 1.8)),
        (Input::Pitch, random.between(0.0, 0.1)),
        (Input::Bank, random.between(-largest_bank, largest_bank)),
    ];
    from_height(vehicle, &changes, random.between(0.02, 0.05))
}

/// A touchdown without pitch from a few millimetres, at a fraction of a metre per second: few of its steps are fine ones.
fn soft_inputs(vehicle: &Vehicle, random: &mut Random) -> LandingInputs {
    let changes = [
        (Input::Airspeed, random.between(0.0, 20.0)),
        (Input::SinkRate, random.between(0.1, 0.5)),
        (Input::Pitch, 0.0),
    ];
    from_height(vehicle, &changes, random.between(0.001, 0.003))
}

/// With the main wheels at this height [m], or at the least above it at which no other part is in the ground.
fn from_height(vehicle: &Vehicle, changes: &[(Input, f64)], height: f64) -> LandingInputs {
    let job = drop_job(vehicle.clone(), USUAL_STEP);
    let at = |height: f64| inputs(vehicle, &[changes, &[(Input::Height, height)]].concat());
    let heights = (0..1000).map(|millimetres| height + 1e-3 * f64::from(millimetres));
    heights.map(at).find(|inputs| LandingState::start(&job, inputs).is_ok()).unwrap()
}

/// How fast it is down when its lowest wheel touches [m/s].
fn touchdown_speed(vehicle: &Vehicle, inputs: &LandingInputs) -> f64 {
    let gravity = drop_job(vehicle.clone(), USUAL_STEP).gravity;
    (inputs.get(Input::SinkRate).powi(2) + 2.0 * gravity * inputs.get(Input::Height)).sqrt()
}

/// Greatest forces [N] and compressions [m] of the wheels, and the greatest upward speed after the fastest fall [m/s].
struct Peaks {
    forces: Vec<f64>,
    compressions: Vec<f64>,
    rebound: f64,
}

impl Peaks {
    fn of(job: &LandingJob, inputs: &LandingInputs) -> Self {
        let (outcome, recording) = record(job, inputs);
        assert_eq!(outcome.class, LandingClass::Unfinished, "{} {inputs:?}", job.vehicle.name);
        let speeds: Vec<f64> = recording.motions().map(|motion| motion.velocity.z).collect();
        let fastest = (0..speeds.len()).min_by(|&a, &b| speeds[a].total_cmp(&speeds[b])).unwrap();
        Self {
            forces: outcome.wheels.iter().map(|wheel| wheel.peak_force).collect(),
            compressions: outcome.wheels.iter().map(|wheel| wheel.peak_compression).collect(),
            rebound: speeds[fastest..].iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The largest errors of forces, compressions and rebound, as shares of the largest force, of the largest compression
    /// and of the speed at touchdown.
    fn errors(&self, exact: &Self, touchdown_speed: f64) -> [f64; 3] {
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        [
            apart(&self.forces, &exact.forces) / largest(&exact.forces),
            apart(&self.compressions, &exact.compressions) / largest(&exact.compressions),
            (self.rebound - exact.rebound).abs() / touchdown_speed,
        ]
    }
}

fn vehicles() -> Vec<Vehicle> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = |name: &str| Vehicle::read(&root.join("examples/aircraft").join(name)).unwrap();
    let imported = |name: &str| {
        let (text, _) = jsbsim_vehicle(&root.join("tests/data/jsbsim").join(name), StructureContacts::Points).unwrap();
        Vehicle::from_document(&Document::parse(name, &text).unwrap()).unwrap()
    };
    let mut vehicles: Vec<Vehicle> = ["c172.toml", "b737.toml", "lander.toml"].map(example).into();
    vehicles.extend(["fighter.xml", "jumbo.xml", "liner.xml", "twin.xml"].map(imported));
    vehicles
}

#[test]
fn peaks_at_the_usual_step_are_within_a_percent_of_what_they_converge_to() {
    for vehicle in vehicles() {
        let mut random = Random::new(test_seed(), 1);
        let mut worst = [0.0_f64; 3];
        let drops: Vec<LandingInputs> = (0..DROPS)
            .flat_map(|_| [drop_inputs(&vehicle, 0.03, &mut random), soft_inputs(&vehicle, &mut random)])
            .collect();
        for inputs in drops {
            let peaks = |step| Peaks::of(&drop_job(vehicle.clone(), step), &inputs);
            let errors = peaks(USUAL_STEP).errors(&peaks(FINE_STEP), touchdown_speed(&vehicle, &inputs));
            worst = std::array::from_fn(|index| worst[index].max(errors[index]));
        }
        let [force, compression, rebound] = worst.map(|error| 100.0 * error);
        println!(
            "{:<24} {:>3} sub-steps: peak force {force:.3} %, compression {compression:.3} %, rebound {rebound:.3} %",
            vehicle.name,
            vehicle.gear_substeps(USUAL_STEP).lively
        );
        assert!(worst.iter().all(|&error| error < 0.01), "{}: {worst:?}", vehicle.name);
    }
}

fn median(mut errors: Vec<f64>) -> f64 {
    errors.sort_unstable_by(f64::total_cmp);
    errors[errors.len() / 2]
}

fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt()
}

#[test]
fn peaks_converge_to_second_order_of_the_step() {
    let vehicle = tricycle::tricycle(0.0);
    let steps = [0.012, 0.006, 0.003];
    let fewest = vehicle.gear_substeps(0.0);
    assert!(steps.iter().all(|&step| vehicle.gear_substeps(step) == fewest), "more sub-steps would hide the order");
    let mut found = [const { Vec::new() }; 3];
    let mut random = Random::new(test_seed(), 2);
    for _ in 0..4 * DROPS {
        // Level across: where a wheel lets go sideways its force falls from static to dynamic friction, and a jump is found
        // to the first order only.
        let inputs = drop_inputs(&vehicle, 0.0, &mut random);
        let exact = Peaks::of(&drop_job(vehicle.clone(), FINE_STEP), &inputs);
        for (step, found) in steps.into_iter().zip(&mut found) {
            let peaks = Peaks::of(&drop_job(vehicle.clone(), step), &inputs);
            found.push(peaks.errors(&exact, touchdown_speed(&vehicle, &inputs)));
        }
    }
    let order = |name: &str, [coarse, middle, fine]: [f64; 3]| {
        let orders = [(coarse / middle).log2(), (middle / fine).log2()];
        println!("{name}: errors {coarse:.2e}, {middle:.2e}, {fine:.2e}; orders {:.2}, {:.2}", orders[0], orders[1]);
        0.5 * (coarse / fine).log2()
    };
    for (index, name) in ["peak force", "peak compression", "rebound"].into_iter().enumerate() {
        let errors = |errors: &Vec<[f64; 3]>| errors.iter().map(|errors| errors[index]).collect::<Vec<f64>>();
        let median = order(&format!("{name}, median"), found.each_ref().map(|found| median(errors(found))));
        let mean =
            order(&format!("{name}, root mean square"), found.each_ref().map(|found| root_mean_square(&errors(found))));
        assert!(median > 1.8, "{name}: {median}");
        // Where the nose wheel's contact cuts off the rise of the main wheels' force, that has a corner in place of a smooth
        // top, which is found to the first order only.
        assert!(mean > if name == "peak force" { 1.3 } else { 1.8 }, "{name}: {mean}");
    }
}

#[test]
fn a_wheel_feels_those_that_touch_before_it_within_a_sub_step() {
    let vehicle = tricycle::damped_tricycle();
    for pitch in tricycle::FEET_TOGETHER {
        let changes = [(Input::Airspeed, 5.0), (Input::SinkRate, 1.5), (Input::Pitch, pitch)];
        let inputs = from_height(&vehicle, &changes, 0.01);
        let peaks = |step| Peaks::of(&drop_job(vehicle.clone(), step), &inputs);
        let errors = peaks(USUAL_STEP).errors(&peaks(FINE_STEP), touchdown_speed(&vehicle, &inputs));
        println!("pitch {pitch}: peak force off by {:.3} %", 100.0 * errors[0]);
        assert!(errors[0] < 1e-3, "pitch {pitch}: {errors:?}");
    }
}

/// Dampers alone push with 14 kN for each m/s at the moment of contact.
#[test]
fn no_peak_is_above_what_ground_that_gives_way_lets_through() {
    const MOST: f64 = 8e3;
    let mut vehicle = tricycle::damped_tricycle();
    vehicle.wheels.iter_mut().for_each(|wheel| wheel.parameters.clamp_to_max_force = true);
    let inputs = from_height(&vehicle, &[(Input::Airspeed, 5.0), (Input::SinkRate, 1.5)], 0.01);
    let soft = Material { max_force: MOST, ..tricycle::material("soil", 0.0, 0.0) };
    let scene = Scene::new(&tricycle::ground(), vec![soft], Some(MaterialId(0)), None).unwrap();
    let job = LandingJob { scene, ..drop_job(vehicle, USUAL_STEP) };
    let outcome = Reference::new(1).unwrap().landings(&job, &[inputs]).unwrap().remove(0);
    let forces: Vec<f64> = outcome.wheels.iter().map(|wheel| wheel.peak_force).collect();
    println!("{forces:?}");
    assert!(forces.iter().all(|force| (force / MOST - 1.0).abs() < 1e-12));
    assert_eq!(Native::new(1).unwrap().landings(&job, &[inputs]).unwrap().remove(0), outcome);
}
