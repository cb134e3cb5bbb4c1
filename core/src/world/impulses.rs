//! Normal impulses of contacts: projected Gauss-Seidel on the velocities, without a matrix.
//!
//! Rows require `0 <= J v + bias perp impulse >= 0` with `v = v_free + M^-1 J^T impulse`, the linear complementarity
//! problem (docs/theory/complementarity.md, 5). Between sweeps the active contacts are solved directly ([`Subspace`]).

use glam::DVec3;

use super::contact::Contact;
use super::subspace::Subspace;
use crate::friction::{BodyMass, BodyVelocity};

/// Sweeps before and between corrections: for resting contacts the previous step's impulses are the solution.
const PATIENCE: u32 = 20;
/// Corrections before it is left to the solver of contacts with friction.
const CORRECTIONS: u32 = 6;
/// Tolerance on the constraints, relative to the velocities, at which sweeps end.
pub(super) const ACCURACY: f64 = 1e-10;

/// A contact as the solver sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    first: usize,
    second: usize,
    normal: DVec3,
    /// Arms cross normal.
    levers: [DVec3; 2],
    /// Change of the angular velocities per impulse.
    turns: [DVec3; 2],
    /// Change of the separation velocity per impulse \[1/kg\].
    compliance: f64,
    /// Deficit of the separation velocity \[m/s\].
    pub bias: f64,
    /// \[N s\]
    pub impulse: f64,
}

impl Row {
    /// The row of a contact.
    pub fn new(contact: &Contact, masses: &[BodyMass], bias: f64, impulse: f64) -> Self {
        let (first, second) = (contact.first(masses.len() - 1), contact.body);
        let [one, other] = [&masses[first], &masses[second]];
        let levers = contact.arms.map(|arm| arm.cross(contact.normal));
        let turns = [one.inverse_inertia * levers[0], other.inverse_inertia * levers[1]];
        let compliance = one.inverse_mass + other.inverse_mass + levers[0].dot(turns[0]) + levers[1].dot(turns[1]);
        Self { first, second, normal: contact.normal, levers, turns, compliance, bias, impulse }
    }

    /// J v \[m/s\].
    pub fn parting(&self, twists: &[BodyVelocity]) -> f64 {
        let [one, other] = [&twists[self.first], &twists[self.second]];
        self.normal.dot(other.linear - one.linear) + self.levers[1].dot(other.angular) - self.levers[0].dot(one.angular)
    }

    /// The impulse that changes the separation velocity by this amount \[N s\].
    pub fn impulse_for(&self, change: f64) -> f64 {
        change / self.compliance
    }

    /// Change of the separation velocity per impulse of another row \[1/kg\].
    pub fn coupling(&self, other: &Self, masses: &[BodyMass]) -> f64 {
        let along = self.normal.dot(other.normal);
        let ends = [(self.first, 0), (self.second, 1)];
        let others = [(other.first, 0), (other.second, 1)];
        let mut sum = 0.0;
        for (body, end) in ends {
            for (_, other_end) in others.into_iter().filter(|(other_body, _)| *other_body == body) {
                let both = masses[body].inverse_mass * along + self.turns[end].dot(other.levers[other_end]);
                sum += if end == other_end { both } else { -both };
            }
        }
        sum
    }

    /// Applies an impulse.
    pub fn push(&self, impulse: f64, masses: &[BodyMass], twists: &mut [BodyVelocity]) {
        let along = impulse * self.normal;
        let one = &mut twists[self.first];
        one.linear -= masses[self.first].inverse_mass * along;
        one.angular -= impulse * self.turns[0];
        let other = &mut twists[self.second];
        other.linear += masses[self.second].inverse_mass * along;
        other.angular += impulse * self.turns[1];
    }
}

/// The largest velocity in the rows, and in their constraints \[m/s\].
pub(super) fn largest_speed(rows: &[Row], twists: &[BodyVelocity]) -> f64 {
    let speed = |row: &Row| {
        let [one, other] = [&twists[row.first], &twists[row.second]];
        let turning = [(one, 0), (other, 1)].map(|(twist, end)| row.levers[end].length() * twist.angular.length());
        one.linear.length() + other.linear.length() + turning[0] + turning[1] + row.bias.abs()
    };
    rows.iter().map(speed).fold(0.0, f64::max)
}

/// Work space of the solver, kept between calls.
#[derive(Debug, Default)]
pub(super) struct Solver {
    free: Vec<BodyVelocity>,
    subspace: Subspace,
}

impl Solver {
    /// Solves for the impulses to a tolerance \[m/s\], starting with those in the rows; `twists` are free velocities
    /// before, and include the impulses after. Returns the constraint violation \[m/s\].
    pub fn solve(&mut self, rows: &mut [Row], masses: &[BodyMass], twists: &mut [BodyVelocity], tolerance: f64) -> f64 {
        self.free.clear();
        self.free.extend_from_slice(twists);
        let free = &self.free;
        rows.iter().for_each(|row| row.push(row.impulse, masses, twists));
        let mut residual = swept(rows, masses, twists, tolerance, PATIENCE);
        for _ in 0..CORRECTIONS {
            if residual <= tolerance {
                break;
            }
            self.subspace.correct(rows, masses, twists);
            apply(rows, masses, free, twists);
            residual = swept(rows, masses, twists, tolerance, PATIENCE);
        }
        // A single sum over impulses instead of all incremental changes: momentum is conserved to one rounding each.
        apply(rows, masses, free, twists);
        residual
    }
}

fn apply(rows: &[Row], masses: &[BodyMass], free: &[BodyVelocity], twists: &mut [BodyVelocity]) {
    twists.copy_from_slice(free);
    rows.iter().for_each(|row| row.push(row.impulse, masses, twists));
}

/// Sweeps until nothing changes; returns the largest change of the last sweep \[m/s\], which is the constraint
/// violation.
fn swept(rows: &mut [Row], masses: &[BodyMass], twists: &mut [BodyVelocity], tolerance: f64, sweeps: u32) -> f64 {
    let mut largest = 0.0_f64;
    for _ in 0..sweeps {
        largest = 0.0;
        for row in &mut *rows {
            let wanted = row.impulse - row.impulse_for(row.parting(twists) + row.bias);
            let change = wanted.max(0.0) - row.impulse;
            row.impulse += change;
            row.push(change, masses, twists);
            largest = largest.max((change * row.compliance).abs());
        }
        if largest <= tolerance {
            break;
        }
    }
    largest
}
