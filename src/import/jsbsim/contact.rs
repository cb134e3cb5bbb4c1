//! Contacts in the section `ground_reactions` (JSBSim, `FGLGear`).

use glam::DVec3;

use super::gear::GRAVITY;
use super::spring::Spring;
use super::strut_force::{Damper, StrutForce, strut_force};
use super::xml::{ANGLE, DAMPING, Element, FOOT, PLAIN, SQUARE_DAMPING, STIFFNESS, Spot, shown};
use super::{JsbsimError, Warnings};
use crate::vehicle::{MAX_STRUCTURE, MAX_WHEELS};

/// The greatest angle that a vehicle file allows \[deg\].
const MAX_STEERING: f64 = 90.0;
/// JSBSim's sign of a castering wheel \[deg\].
const CASTERING: f64 = 360.0;

/// What becomes of contacts of type STRUCTURE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructureContacts {
    /// Points: a landing ends when one touches.
    Points,
    /// Pads with springs, dampers and friction, as in JSBSim.
    Pads,
}

/// A wheel, a skid that JSBSim takes for one, or a pad.
pub(super) struct Bogey {
    /// As in the file.
    pub name: String,
    /// Made of a contact of type STRUCTURE: it neither rolls, turns nor brakes.
    pub is_pad: bool,
    pub spot: Spot,
    /// Lowest point of the relaxed tyre, structural frame \[m\].
    pub foot: DVec3,
    pub spring: Spring,
    /// Of compression.
    pub damper: Damper,
    /// Of extension, where it has one of its own.
    pub rebound: Option<Damper>,
    pub static_friction: f64,
    pub dynamic_friction: f64,
    pub rolling_friction: f64,
    pub steering: Steering,
    /// Pedals brake it.
    pub brakes: bool,
    pub retractable: bool,
}

/// How a wheel turns about its strut.
pub(super) struct Steering {
    /// Steered or castering.
    pub turns: bool,
    /// Swivels freely.
    pub casters: bool,
    /// Greatest angle \[deg\], not negative; 0 of castering and fixed wheels and of those that turn to the left when steered
    /// to the right.
    pub angle: f64,
}

impl Steering {
    /// Of what does not turn.
    const FIXED: Self = Self { turns: false, casters: false, angle: 0.0 };
}

/// A point of the structure.
pub(super) struct Point {
    pub name: String,
    pub spot: Spot,
    /// Structural frame \[m\].
    pub place: DVec3,
}

/// Everything that may touch the ground.
pub(super) struct Contacts {
    pub bogeys: Vec<Bogey>,
    pub points: Vec<Point>,
}

/// The contacts of an aircraft of this empty mass \[kg\].
pub(super) fn contacts(
    section: Element<'_>,
    structure: StructureContacts,
    empty_mass: f64,
    warnings: &mut Warnings,
) -> Result<Contacts, JsbsimError> {
    let numbered = section.all("contact").enumerate();
    let (wheels, points): (Vec<_>, Vec<_>) =
        numbered.partition(|(_, contact)| structure == StructureContacts::Pads || is_bogey(*contact));
    if wheels.is_empty() {
        return Err(section.error(match structure {
            StructureContacts::Points => {
                "no <contact type=\"BOGEY\">: it has no gear, and at least one wheel is required; --pads makes pads of other contacts"
            }
            StructureContacts::Pads => "no <contact>: at least one wheel or pad is required",
        }));
    }
    let things = if structure == StructureContacts::Pads { "wheels and pads" } else { "wheels" };
    for (found, limit, things) in [(&wheels, MAX_WHEELS, things), (&points, MAX_STRUCTURE, "structural points")] {
        if let Some((_, beyond)) = found.get(limit) {
            return Err(beyond.error(format!("{} {things} are not allowed: at most {limit}", found.len())));
        }
    }
    for child in section.children().filter(|child| child.tag() != "contact") {
        warnings.left_out(&child, "");
    }
    if let Some((_, first)) = points.first() {
        warnings.at(
            first,
            "springs, dampers and frictions of structural points are left out: a landing ends when one touches; --pads \
             makes pads of them",
        );
    }
    let bogeys = wheels.into_iter().map(|(number, contact)| support(contact, number, empty_mass, warnings));
    Ok(Contacts {
        bogeys: bogeys.collect::<Result<_, _>>()?,
        points: points.into_iter().map(|(_, other)| point(other, warnings)).collect::<Result<_, _>>()?,
    })
}

fn is_bogey(contact: Element<'_>) -> bool {
    contact.attribute("type") == "BOGEY"
}

/// Any type that is unknown is STRUCTURE.
fn doubt_type(contact: Element<'_>, warnings: &mut Warnings) {
    let kind = contact.attribute("type");
    if kind != "STRUCTURE" {
        warnings.at(&contact, format!("type {} is taken for STRUCTURE, as JSBSim does", shown(kind)));
    }
}

fn point(contact: Element<'_>, warnings: &mut Warnings) -> Result<Point, JsbsimError> {
    doubt_type(contact, warnings);
    let place = contact.required("location")?.place()?;
    Ok(Point { name: contact.attribute("name").to_owned(), spot: contact.spot(), place })
}

