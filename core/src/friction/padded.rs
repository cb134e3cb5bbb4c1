//! A problem in the internal form of the solvers: three components per contact, scaled.

use glam::{DMat3, DVec3};

use super::cone::{natural_map, project};
use super::problem::FrictionProblem;
use crate::lcp::power_of_two;

/// Largest residual of a solution of the scaled problem: sweeps and Newton's method reach some digits less.
pub const TOLERANCE: f64 = 1e-10;

/// A contact's part of a vector.
pub(super) fn at(vector: &[f64], dimension: usize, contact: usize) -> DVec3 {
    let part = &vector[contact * dimension..][..dimension];
    DVec3::new(part[0], part[1], part.get(2).copied().unwrap_or(0.0))
}

/// W and q with largest entries from 1 to 2, scaled exactly by powers of 2. Planar contacts get a second tangent of
/// their own, along which nothing moves: their cones are sections of those in space.
pub(super) struct Padded {
    /// Blocks, row by row.
    pub blocks: Vec<DMat3>,
    pub vector: Vec<DVec3>,
    pub friction: Vec<f64>,
    /// Unit of r.
    unit: f64,
    dimension: usize,
}

impl Padded {
    pub fn new(problem: &FrictionProblem) -> Self {
        let (rows, dimension, contacts) = (problem.rows(), problem.dimension(), problem.contacts());
        let (of_matrix, of_vector) = (power_of_two(rows.matrix()), power_of_two(rows.vector()));
        let mut blocks = Vec::with_capacity(contacts * contacts);
        for row in 0..contacts {
            for column in 0..contacts {
                let part = |component: usize| -> DVec3 {
                    if component < dimension {
                        at(rows.row(row * dimension + component), dimension, column) / of_matrix
                    } else if row == column {
                        DVec3::Z
                    } else {
                        DVec3::ZERO
                    }
                };
                blocks.push(DMat3::from_cols(part(0), part(1), part(2)).transpose());
            }
        }
        let vector = (0..contacts).map(|contact| at(rows.vector(), dimension, contact) / of_vector).collect();
        Self { blocks, vector, friction: problem.friction().to_vec(), unit: of_vector / of_matrix, dimension }
    }

    pub fn contacts(&self) -> usize {
        self.vector.len()
    }

    pub fn block(&self, row: usize, column: usize) -> &DMat3 {
        &self.blocks[row * self.contacts() + column]
    }

    /// A start, projected onto the cones.
    pub fn start(&self, r: &[f64]) -> Vec<DVec3> {
        self.friction.iter().enumerate().map(|(i, &mu)| project(at(r, self.dimension, i) / self.unit, mu)).collect()
    }

    /// r of the original problem.
    pub fn original(&self, r: &[DVec3]) -> Vec<f64> {
        r.iter().flat_map(|r| r.to_array().into_iter().take(self.dimension)).map(|r| r * self.unit).collect()
    }

    /// u of a contact.
    pub fn velocity(&self, contact: usize, r: &[DVec3]) -> DVec3 {
        let row = &self.blocks[contact * r.len()..][..r.len()];
        row.iter().zip(r).fold(self.vector[contact], |sum, (block, r)| sum + *block * *r)
    }

    /// The largest entry of all natural maps, with rho of 1.
    pub fn residual(&self, r: &[DVec3]) -> f64 {
        let of_contact = |contact: usize| {
            natural_map(r[contact], self.velocity(contact, r), self.friction[contact], 1.0).abs().max_element()
        };
        (0..r.len()).map(of_contact).fold(0.0, f64::max)
    }
}
