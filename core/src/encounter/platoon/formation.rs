//! Where the vehicles of a platoon start, as files of the report have it.

use super::MAX_VEHICLES;
use super::dat::{Block, DatError, DatFile, counted_blocks};
use super::model::CarModel;

/// A vehicle at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Its place among the models.
    pub model: usize,
    /// Of the centre of mass \[m\].
    pub position: [f64; 2],
    /// Heading \[rad\].
    pub yaw: f64,
    /// Along the heading \[m/s\].
    pub speed: f64,
    /// Of the front wheels \[rad\].
    pub steering: f64,
}

/// The vehicles of a platoon file.
///
/// # Errors
/// When a field is missing, unknown, given twice, or not what it may be.
pub fn placed(file: &DatFile, models: &[CarModel]) -> Result<Vec<Placed>, DatError> {
    let blocks = counted_blocks(file, "NUMBER_OF_VEHICLES", "VEHICLE_HAS_MODEL")?;
    if let Some(block) = blocks.get(MAX_VEHICLES) {
        let what = format!("begins vehicle {}; at most {MAX_VEHICLES} are allowed", MAX_VEHICLES + 1);
        return Err(file.error(block.line, "VEHICLE_HAS_MODEL", what));
    }
    blocks.iter().map(|block| vehicle(block, models)).collect()
}

fn vehicle(block: &Block<'_>, models: &[CarModel]) -> Result<Placed, DatError> {
    if !(1..=models.len()).contains(&block.number) {
        let what = format!("is {}; the model file has models 1 to {}", block.number, models.len());
        return Err(block.file.error(block.line, "VEHICLE_HAS_MODEL", what));
    }
    block.only(&["X", "Y", "ORIENTATION", "SPEED", "STEERING"], &["INITIALLY_WITH"])?;
    let place = [-1e6, 1e6];
    Ok(Placed {
        model: block.number - 1,
        position: [block.number("X", place)?, block.number("Y", place)?],
        yaw: block.number("ORIENTATION", [-1e4, 1e4])?,
        speed: block.number("SPEED", [-1e3, 1e3])?,
        steering: block.number("STEERING", [-1.5, 1.5])?,
    })
}
