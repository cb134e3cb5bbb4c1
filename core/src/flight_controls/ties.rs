//! Properties that are one number.

use std::f64::consts::PI;

use super::lowering::Formula;
use crate::function::Operation;

/// Surfaces with positions in radians and degrees, and whether there is a property of the magnitude.
const SURFACES: [(&str, bool); 7] = [
    ("elevator", true),
    ("left-aileron", true),
    ("right-aileron", true),
    ("rudder", true),
    ("speedbrake", true),
    ("spoiler", true),
    ("flap", false),
];

/// The properties that are set with one, and what to.
pub(super) fn tied(name: &str) -> Vec<(String, Formula)> {
    let unit =
        ["-pos-rad", "-pos-deg"].iter().find_map(|unit| Some((name.strip_prefix("fcs/")?.strip_suffix(unit)?, *unit)));
    let Some((surface, unit)) = unit else { return Vec::new() };
    let Some((_, has_magnitude)) = SURFACES.iter().find(|(known, _)| *known == surface) else { return Vec::new() };
    let radians = format!("fcs/{surface}-pos-rad");
    let mut others = match unit {
        "-pos-rad" => vec![(format!("fcs/{surface}-pos-deg"), Formula::of(name) * (180.0 / PI))],
        _ => vec![(radians.clone(), Formula::of(name) * (PI / 180.0))],
    };
    if *has_magnitude {
        others.push((format!("fcs/mag-{surface}-pos-rad"), Formula::of(&radians).by(Operation::Magnitude)));
    }
    others
}

/// Positions of an engine's levers with their commands.
pub(super) fn of_engine(number: usize) -> impl Iterator<Item = (String, String)> {
    let which = if number == 0 { String::new() } else { format!("[{number}]") };
    ["throttle", "mixture", "advance", "feather"]
        .into_iter()
        .map(move |lever| (format!("fcs/{lever}-pos-norm{which}"), format!("fcs/{lever}-cmd-norm{which}")))
}
