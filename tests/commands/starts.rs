//! Landings that cannot start, because a part of the vehicle is in the ground: found before and in a run, with the part's
//! name, and invalid on every engine.

use std::fs;

use crate::support::landing_jobs::{inputs, job_with};
use crate::support::program::{code, manifest, output, path, run_study, standard_error, standard_output};
use crate::support::tricycle::{FRAME_DEPTH, MAIN_BEHIND, NOSE_AHEAD, piloted_tricycle};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::flight::StartFault;
use touchdown::native::Native;
use touchdown::query::{Input, LandingClass, LandingJob, LandingPart, LandingState};
use touchdown::reference::Reference;
use touchdown::scene::Shape;
use touchdown::vehicle::{StructuralPoint, Vehicle};

fn fault(job: &LandingJob, changes: &[(Input, f64)]) -> Option<StartFault> {
    let inputs = inputs(&job.vehicle, changes);
    let fault = LandingState::start(job, &inputs).err();
    // Whether it starts is seen in the first steps.
    let job = &LandingJob { time_limit: 0.05, ..job.clone() };
    for engine in [&Reference::new(1).unwrap() as &dyn Engine, &Native::new(1).unwrap()] {
        let outcome = engine.landings(job, &[inputs]).unwrap().remove(0);
        let cannot_start = outcome.class == LandingClass::Invalid && outcome.steps == 0;
        assert_eq!(cannot_start, fault.is_some(), "{changes:?}: {fault:?}, {outcome:?}");
    }
    fault
}

#[test]
fn an_airspeed_that_is_less_than_what_is_across_is_named_with_what_that_takes() {
    let vehicle = Vehicle::read(&manifest("examples/aircraft/c172.toml")).unwrap();
    let job = job_with(Vehicle { flare: None, ..vehicle.clone() }, []);
    let wind = [(Input::Airspeed, 28.0), (Input::Crosswind, 35.0), (Input::Height, 1.0)];
    assert!(matches!(fault(&job, &wind), Some(StartFault::Airspeed { least }) if least == 35.0));
    let drift = [(Input::Airspeed, 28.0), (Input::Crosswind, 35.0), (Input::Drift, 8.0), (Input::Height, 1.0)];
    assert_eq!(fault(&job, &drift), None);
    // With a flare the airspeed has the sink rate in it.
    let flared = job_with(vehicle, []);
    assert_eq!(fault(&flared, &[(Input::Airspeed, 33.0), (Input::SinkRate, 32.0), (Input::Height, 5.0)]), None);
    let steep = fault(&flared, &[(Input::Airspeed, 33.0), (Input::SinkRate, 40.0), (Input::Height, 5.0)]).unwrap();
    let words = steep.describe(&flared.vehicle, &inputs(&flared.vehicle, &[(Input::Airspeed, 33.0)]));
    assert_eq!(words, "airspeed = 33 m/s is less than 40 m/s, which crosswind, drift and vertical speed take alone");
    let late = fault(&job, &[(Input::BrakeDelay, -0.1), (Input::Height, 1.0)]);
    assert!(matches!(late, Some(StartFault::Input { input: Input::BrakeDelay, .. })), "{late:?}");
}

#[test]
fn a_part_in_the_ground_is_named_with_its_depth() {
    let height = 0.1;
    let job = job_with(piloted_tricycle(), []);
    assert_eq!(fault(&job, &[(Input::Height, height)]), None);
    // The nose wheel is ahead of the mains, and lower by that times the sine.
    let pitch = -0.1_f64;
    let expected = (NOSE_AHEAD + MAIN_BEHIND) * -pitch.sin() - height;
    let found = fault(&job, &[(Input::Height, height), (Input::Pitch, pitch)]);
    println!("nose down: {found:?}, expected {expected}");
    let Some(StartFault::Inside { part: LandingPart::Wheel(2), depth }) = found else { panic!("{found:?}") };
    assert!((depth - expected).abs() < 1e-12);
    // The tail is 4.3 m behind the mains and 1.0 m above their feet.
    let pitch = 0.35_f64;
    let expected = (4.8 - MAIN_BEHIND) * pitch.sin() - (FRAME_DEPTH + 0.7 + 0.1) * pitch.cos() - height;
    let found = fault(&job, &[(Input::Height, height), (Input::Pitch, pitch)]);
    println!("nose up: {found:?}, expected {expected}");
    let Some(StartFault::Inside { part: LandingPart::Structure(2), depth }) = found else { panic!("{found:?}") };
    assert!((depth - expected).abs() < 1e-12);
    let words = found.unwrap().describe(&job.vehicle, &inputs(&job.vehicle, &[(Input::Pitch, pitch)]));
    assert!(words.starts_with("structural point tail starts 0.4") && words.contains("pitch of 20.05 deg"), "{words}");
}

