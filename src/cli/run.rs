//! `touchdown study run`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use touchdown::model::INVALID;
use touchdown::study::{self, Keep, PartError, RunDirectory, RunError, RunOutcome, Study, Summary, Timing};

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::interrupt::{interrupted, stop_keeping};
use super::place::default_directory;
use super::progress::RunProgress;
use super::scene::{tell_model_warnings, tell_study_warnings};
use super::starts::start_lines;
use super::summary::{Detail, report};
use super::text::{duration, print, quoted, scaled, warn};

/// Run a study, or resume an interrupted run
///
/// Runs a study and prints its verdicts. Writes a directory with the parts (one row per trial, Parquet), summary.json
/// and timing.json; started again, the same command resumes an interrupted run.
#[derive(Debug, Args)]
pub struct Run {
    /// Study file
    file: PathBuf,
    /// Directory of the run [default: the study file's name in `runs`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take the inputs of trials from the rows of this table: CSV or Parquet with a column NAME or input.NAME, in SI
    /// units, for each input it provides, and optionally a column `weight`. The study's other inputs are drawn
    #[arg(long, value_name = "TABLE")]
    inputs: Option<PathBuf>,
    /// Compute only these parts, as FIRST..END, END excluded; `study merge` combines them
    #[arg(long, value_name = "FIRST..END", value_parser = part_range)]
    parts: Option<PartRange>,
    /// Rows to keep: all, failures (events of criteria and invalid trials), or sample:N, which adds every Nth trial.
    /// Verdicts and statistics cover all trials in any case
    #[arg(long, value_name = "WHICH", default_value_t = Keep::All)]
    keep: Keep,
    #[command(flatten)]
    detail: Detail,
    #[command(flatten)]
    engine: EngineOptions,
}

#[derive(Clone, Debug)]
struct PartRange(Range<u64>);

fn part_range(text: &str) -> Result<PartRange, String> {
    let range = text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    match range {
        Some(range) if range.start < range.end => Ok(PartRange(range)),
        _ => Err("must be FIRST..END with FIRST below END, such as 0..4".to_owned()),
    }
}

impl Run {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = match &self.inputs {
            Some(table) => Study::read_with_inputs(&self.file, table)?,
            None => Study::read(&self.file)?,
        };
        tell_study_warnings(&study);
        let engine = self.engine.engine_for(study.model.as_ref(), study.trials_at_a_time())?;
        tell_model_warnings(&study)?;
        let parts = match &self.parts {
            Some(_) if study.subset().is_some() => {
                return Err(Failure::bad_input(
                    "--parts: a study by subset simulation has no parts; each level depends on all of the one before",
                ));
            }
            None => 0..study.parts(),
            Some(PartRange(range)) if range.end <= study.parts() => range.clone(),
            Some(PartRange(range)) => {
                return Err(Failure::bad_input(format!(
                    "--parts {}..{}: the study has only {} parts",
                    range.start,
                    range.end,
                    study.parts()
                )));
            }
        };
        if study.subset().is_some() && self.keep != Keep::All {
            return Err(Failure::bad_input(format!(
                "--keep {}: subset simulation continues from all {} of a level, so all of them have to be kept",
                self.keep,
                study.nouns().many
            )));
        }
        let out = self.out.clone().unwrap_or_else(|| default_directory(&self.file, ""));
        let stop = stop_keeping("finished parts are kept, the same command goes on from them");
        if study.stopping.is_some() && self.parts.is_some() {
            return Err(RunError::PartsWithStopping.into());
        }
        let directory = RunDirectory::prepare(&out, &study)?;
        if let Some(warning) = directory.warning() {
            warn(&warning);
        }
        let trials = study.part_trials(parts.end - 1).end - study.part_trials(parts.start).start;
        let mut progress = RunProgress::new(&study, trials);
        let outcome = study::run(&study, engine.as_ref(), &directory, parts, self.keep, &mut progress, &stop);
        progress.finish();
        let outcome = outcome.map_err(|error| match error {
            // These name no file of their own.
            RunError::Engine(_) | RunError::Part(PartError::Uncountable { .. }) => Failure::about(&self.file, error),
            other => other.into(),
        });
        match outcome? {
            RunOutcome::Complete(summary, timing) => {
                print(&report(&study, &summary, self.detail))?;
                print(&invalid_lines(&study, &summary))?;
                print(&caution_line(&study, &summary))?;
                print(&timing_line(&timing))?;
                print(&next_lines(&out))?;
                // Who asked for parts has got them, whatever has become of the whole.
                Ok(if self.parts.is_some() { Code::Done } else { Code::of(&summary) })
            }
            RunOutcome::PartsDone(timing) => {
                print(&timing_line(&timing))?;
                print(&format!(
                    "parts: {}; when the others are there, `touchdown study merge {} OTHERS... --out WHOLE` puts them together\n",
                    directory.parts().display(),
                    quoted(&out)
                ))?;
                Ok(Code::Done)
            }
            RunOutcome::Interrupted => Ok(interrupted()),
        }
    }
}

/// Why trials are invalid, if any are.
fn invalid_lines(study: &Study, summary: &Summary) -> String {
    let invalid = study.model.classes()[INVALID].name;
    match summary.classes.get(invalid) {
        None | Some(0) => String::new(),
        Some(count) => {
            let trials = study.nouns().of(*count);
            format!(
                "{}{invalid}: {count} {trials}; `study replay` of one that cannot start says why\n",
                start_lines(study)
            )
        }
    }
}

/// What to bear in mind of the results; empty if nothing.
fn caution_line(study: &Study, summary: &Summary) -> String {
    let totals: Vec<u64> = summary.totals.0.iter().map(|total| total.count).collect();
    study.model.caution(&totals).map_or_else(String::new, |words| format!("warning: {words}\n"))
}

/// What to look at next.
fn next_lines(out: &Path) -> String {
    format!(
        "results: {}\n  touchdown study report {}    curves, the worst trials, inputs: one page for a browser\n",
        out.display(),
        quoted(out)
    )
}

fn timing_line(timing: &Timing) -> String {
    let rate = |count: u64| {
        let scaled = scaled(count as f64 / timing.wall_seconds.max(f64::MIN_POSITIVE));
        // Small rates have no prefix.
        scaled.trim_end().to_owned()
    };
    let count = timing.trials.count;
    let trials = timing.trials.nouns.of(count);
    let at_work = 100.0 * timing.engine_seconds / timing.wall_seconds.max(f64::MIN_POSITIVE);
    let mut text = format!("{count} {trials} in {}: {}/s", duration(timing.wall_seconds), rate(count));
    for (place, total) in timing.totals.0.iter().enumerate() {
        let (rate, name) = (rate(total.count), total.name);
        text.push_str(&if place == 0 { format!(", {rate} {name}/s") } else { format!(" ({rate} {name})") });
    }
    text + &format!("\nthe engine was at work for {at_work:.1} % of the time\n")
}
