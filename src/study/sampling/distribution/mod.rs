//! Probability distributions of inputs, drawn by inversion.
//!
//! Inversion needs exactly one uniform number per value and preserves rank correlations between variables.

mod discrete;
mod empirical;
mod truncated_normal;

use std::fmt;

use discrete::Discrete;
use empirical::Sample;
use statrs::function::gamma::gamma;
use truncated_normal::TruncatedNormal;

use super::normal;
use crate::elementary::{exp, ln, ln_1p, pow};

/// Why a distribution was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// A parameter is NaN or infinite.
    #[error("{parameter} is {value}; it must be a finite number")]
    NotFinite {
        /// Name of the parameter.
        parameter: &'static str,
        /// The number given.
        value: f64,
    },
    /// A parameter must be above zero.
    #[error("{parameter} is {value}; it must be greater than 0")]
    NotPositive {
        /// Name of the parameter.
        parameter: &'static str,
        /// The number given.
        value: f64,
    },
    /// The lower end is not below the upper end, or an end is NaN.
    #[error("the range from {minimum} to {maximum} is empty; min must be less than max")]
    EmptyRange {
        /// Lower end given.
        minimum: f64,
        /// Upper end given.
        maximum: f64,
    },
    /// The truncated range has a probability too small for f64.
    #[error(
        "a normal distribution with mean {mean} and sd {sd} practically never lies between \
         {minimum} and {maximum} (probability {probability:e}); move the range to within 37 sd of the mean"
    )]
    ImprobableRange {
        /// Mean of the parent normal.
        mean: f64,
        /// Standard deviation of the parent normal.
        sd: f64,
        /// Lower end given.
        minimum: f64,
        /// Upper end given.
        maximum: f64,
        /// Probability of the range in f64.
        probability: f64,
    },
    /// Too few values for this kind of distribution.
    #[error("{given} value(s) given; at least {least} are needed")]
    TooFewValues {
        /// Number given.
        given: usize,
        /// Number required.
        least: usize,
    },
    /// The numbers of values and weights differ.
    #[error("{values} values but {weights} weights; each value needs one weight")]
    WeightCount {
        /// Number of values.
        values: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A weight is below zero.
    #[error("weight {index} is {value}; weights must be 0 or more")]
    NegativeWeight {
        /// Position in the list, from 0.
        index: usize,
        /// The weight given.
        value: f64,
    },
    /// The weights sum to zero, or overflow.
    #[error("the weights sum to {sum}; the sum must be finite and greater than 0")]
    WeightSum {
        /// The sum.
        sum: f64,
    },
    /// The parameters are valid individually, but some values overflow.
    #[error("these parameters give values up to {value}; every value must be finite")]
    Overflow {
        /// The value or mean that is not finite.
        value: f64,
    },
}

/// The distribution of one input. Values have the unit of the input.
///
/// Built by constructors that check the parameters, so every method is total: [`quantile`](Self::quantile) is finite
/// for every u inside (0, 1).
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Constant(f64),
    Uniform { minimum: f64, maximum: f64 },
    Normal { mean: f64, sd: f64 },
    TruncatedNormal(TruncatedNormal),
    LogNormal { mean: f64, mu: f64, sigma: f64 },
    Weibull { scale: f64, shape: f64 },
    Choice(Discrete),
    Empirical(Sample),
}

impl Distribution {
    /// Always `value`.
    ///
    /// # Errors
    /// `value` is not finite.
    pub fn constant(value: f64) -> Result<Self, DistributionError> {
        finite("value", value)?;
        Ok(Self(Kind::Constant(value)))
    }

    /// Uniform between `minimum` and `maximum`.
    ///
    /// # Errors
    /// An end is not finite, the range is empty, or its width overflows.
    pub fn uniform(minimum: f64, maximum: f64) -> Result<Self, DistributionError> {
        finite("min", minimum)?;
        finite("max", maximum)?;
        ordered(minimum, maximum)?;
        Self(Kind::Uniform { minimum, maximum }).checked()
    }

    /// Gaussian with the given mean and standard deviation.
    ///
    /// # Errors
    /// A parameter is not finite, `sd` is not above 0, or values overflow.
    pub fn normal(mean: f64, sd: f64) -> Result<Self, DistributionError> {
        finite("mean", mean)?;
        positive("sd", sd)?;
        Self(Kind::Normal { mean, sd }).checked()
    }

    /// A normal distribution truncated to `minimum` to `maximum`.
    ///
    /// `mean` and `sd` are those of the parent normal, before truncation. Either end may be infinite.
    ///
    /// # Errors
    /// `mean` or `sd` is not finite, `sd` is not above 0, the range is empty, or its probability is
    /// below the smallest normal f64 (a range more than about 37 sd away from the mean).
    pub fn truncated_normal(mean: f64, sd: f64, minimum: f64, maximum: f64) -> Result<Self, DistributionError> {
        finite("mean", mean)?;
        positive("sd", sd)?;
        ordered(minimum, maximum)?;
        let truncated = TruncatedNormal::new(mean, sd, minimum, maximum)?;
        Self(Kind::TruncatedNormal(truncated)).checked()
    }

