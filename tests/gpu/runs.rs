//! Whole runs on a GPU through the program: the same bytes whatever the chunks and slices, and after a kill.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::support::engines::GPU;
use crate::support::gpu;
use touchdown::engine::Engine;
use touchdown::reference::Reference;
use touchdown::study::{self, Evidence, Keep, Progress, RunDirectory, RunOutcome, Study};

use crate::support::program::{contents, data};

fn adapter() -> String {
    std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned())
}

struct Unheard;

impl Progress for Unheard {
    fn advanced(&mut self, _: u64, _: u64, _: &[Evidence]) {}
}

fn run_with(engine: &dyn Engine, out: &Path) -> BTreeMap<String, Vec<u8>> {
    let study = Study::read(&data("study.toml")).unwrap();
    let directory = RunDirectory::prepare(out, &study).unwrap();
    let stop = AtomicBool::new(false);
    let outcome = study::run(&study, engine, &directory, 0..study.parts(), Keep::All, &mut Unheard, &stop).unwrap();
    assert!(matches!(outcome, RunOutcome::Complete(..)));
    contents(out)
}

#[test]
fn parts_have_the_same_bytes_for_any_size_of_chunks_and_slices() {
    let directory = tempfile::tempdir().unwrap();
    let whole = run_with(&*GPU, &directory.path().join("whole"));
    assert_eq!(whole.len(), 7, "six parts and a summary");
    for (chunk, slice) in [(64, None), (1000, Some(100)), (333, Some(1000))] {
        let out = directory.path().join(format!("{chunk} {slice:?}"));
        assert!(run_with(&gpu::open_with(Some(chunk), slice), &out) == whole, "chunks of {chunk}, slices of {slice:?}");
    }
}

/// No binding of a kernel may be empty, and a scene may have nothing in it.
#[test]
fn a_scene_without_leaves_is_flown_over_as_by_the_reference() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["study.toml", "vehicle.toml", "scene.toml"] {
        std::fs::copy(data(name), directory.path().join(name)).unwrap();
    }
    let scene = directory.path().join("scene.toml");
    let text = std::fs::read_to_string(&scene).unwrap();
    let (before, _) = text.split_once("[scene]").unwrap();
    std::fs::write(&scene, format!("{before}[scene]\nnothing = true\n")).unwrap();
    let study = Study::read(&directory.path().join("study.toml")).unwrap();
    let inputs: Vec<_> = (0..8).map(|landing| study.inputs_of(landing)).collect();
    let classes = |engine: &dyn Engine| -> Vec<_> {
        study.model.outcomes(engine, &inputs).unwrap().iter().map(|outcome| outcome.class).collect()
    };
    assert_eq!(classes(&*GPU), classes(&Reference::new(0).unwrap()));
}

fn command(out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(["study", "run"]).arg(data("study.toml")).arg("--out").arg(out);
    command.args(["--engine", "gpu", "--adapter", &adapter()]).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn a_run_killed_on_a_gpu_ends_with_the_bytes_of_an_uninterrupted_one() {
    let directory = tempfile::tempdir().unwrap();
    let (whole, killed) = (directory.path().join("whole"), directory.path().join("killed"));
    let started = Instant::now();
    let code = command(&whole).status().unwrap().code();
    assert_eq!(code, Some(1), "the study's criterion on broken wheels fails");
    let time = started.elapsed();
    for share in [0.2, 0.5, 0.8] {
        let mut child = command(&killed).spawn().unwrap();
        std::thread::sleep(time.mul_f64(share) + Duration::from_millis(1));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    command(&killed).status().unwrap();
    assert!(contents(&whole) == contents(&killed));
}

#[test]
fn a_replay_on_the_same_adapter_reproduces_its_row_bit_for_bit() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    command(&out).status().unwrap();
    let mut replay = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    // Without being told, it takes the engine and the adapter that made the row.
    replay.args(["study", "replay"]).arg(&out).args(["--landing", "137"]);
    let output = replay.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
}
