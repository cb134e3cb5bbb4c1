//! `study new` and `explain`: what a new user begins with.

use std::fs;

use crate::support::program::{code, path, standard_error, standard_output as printed, touchdown};

#[test]
fn a_new_study_runs_as_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    for (vehicle, length) in [("c172", "700"), ("b737", "2600")] {
        let made = directory.path().join(vehicle);
        let options = ["--vehicle", vehicle, "--length", length, "--condition", "6/5/5", "--landings", "200"];
        let output = touchdown(&[&["study", "new", path(&made)][..], &options].concat()).output().unwrap();
        assert_eq!(code(&output), 0, "{}", standard_error(&output));
        let study = made.join("study.toml");
        let text = fs::read_to_string(&study).unwrap();
        assert!(!text.contains('{') && text.contains("landings = 200 "), "{text}");
        let scene = fs::read_to_string(made.join("scene.toml")).unwrap();
        assert!(scene.contains(&format!("length = {length}")) && !scene.contains("OurAirports"), "{scene}");

        let check = touchdown(&["study", "check", path(&study)]).output().unwrap();
        assert_eq!(code(&check), 0, "{}", standard_error(&check));
        let out = directory.path().join(format!("run of {vehicle}"));
        let run = touchdown(&["study", "run", path(&study), "--out", path(&out)]).output().unwrap();
        // 200 landings decide nothing of 1e-3.
        assert_eq!(code(&run), 6, "{}", standard_error(&run));
        let text = printed(&run);
        let invalid = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .find(|row| row.first() == Some(&"invalid"));
        assert_eq!(invalid.as_deref(), Some(&["invalid", "0", "0", "%"][..]), "{text}");
    }
}

#[test]
fn a_new_study_of_many_landings_is_in_parts_that_a_directory_can_hold() {
    let directory = tempfile::tempdir().unwrap();
    let made = |landings: &str| {
        let place = directory.path().join(landings);
        (touchdown(&["study", "new", path(&place), "--landings", landings]).output().unwrap(), place.join("study.toml"))
    };
    for (landings, part_size) in [("10000000", 1000), ("2000000000", 200_000), ("1000000000000", 1 << 20)] {
        let (output, study) = made(landings);
        assert_eq!(code(&output), 0, "{}", standard_error(&output));
        let study = touchdown::study::Study::read(&study).unwrap();
        assert_eq!((study.trials.to_string().as_str(), study.part_size), (landings, part_size));
    }
    let (output, study) = made("1000000000001");
    assert!(code(&output) == 2 && !study.exists(), "{}", standard_error(&output));
}

#[test]
fn a_directory_that_is_there_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let output = touchdown(&["study", "new", path(directory.path())]).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(standard_error(&output).contains("is there already"), "{}", standard_error(&output));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn words_are_explained_and_unknown_ones_have_a_neighbour() {
    let known = touchdown(&["explain", "stopping_point"]).output().unwrap();
    assert_eq!(code(&known), 0);
    assert!(printed(&known).contains("inputs-and-outcomes"), "{}", printed(&known));
    let unknown = touchdown(&["explain", "stoping_point"]).output().unwrap();
    assert_eq!(code(&unknown), 2);
    assert!(standard_error(&unknown).contains("did you mean stopping_point"), "{}", standard_error(&unknown));
}
