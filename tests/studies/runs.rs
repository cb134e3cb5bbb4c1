//! Whole runs through the program: same bytes whatever happens, merging, replaying, clear errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use touchdown::study::Study;

use crate::support::program;
use crate::support::program::{code, contents, data, path, run_study, standard_error, standard_output, touchdown};

/// The study's own verdict: its criterion on broken wheels fails.
const CRITERION_FAILED: i32 = 1;

#[test]
fn one_and_two_threads_give_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one"), directory.path().join("two"));
    let output = run_study(&data("study.toml"), &one, &["--threads", "1"]);
    assert_eq!(code(&output), CRITERION_FAILED, "{}", standard_error(&output));
    run_study(&data("study.toml"), &two, &["--threads", "2"]);
    let (one, two) = (contents(&one), contents(&two));
    assert_eq!(one.len(), 7, "six parts and a summary");
    assert!(one == two);
}

#[test]
fn landings_that_the_time_limit_ends_are_not_taken_for_safe() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["vehicle.toml", "scene.toml"] {
        fs::copy(data(name), directory.path().join(name)).unwrap();
    }
    let (study, out) = (directory.path().join("study.toml"), directory.path().join("out"));
    let text = fs::read_to_string(data("study.toml")).unwrap();
    let text = text.replace("time_limit = 20", "time_limit = 0.4");
    let inputs = text.split("[criteria").next().unwrap().to_owned();
    let criterion =
        |quantity: &str| format!("[criteria.no_{quantity}]\nquantity = \"{quantity}\"\nprobability = 0.5\n");
    let classes = ["overran", "veered_off", "wheel_broken", "unfinished"];
    let limit = "[criteria.slow]\nquantity = \"runway_end_speed\"\nabove = 5\nprobability = 0.5\n";
    fs::write(&study, inputs + &classes.map(criterion).concat() + limit).unwrap();
    let output = run_study(&study, &out, &[]);
    assert_eq!(code(&output), CRITERION_FAILED, "{}", standard_error(&output));
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    let unfinished = summary["classes"]["unfinished"].as_u64().unwrap();
    assert!(unfinished > 500, "{summary}");
    for criterion in summary["criteria"].as_array().unwrap() {
        assert!(criterion["verdict"] == "failed" && criterion["events"].as_u64().unwrap() >= unfinished, "{criterion}");
    }
    let said = standard_output(&output);
    assert!(said.contains(&format!("note: {unfinished} landings unfinished: ")), "{said}");
    assert!(said.contains("note: no_overran counts 600 landings of other classes"), "{said}");
    let report = program::output(&["study", "report", path(&out)]);
    assert_eq!(code(&report), 0);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("of other classes, in which it happened too"));
}

#[test]
fn a_study_of_its_text_and_one_of_its_files_in_memory_are_the_study_of_its_file() {
    let file = data("study.toml");
    let study = Study::read(&file).unwrap();
    let parsed = Study::parse(&file, &study.text()).unwrap();
    let files = study.files().into_iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
    let sent = Study::in_memory("study.toml", &study.text(), files).unwrap();
    assert_eq!((parsed.hash(), sent.hash()), (study.hash(), study.hash()));
    assert!(!study.is_json() && study.files().len() >= 2);
    let error = Study::parse(&file, "seed = 1").unwrap_err().to_string();
    assert!(error.starts_with(file.to_str().unwrap()), "{error}");
    // Relative to another place there are no such files.
    assert!(Study::parse(Path::new("elsewhere/study.toml"), &study.text()).is_err());
}

