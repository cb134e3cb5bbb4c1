//! A landing step by step, as a table.

use std::path::Path;

use super::Study;
use crate::query::{LandingStep, Motion};
use crate::scene::GroundPlane;
use crate::table::{CHUNK_ROWS, Chunk, Column, ColumnKind, TableError, TableWriter, Values};

/// Columns that do not depend on the vehicle: name, unit, meaning.
const BODY_COLUMNS: &[(&str, &str, &str)] = &[
    ("time", "s", "Time since the start, at the end of the step"),
    ("x", "m", "Centre of gravity along the runway, from the landing threshold"),
    ("y", "m", "Centre of gravity to the left of the centreline"),
    ("z", "m", "Centre of gravity above the level of the landing threshold"),
    ("qw", "1", "Orientation, body to world, w"),
    ("qx", "1", "Orientation, x"),
    ("qy", "1", "Orientation, y"),
    ("qz", "1", "Orientation, z"),
    ("vx", "m/s", "Speed along the runway"),
    ("vy", "m/s", "Speed to the left"),
    ("vz", "m/s", "Speed upwards"),
    ("p", "rad/s", "Roll rate, body"),
    ("q", "rad/s", "Pitch rate, body"),
    ("r", "rad/s", "Yaw rate, body"),
    ("elevator", "rad", "Elevator, down positive"),
    ("aileron", "rad", "Aileron, right wing down positive"),
    ("rudder", "rad", "Rudder, left positive"),
    ("spoilers", "1", "Spoilers, 0 in to 1 out"),
    ("steering", "rad", "Steering angle asked for, to the right positive"),
    ("brake", "1", "Brake pedal"),
    ("thrust", "N", "Thrust along the body's X axis"),
    ("gust_along", "m/s", "Gust along the runway, towards its end"),
    ("gust_across", "m/s", "Gust across the runway, to the left"),
    ("gust_vertical", "m/s", "Gust upwards"),
    ("height", "m", "Height of the centre of gravity above the ground, the runway's plane"),
];

/// Columns of each wheel.
const WHEEL_COLUMNS: &[(&str, &str, &str)] = &[
    ("state", "", "State after the step: 0 broken, 1 free, 2 slipping, 3 standing"),
    ("compression", "m", "Compression"),
    ("fx", "N", "Force on the airframe along the runway"),
    ("fy", "N", "Force on the airframe to the left"),
    ("fz", "N", "Force on the airframe upwards"),
    ("peak_force", "N", "Greatest force within the step"),
    ("peak_compression", "m", "Greatest compression within the step"),
];

/// Writes steps to a table.
pub struct Trace {
    writer: TableWriter,
    ground: GroundPlane,
    columns: Vec<Vec<Option<f64>>>,
    /// The first error of writing; reported when the trace is finished.
    failed: Option<TableError>,
}

impl Trace {
    /// A table for one landing of a study.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path, study: &Study, landing: u64) -> Result<Self, TableError> {
        let number = |name: &str, unit: &str, meaning: &str| Column::new(name, ColumnKind::Number, unit, meaning);
        let mut columns: Vec<Column> =
            BODY_COLUMNS.iter().map(|(name, unit, meaning)| number(name, unit, meaning)).collect();
        for wheel in &study.job.vehicle.wheels {
            columns.extend(
                WHEEL_COLUMNS
                    .iter()
                    .map(|(name, unit, meaning)| number(&format!("{name}.{}", wheel.name), unit, meaning)),
            );
        }
        let metadata = [
            ("touchdown.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("touchdown.study".to_owned(), study.hash().to_owned()),
            ("touchdown.seed".to_owned(), study.seed.to_string()),
            ("touchdown.landing".to_owned(), landing.to_string()),
        ];
        let writer = TableWriter::create(path, &columns, &metadata)?;
        let ground = study.job.scene.ground_plane();
        Ok(Self { writer, ground, columns: vec![Vec::new(); columns.len()], failed: None })
    }

    /// Adds a step.
    pub fn step(&mut self, step: &LandingStep<'_>) {
        let Motion { position, orientation, velocity, rate } = step.state.motion;
        let controls = step.controls;
        let surfaces = &controls.surfaces;
        let mut row = vec![step.time];
        row.extend(position.to_array());
        row.extend([orientation.w, orientation.x, orientation.y, orientation.z]);
        row.extend(velocity.to_array());
        row.extend(rate.to_array());
        row.extend([surfaces.elevator, surfaces.aileron, surfaces.rudder, surfaces.spoilers]);
        row.extend([controls.steering, controls.brake, controls.thrust]);
        let gusts = &step.state.gusts;
        row.extend([gusts.along, gusts.across, gusts.vertical]);
        row.push(self.ground.height(position));
        for wheel in &step.state.wheels {
            row.extend([f64::from(wheel.contact.state as u8), wheel.compression]);
            row.extend(wheel.force.to_array());
            row.extend([wheel.peak_force, wheel.peak_compression]);
        }
        for (column, value) in self.columns.iter_mut().zip(row) {
            // A landing whose numbers leave the finite range ends in that very step.
            column.push(value.is_finite().then_some(value));
        }
        if self.columns.first().is_some_and(|column| column.len() >= CHUNK_ROWS) {
            self.flush();
        }
    }

    /// Publishes the table.
    ///
    /// # Errors
    /// When it could not be written; nothing is left behind then.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.flush();
        match self.failed {
            Some(error) => Err(error),
            None => self.writer.finish(),
        }
    }

    fn flush(&mut self) {
        let columns = self.columns.iter_mut().map(|column| Values::Number(std::mem::take(column))).collect();
        if self.failed.is_none() {
            self.failed = self.writer.write(&Chunk { first_row: 0, columns }).err();
        }
    }
}
