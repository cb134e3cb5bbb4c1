//! Sobol' indices of numerical outcomes: how much of the variance is due to each input.
//!
//! For each of N base points there are two independent rows of inputs, A and B, and for each input the row A with that
//! input taken from B (A. Saltelli et al., Computer Physics Communications 181 (2010) 259). The outcome of that row shares
//! one input with B's and all others with A's.
//!
//! * First order, `Var(E(y | x_i)) / Var(y)`: the correlation of B's outcome with the mixed one's (A. Janon et al.,
//!   ESAIM: Probability and Statistics 18 (2014) 342), with the product of A's and B's outcomes, which are independent,
//!   as a control variate. Its factor minimizes the variance. It tends to 0 for inputs that alone decide, for which the
//!   correlation is exact, and to 1 for irrelevant inputs, for which B's outcome times the mixed one's minus A's
//!   (Saltelli) is exact.
//! * Total, `E(Var(y | all but x_i)) / Var(y)`: M. J. W. Jansen, Computer Physics Communications 117 (1999) 35, half
//!   the mean square of A's outcome minus the mixed one's.
//!
//! Intervals are normal, with the standard deviation from bootstrap samples of the base points, drawn by counter. With
//! 1024 points they cover in 90 % and more of repetitions even for an outcome with a kurtosis of 66, where percentiles
//! of the same samples cover in 85 %; for outcomes without long tails in 92 to 100 %.

use serde::{Deserialize, Serialize};

use crate::parallel;
use crate::random::uniform;

/// Number of bootstrap samples: they determine a standard deviation to 3 %.
const RESAMPLES: usize = 500;
/// Variable of the random numbers of the bootstrap; far from those of inputs.
const RESAMPLING: u32 = 0x626f_6f74;
/// Two-sided confidence of the intervals.
pub(super) const CONFIDENCE: f64 = 0.95;
/// The corresponding normal quantile.
const REACH: f64 = 1.959_963_984_540_054;

/// The outcomes of one base point; `None` if missing.
#[derive(Clone, Debug, PartialEq)]
pub struct BasePoint {
    /// Of the first row.
    pub a: Option<f64>,
    /// Of the second row.
    pub b: Option<f64>,
    /// Of the first row with one input from the second, for each input.
    pub mixed: Vec<Option<f64>>,
}

/// An index with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

/// The influence of an input on an outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Indices {
    /// Fraction of the variance due to the input alone; `None` if the outcome does not vary.
    pub first: Option<Index>,
    /// Fraction due to the input with all its interactions; `None` if the outcome does not vary.
    pub total: Option<Index>,
    /// Base points omitted because an outcome is missing.
    pub left_out: u64,
}

/// The indices of each input.
#[must_use]
pub fn sobol_indices(points: &[BasePoint], inputs: usize, seed: u64) -> Vec<Indices> {
    let count = points.len();
    // Centred, since products of numbers far from zero would cancel.
    let all = || points.iter().flat_map(|point| [point.a, point.b]).flatten();
    let centre = all().sum::<f64>() / (all().count().max(1) as f64);
    let terms: Vec<Vec<Terms>> = (0..inputs)
        .map(|input| points.iter().map(|point| Terms::of(point, input, centre).unwrap_or_default()).collect())
        .collect();
    let once = vec![1; count];
    let estimates: Vec<Estimates> = terms.iter().map(|terms| Terms::weighed(terms, &once).estimates()).collect();
    let resampled: Vec<Vec<Estimates>> = parallel::map_numbers(RESAMPLES, 1, |sample| {
        let mut weights = vec![0_u32; count];
        for draw in 0..count as u64 {
            let share = uniform(seed, sample as u64 * count as u64 + draw, RESAMPLING);
            weights[(share * count as f64) as usize] += 1;
        }
        terms.iter().map(|terms| Terms::weighed(terms, &weights).estimates()).collect()
    });
    (0..inputs)
        .map(|input| {
            let of = |pick: fn(&Estimates) -> Option<f64>| {
                let resampled: Vec<f64> = resampled.iter().filter_map(|sample| pick(&sample[input])).collect();
                interval(pick(&estimates[input])?, &resampled)
            };
            Indices {
                first: of(|estimates| estimates.first),
                total: of(|estimates| estimates.total),
                left_out: count as u64 - terms[input].iter().map(|terms| terms.count as u64).sum::<u64>(),
            }
        })
        .collect()
}

