//! From statements to pieces: maps go down to the leaves, empty parts vanish.

use glam::{DAffine3, DVec3};

use super::arguments::{argument, boolean, color, few_sides, finite, flat_matrix, length, matrix, point};
use super::extrusion::{Extrusion, Plane};
use super::flat::{FLAT, extruded, flat_hull};
use super::hull::{hull, polyhedron};
use super::map::Frame;
use super::prism::{Prism, prism};
use super::syntax::{Modifier, Statement, Value};
use super::text::{leaf, number, vector};
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

/// Where a statement is read.
#[derive(Clone, Copy, Debug)]
enum Space {
    /// Of solids, under a map.
    Solid(DAffine3),
    /// Of flat shapes in an extrusion.
    Flat(Plane),
}

impl Space {
    /// Under a `multmatrix`.
    fn under(&self, statement: &Statement) -> Result<Self, CsgError> {
        Ok(match self {
            Self::Solid(map) => Self::Solid(*map * matrix(statement)?),
            Self::Flat(plane) => Self::Flat(Plane { map: plane.map * flat_matrix(statement)?, ..*plane }),
        })
    }

    /// For what is taken away from what is read here.
    fn taken_away(&self) -> Self {
        match self {
            Self::Solid(map) => Self::Solid(*map),
            Self::Flat(plane) => Self::Flat(Plane { is_open: true, ..*plane }),
        }
    }
}

/// The whole model, one unit being so many metres, and warnings.
pub(super) fn piece(statements: &[Statement], meters: f64) -> Result<(Piece, Vec<String>), CsgError> {
    let mut reader = Reader::default();
    let pieces = reader.pieces(statements, &Space::Solid(DAffine3::from_scale(DVec3::splat(meters))))?;
    let Reader { mut warnings, rounded, faceted, .. } = reader;
    if let Some(first) = rounded.first() {
        // One warning for all: loops make spheres by the thousand.
        warnings.push(format!(
            "line {first}: a sphere of few sides ($fn) becomes round, as do all such spheres of the model: {}",
            rounded.len()
        ));
    }
    if let Some(first) = faceted.first() {
        warnings.push(format!(
            "line {first}: a hull of round shapes keeps the facets that OpenSCAD gives them ($fn, $fa, $fs), as do all such \
             hulls of the model: {}",
            faceted.len()
        ));
    }
    Ok((union(pieces, 1), warnings))
}

#[derive(Default)]
struct Reader {
    warnings: Vec<String>,
    /// Lines of spheres whose few sides are not kept.
    rounded: Vec<usize>,
    /// Lines of hulls of round shapes, whose facets are kept.
    faceted: Vec<usize>,
    /// True inside of a colour, which is the one that wins.
    colored: bool,
}

impl Reader {
    /// The statements that belong to the model, one piece each, also where it is empty.
    fn pieces(&mut self, statements: &[Statement], space: &Space) -> Result<Vec<Piece>, CsgError> {
        let mut pieces = Vec::new();
        for statement in belonging(statements)? {
            pieces.push(self.piece(statement, space)?);
        }
        Ok(pieces)
    }

    fn piece(&mut self, statement: &Statement, space: &Space) -> Result<Piece, CsgError> {
        let (line, children) = (statement.line, &statement.children);
        match statement.name.as_str() {
            "group" | "union" | "render" => Ok(union(self.pieces(children, space)?, line)),
            "difference" => self.difference(statement, space),
            "intersection" => Ok(intersection(self.pieces(children, space)?, line)),
            "multmatrix" => Ok(union(self.pieces(children, &space.under(statement)?)?, line)),
            "color" => self.color(statement, space),
            _ => match space {
                Space::Solid(map) => self.solid(statement, map),
                Space::Flat(plane) => self.flat(statement, plane),
            },
        }
    }

