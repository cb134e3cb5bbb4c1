//! Enumeration of the 2^n sets of unknowns that may be positive.
//!
//! With z zero outside a set and w zero inside, a linear system remains, whose solution must be nonnegative: whether q
//! lies in the corresponding complementary cone (Cottle, Pang and Stone, 1.3). Regular systems have one solution, which
//! is checked. Singular ones have none or many: the simplex algorithm decides, and finds one.

use thiserror::Error;

use super::feasible::nearest_nonnegative;
use super::linear::{singular_within, solve};
use super::problem::{Problem, Solution, Status, largest_magnitude};
use super::scaled::{Scaled, TOLERANCE};
use super::twofold;

/// Maximum number of unknowns: 2^20 systems take some seconds, ten times that if most are singular, and every further
/// unknown doubles the time.
pub const MAX_ENUMERATED: usize = 20;

/// Maximum number of solutions listed; there may be 2^n.
pub const MAX_SOLUTIONS: usize = 1000;

/// Solutions of the scaled problem that differ by less, relatively, are identified: they are the same solution on two
/// sets where z and w are zero at once, up to rounding.
const SAME: f64 = 1e-9;

/// Rounding changes numbers by less than this part of the largest, over the smallest pivot: a thousand times its own.
const DOUBT: f64 = 1e-12;

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
    /// Whether these are all; false where there are infinitely many, where rounding hides whether there is another, and with more
    /// than [`MAX_SOLUTIONS`].
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
        let mut singular = None;
        let z = if set.solve(&balanced.problem, members) {
            set.z(unknowns)
        } else {
            singular_sets += 1;
            singular = SingularSet::new(&balanced.problem, members);
            hidden |= singular.is_none();
            singular.as_ref().map(SingularSet::z)
        };
        let Some(mut z) = z.map(|z| balanced.original(z)) else { continue };
        // What rounding has done to a solution that is large beside its numbers takes numbers of twice the precision.
        if scaled.residual(&z) > TOLERANCE && singular.is_none() && set.solve_precisely() {
            let Some(precise) = set.z(unknowns) else { continue };
            z = balanced.original(precise);
        }
        if scaled.residual(&z) > TOLERANCE {
            hidden |= scaled.may_be_solution(&z);
            if singular.is_some() && set.solve_precisely() {
                // Singular to rounding alone: as the entries are, the system has a solution, large as it is.
                hidden |= set.z(unknowns).is_some_and(|z| scaled.may_be_solution(&balanced.original(z)));
            }
            continue;
        }
        is_complete &= !singular.is_some_and(|set| set.has_others());
        if !found.iter().any(|other| is_same(other, &z)) {
            if found.len() == MAX_SOLUTIONS {
                is_complete = false;
                break;
            }
            found.push(z);
        }
    }
    is_complete &= !hidden;
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
    vector: Vec<f64>,
    /// The matrix as elimination leaves it.
    eliminated: Vec<f64>,
    solution: Vec<f64>,
}

impl RegularSet {
    /// False where the system is singular to rounding: entries carry as much. A pivot that is small beside the largest entry need not
    /// be small beside the numbers that it is made of, which alone tells.
    fn solve(&mut self, problem: &Problem, members: u64) -> bool {
        self.members.clear();
        self.members.extend((0..problem.unknowns()).filter(|row| members >> row & 1 == 1));
        self.matrix.clear();
        self.vector.clear();
        for &row in &self.members {
            self.matrix.extend(self.members.iter().map(|&column| problem.row(row)[column]));
            self.vector.push(-problem.vector()[row]);
        }
        self.eliminated.clone_from(&self.matrix);
        self.solution.clone_from(&self.vector);
        match solve(&mut self.eliminated, &mut self.solution) {
            Some(pivot) => !self.is_in_doubt(pivot) || self.solve_precisely(),
            None => self.solve_unless_within(singular_within(self.members.len())),
        }
    }

    /// Solves it again, as exactly as numbers are; false where it is singular to rounding all the same.
    fn solve_precisely(&mut self) -> bool {
        self.solve_unless_within(twofold::ROUNDING)
    }

    /// The same; false where changes of each entry by such a part of itself could make it singular.
    fn solve_unless_within(&mut self, rounding: f64) -> bool {
        let solution = twofold::solve(&self.matrix, &self.vector, rounding);
        solution.is_some_and(|solution| {
            self.solution = solution;
            true
        })
    }

    /// Whether rounding may have turned the sign of a number, which would take this set of unknowns out of question; a pivot tells the
    /// condition, at least from below.
    fn is_in_doubt(&self, pivot: f64) -> bool {
        let error = largest_magnitude(&self.solution) * (DOUBT / pivot);
        let least = self.solution.iter().fold(f64::INFINITY, |least: f64, z| least.min(*z));
        least < 0.0 && least > -error
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

/// A set whose system is singular: x with w outside and z inside solves C x = q, where the columns of C are those of I outside
/// and of -M inside.
struct SingularSet {
    members: u64,
    matrix: Vec<f64>,
    /// What comes closest to a solution without negative numbers, at a vertex of these.
    x: Vec<f64>,
}

impl SingularSet {
    /// `None` if it could not be solved.
    fn new(problem: &Problem, members: u64) -> Option<Self> {
        let unknowns = problem.unknowns();
        let mut matrix = Vec::with_capacity(unknowns * unknowns);
        for row in 0..unknowns {
            let entry = |(column, entry): (usize, &f64)| {
                if members >> column & 1 == 1 { -entry } else { f64::from(row == column) }
            };
            matrix.extend(problem.row(row).iter().enumerate().map(entry));
        }
        let x = nearest_nonnegative(&matrix, problem.vector())?;
        Some(Self { members, matrix, x })
    }

    fn z(&self) -> Vec<f64> {
        let of_member = |(row, x): (usize, &f64)| if self.members >> row & 1 == 1 { *x } else { 0.0 };
        self.x.iter().enumerate().map(of_member).collect()
    }

    /// Whether this solution is not the only one. The columns of what is positive at a vertex are independent, so that any
    /// other solution lies in a direction d with C d = 0 in which something grows that is zero there: nothing of that shrinks,
    /// and their sum grows by 1, say. True also where that could not be decided.
    fn has_others(&self) -> bool {
        let unknowns = self.x.len();
        let least = SAME * largest_magnitude(&self.x);
        let (positive, zero): (Vec<usize>, Vec<usize>) = (0..unknowns).partition(|&column| self.x[column] > least);
        // What is positive may grow and shrink: a column for each. Zeros make the system square.
        let signed = positive.iter().flat_map(|&column| [(column, 1.0), (column, -1.0)]);
        let columns: Vec<(usize, f64)> = zero.iter().map(|&column| (column, 1.0)).chain(signed).collect();
        let size = columns.len().max(unknowns + 1);
        let (mut matrix, mut vector) = (vec![0.0; size * size], vec![0.0; size]);
        for (place, &(column, sign)) in columns.iter().enumerate() {
            (0..unknowns).for_each(|row| matrix[row * size + place] = sign * self.matrix[row * unknowns + column]);
            matrix[unknowns * size + place] = f64::from(place < zero.len());
        }
        vector[unknowns] = 1.0;
        let Some(direction) = nearest_nonnegative(&matrix, &vector) else { return true };
        let left = |(row, wanted): (&[f64], &f64)| {
            (row.iter().zip(&direction).map(|(entry, way)| entry * way).sum::<f64>() - wanted).abs()
        };
        matrix.chunks_exact(size).zip(&vector).map(left).all(|left| left <= SAME * largest_magnitude(&direction))
    }
}
