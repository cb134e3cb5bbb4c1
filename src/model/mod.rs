//! Models: what studies simulate, as values.
//!
//! ```text
//! study.toml (model = "NAME") --> Models --> ModelKind::read --> Model --> Study, run, report, sensitivity, compare, replay
//!                                                                  |
//!                                                             Engine (one of its jobs)
//! ```
//!
//! A study uses its model through this trait alone: named inputs, quantities and classes, and a function from inputs to
//! outcomes. One simulation from inputs to outcome is a trial; the model defines what users call it ([`Nouns`]).
//! [`Models`] is the list of those that a study file may name; users add their own ([`Models::with`]).
//!
//! # Conventions
//! SI units and radians. Inputs, quantities, classes and totals are identified by their index in the model's lists.

mod batches;
pub mod deck_landing;
pub mod encounter;
mod figure;
mod files;
pub mod landing;
mod names;
pub mod particle;
pub mod world;

use std::any::Any;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

pub use deck_landing::DeckLandingModel;
pub use encounter::{Driving, EncounterModel};
pub use figure::{Field, Footprint, Profile, Shown};
pub use files::{Files, MeasuredColumn};
pub use landing::LandingModel;
pub use particle::ParticleModel;
pub use world::WorldModel;

use crate::document::{DocumentError, Table, Unit, nearest};
use crate::engine::{Engine, EngineError};
use crate::random::NoiseKey;
use crate::scene::Scene;
use crate::table::Column;

/// Index of the class of invalid trials: impossible inputs, or numbers that left the finite range. It counts as every
/// event.
pub const INVALID: usize = 0;

/// Trials that a thread handles at a time, where an engine is not at work on them.
pub(crate) const TRIALS_PER_TASK: usize = 32;

/// The model's names for trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nouns {
    /// Singular, such as `landing`; column of its number in tables.
    pub one: &'static str,
    /// Plural, such as `landings`; key of their number in study files.
    pub many: &'static str,
}

impl Nouns {
    /// The name that goes with a count.
    #[must_use]
    pub fn of(self, count: u64) -> &'static str {
        if count == 1 { self.one } else { self.many }
    }
}

/// A parameter that may vary from trial to trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Name in files and tables.
    pub name: &'static str,
    /// Unit.
    pub unit: Unit,
    /// What it means, with its sign.
    pub description: &'static str,
}

impl Input {
    /// What is wrong with a value that is not from the one to the other end of what is allowed.
    pub(crate) fn fault(&self, value: f64, allowed: &RangeInclusive<f64>) -> Option<String> {
        let (name, written, [least, most]) = (self.name, self.unit.written(value), [allowed.start(), allowed.end()]);
        (!allowed.contains(&value)).then(|| format!("{name} = {written} must be from {least} to {most}"))
    }
}

/// A numerical result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name in files and tables.
    pub name: String,
    /// Unit.
    pub unit: Unit,
    /// What it means.
    pub description: String,
    /// True if its absence is the good outcome, unless [`Model::is_good_without`] says otherwise of a trial.
    pub lack_is_good: bool,
}

/// A class of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Name in files and tables.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
}

/// A count that is summed over all trials, such as steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// Column of a trial's own count.
    pub column: &'static str,
    /// Description of the column.
    pub description: &'static str,
    /// Name of the sum in summaries.
    pub name: &'static str,
    /// What is counted, in words: `vehicle steps`.
    pub title: &'static str,
    /// The same, following the number of the first total: `with a wheel in contact`.
    pub short: &'static str,
}

/// A quantity for which summaries count the trials in which it is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Name.
    pub name: &'static str,
    /// Index of the quantity.
    pub quantity: usize,
}

impl Flag {
    /// Whether it is set in a trial with these quantities.
    #[must_use]
    pub fn is_up(&self, quantities: &[Option<f64>]) -> bool {
        quantities[self.quantity].is_some_and(|value| value > 0.0)
    }
}

/// A text result of trials, such as what broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name of its column.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
}

/// The inputs of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// Key of the random numbers within the trial, to be drawn by [`NoiseKey::uniform`].
    pub noise: NoiseKey,
    /// A value for each of the model's inputs, in SI units.
    pub values: Vec<f64>,
}

/// The outcome of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Index of its class.
    pub class: usize,
    /// Its counts, one for each of the model's totals.
    pub totals: Vec<u64>,
    /// Its texts, one for each of the model's labels.
    pub labels: Vec<Option<String>>,
    /// Its values of the model's quantities, `None` where one is not defined; for an invalid trial none is.
    pub quantities: Vec<Option<f64>>,
}

