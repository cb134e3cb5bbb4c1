//! From statements to pieces: maps are pushed down to the leaves, empty parts vanish.

use glam::{DAffine3, DVec3};

use super::arguments::{color, few_sides, flat_matrix, matrix};
use super::extrusion::{Extrusion, Plane};
use super::flat::{FLAT, extruded, flat_hull};
use super::hull::{hull, polyhedron};
use super::nodes::{NODES, belonging, difference, intersection, refused, union};
use super::primitives::{cube, cylinder, sphere};
use super::syntax::Statement;
use super::{CsgError, Piece};

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

/// The whole model, with the length of its unit in metres, and warnings.
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