#[test]
fn a_run_killed_three_times_ends_with_the_bytes_of_an_uninterrupted_one() {
    let directory = tempfile::tempdir().unwrap();
    let (whole, killed) = (directory.path().join("whole"), directory.path().join("killed"));
    let started = std::time::Instant::now();
    run_study(&data("study.toml"), &whole, &["--threads", "1"]);
    let time = started.elapsed();
    for (attempt, share) in [0.15, 0.35, 0.55].into_iter().enumerate() {
        let mut child =
            touchdown(&["study", "run", path(&data("study.toml")), "--out", path(&killed), "--threads", "1"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
        // The process number makes the moments differ from run to run.
        let jitter = Duration::from_millis(u64::from(std::process::id() % 50) * (attempt as u64 + 1));
        std::thread::sleep(time.mul_f64(share) + jitter);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = run_study(&data("study.toml"), &killed, &["--threads", "1"]);
    assert_eq!(code(&output), CRITERION_FAILED, "{}", standard_error(&output));
    assert!(contents(&whole) == contents(&killed));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let command = touchdown(&["study", "run", path(&data("study.toml")), "--out", path(directory.path())]);
    program::assert_an_interrupt_is_heard(command, &directory.path().join("parts"), "summary.json");
}

#[test]
fn parts_computed_apart_merge_to_the_same_run_and_nothing_else_does() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = data("study.toml");
    run_study(&study, &place("whole"), &[]);
    let first = run_study(&study, &place("a"), &["--parts", "0..2"]);
    assert_eq!(code(&first), 0, "some parts decide nothing");
    assert!(!standard_output(&first).contains("met"), "{}", standard_output(&first));
    run_study(&study, &place("b"), &["--parts", "2..6"]);
    run_study(&study, &place("c"), &["--parts", "5..6"]);
    let merge = |from: &[&str], into: &str| {
        let from: Vec<PathBuf> = from.iter().map(|name| place(name)).collect();
        let out = place(into);
        let mut arguments = vec!["study", "merge"];
        arguments.extend(from.iter().map(|from| path(from)));
        arguments.extend(["--out", path(&out)]);
        touchdown(&arguments).output().unwrap()
    };
    assert_eq!(code(&merge(&["b", "a"], "merged")), CRITERION_FAILED);
    assert!(contents(&place("merged")) == contents(&place("whole")));

    run_study(&study, &place("few"), &["--parts", "2..6", "--keep", "failures"]);
    let mixed = merge(&["a", "few"], "mixed");
    assert_eq!(code(&mixed), 2);
    let said = standard_error(&mixed);
    assert!(
        said.contains("00002.parquet") && said.contains("--keep failures, the first one with --keep all"),
        "{said}"
    );

    let gap = merge(&["a", "c"], "gap");
    assert_eq!(code(&gap), 2);
    assert!(standard_error(&gap).contains("missing parts: 2 to 4"), "{}", standard_error(&gap));
    let overlap = merge(&["a", "b", "c"], "overlap");
    assert_eq!(code(&overlap), 2);
    assert!(standard_error(&overlap).contains("00005.parquet"), "{}", standard_error(&overlap));

    let other = place("study");
    copy_study(&other, |text| text.replace("seed = 7", "seed = 8"));
    run_study(&other.join("study.toml"), &place("d"), &["--parts", "2..6"]);
    let foreign = merge(&["a", "d"], "foreign");
    assert_eq!(code(&foreign), 2);
    let said = standard_error(&foreign);
    assert!(said.contains("another study than") && said.contains("leave one of them out"), "{said}");
    assert!(said.ends_with("what differs, from the first to that:\n  seed: 7 -> 8\n"), "{said}");
    assert!(!said.contains("--out"), "another --out would not help: {said}");
    // A part of another study smuggled into a directory of this one.
    fs::copy(place("d/parts/00002.parquet"), place("b/parts/00002.parquet")).unwrap();
    let smuggled = merge(&["a", "b"], "smuggled");
    assert_eq!(code(&smuggled), 2);
    assert!(standard_error(&smuggled).contains("00002.parquet"), "{}", standard_error(&smuggled));
    let resumed = run_study(&study, &place("b"), &[]);
    assert_eq!(code(&resumed), 2, "a run refuses it as well");
}

/// The tricycle's study with 40 landings in four parts.
fn small_study(to: &Path) -> PathBuf {
    copy_study(to, |text| text.replace("landings = 600", "landings = 40").replace("part_size = 100", "part_size = 10"));
    to.join("study.toml")
}

#[test]
fn a_merge_completes_what_a_killed_one_has_left_and_replaces_no_other_run() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = small_study(&place("small"));
    run_study(&study, &place("a"), &["--parts", "0..2", "--engine", "native"]);
    run_study(&study, &place("b"), &["--parts", "2..4", "--engine", "native"]);
    let merge = |into: &str| {
        program::output(&["study", "merge", path(&place("a")), path(&place("b")), "--out", path(&place(into))])
    };
    let first = merge("whole");
    assert_ne!(code(&first), 2, "{}", standard_error(&first));
    let whole = contents(&place("whole"));
    assert_eq!(code(&merge("whole")), code(&first), "a merge that is done already");
    assert!(contents(&place("whole")) == whole);
    for lost in ["summary.json", "parts/00001.parquet", "parts/00003.parquet"] {
        fs::remove_file(place("whole").join(lost)).unwrap();
    }
    assert_eq!(code(&merge("whole")), code(&first), "one that was killed");
    assert!(contents(&place("whole")) == whole);

    let refused = |into: &str, file: &str| {
        let before = contents(&place(into));
        let output = merge(into);
        let said = standard_error(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains(path(&place(into).join(file))) && said.contains("choose another --out"), "{said}");
        assert!(contents(&place(into)) == before, "{file}");
    };
    run_study(&study, &place("other"), &["--engine", "reference"]);
    refused("other", "parts/00000.parquet");
    // A summary without a part of it would look like that of the parts that come.
    fs::remove_file(place("whole/parts/00003.parquet")).unwrap();
    refused("whole", "summary.json");
    fs::copy(place("b/parts/00003.parquet"), place("whole/parts/00003.parquet")).unwrap();
    fs::write(place("whole/parts/00004.parquet"), "of nobody").unwrap();
    refused("whole", "parts/00004.parquet");
}

#[test]
fn parts_that_could_not_be_summed_up_with_those_there_are_not_computed() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = small_study(&place("small"));
    let out = place("run");
    run_study(&study, &out, &["--parts", "0..2", "--engine", "native"]);
    for (engine, keep, words) in [
        ("reference", "all", "the part belongs to another run"),
        ("native", "failures", "made with --keep all, this run has --keep failures"),
    ] {
        let output = run_study(&study, &out, &["--parts", "2..4", "--engine", engine, "--keep", keep]);
        let said = standard_error(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains("00000.parquet") && said.contains(words), "{said}");
        assert_eq!(fs::read_dir(out.join("parts")).unwrap().count(), 2, "{engine} {keep}");
    }
    let same = run_study(&study, &out, &["--parts", "2..4", "--engine", "native"]);
    assert_eq!(code(&same), 0, "{}", standard_error(&same));
    assert!(out.join("summary.json").exists());
}

