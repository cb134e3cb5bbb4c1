//! Convex polyhedra, and `hull` of what has corners or of two balls.

use glam::{DAffine3, DVec3};

use super::arguments::{few_sides, length, matrix};
use super::convex::Mesh;
use super::map::Frame;
use super::solids::{NODES, belonging, cube_extent, refused};
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

/// The hull of boxes and polyhedra, or of two equal balls. Lines of balls with few sides are added to `rounded`.
pub(super) fn hull(statement: &Statement, map: &DAffine3, rounded: &mut Vec<usize>) -> Result<Piece, CsgError> {
    let mut parts = Parts { corners: Vec::new(), balls: Vec::new(), rounded };
    parts.collect(&statement.children, map)?;
    let Parts { corners, balls, .. } = parts;
    match (&corners[..], &balls[..]) {
        ([], []) => Ok(Piece::Nothing),
        (_, []) => hull_of_points(statement, corners),
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

/// What a hull is made around.
struct Parts<'a> {
    /// Corners of cubes and polyhedra.
    corners: Vec<DVec3>,
    /// Centres and radii.
    balls: Vec<(DVec3, f64)>,
    rounded: &'a mut Vec<usize>,
}

impl Parts<'_> {
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
                    let radius = length(statement, "r")?;
                    let uniform = Frame::of(map).and_then(|frame| frame.uniform());
                    let scale = uniform
                        .ok_or_else(|| CsgError::new(statement.line, "a sphere in a hull must not be stretched"))?;
                    if radius > 0.0 {
                        self.balls.push((map.translation, scale * radius));
                        if few_sides(statement)?.is_some() {
                            self.rounded.push(statement.line);
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
}

fn hull_of_points(statement: &Statement, points: Vec<DVec3>) -> Result<Piece, CsgError> {
    let half_spaces =
        convex_hull(points).map_err(|error| CsgError::new(statement.line, format!("{}: {error}", statement.name)))?;
    Ok(Piece::Leaf(polyhedron_of(&half_spaces)))
}
