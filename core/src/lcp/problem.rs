//! Problems and solutions.

use thiserror::Error;

/// Maximum number of unknowns: [`lemke`](super::lemke()) traverses matrix and inverse, 8 n^2 bytes each, several times
/// in each of some n pivots or more, which takes about a minute here.
pub const MAX_UNKNOWNS: usize = 2048;

/// Largest magnitude of an entry.
pub const MAX_MAGNITUDE: f64 = 1e60;

/// Smallest magnitude of the largest entry of a nonzero matrix or vector; with [`MAX_MAGNITUDE`] it keeps scaled
/// numbers from overflow and loss of digits.
pub const MIN_MAGNITUDE: f64 = 1e-60;

/// A linear complementarity problem: w = M z + q, w >= 0, z >= 0, w . z = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Row by row.
    matrix: Vec<f64>,
    vector: Vec<f64>,
}

/// Why numbers do not define a problem.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ProblemError {
    /// None, or too many.
    #[error("{unknowns} unknowns: must be from 1 to {MAX_UNKNOWNS}")]
    Unknowns {
        /// Number of unknowns.
        unknowns: usize,
    },
    /// The sizes of matrix and vector do not match.
    #[error("matrix: {entries} entries: must be {}, for {unknowns} rows and as many columns", unknowns * unknowns)]
    NotSquare {
        /// Entries of the matrix.
        entries: usize,
        /// Entries of the vector.
        unknowns: usize,
    },
    /// A matrix entry that is not finite, or too large.
    #[error(
        "matrix[{row}][{column}]: {value:e} is not allowed: must be finite, at most {MAX_MAGNITUDE:e} in magnitude"
    )]
    Entry {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// What was given.
        value: f64,
    },
    /// The same for the vector.
    #[error("vector[{row}]: {value:e} is not allowed: must be finite, at most {MAX_MAGNITUDE:e} in magnitude")]
    Constant {
        /// Its row.
        row: usize,
        /// What was given.
        value: f64,
    },
    /// Entries that are all too small, and not all zero.
    #[error("{what}: its largest magnitude is {largest:e}: must be 0 or at least {MIN_MAGNITUDE:e}; take other units")]
    Tiny {
        /// `matrix` or `vector`.
        what: &'static str,
        /// The largest magnitude.
        largest: f64,
    },
}

impl Problem {
    /// A problem with a matrix, by rows, and a vector.
    ///
    /// # Errors
    /// If the matrix is not square, does not match the vector or is too large, or if an entry is not allowed.
    pub fn new(matrix: Vec<f64>, vector: Vec<f64>) -> Result<Self, ProblemError> {
        let unknowns = vector.len();
        if !(1..=MAX_UNKNOWNS).contains(&unknowns) {
            return Err(ProblemError::Unknowns { unknowns });
        }
        if matrix.len() != unknowns * unknowns {
            return Err(ProblemError::NotSquare { entries: matrix.len(), unknowns });
        }
        let wrong = |value: &f64| value.is_nan() || value.abs() > MAX_MAGNITUDE;
        if let Some(place) = matrix.iter().position(wrong) {
            let (row, column) = (place / unknowns, place % unknowns);
            return Err(ProblemError::Entry { row, column, value: matrix[place] });
        }
        if let Some(row) = vector.iter().position(wrong) {
            return Err(ProblemError::Constant { row, value: vector[row] });
        }
        for (what, entries) in [("matrix", &matrix), ("vector", &vector)] {
            let largest = largest_magnitude(entries);
            if largest > 0.0 && largest < MIN_MAGNITUDE {
                return Err(ProblemError::Tiny { what, largest });
            }
        }
        Ok(Self { matrix, vector })
    }

    /// A problem of numbers that a problem was scaled to.
    pub(super) fn of_scaled(matrix: Vec<f64>, vector: Vec<f64>) -> Self {
        Self { matrix, vector }
    }

    /// The number of unknowns n.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.vector.len()
    }

    /// A row of M.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        let unknowns = self.unknowns();
        &self.matrix[row * unknowns..(row + 1) * unknowns]
    }

    /// M, row by row.
    #[must_use]
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The vector q.
    #[must_use]
    pub fn vector(&self) -> &[f64] {
        &self.vector
    }

    /// An entry of w = M z + q.
    ///
    /// # Panics
    /// If z does not have one entry per unknown, or there is no such row.
    #[must_use]
    pub fn slack(&self, row: usize, z: &[f64]) -> f64 {
        assert_eq!(z.len(), self.unknowns(), "entries of z: must be one per unknown");
        self.row(row).iter().zip(z).map(|(entry, z)| entry * z).sum::<f64>() + self.vector[row]
    }

    /// w = M z + q.
    ///
    /// # Panics
    /// If z does not have one entry per unknown.
    #[must_use]
    pub fn slacks(&self, z: &[f64]) -> Vec<f64> {
        (0..self.unknowns()).map(|row| self.slack(row, z)).collect()
    }
}

