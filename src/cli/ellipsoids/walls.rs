//! Contacts with walls.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::packing::{BodiesError, ellipsoid_columns, ellipsoids};
use touchdown::query::{EllipsoidWall, EllipsoidWalls};
use touchdown::scene::LIMITS;
use touchdown::table::{Chunk, ColumnKind, TableReader, TableWriter, Wanted};

use super::columns::{wall_columns, wall_values};
use crate::cli::Failure;
use crate::cli::engine::made_by;
use crate::cli::failure::Code;
use crate::cli::interrupt::stopped;

/// Columns of a wall, after the ten of its ellipsoid.
const PLANE: [&str; 4] = ["plane_nx", "plane_ny", "plane_nz", "plane_d"];

pub fn run(file: &Path, out: &Path, engine: &dyn Engine, stop: &AtomicBool) -> Result<Code, Failure> {
    let mut writer = TableWriter::create(out, &wall_columns(), &made_by(engine))?;
    let plane = PLANE.map(|name| Wanted::required(name, ColumnKind::Number));
    let wanted: Vec<_> = ellipsoid_columns("").chain(plane).collect();
    for chunk in TableReader::open(file, &wanted)? {
        let contacts = engine.compute::<EllipsoidWalls>((), &walls(file, &chunk?)?)?;
        writer.write(&Chunk { first_row: 0, columns: wall_values(&contacts) })?;
        if let Some(code) = stopped(stop) {
            return Ok(code);
        }
    }
    writer.finish()?;
    Ok(Code::Done)
}

fn walls(file: &Path, chunk: &Chunk) -> Result<Vec<EllipsoidWall>, Failure> {
    let ellipsoids = ellipsoids(chunk, 0)?;
    BodiesError::refuse_faults(file, chunk, str::to_owned, &ellipsoids)?;
    let columns = (10..14).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, _>>()?;
    let mut walls = Vec::with_capacity(ellipsoids.len());
    for (row, ellipsoid) in ellipsoids.into_iter().enumerate() {
        let value = |column: usize| columns[column][row].unwrap_or(0.0);
        let wall = EllipsoidWall { ellipsoid, normal: DVec3::new(value(0), value(1), value(2)), offset: value(3) };
        if !wall.is_valid() {
            let limit = LIMITS.magnitude;
            let what = match (0..4).find(|&column| value(column).abs() > limit) {
                Some(column) => {
                    format!("column {}: {:e} is above {limit:e} in magnitude", PLANE[column], value(column))
                }
                None => format!("column {}: the normal {} is too short; it must not be 0", PLANE[0], wall.normal),
            };
            let number = chunk.first_row + row as u64;
            return Err(Failure::bad_input(format!("{}: row {number} (the first is 0): {what}", file.display())));
        }
        walls.push(wall);
    }
    Ok(walls)
}
