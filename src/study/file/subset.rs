//! `[sampling]` with subset simulation.

use super::whole;
use crate::document::{DocumentError, Table, Unit};
use crate::model::Model;
use crate::study::subset::Settings;
use crate::study::{Criterion, Event};

/// Default number of samples of a level in each replicate.
const DEFAULT_SAMPLES: u64 = 1000;
/// With fewer, replicates scatter too much for meaningful bounds; the upper limit is because all are held in memory.
const SAMPLES: (u64, u64) = (100, 100_000);
/// Default fraction of the samples that survives a level.
const DEFAULT_LEVEL_PROBABILITY: f64 = 0.1;
/// Default number of independent replicates.
const DEFAULT_REPLICATES: u64 = 16;
/// With fewer, Student's t is wide; more are better spent on samples.
const REPLICATES: (u64, u64) = (8, 256);
/// Maximum number of samples of a level over all replicates, which are held in memory.
const MAX_SAMPLES: u64 = 1 << 18;
/// Default probability below which a replicate gives up.
const DEFAULT_SMALLEST: f64 = 1e-9;
/// Beyond 8 standard deviations f64 cannot distinguish upper tails from 1.
const MIN_SMALLEST: f64 = 1e-12;

/// The keys besides `method`.
pub(super) fn settings(table: &Table<'_>) -> Result<Settings, DocumentError> {
    let chain_length =
        table.optional_or("level_probability", (1.0 / DEFAULT_LEVEL_PROBABILITY).round() as u64, |field| {
            let inverse = 1.0 / field.in_range(Unit::One, 0.05, 0.5)?;
            let whole = inverse.round();
            // 1 / 3 is written with a finite number of digits.
            if (inverse - whole).abs() < 1e-3 {
                Ok(whole as u64)
            } else {
                Err(field.refused("must be 1 / 2, 1 / 3, 1 / 4, ... or 1 / 20, such as 0.1 or 0.25"))
            }
        })?;
    let replicates =
        table.optional_or("replicates", DEFAULT_REPLICATES, |field| whole(&field, REPLICATES.0, REPLICATES.1))?;
    let samples = table.optional("samples");
    let count = samples.map_or(Ok(DEFAULT_SAMPLES), |field| whole(&field, SAMPLES.0, SAMPLES.1))?;
    let refused = |why: String| match samples {
        Some(field) => field.refused(why),
        None => table.error(format!("{DEFAULT_SAMPLES} samples, the default, are not allowed: {why}")),
    };
    if count % chain_length != 0 {
        return Err(refused(format!("must be a multiple of {chain_length}, of which a level keeps one")));
    }
    if count * replicates > MAX_SAMPLES {
        let most = MAX_SAMPLES / replicates / chain_length * chain_length;
        return Err(refused(format!("must be at most {most} with {replicates} replicates")));
    }
    let smallest =
        table.optional_or("smallest", DEFAULT_SMALLEST, |field| field.in_range(Unit::One, MIN_SMALLEST, 0.1))?;
    Ok(Settings { samples: count, chain_length, replicates, smallest })
}

/// Refuses settings meaningless for subset simulation: the number of trials is an outcome, and chains need a distance.
pub(super) fn check(root: &Table<'_>, criteria: &[Criterion], model: &dyn Model) -> Result<(), DocumentError> {
    let many = model.nouns().many;
    for key in [many, "part_size", "stopping"] {
        if let Some(field) = root.optional(key) {
            return Err(field.error(format!(
                "`{key}` has no meaning with subset simulation, which simulates as many {many} as the events' \
                 probabilities take; leave it out ([sampling] has `samples` and `replicates`)"
            )));
        }
    }
    if criteria.is_empty() {
        return Err(root.error("subset simulation needs an event to go to; add a [criteria.NAME]"));
    }
    for criterion in criteria {
        let without = match &criterion.event {
            Event::Class(class) => Some(without_nearness(*class, model)),
            Event::AnyOf(_) | Event::AllOf(_) => Some(SEVERAL.to_owned()),
            Event::Above { .. } | Event::Below { .. } => None,
        };
        if let Some(why) = without {
            let why = format!("criterion {}: {why}", criterion.name);
            let place = root.optional("criteria").or(root.optional("criteria_files"));
            return Err(place.map_or_else(|| root.error(why.as_str()), |field| field.error(why.as_str())));
        }
    }
    Ok(())
}

/// Why several events together have no distance.
const SEVERAL: &str = "subset simulation goes to an event by its nearness, which several events together do not have; \
                       leave it out here: the sum of their upper bounds is one for any of them";

/// Explains that a class has no distance, while a quantity has one.
fn without_nearness(class: usize, model: &dyn Model) -> String {
    format!(
        "subset simulation goes to an event by its nearness, which the class `{}` does not have; {}",
        model.classes()[class].name,
        model.instead_of_class(class)
    )
}
