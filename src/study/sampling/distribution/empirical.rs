//! A measured sample as a distribution.

use super::{DistributionError, finite};

/// The sample in ascending order; never fewer than two values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    sorted: Vec<f64>,
    mean: f64,
}

impl Sample {
    pub(super) fn new(values: &[f64]) -> Result<Self, DistributionError> {
        const MIN: usize = 2;
        if values.len() < MIN {
            return Err(DistributionError::TooFewValues { given: values.len(), least: MIN });
        }
        values.iter().try_for_each(|value| finite("value", *value))?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        // The differences that interpolation takes must not overflow.
        finite("range of the values", sorted[sorted.len() - 1] - sorted[0])?;
        Ok(Self { sorted, mean })
    }

    /// Linear interpolation between the values at the plotting positions (i - 0.5) / n.
    pub(super) fn quantile(&self, u: f64) -> f64 {
        let last = self.sorted.len() - 1;
        let position = (u * self.sorted.len() as f64 - 0.5).clamp(0.0, last as f64);
        let index = position as usize;
        let Some(&above) = self.sorted.get(index + 1) else {
            return self.maximum();
        };
        let below = self.sorted[index];
        // Clamped against rounding of the product.
        (below + (position - index as f64) * (above - below)).min(above)
    }

    /// The intervals of uniforms between the plotting positions of equal values, and beyond the first and last
    /// position.
    pub(super) fn atoms(&self) -> Vec<[f64; 2]> {
        let count = self.sorted.len();
        let position = |index: usize| (index as f64 + 0.5) / count as f64;
        let mut atoms = Vec::new();
        let mut first = 0;
        for run in self.sorted.chunk_by(|a, b| a == b) {
            let last = first + run.len() - 1;
            let from = if first == 0 { 0.0 } else { position(first) };
            let to = if last + 1 == count { 1.0 } else { position(last) };
            if to > from {
                atoms.push([from, to]);
            }
            first = last + 1;
        }
        atoms
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    pub(super) fn minimum(&self) -> f64 {
        self.sorted[0]
    }

    pub(super) fn maximum(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }
}
