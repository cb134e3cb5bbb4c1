//! Which engine a verb uses.

use clap::{Args, ValueEnum};
use touchdown::engine::{Engine, EngineError};
use touchdown::reference::Reference;

/// Options of every verb that computes.
#[derive(Clone, Copy, Debug, Args)]
pub struct EngineOptions {
    /// Engine: `auto` takes the fastest there is
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    /// Threads; 0 takes one per processor. Results do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// The fastest engine of this machine
    Auto,
    /// f64 on the processor, written for clarity: the judge of all others
    Reference,
}

impl EngineOptions {
    /// The engine asked for.
    pub fn engine(&self) -> Result<Box<dyn Engine>, EngineError> {
        match self.engine {
            EngineName::Auto | EngineName::Reference => Ok(Box::new(Reference::new(usize::from(self.threads))?)),
        }
    }
}
