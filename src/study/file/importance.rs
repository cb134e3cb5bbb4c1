//! `[sampling]` with importance sampling.

use serde::Deserialize;

use super::{Reader, StudyError, unknown};
use crate::document::{DocumentError, Field, Table, Unit};
use crate::study::SampledInput;
use crate::study::sampling::{Importance, Shift, Shifts};

/// Default fraction of unshifted trials. It bounds the weights of events far from every shift by 10, and costs a tenth
/// of the others.
const DEFAULT_UNSHIFTED: f64 = 0.1;
/// Above this, importance sampling gains nothing.
const MAX_UNSHIFTED: f64 = 0.9;
/// Maximum number of places: with more, each has few trials.
const MAX_PLACES: usize = 64;
/// Value of `shift` that takes the shifts from a subset simulation.
const AUTO: &str = "auto";
/// An input whose mean is shifted by less, and whose spread is at most [`WIDER`], is taken to be irrelevant to the
/// event: means of some hundred correlated samples have errors of this size.
const FARTHER: f64 = 0.3;
/// See [`FARTHER`].
const WIDER: f64 = 1.2;

const UNMOVED: Shift = Shift { shift: 0.0, spread: 1.0 };

impl Reader {
    /// The keys besides `method`.
    pub(super) fn importance(&mut self, table: &Table<'_>, inputs: &[SampledInput]) -> Result<Importance, StudyError> {
        let unshifted =
            table.optional_or("unshifted", DEFAULT_UNSHIFTED, |field| field.in_range(Unit::One, 0.0, MAX_UNSHIFTED))?;
        let shift = table.required("shift")?;
        let places = if shift.is_string() {
            shift.choice(&[(AUTO, ())])?;
            let summary = table.required("subset")?;
            let text = self.text(&summary)?;
            found_places(&summary, &text, inputs)?
        } else if shift.is_array() {
            shift.array()?.iter().map(|place| stated_place(&place.table()?, table, inputs)).collect::<Result<_, _>>()?
        } else {
            vec![stated_place(&shift.table()?, table, inputs)?]
        };
        if places.is_empty() || places.len() > MAX_PLACES {
            return Err(shift.refused(format!("must be from 1 to {MAX_PLACES} places")).into());
        }
        Ok(Importance { unshifted, places })
    }
}

/// A place as given in the study, with the spreads common to all places.
fn stated_place(shift: &Table<'_>, sampling: &Table<'_>, inputs: &[SampledInput]) -> Result<Shifts, DocumentError> {
    let mut place: Shifts = vec![None; inputs.len()];
    let mut read = |table: &Table<'_>, range: (f64, f64), set: fn(&mut Shift, f64)| -> Result<(), DocumentError> {
        for (name, field) in table.entries() {
            let number = number_of(inputs, name).map_err(|why| field.error(why))?;
            if inputs[number].distribution.is_constant() {
                return Err(field.error("is of an input with one value, which no shift changes"));
            }
            let value = field.in_range(Unit::One, range.0, range.1)?;
            set(place[number].get_or_insert(UNMOVED), value);
        }
        Ok(())
    };
    read(shift, (-Importance::MAX_SHIFT, Importance::MAX_SHIFT), |moved, value| moved.shift = value)?;
    if let Some(spread) = sampling.optional_table("spread")? {
        read(&spread, (Importance::MIN_SPREAD, Importance::MAX_SPREAD), |moved, value| moved.spread = value)?;
    }
    let in_all = in_all(&place);
    if in_all > Importance::MAX_SHIFT_IN_ALL {
        return Err(shift.error(format!(
            "the shifts together (root of the sum of squares) are {in_all:.2} standard deviations; at most {} are allowed",
            Importance::MAX_SHIFT_IN_ALL
        )));
    }
    Ok(place)
}

fn number_of(inputs: &[SampledInput], name: &str) -> Result<usize, String> {
    let sampled = || inputs.iter().map(|sampled| sampled.input.name);
    sampled().position(|known| known == name).ok_or_else(|| unknown("sampled input", name, sampled()))
}

/// Euclidean norm of the shifts.
fn in_all(place: &Shifts) -> f64 {
    place.iter().flatten().map(|moved| moved.shift.powi(2)).sum::<f64>().sqrt()
}

/// The part of a summary that locates the events.
#[derive(Deserialize)]
struct Found {
    criteria: Vec<FoundCriterion>,
}

#[derive(Deserialize)]
struct FoundCriterion {
    subset: Option<FoundPlaces>,
}

#[derive(Deserialize)]
struct FoundPlaces {
    inputs: Vec<FoundInput>,
    #[serde(default)]
    modes: Vec<FoundMode>,
}

#[derive(Deserialize)]
struct FoundInput {
    name: String,
    shift: f64,
    spread: f64,
}

#[derive(Deserialize)]
struct FoundMode {
    shifts: Vec<f64>,
    spreads: Vec<f64>,
}

/// The likely places of all criteria's events found by subset simulation, from its summary.
fn found_places(field: &Field<'_>, text: &str, inputs: &[SampledInput]) -> Result<Vec<Shifts>, DocumentError> {
    let found: Found = serde_json::from_str(text)
        .map_err(|error| field.error(format!("is no summary.json of a run by subset simulation: {error}")))?;
    let mut places = Vec::new();
    for found in found.criteria.iter().filter_map(|criterion| criterion.subset.as_ref()) {
        let numbers: Vec<usize> = found
            .inputs
            .iter()
            .map(|input| number_of(inputs, &input.name).map_err(|why| field.error(why)))
            .collect::<Result<_, _>>()?;
        let place = |moved: &[(f64, f64)]| {
            let mut place: Shifts = vec![None; inputs.len()];
            for (&number, &(shift, spread)) in numbers.iter().zip(moved) {
                // Of an input with one value the normal has come to stand anywhere.
                let is_constant = inputs[number].distribution.is_constant();
                place[number] = moved_by(shift, spread).filter(|_| !is_constant);
            }
            within_reach(place)
        };
        if found.modes.is_empty() {
            places.push(place(&found.inputs.iter().map(|input| (input.shift, input.spread)).collect::<Vec<_>>()));
        }
        places.extend(
            found
                .modes
                .iter()
                .map(|mode| place(&mode.shifts.iter().copied().zip(mode.spreads.iter().copied()).collect::<Vec<_>>())),
        );
    }
    // Nothing may be shifted if no replicate reached the event.
    places.retain(|place: &Shifts| place.iter().any(Option::is_some));
    if places.is_empty() {
        return Err(field.error("shows no event of a criterion by subset simulation that inputs lead to"));
    }
    Ok(places)
}

/// The shift for an input whose normal has this mean and standard deviation given the event. Never narrower than the
/// original: the weights of too narrow a density have infinite variance.
fn moved_by(mean: f64, deviation: f64) -> Option<Shift> {
    (mean.abs() > FARTHER || deviation > WIDER).then(|| Shift {
        shift: mean.clamp(-Importance::MAX_SHIFT, Importance::MAX_SHIFT),
        spread: deviation.clamp(1.0, Importance::MAX_SPREAD),
    })
}

/// The place, moved closer if it is too far for weights to be counted.
fn within_reach(mut place: Shifts) -> Shifts {
    let nearer = (Importance::MAX_SHIFT_IN_ALL / in_all(&place)).min(1.0);
    place.iter_mut().flatten().for_each(|moved| moved.shift *= nearer);
    place
}
