//! The pilot's flare of the example Cessna beside its law in closed form, in and out of ground effect, and what study and
//! vehicle files may say of it.

use glam::DVec3;
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::flight::LandingPlan;
use touchdown::native::Native;
use touchdown::query::{Input, LandingClass, LandingInputs, LandingJob, LandingState};
use touchdown::reference::Reference;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::vehicle::Vehicle;

use crate::support::flights::{calm, example, landing};
use crate::support::recording::record;

const DEGREE: f64 = std::f64::consts::PI / 180.0;

fn study() -> LandingStudy {
    LandingStudy::of(Study::read(&example("c172_flare.toml")).unwrap()).unwrap()
}

#[test]
fn a_landing_starts_in_trim_on_its_descent() {
    let job = LandingJob { time_limit: 3.0, ..study().job };
    for changes in [
        &[][..],
        &[(Input::Mass, 850.0), (Input::SinkRate, 2.0), (Input::AirDensity, 1.0)],
        &[(Input::Crosswind, 6.0), (Input::Headwind, 4.0), (Input::Decrab, 0.5)],
    ] {
        // High enough that nothing is flared or decrabbed in this time, and out of ground effect.
        let changes = [changes, &[(Input::Height, 40.0)]].concat();
        let inputs = calm(&job, &changes);
        let start = LandingState::at_start(&job, &inputs).motion;
        let last = record(&job, &inputs).1.states.last().unwrap().motion;
        let air = DVec3::new(-inputs.get(Input::Headwind), inputs.get(Input::Crosswind), 0.0);
        println!("{changes:?}: after 3 s {:?} from {:?}", last.velocity, start.velocity);
        assert!(((start.velocity - air).length() - inputs.get(Input::Airspeed)).abs() < 1e-12);
        let sink_rate = job.scene.ground_plane().sink_rate(start.velocity);
        assert!((sink_rate - inputs.get(Input::SinkRate)).abs() < 1e-12);
        // As in the test of the autoland's trim: thrust 1.5 kN over 850 kg, 1.8 m/s2, at 0.12 rad leaves 0.013 m/s2 along
        // the path, and 0.001 m/s2 across it.
        let (speed, sink) = (last.velocity.x - start.velocity.x, last.velocity.z - start.velocity.z);
        assert!(speed.abs() < 0.05 && sink.abs() < 0.02 && (last.pitch() - start.pitch()).abs() < 0.2 * DEGREE);
        assert!(last.position.y.abs() < 0.02, "the track runs along the runway");
    }
}

#[test]
fn a_calm_flare_follows_its_exponential() {
    let mut job = study().job;
    // A long flare with power, and a pilot as firm as can be without trembling: what is left is the law.
    let law = job.vehicle.flare.as_mut().unwrap();
    (law.pitch_gain, law.pitch_damping, law.sink_gain, law.sink_integral_gain) = (8.0, 3.0, 0.1, 0.1);
    (law.time, law.height, law.idle_height) = (6.0, 30.0, 0.01);
    let law = *law;
    let inputs = calm(&job, &[]);
    let (outcome, recording) = record(&job, &inputs);
    let touchdown = outcome.touchdown.unwrap();
    let guidance = LandingPlan::new(&job, &inputs).guidance.unwrap();
    let plane = job.scene.ground_plane();
    let height = |state: &LandingState| plane.height(state.motion.position) - guidance.wheel_depth;
    // From the height where descent and flare ask for the same on, h' = -(s + h / tau).
    let begin = (law.sink_rate - law.touchdown_sink_rate) * law.time;
    let flown = recording.states.iter().take_while(|state| state.touchdown_step.is_none());
    // A flare time's fifth after it has begun the path has bent.
    let in_flare = flown.filter(|state| height(state) < begin * (-0.2f64).exp());
    let off = |state: &LandingState| -state.motion.velocity.z - law.touchdown_sink_rate - height(state) / law.time;
    let largest = in_flare.map(|state| off(state).abs()).fold(0.0, f64::max);
    println!(
        "off the exponential by at most {largest:.3} m/s, touchdown at {:.1} m with {:.3} m/s",
        touchdown.distance, touchdown.sink_rate
    );
    // The sink rate follows within some 0.7 s (1 / (g / V sink_gain V), and the wing's own 0.7 s); the one asked for falls by
    // 2.6 m/s / 6 s at first, and ever less.
    assert!(largest < 0.3 && (touchdown.sink_rate - law.touchdown_sink_rate).abs() < 0.1);
}

