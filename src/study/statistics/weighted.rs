//! A probability from weighted draws: exact sums of weights, and bounds.

use super::student::student_quantile;
use super::wide::Wide;
use crate::study::packed::{Packer, Unpacker};

/// Weights are rounded to multiples of 2^-80: for an event of 10^-12 = 2^-40 that leaves 12 digits, and 2^40 weights of
/// up to 2^7 on average fit 128 bits, while the average is 1 for every method of this kind.
const GRID: f64 = (1_u128 << 80) as f64;
/// Largest weight. Each draw exceeds it with probability below 2^-40, because weights have mean 1 (Markov).
const MAX_WEIGHT: f64 = (1_u64 << 40) as f64;
/// Minimum number of effective events for reliable bounds. From here on the standard deviation is known to some 10 %.
pub const MIN_EFFECTIVE: f64 = 50.0;

/// Why a weight was not added.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the weight {weight} cannot be counted; it must be at most {MAX_WEIGHT} (2^40): shift and spread the inputs less"
)]
pub struct WeightError {
    /// The weight refused.
    pub weight: f64,
}

/// Event counts of weighted draws. Integers only: independent of order and batching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightedTally {
    /// Mean of the squares of the weights of all draws, events or not, if the weights were divided by their own mean.
    normalized: Option<f64>,
    /// Draws with the event.
    pub events: u64,
    /// Draws.
    pub draws: u64,
    /// Weights of the events, on the grid.
    sum: u128,
    /// Their squares.
    squares: Wide,
    /// The largest of them.
    largest: u128,
}

/// Estimate of a probability from weighted draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedBounds {
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound; 1 without events, which leave the probability elsewhere unknown.
    pub upper: f64,
    /// False with too few effective events to rely on.
    pub trusted: bool,
}

impl WeightedTally {
    /// No draws yet, whose weights were divided by their mean: it is 1, and this is that of their squares.
    #[must_use]
    pub fn normalized(mean_square: f64) -> Self {
        Self { normalized: Some(mean_square), ..Self::default() }
    }

    /// Counts one draw.
    ///
    /// # Errors
    /// If its weight is not a number from 0 to 2^40; nothing is added then.
    pub fn add(&mut self, happened: bool, weight: f64) -> Result<(), WeightError> {
        // NaN is in no range.
        if !(0.0..=MAX_WEIGHT).contains(&weight) {
            return Err(WeightError { weight });
        }
        self.draws += 1;
        if happened {
            let weight = (weight * GRID).round_ties_even() as u128;
            self.events += 1;
            // Exceeding 2^128 would need a total weight of 2^48, and each weight has mean 1.
            self.sum = self.sum.saturating_add(weight);
            self.squares = self.squares.plus(Wide::product(weight, weight));
            self.largest = self.largest.max(weight);
        }
        Ok(())
    }

    /// Adds the draws of another tally.
    pub fn merge(&mut self, other: &Self) {
        let Self { normalized: _, events, draws, sum, squares, largest } = other;
        self.events += events;
        self.draws += draws;
        self.sum = self.sum.saturating_add(*sum);
        self.squares = self.squares.plus(*squares);
        self.largest = self.largest.max(*largest);
    }

    /// The same draws with the events of another tally of them.
    pub(super) fn with_events_of(&self, other: &Self) -> Self {
        let mut all = *self;
        all.merge(other);
        Self { draws: self.draws, ..all }
    }

    /// Serializes the tally.
    pub(crate) fn pack(&self, packer: &mut Packer) {
        let Self { normalized: _, events, draws, sum, squares, largest } = *self;
        let (high, low) = squares.halves();
        for number in [events.into(), draws.into(), sum, high, low, largest] {
            packer.number(number);
        }
    }

    /// Inverse of [`pack`](Self::pack), into a tally of such weights; `None` for an impossible tally.
    pub(crate) fn unpack(self, unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let (events, draws) = (unpacker.count()?, unpacker.count()?);
        let sum = unpacker.number()?;
        let squares = Wide::from_halves(unpacker.number()?, unpacker.number()?);
        let largest = unpacker.number()?;
        (events <= draws && largest <= sum).then_some(Self { events, draws, sum, squares, largest, ..self })
    }

