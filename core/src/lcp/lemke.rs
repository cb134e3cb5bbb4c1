//! Lemke's method (Cottle, Pang and Stone, 4.4) with the lexicographic ratio test (4.9), which excludes cycling under
//! any degeneracy.
//!
//! # Conventions
//! The system is `w - M z - e z0 = q` with e a vector of ones; its variables are numbered w (0 to n - 1), z (n to 2 n -
//! 1), z0 (2 n). n of them are basic, the others 0. With the basis matrix B, the basic values are B^-1 q, and as
//! another variable grows by t they fall by t B^-1 c, c being its column.
//!
//! Only the inverse is updated from pivot to pivot. Every vector that a decision depends on is computed with it and
//! refined with the residual in the original system, so that rounding errors do not grow with the number of pivots, and
//! it comes with an error bound.

use super::problem::{Problem, Solution, Status};
use super::scaled::Scaled;

/// Maximum number of pivots: some problems take 2^n (Murty 1978), nearly all some 2 n.
pub const MAX_PIVOTS: u64 = 100_000;

/// Roundings in an entry of a solution, per unknown and of [all its terms](Basis::solution): those of a sum of n terms
/// for the residual and one for the correction, including the errors of the terms themselves.
const ROUNDINGS: f64 = 8.0;
/// Steps of iterative refinement. The second covers an inverse that has lost half its digits.
const CORRECTIONS: usize = 2;
/// Rows of a matrix that are summed side by side: a sum waits for each of its additions, and others fill the wait.
const ROWS: usize = 4;

/// Finds a solution by Lemke's method from z = 0.
///
/// Terminates as [`Solved`](Status::Solved), on a secondary [`Ray`](Status::Ray), after [`MAX_PIVOTS`]
/// ([`NotConverged`](Status::NotConverged)), or as [`Inaccurate`](Status::Inaccurate). With positive semidefinite M, or
/// any copositive-plus one, a ray implies that there is no solution (Cottle, Pang and Stone, 4.4); P-matrices never end
/// on one.
#[must_use]
pub fn lemke(problem: &Problem) -> Solution {
    solution_by(problem, lexicographic)
}

/// Pivoting with a rule that selects the leaving row for the entering variable.
fn solution_by(problem: &Problem, rule: impl Fn(&Basis<'_>, &Entering) -> Option<usize>) -> Solution {
    let scaled = Scaled::new(problem);
    let mut basis = Basis::new(&scaled.problem);
    let mut entering = basis.entering(basis.artificial());
    let Some(mut leaving) = basis.first_leaving() else {
        return scaled.solution(&vec![0.0; problem.unknowns()], 0, Status::Inaccurate);
    };
    for pivots in 1..=MAX_PIVOTS {
        let left = basis.pivot(leaving, &entering);
        if left == basis.artificial() {
            return scaled.solution(&basis.z(), pivots, Status::Inaccurate);
        }
        entering = basis.entering(basis.complement(left));
        match rule(&basis, &entering) {
            Some(row) => leaving = row,
            None => return scaled.solution(&basis.z(), pivots, Status::Ray),
        }
    }
    scaled.solution(&basis.z(), MAX_PIVOTS, Status::NotConverged)
}

struct Basis<'a> {
    problem: &'a Problem,
    /// The basic variable of each row.
    variables: Vec<usize>,
    /// B^-1, row by row.
    inverse: Vec<f64>,
}

/// An entering variable, and the rate at which each basic one falls as it grows.
struct Entering {
    variable: usize,
    falls: Bounded,
}

/// Numbers with error bounds.
struct Bounded {
    values: Vec<f64>,
    errors: Vec<f64>,
}

impl<'a> Basis<'a> {
    fn new(problem: &'a Problem) -> Self {
        let unknowns = problem.unknowns();
        let inverse = (0..unknowns * unknowns).map(|place| f64::from(place / unknowns == place % unknowns)).collect();
        Self { problem, variables: (0..unknowns).collect(), inverse }
    }

    fn unknowns(&self) -> usize {
        self.variables.len()
    }

    /// z0.
    fn artificial(&self) -> usize {
        2 * self.unknowns()
    }

    /// w\[i\] of z\[i\], and the other way round.
    fn complement(&self, variable: usize) -> usize {
        let unknowns = self.unknowns();
        if variable < unknowns { variable + unknowns } else { variable - unknowns }
    }

    fn entering(&self, variable: usize) -> Entering {
        Entering { variable, falls: self.solution(&self.column(variable)) }
    }

    /// The column of a variable.
    fn column(&self, variable: usize) -> Vec<f64> {
        let unknowns = self.unknowns();
        let rows = 0..unknowns;
        if variable < unknowns {
            rows.map(|row| f64::from(row == variable)).collect()
        } else if variable < self.artificial() {
            rows.map(|row| -self.problem.row(row)[variable - unknowns]).collect()
        } else {
            vec![-1.0; unknowns]
        }
    }