fn interval(estimate: f64, resampled: &[f64]) -> Option<Index> {
    if resampled.len() < 2 {
        return None;
    }
    let count = resampled.len() as f64;
    let mean = resampled.iter().sum::<f64>() / count;
    let variance = resampled.iter().map(|index| (index - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let reach = REACH * variance.sqrt();
    Some(Index { estimate, lower: estimate - reach, upper: estimate + reach })
}

struct Estimates {
    first: Option<f64>,
    total: Option<f64>,
}

/// Sums over base points for the estimators, from centred outcomes.
#[derive(Clone, Copy, Debug, Default)]
struct Terms {
    count: f64,
    /// Of B's outcome times the mixed one's.
    product: f64,
    /// Of the control, A's outcome times B's.
    control: f64,
    /// Of its square.
    control_square: f64,
    /// Of the control times the product.
    control_product: f64,
    /// Of the control times the mean of the squares of B's outcome and the mixed one's.
    control_with_square: f64,
    /// Of the mean of B's outcome and the mixed one's.
    mean: f64,
    /// Of the mean of their squares.
    square: f64,
    /// Of A's outcome less the mixed one's, squared.
    difference: f64,
    /// Of the mean of A's and B's outcomes.
    base_mean: f64,
    /// Of the mean of their squares.
    base_square: f64,
}

impl Terms {
    fn of(point: &BasePoint, input: usize, centre: f64) -> Option<Self> {
        let (a, b, mixed) = (point.a? - centre, point.b? - centre, point.mixed[input]? - centre);
        let (product, square, control) = (b * mixed, 0.5 * (b * b + mixed * mixed), a * b);
        Some(Self {
            count: 1.0,
            product,
            control,
            control_square: control * control,
            control_product: control * product,
            control_with_square: control * square,
            mean: 0.5 * (b + mixed),
            square,
            difference: (a - mixed).powi(2),
            base_mean: 0.5 * (a + b),
            base_square: 0.5 * (a * a + b * b),
        })
    }

    fn weighed(terms: &[Self], weights: &[u32]) -> Self {
        let mut sum = Self::default();
        for (terms, &weight) in terms.iter().zip(weights) {
            let weight = f64::from(weight);
            sum.count += weight * terms.count;
            sum.product += weight * terms.product;
            sum.control += weight * terms.control;
            sum.control_square += weight * terms.control_square;
            sum.control_product += weight * terms.control_product;
            sum.control_with_square += weight * terms.control_with_square;
            sum.mean += weight * terms.mean;
            sum.square += weight * terms.square;
            sum.difference += weight * terms.difference;
            sum.base_mean += weight * terms.base_mean;
            sum.base_square += weight * terms.base_square;
        }
        sum
    }

    /// `None` if the outcome does not vary.
    fn estimates(self) -> Estimates {
        let over = |sum: f64| sum / self.count;
        let ratio = |above: f64, below: f64| (below > 0.0).then(|| above / below);
        let mean = over(self.mean);
        let variance = over(self.square) - mean * mean;
        let control = over(self.control);
        let with_control = |sum: f64, other: f64| over(sum) - control * over(other);
        let first = ratio(over(self.product) - mean * mean, variance).map(|correlation| {
            // Covariance of the control with the numerator minus its ratio times the denominator.
            let together = with_control(self.control_product, self.product)
                - correlation * with_control(self.control_with_square, self.square);
            let factor = ratio(together, with_control(self.control_square, self.control)).unwrap_or(0.0);
            correlation - factor * control / variance
        });
        let base = over(self.base_square) - over(self.base_mean).powi(2);
        Estimates { first, total: ratio(0.5 * over(self.difference), base) }
    }
}
