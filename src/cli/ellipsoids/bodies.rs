//! Contacts between all bodies of a packing, or between bodies and a scene.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use touchdown::engine::Engine;
use touchdown::packing::{
    Bodies, BodyContact, ColumnNames, Contacts, Domain, DumpError, DumpReader, LeafContact, Obstacles, Packing,
    PackingError, Selection, Snapshot, read_bodies,
};
use touchdown::table::{Chunk, Column, ColumnKind, TableWriter, Values, is_table};

use super::Ellipsoids;
use super::columns::{Extras, Touch, pair_columns, pair_values, wall_columns, wall_values};
use crate::cli::Failure;
use crate::cli::engine::made_by;
use crate::cli::failure::Code;
use crate::cli::interrupt::{interrupted, stopped};
use crate::cli::progress::Meter;
use crate::cli::scene::read_scene;
use crate::cli::text::{complain, duration};

pub fn run(verb: &Ellipsoids, file: &Path, engine: &dyn Engine, stop: &Arc<AtomicBool>) -> Result<Code, Failure> {
    let started = Instant::now();
    let of_scene = |scene: &Path| -> Result<Obstacles, Failure> {
        Obstacles::of(&read_scene(scene)?).map_err(|error| Failure::bad_input(format!("{}: {error}", scene.display())))
    };
    let obstacles = verb.scene.as_deref().map(of_scene).transpose()?;
    let selection = verb.within.map_or(Selection::Overlapping, Selection::Within);
    let is_dump = !is_table(file);
    let names = verb.columns.clone().unwrap_or_default();
    // If the domain is known beforehand, a missing distance is detected without reading anything.
    let space = if is_dump && obstacles.is_none() { verb.period } else { Some(verb.period.unwrap_or(Domain::OPEN)) };
    if let Some(space) = space {
        Contacts::new(&Packing::new(Bodies::default(), space)?, engine, selection)
            .map_err(|error| of_within(&error))?;
    }
    let mut columns = if is_dump { vec![integer("timestep", "Step of the simulation")] } else { Vec::new() };
    columns.extend(match obstacles {
        Some(_) => leaf_columns(),
        None => body_columns(verb.extras),
    });
    let mut finder = Finder {
        file,
        engine,
        selection,
        extras: verb.extras,
        obstacles,
        writer: TableWriter::create(&verb.out, &columns, &made_by(engine))?,
        contacts: 0,
        stop,
    };
    let mut count = 0;
    let mut find = |timestep: Option<i64>, domain: Domain, bodies: Bodies| {
        count += bodies.len();
        finder.find(timestep, domain, bodies)
    };
    if is_dump {
        for snapshot in open_dump(file, &names)?.stopped_by(Arc::clone(stop)) {
            let Snapshot { timestep, domain, bodies } = match snapshot {
                Err(DumpError::Interrupted { .. }) => return Ok(interrupted()),
                snapshot => snapshot.map_err(no_dump)?,
            };
            if let Some(code) = find(Some(timestep), verb.period.unwrap_or(domain), bodies)? {
                return Ok(code);
            }
        }
    } else if let Some(code) = find(None, verb.period.unwrap_or(Domain::OPEN), read_bodies(file, &names)?)? {
        return Ok(code);
    }
    let Finder { writer, contacts, .. } = finder;
    writer.finish()?;
    let (engine, time) = (engine.identity().engine, duration(started.elapsed().as_secs_f64()));
    complain(&format!("{contacts} contacts of {count} bodies in {time} with engine {engine}\n"));
    Ok(Code::Done)
}

/// Opens a dump.
pub fn open_dump(file: &Path, columns: &ColumnNames) -> Result<DumpReader, Failure> {
    let reader = DumpReader::open(file)?.with_columns(columns.clone());
    reader.map_err(|error| Failure::bad_input(format!("{}: --columns: {error}", file.display())))
}

/// Error for a file that is not a dump: it may be a table with another suffix.
pub fn no_dump(error: DumpError) -> Failure {
    match error {
        DumpError::Content { line: 0 | 1, .. } => {
            Failure::bad_input(format!("{error}; tables are recognised by the extension .csv or .parquet"))
        }
        error => error.into(),
    }
}

/// Error for an invalid search distance.
fn of_within(error: &PackingError) -> Failure {
    Failure::bad_input(format!("--within: {error}"))
}

/// Finds contacts and writes them.
struct Finder<'a> {
    /// File the bodies come from.
    file: &'a Path,
    engine: &'a dyn Engine,
    selection: Selection,
    extras: Extras,
    obstacles: Option<Obstacles>,
    writer: TableWriter,
    contacts: u64,
    stop: &'a AtomicBool,
}

