//! `[airframe]` as text of a vehicle file.

use std::fmt::Write;

use super::text::quoted;
use super::text_function::{TableTexts, exact};
use crate::air_forces::{AxisFunction, Description, ForceAxes, MomentAxes, Role, Sizes};
use crate::airframe::AirframeDescription;
use crate::function::Function;

/// The text, which reads back to the same description. Of properties `note` tells what is noted beside their numbers.
pub(super) fn airframe(description: &AirframeDescription, note: &dyn Fn(&str) -> Option<String>) -> String {
    let AirframeDescription { commands, controls, engines, air_forces, at_start } = description;
    let mut functions = Functions::default();
    functions.list("commands", "What the pilot's commands are called here.", commands);
    functions.list("controls", "From commands to positions of surfaces.", controls);
    functions.list("engines", "From throttles to forces [lbf] and moments [lbf ft] of the engines.", engines);
    functions.air_forces(air_forces);
    let Functions { tables, text } = functions;
    let none = |_: &str| None;
    [
        own_keys(air_forces),
        numbers("constants", &air_forces.constants, note),
        numbers("at_start", at_start, &none),
        tables.text(),
        text,
    ]
    .concat()
}

fn own_keys(description: &Description) -> String {
    let Description { force_axes, moment_axes, sizes, reference_point, alpha_limits, hysteresis_limits, .. } =
        description;
    let Sizes { area, span, chord, incidence } = *sizes;
    let [x, y, z] = reference_point.to_array().map(exact);
    let force_axes = ForceAxes::ALL.iter().find(|(_, own)| own == force_axes).map_or("", |(name, _)| name);
    let moment_axes = MomentAxes::ALL.iter().find(|(_, own)| own == moment_axes).map_or("", |(name, _)| name);
    let mut text = format!(
        "\n# Functions are in JSBSim's units (feet, slugs, pounds, seconds, degrees Rankine), in their order.\n[airframe]\n\
         area = {}  # m2\nspan = {}  # m\nchord = {}  # m\nincidence = {}  # of the wing, rad\n\
         reference_point = [{x}, {y}, {z}]  # where air forces act, m\n\
         force_axes = \"{force_axes}\"\nmoment_axes = \"{moment_axes}\"\n",
        exact(area),
        exact(span),
        exact(chord),
        exact(incidence),
    );
    let angles = [
        ("stall_warning_angles", alpha_limits, "of attack, from which a stall is warned of, rad"),
        ("stall_angles", hysteresis_limits, "of attack, at which a stall ends and begins, rad"),
    ];
    for (key, limits, what) in angles {
        if let Some([low, high]) = limits {
            let _ = writeln!(text, "{key} = [{}, {}]  # {what}", exact(*low), exact(*high));
        }
    }
    text
}

/// Properties with their numbers, each once: the first is the one that counts.
fn numbers(key: &str, numbers: &[(String, f64)], note: &dyn Fn(&str) -> Option<String>) -> String {
    if numbers.is_empty() {
        return String::new();
    }
    numbers.iter().fold(format!("\n[airframe.{key}]\n"), |text, (name, number)| {
        let note = note(name).map_or_else(String::new, |note| format!("  # {note}"));
        text + &format!("{} = {}{note}\n", quoted(name), exact(*number))
    })
}

/// Functions as text, and the tables that they name.
#[derive(Default)]
struct Functions {
    tables: TableTexts,
    text: String,
}

impl Functions {
    fn list(&mut self, key: &str, what: &str, functions: &[Function<String>]) {
        self.heading(what, functions.len());
        for function in functions {
            self.begin(key, &function.name);
            self.expression("value", function);
        }
    }

    fn air_forces(&mut self, description: &Description) {
        self.heading("Air forces [lbf] and their moments [lbf ft].", description.functions.len());
        let keys = Role::keys(description.force_axes);
        for AxisFunction { function, role } in &description.functions {
            self.begin("functions", &function.name);
            let role = match *role {
                Role::ForceAtCentre(axis) => {
                    self.text += "at_centre = true\n";
                    Role::Force(axis)
                }
                role => role,
            };
            let key = keys.iter().find(|(_, own)| *own == role).map_or("value", |&(key, _)| key);
            self.expression(key, function);
        }
    }

    fn heading(&mut self, what: &str, functions: usize) {
        if functions > 0 {
            let _ = write!(self.text, "\n# {what}\n");
        }
    }

    fn begin(&mut self, list: &str, name: &str) {
        let _ = write!(self.text, "\n[[airframe.{list}]]\n");
        if !name.is_empty() {
            let _ = writeln!(self.text, "name = {}", quoted(name));
        }
    }

    fn expression(&mut self, key: &str, function: &Function<String>) {
        let head = format!("{key} = ");
        let expression = self.tables.expression(&function.name, &function.expression, head.len());
        let _ = writeln!(self.text, "{head}{expression}");
    }
}

#[cfg(test)]
mod tests;
