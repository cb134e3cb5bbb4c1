//! How whole landings end: classes and their precedence, the swept structure, and results that do not depend on how a
//! batch is cut. Tests print what they measured.

use crate::support::flights::example;
use crate::support::landing_jobs::{LENGTH, STEP, WIDTH, inputs, job_with, outcome};
use crate::support::random::{Random, test_seed};
use crate::support::random_scene;
use crate::support::recording::{brute_sweep, record};
use crate::support::tricycle;
use crate::support::tricycle::{FRAME_DEPTH, piloted_tricycle, prism};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::query::rules::{REST_RATE, REST_SPEED, REST_TIME};
use touchdown::query::{
    Input, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingPart, LandingState, Weather, WheelState,
};
use touchdown::reference::Reference;
use touchdown::scene::Shape;
use touchdown::vehicle::{StructuralPoint, Vehicle};

/// Above what the wheels bear: 5 m/s [m/s].
const HARD: f64 = 8.0;

/// A wall across the runway, high above everything.
fn wall(x: f64, thickness: f64) -> Shape {
    prism([x, x + thickness], [-50.0, 50.0])
}

#[test]
fn each_way_to_end_has_its_class() {
    let free = job_with(piloted_tricycle(), []);
    let expect = |job: &LandingJob, changes: &[(Input, f64)], class: LandingClass| {
        let outcome = outcome(job, changes);
        assert_eq!(outcome.class, class, "{changes:?}: {outcome:?}");
        outcome
    };
    let stopped = expect(&free, &[], LandingClass::Stopped);
    assert!(stopped.stop.is_some() && stopped.failed_part.is_none());
    let broken = expect(&free, &[(Input::SinkRate, HARD)], LandingClass::WheelBroken);
    assert!(matches!(broken.failed_part, Some(LandingPart::Wheel(_))));
    let struck = expect(&job_with(piloted_tricycle(), [wall(60.0, 1.0)]), &[], LandingClass::StructureContact);
    assert_eq!(struck.failed_part, Some(LandingPart::Structure(3)), "the propeller is the foremost point");
    expect(&free, &[(Input::LateralOffset, 0.5 * WIDTH + 2.0)], LandingClass::VeeredOff);
    let overran = expect(&free, &[(Input::StartDistance, LENGTH - 30.0)], LandingClass::Overran);
    assert!(overran.runway_end_speed.is_some_and(|speed| speed > 10.0));
    let beyond = expect(&free, &[(Input::StartDistance, LENGTH + 30.0)], LandingClass::Overran);
    assert!(beyond.runway_end_speed.is_some_and(|speed| speed > 10.0), "it never was on the runway");
    expect(&LandingJob { time_limit: 2.0, ..free.clone() }, &[], LandingClass::Unfinished);
    for (input, value) in [
        (Input::Airspeed, f64::NAN),
        (Input::Height, f64::INFINITY),
        (Input::Mass, -1.0),
        (Input::Mass, 0.0),
        (Input::AirDensity, -1.0),
        (Input::BrakeLevel, 1.5),
    ] {
        expect(&free, &[(input, value)], LandingClass::Invalid);
    }
}

/// A lander that trips on rough ground comes over two of its legs; at the speed that barely tips it, it is slow there for long.
#[test]
fn a_lander_that_balances_on_two_legs_has_not_stopped() {
    let vehicle = Vehicle::read(&example("aircraft/lander.toml")).unwrap();
    let job = LandingJob { gravity: 1.62, ..job_with(vehicle, []) };
    let crab = std::f64::consts::FRAC_PI_4;
    let changes = |speed: f64| {
        [
            (Input::Airspeed, speed),
            (Input::SinkRate, 0.5),
            (Input::Height, 0.05),
            (Input::Crab, crab),
            (Input::Pitch, 0.0),
            (Input::Bank, 0.0),
            (Input::FrictionScale, 4.0),
        ]
    };
    let native = Native::new(1).unwrap();
    let (mut stays, mut tips) = (1.0, 4.5);
    assert_eq!(outcome(&job, &changes(stays)).class, LandingClass::Stopped);
    let mut longest = 0;
    for _ in 0..24 {
        let speed = 0.5 * (stays + tips);
        let start = inputs(&job.vehicle, &changes(speed));
        let (outcome, recording) = record(&job, &start);
        assert_eq!(native.landings(&job, &[start]).unwrap()[0], outcome, "{speed} m/s");
        let touching = |state: &&LandingState| state.wheels.iter().filter(|wheel| wheel.contact.touches()).count();
        let slow = |state: &LandingState| {
            state.motion.velocity.length() < REST_SPEED && state.motion.rate.length() < REST_RATE
        };
        let balanced = recording.states.iter().filter(|state| slow(state) && touching(state) < 3).count();
        longest = longest.max(balanced);
        match outcome.class {
            LandingClass::Stopped => {
                assert!(touching(&recording.states.last().unwrap()) > 2, "stopped on two legs at {speed} m/s");
                stays = speed;
            }
            LandingClass::StructureContact | LandingClass::WheelBroken => tips = speed,
            class => panic!("{class:?} at {speed} m/s"),
        }
    }
    println!("tips from {tips} m/s on; slow on two legs for up to {:.2} s", longest as f64 * job.step);
    assert!(longest as u64 > job.steps_of(REST_TIME), "no landing balances for long enough to pass for one at rest");
}

