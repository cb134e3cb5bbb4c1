//! The sections `system`, `autopilot` and `flight_control` of an aircraft file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::commands::is_of_flightgear;
use super::component::component;
use super::condition::parameter;
use super::file::{Sections, Texts};
use super::function::function;
use super::made::is_of_jsbsim;
use super::systems::{Section, sections};
use super::xml::{Element, Spot, shown};
use super::{JsbsimError, Warnings};
use crate::flight_controls::{Channel, FlightControls};
use crate::function::Function;
use crate::import::ImportError;

/// Flight controls of an aircraft file.
#[derive(Clone, Debug)]
pub struct ImportedControls {
    /// Channels and functions in the order of their evaluation: systems, then the autopilot, then the flight control.
    pub controls: FlightControls,
    /// Properties with the values that they have at the start, where files give one; all others begin with 0.
    pub at_start: Vec<(String, f64)>,
    /// What is left out, by line.
    pub left_out: Vec<String>,
}

/// Reads the flight controls of a JSBSim aircraft with the files of its systems, which are where JSBSim looks for them: beside the
/// aircraft, in its folder `Systems`, and in `../../systems`.
///
/// # Errors
/// If a file cannot be read, is not XML, or a component of it lacks what it needs or holds a value that it cannot have.
pub fn jsbsim_flight_controls(path: &Path) -> Result<ImportedControls, ImportError> {
    let texts = Texts::with_systems(path, &["propulsion"])?;
    texts.with(|_, all| imported(&all, path))
}

fn imported(all: &Sections<'_>, path: &Path) -> Result<ImportedControls, JsbsimError> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let engines = all.get("propulsion")?.map_or(0, |propulsion| propulsion.all("engine").count());
    let mut reader =
        Reader { name: &name, controls: FlightControls { engines, ..FlightControls::default() }, ..Reader::default() };
    // The gear is down.
    reader.at_start.insert("gear/gear-pos-norm".to_owned(), 1.0);
    for section in sections(all, directory)? {
        reader.section(&section)?;
    }
    Ok(ImportedControls {
        controls: reader.controls,
        at_start: reader.at_start.into_iter().collect(),
        left_out: reader.warnings.into_lines(),
    })
}

/// What has been read so far.
#[derive(Default)]
struct Reader<'a> {
    /// Name of the aircraft's file.
    name: &'a str,
    controls: FlightControls,
    at_start: BTreeMap<String, f64>,
    /// Properties that components make: a value at the start comes too late for them.
    made: BTreeSet<String>,
    warnings: Warnings,
}

impl Reader<'_> {
    fn section(&mut self, section: &Section<'_>) -> Result<(), JsbsimError> {
        if let Some(file) = section.file {
            self.properties(file, false)?;
        }
        self.properties(section.own, section.file.is_some())?;
        for element in section.functions() {
            let function = function(element)?;
            match element.attribute("type") {
                "" | "pre" => self.controls.before.extend(named(function)),
                "post" => self.controls.after.extend(named(function)),
                other => {
                    return Err(element.error(format!("type {} is not allowed: must be pre or post", shown(other))));
                }
            }
        }
        for channel in section.all("channel") {
            self.channel(channel)?;
        }
        for other in section.parts().flat_map(Element::children) {
            // Texts have no effect that could be lost.
            let is_text = other.children().next().is_none() || matches!(other.tag(), "description" | "documentation");
            if !is_text && !matches!(other.tag(), "channel" | "function" | "property") {
                self.warnings.left_out(&other, ": it is no part of a section of channels");
            }
        }
        Ok(())
    }

    /// Values at the start. Those in the aircraft itself count more than those of the file that it names.
    fn properties(&mut self, element: Element<'_>, overrides: bool) -> Result<(), JsbsimError> {
        for child in element.all("property") {
            // The first of several needs no number.
            let name = super::component::named(child, &child.text())?.replace("[0]", "");
            let text = child.attribute("value");
            let value = match text {
                "" => 0.0,
                text => text.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                    child.error(format!("value {} is not allowed: must be a finite number", shown(text)))
                })?,
            };
            // Commands and positions are JSBSim's own, which has set them before.
            let is_own = name.starts_with("fcs/") && name.split('[').next().is_some_and(is_of_jsbsim);
            let is_known =
                is_own || is_of_flightgear(&name) || self.at_start.contains_key(&name) || self.made.contains(&name);
            if overrides || !is_known {
                self.at_start.insert(name, value);
            }
        }
        Ok(())
    }

    fn channel(&mut self, element: Element<'_>) -> Result<(), JsbsimError> {
        let every =
            match element.attribute("execrate") {
                "" => 1.0,
                text => text.parse::<f64>().ok().filter(|every| every.is_finite() && every.abs() < 1e6).ok_or_else(
                    || element.error(format!("execrate {} is not allowed: must be a number of frames", shown(text))),
                )?,
            };
        let on = match element.attribute("execute") {
            "" => None,
            text => Some(parameter(text, element)?),
        };
        let mut channel = Channel { every: every.max(1.0) as u32, on, components: Vec::new() };
        for child in element.children() {
            let Spot { file, line } = child.spot();
            let place = format!("{}:{line}", if file.is_empty() { self.name } else { &file });
            if let Some(component) = component(child, &place, &mut self.warnings)? {
                let made = std::iter::once(&component.name).chain(&component.outputs);
                self.made.extend(made.map(|name| name.replace("[0]", "")));
                channel.components.push(component);
            }
        }
        self.controls.channels.push(channel);
        Ok(())
    }
}

/// What has no name cannot be read.
fn named(function: Function<String>) -> Option<Function<String>> {
    (!function.name.is_empty()).then_some(function)
}

#[cfg(test)]
mod tests;
