//! Union of two scenes.

use super::build::{LIMITS, SceneError};
use super::paint::Paint;
use super::{Appearance, Cell, Layer, Leaf, MaterialId, Node, NodeId, Scene};

impl Scene {
    /// The union of two scenes. Leaves and materials of the other one follow those of this one; its surfaces keep their
    /// materials, and its default if they have none. Runway and view are this scene's, if it has them.
    ///
    /// # Errors
    /// If the tree exceeds [`LIMITS`].
    pub fn joined(&self, other: &Self) -> Result<Self, SceneError> {
        let depth = 1 + self.depth.max(other.depth);
        if depth > LIMITS.depth {
            return Err(SceneError::TooDeep);
        }
        if self.nodes.len() + other.nodes.len() >= LIMITS.nodes {
            return Err(SceneError::TooLarge);
        }
        let all = [(self, Numbers::new(self, None, other.scene_leaves)), (other, Numbers::new(other, Some(self), 0))];
        let mut nodes: Vec<Node> = all.iter().flat_map(|(scene, numbers)| numbers.nodes(scene)).collect();
        nodes.push(Node::Union(all.iter().map(|(scene, numbers)| numbers.node(scene.root)).collect()));
        let leaves = |range: fn(&Self) -> &[Leaf]| {
            all.iter().flat_map(move |(scene, numbers)| range(scene).iter().map(|leaf| numbers.leaf(leaf)))
        };
        let scene = Self {
            root: NodeId(nodes.len() as u32 - 1),
            nodes,
            leaves: leaves(Self::leaves).chain(leaves(|scene| &scene.leaves[scene.scene_leaves..])).collect(),
            scene_leaves: self.scene_leaves + other.scene_leaves,
            depth,
            coatings: all.iter().flat_map(|(scene, numbers)| numbers.coatings(scene)).collect(),
            paint: Paint::default(),
            materials: all.iter().flat_map(|(scene, _)| scene.materials.clone()).collect(),
            default_material: None,
            runway: self.runway.or(other.runway),
            appearance: Appearance {
                view: self.appearance.view.or(other.appearance.view),
                colors: all.iter().flat_map(|(scene, _)| scene.colors()).collect(),
            },
            warnings: all.iter().flat_map(|(scene, _)| scene.warnings.clone()).collect(),
        };
        Ok(scene.laid_out())
    }

    /// A colour, or none, for each material.
    fn colors(&self) -> impl Iterator<Item = Option<super::Color>> {
        (0..self.materials.len()).map(|number| self.appearance.colors.get(number).copied().flatten())
    }
}

/// What the numbers of a scene become in the union: leaves that can be hit come before those of paint regions.
#[derive(Clone, Copy)]
struct Numbers {
    nodes: u32,
    coatings: u32,
    materials: u32,
    /// Leaves of the scene itself below this number ...
    scene_leaves: u32,
    /// ... move by this many, ...
    leaves: u32,
    /// ... and those of its paint regions by this many.
    region_leaves: u32,
}

impl Numbers {
    /// Of a scene that stands after one scene, or before another with so many leaves that can be hit.
    fn new(scene: &Scene, after: Option<&Scene>, leaves_between: usize) -> Self {
        let count = |of: fn(&Scene) -> usize| after.map_or(0, of) as u32;
        Self {
            nodes: count(|scene| scene.nodes.len()),
            coatings: count(|scene| scene.coatings.len()),
            materials: count(|scene| scene.materials.len()),
            scene_leaves: scene.scene_leaves as u32,
            leaves: count(|scene| scene.scene_leaves),
            region_leaves: count(|scene| scene.leaves.len()) + leaves_between as u32,
        }
    }

    fn node(self, NodeId(number): NodeId) -> NodeId {
        NodeId(number + self.nodes)
    }

    fn leaf_number(self, number: u32) -> u32 {
        number + if number < self.scene_leaves { self.leaves } else { self.region_leaves }
    }

    fn nodes(self, scene: &Scene) -> Vec<Node> {
        let children = |ids: &[NodeId]| ids.iter().map(|&id| self.node(id)).collect();
        let node = |node: &Node| match node {
            Node::Everything => Node::Everything,
            Node::Nothing => Node::Nothing,
            Node::Leaf(number) => Node::Leaf(self.leaf_number(*number)),
            Node::Cell(cell) => Node::Cell(Cell { first_leaf: self.leaf_number(cell.first_leaf), ..cell.clone() }),
            Node::Union(of) => Node::Union(children(of)),
            Node::Intersection(of) => Node::Intersection(children(of)),
        };
        scene.nodes.iter().map(node).collect()
    }

    fn leaf(self, leaf: &Leaf) -> Leaf {
        Leaf { coating: leaf.coating + self.coatings, ..leaf.clone() }
    }

    /// Coatings that cover everything a leaf has, also what only the scene's default covers.
    fn coatings(self, scene: &Scene) -> Vec<Vec<Layer>> {
        let layer = |layer: &Layer| Layer {
            material: MaterialId(layer.material.0 + self.materials),
            region: layer.region.map(|region| self.node(region)),
        };
        let ground = scene.default_material.map(|material| Layer { material, region: None });
        let coating = |layers: &Vec<Layer>| {
            let bare = layers.iter().all(|layer| layer.region.is_some());
            layers.iter().chain(ground.iter().filter(|_| bare)).map(layer).collect()
        };
        scene.coatings.iter().map(coating).collect()
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::scene::{Material, Shape, SurfaceDrag};

    fn material(name: &str) -> Material {
        Material {
            name: name.to_owned(),
            static_friction: 1.0,
            dynamic_friction: 1.0,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        }
    }

    /// A ground of the default material with a painted strip around x = `strip`, and a ball above.
    fn scene(height: f64, strip: f64, names: [&str; 2]) -> Scene {
        let region = Shape::intersection([
            Shape::half_space(DVec3::X, strip + 1.0),
            Shape::half_space(DVec3::NEG_X, 1.0 - strip),
        ]);
        let ground = Shape::half_space(DVec3::Z, height).painted(MaterialId(1), region);
        let shape = Shape::union([ground, Shape::sphere(DVec3::new(0.0, 0.0, height + 5.0), 1.0)]);
        Scene::new(&shape, names.map(material).to_vec(), Some(MaterialId(0)), None).unwrap()
    }

    #[test]
    fn both_scenes_are_there_and_every_surface_keeps_its_material() {
        let (low, high) = (scene(0.0, 3.0, ["grass", "wet"]), scene(10.0, -3.0, ["deck", "paint"]));
        let joined = low.joined(&high).unwrap();
        assert_eq!((joined.leaves().len(), joined.all_leaves().len()), (4, 8));
        let name = |leaf: u32, x: f64, z: f64| {
            let material = joined.material_at(leaf, DVec3::new(x, 0.0, z)).unwrap();
            joined.material(material).name.clone()
        };
        assert_eq!([name(0, 0.0, 0.0), name(0, 3.0, 0.0), name(1, 0.0, 6.0)], ["grass", "wet", "grass"]);
        assert_eq!([name(2, 0.0, 10.0), name(2, -3.0, 10.0), name(3, 0.0, 16.0)], ["deck", "paint", "deck"]);
        for z in [-1.0, 5.0, 9.0, 15.0, 20.0] {
            let point = DVec3::new(0.0, 0.0, z);
            let either = low.contains(low.root(), point) || high.contains(high.root(), point);
            assert_eq!(joined.contains(joined.root(), point), either, "z = {z}");
        }
    }
}
