//! From the tree to words.

use super::{Coating, Expression, LayerWords, Op, Program};
use crate::scene::{HalfSpace, Node, NodeId, Scene, Solid};

struct Compiler<'a> {
    scene: &'a Scene,
    words: Vec<u32>,
    constants: Vec<f64>,
    stack_depth: usize,
}

impl Program {
    /// Flattens a scene.
    #[must_use]
    pub fn compile(scene: &Scene) -> Self {
        let mut compiler = Compiler { scene, words: Vec::new(), constants: Vec::new(), stack_depth: 0 };
        let root = compiler.expression(scene.root());
        let mut layers = Vec::new();
        let coatings: Vec<Coating> = scene
            .coatings()
            .iter()
            .map(|coating| {
                let first = layers.len() as u32;
                for layer in coating {
                    let region = layer.region.map(|region| compiler.expression(region));
                    layers.push(LayerWords { material: layer.material.0, region });
                }
                Coating { first, layers: coating.len() as u32 }
            })
            .collect();
        Self {
            root,
            layers,
            leaf_coatings: scene.leaves().iter().map(|leaf| coatings[leaf.coating as usize]).collect(),
            default_material: scene.default_material().map(|material| material.0),
            stack_depth: compiler.stack_depth,
            words: compiler.words,
            constants: compiler.constants,
        }
    }
}

impl Compiler<'_> {
    fn expression(&mut self, root: NodeId) -> Expression {
        let first = self.words.len();
        self.node(root, 0);
        Expression { first: first as u32, words: (self.words.len() - first) as u32 }
    }

    /// Emits a node; `below` entries are on the stack when it starts.
    fn node(&mut self, node: NodeId, below: usize) {
        self.stack_depth = self.stack_depth.max(below + 1);
        match self.scene.node(node) {
            Node::Nothing => self.words.push(Op::Nothing as u32),
            Node::Everything => self.words.push(Op::Everything as u32),
            Node::Leaf(number) => match self.half_space(node) {
                Some(half_space) => self.cell(&[half_space], *number),
                None => self.solid(*number),
            },
            Node::Union(children) => {
                for (index, &child) in children.iter().enumerate() {
                    self.node(child, below + index.min(1));
                    if index > 0 {
                        self.words.push(Op::Union as u32);
                    }
                }
                if children.is_empty() {
                    self.words.push(Op::Nothing as u32);
                }
            }
            Node::Intersection(children) => self.intersection(children, below),
        }
    }

    /// Runs of half spaces become cells; the groups are joined two by two.
    fn intersection(&mut self, children: &[NodeId], below: usize) {
        if children.is_empty() {
            self.words.push(Op::Everything as u32);
        }
        let groups = children.chunk_by(|&a, &b| self.half_space(a).is_some() && self.half_space(b).is_some());
        let groups: Vec<&[NodeId]> = groups.collect();
        for (index, group) in groups.into_iter().enumerate() {
            match (self.scene.node(group[0]), group) {
                (Node::Leaf(first), [_, _, ..]) => {
                    let run: Vec<HalfSpace> = group.iter().filter_map(|&node| self.half_space(node)).collect();
                    self.stack_depth = self.stack_depth.max(below + index.min(1) + 1);
                    self.cell(&run, *first);
                }
                _ => self.node(group[0], below + index.min(1)),
            }
            if index > 0 {
                self.words.push(Op::Intersection as u32);
            }
        }
    }

    fn half_space(&self, node: NodeId) -> Option<HalfSpace> {
        match self.scene.node(node) {
            Node::Leaf(number) => match self.scene.leaf(*number).solid {
                Solid::HalfSpace(half_space) => Some(half_space),
                Solid::Sphere(_) | Solid::Cylinder(_) => None,
            },
            _ => None,
        }
    }

    fn cell(&mut self, run: &[HalfSpace], first_leaf: u32) {
        let constants_at = self.constants.len() as u32;
        for half_space in run {
            self.constants.extend(half_space.normal.to_array());
            self.constants.push(half_space.offset);
        }
        self.instruction(Op::Cell, run.len() as u32, constants_at, first_leaf);
    }

    fn solid(&mut self, number: u32) {
        let leaf = self.scene.leaf(number);
        let constants_at = self.constants.len() as u32;
        let op = match leaf.solid {
            Solid::HalfSpace(half_space) => return self.cell(&[half_space], number),
            Solid::Sphere(ball) => {
                self.constants.extend(ball.center.to_array());
                self.constants.push(ball.radius);
                Op::Sphere
            }
            Solid::Cylinder(cylinder) => {
                self.constants.extend(cylinder.center.to_array());
                self.constants.extend(cylinder.axis.to_array());
                self.constants.push(cylinder.radius);
                self.constants.extend(cylinder.half_height);
                if cylinder.half_height.is_some() { Op::ShortCylinder } else { Op::Cylinder }
            }
        };
        self.instruction(op, u32::from(leaf.complemented), constants_at, number);
    }

    fn instruction(&mut self, op: Op, count: u32, constants_at: u32, leaf: u32) {
        self.words.extend([op as u32 | count << 8, constants_at, leaf]);
    }
}
