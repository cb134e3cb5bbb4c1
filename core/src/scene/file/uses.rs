//! The order in which shapes that use each other can be read.

use std::collections::HashMap;

use crate::document::{DocumentError, Field};

/// How many names of a cycle a message shows; longer ones lose their middle.
const SHOWN_NAMES: usize = 8;

/// The names of `shapes` ordered so that each comes after all that it uses.
///
/// A chain of uses may be as long as the file, so it is followed without recursion. Uses of names that do not exist
/// are left for the reader of nodes to refuse.
///
/// # Errors
/// At a use that closes a cycle; the message names the shapes on it.
pub(super) fn in_order_of_use<'a>(shapes: &[(&'a str, Field<'a>)]) -> Result<Vec<(&'a str, Field<'a>)>, DocumentError> {
    let by_name: HashMap<&str, Field<'a>> = shapes.iter().copied().collect();
    let mut states = HashMap::new();
    let mut ordered = Vec::with_capacity(shapes.len());
    for &(name, field) in shapes {
        if states.contains_key(name) {
            continue;
        }
        let mut path = vec![Visit::new(name, field)?];
        states.insert(name, State::Open);
        while let Some(visit) = path.last_mut() {
            let Some((used, place)) = visit.uses.pop() else {
                states.insert(visit.name, State::Done);
                ordered.push((visit.name, visit.field));
                path.pop();
                continue;
            };
            match (states.get(used), by_name.get(used)) {
                (Some(State::Open), _) => return Err(place.error(cycle_message(&path, used))),
                (None, Some(&field)) => {
                    path.push(Visit::new(used, field)?);
                    states.insert(used, State::Open);
                }
                (Some(State::Done), _) | (None, None) => {}
            }
        }
    }
    Ok(ordered)
}

/// State of a shape in the search.
enum State {
    /// On the way to the shape being looked at.
    Open,
    /// Ordered, as is all that it uses.
    Done,
}

/// A shape on the way, and its uses that were not yet followed.
struct Visit<'a> {
    name: &'a str,
    field: Field<'a>,
    uses: Vec<(&'a str, Field<'a>)>,
}

impl<'a> Visit<'a> {
    fn new(name: &'a str, field: Field<'a>) -> Result<Self, DocumentError> {
        let mut uses = Vec::new();
        collect_uses(field, &mut uses)?;
        Ok(Self { name, field, uses })
    }
}

/// Every use below a node with its place, in the order of the file.
fn collect_uses<'a>(field: Field<'a>, uses: &mut Vec<(&'a str, Field<'a>)>) -> Result<(), DocumentError> {
    if field.is_table() {
        for (key, value) in field.table()?.entries() {
            if key == "use" && value.is_string() {
                uses.push((value.string()?, value));
            } else {
                collect_uses(value, uses)?;
            }
        }
    } else if field.is_array() {
        for item in field.array()? {
            collect_uses(item, uses)?;
        }
    }
    Ok(())
}

fn cycle_message(path: &[Visit<'_>], closing: &str) -> String {
    let on_cycle = path.iter().map(|visit| visit.name).skip_while(|&name| name != closing);
    let mut names: Vec<String> = on_cycle.map(|name| name.escape_debug().to_string()).collect();
    let count = names.len();
    names.push(closing.escape_debug().to_string());
    if names.len() > SHOWN_NAMES {
        let middle = SHOWN_NAMES / 2..names.len() - SHOWN_NAMES / 2;
        names.splice(middle, ["...".to_owned()]);
    }
    let cycle = names.join(" -> ");
    match count {
        1 => format!("a shape cannot use itself: {cycle}"),
        _ => format!("{count} shapes use each other in a cycle: {cycle}"),
    }
}
