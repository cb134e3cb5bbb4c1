//! Tails within the range of the data: the generalised Pareto distribution of values above a high threshold.
//!
//! J. Pickands, Annals of Statistics 3 (1975) 119: above a sufficiently high threshold, the excess is approximately
//! generalised Pareto, P(Y > y) = (1 + xi y / sigma)^(-1 / xi), for any distribution. How high is sufficient depends on
//! the distribution: for a normal quantity convergence is so slow that the largest 500 of 5,000 values, which no test
//! of fit distinguishes from a Pareto tail, underestimate a probability of 1e-6 by a factor of a hundred. So a fit
//! describes the values it is made from. It has no bounds, and is not extrapolated.

use crate::random::uniform;

/// Smallest shape: the uniform distribution. Below it the likelihood is unbounded (S. D. Grimshaw, Technometrics 35
/// (1993) 185).
const MIN_SHAPE: f64 = -1.0;
/// Below this the exponential distribution is exact to rounding.
const EXPONENTIAL: f64 = 1e-8;
/// Survival probabilities are kept this far from 0 and 1 in the test of fit: a bounded tail ends at its largest value.
const EDGE: f64 = 1e-9;

/// A generalised Pareto distribution of excesses over a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    /// Shape xi: below zero the tail ends, at zero it is exponential, above it falls as a power.
    pub shape: f64,
    /// Scale sigma, in the unit of the values.
    pub scale: f64,
}

impl Pareto {
    /// Maximum-likelihood fit to these excesses, all above zero; None for fewer than two, or if all are equal.
    #[must_use]
    pub fn fitted(excesses: &[f64]) -> Option<Self> {
        let largest = excesses.iter().copied().fold(0.0, f64::max);
        let least = excesses.iter().copied().fold(f64::INFINITY, f64::min);
        if excesses.len() < 2 || !(least > 0.0 && least < largest && largest.is_finite()) {
            return None;
        }
        // Grimshaw's profile: with theta = xi / sigma the best shape is the mean of ln(1 + theta y). Here 1 + theta
        // times the largest excess is exp(t), so that every t is feasible.
        let at = |t: f64| {
            let theta = t.exp_m1() / largest;
            let shape = mean(excesses, |y| (theta * y).ln_1p());
            let scale = if shape.abs() < EXPONENTIAL { mean(excesses, |y| y) } else { shape / theta };
            Self { shape, scale }
        };
        let likelihood = |t: f64| {
            let Self { shape, scale } = at(t);
            if shape < MIN_SHAPE || scale <= 0.0 { f64::NEG_INFINITY } else { -scale.ln() - shape - 1.0 }
        };
        let inner = at(maximum(likelihood, -16.0, 24.0, 80));
        let ends = Self { shape: MIN_SHAPE, scale: largest };
        let better = |a: Self, b: Self| if a.log_likelihood(excesses) >= b.log_likelihood(excesses) { a } else { b };
        Some(better(inner, ends))
    }

    /// P(Y > y).
    #[must_use]
    pub fn survival(self, y: f64) -> f64 {
        let Self { shape, scale } = self;
        if shape.abs() < EXPONENTIAL {
            return (-y / scale).exp();
        }
        let base = 1.0 + shape * y / scale;
        if base <= 0.0 { 0.0 } else { base.powf(-shape.recip()) }
    }

    /// The excess exceeded with a given probability.
    #[must_use]
    pub fn excess(self, probability: f64) -> f64 {
        let Self { shape, scale } = self;
        if shape.abs() < EXPONENTIAL { -scale * probability.ln() } else { scale * stretch(shape, probability.ln()) }
    }

    fn log_likelihood(self, excesses: &[f64]) -> f64 {
        let Self { shape, scale } = self;
        let count = excesses.len() as f64;
        if scale <= 0.0 || !scale.is_finite() {
            return f64::NEG_INFINITY;
        }
        if shape.abs() < EXPONENTIAL {
            return -count * scale.ln() - excesses.iter().sum::<f64>() / scale;
        }
        let slope = shape / scale;
        let largest = excesses.iter().copied().fold(0.0, f64::max);
        // The largest value of a bounded tail may equal its end, to rounding.
        if slope * largest < -1.0 - 1e-12 {
            return f64::NEG_INFINITY;
        }
        let power = 1.0 + shape.recip();
        let logarithms =
            if power == 0.0 { 0.0 } else { excesses.iter().map(|y| (slope * y).max(-1.0).ln_1p()).sum::<f64>() };
        -count * scale.ln() - power * logarithms
    }

    /// Anderson-Darling statistic: the distance of sorted excesses from this distribution, weighted towards the ends.
    fn distance(self, sorted: &[f64]) -> f64 {
        let count = sorted.len() as f64;
        let survivals: Vec<f64> = sorted.iter().map(|&y| self.survival(y).clamp(EDGE, 1.0 - EDGE)).collect();
        let terms = survivals.iter().zip(survivals.iter().rev()).enumerate();
        let sum: f64 = terms
            .map(|(index, (survival, mirrored))| (2 * index + 1) as f64 * ((-survival).ln_1p() + mirrored.ln()))
            .sum();
        -count - sum / count
    }

