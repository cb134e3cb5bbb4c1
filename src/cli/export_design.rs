//! `touchdown study export-design`.

use std::path::PathBuf;

use clap::Args;
use touchdown::study::{Study, write_design};

use super::Failure;
use super::failure::Code;
use super::place::refuse_overwriting;
use super::text::print;

/// Write the inputs of a study's trials to a table, without running them
///
/// Writes a row for each trial, in order: its number, `input.NAME` in SI units for each input of the study, and
/// `weight` if trials have weights. `study run --inputs` runs the trials of such a table, whatever its origin.
#[derive(Debug, Args)]
pub struct ExportDesign {
    /// Study file
    file: PathBuf,
    /// Table to write: .csv or .parquet
    #[arg(long, value_name = "TABLE")]
    out: PathBuf,
}

impl ExportDesign {
    pub fn run(&self) -> Result<Code, Failure> {
        refuse_overwriting("--out", &self.out, &[&self.file])?;
        let study = Study::read(&self.file)?;
        if study.subset().is_some() {
            return Err(Failure::bad_input(
                "a study by subset simulation has no design: each level's inputs depend on how those before ended",
            ));
        }
        write_design(&study, &self.out)?;
        print(&format!("{}: inputs of {} {}\n", self.out.display(), study.trials, study.nouns().of(study.trials)))?;
        Ok(Code::Done)
    }
}
