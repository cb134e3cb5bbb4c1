//! Air forces as functions of a file: what JSBSim's section `aerodynamics` says, as one row of expressions.
//!
//! ```text
//! Description (functions by axis, sizes, limits) --AirForces::new--> row of assignments
//!     flight, given properties --> derived properties --> functions --> sums of axes --> force and moment
//! ```
//!
//! Derived properties (angles of attack, dynamic pressure, ...) and the turning of axes are expressions as the file's own functions are,
//! so that every engine has one thing to evaluate, and what no function reads is not computed.
//!
//! # Conventions
//! Inside, JSBSim's: feet, slugs, pounds, seconds, degrees Rankine, body axes X forward, Y right, Z down. [`Flight`] and results are in SI
//! units.

mod description;
mod flight;
mod program;
mod properties;

pub use description::{AxisFunction, Description, ForceAxes, MomentAxes, Role, Sizes};
pub use flight::{FOOT, OF_FLIGHT, POUND};
pub use flight::{Flight, FlightFault, MAX_FLIGHT_NUMBER, Memory};
pub use program::AirForces;
pub use program::{LOADS, functions_of, in_si_units};
pub use properties::{DOWNWARDS, derived_in_landing};
