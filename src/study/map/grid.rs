//! Which trials a map computes, by number.

use crate::model::{Input, Inputs};
use crate::random::NoiseKey;
use crate::study::Study;
use crate::study::sampling::Method;

/// An input that is swept.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Its number among the model's inputs.
    pub number: usize,
    /// The input.
    pub input: Input,
    /// Its values in SI units, ascending.
    pub values: Vec<f64>,
}

/// What `[map]` asks for: the cells, and how many trials each has.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The input along x.
    pub x: Sweep,
    /// The input along y.
    pub y: Sweep,
    /// Trials of a cell.
    pub cell_trials: u64,
    /// How those are drawn.
    pub(in crate::study) method: Method,
}

impl Grid {
    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> u64 {
        (self.x.values.len() * self.y.values.len()) as u64
    }

    /// Trials of all cells.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.cells() * self.cell_trials
    }

    /// The values of both inputs in a cell: (x, y).
    #[must_use]
    pub fn values_of(&self, cell: u64) -> (f64, f64) {
        let columns = self.x.values.len();
        (self.x.values[cell as usize % columns], self.y.values[cell as usize / columns])
    }

    /// The inputs of a trial of all cells: those of the study's trial, with the values of its cell.
    pub(super) fn inputs_of(&self, study: &Study, number: u64) -> Inputs {
        let (cell, trial) = (number / self.cell_trials, number % self.cell_trials);
        let variables = study.inputs.iter().map(|sampled| sampled.number as u32);
        let (uniforms, _) = self.method.draw(study.seed, trial, variables);
        let mut inputs = study.inputs_at(uniforms, NoiseKey { seed: study.seed, item: trial });
        (inputs.values[self.x.number], inputs.values[self.y.number]) = self.values_of(cell);
        inputs
    }

    /// The weight of a trial of a cell.
    pub(super) fn weight(&self, study: &Study, trial: u64) -> f64 {
        if !self.method.is_weighted() {
            return 1.0;
        }
        self.method.draw(study.seed, trial, study.inputs.iter().map(|sampled| sampled.number as u32)).1
    }
}
