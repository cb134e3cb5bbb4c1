//! Inputs from a table: a design that was made elsewhere, row by row.

use std::sync::Arc;

use crate::model::Inputs;

/// Inputs of each trial, and its weight. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// By their numbers in the model's list.
    inputs: Vec<usize>,
    /// Row by row, SI units.
    values: Arc<[f64]>,
    /// With a mean of 1.
    weights: Option<Arc<[f64]>>,
}

impl Design {
    /// From the table's values, row by row in SI units, one for each of these inputs, and the rows' weights. Only the
    /// ratios of the weights matter: they are divided by their mean.
    ///
    /// # Panics
    /// When there are no inputs, or values or weights do not come to whole rows.
    #[must_use]
    pub fn new(inputs: Vec<usize>, values: Vec<f64>, weights: Option<Vec<f64>>) -> Self {
        assert!(values.len().is_multiple_of(inputs.len()), "a row has a value for each input");
        let rows = values.len() / inputs.len();
        let weights = weights.map(|weights| {
            assert_eq!(weights.len(), rows, "a row has one weight");
            let mean = weights.iter().sum::<f64>() / rows as f64;
            weights.iter().map(|weight| weight / mean).collect()
        });
        Self { inputs, values: values.into(), weights }
    }

    /// How many trials it has.
    #[must_use]
    pub fn rows(&self) -> u64 {
        (self.values.len() / self.inputs.len()) as u64
    }

    /// The inputs that it gives, by their numbers in the model's list.
    #[must_use]
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The values of an input by its number among [`Self::inputs`], in the order of the rows.
    #[must_use]
    pub fn column(&self, number: usize) -> Vec<f64> {
        self.values.iter().copied().skip(number).step_by(self.inputs.len()).collect()
    }

    /// Whether its rows have weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The weight of a trial: 1 on average.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn weight(&self, trial: u64) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[trial as usize])
    }

    /// Sets the inputs of a trial.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn apply(&self, trial: u64, inputs: &mut Inputs) {
        let count = self.inputs.len();
        let row = &self.values[trial as usize * count..][..count];
        for (&input, &value) in self.inputs.iter().zip(row) {
            inputs.values[input] = value;
        }
    }
}
