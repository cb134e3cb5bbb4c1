//! A problem of contacts with friction, all of them in one matrix.

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

/// Why numbers are no problem.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FrictionProblemError {
    /// Neither in a plane nor in space.
    #[error("dimension: {dimension} is not allowed: must be 2 or 3")]
    Dimension {
        /// What was given.
        dimension: usize,
    },
    /// Another number of unknowns than contacts have.
    #[error("{unknowns} unknowns: must be {}, {dimension} for each of {contacts} contacts", dimension * contacts)]
    Unknowns {
        /// Unknowns of matrix and vector.
        unknowns: usize,
        /// Components of each contact.
        dimension: usize,
        /// Coefficients of friction.
        contacts: usize,
    },
    /// A coefficient of friction that is none.
    #[error("friction[{contact}]: {value:e} is not allowed: must be from 0 to {MAX_FRICTION}")]
    Friction {
        /// The contact, counted from 0.
        contact: usize,
        /// What was given.
        value: f64,
    },
    /// A matrix or a vector that is none.
    #[error(transparent)]
    Numbers(#[from] ProblemError),
}

impl FrictionProblem {
    /// Contacts in the plane (`dimension` 2: normal, tangent) or in space (3: normal, two tangents), one for each
    /// coefficient of friction, with W row by row.
    ///
    /// # Errors
    /// When sizes do not fit each other, or a number is not allowed.
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

    /// Coefficients of friction.
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

    /// |r - P(r - u~)| / |q| with P the projection onto all cones and `u~ = u + mu |u_T| e_N`, in Euclidean norms: Siconos'
    /// measure. It is 0 for solutions and for nothing else, and depends on units, as impulses and velocities are
    /// subtracted. Where q is 0, it is not divided.
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

/// What a solver ended with.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionSolution {
    /// [`Status::Solved`], or [`Status::NotConverged`]: r is where the solver came nearest then.
    pub status: Status,
    /// Impulses, contact by contact, in their cones.
    pub r: Vec<f64>,
    /// Velocities W r + q as f64 has them.
    pub u: Vec<f64>,
    /// [`FrictionProblem::residual`].
    pub residual: f64,
    /// Sweeps.
    pub iterations: u64,
    /// Steps of Newton's method, where sweeps were not enough.
    pub newton_steps: u64,
}
