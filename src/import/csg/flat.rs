//! Flat shapes, as `linear_extrude` finds them: squares, circles, polygons, and hulls of them.

use glam::DVec2;

use super::arguments::{
    argument, boolean, facets, few_sides, flat_matrix, length, polygon_paths, polygon_points, wrong,
};
use super::extrusion::Plane;
use super::nodes::{NODES, belonging, difference, refused, union};
use super::region::{convex, levels, region};
use super::syntax::{Statement, Value};
use super::{CsgError, Piece};

/// The flat shapes.
pub(super) const FLAT: [&str; 3] = ["square", "circle", "polygon"];

/// The solid of a square, circle or polygon; nothing for one without a size.
pub(super) fn extruded(statement: &Statement, plane: &Plane) -> Result<Piece, CsgError> {
    match statement.name.as_str() {
        "circle" if few_sides(statement)?.is_none() => {
            let radius = length(statement, "r")?;
            if radius > 0.0 { plane.disc(radius) } else { Ok(Piece::Nothing) }
        }
        "polygon" => polygon(statement, plane),
        _ => match convex(&corners(statement, plane)?) {
            Some(corners) => plane.prism(&corners, true),
            None => Ok(Piece::Nothing),
        },
    }
}

/// The corners of a flat shape in the plane of the extrusion, of a circle those of its facets.
fn corners(statement: &Statement, plane: &Plane) -> Result<Vec<DVec2>, CsgError> {
    let corners = match statement.name.as_str() {
        "square" => {
            let (low, size) = square_extent(statement)?;
            if size.min_element() <= 0.0 {
                return Ok(Vec::new());
            }
            [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y].map(|corner| low + corner * size).to_vec()
        }
        "circle" => circle(statement)?,
        _ => polygon_points(statement)?,
    };
    Ok(corners.into_iter().map(|corner| plane.map.transform_point2(corner)).collect())
}

/// Least corner and size.
fn square_extent(statement: &Statement) -> Result<(DVec2, DVec2), CsgError> {
    let size = match argument(statement, "size") {
        Some(Value::Number(side)) => DVec2::splat(*side),
        Some(Value::List(sides)) => match sides[..] {
            [Value::Number(x), Value::Number(y)] => DVec2::new(x, y),
            _ => return Err(wrong(statement, "size", "a number or two")),
        },
        _ => return Err(wrong(statement, "size", "a number or two")),
    };
    if !size.is_finite() {
        return Err(wrong(statement, "size", "finite"));
    }
    Ok((if boolean(statement, "center")? { -0.5 * size } else { DVec2::ZERO }, size))
}

/// The corners of a circle's facets.
fn circle(statement: &Statement) -> Result<Vec<DVec2>, CsgError> {
    let radius = length(statement, "r")?;
    if radius <= 0.0 {
        return Ok(Vec::new());
    }
    let facets = facets(statement, radius)?;
    let angle = |corner: u32| std::f64::consts::TAU * f64::from(corner) / f64::from(facets);
    Ok((0..facets).map(|corner| radius * DVec2::from_angle(angle(corner))).collect())
}

/// Inside of an odd number of its outlines.
fn polygon(statement: &Statement, plane: &Plane) -> Result<Piece, CsgError> {
    let refused = |what: &str| CsgError::new(statement.line, format!("polygon: {what}"));
    let points = corners(statement, plane)?;
    let paths = polygon_paths(statement)?.unwrap_or_else(|| vec![(0..points.len()).collect()]);
    let outline = |path: &Vec<usize>| path.iter().map(|&index| points.get(index).copied()).collect::<Option<Vec<_>>>();
    let outlines: Option<Vec<Vec<DVec2>>> = paths.iter().map(outline).collect();
    let outlines = outlines.ok_or_else(|| refused("`paths` names a point that there is not"))?;
    let levels = levels(&outlines).map_err(|what| refused(&what))?;
    let mut whole = Piece::Nothing;
    for (level, outlines) in levels.iter().enumerate() {
        let is_hole = level % 2 == 1;
        let plane = Plane { is_open: plane.is_open || is_hole, ..*plane };
        let regions = outlines.iter().map(|outline| region(outline, &plane, statement.line));
        let mut regions: Vec<Piece> = regions.collect::<Result<_, _>>()?;
        regions.insert(0, whole);
        whole = if is_hole { difference(regions, statement.line) } else { union(regions, statement.line) };
    }
    Ok(whole)
}

/// The solid of the hull of flat shapes. The line is added to `faceted` where circles are among them.
pub(super) fn flat_hull(statement: &Statement, plane: &Plane, faceted: &mut Vec<usize>) -> Result<Piece, CsgError> {
    let mut points = Vec::new();
    let has_circles = collect(&statement.children, plane, &mut points)?;
    if has_circles {
        faceted.push(statement.line);
    }
    convex(&points).map_or(Ok(Piece::Nothing), |corners| plane.prism(&corners, true))
}

/// Collects the corners of shapes whose union is in a hull; true when there are circles, other than polygons of few sides.
pub(super) fn collect(statements: &[Statement], plane: &Plane, points: &mut Vec<DVec2>) -> Result<bool, CsgError> {
    let mut has_circles = false;
    for statement in belonging(statements)? {
        let children = &statement.children;
        has_circles |= match statement.name.as_str() {
            "group" | "union" | "render" | "color" | "hull" => collect(children, plane, points)?,
            "multmatrix" => collect(children, &Plane { map: plane.map * flat_matrix(statement)?, ..*plane }, points)?,
            name if FLAT.contains(&name) => {
                let corners = corners(statement, plane)?;
                let is_round = name == "circle" && !corners.is_empty() && few_sides(statement)?.is_none();
                points.extend(corners);
                is_round
            }
            name if NODES.contains(&name) => {
                return Err(CsgError::new(
                    statement.line,
                    format!("`{name}` in a hull of flat shapes is not supported"),
                ));
            }
            _ => return Err(refused(statement)),
        };
    }
    Ok(has_circles)
}
