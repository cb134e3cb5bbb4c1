//! Linear systems whose unknowns are the velocities of bodies, six of each, coupled where bodies touch.
//!
//! Elimination block by block. A body that is eliminated couples its neighbours with each other; the next is always one that has the
//! fewest (Markowitz 1957, for a symmetric pattern), which in heaps leaves most pairs uncoupled. Rows are exchanged
//! only within a body's own block: matrices of the form 1 + M^-1 J^T D J with D of positive diagonal have regular ones. Others,
//! as of contacts that slide, may have singular ones, which is told.

use std::collections::BTreeSet;

use glam::DMat3;

/// Unknowns of a body: linear and angular velocity.
const UNKNOWNS: usize = 6;

/// Coefficients of a body's equations for one body's unknowns, row by row.
type Block = [[f64; UNKNOWNS]; UNKNOWNS];

/// Pivots of at most this part of the largest entry of their row, some roundings for each unknown, count as zero.
const SINGULAR: f64 = 64.0 * UNKNOWNS as f64 * f64::EPSILON;

const ZERO: Block = [[0.0; UNKNOWNS]; UNKNOWNS];

/// A system. Its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupled {
    count: usize,
    /// Row by row.
    blocks: Vec<Block>,
    /// Right-hand side, then solution.
    pub vector: Vec<[f64; UNKNOWNS]>,
    /// Bodies in the order of elimination, each with those that it is coupled with then.
    order: Vec<(usize, Vec<usize>)>,
}

impl Coupled {
    /// The pattern of so many bodies, and pairs of them that touch.
    pub fn arrange(&mut self, count: usize, pairs: impl Iterator<Item = [usize; 2]>) {
        self.count = count;
        let mut neighbours = vec![BTreeSet::new(); count];
        for [one, other] in pairs {
            neighbours[one].insert(other);
            neighbours[other].insert(one);
        }
        self.order.clear();
        let mut rest: BTreeSet<usize> = (0..count).collect();
        while let Some(body) = rest.iter().copied().min_by_key(|&body| neighbours[body].len()) {
            rest.remove(&body);
            let own = std::mem::take(&mut neighbours[body]);
            for &one in &own {
                neighbours[one].extend(own.iter().filter(|&&other| other != one));
                neighbours[one].remove(&body);
            }
            self.order.push((body, own.into_iter().collect()));
        }
    }

    /// Starts from the identity and a vector of zeros.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.blocks.resize(self.count * self.count, ZERO);
        self.vector.clear();
        self.vector.resize(self.count, [0.0; UNKNOWNS]);
        for body in 0..self.count {
            (0..UNKNOWNS).for_each(|i| self.blocks[body * self.count + body][i][i] = 1.0);
        }
    }

    /// Adds so many times a block to the coefficients of half a body's equations for half a body's unknowns: bodies and halves, 0
    /// linear and 1 angular.
    pub fn add(&mut self, [body, half]: [usize; 2], [other, other_half]: [usize; 2], times: f64, block: &DMat3) {
        let into = &mut self.blocks[body * self.count + other];
        for (j, column) in [block.x_axis, block.y_axis, block.z_axis].into_iter().enumerate() {
            for (i, entry) in column.to_array().into_iter().enumerate() {
                into[3 * half + i][3 * other_half + j] += times * entry;
            }
        }
    }

    /// Solves in place. `None` where a block is singular to rounding; the vector is then undefined.
    pub fn solve(&mut self) -> Option<()> {
        let count = self.count;
        for &(body, ref after) in &self.order {
            // Its own equations, solved for its unknowns.
            let own = inverse(&self.blocks[body * count + body])?;
            self.vector[body] = own.map(|row| dot(&row, &self.vector[body]));
            for &other in after {
                let mut block = ZERO;
                subtract(&mut block, &own.map(|row| row.map(|entry| -entry)), &self.blocks[body * count + other]);
                self.blocks[body * count + other] = block;
            }
            for &row in after {
                let factor = self.blocks[row * count + body];
                let known = self.vector[body];
                self.vector[row].iter_mut().zip(&factor).for_each(|(entry, row)| *entry -= dot(row, &known));
                for &column in after {
                    let known = self.blocks[body * count + column];
                    subtract(&mut self.blocks[row * count + column], &factor, &known);
                }
            }
        }
        for &(body, ref after) in self.order.iter().rev() {
            let mut solution = self.vector[body];
            for &other in after {
                let (block, known) = (&self.blocks[body * count + other], &self.vector[other]);
                solution.iter_mut().zip(block).for_each(|(entry, row)| *entry -= dot(row, known));
            }
            self.vector[body] = solution;
        }
        Some(())
    }
}

