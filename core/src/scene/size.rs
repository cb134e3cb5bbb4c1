//! The size of a shape when expanded, computed without expanding it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{LIMITS, SceneError, Shape};

/// An upper bound on the size of an expanded tree: neighbouring half spaces and groups of one take less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Nodes, those of paint regions included.
    pub(super) nodes: usize,
    /// Largest number of nodes on a path from the root to a leaf.
    pub(super) depth: usize,
}

impl Size {
    const ONE: Self = Self { nodes: 1, depth: 1 };
    const NONE: Self = Self { nodes: 0, depth: 0 };

    fn beside(self, other: Self) -> Self {
        Self { nodes: self.nodes.saturating_add(other.nodes), depth: self.depth.max(other.depth) }
    }
}

/// Measures a shape. Shared shapes are measured once, so that sixty unions of two shared halves cost sixty steps,
/// not 2^60.
///
/// # Errors
/// If the size exceeds [`LIMITS`].
pub(super) fn measure(shape: &Shape) -> Result<Size, SceneError> {
    let size = Surveyor::default().measure(shape, Levels { above: 0, in_region: false })?;
    if size.nodes > LIMITS.nodes { Err(SceneError::TooLarge) } else { Ok(size) }
}

/// Where a shape stands while it is measured.
#[derive(Clone, Copy)]
struct Levels {
    /// Nodes above it.
    above: usize,
    /// Inside a paint region, where materials and paint mean nothing.
    in_region: bool,
}

#[derive(Default)]
struct Surveyor {
    /// Sizes of shared shapes by their address, inside a region or not.
    shared: HashMap<(*const Shape, bool), Size>,
}

impl Surveyor {
    fn measure(&mut self, shape: &Shape, levels: Levels) -> Result<Size, SceneError> {
        if levels.above >= LIMITS.depth {
            return Err(SceneError::TooDeep);
        }
        let below = Levels { above: levels.above + 1, ..levels };
        let children = match shape {
            Shape::Solid(_) | Shape::Everything | Shape::Nothing => return Ok(Size::ONE),
            Shape::Union(children) | Shape::Intersection(children) | Shape::Difference(children) => {
                let size = children.iter().try_fold(Size::NONE, |sum, child| {
                    let child = self.measure_child(child, below)?;
                    Ok(sum.beside(child))
                })?;
                // The group itself is a node; whatever else may stand between it and its leaves is none.
                Size { nodes: size.nodes.saturating_add(1), ..size }
            }
            Shape::Complement(of)
            | Shape::Transform { of, .. }
            | Shape::Map { of, .. }
            | Shape::Material { of, .. } => self.measure_child(of, below)?,
            Shape::Paint { of, .. } if levels.in_region => self.measure_child(of, below)?,
            Shape::Paint { region, of, .. } => {
                let region = self.measure_child(region, Levels { in_region: true, ..below })?;
                self.measure_child(of, below)?.beside(region)
            }
        };
        Ok(Size { depth: children.depth + 1, ..children })
    }

    fn measure_child(&mut self, shape: &Arc<Shape>, levels: Levels) -> Result<Size, SceneError> {
        if Arc::strong_count(shape) == 1 {
            return self.measure(shape, levels);
        }
        let key = (Arc::as_ptr(shape), levels.in_region);
        let size = match self.shared.get(&key) {
            Some(&size) => size,
            None => {
                let size = self.measure(shape, levels)?;
                self.shared.insert(key, size);
                size
            }
        };
        // It may have been measured further up.
        if levels.above + size.depth > LIMITS.depth { Err(SceneError::TooDeep) } else { Ok(size) }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::scene::{Material, MaterialId, Scene, SurfaceDrag};

    /// The shape in a union with itself, this many times over.
    fn doubled(shape: Shape, times: usize) -> Shape {
        (0..times).fold(shape, |shape, _| {
            let shared = Arc::new(shape);
            Shape::Union(vec![Arc::clone(&shared), shared])
        })
    }

    fn ball() -> Shape {
        Shape::sphere(DVec3::ZERO, 1.0)
    }

    #[test]
    fn doubling_doubles_without_taking_time() {
        assert_eq!(measure(&doubled(ball(), 20)), Ok(Size { nodes: (1 << 21) - 1, depth: 21 }));
        assert_eq!(measure(&doubled(ball(), 63)), Err(SceneError::TooLarge));
        assert_eq!(measure(&doubled(ball(), 64)), Err(SceneError::TooDeep));
    }

    #[test]
    fn a_shared_shape_is_refused_where_it_stands_too_deep() {
        let tall = Arc::new((1..LIMITS.depth - 1).fold(ball(), |shape, _| shape.complement()));
        let higher = Shape::Union(vec![Arc::clone(&tall), Arc::clone(&tall)]);
        assert_eq!(measure(&higher), Ok(Size { nodes: 3, depth: LIMITS.depth }));
        let deeper = Shape::Union(vec![Arc::clone(&tall), Arc::new(Shape::Complement(tall))]);
        assert_eq!(measure(&deeper), Err(SceneError::TooDeep));
    }

    #[test]
    fn the_measure_is_the_size_of_the_expanded_tree() {
        let paint = |region: Shape, of: Shape| of.painted(MaterialId(0), region);
        let painted = paint(Shape::union([ball(), paint(ball(), ball())]), doubled(ball(), 2));
        // In the region its paint means nothing, so it is smaller there.
        let shared = Arc::new(painted.clone());
        let in_itself = Shape::Paint { material: MaterialId(0), region: Arc::clone(&shared), of: shared };
        let shapes = [
            in_itself,
            ball().complement().translated(DVec3::X),
            Shape::union([]),
            Shape::union([ball(), Shape::intersection([ball(), Shape::Everything, Shape::Nothing])]),
            Shape::Difference(vec![Arc::new(painted.clone()), Arc::new(ball().made_of(MaterialId(0)))]),
            doubled(painted.clone(), 2),
            paint(painted.clone(), painted),
        ];
        let paper = Material {
            name: "paper".to_owned(),
            static_friction: 1.0,
            dynamic_friction: 1.0,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        };
        for shape in shapes {
            let scene = Scene::new(&shape, vec![paper.clone()], None, None).unwrap();
            let expanded = Size { nodes: scene.nodes.len(), depth: expanded_depth(&shape, false) };
            assert_eq!(measure(&shape), Ok(expanded), "{shape:?}");
        }
    }

    /// Nodes on the longest way down, found without sharing.
    fn expanded_depth(shape: &Shape, in_region: bool) -> usize {
        let deepest = |children: &[Arc<Shape>]| children.iter().map(|child| expanded_depth(child, in_region)).max();
        let below = match shape {
            Shape::Solid(_) | Shape::Everything | Shape::Nothing => 0,
            Shape::Union(children) | Shape::Intersection(children) | Shape::Difference(children) => {
                deepest(children).unwrap_or(0)
            }
            Shape::Complement(of)
            | Shape::Transform { of, .. }
            | Shape::Map { of, .. }
            | Shape::Material { of, .. } => expanded_depth(of, in_region),
            Shape::Paint { of, .. } if in_region => expanded_depth(of, in_region),
            Shape::Paint { region, of, .. } => expanded_depth(region, true).max(expanded_depth(of, false)),
        };
        below + 1
    }
}
