//! `touchdown oriented`.

mod rows;

use std::path::PathBuf;

use clap::Args;
use glam::DVec2;
use touchdown::engine::Engine;
use touchdown::oriented::{CollisionTracker, Scenes};
use touchdown::query::{ConvexTarget, OrientedConfiguration};
use touchdown::table::{CHUNK_ROWS, Chunk, Column, ColumnKind, TableWriter, Values, write_atomically};

use self::rows::{InitiatorSteps, TargetSteps};
use super::Failure;
use super::engine::{EngineOptions, made_by};
use super::failure::Code;
use super::interrupt::{stop_on_interrupt, stopped};
use super::place::{refuse_other_ending, refuse_overwriting};

/// Which surfaces of convex targets points collide with
///
/// Tracks points through convex planar targets and reports the surface each has collided with: the one that lost
/// separation last before the point was inside, kept while it stays inside. The minimum-translation surface, the
/// nearest one, is reported beside it.
///
/// Reads targets with step,target,vertex,x,y: steps, targets and the vertices of each counted from 0, in this order;
/// vertices clockwise around a convex area, 3 to 32 of them, the same number in each step. Reads initiators with
/// step,initiator,x,y. Writes step,target,initiator,penetration,collision,`collision_last`,`minimum_translation`: bit
/// masks in which bit i is the surface from vertex i to the next; `collision_last` has at most one surface where
/// several lost separation in one step; `minimum_translation` is the number of the nearest surface, or -1 outside.
#[derive(Debug, Args)]
pub struct OrientedVerb {
    /// Table of targets
    #[arg(long, value_name = "FILE")]
    targets: PathBuf,
    /// Table of initiators, the points
    #[arg(long, value_name = "FILE")]
    initiators: PathBuf,
    /// Table of collision states
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Picture (SVG) of targets and paths, with the surfaces collided with
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

impl OrientedVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        let inputs = [self.targets.as_path(), &self.initiators];
        refuse_overwriting("--out", &self.out, &inputs)?;
        if let Some(picture) = &self.picture {
            refuse_overwriting("--picture", picture, &inputs)?;
            if *picture == self.out {
                return Err(Failure::bad_input(format!(
                    "--picture {}: --out writes there; choose another file",
                    picture.display()
                )));
            }
            refuse_other_ending("--picture", picture, "svg")?;
        }
        let (mut targets, mut initiators) =
            (TargetSteps::open(&self.targets)?, InitiatorSteps::open(&self.initiators)?);
        let engine = self.engine.engine()?;
        let stop = stop_on_interrupt();
        let mut writer = TableWriter::create(&self.out, &columns(), &made_by(engine.as_ref()))?;
        let mut tracker: Option<CollisionTracker> = None;
        let mut scenes = self.picture.as_ref().map(|_| Scenes::default());
        for step in 0.. {
            let (targets, places) = match (targets.step(step)?, initiators.step(step)?) {
                (Some(targets), Some(places)) => (targets, places),
                (None, None) => break,
                (found, _) => return Err(self.ends_early(step, found.is_none())),
            };
            let tracker = advance(engine.as_ref(), &mut tracker, targets, places)?;
            write(&mut writer, step, tracker)?;
            if let Some(scenes) = &mut scenes {
                scenes.add(tracker);
            }
            if let Some(code) = stopped(&stop) {
                return Ok(code);
            }
        }
        if let (Some(picture), Some(scenes)) = (&self.picture, scenes) {
            write_atomically(picture, scenes.svg().as_bytes())?;
        }
        writer.finish()?;
        Ok(Code::Done)
    }

    /// Error for a step missing in one of the tables.
    fn ends_early(&self, step: i64, are_targets: bool) -> Failure {
        let (one, other) = (self.targets.display(), self.initiators.display());
        let (ends, goes_on) = if are_targets { (one, other) } else { (other, one) };
        Failure::bad_input(format!(
            "{ends}: there is no step {step}, which {goes_on} has; both must have the same steps"
        ))
    }
}

/// Advances to the next step, or starts with it.
fn advance<'a>(
    engine: &dyn Engine,
    tracker: &'a mut Option<CollisionTracker>,
    targets: Vec<ConvexTarget>,
    places: Vec<DVec2>,
) -> Result<&'a CollisionTracker, Failure> {
    match tracker {
        None => Ok(tracker.insert(CollisionTracker::initialise(engine, targets, places)?)),
        Some(tracker) => {
            tracker.accept(engine, targets, places)?;
            Ok(tracker)
        }
    }
}

fn columns() -> Vec<Column> {
    let integer = |name, meaning| Column::new(name, ColumnKind::Integer, "", meaning);
    vec![
        integer("step", "Step, counted from 0"),
        integer("target", "Target, counted from 0"),
        integer("initiator", "Initiator, counted from 0"),
        integer("penetration", "Mask of the surfaces from which the initiator is not separated; bit i is surface i"),
        integer("collision", "Mask of the surfaces that it collides with"),
        integer("collision_last", "Mask of the one of them that lost separation last"),
        integer("minimum_translation", "Surface that is nearest, of an initiator inside; else -1"),
    ]
}

/// Writes the collision states of a step.
fn write(writer: &mut TableWriter, step: i64, tracker: &CollisionTracker) -> Result<(), Failure> {
    let initiators = tracker.initiators().len().max(1);
    for (chunk, configurations) in tracker.configurations().chunks(CHUNK_ROWS).enumerate() {
        let first = chunk * CHUNK_ROWS;
        let pairs = first..first + configurations.len();
        let numbers = |of: &dyn Fn(usize) -> i64| Values::Integer(pairs.clone().map(|pair| Some(of(pair))).collect());
        let words = |of: fn(&OrientedConfiguration) -> i64| {
            Values::Integer(configurations.iter().map(|configuration| Some(of(configuration))).collect())
        };
        let columns = vec![
            numbers(&|_| step),
            numbers(&|pair| (pair / initiators) as i64),
            numbers(&|pair| (pair % initiators) as i64),
            words(|of| i64::from(of.penetration)),
            words(|of| i64::from(of.collision)),
            words(|of| i64::from(of.collision_last)),
            words(|of| of.minimum_translation.map_or(-1, i64::from)),
        ];
        writer.write(&Chunk { first_row: 0, columns })?;
    }
    Ok(())
}
