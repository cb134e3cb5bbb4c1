//! The program under attack: a thousand spoiled files, and command lines that ask for trouble.
//!
//! Whatever it is given, the program ends in time with a documented code, and a refusal names the place.

mod command_line;
mod damage;
mod readers;
mod specimen;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use touchdown::engine::Engine;
use touchdown::program::Program;
use touchdown::reference::Reference;
use touchdown::scene::Scene;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;

use crate::support::random::{Random, test_seed};
use specimen::{Specimen, specimens};

const MUTANTS: usize = 1000;
/// Every so many mutants of a document go through the program; all tables do.
const THROUGH_THE_PROGRAM: usize = 5;
const MIN_THROUGH_THE_PROGRAM: usize = 200;
const MIN_REJECTED: f64 = 0.8;
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// What a run of a valid file may end with: done, criterion failed, invalid landings, undecided.
const CODES_OF_VALID_RUNS: [i32; 4] = [0, 1, 4, 6];
const BAD_INPUT: i32 = 2;

/// How the program or the library took a mutant.
enum Answer {
    Valid,
    Rejected(String),
}

#[test]
fn a_thousand_spoiled_files_are_refused_with_their_place_or_run() {
    let seed = test_seed();
    println!("TOUCHDOWN_TEST_SEED={seed}");
    let specimens = specimens();
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut through_the_program = 0;
    let mut failed = Vec::new();
    for number in 0..MUTANTS {
        let specimen = &specimens[number % specimens.len()];
        let by_program = !specimen.is_document() || (number / specimens.len()).is_multiple_of(THROUGH_THE_PROGRAM);
        through_the_program += usize::from(by_program);
        // All failures are worth seeing, not the first one alone.
        match catch_unwind(|| attack(specimen, seed, number, by_program)) {
            Ok(rejected) => counts.entry(specimen.kind).or_default()[usize::from(rejected)] += 1,
            Err(_) => failed.push(number),
        }
    }
    println!("{through_the_program} of {MUTANTS} went through the program");
    for (kind, [valid, rejected]) in &counts {
        println!("{kind:8} rejected {rejected:4}  valid {valid:4}");
    }
    assert!(failed.is_empty(), "mutants {failed:?} of seed {seed} failed; see above");
    assert!(through_the_program >= MIN_THROUGH_THE_PROGRAM);
    let rejected: usize = counts.values().map(|[_, rejected]| rejected).sum();
    assert!(rejected as f64 >= MIN_REJECTED * MUTANTS as f64, "only {rejected} of {MUTANTS} are rejected");
}

/// Whether the mutant of this number is rejected.
fn attack(specimen: &Specimen, seed: u64, number: usize, by_program: bool) -> bool {
    let directory = tempfile::tempdir().unwrap();
    specimen.lay_out(directory.path());
    let (damage, bytes) = specimen.spoiled(&mut Random::new(seed, number as u64));
    specimen.put(directory.path(), bytes.as_deref());
    let about = format!("mutant {number} of seed {seed}, {} with {damage}", specimen.file);
    let answer = if by_program {
        ask_program(&specimen.arguments(directory.path()), directory.path(), &about)
    } else {
        ask_library(specimen, directory.path(), &about)
    };
    match answer {
        Answer::Valid => false,
        Answer::Rejected(message) => {
            check_place(&message, directory.path(), specimen, &about);
            true
        }
    }
}

/// Reads the mutant and runs its landings, within the time limit.
fn ask_library(specimen: &Specimen, directory: &Path, about: &str) -> Answer {
    let (sender, receiver) = mpsc::channel();
    let (main, is_scene) = (directory.join(&specimen.main), specimen.is_scene());
    thread::spawn(move || {
        let read = catch_unwind(AssertUnwindSafe(|| if is_scene { show_scene(&main) } else { run_study(&main) }));
        sender.send(read)
    });
    let answer = receiver.recv_timeout(TIME_LIMIT).unwrap_or_else(|_| panic!("{about} takes over {TIME_LIMIT:?}"));
    match answer.unwrap_or_else(|_| panic!("{about} makes the library panic")) {
        Ok(()) => Answer::Valid,
        Err(message) => Answer::Rejected(message),
    }
}

