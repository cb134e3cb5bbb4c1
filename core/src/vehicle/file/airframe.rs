//! `[airframe]` of a vehicle file.

use glam::DVec3;

use super::function::{Tables, expression, is_name, tables};
use crate::air_forces::{AxisFunction, Description, ForceAxes, MomentAxes, Role, Sizes};
use crate::airframe::{Airframe, AirframeDescription, Commands};
use crate::document::{DocumentError, Field, Table, Unit, nearest};
use crate::function::{Function, RoutineFault, UnknownProperty, canonical};

/// Reads the physics of an aircraft. `None` where keys are missing or unknown, which is an error of its own: functions are evaluated
/// as they are put together, and tables or lists of arguments may lack then what that relies on.
pub(super) fn airframe(table: &Table<'_>) -> Result<Option<Airframe>, DocumentError> {
    let named = table.optional_table("tables")?.map_or(Ok(Tables::default()), |table| tables(&table))?;
    let functions =
        |key| entries(table, key)?.iter().map(|field| value(field, &named)).collect::<Result<_, DocumentError>>();
    let description = AirframeDescription {
        commands: functions("commands")?,
        controls: functions("controls")?,
        engines: functions("engines")?,
        air_forces: air_forces(table, &named)?,
        at_start: numbers(table, "at_start")?,
    };
    table.finish()?;
    if table.has_faults() {
        return Ok(None);
    }
    check_start(table, &description)?;
    let known = description.clone();
    Airframe::new(description).map(Some).map_err(|fault| match &fault {
        RoutineFault::Unknown(unknown) => not_known(table, &known, unknown),
        RoutineFault::TooLong(_) => table.error(fault.to_string()),
    })
}

fn entries<'a>(table: &Table<'a>, key: &'static str) -> Result<Vec<Field<'a>>, DocumentError> {
    table.optional(key).map_or(Ok(Vec::new()), |field| field.array())
}

/// A function that makes a property.
fn value(field: &Field<'_>, named: &Tables<'_>) -> Result<Function<String>, DocumentError> {
    let body = field.table()?;
    let function =
        Function { name: name(&body.required("name")?)?, expression: expression(&body.required("value")?, named)? };
    body.finish()?;
    Ok(function)
}

fn name(field: &Field<'_>) -> Result<String, DocumentError> {
    let text = field.string()?;
    field.must(is_name(text), || "must be the name of a property".to_owned())?;
    Ok(text.to_owned())
}

fn air_forces(table: &Table<'_>, named: &Tables<'_>) -> Result<Description, DocumentError> {
    let size = |key, unit| table.required(key)?.not_negative(unit);
    let force_axes = table.optional_or("force_axes", ForceAxes::default(), |field| field.choice(&ForceAxes::ALL))?;
    let angles = |key| table.optional(key).map(|field| angles(&field)).transpose();
    Ok(Description {
        force_axes,
        moment_axes: table.optional_or("moment_axes", MomentAxes::default(), |field| field.choice(&MomentAxes::ALL))?,
        sizes: Sizes {
            area: size("area", Unit::Area)?,
            span: size("span", Unit::Length)?,
            chord: size("chord", Unit::Length)?,
            incidence: table.optional_or("incidence", 0.0, |field| field.number(Unit::Angle))?,
        },
        reference_point: table
            .optional_or("reference_point", DVec3::ZERO, |field| field.vector(Unit::Length).map(DVec3::from))?,
        alpha_limits: angles("stall_warning_angles")?,
        hysteresis_limits: angles("stall_angles")?,
        constants: numbers(table, "constants")?,
        functions: entries(table, "functions")?
            .iter()
            .map(|field| axis_function(field, force_axes, named))
            .collect::<Result<_, _>>()?,
    })
}

/// Two angles \[rad\], the lower one first.
fn angles(field: &Field<'_>) -> Result<[f64; 2], DocumentError> {
    match field.numbers(Unit::Angle)?[..] {
        [low, high] => {
            field.must(low <= high, || "must be two angles, the lower one first".to_owned())?;
            Ok([low, high])
        }
        _ => field.must(false, || "must be two angles".to_owned()).map(|()| [0.0; 2]),
    }
}

