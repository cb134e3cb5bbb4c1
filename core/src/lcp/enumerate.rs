//! Enumeration of the 2^n sets of unknowns that may be positive.
//!
//! With z zero outside a set and w zero inside, a linear system remains, whose solution must be nonnegative: whether q
//! lies in the corresponding complementary cone (Cottle, Pang and Stone, 1.3). Regular systems have one solution, which
//! is checked. Singular ones have none or many: the simplex algorithm decides, and finds one.

use thiserror::Error;

use super::feasible::nearest_nonnegative;
use super::linear::solve;
use super::problem::{Problem, Solution, Status, largest_magnitude};
use super::scaled::{Scaled, TOLERANCE};

/// Maximum number of unknowns: 2^20 systems take some seconds, ten times that if most are singular, and every further
/// unknown doubles the time.
pub const MAX_ENUMERATED: usize = 20;

/// Maximum number of solutions listed; there may be 2^n.
pub const MAX_SOLUTIONS: usize = 1000;

/// Solutions of the scaled problem that differ by less, relatively, are identified: they are the same solution on two
/// sets where z and w are zero at once, up to rounding.
const SAME: f64 = 1e-9;

/// A problem too large to be enumerated.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "{unknowns} unknowns: enumeration takes at most {MAX_ENUMERATED}, since it looks at 2^n sets of unknowns; take another \
     solver"
)]
pub struct TooManyUnknowns {
    /// Number of unknowns.
    pub unknowns: usize,
}

/// Result of the enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// [`Status::Solved`] or [`Status::NoSolution`]; [`Status::Inaccurate`] if none was found, but rounding hides
    /// whether there is one.
    pub status: Status,
    /// The solutions of all regular sets, and one of each singular set that has any, without duplicates. If there are
    /// infinitely many, these are some of them.
    pub solutions: Vec<Solution>,
    /// Whether all sets were examined; false with more than [`MAX_SOLUTIONS`] solutions.
    pub is_complete: bool,
    /// Number of sets examined.
    pub sets: u64,
    /// Those with a singular system.
    pub singular_sets: u64,
}

/// Examines every set of unknowns that may be positive.
///
/// # Errors
/// If there are more than [`MAX_ENUMERATED`] unknowns.
pub fn enumerate(problem: &Problem) -> Result<Enumeration, TooManyUnknowns> {
    let unknowns = problem.unknowns();
    if unknowns > MAX_ENUMERATED {
        return Err(TooManyUnknowns { unknowns });
    }
    let scaled = Scaled::new(problem);
    let balanced = scaled.balanced();
    let (mut found, mut hidden) = (Vec::<Vec<f64>>::new(), false);
    let (mut is_complete, mut sets, mut singular_sets) = (true, 0, 0);
    let mut set = RegularSet::default();
    for members in 0..1u64 << unknowns {
        sets += 1;
        let z = if set.solve(&balanced.problem, members) {
            set.z(unknowns)
        } else {
            singular_sets += 1;
            let z = of_singular_set(&balanced.problem, members);
            hidden |= z.is_none();
            z
        };
        let Some(z) = z.map(|z| balanced.original(z)) else { continue };
        if scaled.residual(&z) > TOLERANCE {
            hidden |= scaled.may_be_solution(&z);
        } else if !found.iter().any(|other| is_same(other, &z)) {
            if found.len() == MAX_SOLUTIONS {
                is_complete = false;
                break;
            }
            found.push(z);
        }
    }
    let status = match (found.is_empty(), hidden) {
        (false, _) => Status::Solved,
        (true, false) => Status::NoSolution,
        (true, true) => Status::Inaccurate,
    };
    let solutions = found.iter().map(|z| scaled.solution(z, sets, Status::Inaccurate)).collect();
    Ok(Enumeration { status, solutions, is_complete, sets, singular_sets })
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    let size = a.iter().chain(b).fold(1.0, |largest: f64, z| largest.max(z.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * size)
}

/// The system of a set, M z = -q over its members; kept from set to set for its memory.
#[derive(Default)]
struct RegularSet {
    members: Vec<usize>,
    matrix: Vec<f64>,
    solution: Vec<f64>,
}

impl RegularSet {
    /// False where the system is singular to rounding.
    fn solve(&mut self, problem: &Problem, members: u64) -> bool {
        self.members.clear();
        self.members.extend((0..problem.unknowns()).filter(|row| members >> row & 1 == 1));
        self.matrix.clear();
        self.solution.clear();
        for &row in &self.members {
            self.matrix.extend(self.members.iter().map(|&column| problem.row(row)[column]));
            self.solution.push(-problem.vector()[row]);
        }
        solve(&mut self.matrix, &mut self.solution)
    }

    /// The solution, where it is not negative.
    fn z(&self, unknowns: usize) -> Option<Vec<f64>> {
        let largest = largest_magnitude(&self.solution);
        if self.solution.iter().any(|z| *z < -TOLERANCE * largest) {
            return None;
        }
        let mut z = vec![0.0; unknowns];
        self.members.iter().zip(&self.solution).for_each(|(&row, solution)| z[row] = solution.max(0.0));
        Some(z)
    }
}

/// z of a singular set that comes closest to a solution: x with w outside and z inside solves C x = q, where the
/// columns of C are those of I outside and of -M inside. `None` if it could not be found.
fn of_singular_set(problem: &Problem, members: u64) -> Option<Vec<f64>> {
    let unknowns = problem.unknowns();
    let is_member = |column: usize| members >> column & 1 == 1;
    let mut matrix = Vec::with_capacity(unknowns * unknowns);
    for row in 0..unknowns {
        matrix.extend(
            problem.row(row).iter().enumerate().map(
                |(column, entry)| {
                    if is_member(column) { -entry } else { f64::from(row == column) }
                },
            ),
        );
    }
    let mut x = nearest_nonnegative(&matrix, problem.vector())?;
    (0..unknowns).filter(|&row| !is_member(row)).for_each(|row| x[row] = 0.0);
    Some(x)
}