#[test]
fn calm_landings_touch_down_about_as_softly_as_asked_and_on_the_first_half_of_the_runway() {
    let job = study().job;
    let asked = job.vehicle.flare.unwrap().touchdown_sink_rate;
    for changes in [
        &[][..],
        &[(Input::Height, 12.0)],
        &[(Input::Height, 20.0)],
        &[(Input::Mass, 850.0), (Input::Airspeed, 28.3)],
        &[(Input::Airspeed, 32.4)],
        &[(Input::Headwind, 5.0)],
        &[(Input::Crosswind, 5.0)],
        &[(Input::LateralOffset, 3.0)],
    ] {
        let outcome = landing(&job, changes);
        let touchdown = outcome.touchdown.unwrap();
        println!("{changes:?}: {touchdown:?}");
        assert_eq!(outcome.class, LandingClass::Stopped);
        assert!((150.0..330.0).contains(&touchdown.distance) && (touchdown.sink_rate - asked).abs() < 0.35);
        assert!(touchdown.lateral.abs() < 3.0 && touchdown.bank.abs() < 4.0 * DEGREE);
        assert!(touchdown.crab.abs() < 4.0 * DEGREE);
    }
}

#[test]
fn ground_effect_makes_the_float_longer_and_the_touchdown_softer() {
    let with = study().job;
    let mut without = with.clone();
    without.vehicle.aerodynamics.as_mut().unwrap().ground_effect = false;
    for mass in [850.0, 950.0, 1043.0_f64] {
        // 61 kt at the greatest weight, and as much over the stall at others.
        let changes = [(Input::Mass, mass), (Input::Airspeed, 31.38 * (mass / 1043.0).sqrt())];
        let [near, far] = [&with, &without].map(|job| landing(job, &changes).touchdown.unwrap());
        println!(
            "{mass} kg: {:.1} m and {:.3} m/s in ground effect, {:.1} m and {:.3} m/s without",
            near.distance, near.sink_rate, far.distance, far.sink_rate
        );
        assert!(near.distance > far.distance + 1.0 && near.sink_rate < far.sink_rate);
    }
    // A pilot who holds the attitude and has no law: what is left is the cushion itself.
    let held = |ground_effect: bool| {
        let mut job = with.clone();
        job.vehicle.flare = None;
        job.vehicle.aerodynamics.as_mut().unwrap().ground_effect = ground_effect;
        let inputs = calm(&job, &[(Input::Height, 3.0), (Input::SinkRate, 1.0), (Input::Airspeed, 29.0)]);
        Reference::new(1).unwrap().landings(&job, &[inputs]).unwrap().remove(0).touchdown.unwrap()
    };
    let (near, far) = (held(true), held(false));
    println!(
        "attitude held from 3 m: {:.1} m and {:.3} m/s against {:.1} m and {:.3} m/s",
        near.distance, near.sink_rate, far.distance, far.sink_rate
    );
    assert!(near.distance > far.distance && near.sink_rate < far.sink_rate);
}

#[test]
fn a_landing_of_the_study_is_the_same_on_every_processor_engine() {
    let study = study();
    let inputs: Vec<LandingInputs> = (0..64).map(|landing| study.landing_inputs(landing)).collect();
    let outcomes = Reference::new(0).unwrap().landings(&study.job, &inputs).unwrap();
    assert_eq!(Native::new(2).unwrap().landings(&study.job, &inputs).unwrap(), outcomes);
    let stopped = outcomes.iter().filter(|outcome| outcome.class == LandingClass::Stopped).count();
    let touchdowns = outcomes.iter().filter_map(|outcome| outcome.touchdown);
    let mean = |of: fn(&touchdown::query::Touchdown) -> f64| {
        touchdowns.clone().map(|it| of(&it)).sum::<f64>() / touchdowns.clone().count() as f64
    };
    println!(
        "{stopped} of 64 stop; touchdown at {:.0} m with {:.2} m/s",
        mean(|it| it.distance),
        mean(|it| it.sink_rate)
    );
    assert!(stopped >= 60);
}

