//! What the trials of a map come to.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::MapError;
use super::counts::Count;
use super::grid::{Grid, Sweep};
use super::table::SEAL;
use crate::engine::EngineIdentity;
use crate::study::analysis::sealed_text;
use crate::study::statistics::Verdict;
use crate::study::{Bounds, DEFAULT_CONFIDENCE, Evidence, Study};

/// Name of the first layer: trials without the event of any criterion.
pub const SAFE: &str = "safe";

/// Probabilities over a grid of two inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// Name of the study.
    pub study: String,
    /// SHA-256 of the study's files.
    pub study_hash: String,
    /// Seed.
    pub seed: u64,
    /// Version of the program that computed the trials.
    pub version: String,
    /// Engine that computed them.
    pub engine: String,
    /// Device it ran on.
    pub adapter: String,
    /// How inputs are sampled.
    pub method: String,
    /// Trials in each cell.
    pub trials: u64,
    /// Invalid trials of all cells.
    pub invalid: u64,
    /// The input along x.
    pub x: MapAxis,
    /// The input along y.
    pub y: MapAxis,
    /// What is mapped: [`SAFE`] first, then each criterion's event in the order of the study.
    pub layers: Vec<Layer>,
}

/// An input that is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapAxis {
    /// Name of the input.
    pub input: String,
    /// SI symbol of its unit.
    pub unit: String,
    /// What the input is.
    pub description: String,
    /// Its values, ascending.
    pub values: Vec<f64>,
}

/// The probability of one event in each cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// [`SAFE`], or the criterion's name.
    pub name: String,
    /// The event, in words.
    pub event: String,
    /// Greatest probability allowed; `None` for [`SAFE`].
    pub allowed: Option<f64>,
    /// Confidence of each bound.
    pub confidence: f64,
    /// The cells, row by row, x fastest.
    pub cells: Vec<Cell>,
}

/// The probability of an event in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Trials with the event.
    pub events: u64,
    /// Estimated probability.
    pub estimate: f64,
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound.
    pub upper: f64,
    /// Whether the bounds are what they say; of weighted trials they may not be.
    pub trusted: bool,
    /// Verdict by the bounds, where a probability is allowed.
    pub verdict: Option<Verdict>,
}

impl Cell {
    fn of(evidence: &Evidence, confidence: f64, allowed: Option<f64>) -> Self {
        let Bounds { lower, upper, trusted, .. } = evidence.bounds(confidence);
        let verdict = |limit| if trusted { Verdict::of_bounds(lower, upper, limit) } else { Verdict::Undecided };
        Self {
            events: evidence.tally().events,
            estimate: evidence.estimate(),
            lower: lower.clamp(0.0, 1.0),
            upper: upper.clamp(0.0, 1.0),
            trusted,
            verdict: allowed.map(verdict),
        }
    }

    /// Of the event that this one did not happen.
    fn complement(self, trials: u64) -> Self {
        Self {
            events: trials - self.events,
            estimate: (1.0 - self.estimate).max(0.0),
            lower: 1.0 - self.upper,
            upper: 1.0 - self.lower,
            ..self
        }
    }

    /// Estimate and bounds of what is to be avoided, in a layer of this name: (lower, estimate, upper).
    #[must_use]
    pub fn risk(&self, is_safe: bool) -> (f64, f64, f64) {
        if is_safe {
            (1.0 - self.upper, 1.0 - self.estimate, 1.0 - self.lower)
        } else {
            (self.lower, self.estimate, self.upper)
        }
    }
}

impl Layer {
    /// Whether this is the layer of trials without any event.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.allowed.is_none()
    }

    /// How many cells have this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cells.iter().filter(|cell| cell.verdict == Some(verdict)).count()
    }
}

impl Map {
    pub(super) fn of(study: &Study, identity: &EngineIdentity, grid: &Grid, counts: &[Count]) -> Self {
        Self {
            study: study.name.clone(),
            study_hash: study.hash().to_owned(),
            seed: study.seed,
            version: identity.version.clone(),
            engine: identity.engine.clone(),
            adapter: identity.adapter.clone(),
            method: study.method.name().to_owned(),
            trials: grid.cell_trials,
            invalid: counts.iter().map(|count| count.invalid).sum(),
            x: axis(&grid.x),
            y: axis(&grid.y),
            layers: layers(study, grid, counts),
        }
    }

    /// Reads the result in a directory; `None` when there is none.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn read(directory: &Path) -> Result<Option<Self>, MapError> {
        let unreadable = |path, cause| MapError::Unreadable { path, cause };
        let Some(text) = sealed_text(directory, &SEAL, unreadable)? else {
            return Ok(None);
        };
        serde_json::from_str(&text).map(Some).map_err(|error| unreadable(directory.join(SEAL.file), error.to_string()))
    }

    /// As JSON text.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// Number of cells.
    pub(in crate::study) fn cells(&self) -> u64 {
        (self.x.values.len() * self.y.values.len()) as u64
    }

    /// The values of both inputs in a cell: (x, y).
    #[must_use]
    pub fn values_of(&self, cell: usize) -> (f64, f64) {
        let columns = self.x.values.len();
        (self.x.values[cell % columns], self.y.values[cell / columns])
    }
}

fn axis(sweep: &Sweep) -> MapAxis {
    MapAxis {
        input: sweep.input.name.to_owned(),
        unit: sweep.input.unit.symbol().to_owned(),
        description: sweep.input.description.to_owned(),
        values: sweep.values.clone(),
    }
}

fn layers(study: &Study, grid: &Grid, counts: &[Count]) -> Vec<Layer> {
    let most = study.criteria.iter().map(|criterion| criterion.confidence).fold(f64::NAN, f64::max);
    let confidence = if most.is_nan() { DEFAULT_CONFIDENCE } else { most };
    let any = study.criteria.len();
    let safe = |count: &Count| Cell::of(&count.evidence[any], confidence, None).complement(grid.cell_trials);
    let first = Layer {
        name: SAFE.to_owned(),
        event: "no event of any criterion".to_owned(),
        allowed: None,
        confidence,
        cells: counts.iter().map(safe).collect(),
    };
    let of_criterion = study.criteria.iter().enumerate().map(|(number, criterion)| {
        let cell = |count: &Count| Cell::of(&count.evidence[number], criterion.confidence, Some(criterion.probability));
        Layer {
            name: criterion.name.clone(),
            event: criterion.description.clone(),
            allowed: Some(criterion.probability),
            confidence: criterion.confidence,
            cells: counts.iter().map(cell).collect(),
        }
    });
    std::iter::once(first).chain(of_criterion).collect()
}
