//! `touchdown study verify`.

use std::path::PathBuf;

use clap::Args;
use touchdown::study::{RunDirectory, Study, SummaryState, Verification};

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::interrupt::{interrupted, stop_keeping};
use super::progress::RunProgress;
use super::text::{complain, in_one_line, one_line, print};

/// Check that the files of a run are intact, and that recomputed trials are identical
///
/// Reads every file of a run completely: its checksum, that it belongs to this study, seed, engine and version, its
/// rows, and that sums and summary follow from them; those of a sensitivity analysis or a map too. With --recompute some parts or
/// levels, spread evenly over the run, are recomputed by the engine that made them and compared byte by byte. The run is left
/// unchanged. The exit code is 0 if everything is in order, 2 if something is damaged, 5 if something is recomputed
/// differently.
#[derive(Debug, Args)]
pub struct Verify {
    /// Directory of the run
    directory: PathBuf,
    /// Number of parts (or levels of a subset simulation) to recompute
    #[arg(long, value_name = "N", default_value_t = 0)]
    recompute: usize,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Verify {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read_stored(&self.directory)?;
        let run = RunDirectory::open(&self.directory);
        let found = run.verify(&study)?;
        print(&self.lines(&study, &found))?;
        for damage in &found.damaged {
            complain(&format!("damaged: {}\n", in_one_line(damage)));
        }
        if !found.damaged.is_empty() {
            return Ok(Code::BadInput);
        }
        if self.recompute > 0 && found.good.is_empty() {
            return Err(Failure::bad_input(format!(
                "--recompute: {} has no parts and no levels; files of analyses are not recomputed",
                self.directory.display()
            )));
        }
        let code = if found.summary == SummaryState::Different { Code::Disagreement } else { Code::Done };
        let Some(identity) = found.identity.filter(|_| self.recompute > 0) else {
            return Ok(code);
        };
        let engine = self.engine.engine_of(Some(&identity))?;
        let files = spread(&found.good, self.recompute);
        let stop = stop_keeping("the run is as it was");
        let mut progress = RunProgress::new(&study, study.trials);
        let again = run.recompute(&study, engine.as_ref(), &files, &mut progress, &stop);
        progress.finish();
        let Some(again) = again? else {
            return Ok(interrupted());
        };
        let different: Vec<&str> = again.iter().filter(|it| !it.is_equal).map(|it| it.file.as_str()).collect();
        if different.is_empty() {
            print(&format!("  {} computed once more: the same bytes ({})\n", again.len(), files.join(", ")))?;
            return Ok(code);
        }
        print(&format!("  {} computed once more: DIFFERENT bytes in {}\n", again.len(), different.join(", ")))?;
        Ok(Code::Disagreement)
    }

    fn lines(&self, study: &Study, found: &Verification) -> String {
        let (good, all) = (found.good.len(), found.good.len() + found.damaged.len());
        let by = found.identity.as_ref().map_or_else(String::new, |identity| format!(" by {identity}"));
        let of_analyses = match found.of_analyses {
            0 => String::new(),
            count => format!("  {count} files of analyses as they were written\n"),
        };
        if all == 0 && found.of_analyses > 0 {
            return format!("{}: study {}{by}\n{of_analyses}", self.directory.display(), one_line(&study.name));
        }
        let summary = match found.summary {
            SummaryState::Missing => "is not there: the run is not finished",
            SummaryState::Equal => "is what the files come to",
            SummaryState::Different => "is DIFFERENT from what the files come to",
            SummaryState::Unknown => "cannot be judged",
        };
        format!(
            "{}: study {}{by}\n  {good} of {all} files as they were written: checksums, places, rows and sums\n  the summary {summary}\n{of_analyses}",
            self.directory.display(),
            one_line(&study.name)
        )
    }
}

/// This many of all, spread evenly.
fn spread(all: &[String], count: usize) -> Vec<String> {
    let count = count.min(all.len());
    (0..count).map(|number| all[(2 * number + 1) * all.len() / (2 * count)].clone()).collect()
}
