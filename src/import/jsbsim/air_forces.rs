//! The section `aerodynamics` of an aircraft file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use glam::DVec3;

use super::buoyancy::Cell;
use super::file::{Sections, Texts};
use super::function::{function, is_text};
use super::made::{add_made, is_of_jsbsim};
use super::mass::{MassBalance, mass_balance, to_body};
use super::xml::{ANGLE, Element, FOOT, Measure, Spot, shown};
use super::{JsbsimError, Warnings};
use crate::air_forces::{AirForces, AxisFunction, Description, ForceAxes, MomentAxes, Role, Sizes};
use crate::function::RoutineFault;
use crate::import::ImportError;

/// Air forces of an aircraft file.
#[derive(Clone, Debug)]
pub struct ImportedAirForces {
    /// What the file says.
    pub description: Description,
    /// The same to be evaluated.
    pub forces: AirForces,
}

/// The sections that air forces are made of.
const SECTIONS: [&str; 3] = ["metrics", "mass_balance", "aerodynamics"];

/// Feet of a metre, as JSBSim has it: sizes in metres become feet by this, 1.5e-9 of it too much.
const FEET: f64 = 3.280_839_9;
const METRE: f64 = FEET * FOOT;

/// Sizes of wings \[m\].
pub(super) const WING_LENGTH: &Measure = &[("FT", FOOT), ("IN", FOOT / 12.0), ("M", METRE)];
/// \[m^2\].
pub(super) const WING_AREA: &Measure = &[("FT2", FOOT * FOOT), ("IN2", FOOT * FOOT / 144.0), ("M2", METRE * METRE)];

/// Reads the air forces of a JSBSim aircraft. Given properties are those that its functions read and that do not follow from the
/// flight: positions of surfaces, and whatever systems and engines make. Those in `more` are given though nothing here makes them.
///
/// # Errors
/// If a file cannot be read, is not XML, has no air forces, holds an element that is not read, or a function reads a property that
/// nothing makes. Files of systems may be missing: what they would make is then not known.
pub fn jsbsim_air_forces(path: &Path, more: &[String]) -> Result<ImportedAirForces, ImportError> {
    let texts = Texts::with_systems_there(path, &SECTIONS)?;
    texts.with(|_, sections| imported(&sections, more))
}

/// What a file says of air forces, with the mass balance that they are about, and where functions are, by their names.
pub(super) struct Described {
    pub description: Description,
    pub balance: MassBalance,
    pub spots: BTreeMap<String, Spot>,
}

/// Air forces of a file, before it is known what their functions read; about the centre of gravity with the gas in these cells.
pub(super) fn described(sections: &Sections<'_>, cells: &[Cell]) -> Result<Described, JsbsimError> {
    let root = sections.root;
    let required = |tag: &str| sections.get(tag)?.ok_or_else(|| root.error(format!("<{tag}> is missing")));
    let section = required("aerodynamics")?;
    let metrics = sections.get("metrics")?;
    let balance = mass_balance(required("mass_balance")?, cells, &mut Warnings::default())?;
    // As in JSBSim the last one counts, and without one forces act at the origin of the structure.
    let reference =
        metrics.and_then(|all| all.all("location").filter(|place| place.attribute("name") == "AERORP").last());
    let reference = reference.map_or(Ok(DVec3::ZERO), Element::place)?;
    let (description, spots) = air_forces(section, metrics, to_body(reference, balance.center))?;
    Ok(Described { description, balance, spots })
}

fn imported(sections: &Sections<'_>, more: &[String]) -> Result<ImportedAirForces, JsbsimError> {
    let root = sections.root;
    let Described { description, spots, .. } = described(sections, &[])?;
    let mut made = BTreeSet::new();
    sections.all().for_each(|element| add_made(element, &mut made));
    let is_given = |name: &str| is_of_jsbsim(name) || made.contains(name) || more.iter().any(|own| own == name);
    let forces = AirForces::with_given(&description, &is_given).map_err(|fault| match &fault {
        RoutineFault::Unknown(unknown) => {
            let known = "positions of surfaces, what JSBSim makes itself, and what the files of the aircraft make; others must be declared as given";
            let spot = spots.get(&unknown.function).cloned().unwrap_or_else(|| root.spot());
            JsbsimError { spot, message: format!("<function>: {fault}; known are {known}") }
        }
        RoutineFault::TooLong(_) => root.error(fault.to_string()),
    })?;
    Ok(ImportedAirForces { description, forces })
}

/// An axis of a file: its name, of which axes, and which of them.
const AXES: [(&str, Option<ForceAxes>, usize); 11] = [
    ("DRAG", Some(ForceAxes::Wind), 0),
    ("SIDE", None, 1),
    ("LIFT", Some(ForceAxes::Wind), 2),
    ("AXIAL", Some(ForceAxes::Axial), 0),
    ("NORMAL", Some(ForceAxes::Axial), 2),
    ("X", Some(ForceAxes::Body), 0),
    ("Y", Some(ForceAxes::Body), 1),
    ("Z", Some(ForceAxes::Body), 2),
    ("ROLL", None, 0),
    ("PITCH", None, 1),
    ("YAW", None, 2),
];

