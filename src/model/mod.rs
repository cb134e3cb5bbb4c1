//! Models: what studies simulate, as values.
//!
//! ```text
//! study.toml (model = "NAME") --> Models --> ModelKind::read --> Model --> Study, run, report, sensitivity, compare, replay
//!                                                                  |
//!                                                             Engine (one of its jobs)
//! ```
//!
//! A study knows its model by this trait alone: named inputs, quantities and classes, and something that turns inputs into
//! outcomes. One simulation from its inputs to its outcome is a trial; what people call it is the model's to say
//! ([`Nouns`]). [`Models`] is the list of those that a study file may name; users add their own ([`Models::with`]).
//!
//! # Conventions
//! SI units and radians. Inputs, quantities, classes and totals are known by their numbers in the model's lists.

pub mod deck_landing;
pub mod encounter;
mod figure;
mod files;
pub mod landing;
pub mod particle;
pub mod world;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use deck_landing::DeckLandingModel;
pub use encounter::EncounterModel;
pub use figure::{Field, Footprint, Profile, Shown};
pub use files::Files;
pub use landing::LandingModel;
pub use particle::ParticleModel;
pub use world::WorldModel;

use crate::document::{DocumentError, Table, Unit, nearest};
use crate::engine::{Engine, EngineError};
use crate::random::NoiseKey;
use crate::scene::Scene;
use crate::table::Column;

/// Number of the class of trials of which nothing is known: inputs that mean nothing, or numbers that left the finite range.
/// It counts as every event.
pub const INVALID: usize = 0;

/// What people call a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nouns {
    /// One of them, as `landing`; column of its number in tables.
    pub one: &'static str,
    /// Several, as `landings`; key of their number in study files.
    pub many: &'static str,
}

/// A number that may differ from trial to trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Name in files and tables.
    pub name: &'static str,
    /// Unit.
    pub unit: Unit,
    /// What it means, with its sign.
    pub description: &'static str,
}

/// A number that a trial comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name in files and tables.
    pub name: String,
    /// Unit.
    pub unit: Unit,
    /// What it means.
    pub description: String,
    /// True when a trial without this number is better off than one with it.
    pub lack_is_good: bool,
}

/// How trials may end.
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
    /// What that means.
    pub description: &'static str,
    /// Name of the sum in summaries.
    pub name: &'static str,
    /// What is counted, in words: `vehicle steps`.
    pub title: &'static str,
    /// The same after a number of the first total; `with a wheel in contact`.
    pub short: &'static str,
}

/// A quantity of which summaries say in how many trials it is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Name.
    pub name: &'static str,
    /// Number of the quantity.
    pub quantity: usize,
}

impl Flag {
    /// Whether it is up in a trial with these quantities.
    #[must_use]
    pub fn is_up(&self, quantities: &[Option<f64>]) -> bool {
        quantities[self.quantity].is_some_and(|value| value > 0.0)
    }
}

/// A text that trials may leave, such as what broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its column.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
}

/// The inputs of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// The random numbers that it meets on its way.
    pub noise: NoiseKey,
    /// A value for each of the model's inputs, in SI units.
    pub values: Vec<f64>,
}

/// What a trial comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Number of its class.
    pub class: usize,
    /// Its counts, one for each of the model's totals.
    pub totals: Vec<u64>,
    /// Its texts, one for each of the model's labels.
    pub labels: Vec<Option<String>>,
    /// Its quantities; of an invalid trial none is known.
    pub quantities: Vec<Option<f64>>,
}

/// Watches a trial.
pub trait Watcher {
    /// After each step, with a value for each of the model's columns of traces.
    fn step(&mut self, values: &[f64]);
    /// Something happened: the time \[s\], where things stood then, and what it was.
    fn event(&mut self, time: f64, state: &str, words: &str);
}

/// Why there is no picture of a trial.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is nothing to be shown, or no room for it.
    #[error("{0}")]
    Nothing(String),
}

/// What a study simulates.
pub trait Model: Any + fmt::Debug + Send + Sync {
    /// What its trials are called.
    fn nouns(&self) -> Nouns;

    /// What is simulated: the name of a study that has none.
    fn subject(&self) -> &str;

    /// What may differ from trial to trial. The number of an input is its variable in the random counter, so the order of the
    /// list is part of every seed's meaning: add at the end only.
    fn inputs(&self) -> &[Input];

    /// The value of each input that a study does not name.
    fn nominal(&self) -> Vec<f64>;

    /// The numbers that a trial comes to, in the order of the tables' columns.
    fn quantities(&self) -> &[Quantity];

