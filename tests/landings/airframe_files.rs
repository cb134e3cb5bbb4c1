//! Vehicle files with physics of their own.

use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::query::{Input, LandingClass, LandingJob};
use touchdown::reference::Reference;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::vehicle::Vehicle;

use crate::support::flights::{calm, example};

/// The Cessna's study, flown by the example of an airplane by functions.
fn job() -> LandingJob {
    let study = LandingStudy::of(Study::read(&example("c172_flare.toml")).unwrap()).unwrap();
    let vehicle = Vehicle::read(&example("aircraft/light_airframe.toml")).unwrap();
    LandingJob { vehicle, ..study.job }
}

#[test]
fn the_example_of_an_airplane_by_functions_flares_and_stops() {
    let job = job();
    let inputs: Vec<_> = [-3.0, 0.0, 3.0]
        .into_iter()
        .flat_map(|crosswind| [50.0, 150.0].map(|offset| (crosswind, offset)))
        .map(|(crosswind, offset)| {
            calm(&job, &[(Input::Crosswind, crosswind), (Input::LateralOffset, 0.01 * offset), (Input::Headwind, 2.0)])
        })
        .collect();
    let outcomes = Reference::new(2).unwrap().landings(&job, &inputs).unwrap();
    for outcome in &outcomes {
        let touchdown = outcome.touchdown.unwrap();
        println!("{:?}: touches down at {} m", outcome.class, touchdown.distance);
        assert_eq!(outcome.class, LandingClass::Stopped, "{outcome:?}");
        // It flares: the descent of 2.6 m/s over 15 m without a flare ends after 180 m, and the runway has 582.
        assert!((180.0..400.0).contains(&touchdown.distance), "{}", touchdown.distance);
    }
    assert_eq!(Native::new(2).unwrap().landings(&job, &inputs).unwrap(), outcomes);
}
