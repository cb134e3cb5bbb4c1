//! Landings by functions of a file on a GPU, beside the reference's.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::sync::Arc;

use touchdown::air_forces::{AxisFunction, Role};
use touchdown::airframe::Airframe;
use touchdown::engine::Engine;
use touchdown::function::{Expression, Function, Operation};
use touchdown::query::{Input, LandingClass, LandingJob, LandingState, Weather};
use touchdown::reference::Reference;
use touchdown::vehicle::Vehicle;

use crate::support::airframe::{autoland_job, both};
use crate::support::engines::GPU;
use crate::support::flights::calm;
use crate::support::gpu;

/// Speed of sound at sea level \[m/s\].
const SOUND: f64 = 340.29;

fn job() -> LandingJob {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    LandingJob { vehicle, ..job }
}

#[test]
fn whole_landings_by_functions_end_as_on_the_reference() {
    for weather in [Weather::default(), Weather { standard_atmosphere: true, ..Weather::default() }] {
        end_as_on_the_reference(&LandingJob { weather, ..job() });
    }
}

fn end_as_on_the_reference(job: &LandingJob) {
    let inputs: Vec<_> = (0..64)
        .map(|number| {
            let number = f64::from(number);
            calm(
                job,
                &[
                    (Input::Crosswind, 0.2 * number - 6.4),
                    (Input::Height, 12.0 + 0.1 * number),
                    (Input::Turbulence, 0.5),
                    (Input::TemperatureOffset, 15.0),
                    (Input::RotaryTurbulence, if job.weather.standard_atmosphere { 1.0 } else { 0.0 }),
                    (Input::GustUpdraft, if job.weather.standard_atmosphere { 2.0 } else { 0.0 }),
                ],
            )
        })
        .collect();
    let expected = Reference::new(2).unwrap().landings(job, &inputs).unwrap();
    let found = GPU.landings(job, &inputs).unwrap();
    let mut worst = [0.0_f64; 3];
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.class, expected.class);
        let [there, here] = [expected, found].map(|outcome| outcome.touchdown.unwrap());
        let off = [here.distance - there.distance, here.lateral - there.lateral, here.sink_rate - there.sink_rate];
        worst.iter_mut().zip(off).for_each(|(worst, off)| *worst = worst.max(off.abs()));
    }
    println!("touchdowns off by {} m along, {} m across, sink rates by {} m/s", worst[0], worst[1], worst[2]);
    // Roundings of f32 along some 10 s of controlled flight: a step of 0.01 s is 0.6 m.
    assert!(worst[0] < 1.5 && worst[1] < 0.05 && worst[2] < 0.02);
}

#[test]
fn the_same_landings_have_the_same_bits_however_they_are_cut() {
    let job = job();
    let inputs: Vec<_> = (0..40).map(|number| calm(&job, &[(Input::Headwind, 0.1 * f64::from(number))])).collect();
    let whole = GPU.landings(&job, &inputs).unwrap();
    assert_eq!(gpu::open_with(Some(7), Some(33)).landings(&job, &inputs).unwrap(), whole);
}

/// A landing of a fifth of a second of an aircraft with one more function in its yawing moment, and what its controls make for the next
/// step.
fn with_yaw(yaw: Formula, later: Formula) -> LandingJob {
    let job = job();
    let mut description = job.vehicle.airframe.as_ref().unwrap().description().clone();
    description.controls.push(Function { name: "one".to_owned(), expression: Formula::of("later") });
    description.controls.push(Function { name: "later".to_owned(), expression: later });
    let function = Function { name: "more yaw".to_owned(), expression: yaw };
    description.air_forces.functions.push(AxisFunction { function, role: Role::Moment(2) });
    let airframe = Some(Arc::new(Airframe::new(description).unwrap()));
    LandingJob { vehicle: Vehicle { airframe, ..job.vehicle }, time_limit: 0.2, ..job }
}

type Formula = Expression<String>;

/// A case for each airspeed, in one kernel: to compile takes longer than to land.
#[test]
fn a_landing_by_functions_without_a_value_is_invalid_on_both_engines() {
    let mach = || Formula::of("velocities/mach");
    let beyond = || (mach() + 1.0).by(Operation::ArcSine);
    let made = |operation, arguments: &[Formula]| Formula::made(operation, arguments.iter().cloned());
    let none = || Formula::from(0.0);
    let no_truth = made(Operation::IfThen, &[mach() + 1.5, 1.0.into(), 0.0.into()]);
    let no_case = made(Operation::Switch, &[mach() - 2.0, 1.0.into(), 2.0.into()]);
    let no_multiple = made(Operation::RoundMultiple, &[mach(), mach() - mach()]);
    let infinite = mach() / (mach() - mach());
    // Yaw, what is made for the next step, and whether that makes the landing invalid.
    let cases = [
        (beyond(), none(), true),
        (no_truth, none(), true),
        (no_case, none(), true),
        (no_multiple, none(), true),
        (infinite, none(), true),
        (Formula::from(2.0).less(mach()).choose(beyond(), 0.0), none(), false),
        (Formula::of("one"), beyond(), true),
        (Formula::of("one").less(2.0), beyond(), false),
    ];
    // Apart by more than a landing of a fifth of a second loses.
    let airspeed = |case: usize| 60.0 + 2.0 * case as f64;
    let of_case = |case: usize, its: Formula, others: Formula| {
        Formula::from((airspeed(case) - 1.0) / SOUND).less(mach()).choose(its, others)
    };
    let (mut yaw, mut later) = (none(), none());
    for (case, (its_yaw, its_later, _)) in cases.iter().enumerate() {
        yaw = of_case(case, its_yaw.clone() * 0.001, yaw);
        later = of_case(case, its_later.clone(), later);
    }
    let job = with_yaw(yaw, later);
    let landing = |case, headwind| calm(&job, &[(Input::Airspeed, airspeed(case)), (Input::Headwind, headwind)]);
    let inputs: Vec<_> = (0..cases.len()).flat_map(|case| [0.0, 2.0].map(|headwind| landing(case, headwind))).collect();
    let items: Vec<_> = inputs.iter().map(|inputs| (*inputs, LandingState::start(&job, inputs).unwrap())).collect();
    let reference = Reference::new(1).unwrap();
    let [expected, found] = [&reference as &dyn Engine, &*GPU]
        .map(|engine| (engine.landings(&job, &inputs).unwrap(), engine.step_landings(&job, &items).unwrap()));
    for (number, (.., is_invalid)) in cases.iter().flat_map(|case| [case; 2]).enumerate() {
        let [found, expected] =
            [&found, &expected].map(|(outcomes, states)| (&outcomes[number], states[number].motion.is_sane()));
        assert_eq!((found.0.class, found.0.steps), (expected.0.class, expected.0.steps), "{number}");
        assert_eq!(found.0.class == LandingClass::Invalid, *is_invalid, "{number}");
        assert_eq!((found.1, expected.1), (!is_invalid, !is_invalid), "{number}");
    }
}