/// A job, changes of its inputs, and the class that must come out.
type Case<'a> = (LandingJob, &'a [(Input, f64)], LandingClass);

#[test]
fn of_several_classes_the_first_in_order_is_given() {
    let free = job_with(piloted_tricycle(), []);
    let walled = |x: f64| job_with(piloted_tricycle(), [wall(x, 1.0)]);
    let beside = (Input::LateralOffset, 0.5 * WIDTH + 2.0);
    let at_the_end = (Input::StartDistance, LENGTH - 30.0);
    let hard = (Input::SinkRate, HARD);
    let short = |job: &LandingJob, time_limit: f64| LandingJob { time_limit, ..job.clone() };
    let cases: [Case<'_>; 9] = [
        (free.clone(), &[hard, (Input::Drift, f64::NAN)], LandingClass::Invalid),
        (free.clone(), &[hard, beside], LandingClass::WheelBroken),
        (free.clone(), &[hard, at_the_end], LandingClass::WheelBroken),
        (walled(60.0), &[beside], LandingClass::StructureContact),
        (walled(LENGTH + 20.0), &[at_the_end], LandingClass::StructureContact),
        (free.clone(), &[beside, at_the_end], LandingClass::VeeredOff),
        (short(&free, 2.0), &[beside], LandingClass::VeeredOff),
        (short(&free, 2.0), &[at_the_end], LandingClass::Overran),
        (short(&free, 0.5), &[], LandingClass::Unfinished),
    ];
    for (number, (job, changes, class)) in cases.iter().enumerate() {
        assert_eq!(outcome(job, changes).class, *class, "case {number}: {changes:?}");
    }
}

#[test]
fn a_wheel_that_breaks_in_the_step_of_a_structure_contact_is_named_first() {
    // Points about where the left wheel breaks: some meet the ground a little before it, some in the same step.
    let mut in_the_same_step = 0;
    for index in 0..40 {
        let mut vehicle = piloted_tricycle();
        let wheel = vehicle.wheels[0].position;
        let z = wheel.z + 0.35 + 0.002 * (f64::from(index) - 20.0);
        vehicle.structure = vec![StructuralPoint { name: "strut".to_owned(), position: DVec3 { z, ..wheel } }];
        let job = job_with(vehicle, []);
        let (outcome, recording) = record(&job, &inputs(&job.vehicle, &[(Input::SinkRate, HARD)]));
        let last = &recording.states[recording.states.len() - 1];
        let broken = last.wheels.iter().any(|wheel| wheel.contact.state == WheelState::Broken);
        let class = if broken { LandingClass::WheelBroken } else { LandingClass::StructureContact };
        assert_eq!(outcome.class, class, "point {z}");
        let struck = brute_sweep(&job, &recording).is_some_and(|(step, _)| step as u64 == outcome.steps);
        in_the_same_step += u32::from(broken && struck);
    }
    assert!(in_the_same_step > 0, "the case must occur");
}