fn dot(row: &[f64; UNKNOWNS], vector: &[f64; UNKNOWNS]) -> f64 {
    row.iter().zip(vector).map(|(entry, x)| entry * x).sum()
}

/// By Gauss and Jordan's elimination with row pivoting; `None` if the block is singular to rounding.
fn inverse(block: &Block) -> Option<Block> {
    // Beside each row of the block one of the identity. Scaled to a largest entry of 1: linear and angular ones have their own units.
    let mut rows: [[[f64; UNKNOWNS]; 2]; UNKNOWNS] = std::array::from_fn(|i| {
        let largest = block[i].iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        [block[i].map(|entry| scale * entry), std::array::from_fn(|j| if i == j { scale } else { 0.0 })]
    });
    for step in 0..UNKNOWNS {
        let magnitude = |row: usize| rows[row][0][step].abs();
        let pivot =
            (step + 1..UNKNOWNS).fold(step, |best, row| if magnitude(row) > magnitude(best) { row } else { best });
        if magnitude(pivot) <= SINGULAR {
            return None;
        }
        rows.swap(pivot, step);
        let scale = 1.0 / rows[step][0][step];
        rows[step].as_flattened_mut().iter_mut().for_each(|entry| *entry *= scale);
        let head = rows[step];
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != step) {
            let factor = row[0][step];
            let entries = row.as_flattened_mut().iter_mut().zip(head.as_flattened());
            entries.for_each(|(entry, of_head)| *entry -= factor * of_head);
        }
    }
    Some(rows.map(|[_, inverse]| inverse))
}

/// Subtracts a product.
fn subtract(from: &mut Block, factor: &Block, other: &Block) {
    for (row, factors) in from.iter_mut().zip(factor) {
        for (factor, entries) in factors.iter().zip(other) {
            for (sum, entry) in row.iter_mut().zip(entries) {
                *sum -= factor * entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::drawn::Random;
    use crate::lcp::linear::solve;

    #[test]
    fn chains_rings_and_stars_of_bodies_are_solved_as_the_whole_matrix_is() {
        let chain: Vec<[usize; 2]> = (0..7).map(|body| [body, body + 1]).collect();
        let ring: Vec<[usize; 2]> = (0..8).map(|body| [body, (body + 3) % 8]).collect();
        let star: Vec<[usize; 2]> = (1..8).map(|body| [0, body]).collect();
        let mut random = Random(5);
        let mut system = Coupled::default();
        for pairs in [chain, ring, star, vec![]] {
            system.arrange(8, pairs.iter().copied());
            system.clear();
            let size = 8 * UNKNOWNS;
            let mut whole = vec![0.0; size * size];
            (0..size).for_each(|i| whole[i * size + i] = 1.0);
            let own = (0..8).map(|body| [body, body]);
            for [one, other] in pairs.iter().flat_map(|&[one, other]| [[one, other], [other, one]]).chain(own) {
                for (half, other_half) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let block = 0.1 * DMat3::from_cols(random.vector(), random.vector(), random.vector());
                    system.add([one, half], [other, other_half], 1.0, &block);
                    for i in 0..3 {
                        for j in 0..3 {
                            whole[(6 * one + 3 * half + i) * size + 6 * other + 3 * other_half + j] += block.col(j)[i];
                        }
                    }
                }
            }
            system.vector.iter_mut().flatten().for_each(|entry| *entry = random.next());
            let mut expected: Vec<f64> = system.vector.iter().flatten().copied().collect();
            solve(&mut whole, &mut expected).unwrap();
            system.solve().unwrap();
            for (found, expected) in system.vector.iter().flatten().zip(expected) {
                assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
            }
        }
    }

    #[test]
    fn a_singular_block_is_told() {
        let mut system = Coupled::default();
        system.arrange(1, std::iter::empty());
        system.clear();
        system.add([0, 1], [0, 1], -1.0, &DMat3::IDENTITY);
        assert_eq!(system.solve(), None);
    }
}
