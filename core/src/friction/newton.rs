//! Semismooth Newton method for all contacts at once, used where sweeps stall.
//!
//! Alart and Curnier's equations (1991), with y = r - rho u, componentwise rho:
//!
//! ```text
//! r_N - max(0, y_N) = 0,   r_T - P_disc(y_T) = 0,   the disc of radius mu max(0, y_N)
//! ```
//!
//! characterize solutions. They are continuous, and differentiable except where a contact is between two states. Steps
//! are Levenberg-Marquardt steps, (J^T J + nu I) d = -J^T F, which exist even where several impulses solve the problem
//! and J is singular; nu decreases with every step that reduces |F|, and increases with any other.

use glam::{DMat3, DVec3};

use super::cone::{project, project_parts, slope_of_parts};
use super::padded::Padded;
use crate::lcp::linear::solve;

/// Maximum number of steps of an attempt.
const MAX_STEPS: u64 = 100;
/// Initial damping, and its limits.
const DAMPING: f64 = 1e-3;
const LEAST_DAMPING: f64 = 1e-14;
const MOST_DAMPING: f64 = 1e6;
/// Residual level at which only rounding errors of the scaled problem are left.
const ROUNDING: f64 = 1e-14;

/// Result of an attempt.
pub(super) struct Found {
    pub residual: f64,
    pub r: Vec<DVec3>,
    pub steps: u64,
}

pub(super) struct Newton<'a> {
    problem: &'a Padded,
    /// Of normal and tangential components.
    rho: Vec<[f64; 2]>,
}

impl<'a> Newton<'a> {
    pub fn new(problem: &'a Padded) -> Self {
        let rho = |contact: usize| {
            let DMat3 { x_axis, y_axis, z_axis } = *problem.block(contact, contact);
            [1.0 / x_axis.x, 1.0 / y_axis.y.max(z_axis.z)]
        };
        Self { problem, rho: (0..problem.contacts()).map(rho).collect() }
    }

    /// Iterates from a start towards a solution of the equations.
    pub fn solve(&self, start: &[DVec3]) -> Found {
        let (mut r, mut damping, mut steps) = (start.to_vec(), DAMPING, 0);
        let mut values = self.values(&r);
        let mut found = self.found(&r, 0);
        while steps < MAX_STEPS && found.residual > ROUNDING && damping < MOST_DAMPING {
            steps += 1;
            let next = self.step(&r, &values, damping);
            let reached = next.map(|next| (self.values(&next), next));
            match reached.filter(|(reached, _)| size(reached) < size(&values)) {
                Some(reached) => {
                    (values, r) = reached;
                    damping = LEAST_DAMPING.max(0.1 * damping);
                    let here = self.found(&r, steps);
                    if here.residual < found.residual {
                        found = here;
                    }
                }
                None => damping *= 10.0,
            }
        }
        Found { steps, ..found }
    }

    /// The result, projected onto the cones.
    fn found(&self, r: &[DVec3], steps: u64) -> Found {
        let r: Vec<DVec3> = r.iter().zip(&self.problem.friction).map(|(r, &friction)| project(*r, friction)).collect();
        Found { residual: self.problem.residual(&r), r, steps }
    }

    /// y of a contact.
    fn target(&self, contact: usize, r: &[DVec3]) -> DVec3 {
        let ([normal, tangential], u) = (self.rho[contact], self.problem.velocity(contact, r));
        r[contact] - DVec3::new(normal, tangential, tangential) * u
    }

    /// F.
    fn values(&self, r: &[DVec3]) -> Vec<DVec3> {
        let of_contact =
            |contact: usize| r[contact] - project_parts(self.target(contact, r), self.problem.friction[contact]);
        (0..r.len()).map(of_contact).collect()
    }

    /// r after a step; `None` where rounding makes the equations singular.
    fn step(&self, r: &[DVec3], values: &[DVec3], damping: f64) -> Option<Vec<DVec3>> {
        let size = 3 * r.len();
        let mut jacobian = vec![0.0; size * size];
        for row in 0..r.len() {
            let [normal, tangential] = self.rho[row];
            let slope = slope_of_parts(self.target(row, r), self.problem.friction[row]);
            let rho = DMat3::from_diagonal(DVec3::new(normal, tangential, tangential));
            for column in 0..r.len() {
                let mut block = slope * (rho * *self.problem.block(row, column));
                if row == column {
                    block += DMat3::IDENTITY - slope;
                }
                for (i, entries) in block.transpose().to_cols_array_2d().iter().enumerate() {
                    jacobian[(3 * row + i) * size + 3 * column..][..3].copy_from_slice(entries);
                }
            }
        }
        let mut matrix = vec![0.0; size * size];
        let mut vector = vec![0.0; size];
        for (entries, value) in jacobian.chunks_exact(size).zip(values.iter().flat_map(DVec3::to_array)) {
            for (i, &factor) in entries.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                vector[i] -= factor * value;
                for (sum, entry) in matrix[i * size..][..size].iter_mut().zip(entries) {
                    *sum += factor * entry;
                }
            }
        }
        (0..size).for_each(|i| matrix[i * size + i] += damping);
        solve(&mut matrix, &mut vector)?;
        Some(r.iter().zip(vector.chunks_exact(3)).map(|(r, step)| *r + DVec3::from_slice(step)).collect())
    }
}

/// |F|^2.
fn size(values: &[DVec3]) -> f64 {
    values.iter().map(|value| value.length_squared()).sum()
}
