//! Small dense symmetric matrices.

use std::ops::{Index, IndexMut};

/// A square matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.size + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.size + column]
    }
}

impl Matrix {
    /// Of zeros.
    pub fn zero(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// How many rows it has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// These rows and columns.
    pub fn part(&self, kept: &[usize]) -> Self {
        let mut part = Self::zero(kept.len());
        for (row, &from_row) in kept.iter().enumerate() {
            for (column, &from_column) in kept.iter().enumerate() {
                part[(row, column)] = self[(from_row, from_column)];
            }
        }
        part
    }

    /// The lower factor L of L L^T; `None` of a matrix that is not positive definite.
    pub fn cholesky(&self) -> Option<Factor> {
        let mut factor = Self::zero(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| factor[(row, k)] * factor[(column, k)]).sum();
                let left = self[(row, column)] - known;
                if row == column {
                    // A pivot that is nothing but rounding belongs to a motion without stiffness.
                    if left.is_nan() || left <= 1e-13 * self[(row, row)].abs() {
                        return None;
                    }
                    factor[(row, row)] = left.sqrt();
                } else {
                    factor[(row, column)] = left / factor[(column, column)];
                }
            }
        }
        Some(Factor(factor))
    }

    /// Eigenvalues, ascending, with their vectors of length 1, of a symmetric matrix: Jacobi's rotations, row by row (Golub and
    /// Van Loan, "Matrix Computations", section 8.5).
    pub fn eigen(&self) -> Vec<(f64, Vec<f64>)> {
        const MAX_SWEEPS: usize = 60;
        let size = self.size;
        let mut matrix = self.clone();
        let mut vectors = Self::zero(size);
        (0..size).for_each(|place| vectors[(place, place)] = 1.0);
        for _ in 0..MAX_SWEEPS {
            let mut is_done = true;
            for row in 0..size {
                for column in row + 1..size {
                    let scale = (matrix[(row, row)] * matrix[(column, column)]).abs().sqrt();
                    if matrix[(row, column)].abs() > 1e-15 * scale {
                        is_done = false;
                        rotate(&mut matrix, &mut vectors, row, column);
                    }
                }
            }
            if is_done {
                break;
            }
        }
        let mut pairs: Vec<(f64, Vec<f64>)> = (0..size)
            .map(|place| (matrix[(place, place)], (0..size).map(|row| vectors[(row, place)]).collect()))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs
    }
}

/// Turns two axes such that the element between them vanishes.
fn rotate(matrix: &mut Matrix, vectors: &mut Matrix, row: usize, column: usize) {
    let theta = (matrix[(column, column)] - matrix[(row, row)]) / (2.0 * matrix[(row, column)]);
    let tangent = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
    let cosine = (1.0 + tangent * tangent).sqrt().recip();
    let sine = tangent * cosine;
    let size = matrix.size;
    for other in 0..size {
        let (a, b) = (matrix[(other, row)], matrix[(other, column)]);
        (matrix[(other, row)], matrix[(other, column)]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    for other in 0..size {
        let (a, b) = (matrix[(row, other)], matrix[(column, other)]);
        (matrix[(row, other)], matrix[(column, other)]) = (cosine * a - sine * b, sine * a + cosine * b);
        let (a, b) = (vectors[(other, row)], vectors[(other, column)]);
        (vectors[(other, row)], vectors[(other, column)]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
}

/// A lower triangle L.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor(Matrix);

impl Factor {
    /// x of L x = b.
    pub fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut solved: Vec<f64> = Vec::with_capacity(right.len());
        for (row, right) in right.iter().enumerate() {
            let known: f64 = solved.iter().enumerate().map(|(k, value)| self.0[(row, k)] * value).sum();
            solved.push((right - known) / self.0[(row, row)]);
        }
        solved
    }

    /// x of L^T x = b.
    pub fn backward(&self, right: &[f64]) -> Vec<f64> {
        let mut solved = right.to_vec();
        for row in (0..right.len()).rev() {
            let known: f64 = (row + 1..right.len()).map(|k| self.0[(k, row)] * solved[k]).sum();
            solved[row] = (solved[row] - known) / self.0[(row, row)];
        }
        solved
    }

    /// x of L L^T x = b.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        self.backward(&self.forward(right))
    }
}
