//! Files, equilibrium and the report's examples.

use std::path::{Path, PathBuf};

use super::{CarModel, DatFile, Drive, DriveError, Dynamics, Law, Platoon, drive, equilibrium, models, placed};
use crate::query::{ContactModel, ContactStatus, SIDES_OVER_SEMI_AXES};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/encounters").join(name)
}

fn report(platoon: &str) -> Platoon {
    Platoon::read(&example("model.dat"), &example(platoon), None).unwrap()
}

fn driven(platoon: &Platoon, dynamics: Dynamics, contact: ContactModel) -> Drive {
    drive(platoon, dynamics, contact).unwrap()
}

#[test]
fn files_keep_every_field_comment_and_unit() {
    let text = std::fs::read_to_string(example("model.dat")).unwrap();
    let file = DatFile::parse(Path::new("model.dat"), &text).unwrap();
    assert_eq!(DatFile::parse(Path::new("model.dat"), &file.text()).unwrap(), file);
    let line = |name: &str| file.lines.iter().find(|line| line.entries.iter().any(|entry| entry.name == name)).unwrap();
    assert_eq!(line("Ix").unit(), Some("kg m^2"));
    assert_eq!(line("D1").unit(), Some("Ns/m"));
    assert_eq!(line("nu").comment.as_deref(), Some(" Poisson's ratio"));
    let [model] = &models(&file).unwrap()[..] else { panic!("one model") };
    let CarModel { mass, inertia, elasticity, axles, tyre_lag, directors, .. } = model;
    assert_eq!((*mass, *inertia, *elasticity), (1573.0, [479.6, 2594.6, 2782.0], [200e6, 0.3, 0.42]));
    assert_eq!((*axles, *tyre_lag, directors[2][0]), ([1.034, 1.491], 0.0016, 1.382916e-2));
    let fields = file.entries().count();
    println!("{fields} words and fields in {} lines", file.lines.len());
    // All that the report's file has.
    assert_eq!(fields, 37);
}

#[test]
fn what_files_lack_is_what_the_example_gives() {
    let example = std::fs::read_to_string(example("vehicle.toml")).unwrap();
    assert_eq!(example, include_str!("vehicle.toml"));
}

