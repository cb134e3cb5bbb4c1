//! Relaxed projected Jacobi: all unknowns at once, `z = max(0, z - omega D^-1 (M z + q))`, where D is the diagonal of
//! M.
//!
//! With S = D^-1/2 M D^-1/2 and y = D^1/2 z this is a step of length omega along -(S y + D^-1/2 q), projected onto y >= 0.
//! So it converges
//!
//! - for symmetric positive semidefinite M where omega < 2 / lambda, with lambda the largest eigenvalue of S: the step of a
//!   projected gradient, whose Lipschitz constant is lambda (docs/theory/complementarity.md, 6: omega = 1 is too long for three nearly parallel
//!   contacts on one body, where lambda is 3);
//! - for nonsymmetric positive definite M where omega < 2 mu / L^2, with mu the smallest eigenvalue of (S + S^T) / 2
//!   and L^2 the largest of S^T S: then |I - omega S| < 1.
//!
//! For other matrices no bound is known.

use super::linear::is_positive_definite;
use super::problem::{Problem, Solution};
use super::sweeps::{SweepError, check_diagonal, iterate};

/// Relative accuracy of eigenvalue bounds, on the safe side.
const CLOSENESS: f64 = 0.01;
/// Smallest eigenvalues below this, for a matrix with unit diagonal, are lost in rounding.
const MIN_EIGENVALUE: f64 = 1e-12;

/// Relaxation of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// Recommended factor: half the bound, or 1 / L without one.
    pub omega: f64,
    /// Sweeps converge with any factor above 0 and below this, if a solution exists; `None` if no bound is known.
    pub bound: Option<f64>,
}

/// The relaxation factor of a problem, with the bound below which sweeps converge.
///
/// # Errors
/// If a diagonal entry is not positive.
pub fn relaxation(problem: &Problem) -> Result<Relaxation, SweepError> {
    check_diagonal(problem)?;
    let size = problem.unknowns();
    let root: Vec<f64> = (0..size).map(|row| problem.row(row)[row].sqrt()).collect();
    let scaled: Vec<f64> =
        (0..size * size).map(|place| problem.matrix()[place] / (root[place / size] * root[place % size])).collect();
    let transposed = |place: usize| scaled[place % size * size + place / size];
    // What a matrix that is computed as a symmetric one may lack of it.
    let rounding = size as f64 * f64::EPSILON;
    let is_symmetric = (0..size * size).all(|place| (scaled[place] - transposed(place)).abs() <= rounding);
    let symmetric: Vec<f64> = (0..size * size).map(|place| 0.5 * (scaled[place] + transposed(place))).collect();
    // Cholesky's factors are off by some n roundings of n entries of 1.
    if is_symmetric && is_shifted_definite(&symmetric, size, size as f64 * rounding) {
        let bound = 2.0 / largest_eigenvalue(&symmetric, size);
        return Ok(Relaxation { omega: 0.5 * bound, bound: Some(bound) });
    }
    let squared = largest_eigenvalue(&gram(&scaled, size), size);
    match least_eigenvalue(&symmetric, size) {
        Some(least) => {
            let bound = 2.0 * least / squared;
            Ok(Relaxation { omega: 0.5 * bound, bound: Some(bound) })
        }
        None => Ok(Relaxation { omega: 1.0 / squared.sqrt(), bound: None }),
    }
}

/// Finds a solution by sweeps from an initial guess, such as the previous step's solution or zeros; negative entries
/// start at 0.
///
/// # Errors
/// If a diagonal entry is not positive, omega is not above 0 and at most 2, or the start does not consist of one finite
/// number per unknown.
pub fn jacobi(problem: &Problem, omega: f64, start: &[f64]) -> Result<Solution, SweepError> {
    if !(omega > 0.0 && omega <= 2.0) {
        return Err(SweepError::Omega { omega });
    }
    iterate(problem, start, |problem, z| {
        let slacks = problem.slacks(z);
        for (row, slack) in slacks.into_iter().enumerate() {
            z[row] = (z[row] - omega * slack / problem.row(row)[row]).max(0.0);
        }
    })
}

/// S^T S.
fn gram(matrix: &[f64], size: usize) -> Vec<f64> {
    let mut product = vec![0.0; size * size];
    for entries in matrix.chunks_exact(size) {
        for (row, &factor) in entries.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            for (sum, entry) in product[row * size..(row + 1) * size].iter_mut().zip(entries) {
                *sum += factor * entry;
            }
        }
    }
    product
}

/// Whether A + shift I is positive definite.
fn is_shifted_definite(matrix: &[f64], size: usize, shift: f64) -> bool {
    let mut shifted = matrix.to_vec();
    (0..size).for_each(|row| shifted[row * size + row] += shift);
    is_positive_definite(&mut shifted, size)
}

/// An upper bound on the largest eigenvalue of a symmetric matrix, at most [`CLOSENESS`] above it: b I - A is positive
/// definite.
fn largest_eigenvalue(matrix: &[f64], size: usize) -> f64 {
    let negative: Vec<f64> = matrix.iter().map(|entry| -entry).collect();
    // Between the largest entry of the diagonal and the largest sum of a row.
    let mut low = (0..size).map(|row| matrix[row * size + row]).fold(0.0, f64::max);
    let sums = matrix.chunks_exact(size).map(|row| row.iter().map(|entry| entry.abs()).sum());
    let mut high = sums.fold(low, f64::max);
    while high > (1.0 + CLOSENESS) * low {
        let middle = geometric_mean(low, high);
        if !(low < middle && middle < high) {
            break;
        }
        if is_shifted_definite(&negative, size, middle) { high = middle } else { low = middle }
    }
    high
}

/// A lower bound on the smallest eigenvalue of a symmetric matrix with unit diagonal, at most [`CLOSENESS`] below it;
/// `None` if it is not positive.
fn least_eigenvalue(matrix: &[f64], size: usize) -> Option<f64> {
    // The least eigenvalue is at most the least entry of the diagonal.
    let (mut low, mut high) = (MIN_EIGENVALUE, 1.0);
    if !is_shifted_definite(matrix, size, -low) {
        return None;
    }
    while high > (1.0 + CLOSENESS) * low {
        let middle = geometric_mean(low, high);
        if !(low < middle && middle < high) {
            break;
        }
        if is_shifted_definite(matrix, size, -middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// Of positive numbers. Their product may overflow where they do not.
fn geometric_mean(low: f64, high: f64) -> f64 {
    let product = low * high;
    if product.is_finite() { product.sqrt() } else { low.sqrt() * high.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_whose_squares_overflow_are_bounded_all_the_same() {
        let matrix = vec![1e-30, 1e60, 1e60, 0.0, 1e-30, 0.0, 0.0, 0.0, 1e-30];
        let Relaxation { omega, bound } = relaxation(&Problem::new(matrix, vec![-1.0; 3]).unwrap()).unwrap();
        // S has 1e90 twice beside ones: S^T S has the eigenvalue 2e180.
        assert!((0.99..1.001).contains(&(omega * 2f64.sqrt() * 1e90)), "{omega:e}");
        assert_eq!(bound, None);
    }
}
