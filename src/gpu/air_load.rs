//! Job `air_load` on a device: functions as code made for the aircraft, tables as numbers beside it.
//!
//! 256 bytes for a flight, 304 for its loads. Flights cross in JSBSim's units, in which functions compute.

mod source;

use glam::DVec3;

use super::buffer::{Buffer, ItemJob};
use super::items::Codec;
use super::wire::{on_device, widened};
use super::{Gpu, GpuError};
use crate::air_forces::{AirForces, Flight, in_si_units};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{AirLoad, AirLoadStatus, AirLoads};

/// Most numbers of a flight.
const NUMBERS: usize = 64;
/// Most functions of an aircraft.
const FUNCTIONS: usize = 64;

on_device! {
    /// The numbers that a row begins with.
    FlightWire {
        numbers: [[f32; 4]; NUMBERS / 4],
    }
}

on_device! {
    /// The loads. Zero is no answer: buffers are cleared before a run.
    AirLoadWire {
        force: [f32; 4],
        moment: [f32; 4],
        functions: [[f32; 4]; FUNCTIONS / 4],
        status: u32,
        unused: u32,
        unused_too: u32,
        nor_this: u32,
    }
}

impl Computes<AirLoads> for Gpu {
    fn answers(&self, forces: &AirForces, flights: &[Flight]) -> Result<Vec<AirLoad>, EngineError> {
        self.run(flights.len(), |session, chunk| {
            for (what, count, limit) in [
                ("given properties", forces.given().len(), NUMBERS - forces.first_given()),
                ("functions", forces.functions().count(), FUNCTIONS),
            ] {
                if count > limit {
                    return Err(GpuError::TooMany { what, count, limit });
                }
            }
            let (source, numbers) = source::source(forces);
            let kernel = session.kernel(AirLoads::NAME, source)?;
            let mut tables = Buffer::storage("tables");
            tables.fill(&session.device, &numbers)?;
            let job = ItemJob { name: AirLoads::NAME, kernel: &kernel, shared: tables.binding().into_iter().collect() };
            let codec = Codec {
                pack: |flight: &Flight| pack(forces, flight),
                decode: |flight: &Flight, answer: &AirLoadWire| decode(forces, flight, answer),
            };
            codec.run(&session.device, &mut session.slots, &job, flights, chunk)
        })
    }
}

/// The wire form of a flight; of none if it is not valid: its answer is known.
fn pack(forces: &AirForces, flight: &Flight) -> FlightWire {
    let mut wire = FlightWire { numbers: [[0.0; 4]; NUMBERS / 4] };
    if forces.takes(flight) {
        let places = wire.numbers.iter_mut().flatten();
        places.zip(forces.begin(flight)).for_each(|(place, number)| *place = number as f32);
    }
    wire
}

fn decode(forces: &AirForces, flight: &Flight, answer: &AirLoadWire) -> Option<AirLoad> {
    if !forces.takes(flight) {
        return Some(AirLoad::bad_input());
    }
    let functions = answer.functions.iter().flatten().map(|&value| widened(value));
    let functions = functions.take(forces.functions().count()).collect();
    let vector = |of: [f32; 4]| DVec3::from_array(std::array::from_fn(|axis| f64::from(of[axis])));
    let loads = in_si_units([vector(answer.force), vector(answer.moment)]);
    match answer.status {
        status if status == AirLoadStatus::Ok as u32 => Some(AirLoad::new(loads, functions)),
        status if status == AirLoadStatus::NotFinite as u32 => {
            Some(AirLoad { status: AirLoadStatus::NotFinite, functions, ..AirLoad::bad_input() })
        }
        _ => None,
    }
}
