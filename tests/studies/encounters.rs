//! Encounters of vehicles as a model: runs, replays, and engines.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use touchdown::gpu::{Gpu, GpuOptions};
use touchdown::model::{Driving, EncounterModel, Inputs, Model};
use touchdown::native::Native;
use touchdown::random::{NoiseKey, uniform};
use touchdown::reference::Reference;

use crate::support::program::{manifest, touchdown};

/// The report's car.
fn model() -> EncounterModel {
    EncounterModel::new([5.0, 3.0, 2.9, 0.3, 1573.0, 2782.0], 2.0)
}

/// Trials about the report's first example.
fn trials(count: u64) -> Vec<Inputs> {
    let inputs = |item: u64| {
        let between = |variable, low: f64, high: f64| low + (high - low) * uniform(5, item, variable);
        let mut values = model().nominal();
        values[1] = between(1, -5.0, 5.0);
        (values[2], values[3]) = (between(2, 27.0, 31.0), between(3, 20.0, 28.0));
        (values[4], values[5]) = (between(4, -0.3, 0.3), between(5, -0.3, 0.3));
        (values[6], values[7]) = (between(6, 0.0, 1.0), between(7, 0.0, 0.8));
        Inputs { noise: NoiseKey { seed: 5, item }, values }
    };
    (0..count).map(inputs).collect()
}

#[test]
fn the_report_s_first_example_is_the_nominal_trial() {
    let model = model();
    let nominal = Inputs { noise: NoiseKey::default(), values: model.nominal() };
    let outcome = model.outcomes(&Reference::new(1).unwrap(), &[nominal]).unwrap().remove(0);
    let dynamic: &dyn Model = &model;
    let value = |name: &str| outcome.quantities[dynamic.quantity_named(name).unwrap()].unwrap();
    assert_eq!(outcome.class, dynamic.class_named("contact").unwrap());
    assert_eq!(outcome.labels, [Some("face-face".to_owned())]);
    for (name, expected) in
        [("time.ellipsoid", 0.769), ("time.box", 0.769), ("a_yaw_rate.ellipsoid", 0.443), ("b_yaw_rate.box", -0.623)]
    {
        println!("{name} = {:.4}", value(name));
        assert!((value(name) / expected - 1.0).abs() < 0.01);
    }
    assert_eq!(value("turns_otherwise"), 1.0);
}

