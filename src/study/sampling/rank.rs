//! Rank correlations in the presence of ties.
//!
//! Spearman's correlation is that of the ranks, with midranks for ties (Kendall and Gibbons, "Rank Correlation
//! Methods", section 3.8). As a function of the normal behind a variable, the midrank of a `choice` is a step function.
//! For two normals with correlation r, Plackett's identity (Biometrika 41 (1954) 351) gives the covariance of two step
//! functions as the sum over all pairs of steps of the product of their heights times the integral of the bivariate
//! normal density at the steps over correlations from 0 to r; it increases with r, and is solved for r.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

use super::{Distribution, normal};
use crate::elementary::{exp, sin_cos};

/// Values whose cubed probabilities sum to less change a rank correlation by less than half of that: the variance of
/// middle ranks is one twelfth of what the cubes leave of 1.
const FEW_EQUAL: f64 = 1e-3;
/// Widest step that approximates distinct values, as a probability: such steps change a correlation by about 1/128^2 =
/// 6e-5.
const WIDEST_STAIR: f64 = 1.0 / 128.0;
/// Panels of the integral, each with the nodes below.
const PANELS: usize = 24;
/// Gauss-Legendre nodes and weights on (-1, 1): exact for polynomials of degree 9.
const NODES: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189),
    (-0.538_469_310_105_683, 0.478_628_670_499_366),
    (0.0, 0.568_888_888_888_889),
    (0.538_469_310_105_683, 0.478_628_670_499_366),
    (0.906_179_845_938_664, 0.236_926_885_056_189),
];

/// The midranks of a variable, as a function of the normal behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// All values differ: the rank is the uniform itself.
    Continuous,
    Stairs {
        stairs: Vec<Stair>,
        variance: f64,
    },
}

/// A step from one midrank to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stair {
    /// Its position as a uniform number.
    uniform: f64,
    /// Its position as a normal number.
    z: f64,
    /// Difference of the midranks.
    height: f64,
}

impl Ranks {
    /// Ranks of a continuous distribution.
    pub const CONTINUOUS: Self = Self(Kind::Continuous);

    /// Ranks of a distribution.
    #[must_use]
    pub fn of(distribution: &Distribution) -> Self {
        let atoms = distribution.atoms();
        let cubes: f64 = atoms.iter().map(|[from, to]| (to - from).powi(3)).sum();
        if distribution.is_continuous() || (distribution.values().is_none() && cubes < FEW_EQUAL) {
            return Self::CONTINUOUS;
        }
        let edges = edges(&atoms);
        let middle = |from: f64, to: f64| 0.5 * (from + to);
        let stairs = edges.windows(3).map(|edge| Stair {
            uniform: edge[1],
            z: normal::quantile(normal::inside(edge[1])),
            height: middle(edge[1], edge[2]) - middle(edge[0], edge[1]),
        });
        let cubes: f64 = edges.windows(2).map(|edge| (edge[1] - edge[0]).powi(3)).sum();
        Self(Kind::Stairs { stairs: stairs.collect(), variance: (1.0 - cubes) / 12.0 })
    }

