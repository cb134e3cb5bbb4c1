//! A scene organized for queries: cells in lanes, boxes around bounded parts.
//!
//! # Conventions
//! As in [`crate::scene`].

use glam::DVec3;

use super::ball::Ball;
use super::cell::Planes;
use super::tree::BoxTree;
use crate::lanes::LANES;
use crate::query::{EntryPoint, RayStatus};
use crate::scene::{BoundingBox, Cell, HalfSpace, Layer, Leaf, Node, NodeId, Scene, Solid, all_bounds};

/// With fewer bounded members, single and incoherent rays test all of them: in lanes that is as fast.
const MIN_TREE: usize = 8;

/// A scene organized for queries.
#[derive(Debug)]
pub struct SceneIndex {
    pub(super) scene: Scene,
    /// The whole scene: of a root that is no union, the root alone.
    pub(super) top: Group,
    half_spaces: Vec<HalfSpace>,
    planes: Vec<Planes>,
    /// Answers but for lambda: to rays that meet nothing, then to those that meet a leaf, by number, where its surface is the
    /// same everywhere.
    pub(super) faces: Vec<Option<EntryPoint>>,
}

/// What a scene is made of.
#[derive(Debug)]
pub(super) enum Part {
    Everything,
    Nothing,
    /// A ball or an ellipsoid, or the complement of one.
    Ball(Ball),
    /// Another leaf, by its number.
    Leaf(u32),
    Cell(CellPart),
    Intersection(Vec<Part>),
    Union(Box<Group>),
}

/// A convex cell, by the places of its half spaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellPart {
    pub first_leaf: u32,
    first: u32,
    count: u32,
    /// The first of its blocks of eight.
    planes: u32,
}

/// The members of a union; members of a member that is a union are its own.
#[derive(Debug)]
pub(super) struct Group {
    /// In the scene's order.
    pub members: Vec<Part>,
    /// Numbers of the members that no box tells anything of.
    pub unboxed: Vec<u32>,
    /// Boxes around the others.
    pub tree: BoxTree,
    /// The others, where there are so few that lanes look at them as fast as at boxes.
    pub few: Vec<u32>,
}

impl Group {
    /// True without boxes that are worth looking at.
    pub fn is_small(&self) -> bool {
        self.tree.is_empty() || !self.few.is_empty()
    }
}

impl SceneIndex {
    /// Lays out a scene.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let bounds = all_bounds(scene);
        let mut builder = Builder { scene, bounds: &bounds, half_spaces: Vec::new(), planes: Vec::new() };
        let top = builder.group(scene.root());
        let Builder { half_spaces, planes, .. } = builder;
        let mut faces = vec![Some(EntryPoint::none(RayStatus::Miss))];
        faces.extend((0..).zip(scene.leaves()).map(|(number, leaf)| face(scene, number, leaf)));
        Self { scene: scene.clone(), top, half_spaces, planes, faces }
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The half spaces of a cell.
    #[inline(always)]
    pub(super) fn half_spaces(&self, cell: CellPart) -> &[HalfSpace] {
        &self.half_spaces[cell.first as usize..(cell.first + cell.count) as usize]
    }

    /// The half spaces of a cell eight by eight, as they are and in lanes.
    #[inline(always)]
    pub(super) fn blocks(&self, cell: CellPart) -> impl Iterator<Item = (&[HalfSpace], &Planes)> {
        self.half_spaces(cell).chunks(LANES).zip(&self.planes[cell.planes as usize..])
    }
}

/// What is met at a leaf, where it is flat and of one material.
fn face(scene: &Scene, number: u32, leaf: &Leaf) -> Option<EntryPoint> {
    let Solid::HalfSpace(_) = leaf.solid else {
        return None;
    };
    let layers = scene.coating(leaf);
    let material = match layers.first() {
        Some(Layer { material, region: None }) => Some(*material),
        Some(_) => return None,
        None => scene.default_material(),
    };
    let normal = leaf.normal(DVec3::ZERO);
    Some(EntryPoint { status: RayStatus::Hit, lambda: 0.0, normal, leaf: Some(number), material })
}

struct Builder<'a> {
    scene: &'a Scene,
    /// Boxes of nodes, by number.
    bounds: &'a [Option<BoundingBox>],
    half_spaces: Vec<HalfSpace>,
    planes: Vec<Planes>,
}

impl Builder<'_> {
    fn part(&mut self, node: NodeId) -> Part {
        match self.scene.node(node) {
            Node::Everything => Part::Everything,
            Node::Nothing => Part::Nothing,
            Node::Leaf(number) => {
                Ball::new(*number, &self.scene.leaf(*number).solid).map_or(Part::Leaf(*number), Part::Ball)
            }
            Node::Cell(cell) => Part::Cell(self.cell(cell)),
            Node::Intersection(children) => {
                Part::Intersection(children.iter().map(|&child| self.part(child)).collect())
            }
            Node::Union(_) => Part::Union(Box::new(self.group(node))),
        }
    }

    fn cell(&mut self, cell: &Cell) -> CellPart {
        let part = CellPart {
            first_leaf: cell.first_leaf,
            first: self.half_spaces.len() as u32,
            count: cell.half_spaces.len() as u32,
            planes: self.planes.len() as u32,
        };
        self.half_spaces.extend(&cell.half_spaces);
        self.planes.extend(cell.half_spaces.chunks(LANES).map(Planes::new));
        part
    }

    fn group(&mut self, root: NodeId) -> Group {
        let mut nodes = Vec::new();
        self.members(root, &mut nodes);
        let mut unboxed = Vec::new();
        let mut boxed: Vec<(u32, BoundingBox)> = Vec::new();
        let mut members = Vec::with_capacity(nodes.len());
        for (&node, number) in nodes.iter().zip(0u32..) {
            members.push(self.part(node));
            match self.bounds[node.0 as usize] {
                _ if matches!(self.scene.node(node), Node::Nothing) => {}
                // What is empty by no more than rounding may be met as well.
                Some(bounds) if !bounds.is_empty() && BoxTree::takes(&bounds) => boxed.push((number, bounds)),
                _ => unboxed.push(number),
            }
        }
        let few = if boxed.len() < MIN_TREE { &boxed[..] } else { &[] };
        let few = few.iter().map(|&(number, _)| number).collect();
        Group { members, unboxed, tree: BoxTree::new(&boxed), few }
    }

    /// All that stands under unions alone, in the scene's order.
    fn members(&self, node: NodeId, members: &mut Vec<NodeId>) {
        match self.scene.node(node) {
            Node::Union(children) => children.iter().for_each(|&child| self.members(child, members)),
            _ => members.push(node),
        }
    }
}