pub(super) fn largest_magnitude(entries: &[f64]) -> f64 {
    entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()))
}

/// The residual of the natural map, the largest |min(z\[i\], w\[i\])|: 0 for solutions only, and infinite if any entry
/// is NaN.
///
/// # Panics
/// If z and w differ in length.
#[must_use]
pub fn natural_residual(z: &[f64], w: &[f64]) -> f64 {
    assert_eq!(z.len(), w.len(), "entries of z and of w: must be as many");
    let of_pair = |(z, w): (&f64, &f64)| if z.is_nan() || w.is_nan() { f64::INFINITY } else { z.min(*w).abs() };
    z.iter().zip(w).map(of_pair).fold(0.0, f64::max)
}

/// How a solver terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// With a solution.
    Solved,
    /// On a secondary ray: z0 and a basic variable grow without bound. Solutions may still exist, unless M is
    /// copositive-plus, as positive semidefinite matrices are.
    Ray,
    /// At the limit on pivots or sweeps.
    NotConverged,
    /// With iterates that grow without bound.
    Diverged,
    /// On a complementary basis, or at an iterate, that rounding keeps from meeting the tolerance.
    Inaccurate,
    /// There is no solution.
    NoSolution,
}

impl Status {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Ray => "ray",
            Self::NotConverged => "not_converged",
            Self::Diverged => "diverged",
            Self::Inaccurate => "inaccurate",
            Self::NoSolution => "no_solution",
        }
    }
}

/// Result of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Status. z solves the problem if this is [`Status::Solved`]; else it is the last iterate.
    pub status: Status,
    /// Nonnegative.
    pub z: Vec<f64>,
    /// M z + q computed in twice the precision of f64: 0 only up to what rounding of z makes of it where z is positive.
    pub w: Vec<f64>,
    /// The [residual of the natural map](natural_residual).
    pub residual: f64,
    /// Number of pivots or sweeps.
    pub iterations: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_problem_is_refused_by_name() {
        let refusal =
            |matrix: &[f64], vector: &[f64]| Problem::new(matrix.to_vec(), vector.to_vec()).unwrap_err().to_string();
        assert_eq!(refusal(&[], &[]), "0 unknowns: must be from 1 to 2048");
        assert_eq!(refusal(&[1.0; 4], &[0.0; 2049]), "2049 unknowns: must be from 1 to 2048");
        assert_eq!(refusal(&[1.0; 6], &[1.0; 2]), "matrix: 6 entries: must be 4, for 2 rows and as many columns");
        let allowed = "is not allowed: must be finite, at most 1e60 in magnitude";
        assert_eq!(refusal(&[1.0, 0.0, f64::NAN, 1.0], &[1.0; 2]), format!("matrix[1][0]: NaN {allowed}"));
        assert_eq!(refusal(&[1.0, 0.0, 0.0, -2e60], &[1.0; 2]), format!("matrix[1][1]: -2e60 {allowed}"));
        assert_eq!(refusal(&[1.0], &[f64::INFINITY]), format!("vector[0]: inf {allowed}"));
        let tiny = "its largest magnitude is 1e-70: must be 0 or at least 1e-60; take other units";
        assert_eq!(refusal(&[-1e-70], &[1.0]), format!("matrix: {tiny}"));
        assert_eq!(refusal(&[1.0], &[1e-70]), format!("vector: {tiny}"));
        assert!(Problem::new(vec![1e-60], vec![0.0]).is_ok());
    }

    #[test]
    fn rows_are_rows_and_the_residual_is_that_of_the_worst_pair() {
        let problem = Problem::new(vec![1.0, 2.0, 3.0, 4.0], vec![10.0, 20.0]).unwrap();
        assert_eq!(problem.slacks(&[1.0, 10.0]), [31.0, 63.0]);
        assert_eq!(problem.row(1), [3.0, 4.0]);
        assert_eq!(natural_residual(&[0.0, 3.0, 1.0], &[5.0, 0.25, -0.5]), 0.5);
        assert_eq!(natural_residual(&[0.0, 3.0], &[5.0, 0.0]), 0.0);
    }

    #[test]
    fn what_is_not_a_number_is_no_solution() {
        for (z, w) in [(f64::NAN, f64::NAN), (f64::NAN, 0.0), (0.0, f64::NAN)] {
            assert_eq!(natural_residual(&[0.0, z, 0.0], &[1.0, w, 1.0]), f64::INFINITY, "{z}, {w}");
        }
    }

    #[test]
    fn vectors_of_other_lengths_are_refused_instead_of_cut() {
        let problem = Problem::new(vec![1.0, 2.0, 3.0, 4.0], vec![10.0, 20.0]).unwrap();
        for z in [&[1.0][..], &[1.0; 3]] {
            assert!(std::panic::catch_unwind(|| problem.slacks(z)).is_err());
            assert!(std::panic::catch_unwind(|| natural_residual(z, &[1.0, 2.0])).is_err());
        }
    }
}
