//! Worlds of rigid bodies as a model: files, runs, replays, and engines.

use std::fs;
use std::path::{Path, PathBuf};

use touchdown::document::Document;
use touchdown::job::Compute;
use touchdown::model::{Inputs, Model, WorldModel};
use touchdown::native::Native;
use touchdown::query::Worlds;
use touchdown::random::NoiseKey;
use touchdown::reference::Reference;
use touchdown::world::{World, WorldClass, WorldStart};

use crate::support::program::touchdown;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

fn bowl() -> World {
    World::read(&example("worlds/bowl.toml")).unwrap()
}

/// Different starts of the same bowl, shorter than the example's.
fn starts(world: &World, count: u64) -> Vec<WorldStart> {
    let model = WorldModel::new(world.clone());
    let start = |item: u64| {
        let mut values = model.nominal();
        (values[4], values[6]) = (0.3 + 0.05 * item as f64, 0.008);
        model.start(&Inputs { noise: NoiseKey { seed: 7, item }, values })
    };
    (0..count).map(start).collect()
}

#[test]
fn worlds_do_not_depend_on_their_order_threads_or_engine() {
    let world = World { steps: 80, ..bowl() };
    let starts = starts(&world, 24);
    let reference = Reference::new(1).unwrap().compute::<Worlds>(&world, &starts).unwrap();
    assert!(reference.iter().all(|outcome| outcome.class != WorldClass::Invalid && outcome.contacts > 0));
    assert!(reference.windows(2).all(|pair| pair[0] != pair[1]));
    let backwards: Vec<WorldStart> = starts.iter().rev().cloned().collect();
    for engine in [1, 3].map(|threads| Native::new(threads).unwrap()) {
        let mut permuted = engine.compute::<Worlds>(&world, &backwards).unwrap();
        permuted.reverse();
        assert_eq!(permuted, reference);
    }
}

#[test]
fn bodies_are_scattered_each_for_itself_and_within_limits() {
    let world = bowl();
    let starts = starts(&world, 50);
    let offs = starts.iter().flat_map(|start| start.motions.iter().zip(&world.bodies));
    let offs: Vec<_> = offs.map(|(motion, body)| motion.position - body.motion.position).collect();
    let largest = offs.iter().map(|off| off.abs().max_element()).fold(0.0, f64::max);
    let mean = offs.iter().copied().sum::<glam::DVec3>() / offs.len() as f64;
    println!("up to {largest} m off, {mean} m on average");
    assert!(largest <= 0.008 && largest > 0.0079 && mean.length() < 0.001);
    assert!(offs.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn files_that_are_no_worlds_are_refused_with_what_is_wrong() {
    let text = fs::read_to_string(example("worlds/bowl.toml")).unwrap();
    let read = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        World::from_document(&Document::parse("bowl.toml", &text.replacen(from, to, 1)).unwrap())
            .map_err(|error| error.to_string())
    };
    assert_eq!(read("step = \"10 ms\"", "step = \"10 ms\"").unwrap().bodies.len(), 12);
    for (from, to, why) in [
        (
            "copies = [2, 2, 3]",
            "copies = [5, 5, 3]",
            "75 bodies: a world has at most 64, since it is one thread's work",
        ),
        ("copies = [2, 2, 3]", "copies = [2, 2]", "must be an array of three whole numbers from 1 to 64"),
        ("spacing = [0.12, 0.12, 0.12]", "spacing = [0.09, 0.12, 0.12]", "ball.1 and ball.2 overlap by 0.01"),
        ("friction = 0.5", "sweeps = 0", "must be a whole number from 1 to 1000"),
        ("resolution = \"simultaneous\"", "resolution = \"sequential\"\nsweeps = 8", "sweeps: not with resolution"),
        ("restitution = 0.4", "restitution = 1.4", "1.4 is not allowed"),
        ("friction = 0.5", "frction = 0.5", "frction"),
        ("\"swept\"", "\"sweep\"", "must be one of \"end_of_step\", \"swept\""),
        ("step = \"10 ms\"", "step = \"5 kg\"", "must be a number in s"),
        ("duration = \"12 s\"", "duration = \"10 h\"", "must be from 1 to 1048576 steps of 0.01 s"),
        ("normal = [-0.07, 0, 1]", "normal = [0, 0, 0]", "must have a length above 1e-9"),
        ("name = \"east\"", "name = \"west\"", "there are two things of the name `west`"),
        ("name = \"east\"", "name = \"the east\"", "must be of letters, digits"),
        ("density = 2500", "", "density"),
        ("radius = \"5 cm\"", "radius = 0", "is not allowed"),
        ("min = [-1.0, -1.0, -1.0]", "min = [-1.0, 1.0, -1.0]", "must be below max"),
    ] {
        let error = read(from, to).unwrap_err();
        assert!(error.contains(why) && error.contains("bowl.toml"), "{to}: {error}");
    }
    // What is known of the whole file only has the place of what it is about: here the lines before it, and its own.
    let line_of = |of: &str| 1 + text[..text.find(of).unwrap()].lines().count();
    for (from, to, place) in [
        ("spacing = [0.12, 0.12, 0.12]", "spacing = [0.09, 0.12, 0.12]", "[[bodies]]"),
        ("name = \"east\"", "name = \"the east\"", "[[walls]]"),
        ("min = [-1.0, -1.0, -1.0]", "min = [-1.0, 1.0, -1.0]", "[bounds]"),
    ] {
        let (error, line) = (read(from, to).unwrap_err(), line_of(place));
        assert!(error.starts_with(&format!("bowl.toml:{line}:")), "line {line}: {error}");
    }
}

#[test]
fn what_cannot_start_is_said_with_its_value() {
    let model = WorldModel::new(bowl());
    let fault = |number: usize, value: f64| {
        let mut values = model.nominal();
        values[number] = value;
        model.fault(&Inputs { noise: NoiseKey::default(), values })
    };
    assert_eq!(fault(0, 1.5).unwrap(), "restitution = 1.5 must be from 0 to 1");
    assert_eq!(fault(2, f64::NAN).unwrap(), "mass = NaN must be from 0.000001 to 1000000");
    assert!(fault(6, 0.5).unwrap().contains("overlap by"));
    assert_eq!(fault(4, 3.0), None);
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn program(arguments: &[&str]) -> (bool, String, String) {
    let output = touchdown(arguments).output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), said(&output.stdout), said(&output.stderr))
}

