//! Platoons of cars that drive, steer and collide, from files of the report's format (docs/encounters.md).
//!
//! ```text
//! model.dat, platoon.dat, vehicle.toml --> Platoon --> drive --> Drive (samples, impacts) --> tables, pictures, summary
//! ```
//!
//! # Conventions
//! World: x and y in the plane, z upwards from the ground. Cars: x forwards, y to the left, z upwards from the centre of
//! mass; yaw, steering and yaw rates counter-clockwise.

mod car;
mod dat;
mod drive;
mod equilibrium;
mod formation;
mod law;
mod model;
mod pseudo_rigid;
mod separations;
#[cfg(test)]
mod tests;
mod touching;
mod view;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use self::car::{Car, Dynamics, Pose};
pub use self::dat::{DatError, DatFile, DatLine, Entry};
pub use self::drive::{Drive, DriveError, Impacts, Sample, drive};
pub use self::equilibrium::{Equilibrium, equilibrium};
pub use self::formation::{Placed, placed};
pub use self::law::{Given, Law};
pub use self::model::{CarModel, models};
pub use self::pseudo_rigid::PseudoRigid;
pub use self::touching::Collision;
pub use self::view::top_view;
use crate::document::DocumentError;

/// Most vehicles of a platoon: all pairs are looked at in each step.
pub const MAX_VEHICLES: usize = 64;

/// Why there is no platoon.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlatoonError {
    /// A model or a platoon file.
    #[error(transparent)]
    Dat(#[from] DatError),
    /// The vehicle file.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

/// Cars of some models, and where they start.
#[derive(Clone, Debug, PartialEq)]
pub struct Platoon {
    /// The models of the model file.
    pub models: Vec<CarModel>,
    /// The vehicles, in the order of the platoon file.
    pub vehicles: Vec<Placed>,
    /// What these files lack.
    pub law: Law,
    /// The files of models and vehicles as they are.
    pub files: [DatFile; 2],
}

impl Platoon {
    /// Reads a model file, a platoon file, and the file of what these lack; its own numbers where there is none.
    ///
    /// # Errors
    /// When a file cannot be read, or a field is not what it should be: file, line and field are named.
    pub fn read(model: &Path, platoon: &Path, vehicle: Option<&Path>) -> Result<Self, PlatoonError> {
        let files = [DatFile::read(model)?, DatFile::read(platoon)?];
        let models = models(&files[0])?;
        let law = Law::read(vehicle)?;
        for model in &models {
            law.check(model, &files[0])?;
        }
        let vehicles = placed(&files[1], &models)?;
        Ok(Self { models, vehicles, law, files })
    }

    /// The cars as they start: in static equilibrium on their springs.
    #[must_use]
    pub fn cars(&self) -> Vec<Car> {
        self.vehicles.iter().map(|placed| Car::new(&self.models[placed.model], &self.law, placed)).collect()
    }

    /// The files' paths.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|file| &file.path)
    }
}
