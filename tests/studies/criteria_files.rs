//! Criteria from files of their own: read, kept with the run, shown with their sources; wrong ones are clear errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use touchdown::study::Study;
use touchdown::validation::LandingStudy;

const STANDARD: &str = r#"
name = "A standard"

[criteria.hard]
quantity = "touchdown_sink_rate"
above = "10 ft/s"
probability = 0.5
source = "paragraph 7 <b>"
checked = "unverified"

[criteria.wide]
quantity = "touchdown_outboard"
above = 6
probability = 0.5
"#;

/// The tricycle's study with a criteria file beside it.
fn study(directory: &Path, standard: &str) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle");
    for file in ["vehicle.toml", "scene.toml"] {
        fs::copy(data.join(file), directory.join(file)).unwrap();
    }
    let text = fs::read_to_string(data.join("study.toml")).unwrap();
    let study = directory.join("study.toml");
    fs::write(&study, format!("criteria_files = [\"standard.toml\"]\n{text}")).unwrap();
    fs::write(directory.join("standard.toml"), standard).unwrap();
    study
}

fn touchdown(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchdown")).args(arguments).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn criteria_of_a_file_come_first_and_their_sources_stand_in_summary_and_report() {
    let directory = tempfile::tempdir().unwrap();
    let (study, out) = (study(directory.path(), STANDARD), directory.path().join("run"));
    touchdown(&["study", "run", text(&study), "--out", text(&out)]);
    // The run stands alone.
    fs::remove_file(directory.path().join("standard.toml")).unwrap();
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    let names: Vec<&str> =
        summary["criteria"].as_array().unwrap().iter().map(|criterion| criterion["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["hard", "wide", "long_landing", "broken"]);
    assert_eq!(summary["criteria"][0]["source"]["text"], "paragraph 7 <b>");
    assert_eq!(summary["criteria"][0]["source"]["checked"], "unverified");
    assert!(summary["criteria"][1].get("source").is_none());
    assert!(summary["criteria"][1]["events"].as_u64().unwrap() > 0, "some land beside the middle");

    let report = touchdown(&["study", "report", text(&out)]);
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    let html = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.contains("paragraph 7 &#60;b&#62; (unverified)"), "escaped, and said how far it was checked");
}

#[test]
fn the_outermost_wheel_is_as_far_out_as_the_vehicle_and_half_its_track() {
    let directory = tempfile::tempdir().unwrap();
    let study = LandingStudy::of(Study::read(&study(directory.path(), STANDARD)).unwrap()).unwrap();
    let outermost = study.job.vehicle.wheels.iter().map(|wheel| wheel.position.y.abs()).fold(0.0, f64::max);
    assert!(outermost > 0.5, "the tricycle's main wheels are apart");
    let engine = touchdown::reference::Reference::new(1).unwrap();
    let inputs: Vec<_> = (0..50).map(|landing| study.landing_inputs(landing)).collect();
    let quantity = study.quantities().iter().find(|quantity| quantity.name == "touchdown_outboard").unwrap();
    let mut touched = 0;
    for outcome in touchdown::engine::Engine::landings(&engine, &study.job, &inputs).unwrap() {
        let expected = outcome.touchdown.map(|touchdown| touchdown.lateral.abs() + outermost);
        assert_eq!(quantity.of(&outcome), expected);
        touched += u32::from(expected.is_some());
    }
    assert!(touched > 40, "{touched}");
}

#[test]
fn wrong_criteria_files_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    for (wrong, words) in [
        (STANDARD.replace("[criteria.wide]", "[criteria.broken]"), "there is a criterion `broken` already"),
        (STANDARD.replace("checked = \"unverified\"", ""), "checked"),
        (STANDARD.replace("\"unverified\"", "\"believed\""), r#"must be one of "verified", "secondary", "unverified""#),
        (STANDARD.replace("name = \"A standard\"", ""), "name"),
        (STANDARD.replace("above = 6", "above = 6\nbelow = 7"), "below"),
        (format!("{STANDARD}\nprobability_of_rain = 1"), "probability_of_rain"),
    ] {
        let study = study(directory.path(), &wrong);
        let output = touchdown(&["study", "check", text(&study)]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(words), "{words}: {message}");
    }
    let study = study(directory.path(), STANDARD);
    fs::remove_file(directory.path().join("standard.toml")).unwrap();
    let output = touchdown(&["study", "check", text(&study)]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && message.contains("criteria_files"), "{message}");
}

#[test]
fn the_criteria_that_come_with_the_examples_can_be_read_and_say_their_sources() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/criteria");
    let mut files = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let standard = fs::read_to_string(entry.unwrap().path()).unwrap();
        let room = tempfile::tempdir().unwrap();
        let study = Study::read(&study(room.path(), &standard)).unwrap();
        let of_file = &study.criteria[..study.criteria.len() - 2];
        assert!(of_file.len() > 2 && of_file.iter().all(|criterion| criterion.source.is_some()));
        files += 1;
    }
    assert!(files > 0);
}
