//! `touchdown vehicle`.

mod aircraft;
mod loads;
mod show;
mod tune;

use clap::Subcommand;

use super::Failure;
use super::failure::Code;

/// Operations on vehicles.
#[derive(Debug, Subcommand)]
pub enum VehicleVerb {
    Show(show::Show),
    Loads(loads::Loads),
    Tune(tune::Tune),
}

impl VehicleVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match self {
            Self::Show(verb) => verb.run(),
            Self::Loads(verb) => verb.run(),
            Self::Tune(verb) => verb.run(),
        }
    }
}
