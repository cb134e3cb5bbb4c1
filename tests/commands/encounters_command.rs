//! `touchdown encounters` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use touchdown::table::{ColumnKind, TableReader, Wanted};

const HEADER: &str =
    "a_x,a_y,a_yaw,a_speed,b_x,b_y,b_yaw,b_speed,length,width,height,radius,mass,yaw_inertia,restitution,friction\n";
/// The report's vehicles.
const VEHICLE: &str = "5,3,2.9,0.3,1573,2782,0.5,0";

fn encounters(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.arg("encounters").args(arguments).current_dir(directory).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The report's two examples.
fn write_examples(directory: &Path) {
    let rows = format!("{HEADER}0,0,0,29.1,7,-2,0,26.8,{VEHICLE}\n0,0,0,29.1,6,3.6,0,26.8,{VEHICLE}\n");
    fs::write(directory.join("in.csv"), rows).unwrap();
}

#[test]
fn the_report_s_examples_as_items() {
    let directory = tempfile::tempdir().unwrap();
    write_examples(directory.path());
    for (contact, yaw_rate, second) in [("ellipsoid", 0.443, "contact"), ("box", -0.623, "none")] {
        for (out, engine) in [("out.csv", "reference"), ("out.parquet", "native")] {
            let arguments = ["--items", "in.csv", "--contact", contact, "--out", out, "--engine", engine];
            let output = encounters(directory.path(), &arguments);
            assert!(output.status.success(), "{}", errors(&output));
            let text = |name| Wanted::required(name, ColumnKind::Text);
            let number = |name| Wanted::optional(name, ColumnKind::Number);
            let wanted = [text("status"), number("t"), number("a_yaw_rate"), number("b_yaw_rate"), number("impulse")];
            let chunk = TableReader::open(&directory.path().join(out), &wanted).unwrap().next().unwrap().unwrap();
            let statuses: Vec<String> = chunk.texts(0).unwrap().iter().flatten().cloned().collect();
            assert_eq!(statuses, ["contact", second]);
            let first = |column: usize| chunk.numbers(column).unwrap()[0].unwrap();
            println!("{contact}: contact at {:.4} s, yaw rates {:.4} and {:.4} rad/s", first(1), first(2), first(3));
            assert!((first(1) - 0.769).abs() < 5e-4);
            assert!((first(2) / yaw_rate - 1.0).abs() < 0.01 && (first(3) / yaw_rate - 1.0).abs() < 0.01);
            assert_eq!(chunk.numbers(4).unwrap()[1].is_none(), second == "none");
        }
    }
}

#[test]
fn bad_items_are_refused_by_row_and_column() {
    let directory = tempfile::tempdir().unwrap();
    let good = format!("0,0,0,29.1,7,-2,0,26.8,{VEHICLE}\n");
    for (bad, words) in [
        (
            good.replace("2.9,0.3", "2.9,1.5"),
            "row 1 (the first is 0): column radius: 1.5e0 must be between 2.9e-3 and 1.45e0",
        ),
        (good.replace("0.5,0", "1.5,0"), "column restitution: 1.5e0 must be between 0e0 and 1e0"),
        (good.replace("2782", "0"), "column yaw_inertia"),
        (good.replace("26.8", "fast"), "b_speed"),
        (good.replace("26.8", ""), "b_speed"),
    ] {
        fs::write(directory.path().join("in.csv"), format!("{HEADER}{good}{bad}")).unwrap();
        let output = encounters(directory.path(), &["--items", "in.csv", "--out", "out.csv", "--engine", "native"]);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(errors(&output).contains(words), "{words}: {}", errors(&output));
        assert!(!directory.path().join("out.csv").exists());
    }
    let output = encounters(directory.path(), &["--items", "in.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("--out"), "{}", errors(&output));
}

#[test]
fn the_report_s_examples_as_platoons() {
    let directory = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/encounters");
    let file = |name: &str| examples.join(name).display().to_string();
    for (platoon, contact, yaw_rate) in [
        ("platoon1.dat", "ellipsoid", Some(0.443)),
        ("platoon1.dat", "box", Some(-0.623)),
        ("platoon2.dat", "box", None),
    ] {
        let (model, platoon) = (file("model.dat"), file(platoon));
        let output = encounters(directory.path(), &["run", &model, &platoon, "--contact", contact, "--out", "run"]);
        assert!(output.status.success(), "{}", errors(&output));
        println!("{}", String::from_utf8_lossy(&output.stdout));
        let run = directory.path().join("run");
        let summary: serde_json::Value = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
        let first = &summary["first_impacts"][0];
        match yaw_rate {
            Some(expected) => {
                assert!((first["time"].as_f64().unwrap() - 0.769).abs() < 5e-4);
                let rates = first["yaw_rates_after"].as_array().unwrap();
                assert!(rates.iter().all(|rate| (rate.as_f64().unwrap() / expected - 1.0).abs() < 0.01), "{rates:?}");
            }
            None => {
                assert!(first.is_null());
                assert!((summary["passed"][0]["least_contact_function"].as_f64().unwrap() - 0.935).abs() < 1e-3);
            }
        }
        let assumed = summary["given"].as_array().unwrap().iter().filter(|given| given["assumed"] == true).count();
        assert_eq!(assumed, 3, "{}", summary["given"]);
        let wanted = [Wanted::required("time", ColumnKind::Number), Wanted::required("vehicle", ColumnKind::Integer)];
        let chunk = TableReader::open(&run.join("tracks.parquet"), &wanted).unwrap().next().unwrap().unwrap();
        assert!(chunk.len() > 600 && chunk.integers(1).unwrap().contains(&Some(2)));
        assert!(fs::read_to_string(run.join("view.svg")).unwrap().ends_with("</svg>\n"));
        assert!(fs::read(run.join("view.png")).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn cars_that_stay_together_after_a_plastic_impact_are_told_of_once_and_soon() {
    let directory = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/encounters");
    let file = |name: &str| examples.join(name).display().to_string();
    let vehicle = fs::read_to_string(examples.join("vehicle.toml")).unwrap();
    let vehicle = vehicle.replace("3 s", "1 s").replace("restitution = 0.5", "restitution = 0");
    fs::write(directory.path().join("v.toml"), vehicle.replace("friction = 0.0", "friction = 0.5")).unwrap();
    let (model, platoon) = (file("model.dat"), file("platoon1.dat"));
    let arguments = ["run", &model, &platoon, "--vehicle", "v.toml", "--dynamics", "planar", "--out", "run"];
    let output = encounters(directory.path(), &arguments);
    assert!(output.status.success(), "{}", errors(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("5 impacts in all\n"), "{text}");
    assert!(text.contains("vehicles 1 and 2: at other times than their impacts the ellipsoids overlap"), "{text}");
}

#[test]
fn bad_platoons_are_refused_by_line_and_field() {
    let directory = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/encounters");
    let text = |name: &str| fs::read_to_string(examples.join(name)).unwrap();
    let vehicle = text("vehicle.toml").replace("friction = 0.0", "friction = -1");
    let overlapping = text("platoon1.dat").replace("X 7.0", "X 2.0");
    for (model, platoon, vehicle, words) in [
        (
            text("model.dat").replace("MASS 1573.0", "MASS x"),
            text("platoon1.dat"),
            text("vehicle.toml"),
            "m.dat:8: MASS: ",
        ),
        (text("model.dat"), text("platoon1.dat").replace("SPEED 26.8", ""), text("vehicle.toml"), "p.dat:13: SPEED: "),
        (text("model.dat"), text("platoon1.dat"), vehicle, "v.toml:9:12: assumed.friction: "),
        (text("model.dat"), overlapping, text("vehicle.toml"), "p.dat: vehicles 1 and 2 overlap at the start"),
    ] {
        for (name, text) in [("m.dat", model), ("p.dat", platoon), ("v.toml", vehicle)] {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let output = encounters(directory.path(), &["run", "m.dat", "p.dat", "--vehicle", "v.toml", "--out", "run"]);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(errors(&output).contains(words), "{words}: {}", errors(&output));
        assert!(!directory.path().join("run").exists());
    }
}