/// A function of `functions`: the key of its expression says what its value is.
fn axis_function(field: &Field<'_>, axes: ForceAxes, named: &Tables<'_>) -> Result<AxisFunction, DocumentError> {
    let body = field.table()?;
    let name = body.optional("name").map_or(Ok(String::new()), |field| name(&field))?;
    let keys = Role::keys(axes);
    let (key, of) = body.one_of(&keys.map(|(key, _)| key))?;
    let role = keys.iter().find(|(own, _)| *own == key).map_or(Role::Property, |&(_, role)| role);
    let role = match (role, body.optional("at_centre")) {
        (Role::Force(axis), Some(field)) if field.boolean()? => Role::ForceAtCentre(axis),
        (Role::Force(_), _) | (_, None) => role,
        (_, Some(field)) => return Err(field.error("only forces act at the centre of gravity")),
    };
    let expression = expression(&of, named)?;
    body.must(!name.is_empty() || role != Role::Property, || "a property must have a `name`".to_owned())?;
    body.finish()?;
    Ok(AxisFunction { function: Function { name, expression }, role })
}

/// Properties with their numbers.
fn numbers(table: &Table<'_>, key: &'static str) -> Result<Vec<(String, f64)>, DocumentError> {
    let Some(numbers) = table.optional_table(key)? else {
        return Ok(Vec::new());
    };
    let read = |(name, field): (&str, Field<'_>)| match is_name(name) {
        true => Ok((name.to_owned(), field.number(Unit::One)?)),
        false => Err(field.error("the key must be the name of a property")),
    };
    numbers.entries().map(read).collect()
}

/// Refuses what no step would find at its start.
fn check_start(table: &Table<'_>, description: &AirframeDescription) -> Result<(), DocumentError> {
    let Some(start) = table.optional_table("at_start")? else {
        return Ok(());
    };
    let made = || description.functions().map(|function| function.name.as_str());
    match start.entries().find(|(name, _)| !made().any(|own| canonical(own) == canonical(name))) {
        None => Ok(()),
        Some((name, field)) => Err(field
            .error(format!("no function makes {name}, so that no step leaves it to the next{}", meant(name, made())))),
    }
}

fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |meant| format!("; did you mean {meant}?"))
}

/// The error of a property that nothing makes, where the function that reads it is.
fn not_known(table: &Table<'_>, description: &AirframeDescription, unknown: &UnknownProperty) -> DocumentError {
    let reads = |function: &Function<String>| {
        let mut found = false;
        function.expression.properties(&mut |read| found |= canonical(read) == unknown.property);
        found && function.name == unknown.function
    };
    // The lists in the order in which [`AirframeDescription::functions`] has their functions.
    let fields =
        ["commands", "controls", "engines", "functions"].into_iter().filter_map(|key| entries(table, key).ok());
    let place = description.functions().zip(fields.flatten()).find(|(function, _)| reads(function));
    let made = description.functions().map(|function| function.name.as_str());
    let known = description.air_forces.constants.iter().map(|(name, _)| name.as_str());
    let reader = match unknown.function.as_str() {
        "" => "this function",
        name => name,
    };
    let hint = meant(&unknown.property, made.chain(known).chain(Commands::NAMES));
    let message = format!(
        "{reader} reads {}, which nothing makes{}{} Known are {}, the properties of a flight and what follows from them (such as \
         aero/alpha-rad, aero/qbar-psf, velocities/mach, position/h-agl-ft), [airframe.constants] and the functions of this file",
        unknown.property,
        hint,
        if hint.is_empty() { "." } else { "" },
        Commands::NAMES.join(", "),
    );
    place.map_or_else(|| table.error(message.clone()), |(_, field)| field.error(message.clone()))
}

#[cfg(test)]
mod tests;
