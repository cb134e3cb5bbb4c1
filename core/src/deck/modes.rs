//! Modes of a frame: shapes in which it swings by itself.

use super::beam::Frame;
use super::matrix::Matrix;

/// A shape in which a frame swings, with a modal mass of 1 kg.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Circular frequency \[rad/s\].
    pub frequency: f64,
    /// Displacement of every freedom of all nodes for a modal coordinate of 1 \[1/sqrt(kg)\].
    pub shape: Vec<f64>,
}

/// The lowest modes of a frame, all where there are fewer; `None` of a frame that is not held.
///
/// K x = w^2 M x becomes the eigenvalues of L^-1 K L^-T, with M = L L^T.
#[must_use]
pub fn modes(frame: &Frame, most: usize) -> Option<Vec<Mode>> {
    let (stiffness, mass) = frame.matrices();
    stiffness.cholesky()?;
    let factor = mass.cholesky()?;
    let size = stiffness.size();
    let mut half = Matrix::zero(size);
    for column in 0..size {
        let of_column: Vec<f64> = (0..size).map(|row| stiffness[(row, column)]).collect();
        for (row, value) in factor.forward(&of_column).into_iter().enumerate() {
            half[(row, column)] = value;
        }
    }
    let mut standard = Matrix::zero(size);
    for row in 0..size {
        let of_row: Vec<f64> = (0..size).map(|column| half[(row, column)]).collect();
        for (column, value) in factor.forward(&of_row).into_iter().enumerate() {
            standard[(row, column)] = value;
        }
    }
    // Rounding leaves halves that differ in their last bits.
    for row in 0..size {
        for column in 0..row {
            let mean = 0.5 * (standard[(row, column)] + standard[(column, row)]);
            (standard[(row, column)], standard[(column, row)]) = (mean, mean);
        }
    }
    let free = frame.freedoms();
    let mode = |(square, vector): (f64, Vec<f64>)| {
        let mut shape = vec![0.0; frame.all_freedoms()];
        free.iter().zip(factor.backward(&vector)).for_each(|(&freedom, value)| shape[freedom] = value);
        Mode { frequency: square.max(0.0).sqrt(), shape }
    };
    Some(standard.eigen().into_iter().take(most).map(mode).collect())
}
