//! Nodes of a scene file to shapes.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::super::{LIMITS, MaterialId, Shape};
use super::hulls::{Files, Hulls};
use super::number::{self, vector};
use super::solid;
use super::uses::in_order_of_use;
use crate::document::{DocumentError, Field, Table, Unit, nearest};

/// The keys that say what a node is.
const KINDS: [&str; 21] = [
    "half_space",
    "sphere",
    "cylinder",
    "ellipsoid",
    "cone",
    "capsule",
    "box",
    "polyhedron",
    "everything",
    "nothing",
    "union",
    "intersection",
    "difference",
    "complement",
    "translate",
    "rotate",
    "scale",
    "matrix",
    "paint",
    "use",
    "material",
];

/// A shape that was read, and how many nodes deep it is.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) shape: Arc<Shape>,
    depth: usize,
}

impl Piece {
    fn leaf(shape: Shape) -> Self {
        Self { shape: Arc::new(shape), depth: 1 }
    }

    fn over(depth_below: usize, shape: Shape) -> Self {
        Self { shape: Arc::new(shape), depth: depth_below + 1 }
    }
}

/// What nodes may name.
pub(super) struct Names<'a> {
    materials: BTreeMap<String, MaterialId>,
    /// `None` until the shape of this name was read.
    shapes: BTreeMap<&'a str, Option<Piece>>,
    hulls: Hulls<'a>,
}

impl<'a> Names<'a> {
    pub(super) fn new(materials: BTreeMap<String, MaterialId>, files: &'a mut Files<'a>) -> Self {
        Self { materials, shapes: BTreeMap::new(), hulls: Hulls::new(files) }
    }

    /// What is to be known of what was read, by lines.
    pub(super) fn into_warnings(self) -> Vec<(usize, String)> {
        self.hulls.into_warnings()
    }

    /// Reads named shapes, each once; nodes that use them share them.
    pub(super) fn read_shapes(&mut self, shapes: &[(&'a str, Field<'a>)]) -> Result<(), DocumentError> {
        self.shapes = shapes.iter().map(|&(name, _)| (name, None)).collect();
        for (name, field) in in_order_of_use(shapes)? {
            let piece = self.read_node(field)?;
            self.shapes.insert(name, Some(piece));
        }
        Ok(())
    }

    /// The material that the string names.
    pub(super) fn material(&self, field: Field<'_>) -> Result<MaterialId, DocumentError> {
        let name = field.string()?;
        self.materials
            .get(name)
            .copied()
            .ok_or_else(|| unknown_name(field, name, "material", self.materials.keys().map(String::as_str)))
    }

    /// Reads a node and all below it.
    pub(super) fn read_node(&self, field: Field<'_>) -> Result<Piece, DocumentError> {
        if !field.is_table() {
            return Err(field.refused("must be a node, such as { use = \"NAME\" }"));
        }
        let table = field.table()?;
        let piece = self.read_kind(&table)?;
        table.finish()?;
        if piece.depth > LIMITS.depth {
            return Err(field.error(format!("the tree from here is deeper than {} nodes, uses expanded", LIMITS.depth)));
        }
        Ok(piece)
    }

    fn read_kind(&self, table: &Table<'_>) -> Result<Piece, DocumentError> {
        let (kind, value) = kind_of(table)?;
        match kind {
            "half_space" => self.half_space(table, value),
            "sphere" => Ok(Piece::leaf(solid::sphere(value)?)),
            "cylinder" => Ok(Piece::leaf(solid::cylinder(value)?)),
            "ellipsoid" => Ok(Piece::leaf(solid::ellipsoid(value)?)),
            "cone" => Ok(Piece::leaf(solid::cone(value)?)),
            "capsule" => Ok(Piece::leaf(solid::capsule(value)?)),
            "box" => Ok(Piece::over(1, solid::cuboid(value)?)),
            "polyhedron" => self.polyhedron(value),
            "everything" => constant(value, Shape::Everything),
            "nothing" => constant(value, Shape::Nothing),
            "union" => self.group(value, Shape::Union),
            "intersection" => self.group(value, Shape::Intersection),
            "difference" => self.group(value, Shape::Difference),
            "complement" => {
                let of = self.read_node(value)?;
                Ok(Piece::over(of.depth, Shape::Complement(of.shape)))
            }
            "translate" => self.transform(table, DQuat::IDENTITY, vector(value, Unit::Length)?),
            "rotate" => self.transform(table, number::rotation(value)?, DVec3::ZERO),
            "scale" => self.map(table, number::scale(value)?, DVec3::ZERO),
            "matrix" => {
                let (linear, translation) = number::matrix(value)?;
                self.map(table, linear, translation)
            }
            "paint" => self.paint(table, value),
            "use" => self.used(value),
            // `kind_of` returns one of KINDS; only "material" is left.
            _ => {
                let material = self.material(value)?;
                let of = self.read_node(table.required("of")?)?;
                Ok(Piece::over(of.depth, Shape::Material { material, of: of.shape }))
            }
        }
    }

