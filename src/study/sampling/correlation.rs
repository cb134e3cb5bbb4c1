//! Rank correlations between inputs: a Gaussian copula.
//!
//! Independent uniforms become normals, the Cholesky factor of their correlation matrix mixes
//! these, and the normal cumulative distribution makes them uniform again. The marginal
//! distributions stay exactly what they were. A rank (Spearman) correlation rho of the values needs
//! the correlation r = 2 sin(pi rho / 6) of the normals (Kruskal 1958) where all values differ, and
//! another one where some are equal, see [`Ranks`].

use std::collections::BTreeSet;

use super::{Ranks, normal};

/// Why a set of rank correlations was refused. Variables are given by index.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CopulaError {
    /// A pair names a variable that does not exist.
    #[error("variable {variable} does not exist; there are {count} variables, numbered from 0")]
    UnknownVariable {
        /// The index given.
        variable: usize,
        /// Number of variables.
        count: usize,
    },
    /// A variable is paired with itself.
    #[error("variable {variable} is paired with itself; a correlation needs two different variables")]
    SelfPair {
        /// The index given twice.
        variable: usize,
    },
    /// A pair is given twice, in the same or in the other order.
    #[error("the correlation of variables {first} and {second} is given twice")]
    RepeatedPair {
        /// The smaller index.
        first: usize,
        /// The larger index.
        second: usize,
    },
    /// A correlation outside (-1, 1).
    #[error(
        "the rank correlation of variables {first} and {second} is {correlation}; it must lie \
         strictly between -1 and 1 (at -1 or 1 one variable is a function of the other: compute it instead of drawing it)"
    )]
    OutOfRange {
        /// First index of the pair.
        first: usize,
        /// Second index of the pair.
        second: usize,
        /// The correlation given.
        correlation: f64,
    },
    /// Ties exclude a correlation as strong as this.
    #[error(
        "the rank correlation of variables {first} and {second} is {correlation}; it must lie strictly between {least} and \
         {greatest}, which equal values leave possible"
    )]
    Impossible {
        /// First index of the pair.
        first: usize,
        /// Second index of the pair.
        second: usize,
        /// The correlation given.
        correlation: f64,
        /// The least possible one.
        least: f64,
        /// The greatest possible one.
        greatest: f64,
    },
    /// No joint distribution has these correlations.
    #[error(
        "the correlations contradict each other: those of variable {variable} with {partners:?} \
         cannot hold together with the correlations among {partners:?}; change one of them, or \
         multiply all correlations by {factor:.3} or less"
    )]
    Contradiction {
        /// The variable at which the Cholesky factorisation fails.
        variable: usize,
        /// The earlier variables it is correlated with, directly or through others.
        partners: Vec<usize>,
        /// The largest common factor, rounded down to three digits, that makes all correlations possible.
        factor: f64,
    },
}

/// Turns independent uniform numbers into uniform numbers with given rank correlations.
#[derive(Debug, Clone, PartialEq)]
pub struct Copula {
    count: usize,
    rows: Vec<Row>,
}

/// One row of the Cholesky factor that is not a row of the identity.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    variable: usize,
    diagonal: f64,
    /// Earlier variables that contribute, with their factors.
    terms: Vec<(usize, f64)>,
}

impl Copula {
    /// A copula of `count` continuous variables; `pairs` holds (variable, other variable, rank correlation),
    /// with indices from 0. Pairs not named are not correlated directly: the normals of such a pair
    /// have correlation 0.
    ///
    /// # Errors
    /// An index that does not exist, a pair of a variable with itself, a pair given twice, a
    /// correlation not strictly between -1 and 1, or correlations that cannot hold together (their
    /// matrix is not positive definite).
    pub fn new(count: usize, pairs: &[(usize, usize, f64)]) -> Result<Self, CopulaError> {
        Self::of_ranks(&vec![Ranks::CONTINUOUS; count], pairs)
    }

