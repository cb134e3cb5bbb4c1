//! Truncated normal distribution, accurate however far out in the tail.

use std::fmt;

use super::{DistributionError, normal};

/// The smallest positive number: no tail has a smaller probability.
const SMALLEST: f64 = f64::from_bits(1);

/// Tail probabilities of both ends are stored from both sides: the small one is accurate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TruncatedNormal {
    mean: f64,
    sd: f64,
    minimum: f64,
    maximum: f64,
    /// Probability of the parent below `minimum` and below `maximum`.
    below: [f64; 2],
    /// Probability of the parent above `minimum` and above `maximum`.
    above: [f64; 2],
}

impl TruncatedNormal {
    pub(super) fn new(mean: f64, sd: f64, minimum: f64, maximum: f64) -> Result<Self, DistributionError> {
        let ends = [(minimum - mean) / sd, (maximum - mean) / sd];
        let truncated = Self {
            mean,
            sd,
            minimum,
            maximum,
            below: ends.map(normal::cumulative),
            above: ends.map(normal::complement),
        };
        let probability = truncated.probability();
        // Below the smallest normal number the tail loses its digits. A NaN probability must not
        // pass either.
        if probability >= f64::MIN_POSITIVE {
            Ok(truncated)
        } else {
            Err(DistributionError::ImprobableRange { mean, sd, minimum, maximum, probability })
        }
    }

    /// Probability of the parent between the ends, computed from the smaller tails.
    fn probability(&self) -> f64 {
        if self.above[0] < self.below[1] { self.above[0] - self.above[1] } else { self.below[1] - self.below[0] }
    }

    pub(super) fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, sd, minimum, maximum, .. } = self;
        write!(formatter, "normal, mean {mean}, sd {sd}, kept from {minimum} to {maximum}")
    }

    pub(super) fn quantile(&self, u: f64) -> f64 {
        let below = (1.0 - u) * self.below[0] + u * self.below[1];
        let above = (1.0 - u) * self.above[0] + u * self.above[1];
        // Both are sums of positive numbers, hence accurate; the smaller of the two also determines
        // z well. It may underflow to 0, whose z is infinite.
        let z = |tail: f64| normal::quantile(tail.max(SMALLEST));
        let z = if below < above { z(below) } else { -z(above) };
        (self.mean + self.sd * z).clamp(self.minimum, self.maximum)
    }

    pub(super) fn mean(&self) -> f64 {
        let [low, high] = [self.minimum, self.maximum].map(|end| (end - self.mean) / self.sd);
        let shift = (normal::density(low) - normal::density(high)) / self.probability();
        (self.mean + self.sd * shift).clamp(self.minimum, self.maximum)
    }

    pub(super) fn minimum(&self) -> Option<f64> {
        self.minimum.is_finite().then_some(self.minimum)
    }

    pub(super) fn maximum(&self) -> Option<f64> {
        self.maximum.is_finite().then_some(self.maximum)
    }
}
