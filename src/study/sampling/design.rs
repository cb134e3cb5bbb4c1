//! Inputs from a table: a design made elsewhere, one row per trial.

use std::sync::Arc;

use crate::model::Inputs;

/// The inputs of each trial, and its weight. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Their indices in the model's list.
    inputs: Vec<usize>,
    /// Row by row, SI units.
    values: Arc<[f64]>,
    /// Normalized to mean 1.
    weights: Option<Arc<[f64]>>,
    mean_square_weight: f64,
}

impl Design {
    /// A design from the table's values, row by row in SI units, one for each of these inputs, and the weights of the
    /// rows. Only ratios of weights matter: they are divided by their mean.
    ///
    /// # Panics
    /// If there are no inputs, or the number of values or weights does not match whole rows.
    #[must_use]
    pub fn new(inputs: Vec<usize>, values: Vec<f64>, weights: Option<Vec<f64>>) -> Self {
        assert!(values.len().is_multiple_of(inputs.len()), "a row has a value for each input");
        let rows = values.len() / inputs.len();
        let weights = weights.map(|weights| {
            assert_eq!(weights.len(), rows, "a row has one weight");
            let mean = weights.iter().sum::<f64>() / rows as f64;
            weights.iter().map(|weight| weight / mean).collect::<Arc<[f64]>>()
        });
        let mean_square =
            |weights: &Arc<[f64]>| weights.iter().map(|weight| weight * weight).sum::<f64>() / rows as f64;
        let mean_square_weight = weights.as_ref().map_or(1.0, mean_square);
        Self { inputs, values: values.into(), weights, mean_square_weight }
    }

    /// Number of trials.
    #[must_use]
    pub fn rows(&self) -> u64 {
        (self.values.len() / self.inputs.len()) as u64
    }

    /// The inputs it provides, as indices in the model's list.
    #[must_use]
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The values of an input, by its index in [`Self::inputs`], in row order.
    #[must_use]
    pub fn column(&self, number: usize) -> Vec<f64> {
        self.values.iter().copied().skip(number).step_by(self.inputs.len()).collect()
    }

    /// Whether its rows have weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The weight of a trial; the mean is 1.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn weight(&self, trial: u64) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[trial as usize])
    }

    /// The mean of the squares of the weights.
    #[must_use]
    pub fn mean_square_weight(&self) -> f64 {
        self.mean_square_weight
    }

    /// Sets the inputs of a trial.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn apply(&self, trial: u64, inputs: &mut Inputs) {
        let count = self.inputs.len();
        let row = &self.values[trial as usize * count..][..count];
        for (&input, &value) in self.inputs.iter().zip(row) {
            inputs.values[input] = value;
        }
    }
}
