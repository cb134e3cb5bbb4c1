//! From the tree to walks.

use std::collections::HashMap;

use super::bounds::all_bounds;
use super::{BoundingBox, Layer, Stop, Target, Test, Walk};
use crate::scene::{Node, NodeId, Scene};

/// Unions with fewer bounded children get no boxes: a box costs about as much as the leaf behind it.
const MIN_GROUP: usize = 4;
/// Children that are endless along more axes than one count as unbounded: their boxes would be met by almost every ray.
const BOUNDED_AXES: usize = 2;

/// Stops are emitted from the last to the first, so that all targets are known; then the order is turned round.
struct Compiler<'a> {
    scene: &'a Scene,
    /// Boxes of nodes, by number.
    bounds: Vec<Option<BoundingBox>>,
    /// Ranks of leaves, by number of the (first) leaf.
    ranks: Vec<u32>,
    stops: Vec<Stop>,
    /// Paint regions already emitted: many coatings may name one.
    regions: HashMap<NodeId, Target>,
}

/// What a node's leaves must know of the nodes above.
#[derive(Clone, Copy)]
struct Place {
    inside: Target,
    outside: Target,
    exact: bool,
}

impl Place {
    const TOP: Self = Self { inside: Target::Inside, outside: Target::Outside, exact: true };
}

impl Walk {
    /// Lays out a scene.
    #[must_use]
    pub fn compile(scene: &Scene) -> Self {
        let mut compiler = Compiler {
            scene,
            bounds: all_bounds(scene),
            ranks: ranks(scene),
            stops: Vec::new(),
            regions: HashMap::new(),
        };
        let start = compiler.node(scene.root(), Place::TOP);
        let mut layers = Vec::new();
        let ranges: Vec<std::ops::Range<u32>> = scene
            .coatings()
            .iter()
            .map(|coating| {
                let first = layers.len() as u32;
                for layer in coating {
                    let region = layer.region.map(|region| compiler.region(region));
                    layers.push(Layer { material: layer.material, region });
                }
                first..layers.len() as u32
            })
            .collect();
        let count = compiler.stops.len() as u32;
        let turned = |target| match target {
            Target::Stop(number) => Target::Stop(count - 1 - number),
            Target::Inside | Target::Outside => target,
        };
        let turned_stop = |stop: Stop| Stop { inside: turned(stop.inside), outside: turned(stop.outside), ..stop };
        let turned_layer = |layer: Layer| Layer { region: layer.region.map(turned), ..layer };
        Self {
            stops: compiler.stops.into_iter().rev().map(turned_stop).collect(),
            start: turned(start),
            layers: layers.into_iter().map(turned_layer).collect(),
            coatings: scene.leaves().iter().map(|leaf| ranges[leaf.coating as usize].clone()).collect(),
            default_material: scene.default_material(),
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
    fn region(&mut self, root: NodeId) -> Target {
        if let Some(&target) = self.regions.get(&root) {
            return target;
        }
        let target = self.node(root, Place::TOP);
        self.regions.insert(root, target);
        target
    }

    /// Emits a node and returns where it starts.
    fn node(&mut self, node: NodeId, place: Place) -> Target {
        let scene = self.scene;
        match scene.node(node) {
            Node::Nothing => place.outside,
            Node::Everything => place.inside,
            Node::Leaf(number) => {
                let leaf = scene.leaf(*number);
                self.stop(Test::Curved { solid: leaf.solid.clone(), complemented: leaf.complemented }, *number, place)
            }
            Node::Cell(cell) => self.stop(Test::Cell(cell.half_spaces.clone()), cell.first_leaf, place),
            Node::Union(children) => self.union(children, place),
            Node::Intersection(children) => self.intersection(children, place),
        }
    }

    fn stop(&mut self, test: Test, leaf: u32, place: Place) -> Target {
        let Place { inside, outside, exact } = place;
        let rank = if let Test::Bounds(_) = test { 0 } else { self.ranks[leaf as usize] };
        self.stops.push(Stop { test, leaf, rank, inside, outside, exact });
        Target::Stop(self.stops.len() as u32 - 1)
    }

    fn intersection(&mut self, children: &[NodeId], place: Place) -> Target {
        let before = |inside, &child: &NodeId| self.node(child, Place { inside, exact: false, ..place });
        children.iter().rev().fold(place.inside, before)
    }

    /// Unbounded children come first: they cannot be skipped, and what they yield lets more boxes be skipped.
    fn union(&mut self, children: &[NodeId], place: Place) -> Target {
        let mut bounded: Vec<(BoundingBox, NodeId)> = Vec::new();
        let mut unbounded = Vec::new();
        for &child in children {
            let bounds = self.bounds[child.0 as usize].filter(|bounds| bounds.bounded_axes() >= BOUNDED_AXES);
            match bounds {
                Some(bounds) => bounded.push((bounds, child)),
                None => unbounded.push(child),
            }
        }
        if bounded.len() < MIN_GROUP {
            return self.chain(children, place);
        }
        let outside = self.group(&mut bounded, place);
        self.chain(&unbounded, Place { outside, ..place })
    }

    fn chain(&mut self, children: &[NodeId], place: Place) -> Target {
        children.iter().rev().fold(place.outside, |outside, &child| self.node(child, Place { outside, ..place }))
    }

    /// Children in boxes within boxes: halves along the longest axis of their centres.
    fn group(&mut self, children: &mut [(BoundingBox, NodeId)], place: Place) -> Target {
        let around = children.iter().fold(BoundingBox::EMPTY, |all, (bounds, _)| all.join(*bounds));
        let start = match children {
            [] => return place.outside,
            // A single curved solid is tested as fast as a box.
            [(_, child)] if matches!(self.scene.node(*child), Node::Leaf(_)) => return self.node(*child, place),
            [(_, child)] => self.node(*child, place),
            _ => {
                let centers = children.iter().map(|(bounds, _)| bounds.center());
                let (min, max) = centers.fold((around.max, around.min), |(min, max), c| (min.min(c), max.max(c)));
                let axis = (max - min).max_position();
                // Ties by number: the order of equals must not depend on the sort.
                children.sort_unstable_by(|(a, first), (b, second)| {
                    a.center()[axis].total_cmp(&b.center()[axis]).then(first.0.cmp(&second.0))
                });
                let (left, right) = children.split_at_mut(children.len() / 2);
                let outside = self.group(right, place);
                self.group(left, Place { outside, ..place })
            }
        };
        let Target::Stop(_) = start else {
            return start;
        };
        self.stop(Test::Bounds(around), 0, Place { inside: start, ..place })
    }
}
