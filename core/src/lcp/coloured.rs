//! Projected Gauss-Seidel by colours: unknowns without a common entry in M have one colour, and are changed at once.
//!
//! Within a colour the order does not matter, so its unknowns may be shared out over threads; the result is that of
//! Gauss-Seidel sweeps in the order of the colours, bit for bit, on any number of threads. Contacts of bodies couple
//! where they share a body, so a heap needs about as many colours as its body with the most contacts has.

use super::problem::{Problem, Solution};
use super::sweeps::{SweepError, iterate};
use crate::parallel;

/// Unknowns of a colour that one thread takes at a time: scheduling fewer costs more than their rows.
const UNKNOWNS_PER_TASK: usize = 64;

/// Unknowns by colour, none of which has an entry with another of its colour in either direction. Greedy, in order: each
/// takes the first colour that is free, which needs at most one colour more than the most entries of an unknown.
#[must_use]
pub fn colours(problem: &Problem) -> Vec<Vec<usize>> {
    let couples = |one: usize, other: usize| problem.row(one)[other] != 0.0 || problem.row(other)[one] != 0.0;
    let mut colours: Vec<Vec<usize>> = Vec::new();
    for unknown in 0..problem.unknowns() {
        let free = colours.iter_mut().find(|colour| !colour.iter().any(|&other| couples(unknown, other)));
        match free {
            Some(colour) => colour.push(unknown),
            None => colours.push(vec![unknown]),
        }
    }
    colours
}

/// Finds a solution as [`gauss_seidel`](super::gauss_seidel()) does, colour by colour.
///
/// # Errors
/// As [`gauss_seidel`](super::gauss_seidel()).
pub fn coloured_gauss_seidel(problem: &Problem, colours: &[Vec<usize>], start: &[f64]) -> Result<Solution, SweepError> {
    iterate(problem, start, |problem, z| {
        for colour in colours {
            let now = &*z;
            let of = |&row: &usize| (now[row] - problem.slack(row, now) / problem.row(row)[row]).max(0.0);
            let changed = parallel::map(colour, UNKNOWNS_PER_TASK, of);
            for (&row, value) in colour.iter().zip(changed) {
                z[row] = value;
            }
        }
    })
}
