//! Whether a linear system has a nonnegative solution: phase one of the simplex algorithm with Bland's rule, which
//! excludes cycling.

/// Entries of the tableau below this, of equations with entries of about 1, are rounding.
const ROUNDING: f64 = 1e-12;
/// Maximum number of pivots per unknown; rounding could cause cycling.
const MAX_PIVOTS: usize = 200;

/// x >= 0 that comes closest to A x = b, in the sum of residuals, with A by rows; `None` if the pivot limit was
/// reached.
pub(super) fn nearest_nonnegative(matrix: &[f64], vector: &[f64]) -> Option<Vec<f64>> {
    let size = vector.len();
    let width = size + 1;
    // Rows of A and b, all b >= 0. The artificial variable of row i is number size + i; none of them enters again.
    let mut tableau = Vec::with_capacity(size * width);
    for (row, &constant) in matrix.chunks_exact(size).zip(vector) {
        let sign = if constant < 0.0 { -1.0 } else { 1.0 };
        tableau.extend(row.iter().chain([&constant]).map(|entry| sign * entry));
    }
    let mut basis: Vec<usize> = (size..2 * size).collect();
    for _ in 0..MAX_PIVOTS * size {
        // What an increase of a variable takes away from the sum of the artificial ones.
        let gain = |column: usize| -> f64 {
            (0..size).filter(|&row| basis[row] >= size).map(|row| tableau[row * width + column]).sum()
        };
        // A sum of so much has a term that is not rounding, so that there is a row to leave.
        let least = size as f64 * ROUNDING;
        let Some(entering) = (0..size).find(|&column| !basis.contains(&column) && gain(column) > least) else {
            let mut x = vec![0.0; size];
            for (row, &variable) in basis.iter().enumerate().filter(|(_, variable)| **variable < size) {
                x[variable] = tableau[row * width + size].max(0.0);
            }
            return Some(x);
        };
        let ratio = |row: usize| tableau[row * width + size] / tableau[row * width + entering];
        let rows = (0..size).filter(|&row| tableau[row * width + entering] > ROUNDING);
        let leaving = rows.min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])))?;
        let divisor = tableau[leaving * width + entering];
        tableau[leaving * width..(leaving + 1) * width].iter_mut().for_each(|entry| *entry /= divisor);
        let head = tableau[leaving * width..(leaving + 1) * width].to_vec();
        for (row, entries) in tableau.chunks_exact_mut(width).enumerate() {
            let factor = entries[entering];
            if row != leaving && factor != 0.0 {
                entries.iter_mut().zip(&head).for_each(|(entry, head)| *entry -= factor * head);
            }
        }
        basis[leaving] = entering;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_with_and_without_nonnegative_solutions_are_told_apart() {
        // x + y = 1 twice.
        let found = nearest_nonnegative(&[1.0, 1.0, 1.0, 1.0], &[1.0, 1.0]).unwrap();
        assert_eq!(found[0] + found[1], 1.0);
        // x + y = 1 and x + y = 3: 2 is missing.
        let found = nearest_nonnegative(&[1.0, 1.0, 1.0, 1.0], &[1.0, 3.0]).unwrap();
        assert!((1.0..=3.0).contains(&(found[0] + found[1])));
        // x - y = -2, which takes y.
        assert_eq!(nearest_nonnegative(&[1.0, -1.0, 0.0, 0.0], &[-2.0, 0.0]).unwrap(), [0.0, 2.0]);
        // -x = 1 has none.
        assert_eq!(nearest_nonnegative(&[-1.0], &[1.0]).unwrap(), [0.0]);
    }
}
