//! Batches of trials: their sizes leave no trace, and an engine does not wait for what is done with its outcomes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use touchdown::study::{self, Evidence, Keep, Progress, RunDirectory, RunOutcome, Study};

use crate::support::batches::{Asked, comes_true};
use crate::support::program::{contents, data};

/// What a run tells, passed on.
struct Told<F>(F);

impl<F: FnMut(u64, &[Evidence])> Progress for Told<F> {
    fn advanced(&mut self, done: u64, _: u64, evidence: &[Evidence]) {
        (self.0)(done, evidence);
    }
}

fn run(study: &Study, engine: &Asked, out: &Path, stop: &AtomicBool, told: impl FnMut(u64, &[Evidence])) -> RunOutcome {
    let directory = RunDirectory::prepare(out, study).unwrap();
    study::run(study, engine, &directory, 0..study.parts(), Keep::All, &mut Told(told), stop).unwrap()
}

#[test]
fn batches_of_any_size_give_the_same_bytes_and_evidence_of_every_trial() {
    let room = tempfile::tempdir().unwrap();
    let study = Study::read(&data("study.toml")).unwrap();
    let mut runs = Vec::new();
    // Within a part, over the ends of parts, several parts at once, and more than there are; sizes that adapt; streams.
    let batches = [7..=7, 90..=90, 250..=250, 10_000..=10_000, 1..=100].map(Asked::for_batches);
    let streams = [7..=7, 90..=90, 10_000..=10_000].map(|batch| Asked::for_batches(batch).streaming(0));
    for (number, engine) in batches.into_iter().chain(streams).enumerate() {
        let out = room.path().join(number.to_string());
        let mut last = 0;
        let outcome = run(&study, &engine, &out, &AtomicBool::new(false), |done, evidence| {
            assert!(done > last || done == 0, "{done} after {last}");
            last = done;
            assert!(evidence.iter().all(|evidence| evidence.tally().trials == done), "{evidence:?} of {done}");
        });
        assert!(matches!(outcome, RunOutcome::Complete(..)) && last == study.trials);
        let RunOutcome::Complete(_, timing) = outcome else { panic!("it is not complete") };
        println!("batches of {:?}: {} calls, {timing:?}", engine.batch, engine.calls());
        assert!(timing.engine_seconds > 0.0 && timing.engine_seconds <= timing.wall_seconds);
        runs.push(contents(&out));
    }
    assert!(runs.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Each waits for the other: the engine for the batch before to be taken in, and who takes it in for the next to begin.
#[test]
fn the_next_batch_is_under_way_while_one_is_taken_in() {
    let room = tempfile::tempdir().unwrap();
    let study = Study::read(&data("study.toml")).unwrap();
    let told = Arc::new(AtomicUsize::new(0));
    let engine = Asked::for_batches(100..=100).waiting_for(Arc::clone(&told));
    let mut calls = Vec::new();
    run(&study, &engine, room.path(), &AtomicBool::new(false), |done, _| {
        let batches = (done / 100) as usize;
        told.store(batches, Ordering::SeqCst);
        assert!(comes_true(|| engine.calls() > batches || batches == 6), "batch {batches} is taken in alone");
        calls.push(engine.calls());
    });
    // Never more than one ahead: the engine has one at a time.
    assert_eq!(calls, [2, 3, 4, 5, 6, 6]);
}

#[test]
fn a_run_that_is_stopped_ends_after_the_batch_under_way_and_keeps_what_is_whole() {
    let room = tempfile::tempdir().unwrap();
    let study = Study::read(&data("study.toml")).unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| room.path().join(name));
    run(&study, &Asked::for_batches(600..=600), &whole, &AtomicBool::new(false), |_, _| ());
    let (told, stop) = (Arc::new(AtomicUsize::new(0)), AtomicBool::new(false));
    let engine = Asked::for_batches(150..=150).waiting_for(Arc::clone(&told));
    let outcome = run(&study, &engine, &stopped, &stop, |done, _| {
        stop.store(true, Ordering::SeqCst);
        told.store((done / 150) as usize, Ordering::SeqCst);
    });
    assert!(matches!(outcome, RunOutcome::Interrupted));
    let parts = std::fs::read_dir(stopped.join("parts")).unwrap().count();
    assert_eq!((engine.calls(), parts), (2, 3), "two batches of 150 are three parts of 100");
    let engine = Asked::for_batches(150..=150);
    let outcome = run(&study, &engine, &stopped, &AtomicBool::new(false), |_, _| ());
    assert!(matches!(outcome, RunOutcome::Complete(..)) && engine.calls() == 2);
    assert!(contents(&whole) == contents(&stopped));
}

#[test]
fn a_study_whose_engine_loses_landings_fails_instead_of_going_without_them() {
    let room = tempfile::tempdir().unwrap();
    let study = Study::read(&data("study.toml")).unwrap();
    let engine = Asked::for_batches(70..=70).streaming(1);
    let (directory, stop) = (RunDirectory::prepare(room.path(), &study).unwrap(), AtomicBool::new(false));
    let ran = study::run(&study, &engine, &directory, 0..6, Keep::All, &mut Told(|_, _: &[Evidence]| ()), &stop);
    assert_eq!(ran.unwrap_err().to_string(), "the engine gave 0 answers to 1 items");
}

#[test]
fn an_engine_that_fails_is_asked_for_nothing_more_and_what_was_whole_before_is_kept() {
    let room = tempfile::tempdir().unwrap();
    let study = Study::read(&data("study.toml")).unwrap();
    let engine = Asked::for_batches(100..=100).failing_at(3);
    let (directory, stop) = (RunDirectory::prepare(room.path(), &study).unwrap(), AtomicBool::new(false));
    let ran = study::run(&study, &engine, &directory, 0..6, Keep::All, &mut Told(|_, _: &[Evidence]| ()), &stop);
    assert!(ran.unwrap_err().to_string().contains("100"));
    let parts = std::fs::read_dir(room.path().join("parts")).unwrap().count();
    assert_eq!((engine.calls(), parts), (3, 2));
}
