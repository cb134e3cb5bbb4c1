//! Gas cells and their ballonets (JSBSim, `FGBuoyantForces`, `FGGasCell`): what they weigh, and what they carry.
//!
//! # Conventions
//! Gas is an ideal one as warm as the air around it, filled in at sea level in the standard atmosphere: its amount stays, and what a cell
//! displaces is the volume that the amount takes, up to that of the cell. Nothing is heated by the sun, blown in or let out.

use glam::DVec3;

use super::JsbsimError;
use super::mass::to_body;
use super::xml::{Element, FOOT, LENGTH, PLAIN, POUND_FORCE, SLUG, shown};
use crate::airframe::ENGINE_LOADS;
use crate::function::{Expression, Function, Operation};

type Formula = Expression<String>;

/// Pressure \[Pa\], and density of air \[kg/m^3\], at sea level in the standard atmosphere.
const PRESSURE: f64 = 101_325.0;
const DENSITY: f64 = 1.225;
/// Densities there of what cells hold, with JSBSim's molar masses \[kg/m^3\]: 1.9186e-3 (air), 2.7409e-4 and 1.3841e-4 slug/mol at
/// 2116.2 lbf/ft^2 over 3.4071 lbf ft/(mol °R) times 518.67 °R.
const GASES: [(&str, f64); 3] = [("AIR", 1.184_118), ("HELIUM", 0.169_162), ("HYDROGEN", 0.085_424)];
/// Pressures \[Pa\].
const PRESSURES: &[(&str, f64)] = &[("LBS/FT2", POUND_FORCE / (FOOT * FOOT)), ("PA", 1.0)];
/// Acceleration of gravity \[ft/s^2\], as JSBSim has it.
const GRAVITY: f64 = 32.174_049;
/// What the cells lift, each by its number, in the row of the vehicle's functions \[lbf\].
const LIFT: &str = "buoyancy lift-lbs";

/// A body of gas.
pub(super) struct Gas {
    /// \[kg\].
    pub mass: f64,
    /// Structural frame \[m\].
    pub place: DVec3,
    /// Moments about its own axes \[kg m^2\].
    pub moments: DVec3,
}

/// A cell with its ballonets.
pub(super) struct Cell {
    pub gases: Vec<Gas>,
    /// Structural frame \[m\].
    place: DVec3,
    /// Mass of the air that the amount of its gas displaces while the cell is limp \[kg\].
    limp: f64,
    /// What it displaces when it is full \[m^3\].
    full: f64,
}

/// The shape of a cell or ballonet.
struct Shape {
    /// \[m^3\].
    volume: f64,
    /// Over the mass \[m^2\].
    moments: DVec3,
}

/// The cells of a section.
pub(super) fn cells(section: Element<'_>) -> Result<Vec<Cell>, JsbsimError> {
    section.all("gas_cell").map(cell).collect()
}

fn cell(element: Element<'_>) -> Result<Cell, JsbsimError> {
    let kind = element.attribute("type");
    let Some((_, density)) = GASES.iter().find(|(name, _)| *name == kind) else {
        let allowed: Vec<_> = GASES.iter().map(|(name, _)| *name).collect();
        return Err(element.error(format!("type {} is not allowed: must be {}", shown(kind), allowed.join(", "))));
    };
    let Shape { volume, moments } = shape(element)?;
    let (mut gases, mut within) = (Vec::new(), 0.0);
    for ballonet in element.all("ballonet") {
        let Shape { volume, moments } = shape(ballonet)?;
        let filled = fullness(ballonet)? * volume;
        let mass = filled * GASES[0].1;
        gases.push(Gas { mass, place: ballonet.required("location")?.place()?, moments: mass * moments });
        within += filled;
    }
    let room = volume - within;
    if room <= 0.0 {
        return Err(element.error("its ballonets leave no room for the gas"));
    }
    // As a volume at the pressure of the air around; what is above the most is let out.
    let over = element.first("max_overpressure").map_or(Ok(0.0), |found| found.not_negative(PRESSURES))?;
    let amount = (fullness(element)? * volume).min(room * (1.0 + over / PRESSURE));
    let (mass, place) = (amount * density, element.required("location")?.place()?);
    gases.push(Gas { mass, place, moments: mass * moments });
    Ok(Cell { gases, place, limp: DENSITY * (amount + within), full: volume })
}

