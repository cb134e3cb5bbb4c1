//! Conversion of a JSBSim aircraft (aircraft.xml) to a vehicle.
//!
//! ```text
//! aircraft.xml --xml--> sections --mass--> MassBalance --+
//! and its files            |                             +--gear--> Gear (stance, travel) --text--> vehicle file
//!                          +-------contact--> Contacts --+
//!                          +------buoyancy--> cells of gas: their mass, and their lift in the airframe
//!                          |                                                                    |
//!                          +---air_forces---------------------------+                           |
//! and systems/             +---component, flight_controls-----------+--airframe, text_airframe--+
//! and engine/              +---propulsion---------------------------+
//! ```
//!
//! A vehicle gets mass, inertia, wheels, structural points or pads, and the physics of the aircraft's own files: air forces, controls,
//! engines and gas cells; fuel is not imported. Anything omitted or doubtful gives a warning, where it can with its line.
//!
//! # Conventions
//! JSBSim's structural frame: x aft, y right, z up, arbitrary origin, inches unless a unit is given. Ours is the body
//! frame of [`crate::vehicle`]. Units are those of the attribute `unit`, else JSBSim's defaults.

mod air_forces;
mod airframe;
mod buoyancy;
mod commands;
mod component;
mod condition;
mod contact;
mod doctype;
mod file;
mod flight_controls;
mod function;
mod gear;
mod made;
mod mass;
mod metrics;
mod needed;
mod propulsion;
mod response;
mod servo;
mod spring;
mod stance;
mod strut_force;
mod systems;
mod text;
mod text_airframe;
mod text_function;
mod xml;

use std::collections::BTreeMap;
use std::path::Path;

use super::ImportError;
use crate::document::Document;
use crate::vehicle::Vehicle;
pub use air_forces::{ImportedAirForces, jsbsim_air_forces};
use airframe::ImportedAirframe;
use buoyancy::{cells, displaced};
pub use contact::StructureContacts;
use contact::{Contacts, contacts};
use file::{Sections, Texts};
pub use flight_controls::{ImportedControls, jsbsim_flight_controls};
use gear::{Gear, gear};
use mass::{MassBalance, mass_balance, to_body};
pub use propulsion::{ImportedPropulsion, jsbsim_propulsion};
use xml::{AREA, Element, LENGTH, MASS, Spot, shown};

/// Minimum height of a standing vehicle's structure above the ground \[m\]; less is within the accuracy of the figures.
const CLEAR: f64 = 1e-3;

/// A vehicle that stands level is inclined by less than this \[rad\].
const LEANING: f64 = 0.02;

/// Why an aircraft is no vehicle, and where that shows.
#[derive(Clone, Debug, PartialEq)]
struct JsbsimError {
    spot: Spot,
    message: String,
}

/// What is left out or doubtful, by line.
#[derive(Default)]
struct Warnings {
    lines: Vec<(Spot, String)>,
    /// What is omitted: the line of the first, and how many there are.
    left_out: BTreeMap<String, (Spot, usize)>,
}

impl Warnings {
    fn at(&mut self, element: &Element<'_>, message: impl Into<String>) {
        self.at_spot(&element.spot(), message);
    }

    fn at_spot(&mut self, spot: &Spot, message: impl Into<String>) {
        self.lines.push((spot.clone(), message.into()));
    }

    /// One line for all elements of a name: the first says where.
    fn left_out(&mut self, element: &Element<'_>, why: &str) {
        let message = format!("<{}> is left out{why}", element.tag());
        self.left_out.entry(message).or_insert_with(|| (element.spot(), 0)).1 += 1;
    }

    fn into_lines(mut self) -> Vec<String> {
        for (message, (spot, count)) in self.left_out {
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            self.lines.push((spot, message + &times));
        }
        self.lines.sort();
        self.lines.into_iter().map(|(spot, message)| format!("{spot}: {message}")).collect()
    }
}

/// Sizes of the wing.
struct Wing {
    /// \[m^2\].
    area: f64,
    /// \[m\].
    span: f64,
    /// \[m\].
    chord: f64,
}

