//! `study verify`: what was damaged, swapped or computed by something else is found, and what was not is left alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::Particles;
use touchdown::reference::Reference;
use touchdown::study::{self, Evidence, Keep, Progress, RunDirectory, Study, SummaryState};

use crate::support::altered::Altered;
use crate::support::program::{code, contents, manifest, path, run_study, standard_error, standard_output, touchdown};

const BAD_INPUT: i32 = 2;
const DISAGREEMENT: i32 = 5;

struct Silent;

impl Progress for Silent {
    fn advanced(&mut self, _: u64, _: u64, _: &[Evidence]) {}
}

/// Code and words of `study verify`.
fn verify(run: &Path, more: &[&str]) -> (i32, String) {
    let output = touchdown(&[&["study", "verify", path(run)], more].concat()).output().unwrap();
    (code(&output), standard_output(&output) + &standard_error(&output))
}

fn tricycle(directory: &Path) -> PathBuf {
    let run = directory.join("run");
    let output = run_study(&manifest("tests/data/tricycle/study.toml"), &run, &["--engine", "native"]);
    assert!(code(&output) != BAD_INPUT, "{}", standard_error(&output));
    run
}

#[test]
fn a_good_run_is_called_good_and_comes_out_the_same_again() {
    let directory = tempfile::tempdir().unwrap();
    let run = tricycle(directory.path());
    let before = contents(&run);
    let (code, said) = verify(&run, &["--recompute", "2"]);
    println!("{said}");
    assert_eq!(code, 0, "{said}");
    for words in [
        "by engine native on cpu",
        "6 of 6 files as they were written",
        "the summary is what the files come to",
        "2 computed once more: the same bytes (00001.parquet, 00004.parquet)",
    ] {
        assert!(said.contains(words), "`{words}` is not in {said}");
    }
    assert!(contents(&run) == before, "the run has changed");
    let (code, said) = verify(&run, &["--recompute", "1", "--engine", "reference"]);
    assert_eq!(code, BAD_INPUT, "{said}");
    assert!(said.contains("was computed by engine native") && said.contains("engine reference"), "{said}");
}

#[test]
fn every_damaged_file_of_a_run_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let run = tricycle(directory.path());
    let damage = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let file = run.join(name);
        let good = fs::read(&file).unwrap();
        let mut bad = good.clone();
        change(&mut bad);
        fs::write(&file, bad).unwrap();
        (file, good)
    };
    let first = damage("parts/00001.parquet", &|bytes| bytes[200] ^= 4);
    let second = damage("parts/00004.parquet", &|bytes| bytes.truncate(300));
    let (code, said) = verify(&run, &["--recompute", "1"]);
    assert_eq!(code, BAD_INPUT, "{said}");
    assert!(said.contains("4 of 6") && said.contains("00001.parquet") && said.contains("00004.parquet"), "{said}");
    for (file, good) in [first, second] {
        fs::write(file, good).unwrap();
    }
    let (file, good) = damage("summary.json", &|bytes| {
        let digit = bytes.iter().position(u8::is_ascii_digit).unwrap();
        bytes[digit] = if bytes[digit] == b'7' { b'3' } else { b'7' };
    });
    let (code, said) = verify(&run, &[]);
    assert_eq!(code, DISAGREEMENT, "{said}");
    assert!(said.contains("the summary is DIFFERENT"), "{said}");
    fs::write(file, good).unwrap();
    let (file, good) = damage("summary.json", &|bytes| bytes[1] = 0xff);
    let (code, said) = verify(&run, &[]);
    assert_eq!(code, DISAGREEMENT, "what is no text at all: {said}");
    assert!(said.contains("6 of 6") && said.contains("the summary is DIFFERENT"), "{said}");
    fs::write(file, good).unwrap();
    // A part that goes missing after the end.
    fs::remove_file(run.join("parts/00002.parquet")).unwrap();
    let (code, said) = verify(&run, &[]);
    assert!(code == BAD_INPUT && said.contains("00002.parquet"), "{said}");
    // The study is changed beneath its parts.
    let study = run.join("study.toml");
    fs::write(&study, fs::read_to_string(&study).unwrap() + "\n# 1\n").unwrap();
    let (code, said) = verify(&run, &[]);
    assert!(code == BAD_INPUT && said.contains("belongs to another run") && said.contains("0 of 5"), "{said}");
}