    /// As [`new`](Self::new), for variables with these ranks.
    ///
    /// # Errors
    /// As [`new`](Self::new), and a correlation excluded by ties.
    pub fn of_ranks(ranks: &[Ranks], pairs: &[(usize, usize, f64)]) -> Result<Self, CopulaError> {
        let count = ranks.len();
        check_pairs(count, pairs)?;
        for &(first, second, correlation) in pairs.iter().filter(|pair| pair.2 != 0.0) {
            let (least, greatest) = ranks[first].possible(&ranks[second]);
            if !(least < correlation && correlation < greatest) {
                return Err(CopulaError::Impossible { first, second, correlation, least, greatest });
            }
        }
        let factor = factorise(ranks, pairs, 1.0).map_err(|failure| CopulaError::Contradiction {
            variable: failure.variable,
            partners: failure.partners,
            factor: largest_factor(ranks, pairs),
        })?;
        let rows = factor.iter().enumerate().filter_map(|(variable, row)| Row::new(variable, row)).collect();
        Ok(Self { count, rows })
    }

    /// Number of variables.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether any variable depends on another.
    pub fn is_correlated(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Replaces independent uniforms, strictly inside (0, 1), by correlated ones, strictly inside
    /// (0, 1).
    ///
    /// A variable without correlations, and the first of each correlated group, keeps its number
    /// bit for bit.
    ///
    /// # Panics
    /// If there are fewer numbers than a correlated variable's index requires; give
    /// [`count`](Self::count) numbers.
    pub fn apply(&self, uniforms: &mut [f64]) {
        // From the last row up: each row reads only numbers before its own, which are still the
        // independent ones.
        for row in self.rows.iter().rev() {
            let mixed: f64 = row.terms.iter().map(|(other, factor)| factor * normal::quantile(uniforms[*other])).sum();
            let z = mixed + row.diagonal * normal::quantile(uniforms[row.variable]);
            uniforms[row.variable] = normal::uniform_of(z);
        }
    }
}

impl Copula {
    /// [`apply`](Self::apply) conditional on one variable lying in an interval, or having a given value: the others
    /// have their conditional distribution. Within the interval the variable's own uniform sets its position. Variables
    /// uncorrelated with it are as `apply` leaves them, bit for bit.
    ///
    /// A normal vector Z conditional on `Z_v` = z is `Z_k + r_kv (z - Z_v)`, with r the correlations (G. Matheron's
    /// conditioning by kriging).
    ///
    /// # Panics
    /// As [`apply`](Self::apply).
    pub fn apply_given(&self, uniforms: &mut [f64], variable: usize, [from, to]: [f64; 2]) {
        self.apply(uniforms);
        // Z_k - r_kv Z_v is independent of Z_v, so Z_v may still set the position in the interval.
        let at = from + uniforms[variable] * (to - from);
        let step = normal::quantile(at) - normal::quantile(uniforms[variable]);
        for (other, uniform) in uniforms.iter_mut().enumerate().take(self.count) {
            let correlation = self.normal_correlation(other, variable);
            if correlation != 0.0 {
                *uniform = normal::inside(normal::cumulative(normal::quantile(*uniform) + correlation * step));
            }
        }
        uniforms[variable] = at;
    }

    /// Whether a variable is correlated with any other.
    #[must_use]
    pub fn correlates(&self, variable: usize) -> bool {
        (0..self.count).any(|other| other != variable && self.normal_correlation(other, variable) != 0.0)
    }

