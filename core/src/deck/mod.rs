//! Skids on a moving deck: a helicopter with a skid gear lands on a ship, in the plane across it.
//!
//! ```text
//! Tube, Frame (beam elements) --> modes --> Gear --------------------+
//! Sea (spectrum) --> waves --> Responses --> oscillations --> DeckMotion (samples) --> DeckStart --> run --> DeckOutcome
//! ```
//!
//! After section 4 of Schock and Langlois, "Continuous appropriately-oriented collision detection algorithm for physics-based
//! simulations" (CDSR 2022): the gear is of beam elements, its end nodes are initiators, and the deck's motion is known. What they
//! collide with is told by the transient separating-axis test, see [`mod@crate::oriented`].
//!
//! # Conventions
//! See [`DeckLanding`]. SI units, radians.

mod beam;
mod contact;
mod file;
mod gear;
mod judge;
mod landing;
mod matrix;
mod modes;
mod motion;
mod record;
mod response;
mod sea;
mod step;
mod tally;

pub use beam::{Frame, NODE_FREEDOMS, Tube};
pub use contact::{Approach, Configuration, ContactLaw, Grip, Piece};
pub use file::{Aircraft, ReadRecord, Ship, ShipMotion};
pub use gear::{Gear, GearError, GearMode, Propagation};
pub use judge::{EnergyBalance, LONGEST, judge};
pub use landing::inverse;
pub use landing::{DeckClass, DeckLanding, DeckOutcome, DeckStart, DeckState};
pub use modes::{Mode, modes};
pub use motion::{DeckMotion, DeckPose, SAMPLE};
pub use record::{DeckRecord, DeckStep, DeckStepped};
pub use response::{GRAVITY, MOTIONS, Oscillation, Phasor, Responses};
pub use sea::{BANDS, SEA_STATES, Sea, Wave};
pub use step::{DeckStepper, run};
pub use tally::BOUNCE_TIME;
pub use tally::{LastMoment, Moment, Tally};
