//! Nodes: which exist, which belong to the model, and how they combine.

use super::syntax::{Modifier, Statement};
use super::{CsgError, GroupKind, Piece};
use crate::document::nearest;

/// Nodes that can be imported.
pub(super) const NODES: [&str; 16] = [
    "group",
    "union",
    "difference",
    "intersection",
    "multmatrix",
    "color",
    "render",
    "cube",
    "sphere",
    "cylinder",
    "polyhedron",
    "hull",
    "linear_extrude",
    "square",
    "circle",
    "polygon",
];

/// Those that are part of the model.
pub(super) fn belonging(statements: &[Statement]) -> Result<impl Iterator<Item = &Statement>, CsgError> {
    if let Some(root) = statements.iter().find(|statement| statement.modifiers.contains(&Modifier::Root)) {
        return Err(CsgError::new(root.line, "the modifier `!` is not supported: export the part alone"));
    }
    let is_no_part = |modifier: &Modifier| matches!(modifier, Modifier::Background | Modifier::Disabled);
    Ok(statements.iter().filter(move |statement| !statement.modifiers.iter().any(is_no_part)))
}

pub(super) fn refused(statement: &Statement) -> CsgError {
    let name = &statement.name;
    let why = match name.as_str() {
        "text" => "letters depend on fonts and are not supported",
        "rotate_extrude" | "projection" | "offset" => "is not supported",
        "minkowski" | "resize" | "import" | "surface" | "roof" | "fill" => "is not supported",
        _ => match nearest(name, NODES) {
            Some(meant) => return CsgError::new(statement.line, format!("unknown node `{name}`: is `{meant}` meant?")),
            None => "unknown node",
        },
    };
    CsgError::new(statement.line, format!("`{name}`: {why}; allowed are {}", NODES.join(", ")))
}

fn group(kind: GroupKind, mut children: Vec<Piece>, line: usize) -> Piece {
    match children.len() {
        1 => children.remove(0),
        _ => Piece::Group { kind, line, children },
    }
}

pub(super) fn union(pieces: Vec<Piece>, line: usize) -> Piece {
    let mut children = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Nothing => {}
            Piece::Group { kind: GroupKind::Union, children: inner, .. } => children.extend(inner),
            other => children.push(other),
        }
    }
    if children.is_empty() { Piece::Nothing } else { group(GroupKind::Union, children, line) }
}

pub(super) fn intersection(pieces: Vec<Piece>, line: usize) -> Piece {
    if pieces.is_empty() || pieces.contains(&Piece::Nothing) {
        return Piece::Nothing;
    }
    group(GroupKind::Intersection, pieces, line)
}

pub(super) fn difference(mut pieces: Vec<Piece>, line: usize) -> Piece {
    if pieces.is_empty() || pieces[0] == Piece::Nothing {
        return Piece::Nothing;
    }
    pieces.retain(|piece| *piece != Piece::Nothing);
    group(GroupKind::Difference, pieces, line)
}
