//! `touchdown study merge`.

use std::path::PathBuf;

use clap::Args;
use touchdown::model::Models;
use touchdown::study::{Study, merge};

use super::Failure;
use super::failure::Code;
use super::summary::{Detail, report};
use super::text::print;

/// Combine the parts of several run directories
///
/// Combines the parts of several run directories of one study and summarizes them. Refuses gaps, overlaps and parts of
/// another study, seed, engine, adapter or version, naming them, and a directory that holds another run. The same command
/// completes a merge that was killed.
#[derive(Debug, Args)]
pub struct Merge {
    /// Run directories
    #[arg(required = true, value_name = "DIR")]
    from: Vec<PathBuf>,
    /// Directory of the combined run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    detail: Detail,
}

impl Merge {
    pub fn run(&self) -> Result<Code, Failure> {
        let summary = merge(&Models::default(), &self.from, &self.out)?;
        let study = Study::read_stored(&self.out)?;
        print(&report(&study, &summary, self.detail))?;
        Ok(Code::of(&summary))
    }
}