impl Outcome {
    /// What of it is not as the model says.
    pub(crate) fn fault(&self, model: &dyn Model) -> Option<String> {
        let classes = model.classes().len();
        if self.class >= classes {
            return Some(format!("class {}, and the model has {classes}, counted from 0", self.class));
        }
        let counts = [
            ("totals", self.totals.len(), model.totals().len()),
            ("labels", self.labels.len(), model.labels().len()),
            ("quantities", self.quantities.len(), model.quantities().len()),
        ];
        let wrong = counts.into_iter().find(|(_, got, has)| got != has);
        wrong.map(|(what, got, has)| format!("{got} {what}, and the model has {has}"))
    }
}

/// Observes a trial.
pub trait Watcher {
    /// Called after each step, with a value for each trace column of the model.
    fn step(&mut self, values: &[f64]);
    /// Called when something happened: the time \[s\], the state in words, and the event.
    fn event(&mut self, time: f64, state: &str, words: &str);
}

/// Why a picture of a trial is not possible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is nothing to show, or no room for it.
    #[error("{0}")]
    Nothing(String),
}

/// Maximum number of frames of a trial.
pub const MAX_FRAMES: usize = 3000;

/// Trials on their way to a model and back.
pub trait Trials {
    /// The inputs of the next trials, about as many as are asked for; none at the end.
    fn next(&mut self, count: usize) -> Vec<Inputs>;

    /// What became of trials: of those that have been given out and not taken back, the first, in their order, with their
    /// inputs.
    fn take(&mut self, inputs: Vec<Inputs>, outcomes: Vec<Outcome>);
}

/// What a study simulates.
pub trait Model: Any + fmt::Debug + Send + Sync {
    /// What its trials are called.
    fn nouns(&self) -> Nouns;

    /// What is simulated: the default name of a study.
    fn subject(&self) -> &str;

    /// The parameters that may vary from trial to trial. The index of an input is its variable in the random counter,
    /// so the meaning of every seed depends on the order: append only.
    fn inputs(&self) -> &[Input];

    /// The default value of each input.
    fn nominal(&self) -> Vec<f64>;

    /// The quantities of an outcome, in the order of the tables' columns.
    fn quantities(&self) -> &[Quantity];

    /// The classes of outcomes; the first is [`INVALID`], the last is the normal outcome.
    fn classes(&self) -> &[Class];

    /// Totals counted over trials.
    fn totals(&self) -> &[Total] {
        &[]
    }

    /// Quantities counted as flags.
    fn flags(&self) -> &[Flag] {
        &[]
    }

    /// Text results of trials.
    fn labels(&self) -> &[Label] {
        &[]
    }

    /// The scene, if there is one.
    fn scene(&self) -> Option<&Scene> {
        None
    }

    /// Why an input has no effect.
    fn without_meaning(&self, input: usize) -> Option<String> {
        let _ = input;
        None
    }

    /// What to use instead of a class where a distance to the event is needed.
    fn instead_of_class(&self, class: usize) -> String {
        let _ = class;
        "use a quantity above or below a limit".to_owned()
    }

    /// Whether a trial of a class, with these quantities by index, counts as one of the class that is wanted: it is of it, or
    /// its own class names what matters more and hides that this happened too, or it ended before that could be known.
    fn counts_as(&self, wanted: usize, class: usize, value: &dyn Fn(usize) -> Option<f64>) -> bool {
        let _ = value;
        class == wanted
    }

