//! Bounds on the f32 solution of a problem.
//!
//! A solution. The engine says `solved` only where w of the scaled problem, which it computes, is off by at most
//! [`LCP_SOLVED`] epsilons of the sum of magnitudes of its terms. A sum of n products and q takes at most n + 1
//! roundings of each term, the narrowing of M and q one each, and the bound itself is a sum with as many. So whatever
//! pivots led to it, and in whatever order sums were made, z solves a problem whose entries are off, each relatively,
//! by no more than this and n + 4 roundings (Oettli and Prager 1964). Results below the range of f32 may be flushed to
//! 0, which is [`TINY`] for each.
//!
//! A status. The pivots of the engine are followed in f64, each entry of the tableau with a bound of what f32 has
//! instead: errors of its operands through each operation, without leaving out products of errors, and its own rounding
//! (a division of WGSL is within 2.5 units in the last place, sums and products are rounded once, or not at all where
//! they are fused). Where the bounds tell all decisions, the engine must come to the same end by as many pivots. Where
//! they do not, a tie that rounding decides, it may come to another.

use crate::query::{
    LCP_CORRECTIONS, LCP_LARGEST, LCP_SOLVED, LCP_ZERO, LcpItem, LcpStatus, MAX_LCP_PIVOTS, MAX_LCP_UNKNOWNS,
};
use crate::validation::deviation::Deviation;

const EPSILON: f64 = f32::EPSILON as f64;
const ROUNDOFF: f64 = 0.5 * EPSILON;
/// The least normal number of f32.
const TINY: f64 = f32::MIN_POSITIVE as f64;
const SIZE: usize = MAX_LCP_UNKNOWNS;
const COVER: usize = 2 * SIZE;
const CONSTANT: usize = 2 * SIZE + 1;
const COLUMNS: usize = 2 * SIZE + 2;

/// How far z is from solving a problem, as a share of the magnitudes of its terms, and how far it may be.
pub(super) fn of_solution(item: &LcpItem, z: &[f64; SIZE]) -> Deviation {
    let (scaled, unit) = item.scaled();
    let z = z.map(|z| z / unit);
    let w = scaled.slacks(&z);
    let roundings = (scaled.unknowns + 4) as f64 * ROUNDOFF;
    let bound = (LCP_SOLVED * EPSILON + roundings) * (1.0 + roundings);
    let mut worst = 0.0f64;
    for (row, w) in w.iter().enumerate().take(scaled.unknowns) {
        let terms: f64 = scaled.matrix[row].iter().zip(&z).map(|(entry, z)| (entry * z).abs()).sum();
        let flushed = TINY * (2 * SIZE) as f64 * (1.0 + z.iter().sum::<f64>());
        let off = if z[row] == 0.0 { (-w).max(0.0) } else { w.abs() };
        let share = ((off - flushed) / (terms + scaled.vector[row].abs() + TINY)).max(-z[row]);
        // Of what is not a number the comparisons above know nothing.
        worst = if z[row].is_finite() && w.is_finite() { worst.max(share) } else { f64::INFINITY };
    }
    Deviation::new("backward error of z", worst, bound)
}

/// Where the pivots of f32 end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub status: LcpStatus,
    pub pivots: u32,
}

/// Where they must end; `None` where rounding decides.
pub(super) fn end_of_pivots(item: &LcpItem) -> Option<End> {
    let (scaled, _) = item.scaled();
    Tableau::new(&scaled).end(&scaled)
}

/// A number in f64, and how far that of f32 may be off.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    value: f64,
    error: f64,
}

impl Bounded {
    fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// An entry of the problem in f32.
    fn narrowed(value: f64) -> Self {
        let error = if value == 0.0 { 0.0 } else { ROUNDOFF * value.abs() + TINY };
        Self { value, error }
    }

    fn is_zero(self) -> bool {
        self.value == 0.0 && self.error == 0.0
    }

    /// The largest magnitude that it may have.
    fn most(self) -> f64 {
        self.value.abs() + self.error
    }

    fn divided(self, divisor: Self) -> Self {
        if self.is_zero() {
            return self;
        }
        let value = self.value / divisor.value;
        let passed_on = (self.error + value.abs() * divisor.error) / (divisor.value.abs() - divisor.error);
        // 2.5 units in the last place of the result.
        Self { value, error: passed_on + 2.5 * EPSILON * (value.abs() + passed_on) + TINY }
    }

    /// self - factor * head.
    fn minus(self, factor: Self, head: Self) -> Self {
        if factor.is_zero() || head.is_zero() {
            return self;
        }
        let product = factor.value * head.value;
        let of_product = factor.most() * head.most() - product.abs();
        let value = self.value - product;
        let passed_on = self.error + of_product;
        let rounded = ROUNDOFF * (factor.most() * head.most() + value.abs() + passed_on);
        Self { value, error: passed_on + (1.0 + ROUNDOFF) * rounded + TINY }
    }

    fn times(self, other: Self) -> Self {
        let (value, most) = (self.value * other.value, self.most() * other.most());
        Self { value, error: most - value.abs() + ROUNDOFF * most + TINY }
    }
}

/// Whether a is below b; `None` where that may be or not.
fn is_below(a: Bounded, b: Bounded) -> Option<bool> {
    ((a.value - b.value).abs() > a.error + b.error).then_some(a.value < b.value)
}

struct Tableau {
    unknowns: usize,
    rows: [[Bounded; COLUMNS]; SIZE],
    basis: [usize; SIZE],
}

