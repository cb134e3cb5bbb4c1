//! How landings begin, the air that they fly in, and what is recorded of them.
//!
//! Steady flight down a path in trim, the plan of a landing from its inputs, why one cannot start, and the gusts: what
//! every engine takes from the host. Steps are the engines' own. What is recorded of a landing follows from its states
//! alone; the reference records so, and who judges an engine by its states.
//!
//! # Conventions
//! As in [`crate::query`].

mod recorder;
mod start;
mod start_fault;
mod trim;
mod turbulence;

pub(crate) use recorder::Recorder;
pub use recorder::recorded_landing;
pub use start::{Guidance, LandingPlan};
pub use start_fault::StartFault;
pub use turbulence::{Turbulence, noise};
