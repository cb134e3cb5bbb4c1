//! How landings begin, and the air that they fly in: what every engine takes from the host.
//!
//! Steady flight down a path in trim, the plan of a landing from its inputs, why one cannot start, and the gusts. Steps are
//! the engines' own.
//!
//! # Conventions
//! As in [`crate::query`].

mod start;
mod start_fault;
mod trim;
mod turbulence;

pub use start::{Guidance, LandingPlan};
pub use start_fault::StartFault;
pub use turbulence::{Turbulence, noise};
