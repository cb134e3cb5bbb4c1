//! Direct solution for the impulses of active contacts, which sweeps approach only in thousands.
//!
//! Sweeps soon identify the active contacts, but converge slowly where many bodies bear on each other. For a given
//! active set the impulses solve a linear system. The step to its solution ends where the first impulse would become
//! negative; the energy of the problem decreases along it, as it does in sweeps, so that the combination converges.

use super::impulses::Row;
use crate::friction::{BodyMass, BodyVelocity};

/// Pivots below this part of the diagonal are of contacts that others stand for: their impulses are left alone.
const DEPENDENT: f64 = 1e-11;

/// A system over the contacts that push, kept so that it needs no memory.
#[derive(Debug, Default)]
pub(super) struct Subspace {
    pushing: Vec<usize>,
    /// Lower triangle, row by row, each row as long as the whole.
    factor: Vec<f64>,
    change: Vec<f64>,
}

impl Subspace {
    /// Goes from the impulses of the rows towards the solution over those that push, as far as none pulls.
    pub fn correct(&mut self, rows: &mut [Row], masses: &[BodyMass], twists: &[BodyVelocity]) {
        let pushing = rows.iter().enumerate().filter(|(_, row)| row.impulse > 0.0);
        self.pushing.clear();
        self.pushing.extend(pushing.map(|(number, _)| number));
        self.factorize(rows, masses);
        self.change.clear();
        self.change.extend(self.pushing.iter().map(|&number| -(rows[number].parting(twists) + rows[number].bias)));
        self.substitute();
        let ways = self.pushing.iter().zip(&self.change);
        let shares = ways.filter(|(_, change)| **change < 0.0);
        let share = shares.map(|(&number, change)| -rows[number].impulse / change).fold(1.0, f64::min);
        for (&number, change) in self.pushing.iter().zip(&self.change) {
            // 0 is where the first one ends, whatever the rounding.
            rows[number].impulse = (rows[number].impulse + share * change).max(0.0);
        }
    }

    /// L D L^T of the matrix, D on the diagonal of L, and 0 of what depends on what stands before it.
    fn factorize(&mut self, rows: &[Row], masses: &[BodyMass]) {
        let count = self.pushing.len();
        self.factor.clear();
        self.factor.resize(count * count, 0.0);
        for i in 0..count {
            let row = &rows[self.pushing[i]];
            let (above, rest) = self.factor.split_at_mut(i * count);
            let own = &mut rest[..count];
            for j in 0..=i {
                let other = &rows[self.pushing[j]];
                let entry = row.coupling(other, masses);
                if i == j {
                    let pivot = (0..j).fold(entry, |rest, k| {
                        let pivot = above[k * count + k];
                        // So far the row holds L D.
                        let l = if pivot > 0.0 { own[k] / pivot } else { 0.0 };
                        let rest = rest - own[k] * l;
                        own[k] = l;
                        rest
                    });
                    own[j] = if pivot > DEPENDENT * entry { pivot } else { 0.0 };
                } else {
                    let known = &above[j * count..j * count + j];
                    let sum: f64 = own[..j].iter().zip(known).map(|(a, b)| a * b).sum();
                    own[j] = if above[j * count + j] > 0.0 { entry - sum } else { 0.0 };
                }
            }
        }
    }

    /// Solves in place.
    fn substitute(&mut self) {
        let count = self.pushing.len();
        let (factor, change) = (&self.factor, &mut self.change);
        for i in 0..count {
            let row = &factor[i * count..i * count + i];
            let sum: f64 = row.iter().zip(&change[..i]).map(|(l, x)| l * x).sum();
            change[i] -= sum;
        }
        for i in 0..count {
            let pivot = factor[i * count + i];
            change[i] = if pivot > 0.0 { change[i] / pivot } else { 0.0 };
        }
        for i in (0..count).rev() {
            let known = change[i];
            for (j, entry) in factor[i * count..i * count + i].iter().enumerate() {
                change[j] -= entry * known;
            }
        }
    }
}
