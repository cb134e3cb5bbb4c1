//! `touchdown import`.

use clap::Subcommand;

use super::Failure;
use super::failure::Code;

/// Files that can be imported.
#[derive(Debug, Subcommand)]
pub enum ImportVerb {}

impl ImportVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match *self {}
    }
}
