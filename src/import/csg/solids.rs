//! From statements to pieces: maps go down to the leaves, empty parts vanish.

use glam::{DAffine3, DVec3};

use super::arguments::{argument, boolean, color, finite, length, matrix, point, polyhedron_faces, polyhedron_points};
use super::hull::check_convex;
use super::map::Frame;
use super::syntax::{Modifier, Statement, Value};
use super::text::{leaf, number, vector};
use super::{CsgError, GroupKind, Piece};
use crate::document::nearest;
use crate::scene::convex_hull;

/// Nodes that can be imported.
const NODES: [&str; 12] = [
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
];

/// The whole model, one unit being so many metres, and warnings.
pub(super) fn piece(statements: &[Statement], meters: f64) -> Result<(Piece, Vec<String>), CsgError> {
    let mut reader = Reader { warnings: Vec::new() };
    let pieces = reader.pieces(statements, &DAffine3::from_scale(DVec3::splat(meters)))?;
    Ok((union(pieces, 1), reader.warnings))
}

struct Reader {
    warnings: Vec<String>,
}

impl Reader {
    /// The statements that belong to the model, one piece each, also where it is empty.
    fn pieces(&mut self, statements: &[Statement], map: &DAffine3) -> Result<Vec<Piece>, CsgError> {
        let mut pieces = Vec::new();
        for statement in belonging(statements)? {
            pieces.push(self.piece(statement, map)?);
        }
        Ok(pieces)
    }

