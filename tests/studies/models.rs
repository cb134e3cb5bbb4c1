//! Models of studies: one from outside the library, which only this file knows, and the particle.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use touchdown::document::{DocumentError, Table, Unit};
use touchdown::engine::{Engine, EngineError};
use touchdown::model::{
    Class, Files, Input, Inputs, Model, ModelKind, Models, Nouns, Outcome, PictureError, Quantity, Shown, Watcher,
};
use touchdown::reference::Reference;
use touchdown::report::Beside;
use touchdown::study::statistics::Verdict;
use touchdown::study::{self, Evidence, Keep, Progress, RunDirectory, RunOutcome, Study, Summary};
use touchdown::table::{Column, ColumnKind};

use crate::support::program::touchdown;

/// The sum of the squares of three inputs, of chi-squared distribution with three degrees of freedom where they are
/// standard normal.
#[derive(Debug)]
struct Quadratic {
    quantities: Vec<Quantity>,
    /// What it does wrong.
    spoil: fn(&mut Outcome),
}

#[derive(Debug)]
struct QuadraticKind {
    spoil: fn(&mut Outcome),
}

static KIND: QuadraticKind = QuadraticKind { spoil: |_| () };

/// Models whose outcomes are not as they say, and what is said of them.
static SPOILED: [(QuadraticKind, &str); 4] = [
    (QuadraticKind { spoil: |outcome| outcome.class = 2 }, "class 2, and the model has 2, counted from 0"),
    (QuadraticKind { spoil: |outcome| outcome.quantities.clear() }, "0 quantities, and the model has 1"),
    (QuadraticKind { spoil: |outcome| outcome.totals.push(7) }, "1 totals, and the model has 0"),
    (QuadraticKind { spoil: |outcome| outcome.labels.push(None) }, "1 labels, and the model has 0"),
];

const INPUTS: [Input; 3] = [
    Input { name: "a", unit: Unit::One, description: "The first" },
    Input { name: "b", unit: Unit::One, description: "The second" },
    Input { name: "c", unit: Unit::One, description: "The third" },
];

impl ModelKind for QuadraticKind {
    fn name(&self) -> &'static str {
        "quadratic"
    }

    fn read(&self, _: &Table<'_>, _: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let sum = Quantity {
            name: "sum".to_owned(),
            unit: Unit::One,
            description: "Sum of the squares".to_owned(),
            lack_is_good: false,
        };
        Ok(Arc::new(Quadratic { quantities: vec![sum], spoil: self.spoil }))
    }
}

impl Quadratic {
    fn outcome(&self, inputs: &Inputs) -> Outcome {
        let sum = inputs.values.iter().map(|value| value * value).sum::<f64>();
        let mut outcome = Outcome { class: 1, totals: Vec::new(), labels: Vec::new(), quantities: vec![Some(sum)] };
        if sum > 1.0 {
            (self.spoil)(&mut outcome);
        }
        outcome
    }
}

impl Model for Quadratic {
    fn nouns(&self) -> Nouns {
        Nouns { one: "sample", many: "draws" }
    }

    fn subject(&self) -> &str {
        "squares"
    }

    fn inputs(&self) -> &[Input] {
        &INPUTS
    }

    fn nominal(&self) -> Vec<f64> {
        vec![0.0; 3]
    }

    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn classes(&self) -> &[Class] {
        &[Class { name: "invalid", description: "Never" }, Class { name: "summed", description: "Always" }]
    }

    fn description(&self) -> String {
        "three squares\n".to_owned()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("squares", "3".to_owned())]
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
        333..=333
    }

    fn outcomes(&self, _: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        Ok(inputs.iter().map(|inputs| self.outcome(inputs)).collect())
    }

    fn trace_columns(&self) -> Vec<Column> {
        vec![Column::new("sum", ColumnKind::Number, "1", "Sum so far")]
    }

    fn trace(&self, _: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let mut sum = 0.0;
        for value in &inputs.values {
            sum += value * value;
            watcher.step(&[sum]);
        }
        Ok(self.outcome(inputs))
    }

    fn picture(&self, _: &dyn Engine, _: &Inputs, _: (u32, u32)) -> Result<Shown, PictureError> {
        Err(PictureError::Nothing("a sum has no picture".to_owned()))
    }
}

fn models() -> Models {
    Models::default().with(&KIND)
}

fn write_study(directory: &Path, name: &str, more: &str) -> Study {
    let normal = |name: &str| format!("[inputs.{name}]\ndistribution = \"normal\"\nmean = 0\nsd = 1\n");
    let inputs = ["a", "b", "c"].map(normal).concat();
    let file = directory.join(name);
    fs::write(&file, format!("model = \"quadratic\"\nseed = 5\n{more}\n{inputs}")).unwrap();
    models().study(&file).unwrap()
}

/// Stops a run after so many trials of it.
struct Until<'a> {
    computed: u64,
    stop: &'a AtomicBool,
}

