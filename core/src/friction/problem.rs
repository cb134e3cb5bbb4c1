//! A frictional contact problem, all contacts in one matrix.

use thiserror::Error;

use super::MAX_FRICTION;
use super::cone::natural_map;
use super::padded::at;
use crate::lcp::{Problem, ProblemError, Status};

/// Contacts with friction: u = W r + q with Coulomb's law at each (see [the module](super)).
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionProblem {
    dimension: usize,
    /// W and q.
    rows: Problem,
    friction: Vec<f64>,
}

/// Why numbers do not define a problem.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FrictionProblemError {
    /// Neither planar nor spatial.
    #[error("dimension: {dimension} is not allowed: must be 2 or 3")]
    Dimension {
        /// What was given.
        dimension: usize,
    },
    /// The number of unknowns does not match the contacts.
    #[error("{unknowns} unknowns: must be {}, {dimension} for each of {contacts} contacts", dimension * contacts)]
    Unknowns {
        /// Unknowns of matrix and vector.
        unknowns: usize,
        /// Components of each contact.
        dimension: usize,
        /// Number of friction coefficients.
        contacts: usize,
    },
    /// An invalid friction coefficient.
    #[error("friction[{contact}]: {value:e} is not allowed: must be from 0 to {MAX_FRICTION}")]
    Friction {
        /// Index of the contact.
        contact: usize,
        /// What was given.
        value: f64,
    },
    /// An invalid matrix or vector.
    #[error(transparent)]
    Numbers(#[from] ProblemError),
}

impl FrictionProblem {
    /// Planar contacts (`dimension` 2: normal, tangent) or spatial ones (3: normal, two tangents), one per friction
    /// coefficient, with W by rows.
    ///
    /// # Errors
    /// If sizes do not match, or a number is not allowed.
    pub fn new(
        dimension: usize,
        matrix: Vec<f64>,
        vector: Vec<f64>,
        friction: Vec<f64>,
    ) -> Result<Self, FrictionProblemError> {
        if !(2..=3).contains(&dimension) {
            return Err(FrictionProblemError::Dimension { dimension });
        }
        let (unknowns, contacts) = (vector.len(), friction.len());
        if unknowns != dimension * contacts {
            return Err(FrictionProblemError::Unknowns { unknowns, dimension, contacts });
        }
        if let Some(contact) = friction.iter().position(|value| !(0.0..=MAX_FRICTION).contains(value)) {
            return Err(FrictionProblemError::Friction { contact, value: friction[contact] });
        }
        Ok(Self { dimension, rows: Problem::new(matrix, vector)?, friction })
    }

    /// Components of each contact: 2 or 3.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of contacts.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// Friction coefficients.
    #[must_use]
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// W and q.
    #[must_use]
    pub fn rows(&self) -> &Problem {
        &self.rows
    }

    /// u = W r + q.
    #[must_use]
    pub fn velocities(&self, r: &[f64]) -> Vec<f64> {
        self.rows.slacks(r)
    }

    /// |r - P(r - u~)| / |q| with P the projection onto all cones and `u~ = u + mu |u_T| e_N`, in Euclidean norms, as
    /// defined by Siconos. It is 0 for solutions only, and depends on units, as impulses and velocities are subtracted.
    /// If q is 0, it is not divided.
    #[must_use]
    pub fn residual(&self, r: &[f64]) -> f64 {
        let (u, d) = (self.velocities(r), self.dimension);
        let of_contact = |contact: usize| {
            natural_map(at(r, d, contact), at(&u, d, contact), self.friction[contact], 1.0).length_squared()
        };
        let sum: f64 = (0..self.contacts()).map(of_contact).sum();
        let q = self.rows.vector().iter().map(|q| q * q).sum::<f64>().sqrt();
        sum.sqrt() / if q > 0.0 { q } else { 1.0 }
    }
}

/// Result of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionSolution {
    /// [`Status::Solved`], or [`Status::NotConverged`] with r the best iterate.
    pub status: Status,
    /// Impulses, contact by contact, in their cones.
    pub r: Vec<f64>,
    /// Velocities W r + q, computed in f64.
    pub u: Vec<f64>,
    /// [`FrictionProblem::residual`].
    pub residual: f64,
    /// Number of sweeps.
    pub iterations: u64,
    /// Steps of Newton's method, if sweeps were not enough.
    pub newton_steps: u64,
}