    fn piece(&mut self, statement: &Statement, map: &DAffine3) -> Result<Piece, CsgError> {
        let line = statement.line;
        match statement.name.as_str() {
            "group" | "union" | "render" => Ok(union(self.pieces(&statement.children, map)?, line)),
            "difference" => Ok(difference(self.pieces(&statement.children, map)?, line)),
            "intersection" => Ok(intersection(self.pieces(&statement.children, map)?, line)),
            "multmatrix" => {
                let map = *map * matrix(statement)?;
                Ok(union(self.pieces(&statement.children, &map)?, line))
            }
            "color" => {
                let piece = union(self.pieces(&statement.children, map)?, line);
                Ok(match (color(statement)?, piece) {
                    (Some(color), piece) if piece != Piece::Nothing => Piece::Colored(color, Box::new(piece)),
                    (_, piece) => piece,
                })
            }
            "cube" => self.unless_empty(statement, cube(statement, map)?),
            "sphere" => self.unless_empty(statement, sphere(statement, map)?),
            "cylinder" => self.unless_empty(statement, cylinder(statement, map)?),
            "polyhedron" => polyhedron(statement, map),
            "hull" => hull(statement, map),
            _ => Err(refused(statement)),
        }
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
fn belonging(statements: &[Statement]) -> Result<impl Iterator<Item = &Statement>, CsgError> {
    if let Some(root) = statements.iter().find(|statement| statement.modifier == Some(Modifier::Root)) {
        return Err(CsgError::new(root.line, "the modifier `!` is not supported: export the part alone"));
    }
    let is_part =
        |statement: &&Statement| !matches!(statement.modifier, Some(Modifier::Background | Modifier::Disabled));
    Ok(statements.iter().filter(is_part))
}

fn refused(statement: &Statement) -> CsgError {
    let name = &statement.name;
    let why = match name.as_str() {
        "square" | "circle" | "polygon" | "text" => "flat shapes are not supported",
        "linear_extrude" | "rotate_extrude" | "projection" | "offset" => "shapes made from flat ones are not supported",
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

fn union(pieces: Vec<Piece>, line: usize) -> Piece {
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

fn difference(mut pieces: Vec<Piece>, line: usize) -> Piece {
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
fn cube_extent(statement: &Statement) -> Result<(DVec3, DVec3), CsgError> {
    let size = match argument(statement, "size") {
        Some(Value::Number(side)) => DVec3::splat(*side),
        _ => point(statement, argument(statement, "size"), "size")?,
    };
    let size = finite(statement, "size", size)?;
    Ok((if boolean(statement, "center")? { -0.5 * size } else { DVec3::ZERO }, size))
}

fn sphere(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
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

fn cylinder(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let [height, r1, r2] = ["h", "r1", "r2"].map(|name| length(statement, name));
    let (height, r1, r2) = (height?, r1?, r2?);
    if height <= 0.0 || r1 < 0.0 || r2 < 0.0 || r1.max(r2) <= 0.0 {
        return Ok(None);
    }
    let bottom = if boolean(statement, "center")? { -0.5 * height } else { 0.0 };
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
    Ok(Some(match Frame::of(map).and_then(|frame| Some((frame, frame.around_z()?))) {
        Some((frame, across)) => {
            leaf(&text(&|local| map.transform_point3(local), frame.axis(), across, frame.stretch.z))
        }
        None => mapped(map, &text(&|local| local, DVec3::Z, 1.0, 1.0)),
    }))
}

fn polyhedron(statement: &Statement, map: &DAffine3) -> Result<Piece, CsgError> {
    let (points, faces) = (polyhedron_points(statement)?, polyhedron_faces(statement)?);
    if points.is_empty() || faces.is_empty() {
        return Ok(Piece::Nothing);
    }
    check_convex(&points, &faces).map_err(|what| CsgError::new(statement.line, format!("polyhedron: {what}")))?;
    hull_of_points(statement, points.into_iter().map(|point| map.transform_point3(point)).collect())
}

/// The hull of boxes and polyhedra, or of two equal balls.
fn hull(statement: &Statement, map: &DAffine3) -> Result<Piece, CsgError> {
    let mut balls = Vec::new();
    let mut points = Vec::new();
    collect(&statement.children, map, &mut points, &mut balls)?;
    match (&points[..], &balls[..]) {
        ([], []) => Ok(Piece::Nothing),
        (_, []) => hull_of_points(statement, points),
        ([], [(from, r1), (to, r2)]) if (r1 - r2).abs() <= 1e-5 * r1 => Ok(Piece::Leaf(leaf(&format!(
            "capsule = {{ from = {}, to = {}, radius = {} }}",
            vector(*from),
            vector(*to),
            number(*r1)
        )))),
        _ => Err(CsgError::new(
            statement.line,
            "hull: only of cubes and convex polyhedra, or of two spheres with the same radius",
        )),
    }
}

/// Corners of cubes and polyhedra, and centres and radii of balls.
fn collect(
    statements: &[Statement],
    map: &DAffine3,
    points: &mut Vec<DVec3>,
    balls: &mut Vec<(DVec3, f64)>,
) -> Result<(), CsgError> {
    for statement in belonging(statements)? {
        match statement.name.as_str() {
            "group" | "union" | "render" | "color" | "hull" => collect(&statement.children, map, points, balls)?,
            "multmatrix" => collect(&statement.children, &(*map * matrix(statement)?), points, balls)?,
            "cube" => {
                let (low, size) = cube_extent(statement)?;
                if size.min_element() > 0.0 {
                    let corners = (0..8).map(|bits| DVec3::from([0, 1, 2].map(|axis| f64::from(bits >> axis & 1))));
                    points.extend(corners.map(|corner| map.transform_point3(low + corner * size)));
                }
            }
            "polyhedron" => {
                points.extend(polyhedron_points(statement)?.into_iter().map(|point| map.transform_point3(point)));
            }
            "sphere" => {
                let radius = length(statement, "r")?;
                let uniform = Frame::of(map).and_then(|frame| frame.uniform());
                let scale =
                    uniform.ok_or_else(|| CsgError::new(statement.line, "a sphere in a hull must not be stretched"))?;
                if radius > 0.0 {
                    balls.push((map.translation, scale * radius));
                }
            }
            name if NODES.contains(&name) => {
                return Err(CsgError::new(statement.line, format!("`{name}` in a hull is not supported")));
            }
            _ => return Err(refused(statement)),
        }
    }
    Ok(())
}

fn hull_of_points(statement: &Statement, points: Vec<DVec3>) -> Result<Piece, CsgError> {
    let half_spaces =
        convex_hull(points).map_err(|error| CsgError::new(statement.line, format!("{}: {error}", statement.name)))?;
    let faces: Vec<String> = half_spaces
        .iter()
        .map(|face| format!("{{ normal = {:?}, offset = {:?} }}", face.normal.to_array(), face.offset))
        .collect();
    Ok(Piece::Leaf(leaf(&format!("polyhedron = {{ half_spaces = [{}] }}", faces.join(", ")))))
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
