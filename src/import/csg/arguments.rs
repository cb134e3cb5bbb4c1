//! Arguments of statements.

use glam::{DAffine2, DAffine3, DMat2, DMat3, DVec2, DVec3, DVec4};

use super::CsgError;
use super::syntax::{Statement, Value};
use crate::scene::Color;

/// The vertices of a polyhedron.
pub(super) fn polyhedron_points(statement: &Statement) -> Result<Vec<DVec3>, CsgError> {
    let Some(Value::List(points)) = argument(statement, "points") else {
        return Err(wrong(statement, "points", "a list of points"));
    };
    points.iter().map(|value| finite(statement, "points", point(statement, Some(value), "points")?)).collect()
}

/// The corners of a polygon.
pub(super) fn polygon_points(statement: &Statement) -> Result<Vec<DVec2>, CsgError> {
    let wrong = || wrong(statement, "points", "a list of pairs of finite numbers");
    let Some(Value::List(points)) = argument(statement, "points") else {
        return Err(wrong());
    };
    let point = |value: &Value| match value {
        Value::List(pair) => match pair[..] {
            [Value::Number(x), Value::Number(y)] if x.is_finite() && y.is_finite() => Ok(DVec2::new(x, y)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    };
    points.iter().map(point).collect()
}

/// The outlines of a polygon, as numbers of its points; `None` where all points in turn are the one.
pub(super) fn polygon_paths(statement: &Statement) -> Result<Option<Vec<Vec<usize>>>, CsgError> {
    match argument(statement, "paths") {
        None | Some(Value::Undefined) => Ok(None),
        Some(paths) => indices(paths).map(Some).ok_or_else(|| wrong(statement, "paths", NUMBERS)),
    }
}

const NUMBERS: &str = "a list of lists of point numbers";

/// Lists of lists of numbers of points.
fn indices(value: &Value) -> Option<Vec<Vec<usize>>> {
    let index = |value: &Value| match value {
        Value::Number(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as usize),
        _ => None,
    };
    let list = |value: &Value| match value {
        Value::List(corners) => corners.iter().map(index).collect(),
        _ => None,
    };
    match value {
        Value::List(lists) => lists.iter().map(list).collect(),
        _ => None,
    }
}

/// The faces of a polyhedron, as numbers of vertices.
pub(super) fn polyhedron_faces(statement: &Statement) -> Result<Vec<Vec<usize>>, CsgError> {
    argument(statement, "faces").and_then(indices).ok_or_else(|| wrong(statement, "faces", NUMBERS))
}

/// The map of a `multmatrix`.
pub(super) fn matrix(statement: &Statement) -> Result<DAffine3, CsgError> {
    let wrong =
        || CsgError::new(statement.line, "multmatrix: must have four rows of four numbers, the last 0, 0, 0, 1");
    let [(_, Value::List(rows))] = &statement.arguments[..] else {
        return Err(wrong());
    };
    let rows: Vec<DVec4> = rows
        .iter()
        .map(|row| match row {
            Value::List(row) => match row[..] {
                [Value::Number(a), Value::Number(b), Value::Number(c), Value::Number(d)] => Ok(DVec4::new(a, b, c, d)),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        })
        .collect::<Result<_, _>>()?;
    let [x, y, z, DVec4::W] = rows[..] else {
        return Err(wrong());
    };
    let linear = DMat3::from_cols(x.truncate(), y.truncate(), z.truncate()).transpose();
    let map = DAffine3::from_mat3_translation(linear, DVec3::new(x.w, y.w, z.w));
    let determinant = linear.determinant();
    if !map.is_finite() || !determinant.is_finite() || determinant == 0.0 {
        return Err(CsgError::new(statement.line, "multmatrix: must be finite, and must not flatten what it maps"));
    }
    Ok(map)
}

/// What a `multmatrix` does in the plane z = 0, as OpenSCAD takes it for flat shapes.
pub(super) fn flat_matrix(statement: &Statement) -> Result<DAffine2, CsgError> {
    let map = matrix(statement)?;
    let linear = DMat2::from_cols(map.matrix3.x_axis.truncate(), map.matrix3.y_axis.truncate());
    if linear.determinant() == 0.0 {
        return Err(CsgError::new(statement.line, "multmatrix: must not flatten a flat shape to a line"));
    }
    Ok(DAffine2::from_mat2_translation(linear, map.translation.truncate()))
}

/// `None` for the colour that OpenSCAD writes where none was named.
pub(super) fn color(statement: &Statement) -> Result<Option<Color>, CsgError> {
    let channels = match statement.arguments.first() {
        Some((_, Value::List(channels))) if channels.len() >= 3 => &channels[..3],
        _ => return Err(CsgError::new(statement.line, "color: must be a list of red, green, blue and opacity")),
    };
    let mut bytes = [0; 3];
    for (byte, channel) in bytes.iter_mut().zip(channels) {
        match channel {
            Value::Number(share) if *share < 0.0 => return Ok(None),
            Value::Number(share) if *share <= 1.0 => *byte = (255.0 * share).round() as u8,
            _ => return Err(CsgError::new(statement.line, "color: red, green and blue must be from 0 to 1")),
        }
    }
    Ok(Some(Color(bytes)))
}

/// The argument of this name.
pub(super) fn argument<'a>(statement: &'a Statement, name: &str) -> Option<&'a Value> {
    statement.arguments.iter().find(|(argument, _)| argument.as_deref() == Some(name)).map(|(_, value)| value)
}

pub(super) fn wrong(statement: &Statement, argument: &str, allowed: &str) -> CsgError {
    CsgError::new(statement.line, format!("{}: `{argument}` must be {allowed}", statement.name))
}

/// Three numbers.
pub(super) fn point(statement: &Statement, value: Option<&Value>, name: &str) -> Result<DVec3, CsgError> {
    match value {
        Some(Value::List(numbers)) => match numbers[..] {
            [Value::Number(x), Value::Number(y), Value::Number(z)] => Ok(DVec3::new(x, y, z)),
            _ => Err(wrong(statement, name, "made of three numbers")),
        },
        _ => Err(wrong(statement, name, "made of three numbers")),
    }
}

/// A finite number.
pub(super) fn length(statement: &Statement, name: &str) -> Result<f64, CsgError> {
    match argument(statement, name) {
        Some(Value::Number(length)) if length.is_finite() => Ok(*length),
        _ => Err(wrong(statement, name, "a finite number")),
    }
}

/// Circles of at most this many sides are meant as polygons, such as nuts, towers and pyramids: this is the last number of
/// which one speaks (a bolt of twelve points). More sides stand for a circle, and are within 3 % of its radius.
const MAX_SIDES: f64 = 12.0;

/// How many sides `$fn` asks for where they are few: OpenSCAD leaves out fractions, and takes at least three.
pub(super) fn few_sides(statement: &Statement) -> Result<Option<u32>, CsgError> {
    let sides = match argument(statement, "$fn") {
        None => 0.0,
        Some(_) => length(statement, "$fn")?,
    };
    Ok((sides > 0.0 && sides.floor() <= MAX_SIDES).then_some(sides.max(3.0) as u32))
}

/// How many facets OpenSCAD gives a circle of this radius (user manual, "$fa, $fs and $fn"): `$fn` where it is above 0, else
/// sides of `$fs` at least, or of an angle of `$fa` where those are longer, and no fewer than five.
pub(super) fn facets(statement: &Statement, radius: f64) -> Result<u32, CsgError> {
    /// More are no help, and a sphere has the square of them.
    const MAX: f64 = 360.0;
    let setting = |name: &str, default: f64| match argument(statement, name) {
        None => Ok(default),
        Some(_) => length(statement, name),
    };
    let (number, angle, side) = (setting("$fn", 0.0)?, setting("$fa", 12.0)?, setting("$fs", 2.0)?);
    let facets = if number > 0.0 {
        number.floor().max(3.0)
    } else {
        (360.0 / angle).min(std::f64::consts::TAU * radius / side).max(5.0).ceil()
    };
    if facets > MAX || facets.is_nan() {
        let message = format!("{}: has {facets} facets, at most {MAX} are allowed in a hull", statement.name);
        return Err(CsgError::new(statement.line, message));
    }
    Ok(facets as u32)
}

/// True or false; false where it is left out.
pub(super) fn boolean(statement: &Statement, name: &str) -> Result<bool, CsgError> {
    match argument(statement, name) {
        None => Ok(false),
        Some(Value::Boolean(boolean)) => Ok(*boolean),
        Some(_) => Err(wrong(statement, name, "true or false")),
    }
}

/// Refuses vectors with infinite parts.
pub(super) fn finite(statement: &Statement, name: &str, vector: DVec3) -> Result<DVec3, CsgError> {
    if vector.is_finite() { Ok(vector) } else { Err(wrong(statement, name, "finite")) }
}
