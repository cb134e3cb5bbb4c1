//! Landings by functions of a file on a GPU, beside the reference's.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use touchdown::engine::Engine;
use touchdown::query::{Input, LandingJob, Weather};
use touchdown::reference::Reference;

use crate::support::airframe::{autoland_job, both};
use crate::support::engines::GPU;
use crate::support::flights::calm;
use crate::support::gpu;

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
