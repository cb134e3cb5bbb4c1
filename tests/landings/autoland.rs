//! The autoland of the example 737 beside what its laws say in closed form, and what study and vehicle files may say of it.

use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::flight::LandingPlan;
use touchdown::native::Native;
use touchdown::query::{Gusts, Input, LandingClass, LandingInputs, LandingJob, LandingState};
use touchdown::reference::Reference;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::vehicle::{Autoland, Vehicle};

use crate::support::flights::{calm, example, landing};
use crate::support::recording::record;

const DEGREE: f64 = std::f64::consts::PI / 180.0;

fn study() -> LandingStudy {
    LandingStudy::of(Study::read(&example("autoland_737.toml")).unwrap()).unwrap()
}

fn job() -> LandingJob {
    study().job
}

fn law(job: &mut LandingJob) -> &mut Autoland {
    job.vehicle.autoland.as_mut().unwrap()
}

#[test]
fn a_landing_starts_in_trim_on_the_glide_path() {
    let job = LandingJob { time_limit: 4.0, ..job() };
    for changes in [
        &[][..],
        &[(Input::Headwind, 10.0), (Input::HeadwindShear, 0.0)],
        &[(Input::Mass, 42_000.0), (Input::AirDensity, 1.0), (Input::GlideSlope, 3.5 * DEGREE)],
        &[(Input::Crosswind, 8.0), (Input::Decrab, 0.5)],
    ] {
        // High enough that nothing is retarded, decrabbed or flared in this time.
        let [height, tangent] = [60.0, calm(&job, changes).get(Input::GlideSlope).tan()];
        let changes =
            [changes, &[(Input::Height, height), (Input::StartDistance, (15.24 - height) / tangent)]].concat();
        let inputs = calm(&job, &changes);
        let states = record(&job, &inputs).1.states;
        let start = LandingState::at_start(&job, &inputs);
        let last = states.last().unwrap();
        let (sink, pitch) =
            (last.motion.velocity.z - start.motion.velocity.z, last.motion.pitch() - start.motion.pitch());
        let speed = last.motion.velocity.x - start.motion.velocity.x;
        println!("{changes:?}: after 4 s sink {sink:.4} m/s, pitch {pitch:.5} rad, speed {speed:.4} m/s");
        // The trim takes sine and cosine of the angle of attack, 0.1 at most, as the angle and 1 for the thrust's parts
        // across and along the path: thrust 45 kN, mass 42 t, so 1 m/s2 times 0.1^3 / 6 and 0.1^2 / 2 = 0.005 m/s2. In 4 s
        // that is 0.02 m/s along the path if nobody acts, and 0.001 m/s across it.
        assert!(speed.abs() < 0.02 && sink.abs() < 0.01 && pitch.abs() < 0.1 * DEGREE);
        assert!(last.motion.position.y.abs() < 0.01, "the track runs along the runway");
        assert!((-start.motion.velocity.z / start.motion.velocity.x - tangent).abs() < 1e-12);
    }
}