/// Without one a cell is filled to its whole volume.
fn fullness(element: Element<'_>) -> Result<f64, JsbsimError> {
    let fullness = element.first("fullness").map_or(Ok(0.0), |found| found.not_negative(PLAIN))?;
    Ok(if fullness == 0.0 { 1.0 } else { fullness })
}

/// An ellipsoid of three radii, or a cylinder of two radii and its length along X.
fn shape(element: Element<'_>) -> Result<Shape, JsbsimError> {
    let size = |tag: String| element.first(&tag).map_or(Ok(0.0), |found| found.not_negative(LENGTH));
    let [radii, widths] = ["radius", "width"].map(|size| ["x", "y", "z"].map(|axis| format!("{axis}_{size}")));
    let [[a, b, c], [length, y_width, z_width]] = [
        [size(radii[0].clone())?, size(radii[1].clone())?, size(radii[2].clone())?],
        [size(widths[0].clone())?, size(widths[1].clone())?, size(widths[2].clone())?],
    ];
    let pi = std::f64::consts::PI;
    if a > 0.0 && b > 0.0 && c > 0.0 && length + y_width + z_width == 0.0 {
        let moments = 0.2 * DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b);
        Ok(Shape { volume: 4.0 / 3.0 * pi * a * b * c, moments })
    } else if a == 0.0 && b > 0.0 && c > 0.0 && length > 0.0 && y_width + z_width == 0.0 {
        let across = 0.25 * b * c + length * length / 12.0;
        Ok(Shape { volume: pi * b * c * length, moments: DVec3::new(0.5 * b * c, across, across) })
    } else {
        Err(element.error(
            "must be an ellipsoid of <x_radius>, <y_radius> and <z_radius>, or a cylinder of <x_width>, <y_radius> and <z_radius>",
        ))
    }
}

/// Mass that the cells displace at sea level \[kg\].
pub(super) fn displaced(cells: &[Cell]) -> f64 {
    cells.iter().map(|cell| cell.limp.min(DENSITY * cell.full)).sum()
}

/// Adds what the cells lift to the loads of the engines, about this centre of gravity (structural frame).
pub(super) fn add_lift(functions: &mut Vec<Function<String>>, cells: &[Cell], center: DVec3) {
    // Before all loads: what is read before it is made is of the step before.
    functions.splice(0..0, cells.iter().enumerate().map(|(number, cell)| lift(number, cell)));
    for (number, cell) in cells.iter().enumerate() {
        let lift = name_of_lift(number);
        let (roll, pitch) = ("attitude/phi-rad", "attitude/theta-rad");
        let [sine, cosine] =
            [Operation::Sine, Operation::Cosine].map(|of| move |angle: &str| Formula::of(angle).by(of));
        let force = [
            sine(pitch) * lift.as_str(),
            -(cosine(pitch) * sine(roll) * lift.as_str()),
            -(cosine(pitch) * cosine(roll) * lift.as_str()),
        ];
        let arm = (to_body(cell.place, center) / FOOT).to_array();
        let moment = [0, 1, 2].map(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            force[last].clone() * arm[next] - force[next].clone() * arm[last]
        });
        for (name, added) in ENGINE_LOADS.into_iter().zip(force.into_iter().chain(moment)) {
            match functions.iter_mut().find(|function| function.name == name) {
                Some(load) => load.expression = load.expression.clone() + added,
                None => functions.push(Function { name: name.to_owned(), expression: added }),
            }
        }
    }
}

fn name_of_lift(cell: usize) -> String {
    format!("{LIFT}[{cell}]")
}

/// What a cell lifts \[lbf\].
fn lift(number: usize, cell: &Cell) -> Function<String> {
    // Slugs, and cubic feet times slugs over cubic feet.
    let full = Formula::of("atmosphere/rho-slugs_ft3") * (cell.full / FOOT.powi(3));
    let displaced = Formula::made(Operation::Minimum, [full, (cell.limp / SLUG).into()]);
    Function { name: name_of_lift(number), expression: displaced * GRAVITY }
}

#[cfg(test)]
mod tests;