    /// x of B x = c with its errors. What rounding of B, c and the sums leaves of x is at most some n roundings of
    /// |B^-1| (|c| + |B| |x|), entry by entry, whatever the units of each row and column are. What the corrections themselves
    /// leave is less than the last one; it matters to zeros, of which those roundings may be none.
    fn solution(&self, constants: &[f64]) -> Bounded {
        let unknowns = self.unknowns();
        let mut values = self.by_inverse(constants);
        let (mut terms, mut corrections) = (Vec::new(), Vec::new());
        for _ in 0..CORRECTIONS {
            // All variables of the system, the basic ones with their values.
            let mut all = vec![0.0; self.artificial() + 1];
            self.variables.iter().zip(&values).for_each(|(&variable, value)| all[variable] = *value);
            let (w, z, z0) = (&all[..unknowns], &all[unknowns..2 * unknowns], all[2 * unknowns]);
            let first = |row: usize| (w[row] - z0, w[row].abs() + z0.abs());
            let sums = folded(self.problem.matrix(), z, first, |(sum, magnitude), entry, z| {
                let product = entry * z;
                (sum - product, magnitude + product.abs())
            });
            let sums = || sums.iter().zip(constants);
            let rest: Vec<f64> = sums().map(|((sum, _), constant)| constant - sum).collect();
            terms = sums().map(|((_, magnitude), constant)| magnitude + constant.abs()).collect();
            corrections = self.by_inverse(&rest);
            values.iter_mut().zip(&corrections).for_each(|(value, correction)| *value += correction);
        }
        let rounding = ROUNDINGS * unknowns as f64 * f64::EPSILON;
        let sums = folded(&self.inverse, &terms, |_| -0.0, |sum, entry, term| sum + entry.abs() * term);
        let errors = sums.iter().zip(corrections).map(|(sum, correction)| rounding * sum + correction.abs()).collect();
        Bounded { values, errors }
    }

    /// B^-1 c, as good as the inverse is.
    fn by_inverse(&self, constants: &[f64]) -> Vec<f64> {
        // Of zeros below 0 alone the sum is one of them.
        folded(&self.inverse, constants, |_| -0.0, |sum, entry, constant| sum + entry * constant)
    }

    /// The first leaving row: that of the smallest constant if it is negative, and of equal ones the last, which is the
    /// lexicographically smallest.
    fn first_leaving(&self) -> Option<usize> {
        let vector = self.problem.vector();
        let least = vector.iter().copied().fold(0.0, f64::min);
        (0..self.unknowns()).rev().find(|&row| least < 0.0 && vector[row] == least)
    }

    /// Exchanges the entering variable for the basic one of a row; returns the leaving one.
    fn pivot(&mut self, leaving: usize, entering: &Entering) -> usize {
        let unknowns = self.unknowns();
        let falls = &entering.falls.values;
        let divided: Vec<f64> = self.inverse[leaving * unknowns..(leaving + 1) * unknowns]
            .iter()
            .map(|entry| entry / falls[leaving])
            .collect();
        for (row, entries) in self.inverse.chunks_exact_mut(unknowns).enumerate() {
            if row == leaving {
                entries.copy_from_slice(&divided);
            } else if falls[row] != 0.0 {
                entries.iter_mut().zip(&divided).for_each(|(entry, divided)| *entry -= falls[row] * divided);
            }
        }
        std::mem::replace(&mut self.variables[leaving], entering.variable)
    }

    fn z(&self) -> Vec<f64> {
        let unknowns = self.unknowns();
        let mut all = vec![0.0; self.artificial() + 1];
        let values = self.solution(self.problem.vector()).values;
        self.variables.iter().zip(values).for_each(|(&variable, value)| all[variable] = value.max(0.0));
        all[unknowns..2 * unknowns].to_vec()
    }
}

/// For each row of a square matrix what is made, entry by entry, of `first` of the row, the entries and those of a vector:
/// each row in its own order, whatever stands beside it.
fn folded<S: Copy>(
    matrix: &[f64],
    vector: &[f64],
    first: impl Fn(usize) -> S,
    add: impl Fn(S, f64, f64) -> S,
) -> Vec<S> {
    let size = vector.len();
    let row = |number: usize| &matrix[number * size..(number + 1) * size];
    let side_by_side = size - size % ROWS;
    let mut all = Vec::with_capacity(size);
    for number in (0..side_by_side).step_by(ROWS) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|beside| row(number + beside));
        let [mut of_a, mut of_b, mut of_c, mut of_d] = [0, 1, 2, 3].map(|beside| first(number + beside));
        for ((((&factor, &a), &b), &c), &d) in vector.iter().zip(a).zip(b).zip(c).zip(d) {
            (of_a, of_b) = (add(of_a, a, factor), add(of_b, b, factor));
            (of_c, of_d) = (add(of_c, c, factor), add(of_d, d, factor));
        }
        all.extend([of_a, of_b, of_c, of_d]);
    }
    all.extend((side_by_side..size).map(|number| {
        let entries = row(number).iter().zip(vector);
        entries.fold(first(number), |sum, (&entry, &factor)| add(sum, entry, factor))
    }));
    all
}