    /// Log-normal with the given mean and standard deviation *of the value itself*.
    ///
    /// The logarithm of the value is normal with `sigma^2 = ln(1 + (sd / mean)^2)` and `mu =
    /// ln(mean) - sigma^2 / 2`.
    ///
    /// # Errors
    /// A parameter is not finite or not above 0, or values overflow.
    pub fn log_normal(mean: f64, sd: f64) -> Result<Self, DistributionError> {
        positive("mean", mean)?;
        positive("sd", sd)?;
        let variance = ln_1p((sd / mean).powi(2));
        let mu = ln(mean) - 0.5 * variance;
        let sigma = variance.sqrt();
        Self(Kind::LogNormal { mean, mu, sigma }).checked()
    }

    /// Weibull: P(X <= x) = 1 - exp(-(x / scale)^shape).
    ///
    /// # Errors
    /// A parameter is not finite or not above 0, or values overflow (`shape` below about 0.006).
    pub fn weibull(scale: f64, shape: f64) -> Result<Self, DistributionError> {
        positive("scale", scale)?;
        positive("shape", shape)?;
        Self(Kind::Weibull { scale, shape }).checked()
    }

    /// One of `values`, with probability proportional to its weight.
    ///
    /// The quantile ascends through the values, in whatever order they are given, so that rank correlations have the
    /// same meaning as for other kinds.
    ///
    /// # Errors
    /// No value, different numbers of values and weights, a number that is not finite, a negative weight, or a sum of
    /// weights that is not positive.
    pub fn choice(values: &[f64], weights: &[f64]) -> Result<Self, DistributionError> {
        Self(Kind::Choice(Discrete::new(values, weights)?)).checked()
    }

    /// The empirical distribution of a measured sample, given in any order.
    ///
    /// The quantile is continuous: straight lines through the sorted values at the plotting
    /// positions (i - 0.5) / n, i = 1..n, and constant beyond the first and the last. Nothing
    /// outside the sample's range is drawn, and the mean is the mean of the sample. So the smallest and
    /// the largest value are atoms with a probability of 1 / (2 n) each, and equal values have one more.
    ///
    /// # Errors
    /// Fewer than two values, or one that is not finite.
    pub fn empirical(values: &[f64]) -> Result<Self, DistributionError> {
        Self(Kind::Empirical(Sample::new(values)?)).checked()
    }

    /// The inverse of the cumulative distribution function: the value not exceeded with probability `u`.
    ///
    /// `u` must lie inside (0, 1), as [`uniform`](crate::random::uniform) numbers do. Monotone in `u` (up
    /// to rounding) and finite.
    pub fn quantile(&self, u: f64) -> f64 {
        match &self.0 {
            Kind::Constant(value) => *value,
            // The clamp removes the rounding of the product.
            Kind::Uniform { minimum, maximum } => (minimum + u * (maximum - minimum)).min(*maximum),
            Kind::Normal { mean, sd } => mean + sd * normal::quantile(u),
            Kind::TruncatedNormal(truncated) => truncated.quantile(u),
            Kind::LogNormal { mu, sigma, .. } => exp(mu + sigma * normal::quantile(u)),
            Kind::Weibull { scale, shape } => scale * pow(-ln_1p(-u), shape.recip()),
            Kind::Choice(discrete) => discrete.quantile(u),
            Kind::Empirical(sample) => sample.quantile(u),
        }
    }

    /// The expected value.
    pub fn mean(&self) -> f64 {
        match &self.0 {
            Kind::Constant(value) => *value,
            Kind::Uniform { minimum, maximum } => minimum + 0.5 * (maximum - minimum),
            Kind::Normal { mean, .. } | Kind::LogNormal { mean, .. } => *mean,
            Kind::TruncatedNormal(truncated) => truncated.mean(),
            Kind::Weibull { scale, shape } => scale * gamma(1.0 + shape.recip()),
            Kind::Choice(discrete) => discrete.mean(),
            Kind::Empirical(sample) => sample.mean(),
        }
    }

    /// Lower bound of the support, if finite.
    pub fn minimum(&self) -> Option<f64> {
        match &self.0 {
            Kind::Constant(value) => Some(*value),
            Kind::Uniform { minimum, .. } => Some(*minimum),
            Kind::Normal { .. } => None,
            Kind::TruncatedNormal(truncated) => truncated.minimum(),
            Kind::LogNormal { .. } | Kind::Weibull { .. } => Some(0.0),
            Kind::Choice(discrete) => Some(discrete.minimum()),
            Kind::Empirical(sample) => Some(sample.minimum()),
        }
    }