#[test]
fn devices_names_the_engine_that_auto_takes() {
    let directory = tempfile::tempdir().unwrap();
    for adapter in ["", "llvmpipe"] {
        let named = |arguments: &[&str]| touchdown(arguments).env("TOUCHDOWN_ADAPTER", adapter).output().unwrap();
        let devices = standard_output(&named(&["devices"]));
        let out = directory.path().join(format!("run{adapter}"));
        let run = named(&["study", "run", path(&data("study.toml")), "--out", path(&out)]);
        let line = devices.lines().last().unwrap();
        let taken = if line.starts_with("--engine auto takes native, on the processor") {
            "engine native"
        } else if line.starts_with("--engine auto takes the GPU ") {
            "engine gpu"
        } else {
            // A named adapter that is not there.
            assert!(line.starts_with("--engine auto fails") && code(&run) == 3, "{line}");
            continue;
        };
        let text = standard_output(&run);
        assert!(text.lines().nth(1).unwrap().contains(taken), "{line}\n{text}");
    }
}

#[test]
fn a_study_without_a_name_merges_to_the_same_bytes_and_leftovers_of_a_kill_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    copy_study(&place("nameless"), |text| text.replace("name = \"tricycle\"", "").replace("= 600", "= 200"));
    let study = place("nameless/study.toml");
    fs::rename(&study, place("nameless/other.toml")).unwrap();
    let study = place("nameless/other.toml");
    run_study(&study, &place("whole"), &["--parts", "0..1"]);
    let leftover = place("whole/parts/.00001.parquet.abc.partial");
    fs::write(&leftover, "half a part").unwrap();
    run_study(&study, &place("whole"), &[]);
    assert!(!leftover.exists());
    let merged =
        touchdown(&["study", "merge", path(&place("whole")), "--out", path(&place("merged"))]).output().unwrap();
    assert_eq!(code(&merged), CRITERION_FAILED, "{}", standard_error(&merged));
    assert!(contents(&place("merged")) == contents(&place("whole")));
}

