//! `touchdown particle`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{
    MAX_PARTICLE_NUMBER, MAX_PARTICLE_STEPS, MIN_GAMMA, MIN_PARTICLE_STEP, Particle, ParticleStep, ParticleTraces,
    Restitution,
};
use touchdown::table::{CHUNK_ROWS, Chunk, Column, ColumnKind, TableError, TableReader, TableWriter, Values, Wanted};

use super::Failure;
use super::engine::{EngineOptions, made_by};
use super::failure::Code;
use super::interrupt::{stop_on_interrupt, stopped};
use super::place::refuse_overwriting;

/// Numeric columns, in the order they are read; the number of steps follows them.
const NUMBERS: [&str; 6] = ["x", "v", "h", "m", "g", "gamma"];
/// Steps per call to an engine, if no single particle has more: enough to keep it busy, with little memory.
const STEPS_PER_CALL: usize = 1 << 18;

/// Particles above a plane, stepped by complementarity
///
/// Steps particles above a plane, with contact by complementarity: where the gap predicted for the end of a step is
/// negative, the plane pushes just enough for the particle to end on it.
///
/// Reads a table with x (height above the plane), v (velocity, upwards), h (step size), m (mass), g (gravity, positive
/// downwards), gamma (above 0, at most 1: 1/(1 + e) for restitution e) and steps (their number). Writes
/// item,step,x,v,gap,n: the row of the particle and its step, both counted from 0; height and velocity at the start of
/// the step, the gap predicted for its end, x + h v - gamma h^2 g, and the contact force during it.
#[derive(Debug, Args)]
pub struct ParticleVerb {
    /// Table of particles
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// Table of steps
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Restitution of contacts: nominal, e = 1/gamma - 1 if the particle starts on the plane and less from above; or
    /// exact, e times the impact velocity, with flight on exact parabolas (gap x + h v - h^2 g / 2)
    #[arg(long, default_value = "nominal", value_parser = restitution())]
    restitution: Restitution,
    #[command(flatten)]
    engine: EngineOptions,
}

fn restitution() -> impl TypedValueParser<Value = Restitution> {
    let named =
        |name: String| Restitution::ALL.into_iter().find(|kind| kind.name() == name).ok_or("no such restitution");
    PossibleValuesParser::new(Restitution::ALL.map(Restitution::name)).try_map(named)
}

impl ParticleVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        refuse_overwriting("--out", &self.out, &[&self.items])?;
        let reader = TableReader::open(&self.items, &wanted())?;
        let engine = self.engine.engine()?;
        let stop = stop_on_interrupt();
        let mut writer = TableWriter::create(&self.out, &columns(), &made_by(engine.as_ref()))?;
        for chunk in reader {
            let chunk = chunk?;
            let particles = particles(&self.items, &chunk)?;
            let mut first = chunk.first_row;
            for particles in calls(&particles) {
                self.write(engine.as_ref(), first, particles, &mut writer)?;
                first += particles.len() as u64;
                if let Some(code) = stopped(&stop) {
                    return Ok(code);
                }
            }
        }
        writer.finish()?;
        Ok(Code::Done)
    }

    /// Steps particles, numbered from this one on, and writes their rows.
    fn write(
        &self,
        engine: &dyn Engine,
        first: u64,
        particles: &[Particle],
        writer: &mut TableWriter,
    ) -> Result<(), Failure> {
        let traces = engine.compute::<ParticleTraces>(self.restitution, particles)?;
        let numbered = |(item, steps): (u64, &[ParticleStep])| -> Vec<Row> {
            (0..).zip(steps).map(|(step, row)| Row { item: item as i64, step, row: *row }).collect()
        };
        let rows: Vec<Row> = (first..).zip(traces.iter().map(Vec::as_slice)).flat_map(numbered).collect();
        for rows in rows.chunks(CHUNK_ROWS) {
            writer.write(&Chunk { first_row: 0, columns: values(rows) })?;
        }
        Ok(())
    }
}

/// A step of a particle of the table.
struct Row {
    item: i64,
    step: i64,
    row: ParticleStep,
}

/// Particles in groups of at most this many steps, or single ones.
fn calls(particles: &[Particle]) -> impl Iterator<Item = &[Particle]> {
    let mut rest = particles;
    std::iter::from_fn(move || {
        let mut steps = 0;
        let fits = |particle: &&Particle| {
            steps += particle.steps as usize;
            steps <= STEPS_PER_CALL
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (call, others) = rest.split_at(count);
        rest = others;
        (!call.is_empty()).then_some(call)
    })
}

fn wanted() -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = NUMBERS.map(|name| Wanted::required(name, ColumnKind::Number)).into();
    wanted.push(Wanted::required("steps", ColumnKind::Integer));
    wanted
}

fn particles(file: &Path, chunk: &Chunk) -> Result<Vec<Particle>, Failure> {
    let columns = (0..NUMBERS.len()).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, TableError>>()?;
    let steps = chunk.integers(NUMBERS.len())?;
    (0..chunk.len())
        .map(|row| {
            let numbers = std::array::from_fn(|column| columns[column][row].unwrap_or(0.0));
            particle(numbers, steps[row].unwrap_or(0)).map_err(|what| {
                let number = chunk.first_row + row as u64;
                Failure::bad_input(format!("{}: row {number} (the first is 0): {what}", file.display()))
            })
        })
        .collect()
}

/// The particle of a row, or what is wrong with the row.
fn particle(numbers: [f64; 6], steps: i64) -> Result<Particle, String> {
    let most = MAX_PARTICLE_NUMBER;
    let least = [0.0, -most, MIN_PARTICLE_STEP, MIN_PARTICLE_STEP, 0.0, MIN_GAMMA];
    let greatest = [most, most, most, most, most, 1.0];
    for (column, number) in numbers.into_iter().enumerate() {
        let (low, high) = (least[column], greatest[column]);
        if !(low..=high).contains(&number) {
            return Err(format!("column {}: {number:e} must be between {low:e} and {high:e}", NUMBERS[column]));
        }
    }
    let [position, velocity, step, mass, gravity, gamma] = numbers;
    match u32::try_from(steps).ok().filter(|steps| (1..=MAX_PARTICLE_STEPS).contains(steps)) {
        Some(steps) => Ok(Particle { position, velocity, step, mass, gravity, gamma, steps }),
        None => Err(format!("column steps: {steps} must be between 1 and {MAX_PARTICLE_STEPS}")),
    }
}

fn columns() -> Vec<Column> {
    let number = |name, unit, meaning| Column::new(name, ColumnKind::Number, unit, meaning);
    vec![
        Column::new("item", ColumnKind::Integer, "", "Row of the particle in its table, counted from 0"),
        Column::new("step", ColumnKind::Integer, "", "Step of the particle, counted from 0"),
        number("x", "m", "Height above the plane at the start of the step"),
        number("v", "m/s", "Speed upwards at the start of the step"),
        number("gap", "m", "Height predicted for the end of the step without contact"),
        number("n", "N", "Force of the plane during the step"),
    ]
}

fn values(rows: &[Row]) -> Vec<Values> {
    let integer = |value: fn(&Row) -> i64| Values::Integer(rows.iter().map(|row| Some(value(row))).collect());
    let number =
        |value: fn(&ParticleStep) -> f64| Values::Number(rows.iter().map(|row| Some(value(&row.row))).collect());
    vec![
        integer(|row| row.item),
        integer(|row| row.step),
        number(|row| row.position),
        number(|row| row.velocity),
        number(|row| row.gap),
        number(|row| row.force),
    ]
}
