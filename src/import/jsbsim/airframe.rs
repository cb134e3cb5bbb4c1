//! The physics of an aircraft: air forces, controls and engines of its files, and what the pilot's commands are called there.
//!
//! ```text
//! air_forces, controls, engines --needed--> functions --commands--> what the pilot gives
//!                                                     --zeros-----> what nothing makes
//!                                                     --response--> where surfaces begin, signs of the commands
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::air_forces::{Described, described};
use super::buoyancy::{add_lift, cells};
use super::commands::{command, stand_in};
use super::file::Texts;
use super::flight_controls::{ImportedControls, jsbsim_flight_controls};
use super::metrics;
use super::needed::{keep_what_is_needed, needed};
use super::propulsion::{ImportedPropulsion, jsbsim_propulsion};
use super::response::{settle, turn_commands};
use super::xml::Spot;
use crate::airframe::{Airframe, AirframeDescription};
use crate::flight_controls::{ControlFault, TimeStep};
use crate::function::{Function, UnknownProperty, canonical};
use crate::import::ImportError;

/// The physics of an aircraft.
pub(super) struct ImportedAirframe {
    /// What its files say.
    pub description: AirframeDescription,
    /// Properties that nothing makes, each with a function that reads it; they are 0.
    pub zeros: BTreeMap<String, String>,
    /// What is left out, by line.
    pub left_out: Vec<String>,
    /// What is doubtful, some of it with its line.
    pub doubts: Vec<(Option<Spot>, String)>,
}

/// The sections that air forces are made of.
const SECTIONS: [&str; 4] = ["metrics", "mass_balance", "aerodynamics", "buoyant_forces"];

/// Delays are counted in steps of this length \[s\], that of landings unless a study gives another.
const STEP: f64 = 0.005;

/// A part of the physics.
#[derive(Default)]
struct Part {
    functions: Vec<Function<String>>,
    at_start: Vec<(String, f64)>,
    left_out: Vec<String>,
}

/// From commands to positions of surfaces.
fn controls(path: &Path) -> Result<Part, ImportError> {
    let ImportedControls { controls, at_start, left_out } = jsbsim_flight_controls(path)?;
    // What is wrong with a component begins with its place.
    let refused = |fault: ControlFault| ImportError::Refused { message: fault.to_string() };
    Ok(Part { functions: controls.functions(TimeStep::Given(STEP)).map_err(refused)?, at_start, left_out })
}

/// From throttles to forces.
fn engines(path: &Path) -> Result<Part, ImportError> {
    let ImportedPropulsion { functions, at_start, left_out } = jsbsim_propulsion(path)?;
    Ok(Part { functions, at_start, left_out })
}

/// The physics of an aircraft; none where its file has no section `aerodynamics`.
///
/// # Errors
/// If a file cannot be read, or holds what is not read.
pub(super) fn airframe(path: &Path) -> Result<Option<ImportedAirframe>, ImportError> {
    let texts = Texts::read(path, &SECTIONS)?;
    let has_air_forces = texts.with(|_, sections| Ok(sections.get("aerodynamics")?.is_some()))?;
    if !has_air_forces {
        return Ok(None);
    }
    let (Described { description: air_forces, balance, spots }, sizes, cells) = texts.with(|_, sections| {
        let cells = sections.get("buoyant_forces")?.map_or(Ok(Vec::new()), cells)?;
        let described = described(&sections, &cells)?;
        let sizes = metrics::numbers(&sections, &described.balance)?;
        Ok((described, sizes, cells))
    })?;
    let (controls, mut engines) = (controls(path)?, engines(path)?);
    add_lift(&mut engines.functions, &cells, balance.center);
    let mut doubts = Vec::new();
    let mut description = AirframeDescription {
        controls: controls.functions,
        engines: engines.functions,
        air_forces,
        ..AirframeDescription::default()
    };
    let all = description.controls.len();
    keep_what_is_needed(&mut description);
    if description.controls.len() < all {
        let left_out = all - description.controls.len();
        let message =
            format!("{left_out} of {all} functions of flight controls are left out: no force depends on them");
        doubts.push((None, message));
    }
    add_commands(&mut description);
    begin(&mut description, controls.at_start.into_iter().chain(engines.at_start));
    let mut zeros = BTreeMap::new();
    let airframe = complete(&mut description, &sizes, &mut zeros)?;
    for (property, reader) in &zeros {
        let message = format!("{property}, which {reader} reads, is made by nothing here: taken as 0");
        doubts.push((spots.get(reader).cloned(), message));
    }
    settle(&mut description, &airframe, balance.mass);
    let answers = turn_commands(&mut description, &airframe, balance.mass);
    doubts.extend(answers.into_iter().map(|message| (None, message)));
    let left_out = [controls.left_out, engines.left_out].concat();
    Ok(Some(ImportedAirframe { description, zeros, left_out, doubts }))
}

/// Properties with the numbers that they begin with. What nothing makes keeps its number, and commands are the pilot's.
fn begin(description: &mut AirframeDescription, numbers: impl Iterator<Item = (String, f64)>) {
    let names = |functions: &[Function<String>]| -> BTreeSet<String> {
        functions.iter().map(|function| canonical(&function.name)).collect()
    };
    let AirframeDescription { commands, controls, engines, .. } = &*description;
    let (commands, made) = (names(commands), &names(controls) | &names(engines));
    let needed = needed(description);
    let begun =
        |numbers: &[(String, f64)]| -> BTreeSet<String> { numbers.iter().map(|(name, _)| canonical(name)).collect() };
    let mut started = begun(&description.at_start);
    let mut constant = begun(&description.air_forces.constants);
    for (name, number) in numbers {
        let own = canonical(&name);
        let (numbers, begun) = match made.contains(&own) {
            true => (&mut description.at_start, &mut started),
            false => (&mut description.air_forces.constants, &mut constant),
        };
        let is_read = needed.contains(&own) && !commands.contains(&own);
        if is_read && begun.insert(own) {
            numbers.push((name, number));
        }
    }
}

/// What the pilot gives, of all that functions read.
fn add_commands(description: &mut AirframeDescription) {
    let given = needed(description).into_iter().filter_map(|name| Some((command(&name)?, name)));
    description.commands = given.map(|(expression, name)| Function { name, expression }).collect();
}

/// The physics, with something for what nothing makes.
///
/// # Errors
/// If something is left that nothing makes.
fn complete(
    description: &mut AirframeDescription,
    sizes: &[(&str, f64)],
    zeros: &mut BTreeMap<String, String>,
) -> Result<Airframe, ImportError> {
    let in_place = |name: &str| command(name).or_else(|| stand_in(name));
    for UnknownProperty { function, property: name } in Airframe::unknown(description, &in_place) {
        if let Some(expression) = in_place(&name) {
            description.commands.push(Function { name, expression });
        } else if let Some(&(_, number)) = sizes.iter().find(|(own, _)| *own == name) {
            description.air_forces.constants.push((name, number));
        } else {
            description.air_forces.constants.push((name.clone(), 0.0));
            zeros.insert(name, function);
        }
    }
    Airframe::new(description.clone()).map_err(|fault| ImportError::Refused { message: fault.to_string() })
}