#[test]
fn a_calm_flare_follows_its_exponential() {
    let mut job = job();
    // A long flare, and an autopilot as firm as it can be without trembling: what is left is the law.
    let law = law(&mut job);
    (law.pitch_gain, law.pitch_damping, law.sink_gain, law.sink_integral_gain) = (12.0, 7.0, 0.06, 0.03);
    (law.flare_time, law.gate_height, law.retard_height) = (10.0, 60.0, 0.01);
    let law = *law;
    let inputs = calm(&job, &[]);
    let (outcome, recording) = record(&job, &inputs);
    let touchdown = outcome.touchdown.unwrap();
    let guidance = LandingPlan::new(&job, &inputs).guidance.unwrap();
    let height = |state: &LandingState| state.motion.position.z - guidance.wheel_depth;
    let start = LandingState::at_start(&job, &inputs).motion.velocity;
    // From the height where glide path and flare ask for the same on, h' = -(s + h / tau).
    let begin = (-start.z - law.touchdown_sink_rate) * law.flare_time;
    let flown = recording.states.iter().take_while(|state| state.touchdown_step.is_none());
    // A flare time's fifth after it has begun the path has bent.
    let in_flare = flown.filter(|state| height(state) < begin * (-0.2f64).exp());
    let off =
        |state: &LandingState| -state.motion.velocity.z - law.touchdown_sink_rate - height(state) / law.flare_time;
    let largest = in_flare.map(|state| off(state).abs()).fold(0.0, f64::max);
    let time = law.flare_time * (-start.z / law.touchdown_sink_rate).ln();
    let distance = law.gate_distance + (law.gate_height - begin) / guidance.glide_tangent + start.x * time;
    println!(
        "off the exponential by at most {largest:.3} m/s, touchdown at {:.1} m and {:.3} m/s; in closed form {distance:.1} m",
        touchdown.distance, touchdown.sink_rate
    );
    // The pitch angle follows within a second; the sink rate asked for falls by 3.4 m/s / 10 s in that at first, and ever
    // less.
    assert!(largest < 0.34 && (touchdown.sink_rate - law.touchdown_sink_rate).abs() < 0.1);
    // Too fast by 0.34 m/s for a second, and by less afterwards, lowers the path by some 0.34 m; near the ground, where it
    // sinks by 0.6 m/s, that is 0.6 s of flight. The speed along the path grows by its cosine and falls by a metre per
    // second in the bend: 1 % of 17 s.
    assert!((touchdown.distance - distance).abs() < 0.6 * start.x + 0.01 * start.x * time);
}

#[test]
fn calm_landings_touch_down_where_and_as_softly_as_the_vehicle_file_says() {
    let job = job();
    for changes in [
        &[][..],
        &[(Input::Height, 12.0)],
        &[(Input::Height, 18.0)],
        &[(Input::Headwind, 8.0)],
        &[(Input::Airspeed, 67.0)],
        &[(Input::LateralOffset, 4.0)],
        &[(Input::Crosswind, 7.0)],
    ] {
        let outcome = landing(&job, changes);
        let touchdown = outcome.touchdown.unwrap();
        println!("{changes:?}: {touchdown:?}");
        assert_eq!(outcome.class, LandingClass::Stopped);
        assert!((300.0..500.0).contains(&touchdown.distance) && (0.3..1.0).contains(&touchdown.sink_rate));
        assert!(touchdown.lateral.abs() < 3.0 && touchdown.bank.abs() < 3.0 * DEGREE);
        assert!(touchdown.crab.abs() < 3.0 * DEGREE);
    }
}

