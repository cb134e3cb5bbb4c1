//! Job `air_load`: trees of functions, walked one flight at a time.

use super::Reference;
use crate::air_forces::{AirForces, Flight};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{AirLoad, AirLoads};

/// Flights that one thread takes at a time.
const ITEMS_PER_TASK: usize = 64;

impl Computes<AirLoads> for Reference {
    fn answers(&self, forces: &AirForces, flights: &[Flight]) -> Result<Vec<AirLoad>, EngineError> {
        Ok(self.each(ITEMS_PER_TASK, flights, |flight| answer(forces, flight)))
    }
}

fn answer(forces: &AirForces, flight: &Flight) -> AirLoad {
    if !forces.takes(flight) {
        return AirLoad::bad_input();
    }
    let row = forces.row(flight);
    AirLoad::new(forces.loads(&row), forces.values(&row).collect())
}
