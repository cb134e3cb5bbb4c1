//! Import of files of other programs.
//!
//! ```text
//! runways.csv --read_runway--> RunwayRow --scene_text--> text of a scene file, with warnings
//! model.csg --csg_scene--> the same, from OpenSCAD's solids
//! aircraft.xml --jsbsim_vehicle--> text of a vehicle file, with warnings, from all of these and JSBSim's mass, gear and structure
//!              --jsbsim_air_forces--> air forces as functions of the flight
//!              --jsbsim_flight_controls--> flight controls as functions with memory
//!              --jsbsim_propulsion--> engines as functions of the flight and of throttles
//! ```

mod colors;
mod condition;
mod csg;
mod error;
mod jsbsim;
mod number;
mod runways;
mod scene_text;
mod surface;

pub use condition::{ConditionCode, DEFAULT_TYRE_PRESSURE, parse_condition_codes};
pub use csg::{CsgRequest, csg_scene};
pub use error::ImportError;
pub use jsbsim::{
    ImportedAirForces, ImportedControls, ImportedPropulsion, StructureContacts, jsbsim_air_forces,
    jsbsim_flight_controls, jsbsim_propulsion, jsbsim_vehicle,
};
pub use runways::{RunwayRow, read_runway};
pub use scene_text::{RunwayRequest, scene_text};
pub use surface::Surface;
