//! Projected Gauss-Seidel (Cryer 1971; Cottle, Pang and Stone, 5.2): one unknown after the other, each with the latest
//! values of the others.

use super::problem::{Problem, Solution};
use super::sweeps::{SweepError, iterate};

/// Finds a solution by sweeps `z[i] = max(0, z[i] - w[i] / M[i][i])` from an initial guess, such as the previous step's
/// solution or zeros; negative entries start at 0.
///
/// Converges if M is symmetric positive semidefinite with a positive diagonal and a solution exists, and if its
/// comparison matrix has a nonnegative inverse (diagonally dominant matrices among others); otherwise it may or may
/// not.
///
/// # Errors
/// If a diagonal entry is not positive, or the start does not consist of one finite number per unknown.
pub fn gauss_seidel(problem: &Problem, start: &[f64]) -> Result<Solution, SweepError> {
    iterate(problem, start, |problem, z| {
        for row in 0..z.len() {
            z[row] = (z[row] - problem.slack(row, z) / problem.row(row)[row]).max(0.0);
        }
    })
}