/// A wheel or a pad; its number is that among all contacts. What a pad lacks JSBSim takes from the empty weight: as many pounds per
/// foot, and per foot per second, as that has pounds.
fn support(
    contact: Element<'_>,
    number: usize,
    empty_mass: f64,
    warnings: &mut Warnings,
) -> Result<Bogey, JsbsimError> {
    let name = shown(contact.attribute("name"));
    let is_pad = !is_bogey(contact);
    if is_pad {
        doubt_type(contact, warnings);
    }
    let of_weight = empty_mass * GRAVITY / FOOT;
    let (spring, damper, rebound) = match contact.first("strut_force") {
        Some(strut) => {
            let StrutForce { spring, damper, rebound } = strut_force(strut, number)?;
            (spring, damper, Some(rebound))
        }
        None => {
            let stiffness = match contact.first("spring_coeff") {
                None if is_pad => of_weight,
                _ => contact.required("spring_coeff")?.positive(STIFFNESS)?,
            };
            let compression = match contact.first("damping_coeff") {
                None if is_pad => Damper { linear: of_weight, square: 0.0 },
                _ => compression_damper(contact, warnings)?,
            };
            let rebound = contact.first("damping_coeff_rebound").map(damper).transpose()?;
            (Spring::linear(stiffness), compression, rebound)
        }
    };
    let without = if is_pad { 1.0 } else { 0.0 };
    let friction = |tag| contact.first(tag).map_or(Ok(without), |found| found.not_negative(PLAIN));
    let bogey = Bogey {
        name: contact.attribute("name").to_owned(),
        is_pad,
        spot: contact.spot(),
        foot: contact.required("location")?.place()?,
        spring,
        damper,
        rebound,
        static_friction: friction("static_friction")?,
        dynamic_friction: friction("dynamic_friction")?,
        rolling_friction: if is_pad { 0.0 } else { friction("rolling_friction")? },
        brakes: !is_pad && brakes(contact, warnings),
        retractable: contact.first("retractable").map_or(Ok(0.0), |found| found.number(PLAIN))? != 0.0,
        steering: if is_pad { Steering::FIXED } else { steering(contact, warnings)? },
    };
    if bogey.static_friction < bogey.dynamic_friction {
        warnings.at(
            &contact,
            format!(
                "static friction {} of contact {name} is below its dynamic friction {}",
                bogey.static_friction, bogey.dynamic_friction
            ),
        );
    }
    for child in contact.children() {
        match child.tag() {
            "location"
            | "spring_coeff"
            | "damping_coeff"
            | "static_friction"
            | "dynamic_friction"
            | "rolling_friction"
            | "max_steer"
            | "castered"
            | "brake_group"
            | "retractable"
            | "documentation"
            | "damping_coeff_rebound"
            | "strut_force" => {}
            // JSBSim presses pads along the normal of the ground.
            "orientation" if is_pad => {}
            "orientation" => warnings.left_out(&child, ": struts stand along the body's Z axis"),
            "table" => warnings.left_out(&child, ": friction is the ground's"),
            _ => warnings.left_out(&child, ""),
        }
    }
    Ok(bogey)
}

fn compression_damper(contact: Element<'_>, warnings: &mut Warnings) -> Result<Damper, JsbsimError> {
    let Some(element) = contact.first("damping_coeff") else {
        warnings.at(&contact, format!("contact {} has no damper, and will bounce", shown(contact.attribute("name"))));
        return Ok(Damper { linear: 0.0, square: 0.0 });
    };
    damper(element)
}

fn damper(element: Element<'_>) -> Result<Damper, JsbsimError> {
    match element.attribute("type") {
        "" | "LINEAR" => Ok(Damper { linear: element.not_negative(DAMPING)?, square: 0.0 }),
        "SQUARE" => Ok(Damper { linear: 0.0, square: element.not_negative(SQUARE_DAMPING)? }),
        other => Err(element.error(format!("type {} is not allowed: must be LINEAR or SQUARE", shown(other)))),
    }
}

fn steering(contact: Element<'_>, warnings: &mut Warnings) -> Result<Steering, JsbsimError> {
    let name = shown(contact.attribute("name"));
    let asked = contact.first("max_steer").map_or(Ok(0.0), |found| found.number(ANGLE))?;
    let castered = contact.first("castered").map(|found| found.number(PLAIN)).transpose()?;
    let casters = castered.map_or(asked == CASTERING, |flag| flag != 0.0);
    let steered = |angle: f64| Ok(Steering { turns: true, casters: false, angle });
    if casters {
        Ok(Steering { turns: true, casters, angle: 0.0 })
    } else if asked < 0.0 {
        warnings.at(&contact, format!("contact {name} turns to the left when steered to the right; taken as fixed"));
        steered(0.0)
    } else if asked > MAX_STEERING {
        warnings.at(&contact, format!("contact {name} is steered by {asked} deg; taken as {MAX_STEERING} deg"));
        steered(MAX_STEERING)
    } else {
        Ok(Steering { turns: asked > 0.0, casters, angle: asked })
    }
}

/// Whether the pedals brake it. NOSE and TAIL have a lever of their own in JSBSim, which the pilot has not.
fn brakes(contact: Element<'_>, warnings: &mut Warnings) -> bool {
    let group = contact.first("brake_group").map(|found| (found, found.text()));
    match group {
        Some((_, text)) if ["LEFT", "RIGHT", "CENTER"].contains(&text.as_str()) => true,
        None => false,
        Some((_, text)) if ["", "NONE"].contains(&text.as_str()) => false,
        Some((element, text)) => {
            warnings.at(
                &element,
                format!(
                    "brake group {} of contact {} is left without a brake: pedals brake LEFT, RIGHT and CENTER",
                    shown(&text),
                    shown(contact.attribute("name"))
                ),
            );
            false
        }
    }
}
