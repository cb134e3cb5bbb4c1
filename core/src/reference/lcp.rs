//! Job `lcp`: Lemke's method with the lexicographic ratio test (Cottle, Pang and Stone, 4.4 and 4.9), on the full
//! tableau.
//!
//! The equations w - M z - z0 e = q start with w as the basis; z0 enters for the most negative q, and then the
//! complement of the variable that left, until z0 leaves. The columns of w hold the inverse of the basis: they order
//! rows with equal ratios, which excludes cycling, and refine the solution twice at the end.
//!
//! # Conventions
//! As in [`crate::query::LcpItem`]. Variable j is `w[j]`, variable [`MAX_LCP_UNKNOWNS`] + j is `z[j]`.

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{
    LCP_CORRECTIONS, LCP_LARGEST, LCP_SOLVED, LCP_ZERO, LcpAnswer, LcpItem, LcpItems, LcpStatus, MAX_LCP_PIVOTS,
    MAX_LCP_UNKNOWNS,
};

/// Problems that one thread takes at a time.
const ITEMS_PER_TASK: usize = 1024;

const SIZE: usize = MAX_LCP_UNKNOWNS;
/// The covering variable z0.
const COVER: usize = 2 * SIZE;
/// The column of constants.
const CONSTANT: usize = 2 * SIZE + 1;
const COLUMNS: usize = 2 * SIZE + 2;

impl Computes<LcpItems> for Reference {
    fn answers(&self, (): (), items: &[LcpItem]) -> Result<Vec<LcpAnswer>, EngineError> {
        Ok(self.each(ITEMS_PER_TASK, items, answer))
    }
}

fn answer(item: &LcpItem) -> LcpAnswer {
    if !item.is_valid() {
        return LcpAnswer::none(LcpStatus::BadInput, 0);
    }
    let (scaled, unit) = item.scaled();
    let mut tableau = Tableau::new(&scaled);
    let (status, pivots) = tableau.pivot_to_the_end(&scaled);
    if status != LcpStatus::Solved {
        return LcpAnswer::none(status, pivots);
    }
    match tableau.solution(&scaled) {
        Some(z) => LcpAnswer::solved(item, z.map(|z| z * unit), pivots),
        None => LcpAnswer::none(LcpStatus::Inaccurate, pivots),
    }
}

struct Tableau {
    unknowns: usize,
    rows: [[f64; COLUMNS]; SIZE],
    /// The variable of each row.
    basis: [usize; SIZE],
}

impl Tableau {
    fn new(item: &LcpItem) -> Self {
        let mut rows = [[0.0; COLUMNS]; SIZE];
        for (i, row) in rows.iter_mut().enumerate().take(item.unknowns) {
            row[i] = 1.0;
            for (entry, of_matrix) in row[SIZE..].iter_mut().zip(item.matrix[i]) {
                *entry = -of_matrix;
            }
            row[COVER] = -1.0;
            row[CONSTANT] = item.vector[i];
        }
        Self { unknowns: item.unknowns, rows, basis: std::array::from_fn(|row| row) }
    }

    /// Pivots until z0 has left; returns their number.
    fn pivot_to_the_end(&mut self, item: &LcpItem) -> (LcpStatus, u32) {
        let mut leaving = 0;
        for row in 1..self.unknowns {
            // Of equal ones the last: lexicographically the least.
            if item.vector[row] <= item.vector[leaving] {
                leaving = row;
            }
        }
        if item.vector[leaving] >= 0.0 {
            return (LcpStatus::Solved, 0);
        }
        let mut entering = COVER;
        for pivots in 1..=MAX_LCP_PIVOTS {
            let left = self.basis[leaving];
            if self.pivot(leaving, entering) > LCP_LARGEST {
                return (LcpStatus::Inaccurate, pivots);
            }
            if left == COVER {
                return (LcpStatus::Solved, pivots);
            }
            entering = if left < SIZE { left + SIZE } else { left - SIZE };
            match self.leaving(entering) {
                Some(row) => leaving = row,
                None => return (LcpStatus::Ray, pivots),
            }
        }
        (LcpStatus::NotConverged, MAX_LCP_PIVOTS)
    }

    /// The row that leaves for a variable: that of the least ratio, of z0 among equal ones, and otherwise the
    /// lexicographically least.
    fn leaving(&self, entering: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for row in 0..self.unknowns {
            if self.rows[row][entering] > LCP_ZERO * f64::EPSILON
                && best.is_none_or(|best| self.is_before(row, best, entering))
            {
                best = Some(row);
            }
        }
        best
    }

    /// Whether a row leaves before another.
    fn is_before(&self, row: usize, best: usize, entering: usize) -> bool {
        // Ratios times both divisors, which are positive.
        let pair = |column: usize| {
            let [a, b] = [row, best].map(|row| &self.rows[row]);
            (a[column] * b[entering], b[column] * a[entering])
        };
        let (a, b) = pair(CONSTANT);
        if a != b {
            return a < b;
        }
        if self.basis[row] == COVER || self.basis[best] == COVER {
            return self.basis[row] == COVER;
        }
        let different = (0..self.unknowns).map(pair).find(|(a, b)| a != b);
        different.is_some_and(|(a, b)| a < b)
    }

    /// Exchanges the variable of a row for another; returns the largest magnitude of the new tableau.
    fn pivot(&mut self, leaving: usize, entering: usize) -> f64 {
        let divisor = self.rows[leaving][entering];
        let mut head = self.rows[leaving].map(|entry| entry / divisor);
        head[entering] = 1.0;
        let mut largest = 0.0f64;
        for (row, entries) in self.rows.iter_mut().enumerate().take(self.unknowns) {
            if row == leaving {
                *entries = head;
            } else {
                let factor = entries[entering];
                for (entry, head) in entries.iter_mut().zip(head) {
                    *entry -= factor * head;
                }
                entries[entering] = 0.0;
            }
            largest = entries.iter().fold(largest, |largest, entry| largest.max(entry.abs()));
        }
        self.basis[leaving] = entering;
        largest
    }

    /// z, refined with the residual of the original equations; `None` if it fails the test of a solution.
    fn solution(&self, item: &LcpItem) -> Option<[f64; SIZE]> {
        let mut z = [0.0; SIZE];
        let mut is_basic = [false; SIZE];
        for (row, &variable) in self.basis.iter().enumerate().take(self.unknowns) {
            match variable.checked_sub(SIZE) {
                Some(index) => z[index] = self.rows[row][CONSTANT],
                None => is_basic[variable] = true,
            }
        }
        for _ in 0..LCP_CORRECTIONS {
            let w = item.slacks(&z);
            for (row, &variable) in self.basis.iter().enumerate().take(self.unknowns) {
                let Some(index) = variable.checked_sub(SIZE) else { continue };
                // Equations with a w of their own hold whatever z is.
                for column in (0..self.unknowns).filter(|&column| !is_basic[column]) {
                    z[index] += self.rows[row][column] * w[column];
                }
            }
        }
        let z = z.map(|z| z.max(0.0));
        self.solves(item, &z).then_some(z)
    }

    fn solves(&self, item: &LcpItem, z: &[f64; SIZE]) -> bool {
        let w = item.slacks(z);
        (0..self.unknowns).all(|row| {
            let terms: f64 = item.matrix[row].iter().zip(z).map(|(entry, z)| (entry * z).abs()).sum();
            let least = -LCP_SOLVED * f64::EPSILON * (terms + item.vector[row].abs());
            w[row] >= least && (z[row] == 0.0 || w[row] <= -least)
        })
    }
}