/// The row whose variable leaves: of those that fall the lexicographically least, values and then columns of the inverse
/// over the fall; but z0 whenever it may. `None` where none falls. What rounding does not tell from 0 is 0, and what it
/// does not tell apart is equal.
fn lexicographic(basis: &Basis<'_>, entering: &Entering) -> Option<usize> {
    let falls = &entering.falls;
    let mut rows: Vec<usize> = (0..basis.unknowns()).filter(|&row| falls.values[row] > falls.errors[row]).collect();
    retain_least(&mut rows, &basis.solution(basis.problem.vector()), falls);
    if let Some(&row) = rows.iter().find(|&&row| basis.variables[row] == basis.artificial()) {
        return Some(row);
    }
    for variable in 0..basis.unknowns() {
        if rows.len() < 2 {
            break;
        }
        retain_least(&mut rows, &basis.solution(&basis.column(variable)), falls);
    }
    // Rows of an inverse differ; where rounding hides it the largest fall is the best one to divide by.
    rows.into_iter().max_by(|&a, &b| falls.values[a].total_cmp(&falls.values[b]))
}

/// Of some rows those of the least quotients of dividends over divisors, or of what rounding does not tell from the least.
fn retain_least(rows: &mut Vec<usize>, dividends: &Bounded, divisors: &Bounded) {
    let quotient = |row: usize| dividends.values[row] / divisors.values[row];
    let error =
        |row: usize| (dividends.errors[row] + quotient(row).abs() * divisors.errors[row]) / divisors.values[row];
    let least = rows.iter().map(|&row| quotient(row) + error(row)).fold(f64::INFINITY, f64::min);
    rows.retain(|&row| quotient(row) - error(row) <= least);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::lcp::read_problem;

    /// The least ratio alone, the first of equal ones.
    fn least_ratio(basis: &Basis<'_>, entering: &Entering) -> Option<usize> {
        let (values, falls) = (basis.solution(basis.problem.vector()).values, &entering.falls);
        let rows = (0..basis.unknowns()).filter(|&row| falls.values[row] > falls.errors[row]);
        rows.min_by(|&a, &b| (values[a] / falls.values[a]).total_cmp(&(values[b] / falls.values[b])))
    }

    #[test]
    fn rows_side_by_side_are_summed_as_they_are_alone() {
        for size in 0..3 * ROWS {
            let number = |place: usize| (place as f64).sin() * 10f64.powi((place % 31) as i32 - 15);
            let matrix: Vec<f64> = (0..size * size).map(number).collect();
            let vector: Vec<f64> = (0..size).map(|place| number(7 * place + 3)).collect();
            let found = folded(&matrix, &vector, |row| row as f64, |sum, entry, factor| sum + entry * factor);
            let alone = |row: usize| {
                let entries = matrix[row * size..(row + 1) * size].iter().zip(&vector);
                entries.fold(row as f64, |sum, (entry, factor)| sum + entry * factor)
            };
            assert_eq!(found, (0..size).map(alone).collect::<Vec<f64>>(), "{size}");
        }
    }

    #[test]
    fn zeros_below_0_stay_below_0() {
        let problem = Problem::new(vec![1.0, 0.0, 0.0, 1.0], vec![-1.0, -1.0]).unwrap();
        let bits = Basis::new(&problem).by_inverse(&[-0.0, -0.0]).iter().map(|zero| zero.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits, [(-0.0f64).to_bits(); 2]);
    }

    /// A game that is degenerate throughout.
    #[test]
    fn bases_come_again_and_again_without_the_lexicographic_rule() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/siconos/lcp_tobenna.dat");
        let problem = read_problem(&path).unwrap();
        let (with, without) = (lemke(&problem), solution_by(&problem, least_ratio));
        assert_eq!((with.status, with.iterations), (Status::Solved, 127));
        assert_eq!((without.status, without.iterations), (Status::NotConverged, MAX_PIVOTS));
        // Where nothing is degenerate the rules are one.
        let problem = Problem::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
        assert_eq!(lemke(&problem), solution_by(&problem, least_ratio));
    }
}
