//! Bodies in contact with Coulomb friction.
//!
//! Each contact has an impulse r and a relative velocity u, with a normal part (N) and a tangential one (T). The normal
//! impulse does not pull, bodies do not approach, at least one of the two is zero, and the tangential impulse is at
//! most mu `r_N`: anything less while the contact sticks, and opposite to the velocity while it slides (Signorini's
//! condition and Coulomb's law):
//!
//! ```text
//! u = W r + q,   0 <= u_N,  0 <= r_N,  u_N r_N = 0,   |r_T| <= mu r_N,   |u_T| r_T = -mu r_N u_T
//! ```
//!
//! With `u~ = u + mu |u_T| e_N` this is u~ in K*, r in K, mutually orthogonal, where K is the cone `|r_T| <= mu r_N`
//! (De Saxce and Feng 1998).
//!
//! [`nsgs()`] solves problems with a given W. [`ContactSolver`] is for simulations: it iterates over the contacts on
//! the bodies' velocities and needs no W.
//!
//! # Example
//! A box of 2 kg slides on a floor at 3 m/s and is pressed onto it with 1 m/s, both within one step: friction with a
//! coefficient of 0.5 removes 0.5 m/s.
//! ```
//! # use touchdown_core as touchdown;
//! use glam::{DMat3, DVec3};
//! use touchdown::friction::{BodyContact, BodyMass, BodyVelocity, ContactSolver, Stopping};
//! use touchdown::lcp::Status;
//!
//! let masses = [BodyMass::FIXED, BodyMass { inverse_mass: 0.5, inverse_inertia: DMat3::ZERO }];
//! let mut velocities = [BodyVelocity::default(), BodyVelocity { linear: DVec3::new(3.0, 0.0, -1.0), angular: DVec3::ZERO }];
//! let mut contacts = [BodyContact {
//!     bodies: [0, 1],
//!     arms: [DVec3::ZERO, DVec3::new(0.0, 0.0, -0.1)],
//!     normal: DVec3::Z,
//!     friction: 0.5,
//!     bias: DVec3::ZERO,
//!     impulse: DVec3::ZERO,
//! }];
//! let stopping = Stopping { sweeps: 100, tolerance: 1e-9 };
//! let outcome = ContactSolver::default().solve(&masses, &mut velocities, &mut contacts, stopping)?;
//! assert_eq!(outcome.status, Status::Solved);
//! assert!((velocities[1].linear - DVec3::new(2.5, 0.0, 0.0)).length() < 1e-12);
//! assert!((contacts[0].impulse - DVec3::new(-1.0, 0.0, 2.0)).length() < 1e-12);
//! # Ok::<(), touchdown::friction::ContactError>(())
//! ```

mod acceleration;
mod block;
mod bodies;
mod cone;
mod coupled;
#[cfg(test)]
mod drawn;
mod groups;
mod newton;
mod nsgs;
mod pace;
mod padded;
mod problem;
mod read;
mod semismooth;

pub use bodies::{BodyContact, BodyMass, BodyVelocity, ContactError, ContactSolver, Outcome, Stopping};
pub use cone::{natural_map, project};
pub use nsgs::{MAX_SWEEPS, NsgsError, nsgs};
pub use padded::TOLERANCE;
pub use problem::{FrictionProblem, FrictionProblemError, FrictionSolution};
pub use read::{AnyProblem, read_any_problem};

/// Largest coefficient of friction.
pub const MAX_FRICTION: f64 = 100.0;