/// A study file beside the examples with these lines in place of its own inputs.
fn study_of(lines: &str) -> Result<LandingStudy, String> {
    let directory = tempfile::tempdir().unwrap();
    let beside = |file: &str| example(file).display().to_string();
    let text = format!("scene = \"{}\"\nlandings = 3\nseed = 1\n{lines}", beside("scenes/ybcg17_wet.toml"));
    let text = text.replace("C172", &beside("aircraft/c172.toml")).replace("B737", &beside("aircraft/b737.toml"));
    let file = directory.path().join("study.toml");
    std::fs::write(&file, text).unwrap();
    Study::read(&file).map(|study| LandingStudy::of(study).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn study_files_choose_the_flare_and_refuse_what_has_no_meaning_with_it() {
    let without = study_of("vehicle = \"C172\"").unwrap();
    assert_eq!(without.job.vehicle.flare, None);
    assert_eq!(without.landing_inputs(0).get(Input::Height), 0.1, "the vehicle's own approach");
    assert_eq!(study_of("vehicle = \"C172\"\nflare = false").unwrap().job.vehicle.flare, None);
    let with = study_of("vehicle = \"C172\"\nflare = true").unwrap();
    assert_eq!(with.landing_inputs(0).get(Input::Height), 15.24);
    assert_eq!(with.landing_inputs(0).get(Input::SinkRate), 2.6);
    let pitch = "[inputs.pitch]\ndistribution = \"constant\"\nvalue = 0.1\n";
    let slope = "[inputs.glide_slope]\ndistribution = \"constant\"\nvalue = 0.05\n";
    for (lines, why) in [
        ("vehicle = \"B737\"\nflare = true".to_owned(), "has no [flare] in its file"),
        (format!("vehicle = \"C172\"\nflare = true\n{pitch}"), "`pitch` has no meaning"),
        (format!("vehicle = \"C172\"\nflare = true\n{slope}"), "with `autoland = true` only"),
    ] {
        let error = study_of(&lines).unwrap_err();
        assert!(error.contains(why) && error.contains("study.toml"), "{error}");
    }
    // Nothing has both in its file, so one is written that has.
    let directory = tempfile::tempdir().unwrap();
    let flare = std::fs::read_to_string(example("aircraft/c172.toml")).unwrap();
    let flare = &flare[flare.find("[flare]").unwrap()..];
    let vehicle = std::fs::read_to_string(example("aircraft/b737.toml")).unwrap();
    let file = directory.path().join("both.toml");
    std::fs::write(&file, format!("{vehicle}\n{}", flare.replace("= 2500", "= 60000"))).unwrap();
    let both = format!("vehicle = \"{}\"\nautoland = true\nflare = true", file.display());
    assert!(study_of(&both).unwrap_err().contains("cannot both be true"));
}

#[test]
fn vehicle_files_refuse_a_flare_that_cannot_be_flown() {
    let text = std::fs::read_to_string(example("aircraft/c172.toml")).unwrap();
    let read = |text: &str| Vehicle::from_document(&Document::parse("c172.toml", text).unwrap());
    assert!(read(&text).unwrap().flare.is_some());
    for (from, to, why) in [
        ("\ntime = 2.5", "\ntime = 0", "time"),
        ("sink_gain = 0.06", "", "sink_gain"),
        ("greatest_pitch = \"9.5 deg\"", "greatest_pitch = \"-9 deg\"", "must be at least least_pitch"),
        ("greatest_thrust = 2500", "greatest_thrust = -1", "must be at least the idle thrust"),
        ("idle_height = 15", "idle_height = -5", "idle_height"),
        ("lift_alpha = 4.6", "lift_alpha = 0", "lift_alpha"),
        ("decrab_height = 3", "decrab_height = 3\nretard = 3", "retard"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
