//! A model of one's own: the distance in which something stops by friction alone, studied as landings are.
//!
//!     cargo run --release --example own_model
//!
//! Everything that studies can do holds for it: sampling, criteria, stopping, rare events, sensitivity, reports.

#![allow(clippy::print_stdout, reason = "its output is the verdict")]

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use touchdown::document::{DocumentError, Table, Unit};
use touchdown::engine::{Engine, EngineError};
use touchdown::model::{
    Class, Files, Input, Inputs, Model, ModelKind, Models, Nouns, Outcome, PictureError, Quantity, Shown, Watcher,
};
use touchdown::reference::Reference;
use touchdown::study::{self, Evidence, Keep, Progress, RunDirectory, RunOutcome, Summary};
use touchdown::table::{Column, ColumnKind};

const STUDY: &str = r#"
model = "slide"
gravity = 9.80665
slides = 20000
seed = 1

[inputs.speed]
distribution = "normal"
mean = "60 kt"
sd = "3 kt"

[inputs.friction]
distribution = "uniform"
min = 0.2
max = 0.4

[criteria.overrun]
quantity = "distance"
above = "250 m"
probability = 0.05
"#;

/// Its inputs: their places are their variables in the random counter.
const INPUTS: [Input; 2] = [
    Input { name: "speed", unit: Unit::Speed, description: "Speed at the start" },
    Input { name: "friction", unit: Unit::One, description: "Coefficient of friction" },
];

/// The first is for trials of which nothing is known, the last for those that end as they should.
const CLASSES: [Class; 2] = [
    Class { name: "invalid", description: "It has no friction, or goes backwards" },
    Class { name: "stopped", description: "It came to rest" },
];

#[derive(Debug)]
struct Slide {
    /// \[m/s^2\]
    gravity: f64,
    quantities: Vec<Quantity>,
}

/// Reads what is the model's own of a study file.
#[derive(Debug)]
struct SlideKind;

static KIND: SlideKind = SlideKind;

impl ModelKind for SlideKind {
    fn name(&self) -> &'static str {
        "slide"
    }

    fn read(&self, root: &Table<'_>, _: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let distance = Quantity {
            name: "distance".to_owned(),
            unit: Unit::Length,
            description: "Way to rest".to_owned(),
            lack_is_good: false,
        };
        let gravity = root.required("gravity")?.positive(Unit::Acceleration)?;
        Ok(Arc::new(Slide { gravity, quantities: vec![distance] }))
    }
}

impl Slide {
    fn outcome(&self, inputs: &Inputs) -> Outcome {
        let (speed, friction) = (inputs.values[0], inputs.values[1]);
        let distance = (speed >= 0.0 && friction > 0.0).then(|| speed * speed / (2.0 * friction * self.gravity));
        let class = usize::from(distance.is_some());
        Outcome { class, totals: Vec::new(), labels: Vec::new(), quantities: vec![distance] }
    }
}

impl Model for Slide {
    fn nouns(&self) -> Nouns {
        Nouns { one: "slide", many: "slides" }
    }

    fn subject(&self) -> &str {
        "a slide"
    }

    fn inputs(&self) -> &[Input] {
        &INPUTS
    }

    fn nominal(&self) -> Vec<f64> {
        vec![30.0, 0.3]
    }

    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn classes(&self) -> &[Class] {
        &CLASSES
    }

    fn description(&self) -> String {
        format!("a slide under {} m/s^2\n", self.gravity)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("gravity", format!("{} m/s^2", self.gravity))]
    }

    // Every key that the model reads: what is not here is the same in all studies, as far as comparisons know.
    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("gravity", self.gravity.to_string())]
    }

    fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
        4096..=65_536
    }

    fn outcomes(&self, _: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        Ok(inputs.iter().map(|inputs| self.outcome(inputs)).collect())
    }

    fn trace_columns(&self) -> Vec<Column> {
        vec![Column::new("x", ColumnKind::Number, "m", "Way so far")]
    }

    fn trace(&self, _: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let outcome = self.outcome(inputs);
        if let Some(distance) = outcome.quantities[0] {
            (0..=10).for_each(|tenth| watcher.step(&[0.1 * f64::from(tenth) * distance]));
        }
        Ok(outcome)
    }

    fn picture(&self, _: &dyn Engine, _: &Inputs, _: (u32, u32)) -> Result<Shown, PictureError> {
        Err(PictureError::Nothing("a slide has no picture".to_owned()))
    }
}

/// Nobody watches.
struct Silent;

impl Progress for Silent {
    fn advanced(&mut self, _: u64, _: u64, _: &[Evidence]) {}
}

/// The verdict on a study of slides, whose run is kept in a directory for the time of this call.
pub fn verdict() -> Result<Summary, Box<dyn Error>> {
    let models = Models::default().with(&KIND);
    let study = models.study_in_memory("slide.toml", STUDY, BTreeMap::new())?;
    let place = tempfile::tempdir()?;
    let run = RunDirectory::prepare(&place.path().join("run"), &study)?;
    let (engine, stop) = (Reference::new(1)?, AtomicBool::new(false));
    match study::run(&study, &engine, &run, 0..study.parts(), Keep::All, &mut Silent, &stop)? {
        RunOutcome::Complete(summary, _) => Ok(*summary),
        RunOutcome::PartsDone(_) | RunOutcome::Interrupted => Err("it was not run to its end".into()),
    }
}

#[allow(dead_code, reason = "tests ask for the rest")]
fn main() -> Result<(), Box<dyn Error>> {
    for criterion in verdict()?.criteria {
        let (lower, upper) = (criterion.lower, criterion.upper);
        println!("{}: {:?}, from {lower:.4} to {upper:.4}", criterion.name, criterion.verdict);
    }
    Ok(())
}
