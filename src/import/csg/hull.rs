//! Convex polyhedra, and `hull` of solids.

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};

use super::arguments::{boolean, facets, few_sides, length, matrix};
use super::convex::Mesh;
use super::extrusion::{Extrusion, Plane};
use super::flat;
use super::map::Frame;
use super::nodes::{NODES, belonging, refused};
use super::primitives::{cube_extent, cylinder, sphere};
use super::syntax::Statement;
use super::text::{leaf, number, polyhedron_of, vector};
use super::{CsgError, Piece};
use crate::scene::convex_hull;

pub(super) fn polyhedron(statement: &Statement, map: &DAffine3) -> Result<Piece, CsgError> {
    let mesh = Mesh::read(statement)?;
    let corners = mesh.corners();
    if corners.is_empty() {
        return Ok(Piece::Nothing);
    }
    mesh.check_convex().map_err(|what| CsgError::new(statement.line, format!("polyhedron: {what}")))?;
    hull_of_points(statement, corners.into_iter().map(|corner| map.transform_point3(corner)).collect())
}

/// The hull of solids: exact where it is one of ours, that is of corners alone, of one round solid, or of two equal balls; else
/// that of the facets that OpenSCAD gives to round solids, and the line is added to `faceted`. Lines of balls that had few
/// sides are added to `rounded`.
pub(super) fn hull(
    statement: &Statement,
    map: &DAffine3,
    rounded: &mut Vec<usize>,
    faceted: &mut Vec<usize>,
) -> Result<Piece, CsgError> {
    let mut parts = Parts::default();
    parts.collect(&statement.children, map)?;
    let Parts { mut corners, round } = parts;
    let exact = match (&corners[..], &round[..]) {
        ([], []) => return Ok(Piece::Nothing),
        ([], [one]) => one.exact.clone(),
        ([], [from, to]) => from.ball.zip(to.ball).and_then(|(from, to)| capsule(from, to)),
        _ => None,
    };
    if let Some(exact) = exact {
        rounded.extend(round.iter().filter(|part| part.ball.is_some() && part.has_few_sides).map(|part| part.line));
        return Ok(Piece::Leaf(exact));
    }
    if round.iter().any(|part| !part.has_few_sides) {
        faceted.push(statement.line);
    }
    corners.extend(round.into_iter().flat_map(|part| part.corners));
    hull_of_points(statement, corners)
}

/// The hull of two balls, where it is a solid of ours.
fn capsule((from, r1): (DVec3, f64), (to, r2): (DVec3, f64)) -> Option<String> {
    ((r1 - r2).abs() <= 1e-5 * r1).then(|| {
        leaf(&format!("capsule = {{ from = {}, to = {}, radius = {} }}", vector(from), vector(to), number(r1)))
    })
}

/// What a hull is made around.
#[derive(Default)]
struct Parts {
    /// Corners of cubes, polyhedra and prisms.
    corners: Vec<DVec3>,
    round: Vec<Round>,
}

/// A round solid in a hull.
struct Round {
    line: usize,
    has_few_sides: bool,
    /// Corners of its facets.
    corners: Vec<DVec3>,
    /// Its own node.
    exact: Option<String>,
    /// Centre and radius, where it is a ball.
    ball: Option<(DVec3, f64)>,
}

impl Parts {
    fn collect(&mut self, statements: &[Statement], map: &DAffine3) -> Result<(), CsgError> {
        for statement in belonging(statements)? {
            match statement.name.as_str() {
                "group" | "union" | "render" | "color" | "hull" => self.collect(&statement.children, map)?,
                "multmatrix" => self.collect(&statement.children, &(*map * matrix(statement)?))?,
                "cube" => {
                    let (low, size) = cube_extent(statement)?;
                    if size.min_element() > 0.0 {
                        let corners = (0..8).map(|bits| DVec3::from([0, 1, 2].map(|axis| f64::from(bits >> axis & 1))));
                        self.corners.extend(corners.map(|corner| map.transform_point3(low + corner * size)));
                    }
                }
                "polyhedron" => {
                    let corners = Mesh::read(statement)?.corners();
                    self.corners.extend(corners.into_iter().map(|corner| map.transform_point3(corner)));
                }
                "sphere" => {
                    if let Some(exact) = sphere(statement, map)? {
                        let radius = length(statement, "r")?;
                        let ball = Frame::of(map).and_then(|frame| frame.uniform());
                        let ball = ball.map(|scale| (map.translation, scale * radius));
                        self.add_round(statement, sphere_corners(statement, radius)?, map, exact, ball)?;
                    }
                }
                "cylinder" => {
                    if let Some(exact) = cylinder(statement, map)? {
                        self.add_round(statement, cylinder_corners(statement)?, map, exact, None)?;
                    }
                }
                "linear_extrude" => {
                    if let Some(extrusion) = Extrusion::read(statement, map)? {
                        let mut points = Vec::new();
                        let is_round = flat::collect(&statement.children, &Plane::of(extrusion), &mut points)?;
                        let corners = extrusion.ends(&points);
                        if is_round {
                            let (line, has_few_sides) = (statement.line, false);
                            self.round.push(Round { line, has_few_sides, corners, exact: None, ball: None });
                        } else {
                            self.corners.extend(corners);
                        }
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

    fn add_round(
        &mut self,
        statement: &Statement,
        corners: Vec<DVec3>,
        map: &DAffine3,
        exact: String,
        ball: Option<(DVec3, f64)>,
    ) -> Result<(), CsgError> {
        self.round.push(Round {
            line: statement.line,
            has_few_sides: few_sides(statement)?.is_some(),
            corners: corners.into_iter().map(|corner| map.transform_point3(corner)).collect(),
            exact: Some(exact),
            ball,
        });
        Ok(())
    }
}

/// A circle of facets about z.
fn ring(radius: f64, z: f64, facets: u32) -> impl Iterator<Item = DVec3> {
    (0..facets).map(move |corner| {
        let (sine, cosine) = (2.0 * PI * f64::from(corner) / f64::from(facets)).sin_cos();
        DVec3::new(radius * cosine, radius * sine, z)
    })
}

/// The corners that OpenSCAD gives to a sphere: rings in the middle of equal angles from pole to pole, half as many as there
/// are facets around.
fn sphere_corners(statement: &Statement, radius: f64) -> Result<Vec<DVec3>, CsgError> {
    let facets = facets(statement, radius)?;
    let rings = facets.div_ceil(2);
    let corners = (0..rings).flat_map(|number| {
        let (sine, cosine) = (PI * (f64::from(number) + 0.5) / f64::from(rings)).sin_cos();
        ring(radius * sine, radius * cosine, facets)
    });
    Ok(corners.collect())
}

fn cylinder_corners(statement: &Statement) -> Result<Vec<DVec3>, CsgError> {
    let (height, r1, r2) = (length(statement, "h")?, length(statement, "r1")?, length(statement, "r2")?);
    let bottom = if boolean(statement, "center")? { -0.5 * height } else { 0.0 };
    let facets = facets(statement, r1.max(r2))?;
    Ok(ring(r1, bottom, facets).chain(ring(r2, bottom + height, facets)).collect())
}

fn hull_of_points(statement: &Statement, points: Vec<DVec3>) -> Result<Piece, CsgError> {
    let half_spaces =
        convex_hull(points).map_err(|error| CsgError::new(statement.line, format!("{}: {error}", statement.name)))?;
    Ok(Piece::Leaf(polyhedron_of(&half_spaces)))
}
