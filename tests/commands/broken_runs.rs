//! Directories of runs, damaged, shared and left behind: whatever stands there, a verdict is right or is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::program::{code, data, standard_error, standard_output, touchdown};

const BAD_INPUT: i32 = 2;

/// A directory with the tricycle's study, its landings cut to some and its text changed.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new(change: impl Fn(&str) -> String) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(data("study.toml").parent().unwrap()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), directory.path().join(entry.file_name())).unwrap();
        }
        let place = Self { directory };
        let text = fs::read_to_string(place.file("study.toml")).unwrap();
        fs::write(place.file("study.toml"), change(&text.replace("= 600", "= 40").replace("= 100", "= 20"))).unwrap();
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The program with these words, at work here.
    fn run(&self, line: &str) -> Output {
        touchdown(&line.split_whitespace().collect::<Vec<_>>()).current_dir(self.directory.path()).output().unwrap()
    }

    /// What the program says when it refuses.
    fn refused(&self, line: &str, words: &[&str]) {
        let output = self.run(line);
        let said = standard_error(&output);
        assert_eq!(code(&output), BAD_INPUT, "{line}: {said}");
        for word in words {
            assert!(said.contains(word), "{line}: `{word}` is not in {said}");
        }
        assert_eq!(said.trim_end().lines().count(), 1, "{line}: {said}");
    }
}