fn show_scene(path: &Path) -> Result<(), String> {
    let scene = Scene::read(path).map_err(|error| error.to_string())?;
    let text = format!("{scene}{}", Program::compile(&scene));
    assert!(!text.is_empty());
    Ok(())
}

fn run_study(path: &Path) -> Result<(), String> {
    let study = Study::read(path).map(|study| LandingStudy::of(study).unwrap()).map_err(|error| error.to_string())?;
    let inputs: Vec<_> = (0..study.study.trials.min(3)).map(|landing| study.landing_inputs(landing)).collect();
    let outcomes = Reference::new(1).unwrap().landings(&study.job, &inputs).map_err(|error| error.to_string())?;
    assert_eq!(outcomes.len(), inputs.len());
    Ok(())
}

/// Runs the program in a directory that must not change when it refuses.
fn ask_program(arguments: &[String], directory: &Path, about: &str) -> Answer {
    let before = everything_in(directory);
    let (code, text) = run_in_time(arguments, directory, about);
    assert!(!text.contains("panicked"), "{about}: {text}");
    if code == BAD_INPUT {
        assert_eq!(everything_in(directory), before, "{about}: something is left behind");
        let message = text.strip_prefix("error: ").unwrap_or_else(|| panic!("{about}: {text}"));
        return Answer::Rejected(message.trim_end().to_owned());
    }
    assert!(CODES_OF_VALID_RUNS.contains(&code), "{about}: code {code}: {text}");
    Answer::Valid
}

/// The exit code and what stands on standard error.
fn run_in_time(arguments: &[String], directory: &Path, about: &str) -> (i32, String) {
    // A file takes any amount without a reader.
    let errors = tempfile::NamedTempFile::new().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_touchdown"))
        .args(arguments)
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(errors.reopen().unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > TIME_LIMIT {
            child.kill().unwrap();
            panic!("{about} takes over {TIME_LIMIT:?}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    let text = String::from_utf8_lossy(&std::fs::read(errors.path()).unwrap()).into_owned();
    let code = status.code().unwrap_or_else(|| panic!("{about}: {status}: {text}"));
    (code, text)
}

fn everything_in(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(everything_in(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// A refusal is one line and begins with a file and a place that exist in the directory.
fn check_place(message: &str, directory: &Path, specimen: &Specimen, about: &str) {
    assert!(!message.contains('\n'), "{about}: more than a line: {message}");
    if let Some((path, line, column)) = place(message) {
        let file = directory.join(path);
        let bytes = std::fs::read(&file).unwrap_or_else(|_| panic!("{about}: no such file: {message}"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines: Vec<&str> = text.split('\n').collect();
        assert!((1..=lines.len()).contains(&line), "{about}: no such line: {message}");
        let Some(column) = column else {
            assert!(!specimen.is_document() && message.contains("column") || message.contains("cells"), "{message}");
            return;
        };
        // One more than the line has: where something is missing at its end.
        assert!((1..=lines[line - 1].chars().count() + 1).contains(&column), "{about}: no such column: {message}");
        return;
    }
    let whole_file = ["cannot be read", "cannot read", "is a directory", "is empty", "larger than", "column"];
    assert!(message.contains(&specimen.stem()), "{about}: the file is not named: {message}");
    let row = !specimen.is_document() && message.contains(": row ");
    assert!(row || whole_file.iter().any(|words| message.contains(words)), "{about}: no place: {message}");
}

/// File, line and column of `FILE:LINE:COLUMN: ...` or `FILE:LINE: ...`.
fn place(message: &str) -> Option<(&str, usize, Option<usize>)> {
    let (place, _) = message.split_once(": ")?;
    let mut parts = place.splitn(3, ':');
    let (path, line) = (parts.next()?, parts.next()?.parse().ok()?);
    Some((path, line, parts.next().and_then(|column| column.parse().ok())))
}