#[test]
fn standing_on_the_ground_is_not_inside_it() {
    let job = job_with(piloted_tricycle(), []);
    for height in [0.0, 1e-7, -1e-7] {
        assert_eq!(fault(&job, &[(Input::Height, height)]), None, "{height}");
    }
    let found = fault(&job, &[(Input::Height, -0.2)]);
    let Some(StartFault::Inside { depth, .. }) = found else { panic!("{found:?}") };
    assert!((depth - 0.2).abs() < 1e-12);
}

#[test]
fn what_stands_on_the_ground_counts_and_so_do_inputs_of_no_landing() {
    let mut vehicle = piloted_tricycle();
    vehicle.structure = vec![StructuralPoint { name: "nose".to_owned(), position: DVec3::new(2.0, 0.0, 0.0) }];
    let boulder = Shape::sphere(DVec3::new(2.0, 0.0, 1.0), 0.4);
    let job = job_with(vehicle, [boulder]);
    let found = fault(&job, &[]);
    assert!(matches!(found, Some(StartFault::Inside { part: LandingPart::Structure(0), .. })), "{found:?}");
    assert_eq!(fault(&job, &[(Input::StartDistance, 10.0)]), None);

    let changes = [(Input::Mass, -3.0)];
    let found = fault(&job, &changes).unwrap();
    assert!(matches!(found, StartFault::Input { input: Input::Mass, .. }));
    assert_eq!(found.describe(&job.vehicle, &inputs(&job.vehicle, &changes)), "mass = -3 kg must be above 0");
}

/// The Cessna study with pitch angles about 10 degrees, at which its tail skid nearly touches with the mains: in a
/// directory that lives as long as the result.
fn nose_high_study() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(manifest("examples/c172_wet_runway.toml")).unwrap();
    let changed = text
        .replace("\"aircraft/", &format!("\"{}/", manifest("examples/aircraft").display()))
        .replace("\"scenes/", &format!("\"{}/", manifest("examples/scenes").display()))
        .replace("mean = \"6 deg\"\nsd = \"0.8 deg\"", "mean = \"10 deg\"\nsd = \"1.5 deg\"")
        .replace("max = \"8.5 deg\"", "max = \"15 deg\"")
        .replace("landings = 10000", "landings = 100")
        .replace("part_size = 1000", "part_size = 100");
    let file = directory.path().join("study.toml");
    fs::write(&file, changed).unwrap();
    (directory, file)
}

#[test]
fn a_check_says_how_many_landings_cannot_start_and_names_one() {
    let (_kept, file) = nose_high_study();
    let check = output(&["study", "check", path(&file), "--engine", "native"]);
    let text = standard_output(&check);
    let line = text.lines().find(|line| line.contains("cannot start")).unwrap_or_else(|| panic!("{text}"));
    println!("{line}");
    assert!(line.starts_with("warning: ") && line.contains(" of 100 landings ("), "{line}");
    assert!(line.contains("structural point tail_skid starts 0.") && line.contains("lowest main wheel"), "{line}");
    assert_eq!(code(&check), 0);
    let right = standard_output(&output(&["study", "check", path(&manifest("examples/c172_wet_runway.toml"))]));
    assert!(!right.contains("cannot start") && !right.contains("on the runway at"), "{right}");
}

#[test]
fn a_run_and_a_replay_say_why_landings_are_invalid() {
    let (directory, file) = nose_high_study();
    let out = directory.path().join("run");
    let run = run_study(&file, &out, &["--engine", "native"]);
    let text = standard_output(&run);
    println!("{}", text.lines().filter(|line| line.contains("invalid")).collect::<Vec<_>>().join("\n"));
    assert_eq!(code(&run), 4, "{}", standard_error(&run));
    let line = text.lines().find(|line| line.contains("cannot start")).unwrap();
    assert!(line.contains("tail_skid"), "{line}");
    let landing = line.split("; landing ").nth(1).unwrap().split(':').next().unwrap();
    let replay = output(&["study", "replay", path(&out), "--landing", landing]);
    let text = standard_output(&replay);
    assert!(text.contains("it cannot start: structural point tail_skid") && code(&replay) == 0, "{text}");
}