fn flip(file: &Path, byte: usize) {
    let mut bytes = fs::read(file).unwrap();
    let byte = byte % bytes.len();
    bytes[byte] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_bit_of_a_part_that_flips_is_noticed_by_whoever_reads_it() {
    let place = Place::new(str::to_owned);
    let whole = place.run("study run study.toml --out run --engine native");
    place.run("study run study.toml --out other --engine native");
    let part = place.file("run/parts/00001.parquet");
    let good = fs::read(&part).unwrap();
    let sums = good.windows(14).position(|window| window == b"touchdown.sums").unwrap();
    let lines = [
        "study run study.toml --out run --engine native",
        "study report run",
        "study replay run --landing 25 --engine native",
        "study merge run --out merged",
        "study compare run other",
        "study compare other run",
    ];
    for byte in [4, good.len() / 4, sums + 20, sums + 40, good.len() - 9] {
        flip(&part, byte);
        for line in lines {
            place.refused(line, &["run/parts/00001.parquet", "checksum", "delete it"]);
        }
        fs::write(&part, &good).unwrap();
    }
    let again = place.run(lines[0]);
    assert_eq!(code(&again), code(&whole), "{}", standard_error(&again));
    // A part of a version that wrote no checksums.
    let key = good.windows(16).position(|window| window == b"touchdown.sha256").unwrap();
    flip(&part, key);
    place.refused(lines[0], &["run/parts/00001.parquet", "carries no checksum", "delete it"]);
}

#[test]
fn a_bit_of_an_analysis_that_flips_is_noticed() {
    let place = Place::new(str::to_owned);
    let line = "study sensitivity study.toml --out run --samples 16 --engine native";
    let first = place.run(line);
    assert!(code(&first) != BAD_INPUT, "{}", standard_error(&first));
    let json = place.file("run/sensitivity.json");
    let good = fs::read_to_string(&json).unwrap();
    fs::write(&json, good.replacen("\"events\": ", "\"events\": 1", 1)).unwrap();
    place.refused("study report run", &["run/sensitivity.json", "checksum", "delete it"]);
    fs::write(&json, &good).unwrap();
    flip(&place.file("run/sensitivity.parquet"), 100);
    place.refused("study report run", &["run/sensitivity.parquet", "checksum"]);
    flip(&place.file("run/evaluations/00000.parquet"), 1000);
    place.refused(line, &["run/evaluations/00000.parquet", "checksum"]);
}

#[test]
fn what_is_wrong_with_a_run_is_told_before_anything_is_written_or_read_without_end() {
    let place = Place::new(str::to_owned);
    place.run("study run study.toml --out run --engine native");
    let without_end = |name: &str| fs::File::create(place.file(name)).unwrap().set_len((64 << 20) + 1).unwrap();
    let is_nothing_there = || ["t.csv", "t.png", "f"].iter().all(|name| !place.file(name).exists());
    // A landing has no pictures of moments.
    let line = "study replay run --item 0 --trace t.csv --render t.png";
    place.refused(&format!("{line} --frames f"), &["--frames: a landing has no pictures of moments"]);
    place.refused(&format!("{line} --frames f --frame-rate 1e-300"), &["--frame-rate 1e-300: must be from"]);
    assert!(is_nothing_there());
    // A part that is none of the study's.
    fs::copy(place.file("run/parts/00000.parquet"), place.file("run/parts/00009.parquet")).unwrap();
    for verb in ["verify", "report"] {
        place.refused(&format!("study {verb} run"), &["run/parts/00009.parquet", "the study has only 2 parts"]);
    }
    assert!(!place.file("run/report.html").exists());
    fs::remove_file(place.file("run/parts/00009.parquet")).unwrap();
    // One that sorts before all parts is not taken for one.
    fs::write(place.file("run/parts/+notes.txt"), "").unwrap();
    for verb in ["verify run", "merge run --out merged"] {
        place.refused(&format!("study {verb}"), &["run/parts/+notes.txt", "this is none of them; move it elsewhere"]);
    }
    fs::remove_file(place.file("run/parts/+notes.txt")).unwrap();
    // Hidden files are the file system's: NFS has one for each file that is removed while it is read.
    fs::write(place.file("run/parts/.nfs0001"), "").unwrap();
    fs::write(place.file("run/parts/._00001.parquet"), "").unwrap();
    let verified = place.run("study verify run");
    assert_eq!(code(&verified), 0, "{}", standard_error(&verified));
    let merged = place.run("study merge run --out merged");
    let summary = |run: &str| fs::read(place.file(run).join("summary.json")).ok();
    assert_eq!(summary("merged"), summary("run"), "{}", standard_error(&merged));
    assert!(summary("run").is_some());
    // Files of text without end.
    let limit = "larger than the limit of 67108864 bytes";
    without_end("run/sensitivity.json");
    place.refused("study report run", &["run/sensitivity.json", limit]);
    fs::remove_file(place.file("run/sensitivity.json")).unwrap();
    without_end("run/summary.json");
    place.refused("study verify run", &["run/summary.json", limit]);
    // A run whose parts are of another seed.
    let study = fs::read_to_string(place.file("run/study.toml")).unwrap();
    let seed = study.lines().find(|line| line.starts_with("seed = ")).unwrap();
    fs::write(place.file("run/study.toml"), study.replace(seed, "seed = 99")).unwrap();
    place.refused(line, &["run/parts/00000.parquet", "touchdown.seed", "belongs to another run"]);
    assert!(is_nothing_there());
}

#[test]
fn a_probability_that_no_study_can_show_is_said_to_be_one() {
    let place = Place::new(|text| text.replace("probability = 0.001", "probability = 1e-310"));
    let output = place.run("study check study.toml --engine native");
    let said = standard_output(&output);
    let words = "cannot be met with 40 landings; without any event it takes more than the 1e12 that a study may have";
    assert!(said.contains(words) && !said.contains("inf\n"), "{said}");
}

#[test]
fn a_confidence_below_a_half_is_refused_and_a_low_one_is_pointed_out() {
    let with = |confidence: &str| {
        Place::new(|text| text.replace("\nprobability = ", &format!("\nconfidence = {confidence}\nprobability = ")))
    };
    for mistyped in ["0.05", "0.49999", "1", "0.9999999999"] {
        with(mistyped).refused("study run study.toml --out run", &["study.toml:", "confidence", mistyped, "0.95"]);
    }
    let low = with("0.6").run("study run study.toml --out run --engine native");
    assert!(code(&low) != BAD_INPUT, "{}", standard_error(&low));
    let said = standard_error(&low);
    assert!(said.contains("warning: study.toml:") && said.contains("40 % of studies"), "{said}");
    let usual = with("0.9").run("study run study.toml --out run --engine native");
    assert!(!standard_error(&usual).contains("low confidence"), "{}", standard_error(&usual));
}

#[test]
fn a_limit_of_more_than_half_a_turn_without_a_unit_is_pointed_out() {
    let with = |limit: &str| {
        let criterion =
            format!("\n[criteria.tail]\nquantity = \"touchdown_pitch\"\nabove = {limit}\nprobability = 0.5\n");
        standard_error(&Place::new(|text| text.to_owned() + &criterion).run("study check study.toml --engine native"))
    };
    let said = with("6");
    assert!(said.contains("warning: study.toml:") && said.contains("above: 6 without a unit is in radians"), "{said}");
    for meant in ["\"6 deg\"", "0.1", "\"370 deg\""] {
        let said = with(meant);
        assert!(!said.contains("in radians"), "{meant}: {said}");
    }
}

#[test]
fn a_directory_in_which_another_process_is_at_work_is_left_alone() {
    let place = Place::new(str::to_owned);
    let line = "study run study.toml --out run --engine native";
    let first = place.run(line);
    let owner = fs::File::open(place.file("run/lock")).unwrap();
    owner.try_lock().unwrap();
    let half = place.file("run/parts/.00001.parquet.a1b2c3.partial");
    fs::write(&half, "half a part").unwrap();
    for line in [line, "study sensitivity study.toml --out run --samples 16", "study merge run --out run"] {
        place.refused(line, &["run", "another process is at work"]);
    }
    assert!(half.exists(), "what the other process writes is taken away");
    // The operating system unlocks it when its owner ends.
    drop(owner);
    let again = place.run(line);
    assert_eq!(code(&again), code(&first), "{}", standard_error(&again));
    assert!(!half.exists());
}

#[test]
fn what_killed_processes_left_is_taken_away_wherever_a_run_writes() {
    let place = Place::new(str::to_owned);
    let line = "study run study.toml --out run --engine native";
    place.run(line);
    let left = ["", "files/", "parts/"].map(|directory| place.file(&format!("run/{directory}.study.toml.x.partial")));
    for file in &left {
        fs::write(file, "half").unwrap();
    }
    place.run(line);
    for file in &left {
        assert!(!file.exists(), "{}", file.display());
    }
}

#[test]
fn a_merge_of_a_damaged_part_names_that_part_and_leaves_nothing() {
    let place = Place::new(str::to_owned);
    place.run("study run study.toml --out run --engine native");
    flip(&place.file("run/parts/00001.parquet"), 500);
    place.refused("study merge run --out merged", &["run/parts/00001.parquet"]);
    assert!(!place.file("merged").exists(), "an unfinished merge stays");
}
