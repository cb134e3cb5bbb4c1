//! Common part of projected Gauss-Seidel and Jacobi: sweeps over all unknowns until the residual is small.

use thiserror::Error;

use super::problem::{Problem, Solution, Status};
use super::scaled::{Scaled, TOLERANCE};

/// Maximum number of sweeps.
pub const MAX_SWEEPS: u64 = 10_000;

/// Iterates of the scaled problem above this count as diverged.
const MAX_ITERATE: f64 = 1e100;

/// Why a problem cannot be solved by sweeps.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SweepError {
    /// A diagonal entry that is not positive.
    #[error(
        "matrix[{row}][{row}]: {value:e} is not allowed: sweeps divide by the diagonal, so it must be positive; Lemke's \
         algorithm and enumeration take any"
    )]
    Diagonal {
        /// Its row.
        row: usize,
        /// What was given.
        value: f64,
    },
    /// A start of the wrong size.
    #[error("a start of {entries} entries: must be {unknowns}, as many as there are unknowns")]
    StartSize {
        /// Entries of the start.
        entries: usize,
        /// Unknowns of the problem.
        unknowns: usize,
    },
    /// A start that is not finite.
    #[error("start[{row}]: {value:e} is not allowed: must be finite")]
    Start {
        /// Its row.
        row: usize,
        /// What was given.
        value: f64,
    },
    /// An invalid relaxation factor.
    #[error("omega: {omega:e} is not allowed: must be above 0 and at most 2")]
    Omega {
        /// What was given.
        omega: f64,
    },
}

/// Refuses problems unsuitable for sweeps.
pub(super) fn check_diagonal(problem: &Problem) -> Result<(), SweepError> {
    for row in 0..problem.unknowns() {
        let value = problem.row(row)[row];
        if value <= 0.0 {
            return Err(SweepError::Diagonal { row, value });
        }
    }
    Ok(())
}

/// Sweeps over z, from a start in the problem's units, until it is solved. The sweep acts on the scaled problem.
pub(super) fn iterate(
    problem: &Problem,
    start: &[f64],
    mut sweep: impl FnMut(&Problem, &mut [f64]),
) -> Result<Solution, SweepError> {
    check_diagonal(problem)?;
    if start.len() != problem.unknowns() {
        return Err(SweepError::StartSize { entries: start.len(), unknowns: problem.unknowns() });
    }
    if let Some(row) = start.iter().position(|z| !z.is_finite()) {
        return Err(SweepError::Start { row, value: start[row] });
    }
    let scaled = Scaled::new(problem);
    let mut z = scaled.start(start);
    let mut least = f64::INFINITY;
    for sweeps in 0..MAX_SWEEPS {
        if scaled.rounded_residual(&z) <= TOLERANCE {
            // Sweeps see this residual, and may take away what it hides; or they may not.
            let residual = scaled.residual(&z);
            if residual <= TOLERANCE || residual >= least {
                return Ok(scaled.solution(&z, sweeps, Status::Inaccurate));
            }
            least = residual;
        }
        let before = z.clone();
        sweep(&scaled.problem, &mut z);
        // NaN is not below either.
        if !z.iter().all(|z| *z <= MAX_ITERATE) {
            return Ok(scaled.solution(&before, sweeps, Status::Diverged));
        }
    }
    Ok(scaled.solution(&z, MAX_SWEEPS, Status::NotConverged))
}
