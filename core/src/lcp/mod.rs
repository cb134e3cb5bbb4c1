//! Linear complementarity problems: unilateral contacts, games, optimality of quadratic programs.
//!
//! Given a square matrix M and a vector q, find z and w with
//!
//! ```text
//! w = M z + q,   w >= 0,   z >= 0,   w . z = 0
//! ```
//!
//! (Cottle, Pang and Stone, "The linear complementarity problem", SIAM 2009, 1.1). For frictionless contacts z are the
//! normal impulses and w the separation velocities: with the mass matrix m, M = J m^-1 J^T is symmetric positive
//! semidefinite, and q = (1 + e) J v + h J m^-1 f (docs/theory/complementarity.md, 5).
//!
//! | solver | finds | may end without a solution |
//! | --- | --- | --- |
//! | [`lemke()`] | one solution, by pivots | on a ray ([`Status::Ray`]), which says nothing unless M is copositive-plus |
//! | [`gauss_seidel()`], [`coloured_gauss_seidel()`], [`jacobi()`] | one solution, by sweeps from a guess | where M is not symmetric and positive semidefinite |
//! | [`enumerate()`] | all there are, up to [`MAX_ENUMERATED`] unknowns | where there is none ([`Status::NoSolution`]) |
//!
//! # Conventions
//! Matrices are row-major: w\[i\] = sum over j of `M[i][j]` z\[j\] + q\[i\]. Units are those of the problem. The
//! residual is that of the natural map, the largest |min(z\[i\], w\[i\])|, in the problem's units; convergence is
//! decided on the problem scaled to entries of about 1 ([`TOLERANCE`]), so that it does not depend on units.
//!
//! ```
//! # use touchdown_core as touchdown;
//! use touchdown::lcp::{Problem, Status, lemke};
//!
//! // Two balls of 1 kg, one on the other, meet a table at 1 m/s: the contact between them, and that with the table.
//! let problem = Problem::new(vec![2.0, -1.0, -1.0, 1.0], vec![0.0, -1.0])?;
//! let solution = lemke(&problem);
//! assert_eq!((solution.status, solution.z), (Status::Solved, vec![1.0, 2.0]));
//! # Ok::<(), touchdown::lcp::ProblemError>(())
//! ```

mod coloured;
mod enumerate;
mod feasible;
mod gauss_seidel;
mod jacobi;
mod lemke;
pub(crate) mod linear;
mod problem;
pub(crate) mod read;
mod scaled;
pub(crate) mod siconos;
mod sweeps;
mod twofold;

pub use coloured::{coloured_gauss_seidel, colours};
pub use enumerate::{Enumeration, MAX_ENUMERATED, MAX_SOLUTIONS, TooManyUnknowns, enumerate};
pub use gauss_seidel::gauss_seidel;
pub use jacobi::{Relaxation, jacobi, relaxation};
pub use lemke::{MAX_PIVOTS, lemke};
pub use problem::{
    MAX_MAGNITUDE, MAX_UNKNOWNS, MIN_MAGNITUDE, Problem, ProblemError, Solution, Status, natural_residual,
};
pub use read::{ReadError, read_problem};
pub use scaled::TOLERANCE;
pub(crate) use scaled::power_of_two;
pub use sweeps::{MAX_SWEEPS, SweepError};