    /// What the quantities of trials of a class do not say, since these were broken off by the study's own limits.
    fn left_open(&self, class: usize) -> Option<&'static str> {
        let _ = class;
        None
    }

    /// What to bear in mind of a run with these [totals](Self::totals) over all of its trials; `None` if nothing.
    fn caution(&self, totals: &[u64]) -> Option<String> {
        let _ = totals;
        None
    }

    /// Whether a trial of a class, with these quantities by index, is better off for the lack of one of them. Otherwise it
    /// counts as beyond every limit.
    fn is_good_without(&self, quantity: usize, class: usize, value: &dyn Fn(usize) -> Option<f64>) -> bool {
        let _ = (class, value);
        self.quantities()[quantity].lack_is_good
    }

    /// Why the trial with these inputs cannot start, and hence is invalid.
    fn fault(&self, inputs: &Inputs) -> Option<String> {
        let _ = inputs;
        None
    }

    /// What is doubtful of the start of the trial with these inputs, which is computed all the same.
    fn doubt(&self, inputs: &Inputs) -> Option<String> {
        let _ = inputs;
        None
    }

    /// Warnings about the model; those about its scene come from the scene.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Description, one or more complete lines.
    fn description(&self) -> String;

    /// Facts about the model, by name.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Its settings in study files, by key; models with equal settings, files and inputs are equal. What the model
    /// [reads](ModelKind::read) belongs here.
    fn settings(&self) -> Vec<(&'static str, String)>;

    /// Checks with an engine before any trial: empty, or lines of warnings.
    ///
    /// # Errors
    /// If the engine itself fails.
    fn examination(&self, engine: &dyn Engine) -> Result<String, EngineError> {
        let _ = engine;
        Ok(String::new())
    }

    /// Whether the engine `gpu` computes its trials; the CPU engines compute all models.
    fn has_kernels(&self) -> bool {
        true
    }

    /// Trials per call: from as few as keep an engine busy to as many as are worth the memory. A run takes as many of them
    /// as an engine computes in about a second, so that progress shows, and on a device more where these are faster.
    fn batch(&self, engine: &dyn Engine) -> RangeInclusive<usize>;

    /// The outcomes of trials, in the order of their inputs.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError>;

    /// Computes trials to the last: all that are given out are taken back. Their outcomes are those of [`Model::outcomes`]; by
    /// default they are computed by it, batch by batch.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn compute(&self, engine: &dyn Engine, trials: &mut dyn Trials) -> Result<(), EngineError> {
        batches::compute(self, engine, trials)
    }

    /// The columns of a trace.
    fn trace_columns(&self) -> Vec<Column>;

    /// One trial, with every step passed to a watcher; the outcome equals that of [`Model::outcomes`] bit for bit.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError>;

    /// One trial as a scene to render in a frame with this width and height \[px\].
    ///
    /// # Errors
    /// If the engine fails, or there is nothing to show.
    fn picture(&self, engine: &dyn Engine, inputs: &Inputs, frame: (u32, u32)) -> Result<Shown, PictureError>;

    /// One trial at equal intervals of time \[s\] from its start, as scenes with one view; at most [`MAX_FRAMES`].
    ///
    /// # Errors
    /// If the engine fails, there are too many, or the model has no pictures of moments.
    fn frames(&self, _: &dyn Engine, _: &Inputs, _: (u32, u32), _: f64) -> Result<Vec<Shown>, PictureError> {
        Err(PictureError::Nothing(format!("a {} has no pictures of moments; a world has", self.nouns().one)))
    }

    /// Two quantities for a figure of the density of final positions.
    fn footprint(&self) -> Option<Footprint> {
        None
    }

    /// Two quantities along one axis, for a joint figure.
    fn profile(&self) -> Option<Profile> {
        None
    }
}

/// Reads one kind of model from study files.
pub trait ModelKind: fmt::Debug + Sync {
    /// Name in study files.
    fn name(&self) -> &'static str;

    /// Reads the model's own keys of a study file, and the files they name.
    ///
    /// # Errors
    /// If something is invalid.
    fn read(&self, root: &Table<'_>, files: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError>;
}

/// The models available to study files; the first is the default.
#[derive(Clone, Debug)]
pub struct Models(Vec<&'static dyn ModelKind>);

impl Default for Models {
    /// The models of this library.
    fn default() -> Self {
        Self(vec![&landing::KIND, &particle::KIND, &world::KIND, &encounter::KIND, &deck_landing::KIND])
    }
}

impl Models {
    /// Adds a kind of model.
    #[must_use]
    pub fn with(mut self, kind: &'static dyn ModelKind) -> Self {
        self.0.push(kind);
        self
    }

    /// Reads the model of a study file: `model`, and the model's own keys.
    ///
    /// # Errors
    /// If there is no model with this name, something is invalid, or names of the model's inputs, quantities and classes
    /// cannot be those of keys and columns.
    pub fn read(&self, root: &Table<'_>, files: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let named = |field: crate::document::Field<'_>| {
            let name = field.string()?;
            self.0.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
                let names: Vec<&str> = self.0.iter().map(|kind| kind.name()).collect();
                let near = nearest(name, names.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
                let near = near.unwrap_or_else(|| ";".to_owned());
                field.error(format!("there is no model `{name}`{near} known: {}", names.join(", ")))
            })
        };
        let kind = root.optional_or("model", self.0[0], named)?;
        let model = kind.read(root, files)?;
        match names::fault(model.as_ref()) {
            None => Ok(model),
            Some(fault) => Err(root.error(format!("the model `{}` cannot be used: {fault}", kind.name()))),
        }
    }
}

impl dyn Model {
    /// Index of the quantity with this name.
    #[must_use]
    pub fn quantity_named(&self, name: &str) -> Option<usize> {
        self.quantities().iter().position(|quantity| quantity.name == name)
    }

    /// Index of the class with this name.
    #[must_use]
    pub fn class_named(&self, name: &str) -> Option<usize> {
        self.classes().iter().position(|class| class.name == name)
    }

    /// The model as a concrete type, if it is of that type.
    #[must_use]
    pub fn downcast<M: Model>(&self) -> Option<&M> {
        (self as &dyn Any).downcast_ref()
    }
}