#[test]
fn a_part_of_wrong_numbers_with_a_right_checksum_is_found_by_computing_it_again() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("study.toml");
    let text = fs::read_to_string(manifest("examples/particle.toml")).unwrap();
    fs::write(&file, text.replace("particles = 1000000", "particles = 300\npart_size = 100")).unwrap();
    let study = Study::read(&file).unwrap();
    let run = RunDirectory::prepare(&directory.path().join("run"), &study).unwrap();
    let lying = Altered::new().answering::<Particles>(|reference, restitution, items| {
        let mut outcomes = reference.compute::<Particles>(restitution, items).unwrap();
        outcomes.iter_mut().for_each(|outcome| outcome.peak_force *= 1.0 + f64::EPSILON);
        outcomes
    });
    let reference = Reference::new(1).unwrap();
    let stop = AtomicBool::new(false);
    for (engine, part) in [(&reference as &dyn Engine, 0), (&lying, 1), (&reference, 2)] {
        study::run(&study, engine, &run, part..part + 1, Keep::All, &mut Silent, &stop).unwrap();
    }
    let found = run.verify(&study).unwrap();
    assert!(found.damaged.is_empty() && found.summary == SummaryState::Equal, "{found:?}");
    let again = run.recompute(&study, &reference, &found.good, &mut Silent, &stop).unwrap().unwrap();
    assert_eq!(again.iter().map(|it| it.is_equal).collect::<Vec<_>>(), [true, false, true]);
    let stopped = run.recompute(&study, &reference, &found.good, &mut Silent, &AtomicBool::new(true)).unwrap();
    assert!(stopped.is_none());
}

/// A run that stops early, and knows what it counted.
#[test]
fn parts_that_are_missing_or_too_many_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let (file, run) = (directory.path().join("study.toml"), directory.path().join("run"));
    let text = "model = \"particle\"\nparticles = 64000\npart_size = 1000\nseed = 1\nsteps = 60\n\
                [inputs.step]\ndistribution = \"constant\"\nvalue = 0.02\n\
                [inputs.position]\ndistribution = \"uniform\"\nmin = 0.5\nmax = 1.5\n\
                [criteria.safe]\nquantity = \"peak_force\"\nabove = 0.0\nprobability = 0.9995\n";
    fs::write(&file, text.to_owned() + "[stopping]\ndecided = true\n").unwrap();
    let output = run_study(&file, &run, &["--engine", "native"]);
    assert!(code(&output) != BAD_INPUT, "{}", standard_error(&output));
    assert_eq!(verify(&run, &[]).0, 0);
    let last = fs::read_dir(run.join("parts")).unwrap().count() - 1;
    assert!((2..63).contains(&last), "{last}");
    let mut bytes = Vec::new();
    for part in [0, 1, last] {
        let name = format!("{part:05}.parquet");
        bytes = fs::read(run.join("parts").join(&name)).unwrap();
        fs::remove_file(run.join("parts").join(&name)).unwrap();
        let (missing, said) = verify(&run, &[]);
        println!("{said}");
        assert!(missing == BAD_INPUT && said.contains(&format!("{name}: is missing")), "{said}");
        fs::write(run.join("parts").join(&name), &bytes).unwrap();
    }
    fs::write(run.join("parts/00000 (copy).parquet"), &bytes).unwrap();
    let again = run_study(&file, &run, &["--engine", "native"]);
    assert!(code(&again) == BAD_INPUT && standard_error(&again).contains("none of them"), "{}", standard_error(&again));

    // Who asks for parts is not told the verdict by the code, and a map has a layer of this criterion's name.
    fs::write(&file, text.replace("0.9995", "1e-4")).unwrap();
    let run_all = |name: &str, parts: &[&str]| {
        code(&run_study(&file, &directory.path().join(name), &[&["--engine", "native"], parts].concat()))
    };
    assert_eq!((run_all("whole", &[]), run_all("parts", &["--parts", "0..64"])), (1, 0));
    let map =
        "[map]\nx = { input = \"position\", values = [0.9, 1.1] }\ny = { input = \"gamma\", values = [0.55, 0.6] }\n";
    fs::write(&file, text.to_owned() + map).unwrap();
    let refused = touchdown(&["study", "check", path(&file)]).output().unwrap();
    let said = standard_error(&refused);
    assert!(code(&refused) == BAD_INPUT && said.contains("a criterion is called `safe`"), "{said}");
}