impl Finder<'_> {
    /// Writes the contacts of one set of bodies; returns the exit code if interrupted.
    fn find(&mut self, timestep: Option<i64>, domain: Domain, bodies: Bodies) -> Result<Option<Code>, Failure> {
        let mut meter = Meter::new(bodies.len() as u64, "bodies");
        let code = match self.obstacles.take() {
            Some(obstacles) => {
                let code = self.with_scene(timestep, &obstacles, &bodies, &mut meter)?;
                self.obstacles = Some(obstacles);
                code
            }
            None => {
                let packing = Packing::new(bodies, domain).map_err(|error| self.refused(timestep, error))?;
                self.with_each_other(timestep, &packing, &mut meter)?
            }
        };
        meter.finish();
        Ok(code)
    }

    /// Error for one set of bodies.
    fn refused(&self, timestep: Option<i64>, what: impl Display) -> Failure {
        let step = timestep.map_or_else(String::new, |step| format!("timestep {step}: "));
        Failure::bad_input(format!("{}: {step}{what}", self.file.display()))
    }

    fn with_each_other(
        &mut self,
        timestep: Option<i64>,
        packing: &Packing,
        meter: &mut Meter,
    ) -> Result<Option<Code>, Failure> {
        let contacts = Contacts::new(packing, self.engine, self.selection);
        for block in contacts.map_err(|error| self.refused(timestep, of_within(&error)))? {
            let block = block?;
            self.write(timestep, body_values(&block.contacts, self.extras))?;
            let done = block.bodies_done as u64;
            meter.show(done, done, String::new);
            if let Some(code) = stopped(self.stop) {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    fn with_scene(
        &mut self,
        timestep: Option<i64>,
        obstacles: &Obstacles,
        bodies: &Bodies,
        meter: &mut Meter,
    ) -> Result<Option<Code>, Failure> {
        let mut done = 0;
        let contacts = obstacles.contacts(self.engine, bodies, self.selection);
        for block in contacts.map_err(|error| self.refused(timestep, error))? {
            let block = block?;
            self.write(timestep, leaf_values(&block.contacts))?;
            done += block.bodies as u64;
            meter.show(done, done, String::new);
            if let Some(code) = stopped(self.stop) {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    fn write(&mut self, timestep: Option<i64>, values: Vec<Values>) -> Result<(), Failure> {
        let rows = values.first().map_or(0, Values::len);
        let mut columns: Vec<Values> =
            timestep.map(|step| Values::Integer(vec![Some(step); rows])).into_iter().collect();
        columns.extend(values);
        self.writer.write(&Chunk { first_row: 0, columns })?;
        self.contacts += rows as u64;
        Ok(())
    }
}

fn integer(name: &str, meaning: &str) -> Column {
    Column::new(name, ColumnKind::Integer, "", meaning)
}

fn integers<T>(items: &[T], value: impl Fn(&T) -> i64) -> Values {
    Values::Integer(items.iter().map(|item| Some(value(item))).collect())
}

fn body_columns(extras: Extras) -> Vec<Column> {
    let mut columns = vec![
        integer("id_a", "Body A, which stands where it was given"),
        integer("id_b", "Body B, whose id is not lower"),
        integer("image_x", "By how many periods of x (lattice vectors) B is moved from where it was given"),
        integer("image_y", "Periods of y"),
        integer("image_z", "Periods of z"),
    ];
    columns.extend(pair_columns(extras));
    columns
}

fn body_values(contacts: &[BodyContact], extras: Extras) -> Vec<Values> {
    let mut values = vec![integers(contacts, |contact| contact.id_a), integers(contacts, |contact| contact.id_b)];
    values.extend([0, 1, 2].map(|axis| integers(contacts, |contact| contact.image[axis].into())));
    let touches: Vec<Touch> = contacts.iter().map(|contact| (contact.pair, contact.contact)).collect();
    values.extend(pair_values(&touches, extras));
    values
}

fn leaf_columns() -> Vec<Column> {
    let mut columns = vec![integer("id", "Body"), integer("leaf", "Leaf of the scene")];
    columns.extend(wall_columns());
    columns
}

fn leaf_values(contacts: &[LeafContact]) -> Vec<Values> {
    let mut values = vec![integers(contacts, |contact| contact.id), integers(contacts, |contact| contact.leaf.into())];
    values.extend(wall_values(&contacts.iter().map(|contact| contact.contact).collect::<Vec<_>>()));
    values
}