#[test]
fn a_directory_of_another_study_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    run_study(&data("study.toml"), &out, &["--parts", "0..1"]);
    let other = directory.path().join("study");
    copy_study(&other, |text| text.replace("landings = 600", "landings = 700"));
    let output = run_study(&other.join("study.toml"), &out, &[]);
    assert_eq!(code(&output), 2);
    let said = standard_error(&output);
    assert!(said.contains("another study"), "{said}");
    assert!(said.ends_with("what differs, from that study to this:\n  landings: 600 -> 700\n"), "{said}");
}

#[test]
fn replay_reproduces_rows_bit_for_bit_and_writes_a_trace() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    run_study(&data("study.toml"), &out, &["--parts", "1..2"]);
    for landing in ["100", "137", "199"] {
        let trace = directory.path().join("trace.csv");
        let output = touchdown(&["study", "replay", path(&out), "--landing", landing, "--trace", path(&trace)])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(code(&output), 0, "{}", standard_error(&output));
        assert!(text.contains("bit for bit"), "{text}");
        assert!(fs::read_to_string(&trace).unwrap().lines().count() > 50);
    }
    let absent = touchdown(&["study", "replay", path(&out), "--landing", "5"]).output().unwrap();
    assert!(String::from_utf8_lossy(&absent.stdout).contains("not there"));
    assert_eq!(code(&touchdown(&["study", "replay", path(&out), "--landing", "600"]).output().unwrap()), 2);
}

#[test]
fn check_names_what_a_study_cannot_show() {
    let output = touchdown(&["study", "check", path(&data("study.toml"))]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(code(&output), 0, "{}", standard_error(&output));
    for words in ["lateral_offset", "99.9 %", "estimate:", "touchdown", "end: ", "cannot be met with 600 landings"] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_a_clear_error_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let output = run_study(&data("study.toml"), &file.join("out"), &[]);
    assert_eq!(code(&output), 2);
    assert!(standard_error(&output).contains("file"), "{}", standard_error(&output));
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
}

/// A limit on the size of files stands for a full disk: writing fails in the middle of a part.
#[cfg(unix)]
#[test]
fn a_write_that_fails_is_a_clear_error_and_leaves_no_half_part() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" study run \"$1\" --out \"$2\"";
    let output = Command::new("bash")
        .args(["-c", limited, env!("CARGO_BIN_EXE_touchdown"), path(&data("study.toml")), path(&out)])
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "{}", standard_error(&output));
    assert!(standard_error(&output).contains("00000.parquet"), "{}", standard_error(&output));
    assert_eq!(fs::read_dir(out.join("parts")).unwrap().count(), 0, "nothing half-written stays");
}