#[test]
fn a_thin_wall_is_never_passed() {
    const TRIALS: u32 = 500;
    let mut job = job_with(piloted_tricycle(), [wall(50.0, 0.001)]);
    job.gravity = 0.0;
    job.step = 0.01;
    job.time_limit = 3.0;
    for trial in 0..TRIALS {
        let phase = f64::from(trial) / f64::from(TRIALS);
        let start = (Input::StartDistance, 20.0 + phase);
        let changes = [(Input::Airspeed, 70.0), (Input::SinkRate, 0.0), (Input::Height, 1.0), start];
        let outcome = outcome(&job, &changes);
        assert_eq!(outcome.class, LandingClass::StructureContact, "from {}", 20.0 + phase);
        let steps = ((50.0 - 2.0 - 20.0 - phase) / 0.7).ceil() as u64;
        assert!(outcome.steps.abs_diff(steps) <= 1, "the propeller arrives in step {steps}, not {}", outcome.steps);
    }
    println!("thin wall: {TRIALS} of {TRIALS} flights at 70 m/s struck it");
}

/// A tumbling vehicle with random points on its way through a random scene.
fn tumbling_flight(random: &mut Random, number: usize) -> (LandingJob, LandingInputs) {
    let mut vehicle = piloted_tricycle();
    let points = 1 + random.index(8);
    vehicle.structure =
        (0..points).map(|index| StructuralPoint { name: index.to_string(), position: random.in_cube(3.0) }).collect();
    // A wheel far up and too short to meet much: flights shall end at the structure.
    vehicle.wheels.truncate(1);
    vehicle.wheels[0].parameters.z_min = 0.699_999;
    let scene = random_scene::scene_of(&random_scene::random_shape(random, number));
    let changes = [
        (Input::Airspeed, random.between(0.5, 70.0)),
        (Input::SinkRate, random.between(-2.0, 2.0)),
        (Input::StartDistance, random.between(-12.0, -4.0)),
        (Input::LateralOffset, random.between(-4.0, 4.0)),
        (Input::Height, random.between(-4.0, 4.0)),
        (Input::RollRate, random.between(-3.0, 3.0)),
        (Input::PitchRate, random.between(-3.0, 3.0)),
        (Input::YawRate, random.between(-3.0, 3.0)),
    ];
    let inputs = inputs(&vehicle, &changes);
    (
        LandingJob {
            vehicle,
            scene,
            weather: Weather::default(),
            gravity: random.between(-1.0, 1.0),
            step: 0.01,
            time_limit: 5.0,
        },
        inputs,
    )
}

#[test]
fn skipping_by_clearance_never_changes_what_the_structure_meets() {
    let (mut struck, mut clear, mut broken) = (0, 0, 0);
    for number in 0..2_000 {
        let mut random = Random::new(test_seed(), number as u64);
        let (job, inputs) = tumbling_flight(&mut random, number);
        let (outcome, recording) = record(&job, &inputs);
        if outcome.steps <= 1 {
            continue; // It starts inside a solid, or the start of its only step is not recorded.
        }
        let found =
            brute_sweep(&job, &recording).map(|(step, point)| (step as u64, LandingPart::Structure(point as u32)));
        match outcome.class {
            LandingClass::StructureContact => {
                struck += 1;
                assert_eq!(outcome.failed_part.map(|part| (outcome.steps, part)), found, "flight {number}");
            }
            LandingClass::WheelBroken => {
                broken += 1;
                assert!(found.is_none_or(|(step, _)| step == outcome.steps), "flight {number}: {found:?}");
            }
            _ => {
                clear += 1;
                assert_eq!(found, None, "flight {number}");
            }
        }
    }
    println!("random flights: {struck} struck, {clear} passed, {broken} broke the wheel; every sweep agrees");
    assert!(struck > 100 && clear > 100);
}

fn varied_landings(job: &LandingJob, count: usize) -> Vec<LandingInputs> {
    let mut random = Random::new(test_seed(), 9);
    let one = |random: &mut Random| {
        inputs(
            &job.vehicle,
            &[
                (Input::Airspeed, random.between(22.0, 38.0)),
                (Input::SinkRate, random.between(0.1, 6.0)),
                (Input::LateralOffset, random.between(-14.0, 14.0)),
                (Input::StartDistance, random.between(0.0, LENGTH)),
                (Input::Bank, random.between(-0.1, 0.1)),
                (Input::Crab, random.between(-0.1, 0.1)),
            ],
        )
    };
    (0..count).map(|_| one(&mut random)).collect()
}

