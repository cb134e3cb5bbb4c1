//! `touchdown vehicle`.

mod aircraft;
mod loads;
mod show;

use clap::Subcommand;

use super::Failure;
use super::failure::Code;

/// Operations on vehicles.
#[derive(Debug, Subcommand)]
pub enum VehicleVerb {
    Show(show::Show),
    Loads(loads::Loads),
}

impl VehicleVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match self {
            Self::Show(verb) => verb.run(),
            Self::Loads(verb) => verb.run(),
        }
    }
}