#[test]
fn spills_are_run_reported_replayed_traced_and_shown_by_the_program() {
    let room = tempfile::tempdir().unwrap();
    fs::create_dir(room.path().join("worlds")).unwrap();
    let world = fs::read_to_string(example("worlds/bowl.toml")).unwrap();
    let world = world.replace("duration = \"12 s\"", "duration = \"0.6 s\"");
    fs::write(room.path().join("worlds/bowl.toml"), world).unwrap();
    let study = fs::read_to_string(example("spill.toml")).unwrap();
    let file = room.path().join("spill.toml");
    fs::write(&file, study.replace("worlds = 400", "worlds = 12")).unwrap();

    let (out, trace, picture) = (room.path().join("run"), room.path().join("trace.csv"), room.path().join("way.png"));
    let (done, said, why) = program(&["study", "check", text(&file)]);
    assert!(done && said.contains("12 bodies, 4 walls") && said.contains("swept contacts"), "{said}{why}");
    let (_, said, why) = program(&["study", "run", text(&file), "--out", text(&out)]);
    assert!(said.contains("12 worlds") && said.contains("moving"), "{said}{why}");
    let (done, _, why) = program(&["study", "report", text(&out)]);
    assert!(done, "{why}");
    let html = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        html.contains("<code>(fell_off)</code> counts worlds in which this is above 0: Bodies that left the bounds.")
    );
    assert!(!html.contains("force_limit"), "a flag of another model");
    let arguments = ["study", "replay", text(&out), "--item", "7", "--trace", text(&trace), "--render", text(&picture)];
    let frames = room.path().join("frames");
    let film = ["--frames", text(&frames), "--frame-rate", "4"];
    let (done, said, why) = program(&[&arguments[..], &film].concat());
    assert!(done && said.contains("equal to the run's row, bit for bit") && said.contains("meets"), "{said}{why}");
    let trace = fs::read_to_string(&trace).unwrap();
    assert_eq!(trace.lines().count(), 61, "a header and a row for each step");
    assert!(trace.starts_with("time,contacts,kinetic,potential,x.ball.1,"), "{}", trace.lines().next().unwrap());
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    let mut names: Vec<_> = fs::read_dir(&frames).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["00000.png", "00001.png", "00002.png"], "0, 0.25 and 0.5 s");
    let moments = [0, 2].map(|number: usize| fs::read(frames.join(&names[number])).unwrap());
    assert!(moments[0].starts_with(b"\x89PNG") && moments[0] != moments[1]);
    let (done, _, why) = program(&[&arguments[..5], &["--frames", text(&frames), "--frame-rate", "1e5"]].concat());
    assert!(!done && why.contains("--frames: 60001 frames: must be at most 3000"), "{why}");
    let gpu = ["study", "run", text(&file), "--engine", "gpu", "--adapter", "llvmpipe", "--out"];
    let (done, _, why) = program(&[&gpu[..], &[text(&room.path().join("other"))]].concat());
    assert!(!done && why.contains("a world file without `sweeps` has no kernel"), "{why}");
}

#[test]
fn the_scene_that_a_world_stands_on_is_kept_with_the_run() {
    let room = tempfile::tempdir().unwrap();
    for folder in ["worlds", "scenes"] {
        fs::create_dir(room.path().join(folder)).unwrap();
    }
    let world = fs::read_to_string(example("worlds/bowl.toml")).unwrap().replace("\"12 s\"", "\"1.5 s\"");
    let world = format!("{world}\n[ground]\nscene = \"../scenes/step.toml\"\nfriction = 0.1\n");
    fs::write(room.path().join("worlds/bowl.toml"), world).unwrap();
    let scene = room.path().join("scenes/step.toml");
    fs::write(&scene, "scene = { box = { center = [0, 0, 0.05], half = [0.3, 0.3, 0.1] } }\n").unwrap();
    let study = fs::read_to_string(example("spill.toml")).unwrap().replace("worlds = 400", "worlds = 5");
    let (file, out) = (room.path().join("spill.toml"), room.path().join("run"));
    fs::write(&file, study).unwrap();
    let (_, said, why) = program(&["study", "run", text(&file), "--out", text(&out)]);
    assert!(said.contains("5 worlds"), "{said}{why}");
    fs::remove_file(scene).unwrap();
    let (done, said, why) = program(&["study", "replay", text(&out), "--item", "3"]);
    assert!(done && said.contains("bit for bit") && said.contains("ground.1"), "{said}{why}");
}
