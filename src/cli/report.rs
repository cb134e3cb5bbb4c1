//! `touchdown study report`.

use std::path::PathBuf;

use clap::Args;
use touchdown::model::Models;
use touchdown::report::{Beside, write};

use super::Failure;
use super::failure::Code;
use super::text::{PART, print};

/// Write the results of a run as one HTML file
///
/// Writes report.html to the directory of a run: verdicts, footprint, exceedance curves, convergence, worst trials,
/// inputs. The file needs no network and no script. The report of an unfinished run states what is missing. The exit
/// code is 0 if the file is written, whatever the verdicts.
#[derive(Debug, Args)]
pub struct Report {
    /// Directory of the run
    directory: PathBuf,
    /// Directory of a sensitivity analysis of the same study [default: that of the run, if it holds one]
    #[arg(long, value_name = "DIR")]
    sensitivity: Option<PathBuf>,
    /// Directory of a map of the same study [default: the run's, if it holds one]
    #[arg(long, value_name = "DIR")]
    map: Option<PathBuf>,
}

impl Report {
    pub fn run(&self) -> Result<Code, Failure> {
        let beside = Beside { sensitivity: self.sensitivity.as_deref(), map: self.map.as_deref() };
        let report = write(&Models::default(), &self.directory, beside)?;
        print(&format!(
            "{}: {} {} in {} {}\n",
            report.path.display(),
            report.trials,
            report.nouns.of(report.trials),
            report.parts,
            PART.of(report.parts)
        ))?;
        Ok(Code::Done)
    }
}
