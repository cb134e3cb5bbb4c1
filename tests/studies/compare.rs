//! Two runs beside each other, through the program.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::program::{data, manifest, output, path};

/// Runs a changed copy of the tricycle's study in a directory of its own.
fn run(directory: &Path, name: &str, changes: &[(&str, &str, &str)]) -> PathBuf {
    let place = directory.join(name);
    fs::create_dir(&place).unwrap();
    for file in ["vehicle.toml", "scene.toml", "study.toml"] {
        let mut text = fs::read_to_string(data(file)).unwrap();
        for (_, before, after) in changes.iter().filter(|change| change.0 == file) {
            assert!(text.contains(before), "{before}");
            text = text.replace(before, after);
        }
        fs::write(place.join(file), text).unwrap();
    }
    let out = place.join("run");
    let output = output(&["study", "run", path(&place.join("study.toml")), "--out", path(&out)]);
    assert!([0, 1, 6].contains(&output.status.code().unwrap()), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

fn compared(first: &Path, second: &Path) -> String {
    let output = output(&["study", "compare", path(first), path(second)]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The row of a name in the tables.
fn row<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap()
}

#[test]
fn equal_runs_show_nothing_however_they_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    let whole = run(directory.path(), "whole", &[]);
    let text = compared(&whole, &whole);
    assert!(text.contains("  none\n") && text.contains("600 landings of each, paired by number"), "{text}");
    assert!(!text.contains("differs"), "{text}");
    assert!(text.contains("the 0 p-values of criteria") && row(&text, "broken").contains("identical"), "{text}");
    let json = directory.path().join("compared.json");
    assert_eq!(output(&["study", "compare", path(&whole), path(&whole), "--json", path(&json)]).status.code(), Some(0));
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!((&json["criteria"][1]["name"], &json["tests"]), (&"broken".into(), &serde_json::json!([0, 0])));
    assert_eq!(json["criteria"][1]["untested"], "identical in both runs");
    let cut = run(directory.path(), "cut", &[("study.toml", "part_size = 100", "part_size = 70")]);
    let same = compared(&whole, &cut);
    assert_eq!(text.split_once("paired by").unwrap().1, same.split_once("paired by").unwrap().1);
}

#[test]
fn a_change_that_matters_is_found_and_said_and_one_that_does_not_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let before = run(directory.path(), "before", &[]);
    let harder = [
        ("study.toml", "mean = 1.5\nsd = 1.2", "mean = 2.5\nsd = 1.2"),
        ("study.toml", "probability = 0.3", "probability = 0.4"),
    ];
    let text = compared(&before, &run(directory.path(), "harder", &harder));
    assert!(
        text.contains("inputs.sink_rate: lognormal, mean 1.5") && text.contains("-> lognormal, mean 2.5"),
        "{text}"
    );
    assert!(text.contains("criteria.long_landing: ") && text.contains("probability 0.4"), "{text}");
    // Two thirds more of sink rate on the same landings.
    assert!(row(&text, "touchdown_sink_rate").ends_with("differs"), "{text}");
    // What stops the vehicle late, or breaks it, is its speed.
    assert!(row(&text, "long_landing").ends_with("no difference seen"), "{text}");
    // It does not change where the approach is flown to the side.
    assert!(
        ["no difference", "identical"].iter().any(|words| row(&text, "touchdown_lateral").contains(words)),
        "{text}"
    );
}

#[test]
fn other_seeds_are_unpaired_and_do_not_differ() {
    let directory = tempfile::tempdir().unwrap();
    let first = run(directory.path(), "first", &[]);
    let second = run(
        directory.path(),
        "second",
        &[("study.toml", "seed = 7", "seed = 8"), ("study.toml", "landings = 600", "landings = 500")],
    );
    let text = compared(&first, &second);
    assert!(text.contains("seed: 7 -> 8") && text.contains("landings: 600 -> 500"), "{text}");
    assert!(text.contains("600 and 500 landings, unpaired"), "{text}");
    assert!(!text.contains("differs"), "{text}");
}

#[test]
fn changed_files_are_shown_by_their_lines() {
    let directory = tempfile::tempdir().unwrap();
    let first = run(directory.path(), "first", &[]);
    let second = run(directory.path(), "second", &[("vehicle.toml", "mass = 1043", "mass = 1044")]);
    let text = compared(&first, &second);
    assert!(
        text.contains("  vehicle.toml: changed\n") && text.contains("    - mass = 1043\n    + mass = 1044\n"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_compared_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let whole = run(directory.path(), "whole", &[]);
    let refused = |second: &Path, words: &str| {
        let output = output(&["study", "compare", path(&whole), path(second)]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(words), "{error}");
    };
    refused(&directory.path().join("nowhere"), "nowhere");
    let damaged = run(directory.path(), "damaged", &[]);
    fs::write(damaged.join("parts/00003.parquet"), "no table").unwrap();
    refused(&damaged, "00003.parquet");
    fs::remove_file(damaged.join("parts/00003.parquet")).unwrap();
    assert!(compared(&whole, &damaged).contains("of the second run 300 of 600 landings are there"));
    fs::remove_file(damaged.join("parts/00000.parquet")).unwrap();
    refused(&damaged, "there is no finished part");
    let text = fs::read_to_string(manifest("examples/particle.toml")).unwrap();
    let file = directory.path().join("particles.toml");
    fs::write(&file, text.replace("particles = 1000000", "particles = 100")).unwrap();
    let particles = directory.path().join("particles");
    let run = output(&["study", "run", path(&file), "--out", path(&particles)]);
    assert!(run.status.code() != Some(2), "{}", String::from_utf8_lossy(&run.stderr));
    refused(&particles, "only runs of one model can be compared");
}
