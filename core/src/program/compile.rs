//! Compilation of the scene tree to a program.

use std::collections::HashMap;

use super::{Coating, Expression, LayerWords, Op, Program};
use crate::scene::{Cell, Node, NodeId, Scene, Solid};

struct Compiler<'a> {
    scene: &'a Scene,
    words: Vec<u32>,
    constants: Vec<f64>,
    stack_depth: usize,
    /// Ranks of leaves, by number of the (first) leaf.
    ranks: Vec<u32>,
    /// Paint regions already emitted: many coatings may name one.
    regions: HashMap<NodeId, Expression>,
}

impl Program {
    /// Flattens a scene.
    #[must_use]
    pub fn compile(scene: &Scene) -> Self {
        let mut compiler = Compiler {
            scene,
            words: Vec::new(),
            constants: Vec::new(),
            stack_depth: 0,
            ranks: ranks(scene),
            regions: HashMap::new(),
        };
        let root = compiler.expression(scene.root());
        let mut layers = Vec::new();
        let coatings: Vec<Coating> = scene
            .paint()
            .pieces()
            .map(|pieces| {
                let first = layers.len() as u32;
                for piece in pieces {
                    let region = piece.region.map(|region| compiler.region(region));
                    layers.push(LayerWords { material: piece.material.0, region });
                }
                Coating { first, layers: pieces.len() as u32 }
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

/// The order in which borders are crossed that are met in one place, by number of the (first) leaf.
fn ranks(scene: &Scene) -> Vec<u32> {
    let mut ranks = vec![0; scene.all_leaves().len()];
    let mut next = 0;
    let mut rank = |leaf: u32| {
        ranks[leaf as usize] = next;
        next += 1;
    };
    let mut ahead = vec![scene.root()];
    while let Some(node) = ahead.pop() {
        match scene.node(node) {
            Node::Nothing | Node::Everything => {}
            Node::Leaf(number) => rank(*number),
            Node::Cell(cell) => rank(cell.first_leaf),
            // What is put down last is taken up first.
            Node::Union(children) => ahead.extend(children.iter().rev()),
            Node::Intersection(children) => ahead.extend(children),
        }
    }
    ranks
}

impl Compiler<'_> {
    fn region(&mut self, root: NodeId) -> Expression {
        if let Some(&expression) = self.regions.get(&root) {
            return expression;
        }
        let expression = self.expression(root);
        self.regions.insert(root, expression);
        expression
    }

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
            Node::Leaf(number) => self.solid(*number),
            Node::Cell(cell) => self.cell(cell),
            Node::Union(children) => self.group(children, below, Op::Nothing, Op::Union),
            Node::Intersection(children) => self.group(children, below, Op::Everything, Op::Intersection),
        }
    }

    /// Children one after another, joined two by two; without any, the empty group.
    fn group(&mut self, children: &[NodeId], below: usize, empty: Op, join: Op) {
        for (index, &child) in children.iter().enumerate() {
            self.node(child, below + index.min(1));
            if index > 0 {
                self.words.push(join as u32);
            }
        }
        if children.is_empty() {
            self.words.push(empty as u32);
        }
    }

    fn cell(&mut self, cell: &Cell) {
        let constants_at = self.constants.len() as u32;
        for half_space in &cell.half_spaces {
            self.constants.extend(half_space.normal.to_array());
            self.constants.push(half_space.offset);
        }
        self.instruction(Op::Cell, cell.half_spaces.len() as u32, constants_at, cell.first_leaf);
    }

    fn solid(&mut self, number: u32) {
        let leaf = self.scene.leaf(number);
        let complemented = u32::from(leaf.complemented);
        let constants_at = self.constants.len() as u32;
        match &leaf.solid {
            // Scenes keep half spaces in cells; one alone is a cell as well.
            Solid::HalfSpace(half_space) => {
                self.cell(&Cell { first_leaf: number, half_spaces: vec![*half_space] });
            }
            Solid::Stretched(stretched) => {
                self.constants.extend(stretched.center.to_array());
                self.constants.extend(stretched.to_local.to_cols_array());
                let base = self.curved(&stretched.base);
                self.instruction(Op::Stretched, complemented | (base as u32) << 1, constants_at, number);
            }
            solid => {
                let op = self.curved(solid);
                self.instruction(op, complemented, constants_at, number);
            }
        }
    }

    /// The constants of a solid that is neither a half space nor stretched, and its operation.
    fn curved(&mut self, solid: &Solid) -> Op {
        match solid {
            // Neither gets here.
            Solid::HalfSpace(_) | Solid::Stretched(_) => Op::Nothing,
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
            Solid::Cone(cone) => {
                self.constants.extend(cone.base.to_array());
                self.constants.extend(cone.axis.to_array());
                self.constants.extend([cone.radius, cone.slope]);
                self.constants.extend(cone.height);
                if cone.height.is_some() { Op::ShortCone } else { Op::Cone }
            }
            Solid::Capsule(capsule) => {
                self.constants.extend(capsule.from.to_array());
                self.constants.extend(capsule.to.to_array());
                self.constants.push(capsule.radius);
                Op::Capsule
            }
        }
    }

    fn instruction(&mut self, op: Op, count: u32, constants_at: u32, leaf: u32) {
        self.words.extend([op as u32 | count << 8, constants_at, leaf, self.ranks[leaf as usize]]);
    }
}