impl Progress for Until<'_> {
    fn advanced(&mut self, _: u64, computed: u64, _: &[Evidence]) {
        if computed >= self.computed {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn run(study: &Study, out: &Path, until: u64) -> Option<Summary> {
    let stop = AtomicBool::new(false);
    let directory = RunDirectory::prepare(out, study).unwrap();
    let engine = Reference::new(1).unwrap();
    let mut progress = Until { computed: until, stop: &stop };
    match study::run(study, &engine, &directory, 0..study.parts(), Keep::All, &mut progress, &stop).unwrap() {
        RunOutcome::Complete(summary, _) => Some(*summary),
        RunOutcome::PartsDone(_) | RunOutcome::Interrupted => None,
    }
}

/// The probability that chi-squared with three degrees of freedom is above 7.8147 is 5 %, that it is above 30.665 is 1e-6.
const LIMITS: [f64; 2] = [7.814_727_903_251_18, 30.664_849_706_213_4];

#[test]
fn a_model_from_outside_is_run_interrupted_resumed_compared_and_reported() {
    let room = tempfile::tempdir().unwrap();
    let criterion = format!("[criteria.large]\nquantity = \"sum\"\nabove = {}\nprobability = 0.06\n", LIMITS[0]);
    let study = write_study(room.path(), "study.toml", &format!("draws = 20000\npart_size = 1000\n{criterion}"));
    let [whole, cut] = ["whole", "cut"].map(|name| room.path().join(name));
    let summary = run(&study, &whole, u64::MAX).unwrap();
    assert!(run(&study, &cut, 7000).is_none(), "interrupted");
    let resumed = run(&study, &cut, u64::MAX).unwrap();
    assert_eq!(summary.to_json(), resumed.to_json());
    for part in fs::read_dir(whole.join("parts")).unwrap() {
        let name = part.unwrap().file_name();
        assert!(fs::read(whole.join("parts").join(&name)).unwrap() == fs::read(cut.join("parts").join(&name)).unwrap());
    }
    let large = &summary.criteria[0];
    assert!(large.lower < 0.05 && 0.05 < large.upper && large.verdict == Verdict::Met, "{large:?}");
    let json: serde_json::Value = serde_json::from_str(&summary.to_json()).unwrap();
    assert_eq!((&json["draws"], &json["classes"]["summed"]), (&20000.into(), &20000.into()));

    let comparison = study::compare::compare(&models(), &whole, &cut).unwrap();
    assert!(comparison.is_paired && comparison.quantities.iter().all(|quantity| !quantity.differs));
    touchdown::report::write(&models(), &whole, Beside::default()).unwrap();
    let html = fs::read_to_string(whole.join("report.html")).unwrap();
    assert!(html.contains("How draws ended") && html.contains("Worst draws") && !html.contains("anding"));
    assert!(!html.contains("force_limit"), "a flag of another model");
    let error = touchdown::report::write(&Models::default(), &whole, Beside::default()).unwrap_err().to_string();
    assert!(
        error.contains("there is no model `quadratic`") && error.contains("known: landing, particle, world"),
        "{error}"
    );
}

#[test]
fn outcomes_that_are_not_as_their_model_says_end_a_run_and_are_named() {
    for (kind, fault) in &SPOILED {
        let room = tempfile::tempdir().unwrap();
        let good = write_study(room.path(), "study.toml", "draws = 2000\n");
        let study = Models::default().with(kind).study(&room.path().join("study.toml")).unwrap();
        let first =
            (0..).find(|&trial| good.inputs_of(trial).values.iter().map(|value| value * value).sum::<f64>() > 1.0);
        let directory = RunDirectory::prepare(&room.path().join("run"), &study).unwrap();
        let (engine, stop) = (Reference::new(1).unwrap(), AtomicBool::new(false));
        let mut progress = Until { computed: u64::MAX, stop: &stop };
        let run = study::run(&study, &engine, &directory, 0..study.parts(), Keep::All, &mut progress, &stop);
        let error = run.unwrap_err().to_string();
        assert!(error.contains(&format!("answer {} of 333", first.unwrap() + 1)) && error.contains(fault), "{error}");
    }
}

/// A kind whose quantity has the name of a column that tables have.
#[derive(Debug)]
struct MisnamedKind;

static MISNAMED: MisnamedKind = MisnamedKind;

impl ModelKind for MisnamedKind {
    fn name(&self) -> &'static str {
        "quadratic"
    }

    fn read(&self, _: &Table<'_>, _: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let class = Quantity {
            name: "class".to_owned(),
            unit: Unit::One,
            description: "Sum of the squares".to_owned(),
            lack_is_good: false,
        };
        Ok(Arc::new(Quadratic { quantities: vec![class], spoil: |_| () }))
    }
}

#[test]
fn names_that_no_table_can_have_are_refused_when_the_study_is_read() {
    let room = tempfile::tempdir().unwrap();
    write_study(room.path(), "study.toml", "draws = 1000\n");
    let error = Models::default().with(&MISNAMED).study(&room.path().join("study.toml")).unwrap_err().to_string();
    assert!(
        error.contains("the model `quadratic` cannot be used: two columns of its tables would be `class`"),
        "{error}"
    );
}

