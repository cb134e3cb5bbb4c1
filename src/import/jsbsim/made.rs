//! Properties that something makes: the program itself, or a file of the aircraft.

use std::collections::BTreeSet;

use super::xml::Element;

/// Beginnings of the names that JSBSim itself makes, beside those that follow from the flight.
const OF_JSBSIM: [&str; 14] = [
    "accelerations/",
    "atmosphere/",
    "attitude/",
    "buoyant_forces/",
    "flight-path/",
    "forces/",
    "gear/",
    "inertia/",
    "metrics/",
    "moments/",
    "position/",
    "propulsion/",
    "simulation/",
    "velocities/",
];

/// Surfaces whose positions JSBSim has in radians, degrees and as a share.
const SURFACES: [&str; 7] = ["elevator", "left-aileron", "right-aileron", "rudder", "flap", "speedbrake", "spoiler"];

/// Commands that JSBSim has.
const COMMANDS: [&str; 15] = [
    "aileron",
    "elevator",
    "rudder",
    "flap",
    "speedbrake",
    "spoiler",
    "pitch-trim",
    "roll-trim",
    "yaw-trim",
    "steer",
    "throttle",
    "mixture",
    "advance",
    "feather",
    "left-brake",
];

/// Whether JSBSim makes a property for every aircraft.
pub(super) fn is_of_jsbsim(name: &str) -> bool {
    let Some(control) = name.strip_prefix("fcs/") else {
        return OF_JSBSIM.iter().any(|start| name.starts_with(start));
    };
    let control = control.strip_prefix("mag-").unwrap_or(control);
    let stems = |ending: &str| control.strip_suffix(ending);
    let positions = ["-pos-rad", "-pos-deg", "-pos-norm"].into_iter().find_map(stems);
    let commands = ["-cmd-norm", "-pos-norm"].into_iter().find_map(stems);
    positions.is_some_and(|stem| SURFACES.contains(&stem)) || commands.is_some_and(|stem| COMMANDS.contains(&stem))
}

/// Adds the properties that an element and those in it make: outputs and names of components, functions, and properties with
/// numbers.
pub(super) fn add_made(element: Element<'_>, names: &mut BTreeSet<String>) {
    for child in element.children() {
        let name = child.attribute("name");
        match child.tag() {
            "output" => {
                names.insert(child.text());
            }
            // What sets a property, and what declares one, are written alike where they stand outside of functions.
            "property" if is_declaring(element.tag()) => {
                names.insert(child.text());
            }
            "function" if !name.is_empty() => {
                names.insert(name.to_owned());
            }
            _ if element.tag() == "channel" && !name.is_empty() => {
                names.insert(match name.contains('/') {
                    true => name.to_owned(),
                    false => format!("fcs/{}", name.to_lowercase().replace(' ', "-")),
                });
            }
            _ => {}
        }
        add_made(child, names);
    }
}

fn is_declaring(tag: &str) -> bool {
    matches!(
        tag,
        "aerodynamics"
            | "system"
            | "autopilot"
            | "flight_control"
            | "fdm_config"
            | "channel"
            | "propulsion"
            | "external_reactions"
    )
}