#[test]
fn outcomes_do_not_depend_on_threads_batches_or_observers() {
    let house = tricycle::house().translated(DVec3::new(300.0, 15.0, 0.0));
    let job = job_with(piloted_tricycle(), [house]);
    let inputs = varied_landings(&job, 60);
    let one = Reference::new(1).unwrap();
    let two = Reference::new(2).unwrap();
    let outcomes = one.landings(&job, &inputs).unwrap();
    assert_eq!(outcomes, two.landings(&job, &inputs).unwrap());
    for size in [1, 7, 59] {
        let split = inputs.chunks(size).flat_map(|chunk| two.landings(&job, chunk).unwrap()).collect::<Vec<_>>();
        assert_eq!(outcomes, split, "batches of {size}");
    }
    for (item, expected) in inputs.iter().zip(&outcomes) {
        let (outcome, recording) = record(&job, item);
        assert_eq!(outcome, *expected);
        assert_eq!(recording.states.len() as u64, outcome.steps);
        assert_eq!(recording.events.last(), Some(&LandingEvent::End(outcome.class)));
    }
    let classes = LandingClass::ALL.map(|class| outcomes.iter().filter(|outcome| outcome.class == class).count());
    println!("60 landings by class: {classes:?}");
    assert!(classes.iter().filter(|&&count| count > 0).count() >= 4, "the landings must differ");
    assert!(outcomes.iter().all(|outcome| outcome.step == STEP));
}

#[test]
fn one_step_from_any_state_of_a_landing_gives_the_next_bit_for_bit() {
    let mut vehicle = piloted_tricycle();
    vehicle.pilot.derotation_rate = 0.1;
    vehicle.pilot.anti_skid = 0.8;
    vehicle.pilot.target_deceleration = 1.5;
    let job = job_with(vehicle, [wall(500.0, 1.0)]);
    let engine = Reference::new(2).unwrap();
    let (mut compared, mut struck) = (0, 0);
    for inputs in varied_landings(&job, 8) {
        let (_, recording) = record(&job, &inputs);
        let start = std::iter::once(LandingState::at_start(&job, &inputs));
        let items: Vec<_> = start.chain(recording.states.iter().cloned()).map(|state| (inputs, state)).collect();
        let next = engine.step_landings(&job, &items[..items.len() - 1]).unwrap();
        assert_eq!(next, recording.states);
        compared += next.len();
        struck += u32::from(next.last().is_some_and(|state| state.struck.is_some()));
    }
    println!("{compared} single steps compared, {struck} struck the wall");
    assert!(struck > 0, "the structure must take part");
}

#[test]
fn an_action_begins_the_whole_number_of_steps_of_its_delay_after_touchdown() {
    for (step, delay, steps) in
        [(0.005, 2.0, 400), (0.005, 1.0, 200), (0.01, 0.07, 7), (0.005, 0.012, 3), (0.005, 0.0, 0)]
    {
        let job = LandingJob { step, ..job_with(piloted_tricycle(), []) };
        let inputs = inputs(&job.vehicle, &[(Input::BrakeDelay, delay)]);
        let (_, recording) = record(&job, &inputs);
        let touchdown = recording.states.iter().find_map(|state| state.touchdown_step).unwrap();
        let first = recording.states.iter().find(|state| state.pilot.pedal > 0.0).unwrap();
        // The state after the step in which the brakes come on is one step further.
        assert_eq!(first.step - 1 - touchdown, steps, "{delay} s at {step} s");
    }
}

#[test]
fn a_time_within_rounding_of_whole_steps_is_that_many_steps() {
    let job = job_with(piloted_tricycle(), []);
    for (step, time, steps) in
        [(0.3, 0.9, 3), (0.1, 0.7, 7), (0.01, 0.07, 7), (0.005, 60.0, 12_000), (0.005, 0.005_001, 2), (0.005, -1.0, 0)]
    {
        let job = LandingJob { step, ..job.clone() };
        assert_eq!(job.steps_of(time), steps, "{time} s at {step} s");
    }
}

#[test]
fn the_structure_is_where_the_wheels_expect_it() {
    // A point as deep as the relaxed wheels touches first, one above them does not.
    for (depth, class) in [(FRAME_DEPTH + 0.69, LandingClass::StructureContact), (0.1, LandingClass::Stopped)] {
        let mut vehicle = piloted_tricycle();
        vehicle.structure = vec![StructuralPoint { name: "skid".to_owned(), position: DVec3::Z * depth }];
        assert_eq!(outcome(&job_with(vehicle, []), &[]).class, class, "depth {depth}");
    }
}