#[test]
fn parts_that_a_study_does_not_have_are_refused() {
    let room = tempfile::tempdir().unwrap();
    let study = write_study(room.path(), "study.toml", "draws = 1000\npart_size = 100\n");
    let directory = RunDirectory::prepare(&room.path().join("run"), &study).unwrap();
    let (engine, stop) = (Reference::new(1).unwrap(), AtomicBool::new(false));
    for [start, end] in [[5, 3], [3, 3], [20, 30], [9, 11]] {
        let mut progress = Until { computed: u64::MAX, stop: &stop };
        let run = study::run(&study, &engine, &directory, start..end, Keep::All, &mut progress, &stop);
        let error = run.unwrap_err().to_string();
        assert!(error.contains(&format!("parts {start} to {end}")) && error.contains("0 to 10"), "{error}");
    }
}

/// Draws with a sum above 1 have none.
static LACKING: QuadraticKind = QuadraticKind { spoil: |outcome| outcome.quantities[0] = None };

#[test]
fn events_that_are_missing_data_are_told_apart() {
    let room = tempfile::tempdir().unwrap();
    let criterion = "[criteria.large]\nquantity = \"sum\"\nabove = 0.5\nprobability = 0.06\n";
    let whole = write_study(room.path(), "study.toml", &format!("draws = 1000\n{criterion}"));
    let study = Models::default().with(&LACKING).study(&room.path().join("study.toml")).unwrap();
    let [known, lacking] = [(&whole, "whole"), (&study, "lacking")].map(|(study, name)| {
        let summary = run(study, &room.path().join(name), u64::MAX).unwrap();
        (summary.criteria[0].events, summary.reservations(study))
    });
    assert_eq!(known.1, Vec::<String>::new());
    let above_1 =
        (0..1000).filter(|&trial| study.inputs_of(trial).values.iter().map(|value| value * value).sum::<f64>() > 1.0);
    let expected = format!("large counts {} draws without sum as events", above_1.count());
    assert_eq!(lacking, (known.0, vec![expected]));
}

#[test]
fn a_model_from_outside_is_followed_to_rare_events_and_analysed() {
    let room = tempfile::tempdir().unwrap();
    let criterion = format!("[criteria.large]\nquantity = \"sum\"\nabove = {}\nprobability = 1e-5\n", LIMITS[1]);
    let subset = format!("[sampling]\nmethod = \"subset\"\nsamples = 1000\n{criterion}");
    let summary = run(&write_study(room.path(), "rare.toml", &subset), &room.path().join("rare"), u64::MAX).unwrap();
    let rare = &summary.criteria[0];
    assert!(rare.lower < 1e-6 && 1e-6 < rare.upper && rare.verdict == Verdict::Met, "{rare:?}");

    let plain = criterion.replace("1e-5", "0.06").replace(&LIMITS[1].to_string(), &LIMITS[0].to_string());
    let study = write_study(room.path(), "plain.toml", &format!("draws = 1000\n{plain}"));
    let stop = AtomicBool::new(false);
    let engine = Reference::new(1).unwrap();
    let found = study::sensitivity::sensitivity(
        &study,
        &engine,
        &room.path().join("sensitivity"),
        2048,
        &mut |_, _, _| (),
        &stop,
    );
    let found = found.unwrap().unwrap();
    // Each input has a third of the variance, alone and with others.
    for input in &found.criteria[0].inputs {
        let first = input.of_quantity.as_ref().unwrap().first;
        assert!((first.unwrap().estimate - 1.0 / 3.0).abs() < 0.1, "{}: {first:?}", input.input);
    }
}

fn program(arguments: &[&str]) -> std::process::Output {
    touchdown(arguments).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn particles_are_run_reported_replayed_traced_and_shown_by_the_program() {
    let room = tempfile::tempdir().unwrap();
    let example = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/particle.toml")).unwrap();
    let file = room.path().join("particle.toml");
    fs::write(&file, example.replace("particles = 1000000", "particles = 3000")).unwrap();
    let (out, trace, picture) = (room.path().join("run"), room.path().join("trace.csv"), room.path().join("way.png"));
    let check = program(&["study", "check", text(&file), "--engine", "native"]);
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(said.contains("3000 particles") && said.contains("meets the plane"), "{said}");
    let run = program(&["study", "run", text(&file), "--engine", "native", "--out", text(&out)]);
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(said.contains("3000 particles") && !said.contains("landing"), "{said}");
    let report = program(&["study", "report", text(&out)]);
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    // Pictures of the reference take minutes.
    let arguments = ["study", "replay", text(&out), "--trial", "17"];
    let shown = program(&[&arguments[..], &["--render", text(&picture), "--engine", "native"]].concat());
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let replay = program(&[&arguments[..], &["--trace", text(&trace), "--engine", "reference"]].concat());
    let said = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(replay.status.success() && said.contains("equal to the run's row, bit for bit"), "{said}");
    assert_eq!(fs::read_to_string(&trace).unwrap().lines().count(), 101, "a header and a row for each step");
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
}
