//! Small dense linear algebra.

/// Pivots of at most this many roundings per unknown of the largest entry count as zero.
const SINGULAR: f64 = 64.0;

/// The part of the largest entry at which pivots count as zero.
pub(super) fn singular_within(size: usize) -> f64 {
    SINGULAR * size as f64 * f64::EPSILON
}

/// Solves A x = b by Gaussian elimination with row pivoting, A given by rows; b is overwritten by x. Gives the smallest pivot as a part
/// of the largest entry; `None` if A is singular to rounding, with both left undefined.
pub(crate) fn solve(matrix: &mut [f64], vector: &mut [f64]) -> Option<f64> {
    let size = vector.len();
    let largest = matrix.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    let least = singular_within(size) * largest;
    let mut smallest = largest;
    for step in 0..size {
        let magnitude = |row: usize| matrix[row * size + step].abs();
        let pivot = (step + 1..size).fold(step, |best, row| if magnitude(row) > magnitude(best) { row } else { best });
        if magnitude(pivot) <= least {
            return None;
        }
        smallest = smallest.min(magnitude(pivot));
        if pivot != step {
            for column in step..size {
                matrix.swap(pivot * size + column, step * size + column);
            }
            vector.swap(pivot, step);
        }
        let (above, below) = matrix.split_at_mut((step + 1) * size);
        let head = &above[step * size..];
        for (row, entries) in below.chunks_exact_mut(size).enumerate() {
            let factor = entries[step] / head[step];
            if factor != 0.0 {
                for column in step + 1..size {
                    entries[column] -= factor * head[column];
                }
                vector[step + 1 + row] -= factor * vector[step];
            }
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row * size + column] * vector[column]).sum();
        vector[row] = (vector[row] - known) / matrix[row * size + row];
    }
    Some(if size == 0 { 1.0 } else { smallest / largest })
}

/// Whether a symmetric matrix, given by rows, is positive definite, by Cholesky factorization. Its lower triangle is
/// overwritten.
pub(super) fn is_positive_definite(matrix: &mut [f64], size: usize) -> bool {
    for row in 0..size {
        for column in 0..=row {
            let product: f64 = (0..column).map(|k| matrix[row * size + k] * matrix[column * size + k]).sum();
            let rest = matrix[row * size + column] - product;
            if column < row {
                matrix[row * size + column] = rest / matrix[column * size + column];
            } else if rest > 0.0 {
                matrix[row * size + row] = rest.sqrt();
            } else {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_with_rows_in_any_order_and_singular_ones_are_told() {
        let mut vector = [5.0, 2.0, 9.0];
        assert_eq!(solve(&mut [0.0, 1.0, 1.0, 2.0, 0.0, 0.0, 1.0, 1.0, 2.0], &mut vector), Some(0.5));
        assert_eq!(vector, [1.0, 2.0, 3.0]);
        assert_eq!(solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]), None);
        // 0.1 + 0.2 is not 0.3.
        assert_eq!(solve(&mut [0.1, 0.3, 0.1 + 0.2, 0.9], &mut [1.0, 1.0]), None);
        assert_eq!(solve(&mut [0.0], &mut [1.0]), None);
        assert_eq!(solve(&mut [], &mut []), Some(1.0));
    }

    #[test]
    fn eigenvalues_above_zero_make_a_matrix_positive_definite() {
        // Eigenvalues 1 - x and 1 + x.
        for (x, expected) in [(0.0, true), (0.999, true), (-0.999, true), (1.0, false), (1.001, false)] {
            assert_eq!(is_positive_definite(&mut [1.0, x, x, 1.0], 2), expected, "{x}");
        }
    }
}