    /// How trials may end; the first is [`INVALID`], the last is as it should be.
    fn classes(&self) -> &[Class];

    /// What is counted.
    fn totals(&self) -> &[Total] {
        &[]
    }

    /// Quantities that are looked at for being above 0.
    fn flags(&self) -> &[Flag] {
        &[]
    }

    /// Texts of trials.
    fn labels(&self) -> &[Label] {
        &[]
    }

    /// The scene, where there is one.
    fn scene(&self) -> Option<&Scene> {
        None
    }

    /// Why an input would change nothing.
    fn without_meaning(&self, input: usize) -> Option<String> {
        let _ = input;
        None
    }

    /// What to ask for in the place of a class where nearness to an event is needed.
    fn instead_of_class(&self, class: usize) -> String {
        let _ = class;
        "use a quantity above or below a limit".to_owned()
    }

    /// Why the trial with these inputs cannot start, and so is invalid.
    fn fault(&self, inputs: &Inputs) -> Option<String> {
        let _ = inputs;
        None
    }

    /// What people should know before they trust it; what is doubtful in its scene is the scene's to say.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it is made of, in lines, each with its end.
    fn description(&self) -> String;

    /// What it is made of, by name.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// What a study file may set of it, by key; models with the same settings, files and inputs are the same.
    fn settings(&self) -> Vec<(&'static str, String)>;

    /// What an engine finds out about it before any trial: nothing, or lines that warn.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn examination(&self, engine: &dyn Engine) -> Result<String, EngineError> {
        let _ = engine;
        Ok(String::new())
    }

    /// Whether the engine `gpu` computes its trials; those on the processor compute all.
    fn has_kernels(&self) -> bool {
        true
    }

    /// How many trials per call keep an engine busy while progress still shows.
    fn batch(&self, engine: &dyn Engine) -> usize;

    /// Trials from their inputs to their outcomes, in the same order.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError>;

    /// The columns of a trace.
    fn trace_columns(&self) -> Vec<Column>;

    /// One trial, every step shown to a watcher; the outcome is that of [`Model::outcomes`] bit for bit.
    ///
    /// # Errors
    /// When the engine itself fails.
    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError>;

    /// One trial as a scene to be looked at in a frame of this width and height \[px\].
    ///
    /// # Errors
    /// When the engine fails, or there is nothing to be shown.
    fn picture(&self, engine: &dyn Engine, inputs: &Inputs, frame: (u32, u32)) -> Result<Shown, PictureError>;

    /// Two quantities that say where trials end up, for a figure of their density.
    fn footprint(&self) -> Option<Footprint> {
        None
    }

    /// Two quantities along one axis, for a figure of both.
    fn profile(&self) -> Option<Profile> {
        None
    }
}

/// Reads models of one name from study files.
pub trait ModelKind: fmt::Debug + Sync {
    /// Name in study files.
    fn name(&self) -> &'static str;

    /// Reads what is its own of a study file, and the files that it names.
    ///
    /// # Errors
    /// When something is not what it should be.
    fn read(&self, root: &Table<'_>, files: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError>;
}

/// The models that study files may name; the first where they name none.
#[derive(Clone, Debug)]
pub struct Models(Vec<&'static dyn ModelKind>);

impl Default for Models {
    /// Those of this library.
    fn default() -> Self {
        Self(vec![&landing::KIND, &particle::KIND, &world::KIND, &encounter::KIND, &deck_landing::KIND])
    }
}

impl Models {
    /// These and another one.
    #[must_use]
    pub fn with(mut self, kind: &'static dyn ModelKind) -> Self {
        self.0.push(kind);
        self
    }

    /// Reads the model of a study file: `model`, and what is that model's own.
    ///
    /// # Errors
    /// When there is no model of this name, or something is not what it should be.
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
        root.optional_or("model", self.0[0], named)?.read(root, files)
    }
}

impl dyn Model {
    /// Number of the quantity with this name.
    #[must_use]
    pub fn quantity_named(&self, name: &str) -> Option<usize> {
        self.quantities().iter().position(|quantity| quantity.name == name)
    }

    /// Number of the class with this name.
    #[must_use]
    pub fn class_named(&self, name: &str) -> Option<usize> {
        self.classes().iter().position(|class| class.name == name)
    }

    /// The model as what it is, where it is that.
    #[must_use]
    pub fn downcast<M: Model>(&self) -> Option<&M> {
        (self as &dyn Any).downcast_ref()
    }
}
