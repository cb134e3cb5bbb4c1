//! `touchdown wheels`.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use glam::{DQuat, DVec3};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{self, MIN_ROTATION, WheelFrame, WheelParameters, WheelStep};
use touchdown::scene::{LIMITS, Scene};
use touchdown::table::{Chunk, Column, ColumnKind, TableReader, TableWriter, Values, Wanted};
use touchdown::vehicle::read_wheel;

use super::Failure;
use super::engine::{EngineOptions, made_by};
use super::failure::Code;
use super::interrupt::{stop_on_interrupt, stopped};
use super::place::refuse_overwriting;
use super::scene::read_scene;

/// Move wheels through prescribed frames
///
/// Moves wheels through prescribed frames over a scene.
///
/// Reads a table with wheel,step,bx,by,bz,qw,qx,qy,qz,vx,vy,vz,brake and, if brakes follow the load, `brake_friction`:
/// the steps of each wheel in sequence, counted from 0. A wheel is held back by the force `brake` [N] and by `brake_friction`
/// times its load, besides its rolling resistance. Writes wheel,step,state,fx,fy,fz,px,py,pz,nx,ny,nz,material:
/// the state after the step (0 broken, 1 free, 2 slipping, 3 standing), the force on the airframe, and while in contact
/// the position of the pebble, the surface normal and the material; all in world coordinates.
#[derive(Debug, Args)]
pub struct Wheels {
    /// Scene file
    #[arg(long, value_name = "FILE")]
    scene: PathBuf,
    /// Wheel file: `k_xy`, `k_z`, `d_xy`, `d_z`, `z_min`, `z_zero`, `z_max`
    #[arg(long, value_name = "FILE")]
    wheel: PathBuf,
    /// Table of frames
    #[arg(long, value_name = "FILE")]
    frames: PathBuf,
    /// Time step in seconds; recorded in the metadata of a Parquet result, which does not depend on it
    #[arg(long, value_name = "SECONDS", value_parser = step, allow_negative_numbers = true)]
    step: f64,
    /// Table of results
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    engine: EngineOptions,
}

fn step(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(step) if step > 0.0 && step <= 1.0 => Ok(step),
        _ => Err("must be above 0 and at most 1 s".to_owned()),
    }
}

/// Numeric columns, in the order they are read; the last may be absent.
const NUMBERS: [&str; 12] = ["bx", "by", "bz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "brake", "brake_friction"];

/// Frames of a wheel so far.
struct Run {
    wheel: i64,
    frames: Vec<WheelFrame>,
}

impl Wheels {
    pub fn run(&self) -> Result<Code, Failure> {
        refuse_overwriting("--out", &self.out, &[&self.frames, &self.wheel, &self.scene])?;
        let scene = read_scene(&self.scene)?;
        let parameters = read_wheel(&self.wheel)?;
        if let Some(leaf) = scene.first_bare_leaf() {
            return Err(Failure::bad_input(format!(
                "{}: leaf {leaf} has no material everywhere; name a default_material",
                self.scene.display()
            )));
        }
        let engine = self.engine.engine()?;
        let stop = stop_on_interrupt();
        let mut metadata = made_by(engine.as_ref());
        metadata.push(("touchdown.step".to_owned(), self.step.to_string()));
        let mut output = Output {
            engine: engine.as_ref(),
            scene: &scene,
            parameters: &parameters,
            writer: TableWriter::create(&self.out, &columns(), &metadata)?,
        };
        // A wheel may continue in the next chunk, so the last one is held back until another begins.
        let mut runs: Vec<Run> = Vec::new();
        let mut seen = HashSet::new();
        for chunk in TableReader::open(&self.frames, &wanted())? {
            self.take_in(&chunk?, &mut runs, &mut seen)?;
            let last = runs.pop();
            output.write(&runs)?;
            runs.clear();
            runs.extend(last);
            if let Some(code) = stopped(&stop) {
                return Ok(code);
            }
        }
        output.write(&runs)?;
        output.writer.finish()?;
        Ok(Code::Done)
    }

    fn take_in(&self, chunk: &Chunk, runs: &mut Vec<Run>, seen: &mut HashSet<i64>) -> Result<(), Failure> {
        let (wheels, steps) = (chunk.integers(0)?, chunk.integers(1)?);
        let numbers = (2..2 + NUMBERS.len()).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, _>>()?;
        for row in 0..chunk.len() {
            let refuse = |what: String| {
                let number = chunk.first_row + row as u64;
                Err(Failure::bad_input(format!("{}: row {number} (the first is 0): {what}", self.frames.display())))
            };
            let (wheel, step) = (wheels[row].unwrap_or(0), steps[row].unwrap_or(0));
            let value = |column: usize| numbers[column][row].unwrap_or(0.0);
            if let Some(column) = (0..NUMBERS.len()).find(|&column| value(column).abs() > LIMITS.magnitude) {
                let (name, number, limit) = (NUMBERS[column], value(column), LIMITS.magnitude);
                return refuse(format!("column {name}: {number:e} is above {limit:e} in magnitude"));
            }
            let orientation = DQuat::from_xyzw(value(4), value(5), value(6), value(3));
            let length = orientation.length();
            if length < MIN_ROTATION {
                return refuse(format!("the quaternion has length {length:e}; it must be at least {MIN_ROTATION:e}"));
            }
            if let Some(column) = [10, 11].into_iter().find(|&column| value(column) < 0.0) {
                return refuse(format!("{} is {}; it must not be negative", NUMBERS[column], value(column)));
            }
            if runs.last().is_none_or(|run| run.wheel != wheel) {
                if !seen.insert(wheel) {
                    return refuse(format!("wheel {wheel} has rows elsewhere already; they must stand together"));
                }
                runs.push(Run { wheel, frames: Vec::new() });
            }
            let Some(run) = runs.last_mut() else { continue };
            let expected = run.frames.len() as i64;
            if step != expected {
                return refuse(format!("wheel {wheel} has step {step} where step {expected} should stand"));
            }
            run.frames.push(WheelFrame {
                origin: DVec3::new(value(0), value(1), value(2)),
                orientation: orientation.normalize(),
                velocity: DVec3::new(value(7), value(8), value(9)),
                brake: value(10),
                brake_friction: value(11),
            });
        }
        Ok(())
    }
}

struct Output<'a> {
    engine: &'a dyn Engine,
    scene: &'a Scene,
    parameters: &'a WheelParameters,
    writer: TableWriter,
}