    /// Upper bound of the support, if finite.
    pub fn maximum(&self) -> Option<f64> {
        match &self.0 {
            Kind::Constant(value) => Some(*value),
            Kind::Uniform { maximum, .. } => Some(*maximum),
            Kind::Normal { .. } | Kind::LogNormal { .. } | Kind::Weibull { .. } => None,
            Kind::TruncatedNormal(truncated) => truncated.maximum(),
            Kind::Choice(discrete) => Some(discrete.maximum()),
            Kind::Empirical(sample) => Some(sample.maximum()),
        }
    }

    /// Whether every value is the same.
    pub fn is_constant(&self) -> bool {
        self.minimum().is_some_and(|minimum| self.maximum() == Some(minimum))
    }

    /// Whether no value has positive probability.
    pub fn is_continuous(&self) -> bool {
        !matches!(self.0, Kind::Constant(_) | Kind::Choice(_) | Kind::Empirical(_))
    }

    /// The values of a [`choice`](Self::choice), ascending, each once; `None` for other kinds.
    pub fn values(&self) -> Option<Vec<f64>> {
        match &self.0 {
            Kind::Choice(discrete) => Some(discrete.distinct()),
            _ => None,
        }
    }

    /// The intervals of uniforms that map to a single value, ascending: the atoms of the distribution.
    pub fn atoms(&self) -> Vec<[f64; 2]> {
        match &self.0 {
            Kind::Constant(_) => vec![[0.0, 1.0]],
            Kind::Choice(discrete) => discrete.atoms(),
            Kind::Empirical(sample) => sample.atoms(),
            _ => Vec::new(),
        }
    }

    /// The interval of uniforms that maps to a value: P(X < value) and P(X <= value), strictly inside (0, 1). The two
    /// are equal unless the value is an atom.
    pub fn uniforms_at(&self, value: f64) -> [f64; 2] {
        // The last bit of 1 - u is 2^-53.
        const HALVINGS: u32 = 60;
        // Quantiles are monotone: bisect for where they pass the value.
        let end = |is_before: &dyn Fn(f64) -> bool| {
            let (mut below, mut above) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (below + above);
                *if is_before(self.quantile(normal::inside(middle))) { &mut below } else { &mut above } = middle;
            }
            normal::inside(0.5 * (below + above))
        };
        if self.is_continuous() {
            return [end(&|other| other < value); 2];
        }
        [end(&|other| other < value), end(&|other| other <= value)]
    }

    /// Refuses parameters for which a quantile or the mean overflows. Quantiles are monotone, so checking the smallest
    /// and largest u inside (0, 1) is enough.
    fn checked(self) -> Result<Self, DistributionError> {
        const MIN: f64 = f64::MIN_POSITIVE * f64::EPSILON;
        const MAX: f64 = 1.0 - f64::EPSILON / 2.0;
        for value in [self.quantile(MIN), self.quantile(MAX), self.mean()] {
            if !value.is_finite() {
                return Err(DistributionError::Overflow { value });
            }
        }
        Ok(self)
    }
}

impl fmt::Display for Distribution {
    /// Kind and parameters, as written in a study file, in SI units.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Constant(value) => write!(formatter, "constant {value}"),
            Kind::Uniform { minimum, maximum } => write!(formatter, "uniform from {minimum} to {maximum}"),
            Kind::Normal { mean, sd } => write!(formatter, "normal, mean {mean}, sd {sd}"),
            Kind::TruncatedNormal(truncated) => truncated.fmt(formatter),
            Kind::LogNormal { mean, sigma, .. } => {
                write!(formatter, "lognormal, mean {mean}, sd of the logarithm {sigma}")
            }
            Kind::Weibull { scale, shape } => write!(formatter, "weibull, scale {scale}, shape {shape}"),
            Kind::Choice(discrete) => write!(formatter, "choice of {} values", discrete.len()),
            Kind::Empirical(sample) => write!(formatter, "sample of {} values", sample.len()),
        }
    }
}

fn finite(parameter: &'static str, value: f64) -> Result<(), DistributionError> {
    if value.is_finite() { Ok(()) } else { Err(DistributionError::NotFinite { parameter, value }) }
}

fn positive(parameter: &'static str, value: f64) -> Result<(), DistributionError> {
    finite(parameter, value)?;
    if value > 0.0 { Ok(()) } else { Err(DistributionError::NotPositive { parameter, value }) }
}

fn ordered(minimum: f64, maximum: f64) -> Result<(), DistributionError> {
    if minimum < maximum { Ok(()) } else { Err(DistributionError::EmptyRange { minimum, maximum }) }
}

#[cfg(test)]
mod tests;
