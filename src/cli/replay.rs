//! `touchdown study replay`.

use std::path::{Path, PathBuf};

use clap::Args;
use touchdown::engine::Engine;
use touchdown::model::{self, Inputs, Nouns, PictureError};
use touchdown::picture::{Mode, Request, Size, render};
use touchdown::study::{Comparison, RunDirectory, Study, Trace};
use touchdown::table::write_atomically;

use super::Failure;
use super::engine::EngineOptions;
use super::events::{EventLog, outcome_lines};
use super::failure::Code;
use super::place::{refuse_of_run, refuse_other_ending};
use super::scene::tell_study_warnings;
use super::starts::fault_line;
use super::text::{Shown, number, one_line, print};

/// Repeat one trial of a run step by step
///
/// Repeats one trial of a run step by step: prints its inputs, events and outcome, and compares the outcome with the
/// row of the run, bit for bit. Without --engine the trial is computed by the engine that wrote the row.
#[derive(Debug, Args)]
pub struct Replay {
    /// Directory of the run
    directory: PathBuf,
    /// Number of the trial (the landing), counted from 0
    #[arg(long = "item", visible_aliases = ["trial", "landing"], value_name = "N", allow_negative_numbers = true)]
    trial: u64,
    /// Write every step to this table (.csv or .parquet)
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Render the trajectory to this picture
    #[arg(long, value_name = "PNG")]
    render: Option<PathBuf>,
    /// Render moments of a world to numbered pictures in this directory, for an animation
    #[arg(long, value_name = "DIR")]
    frames: Option<PathBuf>,
    /// Frames per second of simulated time
    #[arg(long, value_name = "HZ", default_value_t = 25.0, requires = "frames")]
    frame_rate: f64,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Replay {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read_stored(&self.directory)?;
        tell_study_warnings(&study);
        let Nouns { one, many } = study.nouns();
        if let Some(trace) = &self.trace {
            refuse_of_run("--trace", trace)?;
        }
        if let Some(picture) = &self.render {
            refuse_of_run("--render", picture)?;
            refuse_other_ending("--render", picture, "png")?;
        }
        if let Some(frames) = &self.frames {
            refuse_of_run("--frames", &frames.join("00000.png"))?;
            if !(MIN_FRAME_RATE..=MAX_FRAME_RATE).contains(&self.frame_rate) {
                return Err(Failure::bad_input(format!(
                    "--frame-rate {:?}: must be from {MIN_FRAME_RATE} to {MAX_FRAME_RATE} Hz",
                    self.frame_rate
                )));
            }
        }
        if self.trial >= study.trials {
            return Err(Failure::bad_input(format!(
                "--item {}: the study has {} {many}, counted from 0",
                self.trial, study.trials
            )));
        }
        let Some(inputs) = RunDirectory::open(&self.directory).inputs_of(&study, self.trial)? else {
            return Err(Failure::bad_input(format!(
                "--item {}: this run has not simulated it; the column `{one}` of its files lists those it has",
                self.trial
            )));
        };
        let made_it = RunDirectory::open(&self.directory).engine_of(&study, self.trial)?;
        let engine = self.engine.engine_of(made_it.as_ref())?;
        let trace = self.trace.as_deref().map(|path| Trace::create(path, &study, self.trial)).transpose()?;
        let mut log = EventLog::new(trace);
        let outcome = study.model.trace(engine.as_ref(), &inputs, &mut log)?;
        let (log, trace) = log.finish();
        // Whatever may be refused is, before anything is written.
        let comparison = RunDirectory::open(&self.directory).compare(&study, self.trial, &outcome)?;
        let picture =
            self.render.as_deref().map(|path| picture_of(path, &study, engine.as_ref(), &inputs)).transpose()?;
        let film = self.frames.as_deref().map(|to| self.film(to, &study, engine.as_ref(), &inputs)).transpose()?;
        for drawn in picture.iter().chain(film.iter().flatten()) {
            self.draw(drawn, &study, engine.as_ref())?;
        }
        if let Some(trace) = trace {
            trace.finish()?;
        }
        print(&format!("{one} {} of study {}:\n", self.trial, one_line(&study.name)))?;
        if study.is_weighted() {
            print(&format!("  {:<28} {}\n", "weight", number(study.weight(self.trial))))?;
        }
        for sampled in &study.inputs {
            let (input, value) = (&sampled.input, inputs.values[sampled.number]);
            let shown = Shown::of(input.unit.symbol());
            print(&format!("  {:<28} {} {}\n", input.name, shown.number(value), shown.symbol))?;
        }
        print(&format!("\n{}\n{}", log, outcome_lines(&study, &outcome)))?;
        print(&fault_line(&study, &inputs))?;
        match comparison {
            Comparison::NoPart => print(&format!("\nthe part with this {one} is not there to compare with\n"))?,
            Comparison::NotKept => print("\nthe row was not kept, so there is nothing to compare with\n")?,
            Comparison::Row { differences } if differences.is_empty() => {
                print("\nequal to the run's row, bit for bit\n")?;
            }
            Comparison::Row { differences } => {
                print(&format!("\nDIFFERENT from the run's row in: {}\n", differences.join(", ")))?;
                if let Some(made_it) = made_it.filter(|made_it| *made_it != engine.identity()) {
                    print(&format!("  the run's row is of {made_it}\n  this {one} is of {}\n", engine.identity()))?;
                }
                return Ok(Code::Disagreement);
            }
        }
        Ok(Code::Done)
    }