/// Everything that is taken from an aircraft.
struct Aircraft {
    name: String,
    licence: String,
    balance: MassBalance,
    /// Mass of the air that its gas cells displace \[kg\].
    displaced: f64,
    contacts: Contacts,
    gear: Gear,
    wing: Option<Wing>,
}

/// Reads a JSBSim aircraft and returns the text of a vehicle file; the warnings list what is omitted or doubtful.
/// Sections may be in files of their own, beside the aircraft. A vehicle with pads asks for JSBSim's ground reactions.
///
/// # Errors
/// If a file cannot be read, is not XML, has a document type definition, lacks its mass, inertia, centre of gravity or
/// wheels, or holds a value that no vehicle can have, such as a strut given by a function of anything but its
/// compression; if its physics cannot be read, for what is left would fly without any.
pub fn jsbsim_vehicle(path: &Path, structure: StructureContacts) -> Result<(String, Vec<String>), ImportError> {
    let airframe = airframe::airframe(path)?;
    Texts::read(path, &SECTIONS)?.with(|name, sections| convert(name, &sections, structure, airframe.as_ref()))
}

/// The sections that a vehicle is made of.
const SECTIONS: [&str; 4] = ["metrics", "mass_balance", "ground_reactions", "buoyant_forces"];

/// The text of a vehicle file, and warnings.
fn convert(
    name: &str,
    sections: &Sections<'_>,
    structure: StructureContacts,
    airframe: Option<&ImportedAirframe>,
) -> Result<(String, Vec<String>), JsbsimError> {
    let root = sections.root;
    let required = |tag: &str| sections.get(tag)?.ok_or_else(|| root.error(format!("<{tag}> is missing")));
    let (balance, reactions) = (required("mass_balance")?, required("ground_reactions")?);
    let mut warnings = Warnings::default();
    // What nothing lifts has no gas either.
    let gas = sections.get("buoyant_forces")?.filter(|_| airframe.is_some());
    let cells = gas.map_or(Ok(Vec::new()), cells)?;
    let balance = mass_balance(balance, &cells, &mut warnings)?;
    let contacts = contacts(reactions, structure, balance.empty_mass, &mut warnings)?;
    let gear = gear(&contacts.bogeys, &balance);
    judge_stance(reactions, &contacts, &balance, &gear, &mut warnings);
    let wing = wing(root, sections.get("metrics")?, &mut warnings)?;
    let displaced = displaced(&cells);
    if let Some(gas) = gas {
        let message = format!(
            "its gas carries {displaced:.0} kg at sea level, of the {:.0} kg of vehicle and gas; it is as warm as the air, and neither \
             heated, blown in nor let out",
            balance.mass
        );
        warnings.at(&gas, message);
    }
    let own_name = aircraft_name(name, root);
    let aircraft = Aircraft { name: own_name, licence: licence(root), balance, displaced, contacts, gear, wing };
    leave_out_the_rest(root, airframe.is_some(), &mut warnings);
    for (spot, message) in airframe.iter().flat_map(|airframe| airframe.doubts.clone()) {
        warnings.at_spot(&spot.unwrap_or_else(|| root.spot()), message);
    }
    let mut warnings = warnings.into_lines();
    warnings.extend(airframe.iter().flat_map(|airframe| airframe.left_out.clone()));
    let text = text::vehicle(name, &aircraft, airframe, &warnings);
    // What the vehicle file refuses, such as sums beyond all numbers, is better said now than when it is used.
    Document::parse("vehicle.toml", &text)
        .and_then(|document| Vehicle::from_document(&document))
        .map_err(|error| root.error(format!("the vehicle made of it is refused: {error}")))?;
    Ok((text, warnings))
}

/// The aircraft's name, else the file's.
fn aircraft_name(file: &str, root: Element<'_>) -> String {
    let name = root.attribute("name");
    if name.is_empty() { file.to_owned() } else { name.to_owned() }
}

/// The licence that its header names; empty without one.
fn licence(root: Element<'_>) -> String {
    let licence = root.first("fileheader").and_then(|header| header.first("license"));
    licence.map(|licence| licence.attribute("licenseName").to_owned()).unwrap_or_default()
}

