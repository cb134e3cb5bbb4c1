//! Projected Gauss-Seidel (Cryer 1971; Cottle, Pang and Stone, 5.2): one unknown after the other, each with the latest
//! values of all others.

use super::problem::{Problem, Solution};
use super::sweeps::{SweepError, iterate};

/// Finds a solution by sweeps `z[i] = max(0, z[i] - w[i] / M[i][i])` from a guess, such as the solution of the step before
/// or zeros; entries below 0 start at 0.
///
/// Converges where M is symmetric and positive semidefinite with a positive diagonal and there is a solution, and where its
/// comparison matrix has a nonnegative inverse (diagonally dominant matrices among others); otherwise it may or may not.
///
/// # Errors
/// When an entry of the diagonal is not positive, or the start is not of finite numbers, one for each unknown.
pub fn gauss_seidel(problem: &Problem, start: &[f64]) -> Result<Solution, SweepError> {
    iterate(problem, start, |problem, z| {
        for row in 0..z.len() {
            z[row] = (z[row] - problem.slack(row, z) / problem.row(row)[row]).max(0.0);
        }
    })
}