/// The README's first command, with fewer landings.
#[test]
fn the_first_example_ends_with_verdicts_and_a_directory_that_stands_alone() {
    let directory = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let text = fs::read_to_string(examples.join("c172_wet_runway.toml")).unwrap();
    let text = text
        .replace("landings = 10000", "landings = 300")
        .replace("part_size = 1000", "part_size = 100")
        .replace("\"aircraft/", &format!("\"{}/aircraft/", path(&examples)))
        .replace("\"scenes/", &format!("\"{}/scenes/", path(&examples)));
    let study = directory.path().join("study.toml");
    fs::write(&study, text).unwrap();
    let (out, moved) = (directory.path().join("out"), directory.path().join("moved"));
    let output = run_study(&study, &out, &[]);
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    // 300 landings are too few for bounds of 1e-3.
    assert_eq!(code(&output), 6, "{}", standard_error(&output));
    for words in ["criterion", "undecided", "veered_off", "stopping_point", "95 %", "vehicle steps/s", "study report"] {
        assert!(report.contains(words), "{words} is not in\n{report}");
    }
    for line in report.lines().filter(|line| !line.contains(path(&out))) {
        assert!(line.chars().count() <= 100, "wider than a terminal: {line}");
    }
    let full = String::from_utf8_lossy(&run_study(&study, &out, &["--full"]).stdout).into_owned();
    for words in ["stopping_distance", "99.9 %", "bounds at 95 %"] {
        assert!(full.contains(words) && !report.contains(words), "{words}: {full}");
    }
    fs::rename(&out, &moved).unwrap();
    fs::remove_file(&study).unwrap();
    let replayed = touchdown(&["study", "replay", path(&moved), "--landing", "250"]).output().unwrap();
    assert!(String::from_utf8_lossy(&replayed.stdout).contains("bit for bit"), "{}", standard_error(&replayed));
}

#[test]
fn tails_of_angles_are_in_the_degrees_of_their_limits() {
    let directory = tempfile::tempdir().unwrap();
    let study = directory.path().join("study");
    let stopping = "quantity = \"stopping_point\"\nabove = \"50 m\"";
    copy_study(&study, |text| text.replace(stopping, "quantity = \"touchdown_crab\"\nabove = \"15 deg\""));
    let out = directory.path().join("run");
    let text = standard_output(&run_study(&study.join("study.toml"), &out, &["--full"]));
    let (_, tails) = text.split_once("by its tail").unwrap();
    let row = tails.lines().find(|line| line.trim_start().starts_with("long_landing")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    // Crabs have a standard deviation of 5 deg; one in ten is beyond the threshold.
    let [threshold, farthest]: [f64; 2] = [words[1], words[4]].map(|number| number.parse().unwrap());
    assert!(4.0 < threshold && threshold < 9.0 && 10.0 < farthest && farthest < 30.0, "{row}");
}

/// Copies the study and its files to a directory, with a change to the study file.
fn copy_study(to: &Path, change: impl Fn(String) -> String) {
    fs::create_dir_all(to).unwrap();
    for name in ["vehicle.toml", "scene.toml"] {
        fs::copy(data(name), to.join(name)).unwrap();
    }
    fs::write(to.join("study.toml"), change(fs::read_to_string(data("study.toml")).unwrap())).unwrap();
}

#[test]
fn a_replay_shows_the_landing_in_a_picture() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run_study(&data("study.toml"), &out, &[]);
    let picture = directory.path().join("landing.png");
    let replay = |picture: &Path| {
        touchdown(&["study", "replay", path(&out), "--landing", "3", "--render", path(picture)]).output().unwrap()
    };
    let output = replay(&picture);
    assert_eq!(code(&output), 0, "{}", standard_error(&output));
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    let refused = replay(&out.join("parts/landing.png"));
    assert!(code(&refused) == 2 && standard_error(&refused).contains("--render"), "{}", standard_error(&refused));
}
