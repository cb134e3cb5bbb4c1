//! From the tree to words.

use std::collections::HashMap;

use super::{Coating, Expression, LayerWords, Op, Program};
use crate::scene::{Cell, Node, NodeId, Scene, Solid};

struct Compiler<'a> {
    scene: &'a Scene,
    words: Vec<u32>,
    constants: Vec<f64>,
    stack_depth: usize,
    /// Paint regions already emitted: many coatings may name one.
    regions: HashMap<NodeId, Expression>,
}

impl Program {
    /// Flattens a scene.
    #[must_use]
    pub fn compile(scene: &Scene) -> Self {
        let mut compiler =
            Compiler { scene, words: Vec::new(), constants: Vec::new(), stack_depth: 0, regions: HashMap::new() };
        let root = compiler.expression(scene.root());
        let mut layers = Vec::new();
        let coatings: Vec<Coating> = scene
            .coatings()
            .iter()
            .map(|coating| {
                let first = layers.len() as u32;
                for layer in coating {
                    let region = layer.region.map(|region| compiler.region(region));
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
        let constants_at = self.constants.len() as u32;
        let op = match leaf.solid {
            // Scenes keep half spaces in cells; one alone is a cell as well.
            Solid::HalfSpace(half_space) => {
                return self.cell(&Cell { first_leaf: number, half_spaces: vec![half_space] });
            }
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
