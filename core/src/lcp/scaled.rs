//! Scaled problems.

use super::problem::{Problem, Solution, Status, largest_magnitude, natural_residual};
use super::twofold;

/// Largest natural residual of a solution, for the problem scaled to entries of about 1: the solution of a
/// complementary basis is exact up to rounding, some n times the basis's condition number times 1.1e-16, so that this
/// admits condition numbers of up to some 1e6 / n. It is never relaxed: anything above ends as [`Status::Inaccurate`]
/// or [`Status::NotConverged`].
pub const TOLERANCE: f64 = 1e-10;

/// Roundings of a solved system's residual, per unknown and of all terms of a row: those of elimination and of the sum.
const ROUNDINGS: f64 = 8.0;

/// A problem whose largest entries, of matrix and of vector, are from 1 to 2. The factors are powers of 2, so scaling
/// is exact.
pub(super) struct Scaled {
    /// The scaled problem.
    pub(super) problem: Problem,
    /// Unit of its w.
    of_vector: f64,
    /// Unit of its z.
    unit: f64,
}

impl Scaled {
    pub(super) fn new(original: &Problem) -> Self {
        let (of_matrix, of_vector) = (power_of_two(original.matrix()), power_of_two(original.vector()));
        let matrix = original.matrix().iter().map(|entry| entry / of_matrix).collect();
        let vector = original.vector().iter().map(|entry| entry / of_vector).collect();
        Self { problem: Problem::of_scaled(matrix, vector), of_vector, unit: of_vector / of_matrix }
    }

    /// A start in scaled units; negative entries become 0.
    pub(super) fn start(&self, z: &[f64]) -> Vec<f64> {
        z.iter().map(|z| (z / self.unit).max(0.0)).collect()
    }

    /// The same problem with the largest entry of each row, and then of each column, from 1 to 2 as well.
    pub(super) fn balanced(&self) -> Balanced {
        let unknowns = self.problem.unknowns();
        let of_rows: Vec<f64> = (0..unknowns).map(|row| power_of_two(self.problem.row(row))).collect();
        let mut matrix = self.problem.matrix().to_vec();
        for (row, entries) in matrix.chunks_exact_mut(unknowns).enumerate() {
            entries.iter_mut().for_each(|entry| *entry /= of_rows[row]);
        }
        let column = |matrix: &[f64], column: usize| -> Vec<f64> {
            matrix.iter().skip(column).step_by(unknowns).copied().collect()
        };
        let units: Vec<f64> = (0..unknowns).map(|index| 1.0 / power_of_two(&column(&matrix, index))).collect();
        for (place, entry) in matrix.iter_mut().enumerate() {
            *entry *= units[place % unknowns];
        }
        let vector = self.problem.vector().iter().zip(&of_rows).map(|(entry, of_row)| entry / of_row).collect();
        Balanced { problem: Problem::of_scaled(matrix, vector), units }
    }

    /// The residual of z in scaled units, of w as f64 has it: where large terms cancel, it may be far from the true one.
    pub(super) fn rounded_residual(&self, z: &[f64]) -> f64 {
        natural_residual(z, &self.problem.slacks(z))
    }

    /// The residual that z has at most in scaled units, whatever cancels in w.
    pub(super) fn residual(&self, z: &[f64]) -> f64 {
        let of_row = |row: usize| {
            let ([w, off], z) = (self.slack(row, z), z[row]);
            natural_residual(&[z; 2], &[w - off, w + off])
        };
        (0..z.len()).map(of_row).fold(0.0, f64::max)
    }

    /// An entry of w in scaled units, and how far it may be off.
    fn slack(&self, row: usize, z: &[f64]) -> [f64; 2] {
        twofold::dot(self.problem.row(row), z, self.problem.vector()[row])
    }

    /// Whether z is a solution to within rounding of its own w, which may exceed the tolerance if z is large.
    pub(super) fn may_be_solution(&self, z: &[f64]) -> bool {
        let roundings = ROUNDINGS * z.len() as f64 * f64::EPSILON;
        z.iter().enumerate().all(|(row, z_of_row)| {
            let terms: f64 = self.problem.row(row).iter().zip(z).map(|(entry, z)| (entry * z).abs()).sum();
            let rounding = roundings * (terms + self.problem.vector()[row].abs());
            z_of_row.min(self.problem.slack(row, z)).abs() <= rounding.max(TOLERANCE)
        })
    }

    /// Result at z in scaled units: solved if it is a solution, otherwise this status.
    pub(super) fn solution(&self, z: &[f64], iterations: u64, otherwise: Status) -> Solution {
        let status = if self.residual(z) <= TOLERANCE { Status::Solved } else { otherwise };
        let w: Vec<f64> = (0..z.len()).map(|row| self.slack(row, z)[0] * self.of_vector).collect();
        let z: Vec<f64> = z.iter().map(|z| z * self.unit).collect();
        let residual = natural_residual(&z, &w);
        Solution { status, z, w, residual, iterations }
    }
}

/// A problem with row and column scaling.
pub(super) struct Balanced {
    pub(super) problem: Problem,
    /// What each z is a multiple of.
    units: Vec<f64>,
}

impl Balanced {
    /// z of the scaled problem.
    pub(super) fn original(&self, z: Vec<f64>) -> Vec<f64> {
        z.into_iter().zip(&self.units).map(|(z, unit)| z * unit).collect()
    }
}

/// The largest power of 2 not above the largest magnitude; 1 for zeros and for anything below 2^-400, whose inverse
/// squared would overflow.
pub(crate) fn power_of_two(entries: &[f64]) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let largest = largest_magnitude(entries);
    if largest < 2f64.powi(-400) { 1.0 } else { f64::from_bits(largest.to_bits() & EXPONENT) }
}