#[test]
fn a_runway_whose_ground_lies_elsewhere_is_warned_of() {
    let directory = tempfile::tempdir().unwrap();
    let scene = fs::read_to_string(manifest("examples/scenes/lszh14_wet.toml")).unwrap();
    fs::write(directory.path().join("scene.toml"), scene.replace("[runway]", "[runway]\nslope = 0.01")).unwrap();
    let vehicle = manifest("examples/aircraft/c172.toml");
    let text = format!("vehicle = \"{}\"\nscene = \"scene.toml\"\nlandings = 2\nseed = 1\n", vehicle.display());
    let file = directory.path().join("study.toml");
    fs::write(&file, &text).unwrap();
    let check = standard_output(&output(&["study", "check", path(&file), "--engine", "native"]));
    let run = standard_error(&run_study(&file, &directory.path().join("run"), &["--engine", "native"]));
    let out = directory.path().join("sensitivity");
    fs::write(&file, text + "[inputs.sink_rate]\ndistribution = \"uniform\"\nmin = 0.5\nmax = 1\n").unwrap();
    let arguments = ["study", "sensitivity", path(&file), "--samples", "16", "--out", path(&out), "--engine", "native"];
    let sensitivity = standard_error(&output(&arguments));
    for text in [check, run, sensitivity] {
        let line = text.lines().find(|line| line.contains("on the runway at")).unwrap_or_else(|| panic!("{text}"));
        println!("{line}");
        assert!(line.starts_with("warning: on the runway at x = "), "{line}");
        assert!(line.contains("1.467 m above the plane") && line.contains("z = 0.01 x"), "{line}");
    }
}

#[test]
fn doubtful_starts_are_counted_by_check_and_by_run() {
    let directory = tempfile::tempdir().unwrap();
    let (study, out) = (directory.path().join("study.toml"), directory.path().join("out"));
    let text = fs::read_to_string(manifest("examples/skid_on_frigate.toml")).unwrap();
    let examples = format!("{}/", path(&manifest("examples")));
    let beside = |text: &str| {
        text.replace("\"aircraft/", &format!("\"{examples}aircraft/"))
            .replace("\"ships/", &format!("\"{examples}ships/"))
    };
    let fast = beside(&text).replace("max = \"16 kt\"", "max = \"40 kt\"").replace("landings = 2000", "landings = 20");
    fs::write(&study, fast).unwrap();
    let checked = output(&["study", "check", path(&study), "--engine", "native"]);
    let run = run_study(&study, &out, &["--engine", "native"]);
    for (what, said) in [("check", standard_output(&checked)), ("run", standard_error(&run))] {
        let line = said.lines().find(|line| line.contains("start doubtfully")).unwrap_or_default();
        println!("{what}: {line}");
        let count: u32 = line.split(' ').nth(1).and_then(|count| count.parse().ok()).unwrap_or_default();
        assert!((5..20).contains(&count) && line.contains("of the first 20 landings"), "{what}: {said}");
        assert!(line.contains("the ship's responses are known from 0 to 10 m/s"), "{line}");
    }
    fs::write(&study, beside(&text).replace("landings = 2000", "landings = 20")).unwrap();
    assert!(!standard_output(&output(&["study", "check", path(&study)])).contains("doubtfully"));
}

#[test]
fn a_start_far_from_the_glide_path_is_doubtful_and_the_place_on_it_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("study.toml");
    let examples = manifest("examples");
    let doubt = |inputs: &str| {
        let text = format!(
            "vehicle = \"{0}/aircraft/b737.toml\"\nscene = \"{0}/scenes/lszh14_wet.toml\"\nautoland = true\nlandings = 4\n\
             seed = 1\n[inputs]\n{inputs}",
            path(&examples)
        );
        fs::write(&file, text).unwrap();
        let said = standard_output(&output(&["study", "check", path(&file), "--engine", "native"]));
        said.lines().find(|line| line.contains("start doubtfully")).map(str::to_owned)
    };
    let constant =
        |name: &str, value: &str| format!("{name} = {{ distribution = \"constant\", value = \"{value}\" }}\n");
    let high = constant("height", "300 ft");
    let line = doubt(&high).unwrap();
    println!("{line}");
    assert!(line.contains("4 of the first 4 landings") && line.contains("76.2 m above its glide path"), "{line}");
    let on_path = line.split("start_distance = ").nth(1).and_then(|rest| rest.split(" is on").next()).unwrap();
    assert_eq!(doubt(&(high.clone() + &constant("start_distance", on_path))), None);
    let line = doubt(&(high + &constant("start_distance", "-2500 m"))).unwrap();
    assert!(line.contains("m below its glide path") && line.contains("rate of -"), "{line}");
    let line = doubt(&constant("airspeed", "165 kt")).unwrap();
    assert!(line.contains("an airspeed of 84.88 m/s") && line.contains("goes to 65.33, its target_airspeed"), "{line}");
    assert_eq!(doubt(&(constant("airspeed", "165 kt") + &constant("target_airspeed", "160 kt"))), None);
    // What guidance errors are, and the gate itself, is no doubt.
    assert_eq!(doubt(""), None);
    assert_eq!(doubt(&constant("height", "70 ft")), None);
    // Low beyond the gate the flare leads, not the path.
    assert_eq!(doubt(&(constant("height", "15 ft") + &constant("start_distance", "600 m"))), None);
}
