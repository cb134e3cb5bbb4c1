//! Where the vehicles of a platoon start, as files of the report have it.

use super::MAX_VEHICLES;
use super::dat::{Block, DatError, DatFile};
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
    let mut count = None;
    let mut blocks: Vec<(usize, Block<'_>)> = Vec::new();
    for (line, entry) in file.entries() {
        match (entry.name.as_str(), blocks.last_mut()) {
            ("NUMBER_OF_VEHICLES", None) => count = Some((line, entry.count(file, line)?)),
            ("VEHICLE_HAS_MODEL", _) => {
                let number = entry.count(file, line)?;
                if !(1..=models.len()).contains(&number) {
                    let what = format!("is {number}; the model file has models 1 to {}", models.len());
                    return Err(file.error(line, "VEHICLE_HAS_MODEL", what));
                }
                blocks.push((number - 1, Block { file, line, entries: Vec::new() }));
            }
            (_, Some((_, block))) => block.entries.push((line, entry)),
            (name, None) => return Err(file.error(line, name, "must stand after VEHICLE_HAS_MODEL")),
        }
    }
    let Some((line, count)) = count else {
        return Err(file.error(1, "NUMBER_OF_VEHICLES", "is missing"));
    };
    if count != blocks.len() || !(1..=MAX_VEHICLES).contains(&count) {
        let what = format!("is {count}, and there are {}; from 1 to {MAX_VEHICLES} are allowed", blocks.len());
        return Err(file.error(line, "NUMBER_OF_VEHICLES", what));
    }
    blocks.iter().map(|(model, block)| vehicle(*model, block)).collect()
}

fn vehicle(model: usize, block: &Block<'_>) -> Result<Placed, DatError> {
    block.only(&["X", "Y", "ORIENTATION", "SPEED", "STEERING"], &["INITIALLY_WITH"])?;
    let place = [-1e6, 1e6];
    Ok(Placed {
        model,
        position: [block.number("X", place)?, block.number("Y", place)?],
        yaw: block.number("ORIENTATION", [-1e4, 1e4])?,
        speed: block.number("SPEED", [-1e3, 1e3])?,
        steering: block.number("STEERING", [-1.5, 1.5])?,
    })
}