#[test]
fn mirrored_offsets_and_crosswinds_give_mirrored_touchdowns() {
    let job = job();
    let changes = |sign: f64| {
        [
            (Input::Crosswind, 6.0 * sign),
            (Input::CrosswindShear, 0.05 * sign),
            (Input::LateralOffset, -3.0 * sign),
            (Input::Crab, 0.02 * sign),
            (Input::Decrab, 0.7),
            (Input::HeadwindShear, 0.04),
        ]
    };
    let [one, other] = [1.0, -1.0].map(|sign| landing(&job, &changes(sign)).touchdown.unwrap());
    println!("{one:?}\n{other:?}");
    assert!(one.lateral.abs() > 0.3 && one.crab.abs() > 0.01, "something to mirror");
    for (a, b) in [(one.lateral, -other.lateral), (one.bank, -other.bank), (one.crab, -other.crab)] {
        // Rounding, which the same laws let die away: some 1e3 steps of 1e-15 of the numbers at play.
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert!((one.distance - other.distance).abs() < 1e-9 && (one.sink_rate - other.sink_rate).abs() < 1e-9);
}

#[test]
fn shorter_steps_converge() {
    let touchdown = |step: f64| {
        let job = LandingJob { step, ..job() };
        landing(&job, &[(Input::Crosswind, 5.0), (Input::HeadwindShear, 0.05)]).touchdown.unwrap()
    };
    let [coarse, middle, fine] = [0.02, 0.01, 0.005].map(touchdown);
    let far = [coarse, middle, fine].map(|touchdown| touchdown.distance);
    let sink = [coarse, middle, fine].map(|touchdown| touchdown.sink_rate);
    println!("touchdown at {far:?} m, {sink:?} m/s");
    // An error of first order halves with the step; the touchdown is seen at whole steps of up to 1.3 m, 0.65 m, 0.33 m.
    assert!((far[1] - far[2]).abs() < 0.5 * (far[0] - far[1]).abs() + 0.65 + 0.33);
    assert!((far[1] - far[2]).abs() < 2.0 && (sink[1] - sink[2]).abs() < 0.02);
}

#[test]
fn wind_grows_with_height_and_the_airspeed_at_the_start_is_the_one_asked_for() {
    let job = job();
    let inputs = calm(&job, &[(Input::Headwind, 5.0), (Input::HeadwindShear, 0.1), (Input::CrosswindShear, -0.2)]);
    let plan = LandingPlan::new(&job, &inputs);
    let air = plan.air(&job.weather, 20.0, 1.0, &Gusts { vertical: 0.5, ..Gusts::NONE });
    for (found, expected) in air.to_array().into_iter().zip([-7.0, -4.0, 0.5]) {
        assert!((found - expected).abs() < 1e-14, "{air}");
    }
    let start = LandingState::at_start(&job, &inputs).motion;
    let airspeed = (start.velocity - plan.air(&job.weather, start.position.z, 0.0, &Gusts::NONE)).length();
    // The wind is taken where the centre of gravity would be in a level attitude: within 0.1 m, times the shear.
    assert!((airspeed - inputs.get(Input::Airspeed)).abs() < 0.1 * 0.23, "{airspeed}");
}

#[test]
fn a_landing_of_the_study_is_the_same_alone_and_on_every_processor_engine() {
    let study = study();
    let inputs: Vec<LandingInputs> = (0..40).map(|landing| study.landing_inputs(landing)).collect();
    let reference = Reference::new(0).unwrap();
    let outcomes = reference.landings(&study.job, &inputs).unwrap();
    assert_eq!(Native::new(2).unwrap().landings(&study.job, &inputs).unwrap(), outcomes);
    for number in [0, 17, 39] {
        let again = study.landing_inputs(number as u64);
        let (alone, recording) = record(&study.job, &again);
        assert_eq!(alone, outcomes[number]);
        let gusts = recording.states[100].gusts;
        assert!(gusts.along != 0.0 && gusts.across != 0.0 && gusts.vertical != 0.0, "{gusts:?}");
    }
    let distances: Vec<f64> = outcomes.iter().map(|outcome| outcome.touchdown.unwrap().distance).collect();
    let spread = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - distances.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(spread > 50.0, "turbulence and wind must matter: {spread} m");
}

/// A study file beside the examples with these lines in place of its own inputs.
fn study_of(lines: &str) -> Result<LandingStudy, String> {
    let directory = tempfile::tempdir().unwrap();
    let beside = |file: &str| example(file).display().to_string();
    let text = format!("scene = \"{}\"\nlandings = 3\nseed = 1\n{lines}", beside("scenes/lszh14_wet.toml"));
    let text = text.replace("VEHICLE", &beside("aircraft/b737.toml")).replace("C172", &beside("aircraft/c172.toml"));
    let file = directory.path().join("study.toml");
    std::fs::write(&file, text).unwrap();
    Study::read(&file).map(|study| LandingStudy::of(study).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn study_files_choose_the_autoland_and_refuse_what_has_no_meaning_with_it() {
    let constant =
        |input: &str, value: f64| format!("[inputs.{input}]\ndistribution = \"constant\"\nvalue = {value}\n");
    let without = study_of("vehicle = \"VEHICLE\"").unwrap();
    assert_eq!(without.job.vehicle.autoland, None);
    assert_eq!(without.landing_inputs(0).get(Input::Height), 0.1, "the vehicle's own approach");
    assert_eq!(study_of("vehicle = \"VEHICLE\"\nautoland = false").unwrap().job.vehicle.autoland, None);
    let with = study_of("vehicle = \"VEHICLE\"\nautoland = true").unwrap();
    assert!(with.job.vehicle.autoland.is_some() && with.landing_inputs(0).get(Input::Height) == 15.24);

    for (lines, why) in [
        ("vehicle = \"C172\"\nautoland = true".to_owned(), "has no [autoland] in its file"),
        (format!("vehicle = \"VEHICLE\"\nautoland = true\n{}", constant("pitch", 0.1)), "`pitch` has no meaning"),
        (
            format!("vehicle = \"VEHICLE\"\nautoland = true\n{}", constant("sink_rate", 1.0)),
            "`sink_rate` has no meaning",
        ),
        (format!("vehicle = \"VEHICLE\"\n{}", constant("glide_slope", 0.05)), "with `autoland = true` only"),
        (format!("vehicle = \"VEHICLE\"\n{}", constant("target_airspeed", 60.0)), "with `autoland = true` only"),
    ] {
        let error = study_of(&lines).unwrap_err();
        assert!(error.contains(why) && error.contains("study.toml"), "{error}");
    }
}

#[test]
fn vehicle_files_refuse_an_autoland_that_cannot_fly() {
    let text = std::fs::read_to_string(example("aircraft/b737.toml")).unwrap();
    let read = |text: &str| Vehicle::from_document(&Document::parse("b737.toml", text).unwrap());
    assert!(read(&text).unwrap().autoland.is_some());
    for (from, to, why) in [
        ("flare_time = 2.8", "flare_time = 0", "flare_time"),
        ("glide_gain = 0.12", "", "glide_gain"),
        ("greatest_pitch = \"9 deg\"", "greatest_pitch = \"-3 deg\"", "must be at least least_pitch"),
        ("greatest_thrust = 124000", "greatest_thrust = 1000", "must be at least the idle thrust"),
        ("glide_slope = \"3 deg\"", "glide_slope = \"50 deg\"", "glide_slope"),
        ("lift_alpha = 5.2", "lift_alpha = 0", "lift_alpha"),
        ("engine_lag = 1.0", "engine_lag = 1.0\nspool_time = 3", "spool_time"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn inputs_that_no_air_or_glide_path_has_are_invalid() {
    let job = job();
    for (input, value) in [
        (Input::Turbulence, -0.1),
        (Input::TurbulenceVertical, f64::NAN),
        (Input::TurbulenceLength, 0.0),
        (Input::TurbulenceLengthVertical, -1.0),
        (Input::TargetAirspeed, -1.0),
        (Input::GlideSlope, 1.0),
        (Input::GlideSlope, -0.01),
        (Input::CrosswindShear, f64::INFINITY),
    ] {
        let inputs = calm(&job, &[(input, value)]);
        assert!(!inputs.is_valid(), "{input:?} {value}");
        let outcome = Reference::new(1).unwrap().landings(&job, &[inputs]).unwrap().remove(0);
        assert_eq!(outcome.class, LandingClass::Invalid);
    }
    for airspeed in [0.0, 1e-3] {
        for density in [0.0, 1e-300, 1.0] {
            let inputs = calm(&job, &[(Input::Airspeed, airspeed), (Input::AirDensity, density)]);
            let state = LandingState::at_start(&job, &inputs);
            assert!(state.motion.is_sane() && state.pilot.thrust.is_finite(), "{state:?}");
        }
    }
}
