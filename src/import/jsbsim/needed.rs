//! What forces depend on.

use std::collections::{BTreeMap, BTreeSet};

use crate::air_forces::{OF_FLIGHT, derived_in_landing};
use crate::airframe::{AirframeDescription, ENGINE_LOADS};
use crate::function::{Function, canonical};

/// The properties that forces depend on, by their names, whatever makes them.
pub(super) fn needed(description: &AirframeDescription) -> BTreeSet<String> {
    let mut made = BTreeMap::<String, Vec<&Function<String>>>::new();
    for function in description.functions() {
        made.entry(canonical(&function.name)).or_default().push(function);
    }
    let mut needed = BTreeSet::new();
    let mut asked: Vec<String> = ENGINE_LOADS.map(str::to_owned).to_vec();
    for axis_function in &description.air_forces.functions {
        axis_function.function.expression.properties(&mut |read| asked.push(canonical(read)));
    }
    while let Some(name) = asked.pop() {
        if !needed.insert(name.clone()) {
            continue;
        }
        match made.get(&name) {
            Some(functions) => functions
                .iter()
                .for_each(|function| function.expression.properties(&mut |read| asked.push(canonical(read)))),
            None if OF_FLIGHT.contains(&name.as_str()) => {}
            None => {
                if let Some(formula) = derived_in_landing(&name, &description.air_forces) {
                    formula.properties(&mut |read| asked.push(canonical(read)));
                }
            }
        }
    }
    needed
}

/// Leaves out controls and engines on which no force depends.
pub(super) fn keep_what_is_needed(description: &mut AirframeDescription) {
    let needed = needed(description);
    for functions in [&mut description.controls, &mut description.engines] {
        functions.retain(|function| needed.contains(&canonical(&function.name)));
    }
}
