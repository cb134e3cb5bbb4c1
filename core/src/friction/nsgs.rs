//! Nonsmooth Gauss-Seidel on the whole matrix (Jourdan, Alart and Jean 1998), with Newton's method where sweeps stall.

use thiserror::Error;

use super::block::ContactBlock;
use super::newton::Newton;
use super::pace::Pace;
use super::padded::{Padded, TOLERANCE};
use super::problem::{FrictionProblem, FrictionSolution};
use crate::lcp::Status;

/// Maximum number of sweeps.
pub const MAX_SWEEPS: u64 = 10_000;
/// Sweeps before Newton's method is tried, and between attempts.
const SWEEPS_PER_ROUND: u64 = 500;

/// Why a problem cannot be solved by sweeps.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NsgsError {
    /// A contact whose own block of W does not determine its impulse.
    #[error(
        "contact {contact}: the symmetric part of its block of the matrix is not positive definite: sweeps solve each contact \
         alone, which takes one that is"
    )]
    Block {
        /// Index of the contact.
        contact: usize,
    },
    /// A start of the wrong size.
    #[error("a start of {entries} entries: must be {unknowns}, as many as there are unknowns")]
    StartSize {
        /// Entries of the start.
        entries: usize,
        /// Unknowns of the problem.
        unknowns: usize,
    },
    /// A start that is not finite.
    #[error("start[{row}]: {value:e} is not allowed: must be finite")]
    Start {
        /// Its row.
        row: usize,
        /// What was given.
        value: f64,
    },
}

/// Finds a solution by sweeps over the contacts, each solved exactly with the latest impulses of all others, from an
/// initial guess such as the previous step's solution, or zeros. After every 500 sweeps without convergence, Newton's
/// method continues from the current iterate; if it does not find a solution, the sweeps continue.
///
/// # Errors
/// If the diagonal block of a contact is not positive definite, or the start does not consist of one finite number per
/// unknown.
pub fn nsgs(problem: &FrictionProblem, start: &[f64]) -> Result<FrictionSolution, NsgsError> {
    let unknowns = problem.rows().unknowns();
    if start.len() != unknowns {
        return Err(NsgsError::StartSize { entries: start.len(), unknowns });
    }
    if let Some(row) = start.iter().position(|r| !r.is_finite()) {
        return Err(NsgsError::Start { row, value: start[row] });
    }
    let padded = Padded::new(problem);
    let block = |contact| {
        ContactBlock::new(*padded.block(contact, contact), padded.friction[contact]).ok_or(NsgsError::Block { contact })
    };
    let blocks = (0..padded.contacts()).map(block).collect::<Result<Vec<_>, _>>()?;
    let (mut r, mut sweeps, mut newton_steps) = (padded.start(start), 0, 0);
    let (mut pace, mut best) = (Pace::default(), (padded.residual(&r), r.clone()));
    while best.0 > TOLERANCE && sweeps < MAX_SWEEPS {
        let mut change = 0.0f64;
        for contact in 0..r.len() {
            let q = padded.velocity(contact, &r) - *padded.block(contact, contact) * r[contact];
            let way = blocks[contact].solve(q) - r[contact];
            r[contact] += pace.factor() * way;
            change = change.max(way.length() * blocks[contact].normal());
        }
        pace.note(change);
        sweeps += 1;
        let residual = padded.residual(&r);
        if residual < best.0 {
            best = (residual, r.clone());
        }
        if best.0 > TOLERANCE && sweeps % SWEEPS_PER_ROUND == 0 {
            let found = Newton::new(&padded).solve(&r);
            newton_steps += found.steps;
            if found.residual < best.0 {
                best = (found.residual, found.r);
            }
        }
    }
    let status = if best.0 <= TOLERANCE { Status::Solved } else { Status::NotConverged };
    let r = padded.original(&best.1);
    let (u, residual) = (problem.velocities(&r), problem.residual(&r));
    Ok(FrictionSolution { status, r, u, residual, iterations: sweeps, newton_steps })
}

#[cfg(test)]
#[path = "nsgs/tests.rs"]
mod tests;
