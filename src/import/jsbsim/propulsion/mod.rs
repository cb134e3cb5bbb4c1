//! The section `propulsion` of an aircraft file, with the files of its engines and thrusters.

mod motor;
mod thruster;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;

use super::buoyancy::cells;
use super::file::{Sections, Texts, text_of, xml_file};
use super::mass::{mass_balance, to_body};
use super::xml::{Element, FOOT, Lines, Measure, parse, shown};
use super::{JsbsimError, Warnings};
use crate::function::{Function, Table, canonical};
use crate::import::ImportError;
use crate::propulsion::{Direction, Engine, Mounting, Propulsion};
use crate::scene::read_limited;
use motor::{motor, own_functions};
use thruster::thruster;

/// Engines of an aircraft file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedPropulsion {
    /// In their order; [`crate::propulsion::LOADS`] are among them. None without engines.
    pub functions: Vec<Function<String>>,
    /// What the first step finds of properties that are left to it; others are 0.
    pub at_start: Vec<(String, f64)>,
    /// What is left out, with its line: an engine that is left out has no thrust.
    pub left_out: Vec<String>,
}

/// The sections that engines are made of, and one that may read what engines make.
const SECTIONS: [&str; 4] = ["mass_balance", "buoyant_forces", "propulsion", "aerodynamics"];
/// Where files of engines are, from the aircraft: beside it, or in the folder for all aircraft.
const FOLDERS: [&str; 5] = ["Engines", "engines", "Engine", "engine", "../../engine"];
/// Angles \[rad\].
const ANGLE: &Measure = &[("RAD", 1.0), ("DEG", std::f64::consts::PI / 180.0)];

/// Reads the engines of a JSBSim aircraft. They run and burn no fuel. Files of its systems are read for what they set of engines.
///
/// # Errors
/// If a file is missing, cannot be read or is not XML, or holds a value that no engine can have.
pub fn jsbsim_propulsion(path: &Path) -> Result<ImportedPropulsion, ImportError> {
    let texts = Texts::with_systems(path, &SECTIONS)?;
    texts.with(|_, sections| imported(&sections, texts.directory()))
}

fn imported(sections: &Sections<'_>, directory: &Path) -> Result<ImportedPropulsion, JsbsimError> {
    let Some(section) = sections.get("propulsion")? else {
        return Ok(ImportedPropulsion::default());
    };
    let mut warnings = Warnings::default();
    let root = sections.root;
    let balance = sections.get("mass_balance")?.ok_or_else(|| root.error("<mass_balance> is missing"))?;
    let cells = sections.get("buoyant_forces")?.map_or(Ok(Vec::new()), cells)?;
    let center = mass_balance(balance, &cells, &mut Warnings::default())?.center;
    let mut engines = Vec::new();
    for (number, element) in section.all("engine").enumerate() {
        engines.extend(engine(element, number, center, directory, &mut warnings)?);
    }
    for child in section.children() {
        if !matches!(child.tag(), "engine" | "tank" | "documentation" | "property") {
            warnings.left_out(&child, "");
        }
    }
    let mut named = BTreeSet::new();
    sections.all().for_each(|element| add_named(element, &mut named));
    let Propulsion { functions, at_start } = Propulsion::new(&engines, &|name| named.contains(name));
    Ok(ImportedPropulsion { functions, at_start, left_out: warnings.into_lines() })
}

/// An engine; none if it is left out.
fn engine(
    element: Element<'_>,
    number: usize,
    center: DVec3,
    directory: &Path,
    warnings: &mut Warnings,
) -> Result<Option<Engine>, JsbsimError> {
    let mount = element.required("thruster")?;
    let (motor, functions) =
        in_its_file(element, directory, |found| Ok((motor(found, number, warnings)?, own_functions(found, number)?)))?;
    let thruster = in_its_file(mount, directory, |found| thruster(found, mount, warnings))?;
    let (Some(motor), Some(thruster)) = (motor, thruster) else {
        let message = format!("engine {number} has no thrust: its motor or its thruster is left out");
        warnings.at(&element, message);
        return Ok(None);
    };
    Ok(Some(Engine { number, functions, motor, thruster, mounting: mounting(mount, center)? }))
}

