//! Scenes: shapes expanded into a tree with leaves in world coordinates.
//!
//! A [`Shape`] is the input form; a [`Scene`] is what every engine starts from. Building one expands shared shapes,
//! pushes transforms and complements down to the leaves (so that unions and intersections are the only inner nodes) and
//! records for each leaf the paint and materials above it.
//!
//! # Conventions
//! World coordinates in metres, z up; on a runway x points along the landing direction from the landing threshold and y
//! to the left. Leaves are numbered depth first, left to right, in the expanded tree, without those of paint regions.

mod affine;
mod appearance;
mod bounds;
mod build;
mod cell_bounds;
mod dilated;
mod display;
mod file;
mod ground_plane;
mod hull;
mod join;
mod material;
mod paint;
mod runway;
mod shape;
mod size;
mod solid;
mod warning;

use glam::DVec3;

pub use self::paint::{Grid as PaintGrid, Paint, Piece as PaintPiece};

pub use affine::Affine;
pub use appearance::{Appearance, Color, View};
pub use bounds::{BOUNDS_MARGIN, all_bounds};
pub use bounds::{BoundingBox, bounded_extent, bounded_parts, center};
pub use build::{LIMITS, Limits, SceneError};
pub use file::Files;
pub use file::read_limited;
pub use ground_plane::GroundPlane;
pub use hull::HullError;
pub use hull::of_points as convex_hull;
pub(crate) use hull::triangles as hull_triangles;
pub use material::{Material, SurfaceDrag};
pub use runway::Runway;
pub use shape::{MaterialId, Shape};
pub use solid::{Capsule, Cone, Cylinder, HalfSpace, Interval, Solid, Sphere, Stretched};
pub use warning::SceneWarning;

/// The number of a node in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub(crate) u32);

/// A node of the expanded tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// All of space.
    Everything,
    /// The empty set.
    Nothing,
    /// A curved leaf, by its number.
    Leaf(u32),
    /// A convex cell: a run of half spaces under one intersection, or a half space alone.
    Cell(Cell),
    /// Inside any child.
    Union(Vec<NodeId>),
    /// Inside every child.
    Intersection(Vec<NodeId>),
}

/// The intersection of half spaces, stored contiguously so that rays traverse them without tree nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Number of the first one's leaf; the others follow consecutively.
    pub first_leaf: u32,
    /// The half spaces; complements are negated.
    pub half_spaces: Vec<HalfSpace>,
}

/// A leaf of the expanded tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The solid, in world coordinates.
    pub solid: Solid,
    /// True for the closed complement of the solid. Never true for half spaces: those are negated.
    pub complemented: bool,
    /// Index of its coating: the material of its surface.
    pub coating: u32,
}

/// One layer of material over a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// The material.
    pub material: MaterialId,
    /// The region it covers; `None` for everywhere.
    pub region: Option<NodeId>,
}

/// A scene ready for queries. All its numbers are finite and within [`LIMITS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    nodes: Vec<Node>,
    root: NodeId,
    /// The leaves of the scene, then those of paint regions.
    leaves: Vec<Leaf>,
    scene_leaves: usize,
    depth: usize,
    /// Layers over leaves, outermost first; the first applicable one wins (docs/theory/entry-points.md, 10).
    coatings: Vec<Vec<Layer>>,
    /// The same, organized for point queries.
    paint: Paint,
    materials: Vec<Material>,
    default_material: Option<MaterialId>,
    runway: Option<Runway>,
    appearance: Appearance,
    /// Inconsistencies between the file and the scene.
    warnings: Vec<SceneWarning>,
}

impl Scene {
    /// Inconsistencies between the scene file and the scene, such as a concave mesh that was replaced by its hull.
    #[must_use]
    pub fn warnings(&self) -> &[SceneWarning] {
        &self.warnings
    }