#[test]
fn engines_and_batches_give_the_same_encounters() {
    let (model, trials) = (model(), trials(5_000));
    let all = model.outcomes(&Reference::new(1).unwrap(), &trials).unwrap();
    let engine = Native::new(2).unwrap();
    let cut: Vec<_> = trials.chunks(7).flat_map(|trials| model.outcomes(&engine, trials).unwrap()).collect();
    assert!(all == cut);
    let mut counts = [0; 5];
    all.iter().for_each(|outcome| counts[outcome.class] += 1);
    println!("{counts:?} encounters of each class");
    assert!(counts[0] == 0 && counts[2..].iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn a_hundred_thousand_encounters_take_seconds() {
    let (model, trials) = (model(), trials(100_000));
    let started = Instant::now();
    let outcomes = model.outcomes(&Reference::new(2).unwrap(), &trials).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    println!("{} encounters as ellipsoids and as boxes in {seconds:.2} s on two threads", outcomes.len());
    assert!(seconds < 20.0);
}

/// The same for cars that drive.
fn driven() -> EncounterModel {
    model().driven(Driving::default())
}

/// Trials of cars that drive, some of them steered.
fn driven_trials(count: u64) -> Vec<Inputs> {
    let mut trials = trials(count);
    for (item, inputs) in (0..).zip(&mut trials) {
        let steering = [9, 10].map(|variable| 0.02 * (uniform(5, item, variable) - 0.5));
        inputs.values.extend(steering);
    }
    trials
}

#[test]
fn engines_and_batches_drive_alike() {
    let (model, trials) = (driven(), driven_trials(600));
    let all = model.outcomes(&Reference::new(2).unwrap(), &trials).unwrap();
    let engine = Native::new(2).unwrap();
    let cut: Vec<_> = trials.chunks(7).flat_map(|trials| model.outcomes(&engine, trials).unwrap()).collect();
    assert!(all == cut);
    let mut counts = [0; 5];
    all.iter().for_each(|outcome| counts[outcome.class] += 1);
    println!("{counts:?} driven encounters of each class");
    assert!(counts[0] == 0 && counts[2..].iter().all(|&count| count > 10), "{counts:?}");

    // A device in f32: nearly all of the same class, with first impacts within a thousandth.
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
    let on_device = model.outcomes(&gpu, &trials).unwrap();
    let dynamic: &dyn Model = &model;
    let number = |name: &str| dynamic.quantity_named(name).unwrap();
    let names = ["impulse.box", "a_peak_yaw_rate.box", "a_yaw_at_end.box", "a_aside_at_end.box"];
    let mut errors = names.map(|_| Vec::new());
    let same = all.iter().zip(&on_device).filter(|(one, other)| one.class == other.class).count();
    for (errors, name) in errors.iter_mut().zip(names) {
        for (one, other) in all.iter().zip(&on_device) {
            if let (Some(one), Some(other)) = (one.quantities[number(name)], other.quantities[number(name)]) {
                errors.push((other - one).abs() / (one.abs() + 1e-2));
            }
        }
        errors.sort_by(f64::total_cmp);
    }
    let middle = errors.each_ref().map(|errors| errors[errors.len() / 2]);
    println!("{same} of 600 of one class on a device; {names:?} differ by {middle:?} in the middle");
    assert!(same >= 597 && middle.iter().all(|&error| error < 1e-3), "{same} {middle:?}");
}

/// What an impact does has not happened to cars that do not meet.
#[test]
fn cars_that_miss_each_other_meet_every_criterion() {
    let room = tempfile::tempdir().unwrap();
    for (example, criteria) in [("offset_collisions.toml", 2), ("offset_collisions_driven.toml", 4)] {
        let study = fs::read_to_string(manifest("examples").join(example)).unwrap();
        let study =
            study.replace("encounters = 100000", "encounters = 200").replace("min = \"-4 m\"", "min = \"30 m\"");
        let (file, out) = (room.path().join(example), room.path().join("run"));
        fs::write(&file, study.replace("max = \"4 m\"", "max = \"31 m\"")).unwrap();
        let arguments = ["study", "run", file.to_str().unwrap(), "--engine", "native", "--out", out.to_str().unwrap()];
        let output = touchdown(&arguments).output().unwrap();
        let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
        let events: Vec<_> = summary["criteria"].as_array().unwrap().iter().map(|it| it["events"].as_u64()).collect();
        assert_eq!(events, vec![Some(0); criteria], "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(output.status.code(), Some(0));
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn driven_encounters_take_seconds() {
    let (model, trials) = (driven(), driven_trials(10_000));
    let started = Instant::now();
    let outcomes = model.outcomes(&Native::new(2).unwrap(), &trials).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    println!("{} driven encounters of 2 s as ellipsoids and as boxes in {seconds:.2} s on two threads", outcomes.len());
    // On two cores that are shared; alone they take a tenth of it.
    assert!(seconds < 20.0);
}

#[test]
fn driven_collisions_are_run_replayed_traced_and_shown_by_the_program() {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let room = tempfile::tempdir().unwrap();
    let study = fs::read_to_string(manifest("examples/offset_collisions_driven.toml")).unwrap();
    let file = room.path().join("driven.toml");
    fs::write(&file, study.replace("encounters = 100000", "encounters = 200")).unwrap();
    let program = |arguments: &[&str]| {
        let output = touchdown(arguments).output().unwrap();
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), said(&output.stdout), said(&output.stderr))
    };
    let (out, trace, picture) = (room.path().join("run"), room.path().join("trace.csv"), room.path().join("way.png"));
    let (_, said, why) = program(&["study", "run", &text(&file), "--engine", "native", "--out", &text(&out)]);
    println!("{said}");
    assert!(said.contains("200 encounters") && said.contains("leaves_to_the_left"), "{said}{why}");
    let (code, _, why) = program(&["study", "report", &text(&out)]);
    assert_eq!(code, Some(0), "{why}");
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("40000 N/rad (assumed)"), "what nobody knows is marked");
    let replay =
        ["study", "replay", &text(&out), "--trial", "3", "--trace", &text(&trace), "--render", &text(&picture)];
    let (_, said, why) = program(&replay);
    assert!(said.contains("equal to the run's row, bit for bit"), "{said}{why}");
    assert_eq!(fs::read_to_string(&trace).unwrap().lines().count(), 202, "a header and 201 rows");
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    for (from, to, why) in [
        ("motion = \"driven\"", "motion = \"drifting\"", "motion"),
        ("motion = \"driven\"", "", "front_axle"),
        ("step = \"2 ms\"", "step = \"90 ms\"", "step = 0.09 must be from"),
        ("cornering_stiffness = 40000", "cornering_stiffness = 4e6", "step = 0.002 must be from"),
        ("[vehicle.assumed] ", "cornering_stiffness = 1.0\n[vehicle.assumed] ", "stands outside of `assumed` too"),
        ("tyre_lag = \"1.6 ms\"", "tyre_lag = 0", "tyre_lag = 0 must be from"),
    ] {
        let bad = room.path().join("bad.toml");
        assert!(study.contains(from), "{from}");
        fs::write(&bad, study.replace(from, to)).unwrap();
        let (code, _, said) = program(&["study", "check", &text(&bad)]);
        assert!(code == Some(2) && said.contains(why), "{why}: {said}");
    }
}

#[test]
fn offset_collisions_are_run_reported_replayed_traced_and_shown_by_the_program() {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let room = tempfile::tempdir().unwrap();
    let study = fs::read_to_string(manifest("examples/offset_collisions.toml")).unwrap();
    let file = room.path().join("offset.toml");
    fs::write(&file, study.replace("encounters = 100000", "encounters = 2000")).unwrap();
    let program = |arguments: &[&str]| {
        let output = touchdown(arguments).output().unwrap();
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), said(&output.stdout), said(&output.stderr))
    };
    let (out, trace, picture) = (room.path().join("run"), room.path().join("trace.csv"), room.path().join("way.png"));
    let run = ["study", "run", &text(&file), "--engine", "native", "--out", &text(&out)];
    let (_, said, why) = program(&run);
    println!("{said}");
    assert!(said.contains("2000 encounters") && said.contains("ellipsoids_only"), "{said}{why}");
    let (code, _, why) = program(&["study", "report", &text(&out)]);
    assert_eq!(code, Some(0), "{why}");
    let replay =
        ["study", "replay", &text(&out), "--trial", "3", "--trace", &text(&trace), "--render", &text(&picture)];
    let (_, said, why) = program(&replay);
    assert!(said.contains("equal to the run's row, bit for bit"), "{said}{why}");
    let trace = fs::read_to_string(&trace).unwrap();
    assert_eq!(trace.lines().count(), 202, "a header and 201 rows");
    assert!(trace.starts_with("time,a_x.ellipsoid,"), "{}", trace.lines().next().unwrap());
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));

    // On a device nearly every encounter is of the same class.
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    let other = room.path().join("gpu");
    let run = ["study", "run", &text(&file), "--engine", "gpu", "--adapter", &adapter, "--out", &text(&other)];
    let (code, _, why) = program(&run);
    assert_eq!(code, Some(0), "{why}");
    let classes = |out: &Path| -> Vec<u64> {
        let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
        let classes = ["contact", "ellipsoids_only", "missed"];
        classes.map(|class| summary["classes"][class].as_u64().unwrap()).into()
    };
    let (on_processor, on_device) = (classes(&out), classes(&other));
    println!("classes of native {on_processor:?} and of a device {on_device:?}");
    assert!(on_processor.iter().zip(&on_device).all(|(a, b)| a.abs_diff(*b) <= 2));

    for (from, to, why) in [
        ("radius = \"0.3 m\"", "radius = \"2 m\"", "radius = 2 must be from"),
        ("length = \"5 m\"", "lenght = \"5 m\"", "lenght"),
        ("horizon = \"2 s\"", "horizon = 0", "horizon"),
    ] {
        let bad = room.path().join("bad.toml");
        fs::write(&bad, study.replace(from, to)).unwrap();
        let (code, _, said) = program(&["study", "check", &text(&bad)]);
        assert!(code == Some(2) && said.contains(why), "{why}: {said}");
    }
}
