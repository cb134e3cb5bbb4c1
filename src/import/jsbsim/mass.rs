//! Mass, centre of gravity and inertia of the empty aircraft, its point masses and its gas.
//!
//! # Conventions
//! JSBSim's structural frame: x aft, y right, z up, origin anywhere. Body frame as in [`crate::vehicle`]: the structural
//! frame turned by half a turn about y, after the centre of gravity is taken away. That turns the signs of the products
//! xy and yz.
//! A file's products are negated integrals such as -integral of x z dm of the structural frame, unless it says
//! `negated_crossproduct_inertia="false"` (JSBSim, `FGMassBalance`).

use glam::{DMat3, DVec3};

use super::buoyancy::Cell;
use super::xml::{Element, INERTIA, LENGTH, MASS};
use super::{JsbsimError, Warnings};
use crate::import::number::number;
use crate::vehicle::Inertia;

/// All of it together.
pub(super) struct MassBalance {
    /// \[kg\].
    pub mass: f64,
    /// Mass of the empty aircraft \[kg\].
    pub empty_mass: f64,
    /// How many masses are added to the empty aircraft.
    pub point_masses: usize,
    /// Centre of gravity, structural frame \[m\].
    pub center: DVec3,
    /// About the centre of gravity, body axes.
    pub inertia: Inertia,
}

/// From a place in the structural frame to the body frame of a centre of gravity.
pub(super) fn to_body(place: DVec3, center: DVec3) -> DVec3 {
    (place - center) * DVec3::new(-1.0, 1.0, -1.0)
}

struct Part {
    mass: f64,
    place: DVec3,
    /// About its own place.
    tensor: DMat3,
}

/// Of a section, and of the gas in these cells.
pub(super) fn mass_balance(
    section: Element<'_>,
    cells: &[Cell],
    warnings: &mut Warnings,
) -> Result<MassBalance, JsbsimError> {
    for axis in ["ixx", "iyy", "izz"] {
        section.required(axis)?.positive(INERTIA)?;
    }
    let center = section.all("location").find(|place| place.attribute("name") == "CG");
    let center = center.ok_or_else(|| section.error("<location name=\"CG\"> is missing"))?;
    let empty =
        Part { mass: section.required("emptywt")?.positive(MASS)?, place: center.place()?, tensor: tensor(section)? };
    let empty_mass = empty.mass;
    let mut parts = vec![empty];
    for point in section.all("pointmass") {
        parts.push(point_mass(point, warnings)?);
    }
    let point_masses = parts.len() - 1;
    let gases = cells.iter().flat_map(|cell| &cell.gases);
    parts.extend(gases.map(|gas| Part { mass: gas.mass, place: gas.place, tensor: DMat3::from_diagonal(gas.moments) }));
    for child in section.children() {
        let known = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz", "emptywt", "pointmass", "location", "documentation"];
        if !known.contains(&child.tag()) {
            warnings.left_out(&child, "");
        }
    }

    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let center = parts.iter().map(|part| part.place * (part.mass / mass)).sum();
    let tensor = parts.iter().fold(DMat3::ZERO, |sum, part| {
        let arm = to_body(part.place, center);
        let about_center = DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer(arm);
        sum + part.tensor + about_center * part.mass
    });
    let mut inertia = Inertia {
        xx: tensor.x_axis.x,
        yy: tensor.y_axis.y,
        zz: tensor.z_axis.z,
        xy: -tensor.y_axis.x,
        xz: -tensor.z_axis.x,
        yz: -tensor.z_axis.y,
    };
    mend_the_impossible(&mut inertia, section, warnings)?;
    Ok(MassBalance { mass, empty_mass, point_masses, center, inertia })
}

fn outer(arm: DVec3) -> DMat3 {
    DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z)
}

/// The tensor in body axes. Where elements are missing, JSBSim takes 0.
fn tensor(element: Element<'_>) -> Result<DMat3, JsbsimError> {
    let number = |tag| element.first(tag).map_or(Ok(0.0), |found| found.number(INERTIA));
    let sign = if element.attribute("negated_crossproduct_inertia") == "false" { -1.0 } else { 1.0 };
    // Off its diagonal a tensor holds negated products; the turn about y turns xy and yz.
    let (xy, xz, yz) = (-sign * number("ixy")?, sign * number("ixz")?, -sign * number("iyz")?);
    Ok(DMat3::from_cols(
        DVec3::new(number("ixx")?, xy, xz),
        DVec3::new(xy, number("iyy")?, yz),
        DVec3::new(xz, yz, number("izz")?),
    ))
}

fn point_mass(element: Element<'_>, warnings: &mut Warnings) -> Result<Part, JsbsimError> {
    let mass = element.required("weight")?.not_negative(MASS)?;
    let place = element.required("location")?.place()?;
    let tensor = match element.first("form") {
        None => tensor(element)?,
        Some(form) => DMat3::from_diagonal(form_moments(form, mass, warnings)?),
    };
    Ok(Part { mass, place, tensor })
}

/// Moments of a body of a simple form, its axis along X \[kg m^2\].
fn form_moments(form: Element<'_>, mass: f64, warnings: &mut Warnings) -> Result<DVec3, JsbsimError> {
    let size = |tag| form.first(tag).map_or(Ok(0.0), |found| found.not_negative(LENGTH));
    let (radius, length) = (size("radius")?, size("length")?);
    let (radius2, length2) = (radius * radius, length * length);
    let round = |share: f64| DVec3::splat(share * radius2);
    Ok(mass
        * match form.attribute("shape") {
            "tube" => DVec3::new(radius2, 0.5 * radius2 + length2 / 12.0, 0.5 * radius2 + length2 / 12.0),
            "cylinder" => DVec3::new(0.5 * radius2, 0.25 * radius2 + length2 / 12.0, 0.25 * radius2 + length2 / 12.0),
            "sphere" => round(2.0 / 3.0),
            "ball" => round(0.4),
            _ => {
                warnings.left_out(&form, "; its shape must be tube, cylinder, sphere or ball");
                DVec3::ZERO
            }
        })
}

/// No moment is above the sum of the others. Where one is, the moment of yaw gives way: it is lowered to the sum of the other
/// two, or raised so that the greater of them is that sum. Landings feel those of roll and pitch more.
fn mend_the_impossible(
    inertia: &mut Inertia,
    section: Element<'_>,
    warnings: &mut Warnings,
) -> Result<(), JsbsimError> {
    let (least, most) = ((inertia.xx - inertia.yy).abs(), inertia.xx + inertia.yy);
    // A little inside, for the digits that the file keeps.
    let mended = if inertia.zz > most {
        Some(("lowered", most * (1.0 - 1e-9)))
    } else if inertia.zz < least {
        Some(("raised", least * (1.0 + 1e-9)))
    } else {
        None
    };
    if let Some((changed, moment)) = mended {
        let what = format!(
            "no body has this inertia: {} kg m2 about Z, with {} about X and {} about Y (point masses counted)",
            number(inertia.zz),
            number(inertia.xx),
            number(inertia.yy)
        );
        let element = section.required("izz")?;
        warnings.at(&element, format!("{what}; that about Z is {changed} to {}", number(moment)));
        inertia.zz = moment;
    }
    match inertia.defect() {
        None => Ok(()),
        Some(why) => Err(section.error(format!("no body has this inertia: {why}"))),
    }
}