    /// Whether all values are equal, so that nothing can correlate with them.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(&self.0, Kind::Stairs { stairs, .. } if stairs.is_empty())
    }

    /// The smallest and the largest possible rank correlation with another variable.
    #[must_use]
    pub fn possible(&self, other: &Self) -> (f64, f64) {
        let all_together = |least: f64, greatest: f64| (least / self.scale(other), greatest / self.scale(other));
        match (&self.0, &other.0) {
            _ if self.is_constant() || other.is_constant() => (0.0, 0.0),
            (Kind::Continuous, Kind::Continuous) => (-1.0, 1.0),
            (Kind::Stairs { stairs, .. }, Kind::Continuous) | (Kind::Continuous, Kind::Stairs { stairs, .. }) => {
                let sum: f64 =
                    stairs.iter().map(|stair| stair.height * 0.5 * stair.uniform * (1.0 - stair.uniform)).sum();
                all_together(-sum, sum)
            }
            (Kind::Stairs { stairs: first, .. }, Kind::Stairs { stairs: second, .. }) => {
                let sum = |both: fn(f64, f64) -> f64| -> f64 {
                    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
                    let pair = |(one, other): (&Stair, &Stair)| {
                        one.height * other.height * (both(one.uniform, other.uniform) - one.uniform * other.uniform)
                    };
                    pairs.map(pair).sum()
                };
                all_together(sum(|u, v| (u + v - 1.0).max(0.0)), sum(f64::min))
            }
        }
    }

    /// The correlation of the normals behind two variables with this rank correlation; `None` if it is outside the
    /// [possible](Self::possible) range.
    #[must_use]
    pub fn normal_correlation(&self, other: &Self, rank: f64) -> Option<f64> {
        let (least, greatest) = self.possible(other);
        if !(least < rank && rank < greatest) {
            return None;
        }
        if let (Kind::Continuous, Kind::Continuous) = (&self.0, &other.0) {
            // Kruskal 1958.
            return Some(2.0 * sin_cos(PI * rank / 6.0).0);
        }
        let asked = (rank * self.scale(other)).abs();
        let sign = rank.signum();
        // Correlations are sines of angles, which makes the integrand smooth.
        let width = FRAC_PI_2 / PANELS as f64;
        let mut sum = 0.0;
        for panel in 0..PANELS {
            let from = width * panel as f64;
            let part = self.covariance(other, sign, from, from + width);
            if sum + part < asked && panel + 1 < PANELS {
                sum += part;
                continue;
            }
            let (mut below, mut above) = (from, from + width);
            for _ in 0..50 {
                let middle = 0.5 * (below + above);
                let is_less = sum + self.covariance(other, sign, from, middle) < asked;
                *if is_less { &mut below } else { &mut above } = middle;
            }
            return Some(sign * sin_cos(0.5 * (below + above)).0);
        }
        None
    }

    /// The product of the standard deviations.
    fn scale(&self, other: &Self) -> f64 {
        let variance = |ranks: &Self| match &ranks.0 {
            Kind::Continuous => 1.0 / 12.0,
            Kind::Stairs { variance, .. } => *variance,
        };
        (variance(self) * variance(other)).sqrt()
    }

    /// Magnitude of the change in the covariance of midranks between two angles whose sines, times the sign, are the
    /// correlations of the normals.
    fn covariance(&self, other: &Self, sign: f64, from: f64, to: f64) -> f64 {
        let half = 0.5 * (to - from);
        NODES.iter().map(|(node, weight)| weight * half * self.slope(other, sign, from + half * (1.0 + node))).sum()
    }

    /// Derivative of the magnitude of the covariance with respect to the angle.
    fn slope(&self, other: &Self, sign: f64, angle: f64) -> f64 {
        match (&self.0, &other.0) {
            (Kind::Stairs { stairs: first, .. }, Kind::Stairs { stairs: second, .. }) => {
                let (sine, cosine) = sin_cos(angle);
                let sine = sign * sine;
                let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
                pairs.map(|(one, other)| one.height * other.height * density(one.z, other.z, sine, cosine)).sum()
            }
            (Kind::Stairs { stairs, .. }, Kind::Continuous) | (Kind::Continuous, Kind::Stairs { stairs, .. }) => {
                // The rank of a continuous variable is the probability that its normal exceeds an independent one: a
                // step at 0 of their difference, whose correlation is r / sqrt(2).
                let (of_angle, across) = sin_cos(angle);
                let sine = FRAC_1_SQRT_2 * of_angle;
                let cosine = (1.0 - sine * sine).sqrt();
                let of_one: f64 = stairs.iter().map(|stair| stair.height * density(stair.z, 0.0, sine, cosine)).sum();
                of_one * FRAC_1_SQRT_2 * across / cosine
            }
            (Kind::Continuous, Kind::Continuous) => 0.0,
        }
    }
}

/// The bivariate normal density times the cosine of the angle whose sine is the correlation.
fn density(x: f64, y: f64, sine: f64, cosine: f64) -> f64 {
    exp(-0.5 * (x * x - 2.0 * x * y * sine + y * y) / (cosine * cosine)) / (2.0 * PI)
}