    fn solid(&mut self, statement: &Statement, map: &DAffine3) -> Result<Piece, CsgError> {
        match statement.name.as_str() {
            "cube" => self.unless_empty(statement, cube(statement, map)?),
            "sphere" => {
                let solid = sphere(statement, map)?;
                if solid.is_some() && few_sides(statement)?.is_some() {
                    self.rounded.push(statement.line);
                }
                self.unless_empty(statement, solid)
            }
            "cylinder" => self.unless_empty(statement, cylinder(statement, map)?),
            "polyhedron" => polyhedron(statement, map),
            "hull" => hull(statement, map, &mut self.rounded, &mut self.faceted),
            "linear_extrude" => match Extrusion::read(statement, map)? {
                Some(extrusion) => {
                    let pieces = self.pieces(&statement.children, &Space::Flat(Plane::of(extrusion)))?;
                    Ok(union(pieces, statement.line))
                }
                None => self.unless_empty(statement, None),
            },
            name if FLAT.contains(&name) => {
                let message =
                    format!("`{name}`: flat shapes have no thickness; only linear_extrude makes solids of them");
                Err(CsgError::new(statement.line, message))
            }
            _ => Err(refused(statement)),
        }
    }

    /// The solid that an extrusion makes of a flat shape.
    fn flat(&mut self, statement: &Statement, plane: &Plane) -> Result<Piece, CsgError> {
        match statement.name.as_str() {
            name if FLAT.contains(&name) => match extruded(statement, plane)? {
                Piece::Nothing => self.unless_empty(statement, None),
                piece => Ok(piece),
            },
            "hull" => flat_hull(statement, plane, &mut self.faceted),
            name if NODES.contains(&name) => Err(CsgError::new(
                statement.line,
                format!("`{name}` in linear_extrude: only flat shapes can be extruded"),
            )),
            _ => Err(refused(statement)),
        }
    }

    fn difference(&mut self, statement: &Statement, space: &Space) -> Result<Piece, CsgError> {
        let mut pieces = Vec::new();
        let mut space = *space;
        for statement in belonging(&statement.children)? {
            pieces.push(self.piece(statement, &space)?);
            space = space.taken_away();
        }
        Ok(difference(pieces, statement.line))
    }

    /// The outermost colour wins, so those inside of one are none.
    fn color(&mut self, statement: &Statement, space: &Space) -> Result<Piece, CsgError> {
        let color = color(statement)?.filter(|_| !self.colored);
        let outside = self.colored;
        self.colored = outside || color.is_some();
        let piece = union(self.pieces(&statement.children, space)?, statement.line);
        self.colored = outside;
        Ok(match (color, piece) {
            (Some(color), piece) if piece != Piece::Nothing => Piece::Colored(color, Box::new(piece)),
            (_, piece) => piece,
        })
    }

    /// OpenSCAD leaves out solids without a size.
    fn unless_empty(&mut self, statement: &Statement, solid: Option<String>) -> Result<Piece, CsgError> {
        Ok(solid.map_or_else(
            || {
                self.warnings.push(format!(
                    "line {}: {} has a size that is not above 0 and is left out, as OpenSCAD does",
                    statement.line, statement.name
                ));
                Piece::Nothing
            },
            Piece::Leaf,
        ))
    }
}

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