impl Output<'_> {
    fn write(&mut self, runs: &[Run]) -> Result<(), Failure> {
        let frames: Vec<Vec<WheelFrame>> = runs.iter().map(|run| run.frames.clone()).collect();
        let results = self.engine.compute::<query::Wheels>((self.scene, self.parameters), &frames)?;
        for (run, steps) in runs.iter().zip(&results) {
            self.writer.write(&Chunk { first_row: 0, columns: values(self.scene, run.wheel, steps) })?;
        }
        Ok(())
    }
}

fn wanted() -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = ["wheel", "step"].map(|name| Wanted::required(name, ColumnKind::Integer)).into();
    wanted.extend(NUMBERS.map(|name| match name {
        "brake_friction" => Wanted::optional(name, ColumnKind::Number),
        _ => Wanted::required(name, ColumnKind::Number),
    }));
    wanted
}

fn columns() -> Vec<Column> {
    let number = |name, unit, meaning| Column::new(name, ColumnKind::Number, unit, meaning);
    vec![
        Column::new("wheel", ColumnKind::Integer, "", "Wheel"),
        Column::new("step", ColumnKind::Integer, "", "Step of the wheel, counted from 0"),
        Column::new("state", ColumnKind::Integer, "", "State after the step: 0 broken, 1 free, 2 slipping, 3 standing"),
        number("fx", "N", "Force on the airframe, world"),
        number("fy", "N", "Force, y"),
        number("fz", "N", "Force, z"),
        number("px", "m", "Place of the pebble, world; missing without contact"),
        number("py", "m", "Pebble, y"),
        number("pz", "m", "Pebble, z"),
        number("nx", "1", "Normal of the surface as stored in its leaf; missing without contact"),
        number("ny", "1", "Normal, y"),
        number("nz", "1", "Normal, z"),
        Column::new("material", ColumnKind::Text, "", "Material under the pebble"),
    ]
}

fn values(scene: &Scene, wheel: i64, steps: &[WheelStep]) -> Vec<Values> {
    let number = |value: &dyn Fn(&WheelStep) -> Option<f64>| Values::Number(steps.iter().map(value).collect());
    let touching =
        |value: fn(&WheelStep) -> f64| number(&move |step: &WheelStep| step.contact.touches().then(|| value(step)));
    let material = |step: &WheelStep| step.contact.material.map(|material| scene.material(material).name.clone());
    vec![
        Values::Integer(vec![Some(wheel); steps.len()]),
        Values::Integer((0..steps.len() as i64).map(Some).collect()),
        Values::Integer(steps.iter().map(|step| Some(step.contact.state as i64)).collect()),
        number(&|step| Some(step.force.x)),
        number(&|step| Some(step.force.y)),
        number(&|step| Some(step.force.z)),
        touching(|step| step.contact.pebble.x),
        touching(|step| step.contact.pebble.y),
        touching(|step| step.contact.pebble.z),
        touching(|step| step.contact.normal.x),
        touching(|step| step.contact.normal.y),
        touching(|step| step.contact.normal.z),
        Values::Text(steps.iter().map(material).collect()),
    ]
}
