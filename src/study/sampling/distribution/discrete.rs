//! A finite list of values with weights.

use super::{DistributionError, finite};

/// Values in ascending order, with cumulative probabilities.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Discrete {
    values: Vec<f64>,
    cumulative: Vec<f64>,
    mean: f64,
}

impl Discrete {
    pub(super) fn new(values: &[f64], weights: &[f64]) -> Result<Self, DistributionError> {
        check(values, weights)?;
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(DistributionError::WeightSum { sum });
        }
        // A value with zero weight must never be drawn, not even at the edge of its neighbour.
        let mut pairs: Vec<(f64, f64)> = values
            .iter()
            .zip(weights)
            .map(|(value, weight)| (*value, weight / sum))
            .filter(|(_, probability)| *probability > 0.0)
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let cumulative = pairs
            .iter()
            .scan(0.0, |total, (_, probability)| {
                *total += probability;
                Some(*total)
            })
            .collect();
        Ok(Self {
            mean: pairs.iter().map(|(value, probability)| value * probability).sum(),
            values: pairs.into_iter().map(|(value, _)| value).collect(),
            cumulative,
        })
    }

    /// The first value whose cumulative probability reaches `u`.
    pub(super) fn quantile(&self, u: f64) -> f64 {
        let index = self.cumulative.partition_point(|cumulative| *cumulative < u);
        // The rounded probabilities may sum to a little less than 1.
        self.values[index.min(self.values.len() - 1)]
    }

    /// The values, each once.
    pub(super) fn distinct(&self) -> Vec<f64> {
        let mut values = self.values.clone();
        values.dedup();
        values
    }

    /// The interval of uniforms that maps to each value.
    pub(super) fn atoms(&self) -> Vec<[f64; 2]> {
        let mut atoms: Vec<[f64; 2]> = Vec::new();
        for (index, &to) in self.cumulative.iter().enumerate() {
            match atoms.last_mut() {
                Some(last) if self.values[index - 1] == self.values[index] => last[1] = to,
                last => {
                    let from = last.map_or(0.0, |last| last[1]);
                    atoms.push([from, to]);
                }
            }
        }
        // The rounded probabilities may sum to a little less or more than 1.
        if let Some(last) = atoms.last_mut() {
            last[1] = 1.0;
        }
        atoms
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    pub(super) fn minimum(&self) -> f64 {
        self.values[0]
    }

    pub(super) fn maximum(&self) -> f64 {
        self.values[self.values.len() - 1]
    }
}

fn check(values: &[f64], weights: &[f64]) -> Result<(), DistributionError> {
    if values.is_empty() {
        return Err(DistributionError::TooFewValues { given: 0, least: 1 });
    }
    if values.len() != weights.len() {
        return Err(DistributionError::WeightCount { values: values.len(), weights: weights.len() });
    }
    values.iter().try_for_each(|value| finite("value", *value))?;
    for (index, &value) in weights.iter().enumerate() {
        finite("weight", value)?;
        if value < 0.0 {
            return Err(DistributionError::NegativeWeight { index, value });
        }
    }
    Ok(())
}
