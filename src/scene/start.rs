//! What a ray meets that starts inside a scene.

use glam::DVec3;

use super::{Node, NodeId, Scene};
use crate::query::{EntryPoint, RayStatus};

/// The leaf that speaks for a node's set at a point of it.
#[derive(Clone, Copy)]
struct Speaker {
    /// `None` in [`Node::Everything`].
    leaf: Option<u32>,
    /// The point is on its border.
    border: bool,
}

impl Scene {
    /// The answer to a ray that is inside at once, by the rules for ties (errata 000.4): a union is spoken for by its
    /// first child that holds the point, an intersection by its first child whose border is met, else by its first
    /// child with a leaf. A point that is outside after all, since an engine's rounding thought otherwise, counts as
    /// inside of every leaf that is no farther than `slack` \[m\].
    #[must_use]
    pub fn start_inside(&self, point: DVec3, lambda: f64, slack: f64) -> EntryPoint {
        let speaker = self.speaker(self.root(), point, 0.0).or_else(|| self.speaker(self.root(), point, slack));
        let leaf = speaker.and_then(|speaker| speaker.leaf);
        let border_leaf = leaf.filter(|_| speaker.is_some_and(|speaker| speaker.border));
        EntryPoint {
            status: RayStatus::Hit,
            lambda,
            normal: border_leaf.map_or(DVec3::ZERO, |leaf| self.leaf(leaf).normal(point)),
            leaf: border_leaf,
            material: leaf.map_or(self.default_material(), |leaf| self.material_at(leaf, point)),
        }
    }

    /// `None` when the point is outside.
    fn speaker(&self, node: NodeId, point: DVec3, slack: f64) -> Option<Speaker> {
        let of_leaf = |leaf: u32, distance: f64| {
            (distance <= slack).then_some(Speaker { leaf: Some(leaf), border: distance == 0.0 })
        };
        match self.node(node) {
            Node::Everything => Some(Speaker { leaf: None, border: false }),
            Node::Nothing => None,
            Node::Leaf(number) => of_leaf(*number, self.leaf(*number).clearance(point)),
            Node::Cell(cell) => (cell.first_leaf..)
                .zip(&cell.half_spaces)
                .map(|(leaf, half_space)| of_leaf(leaf, half_space.distance(point) / half_space.normal.length()))
                .reduce(both)?,
            Node::Union(children) => children.iter().find_map(|&child| self.speaker(child, point, slack)),
            Node::Intersection(children) => {
                let everywhere = Some(Speaker { leaf: None, border: false });
                children.iter().map(|&child| self.speaker(child, point, slack)).fold(everywhere, both)
            }
        }
    }
}

fn both(first: Option<Speaker>, second: Option<Speaker>) -> Option<Speaker> {
    let (first, second) = (first?, second?);
    let rank = |speaker: Speaker| (speaker.border, speaker.leaf.is_some());
    Some(if rank(second) > rank(first) { second } else { first })
}
