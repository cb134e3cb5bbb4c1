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

/// Interrupts a command of studies as soon as it has made this directory: it must say so, and leave no result of this name.
#[cfg(unix)]
pub fn assert_an_interrupt_is_heard(mut command: Command, made: &Path, result: &str) {
    // The slowest engine on one thread: it leaves time to be interrupted.
    let command = command.args(["--engine", "reference", "--threads", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !made.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = standard_error(&output);
    assert_eq!(code(&output), 130, "{said}");
    assert!(said.contains("interrupted; "), "{said}");
    assert!(!made.with_file_name(result).exists());
}
