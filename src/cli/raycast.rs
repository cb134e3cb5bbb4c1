//! `touchdown raycast`.

use std::path::PathBuf;

use clap::Args;
use glam::DVec3;
use touchdown::job::Compute;
use touchdown::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use touchdown::scene::Scene;
use touchdown::table::{Chunk, Column, ColumnKind, TableError, TableReader, TableWriter, Values, Wanted};

use super::Failure;
use super::engine::{EngineOptions, SearchOption, made_by};
use super::failure::Code;
use super::interrupt::{stop_on_interrupt, stopped};
use super::place::refuse_overwriting;
use super::scene::read_scene;

/// Where segments first meet a scene
///
/// Finds where segments first meet a scene.
///
/// Reads a table with x1,y1,z1,x2,y2,z2 and optionally lambda1,lambda2 (default 0 and 1); writes one row per segment
/// with status (hit or miss), lambda, the normal of the surface hit as stored in its leaf (0 if the ray starts inside),
/// the leaf and its material. Tables are CSV or Parquet, by file name suffix.
#[derive(Debug, Args)]
pub struct Raycast {
    /// Scene file
    #[arg(long, value_name = "FILE")]
    scene: PathBuf,
    /// Table of rays
    #[arg(long, value_name = "FILE")]
    rays: PathBuf,
    /// Table of entry points
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    search: SearchOption,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Raycast {
    pub fn run(&self) -> Result<Code, Failure> {
        refuse_overwriting("--out", &self.out, &[&self.rays, &self.scene])?;
        let scene = read_scene(&self.scene)?;
        let engine = self.engine.searching_engine(self.search)?;
        let stop = stop_on_interrupt();
        let mut writer = TableWriter::create(&self.out, &columns(), &made_by(engine.as_ref()))?;
        for chunk in TableReader::open(&self.rays, &wanted())? {
            let chunk = chunk?;
            let rays = rays(&chunk)?;
            if let Some(row) = rays.iter().position(|ray| !ray.is_valid()) {
                return Err(Failure::bad_input(format!(
                    "{}: row {} (the first is 0): lambda1 must not be above lambda2, and no number above 1e60",
                    self.rays.display(),
                    chunk.first_row + row as u64
                )));
            }
            let entries = engine.compute::<EntryPoints>(&scene, &rays);
            let entries = entries.map_err(|error| Failure::about(&self.scene, error))?;
            let unanswered = |entry: &EntryPoint| !matches!(entry.status, RayStatus::Hit | RayStatus::Miss);
            if let Some(row) = entries.iter().position(unanswered) {
                return Err(Failure::bad_input(format!(
                    "{}: row {} (the first is 0): the ray is too long for engine {}, or meets too much; use --engine native",
                    self.rays.display(),
                    chunk.first_row + row as u64,
                    engine.identity().engine
                )));
            }
            writer.write(&Chunk { first_row: chunk.first_row, columns: values(&scene, &entries) })?;
            if let Some(code) = stopped(&stop) {
                return Ok(code);
            }
        }
        writer.finish()?;
        Ok(Code::Done)
    }
}

fn wanted() -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> =
        ["x1", "y1", "z1", "x2", "y2", "z2"].map(|name| Wanted::required(name, ColumnKind::Number)).into();
    wanted.extend(["lambda1", "lambda2"].map(|name| Wanted::optional(name, ColumnKind::Number)));
    wanted
}

fn rays(chunk: &Chunk) -> Result<Vec<Ray>, TableError> {
    let columns = (0..8).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, _>>()?;
    let value = |column: usize, row: usize| columns[column][row].unwrap_or(0.0);
    Ok((0..chunk.len())
        .map(|row| Ray {
            x1: DVec3::new(value(0, row), value(1, row), value(2, row)),
            x2: DVec3::new(value(3, row), value(4, row), value(5, row)),
            lambda1: value(6, row),
            lambda2: columns[7][row].unwrap_or(1.0),
        })
        .collect())
}

fn columns() -> Vec<Column> {
    let number = |name, meaning| Column::new(name, ColumnKind::Number, "1", meaning);
    vec![
        Column::new("status", ColumnKind::Text, "", "hit or miss"),
        number("lambda", "First lambda in the scene"),
        number("nx", "Normal of the border met, as stored in its leaf; 0 when the ray starts inside"),
        number("ny", "Normal, y"),
        number("nz", "Normal, z"),
        Column::new("leaf", ColumnKind::Integer, "", "Leaf whose border is met; missing when the ray starts inside"),
        Column::new("material", ColumnKind::Text, "", "What is met there is made of"),
    ]
}

fn values(scene: &Scene, entries: &[EntryPoint]) -> Vec<Values> {
    let of_hits = |value: fn(&EntryPoint) -> f64| {
        Values::Number(entries.iter().map(|entry| (entry.status == RayStatus::Hit).then(|| value(entry))).collect())
    };
    let status = |entry: &EntryPoint| if entry.status == RayStatus::Hit { "hit" } else { "miss" };
    let material = |entry: &EntryPoint| entry.material.map(|material| scene.material(material).name.clone());
    vec![
        Values::Text(entries.iter().map(|entry| Some(status(entry).to_owned())).collect()),
        of_hits(|entry| entry.lambda),
        of_hits(|entry| entry.normal.x),
        of_hits(|entry| entry.normal.y),
        of_hits(|entry| entry.normal.z),
        Values::Integer(entries.iter().map(|entry| entry.leaf.map(i64::from)).collect()),
        Values::Text(entries.iter().map(material).collect()),
    ]
}
