//! Aircraft of JSBSim and vehicles, as commands name them.

use std::path::Path;

use touchdown::air_forces::{AirForces, Description};
use touchdown::airframe::Airframe;
use touchdown::import::{ImportedAirForces, jsbsim_air_forces};
use touchdown::vehicle::Vehicle;

use crate::cli::Failure;

/// The air forces of an aircraft.
pub(super) struct Aircraft {
    pub description: Description,
    pub forces: AirForces,
    /// Of a vehicle, with controls and engines.
    pub airframe: Option<Airframe>,
}

/// Reads an aircraft of JSBSim (`.xml`), or a vehicle with physics of its own (`.toml`, `.json`). Of a vehicle all properties are
/// given that its air forces read and do not make; of JSBSim's aircraft those that something makes, and `given`.
pub(super) fn read(path: &Path, given: &[String]) -> Result<Aircraft, Failure> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
        let ImportedAirForces { description, forces } = jsbsim_air_forces(path, given)?;
        return Ok(Aircraft { description, forces, airframe: None });
    }
    let Some(airframe) = Vehicle::read(path)?.airframe else {
        let why = "has no [airframe], and forces of derivatives are no functions";
        return Err(Failure::bad_input(format!("{}: {why}", path.display())));
    };
    let description = airframe.description().air_forces.clone();
    let forces = AirForces::with_given(&description, &|_| true)
        .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
    Ok(Aircraft { description, forces, airframe: Some((*airframe).clone()) })
}
