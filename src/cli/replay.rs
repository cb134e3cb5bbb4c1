//! `touchdown study replay`.

use std::path::PathBuf;

use clap::Args;
use touchdown::engine::EngineIdentity;
use touchdown::query::{LandingEvent, LandingStep, Observer};
use touchdown::study::{Comparison, RunDirectory, Study, Trace};

use super::Failure;
use super::engine::EngineOptions;
use super::events::{EventLog, outcome_lines};
use super::failure::Code;
use super::place::refuse_inside;
use super::text::{number, print};

/// Repeat one landing of a run step by step
///
/// Repeats one landing of a run step by step: prints its inputs, its events and its outcome, and compares the outcome
/// with the run's row, bit for bit. Without --engine the landing is computed by the engine that made the row.
#[derive(Debug, Args)]
pub struct Replay {
    /// Directory of the run
    directory: PathBuf,
    /// Number of the landing, counted from 0
    #[arg(long, value_name = "N")]
    landing: u64,
    /// Write every step to this table (.csv or .parquet)
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Replay {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read_stored(&self.directory)?;
        if let Some(trace) = &self.trace {
            refuse_inside("--trace", trace, &RunDirectory::open(&self.directory).parts())?;
        }
        if self.landing >= study.landings {
            return Err(Failure::bad_input(format!(
                "--landing {}: the study has {} landings, counted from 0",
                self.landing, study.landings
            )));
        }
        let made_it = RunDirectory::open(&self.directory).engine_of(&study, self.landing)?;
        let engine = self.engine.engine_of(made_it.as_ref())?;
        let inputs = study.landing_inputs(self.landing);
        let mut watchers = Watchers {
            log: EventLog::new(&study),
            trace: self.trace.as_deref().map(|path| Trace::create(path, &study, self.landing)).transpose()?,
        };
        let outcome = engine.trace_landing(&study.job, &inputs, &mut watchers)?;
        if let Some(trace) = watchers.trace {
            trace.finish()?;
        }
        print(&format!("landing {} of study {}:\n", self.landing, study.name))?;
        if study.is_weighted() {
            print(&format!("  {:<28} {}\n", "weight", number(study.weight(self.landing))))?;
        }
        for sampled in &study.inputs {
            let (input, value) = (sampled.input, inputs.get(sampled.input));
            print(&format!("  {:<28} {} {}\n", input.name(), number(value), input.unit().symbol()))?;
        }
        print(&format!("\n{}\n{}", watchers.log.text(), outcome_lines(&study, &outcome)))?;
        match RunDirectory::open(&self.directory).compare(&study, self.landing, &outcome)? {
            Comparison::NoPart => print("\nthe part with this landing is not there to compare with\n")?,
            Comparison::NotKept => print("\nthe row was not kept, so there is nothing to compare with\n")?,
            Comparison::Row { differences } if differences.is_empty() => {
                print("\nequal to the run's row, bit for bit\n")?;
            }
            Comparison::Row { differences } => {
                print(&format!("\nDIFFERENT from the run's row in: {}\n", differences.join(", ")))?;
                if let Some(made_it) = made_it.filter(|made_it| *made_it != engine.identity()) {
                    print(&said_by("the run's row", &made_it))?;
                    print(&said_by("this landing", &engine.identity()))?;
                }
                return Ok(Code::Disagreement);
            }
        }
        Ok(Code::Done)
    }
}

/// Who computed something.
fn said_by(what: &str, identity: &EngineIdentity) -> String {
    let EngineIdentity { engine, adapter, version } = identity;
    format!("  {what} is of engine {engine} on {adapter}, version {version}\n")
}

/// The log, and the table where one is wanted.
struct Watchers<'a> {
    log: EventLog<'a>,
    trace: Option<Trace>,
}

impl Observer for Watchers<'_> {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.log.step(step);
        if let Some(trace) = &mut self.trace {
            trace.step(step);
        }
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        self.log.event(time, event);
    }
}
