//! An aircraft by the physics of its own file: controls, engines and air forces as one routine.
//!
//! ```text
//! the pilot's commands, the flight --> commands --> controls --> engines --> air forces --> force and moment
//!                                                     ^   what a step leaves to the next   |
//!                                                     +------------------------------------+
//! ```
//!
//! # Conventions
//! As in [`crate::air_forces`]: inside, JSBSim's units and names. Names with a blank are what one step leaves to the next and nobody
//! else asks for. Channels see the air of their own step, where JSBSim shows them that of the frame before.

mod atmosphere;
mod description;
mod program;
mod response;
mod trim;
mod tuning;

pub use crate::propulsion::LOADS as ENGINE_LOADS;
pub use atmosphere::Atmosphere;
pub use description::AirframeDescription;
pub use program::{Airframe, Commands};
pub use response::{Axis, Response};
pub use trim::{SteadyFlight, Trimmed};
pub use tuning::{Gains, Margins};
