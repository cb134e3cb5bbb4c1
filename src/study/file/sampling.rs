//! `[sampling]`: how the inputs are drawn.

use super::{landings, subset, unknown, whole};
use crate::document::{DocumentError, Table, Unit};
use crate::study::SampledInput;
use crate::study::sampling::{Importance, LatinHypercubes, Method, Shift, SobolNets};

/// Replicates where the study does not say.
const DEFAULT_REPLICATES: u64 = 16;
/// Fewest replicates: with 8, Student's t reaches 15 % farther at 95 % than with ever so many.
const FEWEST_REPLICATES: u64 = 8;
/// Most replicates: more leave too little for each.
const MOST_REPLICATES: u64 = 1024;

#[derive(Clone, Copy)]
enum Kind {
    Plain,
    LatinHypercube,
    Sobol,
    Importance,
    Subset,
}

const KINDS: &[(&str, Kind)] = &[
    ("plain", Kind::Plain),
    ("latin_hypercube", Kind::LatinHypercube),
    ("sobol", Kind::Sobol),
    ("importance", Kind::Importance),
    ("subset", Kind::Subset),
];

/// `[sampling]` of a study with these inputs.
pub(super) fn method(root: &Table<'_>, inputs: &[SampledInput]) -> Result<Method, DocumentError> {
    let Some(table) = root.optional_table("sampling")? else {
        return Ok(Method::Plain);
    };
    let method = match table.required("method")?.choice(KINDS)? {
        Kind::Plain => Method::Plain,
        Kind::LatinHypercube => {
            let (replicates, strata) = replicates(&table, landings(root)?)?;
            Method::LatinHypercube(LatinHypercubes { replicates, strata })
        }
        Kind::Sobol => {
            let landings = landings(root)?;
            let (replicates, points) = replicates(&table, landings)?;
            if points > SobolNets::MOST_POINTS {
                return Err(table.error(format!(
                    "{landings} landings in {replicates} replicates are {points} Sobol points in each; at most {} are \
                     possible",
                    SobolNets::MOST_POINTS
                )));
            }
            let varies: Vec<bool> = inputs.iter().map(|sampled| !sampled.distribution.is_constant()).collect();
            Method::Sobol(SobolNets::of_varying(replicates, &varies))
        }
        Kind::Importance => Method::Importance(importance(&table, inputs)?),
        Kind::Subset => Method::Subset(subset::settings(&table)?),
    };
    table.finish()?;
    Ok(method)
}

/// How many replicates, and landings in each.
fn replicates(table: &Table<'_>, landings: u64) -> Result<(u32, u64), DocumentError> {
    let replicates = table
        .optional_or("replicates", DEFAULT_REPLICATES, |field| whole(&field, FEWEST_REPLICATES, MOST_REPLICATES))?;
    // A misspelled `replicates` is the likelier fault.
    table.finish()?;
    if !landings.is_multiple_of(replicates) {
        let below = landings / replicates * replicates;
        return Err(table.error(format!(
            "{landings} landings cannot be shared out among {replicates} replicates; take a multiple, such as {}",
            if below > 0 { below } else { replicates }
        )));
    }
    Ok((replicates as u32, landings / replicates))
}

fn importance(table: &Table<'_>, inputs: &[SampledInput]) -> Result<Importance, DocumentError> {
    let mut shifts: Vec<Option<Shift>> = vec![None; inputs.len()];
    let unmoved = Shift { shift: 0.0, spread: 1.0 };
    let mut read = |table: &Table<'_>, range: (f64, f64), set: fn(&mut Shift, f64)| -> Result<(), DocumentError> {
        for (name, field) in table.entries() {
            let sampled = || inputs.iter().map(|sampled| sampled.input.name());
            let number = sampled()
                .position(|known| known == name)
                .ok_or_else(|| field.error(unknown("sampled input", name, sampled())))?;
            let value = field.in_range(Unit::One, range.0, range.1)?;
            set(shifts[number].get_or_insert(unmoved), value);
        }
        Ok(())
    };
    let shift = table.required_table("shift")?;
    read(&shift, (-Importance::FARTHEST, Importance::FARTHEST), |moved, value| moved.shift = value)?;
    if let Some(spread) = table.optional_table("spread")? {
        read(&spread, (Importance::LEAST_SPREAD, Importance::GREATEST_SPREAD), |moved, value| moved.spread = value)?;
    }
    let in_all = shifts.iter().flatten().map(|moved| moved.shift.powi(2)).sum::<f64>().sqrt();
    if in_all > Importance::FARTHEST_IN_ALL {
        return Err(shift.error(format!(
            "the shifts together (root of the sum of squares) are {in_all:.2} standard deviations; at most {} are allowed",
            Importance::FARTHEST_IN_ALL
        )));
    }
    Ok(Importance { shifts })
}