#[test]
fn errors_name_line_and_field() {
    let text = std::fs::read_to_string(example("model.dat")).unwrap();
    for (from, to, words) in [
        ("MASS 1573.0", "MASS heavy", "m.dat:8: MASS: has no number"),
        ("MASS 1573.0", "MASS 15x", "m.dat:8: MASS: `15x` is not a finite number"),
        ("MASS 1573.0", "MASS -3", "m.dat:8: MASS: -3e0 must be between"),
        ("TYRE 0.0016", "", "m.dat:6: TYRE: is missing"),
        ("TYRE 0.0016", "TIRE 0.0016", "m.dat:26: TIRE: is not known here"),
        ("L2 1.491", "L1 1.491", "m.dat:17: L1: stands in line 16 already"),
        ("NUMBER_OF_MODELS 1", "NUMBER_OF_MODELS 2", "m.dat:4: NUMBER_OF_MODELS: is 2, and there are 1"),
        ("NUMBER_OF_MODELS 1", "NUMBER_OF_MODELS 1\nNUMBER_OF_MODELS 1", "m.dat:5: NUMBER_OF_MODELS: stands in line 4"),
        ("Iz 2782.0", "Iz 3074.2", "m.dat:11: Iz: 3.0742e3 must be below 3.0742e3, the sum of the other two"),
        ("Ix 479.6", "Ix 10.0", "m.dat:11: Iz: 2.782e3 must be below 2.6046e3, the sum of the other two"),
        ("MODEL 1", "MODEL 2", "MODEL: is 2"),
        ("nu 0.30", "nu 0.30 0.31", "0.31: stands without a name"),
    ] {
        let changed = if from == "MODEL 1" { text.replace("\nMODEL 1", "\nMODEL 2") } else { text.replace(from, to) };
        let error = DatFile::parse(Path::new("m.dat"), &changed).and_then(|file| models(&file)).unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let platoon = std::fs::read_to_string(example("platoon1.dat")).unwrap();
    let known = models(&DatFile::parse(Path::new("model.dat"), &text).unwrap()).unwrap();
    for (from, to, words) in [
        ("MODEL 1", "MODEL 3", "p.dat:6: VEHICLE_HAS_MODEL: is 3; the model file has models 1 to 1"),
        ("SPEED 26.8", "SPEED nan", "p.dat:17: SPEED: has no number"),
        ("VEHICLES 2", "VEHICLES 3", "p.dat:4: NUMBER_OF_VEHICLES: is 3, and there are 2"),
        ("VEHICLES 2", "VEHICLES 7 NUMBER_OF_VEHICLES 2", "p.dat:4: NUMBER_OF_VEHICLES: stands in line 4 already"),
    ] {
        let file = DatFile::parse(Path::new("p.dat"), &platoon.replacen(from, to, 1));
        let error = file.and_then(|file| placed(&file, &known)).unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

#[test]
fn one_vehicle_more_than_a_platoon_has_is_refused_where_it_begins() {
    let vehicle = "VEHICLE_HAS_MODEL 1\nX 0 Y 0 ORIENTATION 0 SPEED 0 STEERING 0\n";
    let known = report("platoon1.dat").models;
    let read = |count: usize| {
        let text = format!("NUMBER_OF_VEHICLES {count}\n{}", vehicle.repeat(count));
        placed(&DatFile::parse(Path::new("p.dat"), &text).unwrap(), &known)
    };
    assert_eq!(read(64).unwrap().len(), 64);
    let error = read(65).unwrap_err().to_string();
    assert_eq!(error, "p.dat:130: VEHICLE_HAS_MODEL: begins vehicle 65; at most 64 are allowed");
}

#[test]
fn a_side_that_the_rounding_does_not_leave_is_refused_in_its_line() {
    let text = std::fs::read_to_string(example("model.dat")).unwrap().replace("A3 2.9", "A3 0.5");
    let file = DatFile::parse(Path::new("m.dat"), &text).unwrap();
    let [model] = &models(&file).unwrap()[..] else { panic!("one model") };
    let error = Law::read(None).unwrap().check(model, &file).unwrap_err();
    assert_eq!(error.to_string(), "m.dat:30: A3: 0.5 m must be at least twice the radius of edges, 0.3 m (`radius`)");
}

#[test]
fn a_car_that_its_springs_do_not_carry_is_refused_when_it_is_read() {
    let text = std::fs::read_to_string(example("model.dat")).unwrap();
    let law = Law::read(None).unwrap();
    let mut heavy = law;
    heavy.gravity.value = 1000.0;
    let check = |law: &Law, from: &str, to: &str| {
        let file = DatFile::parse(Path::new("m.dat"), &text.replace(from, to)).unwrap();
        law.check(&models(&file).unwrap()[0], &file).map_err(|error| error.to_string())
    };
    for (law, from, to, words) in [
        (heavy, "", "", "under 1000 m/s2 (`gravity`)"),
        (law, "H2 0.0", "H2 10", "assembly points 0 and 10 m down (H1, H2)"),
        (law, "C1 40000.0", "C1 0.5", "springs of 0.5 and 40000 N/m (C1, C2)"),
    ] {
        let error = check(&law, from, to).unwrap_err();
        assert!(error.starts_with("m.dat:22: C1: springs of ") && error.contains(words), "{error}");
    }
    assert_eq!(check(&law, "H2 0.0", "H2 2.4"), Ok(()));
}

#[test]
fn files_that_are_too_large_or_no_text_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.dat");
    std::fs::File::create(&path).unwrap().set_len((64 << 20) + 1).unwrap();
    let error = DatFile::read(&path).unwrap_err().to_string();
    assert!(error.ends_with("m.dat:0: file: larger than the limit of 67108864 bytes"), "{error}");
    std::fs::write(&path, b"MASS \xff").unwrap();
    let error = DatFile::read(&path).unwrap_err().to_string();
    assert!(error.ends_with("m.dat:0: file: is not UTF-8 after 5 bytes"), "{error}");
}

#[test]
fn vehicles_that_overlap_at_the_start_are_named_with_their_places() {
    let mut platoon = report("platoon1.dat");
    platoon.vehicles[1].position = [2.0, -0.5];
    let error = drive(&platoon, Dynamics::Planar, ContactModel::Box).unwrap_err().to_string();
    assert!(error.starts_with("vehicles 1 and 2 overlap at the start, at (0, 0) and (2, -0.5) m; "), "{error}");
}

#[test]
fn a_contact_that_was_not_computed_is_no_overlap() {
    let mut platoon = report("platoon1.dat");
    platoon.vehicles[1].position[0] = f64::NAN;
    let error = drive(&platoon, Dynamics::Planar, ContactModel::Box).unwrap_err();
    assert!(matches!(error, DriveError::NoNormal { status: ContactStatus::BadInput, .. }), "{error}");
    assert!(error.to_string().contains("not a number, or out of range"), "{error}");
}

#[test]
fn the_springs_give_the_equilibrium_of_the_file() {
    let platoon = report("platoon1.dat");
    let model = &platoon.models[0];
    let found = equilibrium(model, platoon.law.gravity.value);
    println!(
        "equilibrium: R3 = {:.8} m (the file has {:.8}), nose down by {:.6} (directors {:.6} and {:.6})",
        found.height, model.height, found.nose_down, -model.directors[0][2], model.directors[2][0]
    );
    assert!((found.height - 0.05039617).abs() < 1e-8);
    // The file's car deforms by some 1e-5.
    assert!((found.nose_down + model.directors[0][2]).abs() < 1e-5);
}

#[test]
fn a_car_stands_still_on_its_springs() {
    let mut platoon = report("platoon1.dat");
    platoon.vehicles.iter_mut().for_each(|vehicle| vehicle.speed = 0.0);
    for dynamics in Dynamics::ALL {
        let drive = driven(&platoon, dynamics, ContactModel::Box);
        let [first, last] = [&drive.samples[0], drive.samples.last().unwrap()];
        assert!((last.poses[0].position - first.poses[0].position).length() < 1e-8, "{dynamics:?}");
        assert!((last.poses[0].pitch - first.poses[0].pitch).abs() < 1e-8, "{dynamics:?}");
    }
}

#[test]
fn deformable_cars_meet_where_rigid_ones_do_and_turn_alike_in_the_end() {
    for (contact, sign) in [(ContactModel::Ellipsoid, 1.0), (ContactModel::Box, -1.0)] {
        let mut platoon = report("platoon1.dat");
        platoon.law.duration.value = 0.9;
        let drive = driven(&platoon, Dynamics::Deformable, contact);
        let first = &drive.impacts[0];
        let last = drive.samples.last().unwrap();
        let [a, b] = [0, 1].map(|vehicle| last.poses[vehicle].yaw_rate);
        println!(
            "{contact:?}: contact at {:.4} s, {} impacts, yaw rates {:.4} after the first and {a:.4} and {b:.4} rad/s at 0.9 s",
            first.time,
            drive.impacts.len(),
            first.after[0].yaw_rate
        );
        assert!((first.time - 0.76875640).abs() < 1e-4);
        assert!(drive.impacts.iter().all(|impact| impact.energy_lost > -1e-6));
        assert!(a * sign > 0.0 && b * sign > 0.0);
        let momentum = |sample: &super::Sample| sample.poses.iter().map(|pose| pose.velocity.x).sum::<f64>();
        let at = |time: f64| drive.samples.iter().find(|sample| sample.time >= time).unwrap();
        assert!((momentum(at(0.0)) - momentum(at(0.7688))).abs() < 1e-6);
    }
}

#[test]
fn the_examples_of_the_report_as_they_are_driven() {
    for dynamics in [Dynamics::Planar, Dynamics::Spatial] {
        for (contact, expected) in [(ContactModel::Ellipsoid, 0.443), (ContactModel::Box, -0.623)] {
            let drive = driven(&report("platoon1.dat"), dynamics, contact);
            let first = &drive.impacts[0];
            let rates = first.after.map(|pose| pose.yaw_rate);
            println!(
                "example 1, {}, {contact:?}: contact at {:.4} s, yaw rates {rates:.4?} rad/s, {} impacts",
                dynamics.name(),
                first.time,
                drive.impacts.len()
            );
            assert!((first.time - 0.76875640).abs() < 1e-6);
            assert!(rates.iter().all(|rate| (rate / expected - 1.0).abs() < 0.01), "{rates:?}");
            assert!(drive.impacts.iter().all(|impact| impact.energy_lost > -1e-6), "{:?}", drive.impacts);
        }
        let second = driven(&report("platoon2.dat"), dynamics, ContactModel::Box);
        let [(vehicles, f)] = second.passed[..] else { panic!("{:?}", second.passed) };
        println!("example 2, {}: no impact, the ellipsoids overlap down to F = {f:.3}", dynamics.name());
        assert!(second.impacts.is_empty() && vehicles == [0, 1]);
        assert!((f - 0.935).abs() < 1e-3, "{f}");
    }
}

/// Cars 3 m wide that run 2.8 m beside each other overlap by 0.2 m, and are not said to have no contact.
#[test]
fn cars_whose_boxes_part_though_they_overlap_are_listed() {
    let mut platoon = report("platoon1.dat");
    let place = |placed: &mut super::Placed, x: f64, y: f64, speed: f64| {
        (placed.position, placed.speed, placed.steering) = ([x, y], speed, 0.0);
    };
    place(&mut platoon.vehicles[0], 0.0, 0.0, 30.0);
    place(&mut platoon.vehicles[1], 20.0, 2.8, 0.0);
    let drive = driven(&platoon, Dynamics::Planar, ContactModel::Box);
    let [(vehicles, f)] = drive.parting[..] else { panic!("{:?}", drive.parting) };
    // Abreast.
    let abreast = (2.8 * SIDES_OVER_SEMI_AXES / (2.0 * 3.0)).powi(2);
    assert!(drive.impacts.is_empty() && drive.passed.is_empty() && vehicles == [0, 1]);
    assert!((f - abreast).abs() < 1e-3, "{f} {abreast}");
}

#[test]
fn a_steered_car_takes_its_circle() {
    for dynamics in Dynamics::ALL {
        let mut platoon = report("platoon1.dat");
        platoon.vehicles.truncate(1);
        (platoon.vehicles[0].steering, platoon.vehicles[0].speed) = (0.01, 20.0);
        let drive = driven(&platoon, dynamics, ContactModel::Box);
        let pose = drive.samples.last().unwrap().poses[0];
        // The linear single-track model at rest on its circle: yaw rate = v d / (l + K v^2), with K the understeer.
        let model = &platoon.models[0];
        let [front, rear] = model.axles;
        let (base, speed) = (front + rear, pose.velocity.truncate().length());
        let stiffness = 2.0 * platoon.law.cornering_stiffness.value;
        let understeer = model.mass * (rear - front) / (base * stiffness);
        let expected = speed * 0.01 / (base + understeer * speed * speed);
        println!("{}: yaw rate {:.5} rad/s, the single-track model's {expected:.5}", dynamics.name(), pose.yaw_rate);
        assert!((pose.yaw_rate / expected - 1.0).abs() < 0.01, "{} {expected}", pose.yaw_rate);
    }
}

#[test]
fn a_queue_of_cars_is_hit_one_by_one() {
    let mut platoon = report("platoon1.dat");
    let first = platoon.vehicles[0].clone();
    platoon.vehicles = (0..4)
        .map(|number| {
            let speed = if number == 0 { 20.0 } else { 10.0 };
            super::Placed { position: [7.0 * f64::from(number), 0.0], speed, ..first.clone() }
        })
        .collect();
    let drive = driven(&platoon, Dynamics::Planar, ContactModel::Box);
    let pairs: Vec<[usize; 2]> = drive.impacts.iter().map(|impact| impact.vehicles).collect();
    assert_eq!(pairs[..3], [[0, 1], [1, 2], [2, 3]]);
    let momentum = |sample: &super::Sample| sample.poses.iter().map(|pose| pose.velocity.x).sum::<f64>();
    let [start, end] = [&drive.samples[0], drive.samples.last().unwrap()].map(momentum);
    assert!((start - end).abs() < 1e-9, "{start} {end}");
}
