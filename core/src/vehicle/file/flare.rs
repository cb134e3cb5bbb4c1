//! `[flare]` of a vehicle file.

use super::autoland::Physics;
use crate::document::{DocumentError, Table, Unit};
use crate::vehicle::Flare;

/// All keys are required: no flare suits every vehicle.
pub(super) fn flare(table: &Table<'_>, physics: &Physics<'_>) -> Result<Flare, DocumentError> {
    physics.check_can_fly(table, "a flare", "flare")?;
    let positive = |key, unit| table.required(key)?.positive(unit);
    let not_negative = |key, unit| table.required(key)?.not_negative(unit);
    let flare = Flare {
        airspeed: positive("airspeed", Unit::Speed)?,
        sink_rate: not_negative("sink_rate", Unit::Speed)?,
        height: positive("height", Unit::Length)?,
        start_distance: table.required("start_distance")?.number(Unit::Length)?,
        touchdown_sink_rate: positive("touchdown_sink_rate", Unit::Speed)?,
        time: positive("time", Unit::Time)?,
        sink_gain: not_negative("sink_gain", Unit::One)?,
        sink_integral_gain: not_negative("sink_integral_gain", Unit::One)?,
        sink_integral_limit: not_negative("sink_integral_limit", Unit::Angle)?,
        least_pitch: table.required("least_pitch")?.number(Unit::Angle)?,
        greatest_pitch: table.required("greatest_pitch")?.number(Unit::Angle)?,
        pitch_gain: not_negative("pitch_gain", Unit::One)?,
        pitch_damping: not_negative("pitch_damping", Unit::One)?,
        greatest_thrust: physics.greatest_thrust(table)?,
        idle_height: positive("idle_height", Unit::Length)?,
        bank_per_offset: not_negative("bank_per_offset", Unit::One)?,
        bank_per_drift: not_negative("bank_per_drift", Unit::One)?,
        bank_limit: not_negative("bank_limit", Unit::Angle)?,
        decrab_height: positive("decrab_height", Unit::Length)?,
    };
    physics.check_ranges(table, &flare.laws())?;
    table.finish()?;
    Ok(flare)
}