    /// The root of the tree.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The numbers of all nodes, paint regions included.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// A node of this scene.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The leaves that can be hit, by number.
    #[must_use]
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves[..self.scene_leaves]
    }

    /// All leaves by number: those that can be hit, then those of paint regions.
    #[must_use]
    pub fn all_leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Any leaf, also one of a paint region.
    #[must_use]
    pub fn leaf(&self, number: u32) -> &Leaf {
        &self.leaves[number as usize]
    }

    /// Largest number of nodes on a path from the root to a leaf, in the shapes as written.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The layers of material over a leaf, outermost first.
    #[must_use]
    pub fn coating(&self, leaf: &Leaf) -> &[Layer] {
        &self.coatings[leaf.coating as usize]
    }

    /// All coatings; leaves refer to them by index.
    #[must_use]
    pub fn coatings(&self) -> &[Vec<Layer>] {
        &self.coatings
    }

    /// The materials in the order of their numbers.
    #[must_use]
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// A material by number.
    #[must_use]
    pub fn material(&self, id: MaterialId) -> &Material {
        &self.materials[id.0 as usize]
    }

    /// The first leaf without a material somewhere, if there is no default either: wheels need friction wherever they
    /// may touch.
    #[must_use]
    pub fn first_bare_leaf(&self) -> Option<usize> {
        let bare = |leaf: &Leaf| self.coating(leaf).iter().all(|layer| layer.region.is_some());
        if self.default_material.is_some() { None } else { self.leaves().iter().position(bare) }
    }

    /// The material of surfaces without one.
    #[must_use]
    pub fn default_material(&self) -> Option<MaterialId> {
        self.default_material
    }

    /// The runway, if the scene has one.
    #[must_use]
    pub fn runway(&self) -> Option<&Runway> {
        self.runway.as_ref()
    }

    /// The plane heights are measured from: that of the runway, z = 0 without one.
    #[must_use]
    pub fn ground_plane(&self) -> GroundPlane {
        self.runway.as_ref().map_or(GroundPlane::LEVEL, Runway::plane)
    }

    /// How the scene is to be rendered.
    #[must_use]
    pub fn appearance(&self) -> &Appearance {
        &self.appearance
    }

    /// The same scene with these colours of materials.
    #[must_use]
    pub fn with_colors(self, colors: Vec<Option<Color>>) -> Self {
        Self { appearance: Appearance { colors, ..self.appearance }, ..self }
    }

    /// True if the point is in the node's set, surface included.
    #[must_use]
    pub fn contains(&self, node: NodeId, point: DVec3) -> bool {
        match self.node(node) {
            Node::Everything => true,
            Node::Nothing => false,
            Node::Leaf(number) => self.leaf(*number).contains(point),
            Node::Cell(cell) => cell.half_spaces.iter().all(|half_space| half_space.distance(point) <= 0.0),
            Node::Union(children) => children.iter().any(|&child| self.contains(child, point)),
            Node::Intersection(children) => children.iter().all(|&child| self.contains(child, point)),
        }
    }

    /// A lower bound on the distance \[m\] from a point to the scene; zero or negative if the point may be inside.
    #[must_use]
    pub fn clearance(&self, point: DVec3) -> f64 {
        self.node_clearance(self.root, point)
    }

    /// The members of the outermost union, or of unions in it, of which no bound proves that they are farther than this
    /// from a point \[m\].
    pub(crate) fn members_within(&self, point: DVec3, distance: f64) -> Vec<NodeId> {
        let mut members = Vec::new();
        self.gather_within(self.root, point, distance, &mut members);
        members
    }

    fn gather_within(&self, node: NodeId, point: DVec3, distance: f64, members: &mut Vec<NodeId>) {
        match self.node(node) {
            Node::Union(children) => {
                children.iter().for_each(|&child| self.gather_within(child, point, distance, members));
            }
            _ if self.node_clearance(node, point) > distance => (),
            _ => members.push(node),
        }
    }

    /// A lower bound on the distance \[m\] from a point to the nearest of some nodes; as [`Scene::clearance`].
    pub(crate) fn clearance_of(&self, nodes: &[NodeId], point: DVec3) -> f64 {
        nodes.iter().map(|&node| self.node_clearance(node, point)).fold(f64::INFINITY, f64::min)
    }

    fn node_clearance(&self, node: NodeId, point: DVec3) -> f64 {
        match self.node(node) {
            Node::Everything => f64::NEG_INFINITY,
            Node::Nothing => f64::INFINITY,
            Node::Leaf(number) => self.leaf(*number).clearance(point),
            Node::Cell(cell) => cell
                .half_spaces
                .iter()
                .map(|half_space| half_space.distance(point) / half_space.normal.length())
                .fold(f64::NEG_INFINITY, f64::max),
            Node::Union(children) => {
                children.iter().map(|&child| self.node_clearance(child, point)).fold(f64::INFINITY, f64::min)
            }
            Node::Intersection(children) => {
                children.iter().map(|&child| self.node_clearance(child, point)).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// The material of a leaf's surface at a point: the outermost applicable layer, else the default.
    #[must_use]
    pub fn material_at(&self, leaf: u32, point: DVec3) -> Option<MaterialId> {
        self.material_of(self.leaf(leaf).coating, point)
    }

    /// The material of a coating at a point: the outermost applicable layer, else the default.
    #[inline]
    pub(crate) fn material_of(&self, coating: u32, point: DVec3) -> Option<MaterialId> {
        self.paint.material(self, coating, point).or(self.default_material)
    }

    /// True where [`Scene::material_at`] is the same at all points of a leaf.
    #[must_use]
    pub fn is_of_one_material(&self, leaf: u32) -> bool {
        self.paint.is_the_same_everywhere(self.leaf(leaf).coating)
    }

    /// Its paint, laid out.
    pub fn paint(&self) -> &Paint {
        &self.paint
    }

    /// The same scene with its paint laid out.
    fn laid_out(self) -> Self {
        Self { paint: Paint::new(&self), ..self }
    }
}

impl Leaf {
    /// True inside or on the surface.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        let distance = self.solid.distance(point);
        if self.complemented { distance >= 0.0 } else { distance <= 0.0 }
    }

    /// The outward normal at a point of the surface: as stored for half spaces, else a unit vector.
    #[must_use]
    pub fn normal(&self, point: DVec3) -> DVec3 {
        let normal = self.solid.normal(point);
        if self.complemented { -normal } else { normal }
    }

    /// A lower bound on the distance \[m\] from a curved leaf, negative inside.
    pub(crate) fn clearance(&self, point: DVec3) -> f64 {
        let distance = self.solid.distance(point);
        if self.complemented { -distance } else { distance }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::random::uniform;

    /// Solids of many kinds over the ground, in unions in each other.
    fn village() -> Scene {
        let number = |item: u64, variable: u32| uniform(17, item, variable);
        let place = |item: u64| DVec3::new(60.0 * number(item, 0), 60.0 * number(item, 1), 8.0 * number(item, 2));
        let solid = |item: u64| {
            let (center, size) = (place(item), 0.5 + 3.0 * number(item, 3));
            let turned = DQuat::from_rotation_z(6.0 * number(item, 4));
            match item % 4 {
                0 => Shape::sphere(center, size),
                1 => Shape::cuboid(center, DVec3::new(size, 1.0, 2.0), turned),
                2 => Shape::ellipsoid(center, DVec3::new(size, 2.0 * size, 1.0), turned),
                _ => Shape::intersection([
                    Shape::capsule(center, center + turned * DVec3::X * size, 0.7),
                    Shape::half_space(DVec3::Z, center.z),
                ]),
            }
        };
        let ground = Shape::half_space(DVec3::Z, 0.0);
        let blocks = (0..8).map(|block| Shape::union((0..8).map(|of_block| solid(8 * block + of_block))));
        Scene::new(&Shape::union(blocks.chain([ground])), Vec::new(), None, None).unwrap()
    }

    #[test]
    fn what_is_within_reach_tells_of_every_point_inside_how_deep_it_is() {
        let scene = village();
        let (mut inside, mut members) = (0, 0);
        for item in 0..2000 {
            let number = |variable: u32| uniform(18, item, variable);
            let center = DVec3::new(60.0 * number(0), 60.0 * number(1), 10.0 * number(2));
            let reach = 6.0 * number(3);
            let near = scene.members_within(center, reach);
            members += near.len();
            for part in 0..10 {
                let away = DVec3::from_array([4, 5, 6].map(|axis| number(3 * part + axis) - 0.5));
                let point = center + away.normalize() * reach * number(40 + part);
                let (all, of_near) = (scene.clearance(point), scene.clearance_of(&near, point));
                inside += usize::from(all < 0.0);
                assert!(
                    if all < 0.0 { of_near == all } else { of_near >= 0.0 },
                    "{point}: {all}, {of_near} of {near:?}"
                );
            }
        }
        println!("{inside} of 20000 points inside, {:.1} of 65 members near", members as f64 / 2000.0);
        assert!(inside > 1000 && members < 2000 * 10);
    }
}