    fn half_space(&self, table: &Table<'_>, value: Field<'_>) -> Result<Piece, DocumentError> {
        let half_space = Piece::leaf(solid::half_space(value)?);
        match table.optional("material") {
            None => Ok(half_space),
            Some(name) => {
                let material = self.material(name)?;
                Ok(Piece::over(half_space.depth, Shape::Material { material, of: half_space.shape }))
            }
        }
    }

    fn group(&self, value: Field<'_>, group: fn(Vec<Arc<Shape>>) -> Shape) -> Result<Piece, DocumentError> {
        let pieces = value
            .array()?
            .into_iter()
            .map(|item| self.read_node(item))
            .collect::<Result<Vec<Piece>, DocumentError>>()?;
        let Some(depth) = pieces.iter().map(|piece| piece.depth).max() else {
            return Err(value.refused("must have at least one node"));
        };
        Ok(Piece::over(depth, group(pieces.into_iter().map(|piece| piece.shape).collect())))
    }

    fn transform(&self, table: &Table<'_>, rotation: DQuat, translation: DVec3) -> Result<Piece, DocumentError> {
        let of = self.read_node(table.required("of")?)?;
        Ok(Piece::over(of.depth, Shape::Transform { rotation, translation, of: of.shape }))
    }

    fn map(&self, table: &Table<'_>, linear: DMat3, translation: DVec3) -> Result<Piece, DocumentError> {
        let of = self.read_node(table.required("of")?)?;
        Ok(Piece::over(of.depth, Shape::Map { linear, translation, of: of.shape }))
    }

    /// A cell of half spaces given in the scene file, or of the hull of the points in a mesh file.
    fn polyhedron(&self, value: Field<'_>) -> Result<Piece, DocumentError> {
        let table = value.table()?;
        let half_spaces = match table.one_of(&["half_spaces", "file"])? {
            ("file", file) => self.hulls.read(file)?,
            (_, list) => {
                let faces = list.array()?.into_iter().map(solid::half_space).collect::<Result<Vec<_>, _>>()?;
                if faces.is_empty() {
                    return Err(list.refused("must have at least one half space"));
                }
                Arc::new(Shape::intersection(faces))
            }
        };
        table.finish()?;
        Ok(Piece { shape: half_spaces, depth: 2 })
    }

    fn paint(&self, table: &Table<'_>, value: Field<'_>) -> Result<Piece, DocumentError> {
        let material = self.material(value)?;
        let region = self.read_node(table.required("where")?)?;
        let of = self.read_node(table.required("of")?)?;
        let depth_below = region.depth.max(of.depth);
        Ok(Piece::over(depth_below, Shape::Paint { material, region: region.shape, of: of.shape }))
    }

    fn used(&self, value: Field<'_>) -> Result<Piece, DocumentError> {
        let name = value.string()?;
        match self.shapes.get(name) {
            Some(Some(piece)) => Ok(piece.clone()),
            Some(None) | None => Err(unknown_name(value, name, "shape", self.shapes.keys().copied())),
        }
    }
}

/// The key that says what a node is. Beside a half space `material` is its companion, not a node, unless an `of` shows
/// that somebody meant one.
fn kind_of<'a>(table: &Table<'a>) -> Result<(&'static str, Field<'a>), DocumentError> {
    let has_own_material = table.contains("half_space") && !table.contains("of");
    match KINDS.split_last() {
        Some((_, without_material)) if has_own_material => table.one_of(without_material),
        _ => table.one_of(&KINDS),
    }
}

fn constant(value: Field<'_>, shape: Shape) -> Result<Piece, DocumentError> {
    if value.boolean()? { Ok(Piece::leaf(shape)) } else { Err(value.refused("must be true")) }
}

/// The error at a `name` that is none of `names`.
fn unknown_name<'n>(
    field: Field<'_>,
    name: &str,
    what: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> DocumentError {
    let missing = format!("there is no {what} of this name");
    field.refused(match nearest(name, names) {
        Some(meant) => format!("{missing}; did you mean {meant:?}?"),
        None => missing,
    })
}
