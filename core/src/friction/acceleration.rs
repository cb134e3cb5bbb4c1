//! Anderson's acceleration (1965) of sweeps: impulses are extrapolated from those of the last few.
//!
//! A sweep is a map of impulses whose fixed point is sought. Where its changes f(r) are nearly linear in r, the combination
//! of the last impulses with the smallest change is far nearer to it than any of them.

use glam::DVec3;

use super::bodies::{BodyMass, BodyVelocity, Prepared};
use super::cone::project;

/// Sweeps that are remembered.
const MEMORY: usize = 5;
/// Where changes have grown by this factor, what is remembered is of no use.
const GROWTH: f64 = 2.0;
/// Squares of changes that the others do not determine, in parts of their own.
const DEPENDENT: f64 = 1e-12;

/// What is remembered of sweeps. Its memory is kept between uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Acceleration {
    /// Impulses before a sweep.
    before: Vec<DVec3>,
    /// Impulses after the last sweep, and how it changed them, as velocities \[m/s\]; empty if there was none.
    after: Vec<DVec3>,
    change: Vec<DVec3>,
    /// The sum of squares of the change.
    size: f64,
    /// How both differ from one sweep to the next, of so many; then the next is written there.
    differences: Vec<[Vec<DVec3>; 2]>,
    count: usize,
    next: usize,
    /// Inner products of the changes' differences: those of the newest are all that is new after a sweep.
    products: [[f64; MEMORY]; MEMORY],
}

impl Acceleration {
    /// Forgets all sweeps.
    pub fn clear(&mut self) {
        self.after.clear();
        self.change.clear();
        (self.count, self.next) = (0, 0);
    }

    /// Notes impulses before a sweep.
    pub fn begin(&mut self, contacts: &[Prepared]) {
        self.before.clear();
        self.before.extend(contacts.iter().map(|contact| contact.impulse));
    }

    /// Notes what the sweep has made of them.
    pub fn note(&mut self, contacts: &[Prepared]) {
        let is_first = self.after.is_empty();
        if is_first {
            self.after.extend_from_slice(&self.before);
            self.change.resize(contacts.len(), DVec3::ZERO);
        }
        if self.differences.len() == self.next {
            self.differences.push(Default::default());
        }
        let [after, change] = &mut self.differences[self.next];
        after.clear();
        change.clear();
        for (number, contact) in contacts.iter().enumerate() {
            let changed = contact.block.normal() * (contact.impulse - self.before[number]);
            after.push(contact.impulse - self.after[number]);
            change.push(changed - self.change[number]);
            (self.after[number], self.change[number]) = (contact.impulse, changed);
        }
        let before = std::mem::replace(&mut self.size, dot(&self.change, &self.change));
        if is_first || self.size > GROWTH * GROWTH * before {
            (self.count, self.next) = (0, 0);
        } else {
            self.count = MEMORY.min(self.count + 1);
            let own = &self.differences[self.next][1];
            for (other, [_, change]) in self.differences[..self.count].iter().enumerate() {
                let product = dot(own, change);
                (self.products[self.next][other], self.products[other][self.next]) = (product, product);
            }
            self.next = (self.next + 1) % MEMORY;
        }
    }

    /// Makes impulses those whose change would be smallest, in their cones.
    pub fn extrapolate(&self, contacts: &mut [Prepared], masses: &[BodyMass], velocities: &mut [BodyVelocity]) {
        let weights = self.weights();
        for (number, contact) in contacts.iter_mut().enumerate() {
            let differences = self.differences[..self.count].iter().zip(weights);
            let away: DVec3 = differences.map(|([after, _], weight)| weight * after[number]).sum();
            let wanted = project(contact.impulse - away, contact.block.friction());
            if wanted.is_finite() && wanted != contact.impulse {
                contact.push(masses, velocities, wanted - contact.impulse);
                contact.impulse = wanted;
            }
        }
    }

    /// The weights of differences that make the change smallest: by Cholesky's decomposition of the normal equations, without what is
    /// dependent.
    fn weights(&self) -> [f64; MEMORY] {
        let mut factor = [[0.0; MEMORY]; MEMORY];
        let mut weights = [0.0; MEMORY];
        for row in 0..self.count {
            for column in 0..row {
                let known: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
                let left = self.products[row][column] - known;
                factor[row][column] = if factor[column][column] > 0.0 { left / factor[column][column] } else { 0.0 };
            }
            let square = self.products[row][row];
            let left = square - factor[row][..row].iter().map(|entry| entry * entry).sum::<f64>();
            if left > DEPENDENT * square {
                factor[row][row] = left.sqrt();
                let known: f64 = (0..row).map(|k| factor[row][k] * weights[k]).sum();
                weights[row] = (dot(&self.differences[row][1], &self.change) - known) / factor[row][row];
            }
        }
        for row in (0..self.count).rev() {
            if factor[row][row] > 0.0 {
                let known: f64 = (row + 1..self.count).map(|k| factor[k][row] * weights[k]).sum();
                weights[row] = (weights[row] - known) / factor[row][row];
            }
        }
        weights
    }
}

fn dot(one: &[DVec3], other: &[DVec3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one.dot(*other)).sum()
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};

    use crate::friction::{BodyContact, BodyMass, BodyVelocity, ContactSolver, Stopping};
    use crate::lcp::Status;

    /// Impulses go up such a column by one ball in a sweep, and back: without extrapolation that takes 1143 sweeps.
    #[test]
    fn a_column_of_balls_is_solved_in_few_sweeps() {
        let ball = BodyMass { inverse_mass: 1.0, inverse_inertia: DMat3::IDENTITY * 2.5 };
        let masses = [vec![BodyMass::FIXED], vec![ball; 12]].concat();
        let falling = BodyVelocity { linear: DVec3::Z * -0.1, angular: DVec3::ZERO };
        let mut velocities = [vec![BodyVelocity::default()], vec![falling; 12]].concat();
        let contact = |above: usize| BodyContact {
            bodies: [above - 1, above],
            arms: [DVec3::Z, DVec3::NEG_Z],
            normal: DVec3::Z,
            friction: 0.5,
            bias: DVec3::ZERO,
            impulse: DVec3::ZERO,
        };
        let mut contacts: Vec<BodyContact> = (1..13).map(contact).collect();
        // Before Newton's method is tried.
        let stopping = Stopping { sweeps: 20, tolerance: 1e-10 };
        let outcome = ContactSolver::default().solve(&masses, &mut velocities, &mut contacts, stopping).unwrap();
        assert_eq!(outcome.status, Status::Solved);
        for (number, contact) in contacts.iter().enumerate() {
            assert!((contact.impulse.z - 0.1 * (12 - number) as f64).abs() < 1e-8, "{number}: {contact:?}");
        }
    }
}
