//! Answers to rays that start inside a scene.

use glam::DVec3;

use super::{EntryPoint, RayStatus};
use crate::scene::{Node, NodeId, Scene};

/// The leaf that represents a node's set at one of its points.
#[derive(Clone, Copy)]
struct Speaker {
    /// `None` in [`Node::Everything`].
    leaf: Option<u32>,
    /// The point is on its surface.
    border: bool,
}

impl EntryPoint {
    /// The answer to a ray that starts inside, by the rules for ties (docs/theory/entry-points.md, 9): a union is
    /// represented by its first child that contains the point, an intersection by its first child with the point on its
    /// surface, else by its first child with a leaf. A point that is outside after all, because of an engine's
    /// rounding, counts as inside every leaf that is no farther than `slack` \[m\].
    #[must_use]
    pub fn start_inside(scene: &Scene, point: DVec3, lambda: f64, slack: f64) -> Self {
        let speaker = speaker(scene, scene.root(), point, 0.0).or_else(|| speaker(scene, scene.root(), point, slack));
        let leaf = speaker.and_then(|speaker| speaker.leaf);
        let border_leaf = leaf.filter(|_| speaker.is_some_and(|speaker| speaker.border));
        Self {
            status: RayStatus::Hit,
            lambda,
            normal: border_leaf.map_or(DVec3::ZERO, |leaf| scene.leaf(leaf).normal(point)),
            leaf: border_leaf,
            material: leaf.map_or(scene.default_material(), |leaf| scene.material_at(leaf, point)),
        }
    }
}

/// `None` if the point is outside.
fn speaker(scene: &Scene, node: NodeId, point: DVec3, slack: f64) -> Option<Speaker> {
    let of_leaf =
        |leaf: u32, distance: f64| (distance <= slack).then_some(Speaker { leaf: Some(leaf), border: distance == 0.0 });
    match scene.node(node) {
        Node::Everything => Some(Speaker { leaf: None, border: false }),
        Node::Nothing => None,
        Node::Leaf(number) => of_leaf(*number, scene.leaf(*number).clearance(point)),
        Node::Cell(cell) => (cell.first_leaf..)
            .zip(&cell.half_spaces)
            .map(|(leaf, half_space)| of_leaf(leaf, half_space.distance(point) / half_space.normal.length()))
            .reduce(both)?,
        Node::Union(children) => children.iter().find_map(|&child| speaker(scene, child, point, slack)),
        Node::Intersection(children) => {
            let everywhere = Some(Speaker { leaf: None, border: false });
            children.iter().map(|&child| speaker(scene, child, point, slack)).fold(everywhere, both)
        }
    }
}

fn both(first: Option<Speaker>, second: Option<Speaker>) -> Option<Speaker> {
    let (first, second) = (first?, second?);
    let rank = |speaker: Speaker| (speaker.border, speaker.leaf.is_some());
    Some(if rank(second) > rank(first) { second } else { first })
}
