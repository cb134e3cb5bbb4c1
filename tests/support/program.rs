//! The program at work on studies, and what it leaves.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A file of this repository.
pub fn manifest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A file of the tricycle's study.
pub fn data(name: &str) -> PathBuf {
    manifest("tests/data/tricycle").join(name)
}

/// The program with these arguments.
pub fn touchdown(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(arguments);
    command
}

/// What the program comes to with these arguments.
pub fn output(arguments: &[&str]) -> Output {
    touchdown(arguments).output().unwrap()
}

pub fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn run_study(study: &Path, out: &Path, more: &[&str]) -> Output {
    output(&[&["study", "run", path(study), "--out", path(out)], more].concat())
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn standard_error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn standard_output(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Tables and summary by name; `timing.json` is the only file that may differ.
pub fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory.join("parts")).unwrap() {
        let entry = entry.unwrap();
        files.insert(entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    }
    files.insert("summary.json".to_owned(), fs::read(directory.join("summary.json")).unwrap());
    files
}

/// Interrupts a run once it has published this table; then it goes on, and must end with the bytes of a run that never was.
#[cfg(unix)]
pub fn assert_an_interrupted_run_goes_on(study: &Path, first_table: &str) {
    let directory = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| directory.path().join(name));
    // The slowest engine: it leaves time to be interrupted.
    let engine = ["--engine", "reference"];
    let child = touchdown(&["study", "run", path(study), "--out", path(&stopped), "--threads", "1"])
        .args(engine)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !stopped.join("parts").join(first_table).exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", standard_error(&output));
    assert!(!stopped.join("summary.json").exists());
    run_study(study, &stopped, &engine);
    run_study(study, &whole, &engine);
    assert!(contents(&whole) == contents(&stopped));
}