/// Reads functions, limits and sizes, and where the functions are, by their names.
fn air_forces(
    section: Element<'_>,
    metrics: Option<Element<'_>>,
    reference_point: DVec3,
) -> Result<(Description, BTreeMap<String, Spot>), JsbsimError> {
    let mut description = Description { sizes: sizes(metrics)?, reference_point, ..Description::default() };
    let mut axes = Axes::default();
    for child in section.children() {
        match child.tag() {
            "function" => {
                description.functions.push(AxisFunction { function: function(child)?, role: Role::Property });
            }
            "axis" => axes.read(child, &mut description)?,
            "aero_ref_pt_shift_x" => {
                let shift = function(child.required("function")?)?;
                description.functions.push(AxisFunction { function: shift, role: Role::Shift });
            }
            "alphalimits" => description.alpha_limits = Some(limits(child)?),
            "hysteresis_limits" => {
                // JSBSim takes limits of 0 as none.
                description.hysteresis_limits = Some(limits(child)?).filter(|limits| *limits != [0.0; 2]);
            }
            "property" => description.constants.push(constant(child)?),
            // Texts: what holds no element has no value that could be lost.
            tag if is_text(tag) => {}
            _ if child.children().next().is_none() => {}
            _ => return Err(child.error(
                "is not read: must be function, property, axis, alphalimits, hysteresis_limits or aero_ref_pt_shift_x",
            )),
        }
    }
    description.force_axes = axes.force.unwrap_or_default();
    description.moment_axes = axes.moment.unwrap_or_default();
    let mut spots = BTreeMap::new();
    spots_of_functions(section, &mut spots);
    Ok((description, spots))
}

fn spots_of_functions(element: Element<'_>, spots: &mut BTreeMap<String, Spot>) {
    for child in element.children() {
        if child.tag() == "function" {
            spots.insert(child.attribute("name").to_owned(), child.spot());
        } else {
            spots_of_functions(child, spots);
        }
    }
}

fn sizes(metrics: Option<Element<'_>>) -> Result<Sizes, JsbsimError> {
    let size = |tag, measure| {
        let found = metrics.and_then(|metrics| metrics.first(tag));
        found.map_or(Ok(0.0), |found| found.not_negative(measure))
    };
    let incidence = metrics.and_then(|metrics| metrics.first("wing_incidence"));
    Ok(Sizes {
        area: size("wingarea", WING_AREA)?,
        span: size("wingspan", WING_LENGTH)?,
        chord: size("chord", WING_LENGTH)?,
        incidence: incidence.map_or(Ok(0.0), |found| found.number(ANGLE))?.to_radians(),
    })
}

/// A property that the file sets.
fn constant(element: Element<'_>) -> Result<(String, f64), JsbsimError> {
    let number = match element.attribute("value") {
        "" => Ok(0.0),
        text => text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .ok_or_else(|| element.error(format!("value {} is not allowed: must be a finite number", shown(text)))),
    };
    Ok((element.text(), number?))
}

fn limits(element: Element<'_>) -> Result<[f64; 2], JsbsimError> {
    let scale = match element.attribute("unit") {
        "DEG" => 1_f64.to_radians(),
        "" | "RAD" => 1.0,
        other => return Err(element.error(format!("unit {} is not allowed: must be RAD or DEG", shown(other)))),
    };
    let [low, high] = ["min", "max"].map(|tag| element.required(tag)?.finite());
    Ok([low? * scale, high? * scale])
}

/// What axes of a section are.
#[derive(Default)]
struct Axes {
    force: Option<ForceAxes>,
    moment: Option<MomentAxes>,
}

impl Axes {
    fn read(&mut self, element: Element<'_>, description: &mut Description) -> Result<(), JsbsimError> {
        let name = element.attribute("name");
        let (own, axes, number) = AXES.into_iter().find(|(own, ..)| *own == name).ok_or_else(|| {
            let names: Vec<_> = AXES.iter().map(|(name, ..)| *name).collect();
            element.error(format!("name {} is not allowed: must be one of {}", shown(name), names.join(", ")))
        })?;
        let frame = element.attribute("frame");
        let is_moment = matches!(own, "ROLL" | "PITCH" | "YAW");
        if is_moment {
            let axes = match frame {
                "" | "BODY" => MomentAxes::Body,
                "STABILITY" => MomentAxes::Stability,
                "WIND" => MomentAxes::Wind,
                other => return Err(unknown_frame(element, other)),
            };
            agreed(&mut self.moment, axes, element)?;
        } else if let Some(axes) = axes {
            let axes = match (axes, frame) {
                (ForceAxes::Body, "STABILITY") => ForceAxes::Stability,
                (ForceAxes::Body, "WIND") => ForceAxes::Wind,
                (ForceAxes::Body, other) if !matches!(other, "" | "BODY") => return Err(unknown_frame(element, other)),
                // Others say by their names which they are: JSBSim does not ask for their frame.
                (axes, _) => axes,
            };
            agreed(&mut self.force, axes, element)?;
        }
        for child in element.children() {
            if child.tag() != "function" {
                if is_text(child.tag()) || child.children().next().is_none() {
                    continue;
                }
                return Err(child.error("is not read: an axis holds functions"));
            }
            let role = match (is_moment, child.attribute("apply_at_cg")) {
                (true, _) => Role::Moment(number),
                (false, "true") => Role::ForceAtCentre(number),
                (false, _) => Role::Force(number),
            };
            description.functions.push(AxisFunction { function: function(child)?, role });
        }
        Ok(())
    }
}

fn unknown_frame(element: Element<'_>, frame: &str) -> JsbsimError {
    element.error(format!("frame {} is not allowed here: must be BODY, STABILITY or WIND", shown(frame)))
}

fn agreed<T: PartialEq>(known: &mut Option<T>, axes: T, element: Element<'_>) -> Result<(), JsbsimError> {
    match known {
        Some(known) if *known != axes => Err(element.error("is in other axes than those before it")),
        _ => {
            *known = Some(axes);
            Ok(())
        }
    }
}