    /// The correlation of two of the normals: the inner product of their rows of the Cholesky factor.
    fn normal_correlation(&self, first: usize, second: usize) -> f64 {
        let factor = |variable: usize, column: usize| match self.rows.iter().find(|row| row.variable == variable) {
            Some(row) if column == variable => row.diagonal,
            Some(row) => row.terms.iter().find(|(other, _)| *other == column).map_or(0.0, |(_, factor)| *factor),
            None => f64::from(u8::from(column == variable)),
        };
        (0..=first.min(second)).map(|column| factor(first, column) * factor(second, column)).sum()
    }
}

impl Row {
    /// None for a row of the identity.
    fn new(variable: usize, row: &[f64]) -> Option<Self> {
        let terms: Vec<(usize, f64)> =
            row[..variable].iter().copied().enumerate().filter(|(_, factor)| *factor != 0.0).collect();
        (!terms.is_empty()).then(|| Self { variable, diagonal: row[variable], terms })
    }
}

fn check_pairs(count: usize, pairs: &[(usize, usize, f64)]) -> Result<(), CopulaError> {
    let mut seen = BTreeSet::new();
    for &(first, second, correlation) in pairs {
        for variable in [first, second] {
            if variable >= count {
                return Err(CopulaError::UnknownVariable { variable, count });
            }
        }
        if first == second {
            return Err(CopulaError::SelfPair { variable: first });
        }
        let (low, high) = (first.min(second), first.max(second));
        if !seen.insert((low, high)) {
            return Err(CopulaError::RepeatedPair { first: low, second: high });
        }
        if correlation.is_nan() || correlation.abs() >= 1.0 {
            return Err(CopulaError::OutOfRange { first, second, correlation });
        }
    }
    Ok(())
}

/// Where a Cholesky factorisation stops.
struct Failure {
    variable: usize,
    partners: Vec<usize>,
}

/// The lower Cholesky factor of the normals' correlation matrix, with every rank correlation
/// multiplied by `scale`.
fn factorise(ranks: &[Ranks], pairs: &[(usize, usize, f64)], scale: f64) -> Result<Vec<Vec<f64>>, Failure> {
    /// Minimum conditional variance of a variable. Rounding errors are near 1e-15; below 1e-10 the variable is a
    /// function of the others for all practical purposes.
    const MIN_OWN_VARIANCE: f64 = 1e-10;
    let count = ranks.len();
    let mut matrix = vec![vec![0.0; count]; count];
    for &(first, second, rank_correlation) in pairs.iter().filter(|pair| pair.2 != 0.0) {
        // Impossible ones have been refused already.
        let normals = ranks[first].normal_correlation(&ranks[second], scale * rank_correlation);
        matrix[first.max(second)][first.min(second)] = normals.unwrap_or_default();
    }
    for row in 0..count {
        for column in 0..row {
            let known: f64 = (0..column).map(|k| matrix[row][k] * matrix[column][k]).sum();
            matrix[row][column] = (matrix[row][column] - known) / matrix[column][column];
        }
        let own_variance = 1.0 - (0..row).map(|k| matrix[row][k].powi(2)).sum::<f64>();
        if own_variance < MIN_OWN_VARIANCE {
            let partners = (0..row).filter(|&k| matrix[row][k] != 0.0).collect();
            return Err(Failure { variable: row, partners });
        }
        matrix[row][row] = own_variance.sqrt();
    }
    Ok(matrix)
}

/// The largest number of thousandths by which all correlations can be multiplied; smaller factors are possible too,
/// since the feasible correlations form a convex set around 0 (to within 2 %, the nonlinearity of the sine).
fn largest_factor(ranks: &[Ranks], pairs: &[(usize, usize, f64)]) -> f64 {
    let possible = |thousandths: u32| factorise(ranks, pairs, f64::from(thousandths) / 1000.0).is_ok();
    let (mut low, mut high) = (0, 1000);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if possible(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::from(low) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    const DRAWS: usize = 100_000;

    /// Columns of copula draws, one per variable.
    fn draws(copula: &Copula) -> Vec<Vec<f64>> {
        let mut columns = vec![Vec::with_capacity(DRAWS); copula.count()];
        for item in 0..DRAWS as u64 {
            let mut row: Vec<f64> = (0..copula.count() as u32).map(|variable| uniform(5, item, variable)).collect();
            copula.apply(&mut row);
            for (column, number) in columns.iter_mut().zip(row) {
                column.push(number);
            }
        }
        columns
    }

    fn ranks(column: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..column.len()).collect();
        order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let mut ranks = vec![0.0; column.len()];
        for (rank, index) in order.into_iter().enumerate() {
            ranks[index] = rank as f64;
        }
        ranks
    }

    fn spearman(first: &[f64], second: &[f64]) -> f64 {
        let count = first.len() as f64;
        let squares: f64 = ranks(first).iter().zip(ranks(second)).map(|(a, b)| (a - b).powi(2)).sum();
        1.0 - 6.0 * squares / (count * (count * count - 1.0))
    }

    /// Five standard errors of a sample rank correlation (Bonett and Wright 2000: the variance of
    /// its Fisher transform is (1 + rho^2 / 2) / (n - 3)).
    fn tolerance(rho: f64) -> f64 {
        5.0 * (1.0 - rho * rho) * ((1.0 + rho * rho / 2.0) / (DRAWS as f64 - 3.0)).sqrt()
    }

    #[test]
    fn draws_have_the_rank_correlations_asked_for() {
        let pairs = [(0, 2, 0.8), (4, 2, -0.5), (0, 4, -0.3), (1, 5, 0.95)];
        let columns = draws(&Copula::new(6, &pairs).unwrap());
        for first in 0..6 {
            for second in 0..first {
                let rho = pairs
                    .iter()
                    .find(|(a, b, _)| (*a, *b) == (first, second) || (*a, *b) == (second, first))
                    .map_or(0.0, |(_, _, rho)| *rho);
                let found = spearman(&columns[first], &columns[second]);
                assert!((found - rho).abs() < tolerance(rho), "{first} {second}: {found}, not {rho}");
            }
        }
    }

    #[test]
    fn correlated_numbers_stay_uniform() {
        /// Kolmogorov's distribution exceeds 2.7 / sqrt(n) with probability 1e-6.
        const CRITICAL: f64 = 2.7;
        let columns = draws(&Copula::new(3, &[(0, 1, 0.9), (0, 2, -0.7), (1, 2, -0.6)]).unwrap());
        for mut column in columns {
            column.sort_by(f64::total_cmp);
            let distance =
                column.iter().enumerate().map(|(i, u)| (u - (i as f64 + 0.5) / DRAWS as f64).abs()).fold(0.0, f64::max);
            assert!(distance < CRITICAL / (DRAWS as f64).sqrt(), "{distance}");
        }
    }

    /// Given z, the normal of a variable with correlation r has the mean r z and the variance 1 - r^2: five standard errors
    /// of each.
    #[test]
    fn given_one_variable_the_others_have_their_conditional_distribution() {
        let copula = Copula::new(4, &[(0, 1, 0.8), (1, 2, -0.4), (0, 2, -0.3)]).unwrap();
        for (variable, other, rho) in [(0, 1, 0.8), (1, 0, 0.8), (2, 1, -0.4), (2, 0, -0.3), (3, 0, 0.0)] {
            let at = 0.97;
            let normals = (0..DRAWS as u64).map(|item| {
                let mut row: Vec<f64> = (0..4).map(|variable| uniform(6, item, variable)).collect();
                copula.apply_given(&mut row, variable, [at; 2]);
                assert_eq!(row[variable].to_bits(), at.to_bits());
                normal::quantile(row[other])
            });
            let (sum, squares) = normals.fold((0.0, 0.0), |(sum, squares), z| (sum + z, squares + z * z));
            let (mean, count) = (sum / DRAWS as f64, DRAWS as f64);
            let variance = squares / count - mean * mean;
            let r = 2.0 * (PI * rho / 6.0).sin();
            let expected = (r * normal::quantile(at), 1.0 - r * r);
            assert!((mean - expected.0).abs() < 5.0 * (expected.1 / count).sqrt(), "{variable} {other}: {mean}");
            assert!((variance / expected.1 - 1.0).abs() < 5.0 * (2.0 / count).sqrt(), "{variable} {other}: {variance}");
        }
    }

    /// Given that Z is in its uppermost tenth, its mean is density(1.2816) / 0.1, and r times that is the other one's;
    /// whichever of the two comes first. Five standard errors, of a variance below 1.
    #[test]
    fn given_a_stretch_of_one_variable_the_others_have_their_conditional_mean() {
        let copula = Copula::new(2, &[(0, 1, 0.8)]).unwrap();
        let r = 2.0 * (PI * 0.8 / 6.0).sin();
        for (variable, other) in [(0, 1), (1, 0)] {
            let normals = (0..DRAWS as u64).map(|item| {
                let mut row: Vec<f64> = (0..2).map(|variable| uniform(8, item, variable)).collect();
                copula.apply_given(&mut row, variable, [0.9, 1.0]);
                assert!((0.9..1.0).contains(&row[variable]));
                normal::quantile(row[other])
            });
            let mean = normals.sum::<f64>() / DRAWS as f64;
            let expected = r * normal::density(normal::quantile(0.9)) / 0.1;
            assert!((mean - expected).abs() < 5.0 / (DRAWS as f64).sqrt(), "{mean} {expected}");
        }
    }

    #[test]
    fn uncorrelated_variables_pass_bit_for_bit() {
        let copula = Copula::new(5, &[(1, 3, 0.6), (0, 4, 0.0)]).unwrap();
        for item in 0..1000 {
            let before: [f64; 5] = std::array::from_fn(|variable| uniform(9, item, variable as u32));
            let mut after = before;
            copula.apply(&mut after);
            for variable in [0, 1, 2, 4] {
                assert_eq!(before[variable].to_bits(), after[variable].to_bits());
            }
            assert_ne!(before[3].to_bits(), after[3].to_bits());
        }
    }

    #[test]
    fn extreme_uniforms_stay_inside() {
        let copula = Copula::new(3, &[(0, 1, 0.7), (0, 2, 0.5), (1, 2, 0.5)]).unwrap();
        for extreme in [5e-324, 2f64.powi(-54), 1.0 - 2f64.powi(-53)] {
            let mut numbers = [extreme; 3];
            copula.apply(&mut numbers);
            assert!(numbers.iter().all(|u| *u > 0.0 && *u < 1.0), "{numbers:?}");
        }
    }

    #[test]
    fn contradiction_names_the_variable_and_a_factor_that_works() {
        let pairs = [(0, 1, 0.9), (0, 2, 0.9), (1, 2, -0.9)];
        let error = Copula::new(4, &pairs).unwrap_err();
        let CopulaError::Contradiction { variable, partners, factor } = &error else { panic!("{error}") };
        assert_eq!((*variable, partners.as_slice()), (2, [0, 1].as_slice()));
        // det = (1 + r)^2 (1 - 2r): the largest possible r is 1/2, where rho = 6/pi asin(1/4) =
        // 0.4826.
        assert_eq!(*factor, (0.482_58_f64 / 0.9 * 1000.0).floor() / 1000.0);
        let scaled = pairs.map(|(a, b, rho)| (a, b, rho * factor));
        assert!(Copula::new(4, &scaled).is_ok());
        assert!(error.to_string().contains("multiply all correlations by 0.536"), "{error}");
    }

    #[test]
    fn bad_pairs_are_refused() {
        let refused = |pairs: &[(usize, usize, f64)]| Copula::new(3, pairs).unwrap_err();
        assert_eq!(refused(&[(0, 3, 0.1)]), CopulaError::UnknownVariable { variable: 3, count: 3 });
        assert_eq!(refused(&[(1, 1, 0.1)]), CopulaError::SelfPair { variable: 1 });
        assert_eq!(refused(&[(0, 2, 0.1), (2, 0, 0.1)]), CopulaError::RepeatedPair { first: 0, second: 2 });
        for correlation in [1.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
            assert!(matches!(refused(&[(0, 1, correlation)]), CopulaError::OutOfRange { .. }));
        }
    }

    proptest! {
        /// The factor times its transpose must be the requested matrix: an independent path to the normals'
        /// correlation.
        #[test]
        fn factor_reproduces_the_correlations(rhos in proptest::collection::vec(-0.3..0.3f64, 6)) {
            // Four variables, all six pairs; |r| <= 0.32 < 1/3 is diagonally dominant, hence always
            // possible.
            let indices = [(0, 1), (3, 0), (2, 0), (1, 2), (3, 1), (2, 3)];
            let pairs: Vec<_> =
                indices.iter().zip(&rhos).map(|((a, b), rho)| (*a, *b, *rho)).collect();
            let Ok(factor) = factorise(&[Ranks::CONTINUOUS; 4], &pairs, 1.0) else { panic!("refused") };
            for (a, b, rho) in pairs {
                let product: f64 = (0..4).map(|k| factor[a][k] * factor[b][k]).sum();
                prop_assert!((product - 2.0 * (PI * rho / 6.0).sin()).abs() < 8.0 * f64::EPSILON);
            }
        }
    }
}