    /// The probability of excesses at least as far from their own fit if they are generalised Pareto, by a parametric
    /// bootstrap: tables would depend on the shape.
    #[must_use]
    pub fn goodness_of_fit(self, excesses: &[f64], samples: u32) -> f64 {
        let distance = |fit: Self, mut excesses: Vec<f64>| {
            excesses.sort_by(f64::total_cmp);
            fit.distance(&excesses)
        };
        let seen = distance(self, excesses.to_vec());
        let is_farther = |sample: u32| {
            let draw = |index: u64| self.excess(uniform(u64::from(sample), index, TEST_OF_FIT)).max(f64::MIN_POSITIVE);
            let drawn: Vec<f64> = (0..excesses.len() as u64).map(draw).collect();
            Self::fitted(&drawn).is_some_and(|fit| distance(fit, drawn) >= seen)
        };
        // The sample itself counts: with none farther the p-value is not zero.
        (1 + (0..samples).filter(|&sample| is_farther(sample)).count()) as f64 / f64::from(samples + 1)
    }
}

/// Variable of the random numbers of the test of fit; far from those of inputs.
const TEST_OF_FIT: u32 = 0x7461_696c;

/// y / sigma where the logarithm of the survival probability is this: (exp(-xi ln s) - 1) / xi.
fn stretch(shape: f64, logarithm: f64) -> f64 {
    (-shape * logarithm).exp_m1() / shape
}

fn mean(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    values.iter().map(|&value| of(value)).sum::<f64>() / values.len() as f64
}

/// Maximum of a function: the best point of a grid, refined by golden-section search.
fn maximum(of: impl Fn(f64) -> f64, from: f64, to: f64, cells: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let width = (to - from) / f64::from(cells);
    let best = (0..=cells)
        .map(|index| from + f64::from(index) * width)
        .map(|place| (place, of(place)))
        .fold((from, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    let (mut low, mut high) = ((best.0 - width).max(from), (best.0 + width).min(to));
    let mut inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    let mut values = inner.map(&of);
    // 0.618^36 = 3e-8 of a cell; a maximum is flat beyond the square root of rounding.
    for _ in 0..36 {
        if values[0] >= values[1] {
            high = inner[1];
            inner = [high - GOLDEN * (high - low), inner[0]];
            values = [of(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + GOLDEN * (high - low)];
            values = [values[1], of(inner[1])];
        }
    }
    let found = if values[0] >= values[1] { (inner[0], values[0]) } else { (inner[1], values[1]) };
    if found.1 >= best.1 { found.0 } else { best.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAILS: [(&str, Pareto); 4] = [
        ("uniform", Pareto { shape: -1.0, scale: 2.0 }),
        ("bounded", Pareto { shape: -0.3, scale: 2.0 }),
        ("exponential", Pareto { shape: 0.0, scale: 0.5 }),
        ("Pareto", Pareto { shape: 0.5, scale: 3.0 }),
    ];

    fn drawn(tail: Pareto, seed: u64, count: u64) -> Vec<f64> {
        (0..count).map(|item| tail.excess(uniform(seed, item, 1))).collect()
    }

    #[test]
    fn survival_and_excess_are_inverse() {
        for (name, tail) in TAILS {
            for probability in [0.9, 0.3, 1e-3, 1e-9] {
                let found = tail.survival(tail.excess(probability));
                // The end of a bounded tail is a difference of equal numbers.
                assert!((found / probability - 1.0).abs() < 1e-6, "{name} {probability}: {found}");
            }
        }
        assert_eq!(Pareto { shape: -0.5, scale: 1.0 }.survival(2.5), 0.0);
    }

    /// Asymptotic standard errors of R. L. Smith, Biometrika 72 (1985) 67: (1 + xi) / sqrt(n) for the shape where it is
    /// above -1/2; the uniform's end converges faster. Five of them, for 2000 values: 0.168 at xi = 1/2.
    #[test]
    fn fits_find_the_shape_and_the_scale_of_known_tails() {
        for (name, tail) in TAILS {
            let fit = Pareto::fitted(&drawn(tail, 7, 2000)).unwrap();
            let tolerance = 5.0 * (1.0 + tail.shape).max(0.5) / 2000f64.sqrt();
            println!("{name}: shape {:.3}, scale {:.3}", fit.shape, fit.scale);
            assert!((fit.shape - tail.shape).abs() < tolerance, "{name}: {fit:?}");
            assert!((fit.scale / tail.scale - 1.0).abs() < 1.5 * tolerance, "{name}: {fit:?}");
        }
        assert_eq!(Pareto::fitted(&[1.0, 1.0, 1.0]), None);
        assert_eq!(Pareto::fitted(&[]), None);
    }

    #[test]
    fn the_test_of_fit_denies_steps_and_mixtures_and_little_else() {
        for (name, tail) in TAILS {
            let p_values = (0..20).map(|seed| {
                let excesses = drawn(tail, 50 + seed, 100);
                Pareto::fitted(&excesses).unwrap().goodness_of_fit(&excesses, 99)
            });
            let denied = p_values.filter(|&p| p < 0.05).count();
            // More than 5 of 20 at 5 % happen in 0.03 % of all cases.
            assert!(denied <= 5, "{name}: {denied}");
        }
        let steps: Vec<f64> = drawn(TAILS[2].1, 3, 200).iter().map(|y| (4.0 * y).ceil()).collect();
        assert!(Pareto::fitted(&steps).unwrap().goodness_of_fit(&steps, 99) < 0.05);
        let mixture: Vec<f64> = drawn(TAILS[2].1, 4, 200)
            .iter()
            .enumerate()
            .map(|(i, y)| if i % 2 == 0 { *y } else { 10.0 + 0.1 * y })
            .collect();
        assert!(Pareto::fitted(&mixture).unwrap().goodness_of_fit(&mixture, 99) < 0.05);
    }
}