fn mounting(element: Element<'_>, center: DVec3) -> Result<Mounting, JsbsimError> {
    let place = element.first("location").map_or(Ok(DVec3::ZERO), Element::place)?;
    let arm = (to_body(place, center) / FOOT).to_array();
    let triple = |element: Element<'_>, measure: &Measure| {
        let [x, y, z] = [["x", "roll"], ["y", "pitch"], ["z", "yaw"]].map(|tags| {
            let found = tags.into_iter().find_map(|tag| element.first(tag));
            found.map_or(Ok(0.0), |found| found.in_unit(element.unit(measure)?))
        });
        Ok([x?, y?, z?])
    };
    let direction = match (element.first("pointing"), element.first("orient")) {
        (Some(pointing), _) => Direction::Pointing(triple(pointing, ANGLE)?),
        (None, Some(orient)) => Direction::Angles(triple(orient, ANGLE)?),
        (None, None) => Direction::Angles([0.0; 3]),
    };
    Ok(Mounting { arm, direction })
}

/// Reads what an element holds, or the file that it names does: the first element in it that is no text about it.
fn in_its_file<R>(
    element: Element<'_>,
    directory: &Path,
    read: impl FnOnce(Element<'_>) -> Result<R, JsbsimError>,
) -> Result<R, JsbsimError> {
    let name = element.attribute("file");
    if name.is_empty() {
        let about = ["location", "orient", "pointing", "feed", "thruster", "sense", "p_factor", "documentation"];
        let held = element.children().find(|child| !about.contains(&child.tag()));
        return read(held.ok_or_else(|| element.error("must name a file, or hold what such a file does"))?);
    }
    let (file, text) = found(element, name, directory)?;
    let document = parse(&file, &text)?;
    read(Element::root(&document, &Lines::of(&file, &text)))
}

/// The file that an element names in the first folder that has it, by its name from the aircraft, and its text.
fn found(element: Element<'_>, name: &str, directory: &Path) -> Result<(String, String), JsbsimError> {
    let places = FOLDERS.map(|folder| Path::new(folder).join(xml_file(name)));
    let place = places.iter().find(|place| directory.join(place).is_file()).ok_or_else(|| {
        let folders = FOLDERS.join(", ");
        element.error(format!("file {} is in none of the folders {folders} beside the aircraft", shown(name)))
    })?;
    let file = place.to_string_lossy().into_owned();
    let bytes = read_limited(&directory.join(place))
        .map_err(|source| element.error(format!("file {} cannot be read: {source}", shown(&file))))?;
    let text = text_of(&file, bytes)?;
    Ok((file, text))
}

/// Adds the properties of engines that an element and those in it name: functions make what is their name.
fn add_named(element: Element<'_>, names: &mut BTreeSet<String>) {
    for child in element.children() {
        for said in [child.text().as_str(), child.attribute("name")] {
            let name = said.trim_start_matches('-').trim();
            if name.starts_with("propulsion/engine") {
                names.insert(canonical(name));
            }
        }
        add_named(child, names);
    }
}

/// A table by its name, if it is there.
fn named_table(
    element: Element<'_>,
    name: &str,
    read: fn(Element<'_>) -> Result<Table, JsbsimError>,
) -> Result<Option<Arc<Table>>, JsbsimError> {
    let found = element.all("table").find(|found| found.attribute("name") == name);
    found.map(|found| read(found).map(Arc::new)).transpose()
}

/// The number of an element in one of its units, if it is there.
fn number(element: Element<'_>, tag: &str, measure: &Measure) -> Result<Option<f64>, JsbsimError> {
    element.first(tag).map(|found| found.number(measure)).transpose()
}

/// The number of an element, whatever its unit, if it is there.
fn plain(element: Element<'_>, tag: &str) -> Result<Option<f64>, JsbsimError> {
    element.first(tag).map(|found| found.finite()).transpose()
}

/// The number of an element in one of its units, which is above 0, if it is there.
fn positive(element: Element<'_>, tag: &str, measure: &Measure) -> Result<Option<f64>, JsbsimError> {
    element.first(tag).map(|found| found.positive(measure)).transpose()
}

/// The number of an element, whatever its unit, which is above another, if it is there.
fn above(element: Element<'_>, tag: &str, least: f64) -> Result<Option<f64>, JsbsimError> {
    element.first(tag).map(|found| found.above(least)).transpose()
}

#[cfg(test)]
mod tests;