    /// The pictures of moments. Their directory is made where there are some.
    fn film(
        &self,
        directory: &Path,
        study: &Study,
        engine: &dyn Engine,
        inputs: &Inputs,
    ) -> Result<Vec<Drawn>, Failure> {
        let frame = (FRAME.width, FRAME.height);
        let frames = study
            .model
            .frames(engine, inputs, frame, 1.0 / self.frame_rate)
            .map_err(|error| no_picture("--frames", error))?;
        std::fs::create_dir_all(directory)
            .map_err(|error| Failure::bad_input(format!("--frames {}: {error}", directory.display())))?;
        let path = |number: usize| directory.join(format!("{number:05}.png"));
        let drawn = |(number, shown)| Drawn { path: path(number), shown, size: FRAME, samples: FRAME_SAMPLES };
        Ok(frames.into_iter().enumerate().map(drawn).collect())
    }

    /// Renders a picture and writes it.
    fn draw(&self, drawn: &Drawn, study: &Study, engine: &dyn Engine) -> Result<(), Failure> {
        let Drawn { path, shown, size, samples } = drawn;
        let note = if shown.note.is_empty() { String::new() } else { format!(", {}", shown.note) };
        let request = Request {
            title: format!("{} {}{note}", study.nouns().one, self.trial),
            view: shown.view,
            size: *size,
            mode: Mode::Shaded,
            samples: *samples,
        };
        let picture = render(engine, &shown.scene, &request, &mut |_| ())?;
        Ok(write_atomically(path, &picture.png()?)?)
    }
}

/// A picture to be rendered, and where it goes.
struct Drawn {
    path: PathBuf,
    shown: model::Shown,
    size: Size,
    /// Each pixel is the mean of N x N rays.
    samples: u32,
}

/// The picture of a trial, if there is anything to show.
fn picture_of(path: &Path, study: &Study, engine: &dyn Engine, inputs: &Inputs) -> Result<Drawn, Failure> {
    let shown = study.model.picture(engine, inputs, (PICTURE.width, PICTURE.height));
    let shown = shown.map_err(|error| no_picture("--render", error))?;
    Ok(Drawn { path: path.to_owned(), shown, size: PICTURE, samples: SAMPLES })
}

fn no_picture(option: &str, error: PictureError) -> Failure {
    match error {
        PictureError::Engine(error) => error.into(),
        other => Failure::bad_input(format!("{option}: {other}")),
    }
}

/// Width and height of pictures.
const PICTURE: Size = Size { width: 1280, height: 720 };
/// Each pixel of theirs is the mean of N x N rays.
const SAMPLES: u32 = 3;
/// The same of frames, of which there are many.
const FRAME: Size = Size { width: 640, height: 360 };
const FRAME_SAMPLES: u32 = 2;
/// Limits of their rate \[Hz\].
const MIN_FRAME_RATE: f64 = 1e-3;
const MAX_FRAME_RATE: f64 = 1e6;
