//! How landings start, the air they fly in, and what is recorded of them.
//!
//! Trimmed steady flight along a path, the plan of a landing from its inputs, why a landing cannot start, and gusts:
//! what every engine gets from the host. The steps themselves are the engines' own. The record of a landing is a
//! function of its states alone; the reference uses the recorder, and so does the validation that judges an engine by
//! its states.
//!
//! # Conventions
//! As in [`crate::query`].

mod discrete_gust;
mod recorder;
mod start;
mod start_doubt;
mod start_fault;
mod trim;
mod turbulence;

pub use discrete_gust::DiscreteGust;
pub(crate) use recorder::Recorder;
pub use recorder::recorded_landing;
pub use start::{Guidance, LandingPlan};
pub use start_doubt::StartDoubt;
pub use start_fault::StartFault;
pub use turbulence::{Turbulence, noise};