fn judge_stance(
    section: Element<'_>,
    contacts: &Contacts,
    balance: &MassBalance,
    gear: &Gear,
    warnings: &mut Warnings,
) {
    for (bogey, wheel) in contacts.bogeys.iter().zip(&gear.wheels) {
        if wheel.steering < bogey.steering.angle {
            let message =
                format!("contact {} is steered behind the centre of gravity; taken as fixed", shown(&bogey.name));
            warnings.at_spot(&bogey.spot, message);
        }
    }
    let Some(stance) = &gear.stance else {
        warnings.at(
            &section,
            "the vehicle cannot stand: its centre of gravity is not above a surface between its wheels; each is taken to \
             carry an equal share of the weight",
        );
        return;
    };
    if stance.bank().abs() > LEANING {
        let bank = stance.bank().to_degrees();
        warnings.at(&section, format!("it stands with a bank of {bank:.1} deg"));
    }
    for (bogey, wheel) in contacts.bogeys.iter().zip(&gear.wheels) {
        if wheel.load == 0.0 && !bogey.is_pad {
            let message = format!(
                "contact {} carries nothing when the vehicle stands: type STRUCTURE would make a part of the airframe of it",
                shown(&bogey.name)
            );
            warnings.at_spot(&bogey.spot, message);
        }
    }
    for point in &contacts.points {
        if stance.depth(to_body(point.place, balance.center)) > -CLEAR {
            let message = format!(
                "contact {} touches the ground when the vehicle stands: every landing will end there",
                shown(&point.name)
            );
            warnings.at_spot(&point.spot, message);
        }
    }
}

/// The wing, unless a size of it is missing or 0.
fn wing(root: Element<'_>, metrics: Option<Element<'_>>, warnings: &mut Warnings) -> Result<Option<Wing>, JsbsimError> {
    let Some(metrics) = metrics else {
        warnings.at(&root, "<metrics> is missing: no wing");
        return Ok(None);
    };
    let size = |tag, measure| metrics.first(tag).map_or(Ok(0.0), |found| found.not_negative(measure));
    let wing = Wing { area: size("wingarea", AREA)?, span: size("wingspan", LENGTH)?, chord: size("chord", LENGTH)? };
    if wing.area > 0.0 && wing.span > 0.0 && wing.chord > 0.0 {
        return Ok(Some(wing));
    }
    warnings.at(&metrics, "<wingarea>, <wingspan> or <chord> is missing or 0: no wing");
    Ok(None)
}

fn leave_out_the_rest(root: Element<'_>, flies: bool, warnings: &mut Warnings) {
    for child in root.children() {
        match child.tag() {
            "fileheader" | "metrics" | "mass_balance" | "ground_reactions" | "documentation" => {}
            "aerodynamics" | "flight_control" | "autopilot" | "system" if flies => {}
            "propulsion" => {
                let tanks: Vec<_> = child.all("tank").filter_map(|tank| tank.first("contents")).collect();
                let fuel =
                    tanks.iter().filter_map(|contents| contents.number(MASS).ok()).fold(0.0, |sum, mass| sum + mass);
                let fuel = format!("{fuel:.0} kg of fuel are not in the mass");
                if flies {
                    warnings.at(&child, fuel);
                } else {
                    warnings.left_out(&child, &format!(": no thrust, and {fuel}"));
                }
            }
            "buoyant_forces" if flies => {}
            "buoyant_forces" => warnings.left_out(&child, ": no lifting gas"),
            _ => warnings.left_out(&child, ""),
        }
    }
    for message in [
        "friction is the ground's, which the materials of a scene have; the contacts' own acts with ground_reactions = \"jsbsim\"",
        "travel and horizontal springs of the wheels are derived, and the approach is assumed: see the comments",
    ] {
        warnings.at(&root, message);
    }
    if !flies {
        warnings.at(&root, "no air forces: nothing lifts, drags or damps the vehicle until derivatives are added");
    }
}

#[cfg(test)]
mod tests;
