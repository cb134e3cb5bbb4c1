//! `touchdown study replay`.

use std::path::{Path, PathBuf};

use clap::Args;
use touchdown::engine::{Engine, EngineIdentity};
use touchdown::picture::{Mode, Moment, Request, Size, flight, render};
use touchdown::query::{LandingEvent, LandingJob, LandingState, LandingStep, Observer};
use touchdown::study::{Comparison, RunDirectory, Study, Trace};
use touchdown::table::write_atomically;

use super::Failure;
use super::engine::EngineOptions;
use super::events::{EventLog, outcome_lines};
use super::failure::Code;
use super::place::refuse_inside;
use super::scene::tell_warnings;
use super::starts::fault_line;
use super::text::{Shown, number, print};

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
    /// Show the way of the vehicle, and the vehicle along it, in this picture
    #[arg(long, value_name = "PNG")]
    render: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Replay {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read_stored(&self.directory)?;
        tell_warnings(&study.job.scene);
        if let Some(trace) = &self.trace {
            refuse_inside("--trace", trace, &RunDirectory::open(&self.directory).parts())?;
        }
        if let Some(picture) = &self.render {
            refuse_inside("--render", picture, &RunDirectory::open(&self.directory).parts())?;
        }
        if self.landing >= study.landings {
            return Err(Failure::bad_input(format!(
                "--landing {}: the study has {} landings, counted from 0",
                self.landing, study.landings
            )));
        }
        let Some(inputs) = RunDirectory::open(&self.directory).inputs_of(&study, self.landing)? else {
            return Err(Failure::bad_input(format!(
                "--landing {}: this run has not simulated it; the column `landing` of its files has those that it has",
                self.landing
            )));
        };
        let made_it = RunDirectory::open(&self.directory).engine_of(&study, self.landing)?;
        let engine = self.engine.engine_of(made_it.as_ref())?;
        let mut watchers = Watchers {
            log: EventLog::new(&study),
            trace: self.trace.as_deref().map(|path| Trace::create(path, &study, self.landing)).transpose()?,
            moments: self
                .render
                .is_some()
                .then(|| LandingState::start(&study.job, &inputs).iter().map(Moment::of).collect()),
        };
        let outcome = engine.trace_landing(&study.job, &inputs, &mut watchers)?;
        if let Some(trace) = watchers.trace {
            trace.finish()?;
        }
        if let Some((path, moments)) = self.render.as_ref().zip(watchers.moments) {
            self.picture(path, &study, engine.as_ref(), &moments)?;
        }
        print(&format!("landing {} of study {}:\n", self.landing, study.name))?;
        if study.is_weighted() {
            print(&format!("  {:<28} {}\n", "weight", number(study.weight(self.landing))))?;
        }
        for sampled in &study.inputs {
            let (input, value) = (sampled.input, inputs.get(sampled.input));
            let shown = Shown::of(input.unit().symbol());
            print(&format!("  {:<28} {} {}\n", input.name(), shown.number(value), shown.symbol))?;
        }
        print(&format!("\n{}\n{}", watchers.log.text(), outcome_lines(&study, &outcome)))?;
        print(&fault_line(&study, &inputs))?;
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

    /// Writes the picture of a landing; of one that could not be flown there is none.
    fn picture(&self, path: &Path, study: &Study, engine: &dyn Engine, moments: &[Moment]) -> Result<(), Failure> {
        let LandingJob { scene, vehicle, .. } = &study.job;
        let shown = flight(scene, vehicle, moments, PICTURE)
            .map_err(|error| Failure::bad_input(format!("--render: {error}")))?
            .ok_or_else(|| Failure::bad_input("--render: the landing was not flown: it cannot start"))?;
        let larger = match shown.magnification {
            1.0 => String::new(),
            times => format!(", vehicle x {times:.1}"),
        };
        let request = Request {
            title: format!("landing {}{larger}", self.landing),
            view: shown.view,
            size: PICTURE,
            mode: Mode::Shaded,
            samples: SAMPLES,
        };
        let picture = render(engine, &shown.scene, &request, &mut |_| ())?;
        Ok(write_atomically(path, &picture.png()?)?)
    }
}

/// Width and height of pictures.
const PICTURE: Size = Size { width: 1280, height: 720 };
/// Each pixel is the mean of so many times so many rays.
const SAMPLES: u32 = 3;

/// Who computed something.
fn said_by(what: &str, identity: &EngineIdentity) -> String {
    let EngineIdentity { engine, adapter, version } = identity;
    format!("  {what} is of engine {engine} on {adapter}, version {version}\n")
}

/// The log, and the table and the picture where they are wanted.
struct Watchers<'a> {
    log: EventLog<'a>,
    trace: Option<Trace>,
    moments: Option<Vec<Moment>>,
}

impl Observer for Watchers<'_> {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.log.step(step);
        if let Some(trace) = &mut self.trace {
            trace.step(step);
        }
        if let Some(moments) = &mut self.moments {
            moments.push(Moment::of(step.state));
        }
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        self.log.event(time, event);
    }
}
