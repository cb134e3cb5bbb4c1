//! `[autoland]` of a vehicle file.

use crate::document::{DocumentError, Field, Table, Unit};
use crate::query::rules::STEEPEST_GLIDE;
use crate::vehicle::{Aerodynamics, Autoland, Thrust};

/// All keys are required: no autoland suits every vehicle.
pub(super) fn autoland(table: &Table<'_>, physics: &Physics<'_>) -> Result<Autoland, DocumentError> {
    physics.check_can_fly(table, "autoland", "follow a glide path")?;
    let positive = |key, unit| table.required(key)?.positive(unit);
    let not_negative = |key, unit| table.required(key)?.not_negative(unit);
    let autoland = Autoland {
        airspeed: positive("airspeed", Unit::Speed)?,
        glide_slope: table.required("glide_slope")?.in_range(Unit::Angle, 0.0, STEEPEST_GLIDE)?,
        gate_height: positive("gate_height", Unit::Length)?,
        gate_distance: table.required("gate_distance")?.number(Unit::Length)?,
        glide_gain: not_negative("glide_gain", Unit::Rate)?,
        touchdown_sink_rate: positive("touchdown_sink_rate", Unit::Speed)?,
        flare_time: positive("flare_time", Unit::Time)?,
        sink_gain: not_negative("sink_gain", Unit::One)?,
        sink_integral_gain: not_negative("sink_integral_gain", Unit::One)?,
        sink_integral_limit: not_negative("sink_integral_limit", Unit::Angle)?,
        least_pitch: table.required("least_pitch")?.number(Unit::Angle)?,
        greatest_pitch: table.required("greatest_pitch")?.number(Unit::Angle)?,
        pitch_gain: not_negative("pitch_gain", Unit::One)?,
        pitch_damping: not_negative("pitch_damping", Unit::One)?,
        speed_gain: not_negative("speed_gain", physics.unit_of_thrust(Unit::Damping))?,
        greatest_thrust: physics.greatest_thrust(table)?,
        retard_height: positive("retard_height", Unit::Length)?,
        engine_lag: not_negative("engine_lag", Unit::Time)?,
        bank_per_offset: not_negative("bank_per_offset", Unit::One)?,
        bank_per_drift: not_negative("bank_per_drift", Unit::One)?,
        bank_limit: not_negative("bank_limit", Unit::Angle)?,
        decrab_height: positive("decrab_height", Unit::Length)?,
    };
    physics.check_ranges(table, &autoland)?;
    table.finish()?;
    Ok(autoland)
}

/// What a vehicle flies by: linear derivatives and a thrust, or the physics of its own file.
pub(super) struct Physics<'a> {
    pub aerodynamics: Option<&'a Aerodynamics>,
    pub thrust: &'a Thrust,
    pub has_airframe: bool,
}

impl Physics<'_> {
    /// Refuses laws for a vehicle that cannot follow them.
    pub fn check_can_fly(&self, table: &Table<'_>, name: &str, what: &str) -> Result<(), DocumentError> {
        if self.has_airframe {
            return Ok(());
        }
        let Some(aerodynamics) = self.aerodynamics else {
            return Err(table.error(format!("a vehicle without [aerodynamics] or [airframe] cannot {what}")));
        };
        if aerodynamics.lift_alpha <= 0.0 || aerodynamics.pitch_elevator == 0.0 {
            let why = format!("{name} needs `lift_alpha` above 0 and a `pitch_elevator` in [aerodynamics]");
            return Err(table.error(why));
        }
        Ok(())
    }

    /// Engines of an airframe are asked for a throttle, which has no unit.
    fn unit_of_thrust(&self, unit: Unit) -> Unit {
        if self.has_airframe { Unit::One } else { unit }
    }

    /// The greatest thrust \[N\], or throttle of an airframe.
    pub fn greatest_thrust(&self, table: &Table<'_>) -> Result<f64, DocumentError> {
        let field = table.required("greatest_thrust")?;
        if self.has_airframe { field.in_range(Unit::One, 0.0, 1.0) } else { field.number(Unit::Force) }
    }

    /// Refuses laws with empty ranges.
    pub fn check_ranges(&self, table: &Table<'_>, laws: &Autoland) -> Result<(), DocumentError> {
        at_least(&table.required("greatest_pitch")?, laws.greatest_pitch, ("least_pitch", laws.least_pitch), "rad")?;
        let idle = ("the idle thrust", self.thrust.idle);
        at_least(&table.required("greatest_thrust")?, laws.greatest_thrust, idle, "N")
    }
}

/// Refuses a field whose value is below another's.
fn at_least(field: &Field<'_>, value: f64, (name, least): (&str, f64), unit: &str) -> Result<(), DocumentError> {
    if value >= least { Ok(()) } else { Err(field.refused(format!("must be at least {name} = {least} {unit}"))) }
}