impl Tableau {
    fn new(item: &LcpItem) -> Self {
        let mut rows = [[Bounded::exact(0.0); COLUMNS]; SIZE];
        for (i, row) in rows.iter_mut().enumerate().take(item.unknowns) {
            row[i] = Bounded::exact(1.0);
            for (entry, of_matrix) in row[SIZE..].iter_mut().zip(item.matrix[i]) {
                *entry = Bounded::narrowed(-of_matrix);
            }
            row[COVER] = Bounded::exact(-1.0);
            row[CONSTANT] = Bounded::narrowed(item.vector[i]);
        }
        Self { unknowns: item.unknowns, rows, basis: std::array::from_fn(|row| row) }
    }

    fn end(&mut self, item: &LcpItem) -> Option<End> {
        let solved = |pivots| Some(End { status: LcpStatus::Solved, pivots });
        let mut leaving = self.most_negative(item)?;
        if item.vector[leaving] >= 0.0 {
            return solved(0);
        }
        let mut entering = COVER;
        for pivots in 1..=MAX_LCP_PIVOTS {
            let left = self.basis[leaving];
            let largest = self.pivot(leaving, entering);
            if !is_below(largest, Bounded::exact(LCP_LARGEST))? {
                return Some(End { status: LcpStatus::Inaccurate, pivots });
            }
            if left == COVER {
                return if self.is_corrected(item) { solved(pivots) } else { None };
            }
            entering = if left < SIZE { left + SIZE } else { left - SIZE };
            match self.leaving(entering)? {
                Some(row) => leaving = row,
                None => return Some(End { status: LcpStatus::Ray, pivots }),
            }
        }
        Some(End { status: LcpStatus::NotConverged, pivots: MAX_LCP_PIVOTS })
    }

    /// The last of the least entries of q: narrowing keeps their order, but may make them equal.
    fn most_negative(&self, item: &LcpItem) -> Option<usize> {
        let q = &item.vector[..self.unknowns];
        let least = q.iter().copied().fold(f64::INFINITY, f64::min);
        let row = q.iter().rposition(|&entry| entry == least)?;
        let differs =
            |&entry: &f64| entry == least || is_below(Bounded::narrowed(least), Bounded::narrowed(entry)).is_some();
        let is_flushed = (-TINY..0.0).contains(&least);
        (!is_flushed && q.iter().all(differs)).then_some(row)
    }

    /// The row that leaves; `Some(None)` on a ray.
    fn leaving(&self, entering: usize) -> Option<Option<usize>> {
        let zero = Bounded::exact(LCP_ZERO * EPSILON);
        let mut rows = Vec::with_capacity(SIZE);
        for row in 0..self.unknowns {
            if is_below(zero, self.rows[row][entering])? {
                rows.push(row);
            }
        }
        // Before each other one, in whatever order they are compared.
        let is_first = |row: usize| {
            rows.iter().filter(|&&other| other != row).all(|&other| {
                let [a, b] = [row, other].map(|row| &self.rows[row]);
                is_below(a[CONSTANT].times(b[entering]), b[CONSTANT].times(a[entering])) == Some(true)
            })
        };
        let first = rows.iter().copied().find(|&row| is_first(row));
        if rows.is_empty() || first.is_some() { Some(first) } else { None }
    }

    /// Pivots; the largest magnitude of the new tableau.
    fn pivot(&mut self, leaving: usize, entering: usize) -> Bounded {
        let divisor = self.rows[leaving][entering];
        let mut head = self.rows[leaving].map(|entry| entry.divided(divisor));
        head[entering] = Bounded::exact(1.0);
        let mut largest = Bounded::exact(0.0);
        for (row, entries) in self.rows.iter_mut().enumerate().take(self.unknowns) {
            if row == leaving {
                *entries = head;
            } else {
                let factor = entries[entering];
                for (entry, head) in entries.iter_mut().zip(head) {
                    *entry = entry.minus(factor, head);
                }
                entries[entering] = Bounded::exact(0.0);
            }
            for entry in entries {
                largest.value = largest.value.max(entry.value.abs());
                largest.error = largest.error.max(entry.error);
            }
        }
        self.basis[leaving] = entering;
        largest
    }

    /// Whether corrections are sure to make a solution: each leaves of the residual |B| |dB^-1| times what it was,
    /// besides some roundings of its terms, which are far below what a solution may leave.
    fn is_corrected(&self, item: &LcpItem) -> bool {
        let rows = &self.rows[..self.unknowns];
        // |B| x: columns of the basis are those of -M for z and of I for w.
        let of_basis = |x: [f64; SIZE]| {
            let mut sums = [0.0; SIZE];
            for (&variable, x) in self.basis[..self.unknowns].iter().zip(x) {
                match variable.checked_sub(SIZE) {
                    Some(column) => {
                        sums.iter_mut().zip(&item.matrix).for_each(|(sum, row)| *sum += row[column].abs() * x);
                    }
                    None => sums[variable] += x,
                }
            }
            sums
        };
        let per_row = |of_row: &dyn Fn(&[Bounded; COLUMNS]) -> f64| {
            let mut x = [0.0; SIZE];
            x.iter_mut().zip(rows).for_each(|(x, row)| *x = of_row(row));
            x
        };
        let mut left = of_basis(per_row(&|row| row[CONSTANT].error));
        for _ in 0..LCP_CORRECTIONS {
            left = of_basis(per_row(&|row| row.iter().zip(left).map(|(entry, left)| entry.error * left).sum()));
        }
        let mut terms = item.vector.map(f64::abs);
        for (&variable, row) in self.basis[..self.unknowns].iter().zip(rows) {
            let Some(column) = variable.checked_sub(SIZE) else { continue };
            let z = row[CONSTANT].value.abs();
            terms.iter_mut().zip(&item.matrix).for_each(|(sum, row)| *sum += row[column].abs() * z);
        }
        left.iter().zip(terms).all(|(left, terms)| *left <= 0.25 * LCP_SOLVED * EPSILON * terms)
    }
}
