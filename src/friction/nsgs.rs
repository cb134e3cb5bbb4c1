//! Non-smooth Gauss-Seidel on the whole matrix (Jourdan, Alart and Jean 1998), with Newton's method where sweeps stall.

use thiserror::Error;

use super::block::ContactBlock;
use super::newton::Newton;
use super::pace::Pace;
use super::padded::{Padded, TOLERANCE};
use super::problem::{FrictionProblem, FrictionSolution};
use crate::lcp::Status;

/// Most sweeps.
pub const MAX_SWEEPS: u64 = 10_000;
/// Sweeps before Newton's method is tried, and between its tries.
const SWEEPS_PER_ROUND: u64 = 500;

/// Why a problem cannot be solved by sweeps.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NsgsError {
    /// A contact whose own block of W does not determine it.
    #[error(
        "contact {contact}: the symmetric part of its block of the matrix is not positive definite: sweeps solve each contact \
         alone, which takes one that is"
    )]
    Block {
        /// The contact, counted from 0.
        contact: usize,
    },
    /// A start of another size.
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
        /// Its row, counted from 0.
        row: usize,
        /// What was given.
        value: f64,
    },
}

/// Finds a solution by sweeps over the contacts, each solved exactly with the latest impulses of all others, from a
/// guess such as the solution of the step before, or zeros. Every 500 sweeps that were not enough, Newton's method goes
/// on from where they stand, and where it does not find a solution they go on themselves.
///
/// # Errors
/// When the block of a contact on the diagonal is not positive definite, or the start is not of finite numbers, one for
/// each unknown.
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
