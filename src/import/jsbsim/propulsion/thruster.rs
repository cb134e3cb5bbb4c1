//! Thrusters.

use super::super::function::{unnamed_line, unnamed_table};
use super::super::xml::{Element, Measure, shown};
use super::super::{JsbsimError, Warnings};
use super::{named_table, plain};
use crate::propulsion::{Pitch, Propeller, Thruster};

/// Square feet of a square metre, as JSBSim has it.
const FEET: f64 = 3.280_839_9;
/// \[ft^2\].
const AREA: &Measure = &[("FT2", 1.0), ("IN2", 1.0 / 144.0), ("M2", FEET * FEET)];
/// \[ft\].
const LENGTH: &Measure = &[("FT", 1.0), ("IN", 1.0 / 12.0), ("M", FEET)];
/// \[slug ft^2\].
const INERTIA: &Measure = &[("SLUG*FT2", 1.0), ("KG*M2", 1.0 / 1.355_94)];

/// Smallest sizes that JSBSim allows.
const LEAST_INERTIA: f64 = 1e-6;
const LEAST_SIZE: f64 = 1e-3;

/// What a thruster's element says, mounted by another; none if it is left out.
pub(super) fn thruster(
    element: Element<'_>,
    mount: Element<'_>,
    warnings: &mut Warnings,
) -> Result<Option<Thruster>, JsbsimError> {
    Ok(Some(match element.tag() {
        "direct" => Thruster::Direct,
        "nozzle" => Thruster::Nozzle(element.required("area")?.not_negative(AREA)?),
        "propeller" => Thruster::Propeller(Box::new(propeller(element, mount, warnings)?)),
        _ => {
            warnings.left_out(&element, ": it must be direct, nozzle or propeller");
            return Ok(None);
        }
    }))
}

fn propeller(element: Element<'_>, mount: Element<'_>, warnings: &mut Warnings) -> Result<Propeller, JsbsimError> {
    let inertia = element.required("ixx")?.number(INERTIA)?.max(LEAST_INERTIA);
    let diameter = element.required("diameter")?.number(LENGTH)?.max(LEAST_SIZE);
    let [least, most] = ["minpitch", "maxpitch"].map(|tag| plain(element, tag));
    let [least, most] = [least?.unwrap_or(0.0), most?.unwrap_or(0.0)];
    let (slow, fast) = (plain(element, "minrpm")?.unwrap_or(0.0), plain(element, "maxrpm")?);
    let is_governed = plain(element, "constspeed")?.map_or(fast.is_some(), |number| number.trunc() != 0.0);
    let pitch = if least == most {
        Pitch::Fixed(least)
    } else if is_governed {
        Pitch::Governed { angles: [least, most], speeds: [slow, fast.unwrap_or(0.0)] }
    } else {
        Pitch::Set(least)
    };
    let of_mach = |name: &str| named_table(element, name, unnamed_line);
    let arguments = if matches!(pitch, Pitch::Fixed(_)) { 1 } else { 2 };
    let coefficients = |name: &str| {
        let missing = || element.error(format!("<table name=\"{name}\"> is missing"));
        let table = named_table(element, name, unnamed_table)?.ok_or_else(missing)?;
        if table.arguments() == arguments {
            return Ok(table);
        }
        let allowed =
            if arguments == 1 { "a fixed pitch needs one column" } else { "a varying pitch needs a column for each" };
        Err(element.error(format!("<table name=\"{name}\"> is not allowed: {allowed}")))
    };
    for other in element.all("table") {
        let name = other.attribute("name");
        if !["C_THRUST", "C_POWER", "CT_MACH", "CP_MACH"].contains(&name) {
            warnings.left_out(&other, &format!(": {} is not read", shown(name)));
        }
    }
    if let Some(reverse) = element.first("reversepitch") {
        warnings.left_out(&reverse, ": propellers neither reverse nor feather");
    }
    let p_factor = plain(mount, "p_factor")?.unwrap_or(0.0);
    if p_factor < 0.0 {
        return Err(mount.error("<p_factor> must be at least 0"));
    }
    let is_later = element.attribute("version").parse::<f64>().is_ok_and(|version| version > 1.0);
    Ok(Propeller {
        inertia,
        diameter,
        gear_ratio: plain(element, "gearratio")?.unwrap_or(1.0).max(LEAST_SIZE),
        pitch,
        sense: if plain(mount, "sense")?.unwrap_or(1.0) >= 0.0 { 1.0 } else { -1.0 },
        gyroscopic_sign: if is_later { -1.0 } else { 1.0 },
        p_factor,
        factors: [plain(element, "ct_factor")?.unwrap_or(1.0), plain(element, "cp_factor")?.unwrap_or(1.0)],
        coefficients: [coefficients("C_THRUST")?, coefficients("C_POWER")?],
        of_mach: [of_mach("CT_MACH")?, of_mach("CP_MACH")?],
    })
}