/// The edges of the steps: each step is an atom, or narrow.
fn edges(atoms: &[[f64; 2]]) -> Vec<f64> {
    let mut fine = vec![0.0];
    let cut_up_to = |fine: &mut Vec<f64>, to: f64| {
        let from = fine[fine.len() - 1];
        let pieces = ((to - from) / WIDEST_STAIR).ceil();
        fine.extend((1..=pieces as u64).map(|piece| from + (to - from) * piece as f64 / pieces));
    };
    for &[from, to] in atoms {
        cut_up_to(&mut fine, from);
        if to > fine[fine.len() - 1] {
            fine.push(to);
        }
    }
    cut_up_to(&mut fine, 1.0);
    // Narrow ones are merged.
    let mut edges = vec![0.0];
    for pair in fine.windows(2).skip(1) {
        if pair[1] - edges[edges.len() - 1] > WIDEST_STAIR {
            edges.push(pair[0]);
        }
    }
    edges.push(1.0);
    edges
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests {
    use super::*;
    use crate::random::uniform;
    use crate::study::sampling::{Copula, CopulaError};

    const DRAWS: usize = 100_000;

    fn choice(weights: &[f64]) -> Distribution {
        let values: Vec<f64> = (0..weights.len()).map(|value| value as f64).collect();
        Distribution::choice(&values, weights).unwrap()
    }

    /// Ranks, with midranks for ties.
    fn middle_ranks(values: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut ranks = vec![0.0; values.len()];
        let mut first = 0;
        for run in order.chunk_by(|&a, &b| values[a] == values[b]) {
            run.iter().for_each(|&index| ranks[index] = first as f64 + 0.5 * (run.len() - 1) as f64);
            first += run.len();
        }
        ranks
    }

    fn spearman(first: &[f64], second: &[f64]) -> f64 {
        let (first, second) = (middle_ranks(first), middle_ranks(second));
        let mean = 0.5 * (first.len() - 1) as f64;
        let sum = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum() };
        sum(&first, &second) / (sum(&first, &first) * sum(&second, &second)).sqrt()
    }

    fn drawn(distributions: &[&Distribution; 2], rank: f64) -> f64 {
        let ranks = distributions.map(Ranks::of);
        let copula = Copula::of_ranks(&ranks, &[(0, 1, rank)]).unwrap();
        let mut columns = [Vec::new(), Vec::new()];
        for item in 0..DRAWS as u64 {
            let mut row = [uniform(5, item, 0), uniform(5, item, 1)];
            copula.apply(&mut row);
            for side in 0..2 {
                columns[side].push(distributions[side].quantile(row[side]));
            }
        }
        spearman(&columns[0], &columns[1])
    }

    /// Five standard errors: a correlation is the mean of products of standardised ranks a and b, one of which is at most
    /// sqrt(3) in every case below, so that the mean of (a b)^2 is at most 3.
    #[test]
    fn draws_have_the_rank_correlation_asked_for_whatever_values_are_equal() {
        let normal = Distribution::normal(1.0, 2.0).unwrap();
        let (rare, even) = (choice(&[0.95, 0.05]), choice(&[1.0, 1.0, 1.0]));
        let many = choice(&vec![1.0; 1000]);
        let calm: Vec<f64> = (0..1000).map(|number| f64::from((number - 600).max(0))).collect();
        let calm = Distribution::empirical(&calm).unwrap();
        let cases = [
            (&rare, &normal, 0.3),
            (&normal, &rare, -0.37),
            (&even, &rare, 0.25),
            (&even, &even, -0.7),
            (&even, &even, 0.9),
            (&calm, &normal, 0.8),
            (&calm, &even, -0.5),
            (&many, &normal, 0.9),
        ];
        for (first, second, asked) in cases {
            let found = drawn(&[first, second], asked);
            println!("{first} and {second}: {asked} asked, {found:.4} drawn");
            let tolerance = 5.0 * (3.0 / DRAWS as f64).sqrt();
            assert!((found - asked).abs() < tolerance, "{first} {second}: {found}, not {asked}");
        }
    }

    /// sqrt(1 - 0.95^3 - 0.05^3) = 0.37749 with a continuous variable.
    #[test]
    fn what_equal_values_make_impossible_is_refused_with_the_possible_range() {
        let rare = Ranks::of(&choice(&[0.95, 0.05]));
        let (least, greatest) = rare.possible(&Ranks::CONTINUOUS);
        assert!((greatest - 0.142_5_f64.sqrt()).abs() < 1e-12 && least == -greatest, "{greatest}");
        let error = Copula::of_ranks(&[rare.clone(), Ranks::CONTINUOUS], &[(0, 1, 0.9)]).unwrap_err();
        assert!(matches!(error, CopulaError::Impossible { .. }) && error.to_string().contains("0.37749"), "{error}");
        // Two alike can be equal, but the rare values of one cannot lie opposite to those of the other: 0.95 and 0.05, the
        // covariance at the other end is -0.05^2 of 0.05 0.95.
        let (least, greatest) = rare.possible(&rare);
        assert!((greatest - 1.0).abs() < 1e-12 && (least + 0.05 / 0.95).abs() < 1e-12, "{least} {greatest}");
        let constant = Ranks::of(&Distribution::constant(1.0).unwrap());
        assert!(constant.is_constant() && constant.normal_correlation(&rare, 0.1).is_none());
    }

    /// A choice between so many that none is worth a thousandth is all but continuous.
    #[test]
    fn many_values_come_to_what_continuous_ones_do() {
        let many = Ranks::of(&choice(&vec![1.0; 5000]));
        for rank in [-0.9, -0.3, 0.5, 0.95] {
            let expected = 2.0 * (PI * rank / 6.0).sin();
            for other in [&Ranks::CONTINUOUS, &many] {
                let found = many.normal_correlation(other, rank).unwrap();
                // Stairs of 1/128, on both sides.
                assert!((found - expected).abs() < 4e-4, "{rank}: {found} {expected}");
            }
        }
        assert_eq!(Ranks::of(&Distribution::uniform(0.0, 1.0).unwrap()), Ranks::CONTINUOUS);
        let sample: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(Ranks::of(&Distribution::empirical(&sample).unwrap()), Ranks::CONTINUOUS);
    }
}