#[test]
fn levels_of_subset_simulation_and_analyses_are_verified_too() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("study.toml");
    let text = fs::read_to_string(manifest("examples/particle.toml")).unwrap();
    let subset = "[sampling]\nmethod = \"subset\"\nsamples = 100\nreplicates = 8\nsmallest = 1e-6\n";
    fs::write(&file, text.replace("particles = 1000000", "") + subset).unwrap();
    let run = directory.path().join("run");
    let output = run_study(&file, &run, &["--engine", "native"]);
    assert!(code(&output) != BAD_INPUT, "{}", standard_error(&output));
    let (good, said) = verify(&run, &["--recompute", "2"]);
    println!("{said}");
    assert!(good == 0 && said.contains("2 computed once more: the same bytes"), "{said}");
    fs::write(&file, text.replace("particles = 1000000", "particles = 100")).unwrap();
    let analysis = directory.path().join("analysis");
    let words =
        ["study", "sensitivity", path(&file), "--out", path(&analysis), "--samples", "64", "--engine", "native"];
    let output = touchdown(&words).output().unwrap();
    assert!(code(&output) != BAD_INPUT, "{}", standard_error(&output));
    let (good, said) = verify(&analysis, &[]);
    assert!(good == 0 && said.contains("1 files of analyses"), "{said}");
    let sweeps =
        "[map]\nx = { input = \"position\", values = [0.9, 1.1] }\ny = { input = \"gamma\", values = [0.55, 0.6] }\n";
    fs::write(&file, text.replace("particles = 1000000", "particles = 50") + sweeps).unwrap();
    let map = directory.path().join("map");
    let words = ["study", "map", path(&file), "--out", path(&map), "--engine", "native"];
    let output = touchdown(&words).output().unwrap();
    assert_eq!(code(&output), 0, "{}", standard_error(&output));
    let (good, said) = verify(&map, &[]);
    assert!(good == 0 && said.contains("1 files of analyses"), "{said}");
    let (refused, said) = verify(&map, &["--recompute", "1"]);
    assert!(refused == BAD_INPUT && said.contains("files of analyses are not recomputed"), "{said}");
    for (run, name) in [(&analysis, "evaluations/00000.parquet"), (&map, "cells/00000.parquet"), (&map, "map.json")] {
        let good = fs::read(run.join(name)).unwrap();
        let mut bad = good.clone();
        bad[500] ^= 1;
        fs::write(run.join(name), bad).unwrap();
        let (bad, said) = verify(run, &[]);
        assert!(bad == BAD_INPUT && said.contains(name), "{name}: {said}");
        fs::write(run.join(name), &good).unwrap();
        if !name.ends_with(".json") {
            fs::remove_file(run.join(name)).unwrap();
            let (gone, said) = verify(run, &[]);
            assert!(gone == BAD_INPUT && said.contains(&format!("{name}: is missing")), "{said}");
            let second = name.replace("00000", "00001");
            fs::write(run.join(name), &good).unwrap();
            fs::write(run.join(&second), &good).unwrap();
            let (strange, said) = verify(run, &[]);
            assert!(strange == BAD_INPUT && said.contains(&format!("{second}: is none of the files")), "{said}");
            fs::remove_file(run.join(second)).unwrap();
        }
    }
    // Results of another study.
    for name in ["sensitivity.json", "sensitivity.parquet"] {
        fs::copy(analysis.join(name), map.join(name)).unwrap();
    }
    let (other, said) = verify(&map, &[]);
    assert!(other == BAD_INPUT && said.contains("that of another study"), "{said}");
}
