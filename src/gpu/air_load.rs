//! Job `air_load`: there are no kernels for it yet.

use super::Gpu;
use crate::air_forces::{AirForces, Flight};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{AirLoad, AirLoads};

impl Computes<AirLoads> for Gpu {
    fn answers(&self, _: &AirForces, _: &[Flight]) -> Result<Vec<AirLoad>, EngineError> {
        Err(EngineError::NotComputed { engine: "gpu", job: AirLoads::NAME, instead: "native" })
    }
}