fn intersection(pieces: Vec<Piece>, line: usize) -> Piece {
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

fn cube(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let (low, size) = cube_extent(statement)?;
    if size.min_element() <= 0.0 {
        return Ok(None);
    }
    let (middle, half) = (low + 0.5 * size, 0.5 * size);
    let Some(frame) = Frame::of(map) else {
        return Ok(Some(mapped(map, &format!("box = {{ center = {}, half = {} }}", vector(middle), vector(half)))));
    };
    let center = vector(map.transform_point3(middle));
    Ok(Some(leaf(&match frame.along_axes(half) {
        Some(half) => format!("box = {{ center = {center}, half = {} }}", vector(half)),
        None => format!("box = {{ center = {center}, half = {}, {} }}", vector(frame.stretch * half), turned(&frame)),
    })))
}

/// Least corner and size.
pub(super) fn cube_extent(statement: &Statement) -> Result<(DVec3, DVec3), CsgError> {
    let size = match argument(statement, "size") {
        Some(Value::Number(side)) => DVec3::splat(*side),
        _ => point(statement, argument(statement, "size"), "size")?,
    };
    let size = finite(statement, "size", size)?;
    Ok((if boolean(statement, "center")? { -0.5 * size } else { DVec3::ZERO }, size))
}

pub(super) fn sphere(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let radius = length(statement, "r")?;
    if radius <= 0.0 {
        return Ok(None);
    }
    let Some(frame) = Frame::of(map) else {
        return Ok(Some(mapped(map, &format!("sphere = {{ center = [0, 0, 0], radius = {} }}", number(radius)))));
    };
    let center = vector(frame.origin);
    let axes = DVec3::splat(radius);
    Ok(Some(leaf(&match (frame.uniform(), frame.along_axes(axes)) {
        (Some(scale), _) => format!("sphere = {{ center = {center}, radius = {} }}", number(scale * radius)),
        (None, Some(axes)) => format!("ellipsoid = {{ center = {center}, axes = {} }}", vector(axes)),
        (None, None) => {
            format!("ellipsoid = {{ center = {center}, axes = {}, {} }}", vector(frame.stretch * axes), turned(&frame))
        }
    })))
}

pub(super) fn cylinder(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let [height, r1, r2] = ["h", "r1", "r2"].map(|name| length(statement, name));
    let (height, r1, r2) = (height?, r1?, r2?);
    if height <= 0.0 || r1 < 0.0 || r2 < 0.0 || r1.max(r2) <= 0.0 {
        return Ok(None);
    }
    let bottom = if boolean(statement, "center")? { -0.5 * height } else { 0.0 };
    if let Some(sides) = few_sides(statement)? {
        return Ok(Some(prism(&Prism { sides, bottom, height, r1, r2 }, map)));
    }
    Ok(Some(round(bottom, height, r1, r2, map)))
}

/// A cylinder, cone or frustum about z under a map.
pub(super) fn round(bottom: f64, height: f64, r1: f64, r2: f64, map: &DAffine3) -> String {
    let text = |place: &dyn Fn(DVec3) -> DVec3, axis: DVec3, across: f64, along: f64| {
        let at = |z: f64| vector(place(DVec3::new(0.0, 0.0, z)));
        let whole = number(along * height);
        if r1 == r2 {
            let (center, radius) = (at(bottom + 0.5 * height), number(across * r1));
            return format!(
                "cylinder = {{ center = {center}, axis = {}, radius = {radius}, height = {whole} }}",
                vector(axis)
            );
        }
        // The base is the wider end.
        let (base, axis) = if r1 > r2 { (at(bottom), axis) } else { (at(bottom + height), -axis) };
        let (wide, narrow) = (number(across * r1.max(r2)), number(across * r1.min(r2)));
        let axis = vector(axis);
        format!("cone = {{ base = {base}, axis = {axis}, height = {whole}, radius = {wide}, top_radius = {narrow} }}")
    };
    match Frame::of(map).and_then(|frame| Some((frame, frame.around_z()?))) {
        Some((frame, across)) => {
            leaf(&text(&|local| map.transform_point3(local), frame.axis(), across, frame.stretch.z))
        }
        None => mapped(map, &text(&|local| local, DVec3::Z, 1.0, 1.0)),
    }
}

/// A node under a map that no simple solid can take in.
fn mapped(map: &DAffine3, node: &str) -> String {
    let rows = map.matrix3.transpose();
    let row = |row: DVec3, last: f64| {
        let numbers = row.extend(last).to_array().map(number);
        format!("[{}]", numbers.join(", "))
    };
    let translation = map.translation;
    format!(
        "{{ matrix = [{}, {}, {}], of = {} }}",
        row(rows.x_axis, translation.x),
        row(rows.y_axis, translation.y),
        row(rows.z_axis, translation.z),
        leaf(node)
    )
}

fn turned(frame: &Frame) -> String {
    let (axis, degrees) = frame.axis_angle();
    format!("rotate = {{ axis = {}, angle_deg = {} }}", vector(axis), number(degrees))
}