    /// Unbiased estimate of the probability, clipped at 1; requires at least one draw.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        (self.sum as f64 / GRID / self.draws as f64).min(1.0)
    }

    /// Number of equally weighted events that would leave the estimate as uncertain (Kish): (sum of weights)^2 over the
    /// sum of their squares.
    #[must_use]
    pub fn effective_events(&self) -> f64 {
        if self.sum == 0 { 0.0 } else { self.sum as f64 / self.squares.to_f64() * self.sum as f64 }
    }

    /// The contribution of the largest weight to the estimate.
    #[must_use]
    pub fn largest_share(&self) -> f64 {
        if self.sum == 0 { 0.0 } else { self.largest as f64 / self.sum as f64 }
    }

    /// One-sided bounds on the probability, each at a confidence.
    ///
    /// The estimate is a mean of independent draws (weight or 0), hence Student's t. Its degrees of freedom are those
    /// of the effective events, not of the draws, most of which are 0: the difference matters only if they are few.
    ///
    /// With weights that were divided by their mean it is a ratio of two such means, whose variance is that of the sum of
    /// w (1 - p) over events and of -w p over the other draws (Hesterberg, 1988): their own mean is as uncertain.
    #[must_use]
    pub fn bounds(&self, confidence: f64) -> WeightedBounds {
        let effective = self.effective_events();
        if self.draws < 2 || effective < 2.0 {
            return WeightedBounds { lower: 0.0, upper: 1.0, trusted: false };
        }
        let draws = self.draws as f64;
        let mean = self.sum as f64 / GRID / draws;
        // Of the weights of events: their sum is n mean, and that of their squares (n mean)^2 / effective.
        let mean_square = mean * mean * draws / effective;
        let spread = match self.normalized {
            None => mean_square - mean * mean,
            Some(of_all) => mean_square * (1.0 - 2.0 * mean) + mean * mean * of_all,
        };
        let variance = spread.max(0.0) / (draws - 1.0);
        let reach = student_quantile(confidence, effective - 1.0) * variance.sqrt();
        WeightedBounds {
            lower: (mean - reach).clamp(0.0, 1.0),
            upper: (mean + reach).clamp(0.0, 1.0),
            trusted: effective >= MIN_EFFECTIVE,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests {
    use super::*;
    use crate::normal;
    use crate::random::uniform;

    /// One in ten rows of a table is normal, the others are about 3; weights are ratios of densities, divided by their mean.
    #[test]
    fn bounds_by_weights_that_were_divided_by_their_mean_hold_as_often_as_they_say() {
        const REPETITIONS: u64 = 1000;
        let truth = normal::complement(3.0);
        let [mut above, mut below] = [0; 2];
        for seed in 0..REPETITIONS {
            let draw = |row: u64| {
                let z = normal::quantile(uniform(seed, row, 0)) + if !row.is_multiple_of(10) { 3.0 } else { 0.0 };
                (z, 1.0 / (0.1 + 0.9 * (3.0 * z - 4.5).exp()))
            };
            let rows: Vec<(f64, f64)> = (0..2000).map(draw).collect();
            let mean = rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
            let mean_square = rows.iter().map(|row| (row.1 / mean).powi(2)).sum::<f64>() / rows.len() as f64;
            let mut tally = WeightedTally::normalized(mean_square);
            rows.iter().for_each(|(z, weight)| tally.add(*z > 3.0, weight / mean).unwrap());
            let bounds = tally.bounds(0.95);
            above += u32::from(bounds.lower > truth);
            below += u32::from(bounds.upper < truth);
        }
        println!("of {REPETITIONS} bounds at 95 %: {above} lower ones above the truth, {below} upper ones below");
        // Three standard deviations of a count with 5 %.
        assert!(above < 71 && below < 71, "{above} {below}");
    }

    #[test]
    fn equal_weights_give_the_variance_of_a_count() {
        let mut tally = WeightedTally::normalized(1.0);
        (0..1000).for_each(|draw| tally.add(draw % 4 == 0, 1.0).unwrap());
        let reach = student_quantile(0.95, 249.0) * (0.25_f64 * 0.75 / 999.0).sqrt();
        let bounds = tally.bounds(0.95);
        assert!((bounds.lower - (0.25 - reach)).abs() < 1e-12 && (bounds.upper - (0.25 + reach)).abs() < 1e-12);
    }
}
