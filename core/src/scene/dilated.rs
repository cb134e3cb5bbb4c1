//! A scene with its surfaces moved outwards or inwards.
//!
//! Unions and intersections are monotonic, and the inner nodes of a scene are nothing else. So a scene with every leaf
//! dilated contains the scene, and one with every leaf eroded is contained in it: S(-by) in S in S(+by). If an engine's
//! rounding moves each surface by at most `by`, the set that it searches lies between the two as well, and so does its
//! entry point: Phi(S(+by)) <= its answer <= Phi(S(-by)).

use std::sync::Arc;

use super::{Capsule, Cell, Cylinder, HalfSpace, Leaf, Node, Scene, Solid, Sphere};

impl Scene {
    /// The same scene with each leaf dilated by its own distance \[m\], or eroded if that is negative; including leaves
    /// of paint regions. Nodes and leaves keep their numbers.
    #[must_use]
    pub fn dilated(&self, by: impl Fn(&Leaf) -> f64) -> Self {
        let distances: Vec<f64> = self.leaves.iter().map(by).collect();
        let leaves: Vec<Option<Leaf>> =
            self.leaves.iter().zip(&distances).map(|(leaf, &by)| leaf.dilated(by)).collect();
        let nodes = self.nodes.iter().map(|node| match node {
            Node::Leaf(number) if leaves[*number as usize].is_some() => Node::Leaf(*number),
            // The solid is gone, and its complement is all of space.
            Node::Leaf(number) if self.leaf(*number).complemented => Node::Everything,
            Node::Leaf(_) => Node::Nothing,
            Node::Cell(cell) => Node::Cell(cell.dilated(&distances)),
            Node::Everything | Node::Nothing | Node::Union(_) | Node::Intersection(_) => node.clone(),
        });
        let scene = Self {
            nodes: nodes.collect(),
            // A leaf that is gone keeps its place; no node names it any more.
            leaves: leaves.into_iter().zip(&self.leaves).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect(),
            ..self.clone()
        };
        scene.laid_out()
    }
}

impl Cell {
    fn dilated(&self, distances: &[f64]) -> Self {
        let distances = &distances[self.first_leaf as usize..];
        let half_spaces = self.half_spaces.iter().zip(distances).map(|(half_space, &by)| half_space.dilated(by));
        Self { half_spaces: half_spaces.collect(), ..*self }
    }
}

impl Leaf {
    /// `None` when its solid is gone.
    fn dilated(&self, by: f64) -> Option<Self> {
        let solid = self.solid.dilated(if self.complemented { -by } else { by })?;
        Some(Self { solid, ..*self })
    }
}

impl Solid {
    /// The solid with its surface moved outwards by a distance \[m\], inwards if negative; `None` if nothing is left of
    /// it.
    #[must_use]
    pub fn dilated(&self, by: f64) -> Option<Self> {
        let positive = |size: f64| (size + by >= 0.0).then_some(size + by);
        Some(match self {
            Self::HalfSpace(half_space) => Self::HalfSpace(half_space.dilated(by)),
            Self::Sphere(ball) => Self::Sphere(Sphere { radius: positive(ball.radius)?, ..*ball }),
            Self::Cylinder(cylinder) => Self::Cylinder(Cylinder {
                radius: positive(cylinder.radius)?,
                half_height: match cylinder.half_height {
                    Some(half) => Some(positive(half)?),
                    None => None,
                },
                ..*cylinder
            }),
            Self::Cone(cone) => Self::Cone(cone.dilated(by)?),
            Self::Capsule(capsule) => Self::Capsule(Capsule { radius: positive(capsule.radius)?, ..*capsule }),
            Self::Stretched(stretched) => Self::Stretched(Arc::new(stretched.dilated(by)?)),
        })
    }
}

impl HalfSpace {
    fn dilated(&self, by: f64) -> Self {
        Self { offset: self.offset + by * self.normal.length(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::scene::{Cone, Material, MaterialId, Shape, SurfaceDrag};

    fn scene(shape: &Shape) -> Scene {
        let paper = Material {
            name: "paper".to_owned(),
            static_friction: 1.0,
            dynamic_friction: 1.0,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        };
        Scene::new(shape, vec![paper], None, None).unwrap()
    }

    fn short_cylinder() -> Shape {
        Shape::Solid(Solid::Cylinder(Cylinder {
            center: DVec3::X,
            axis: DVec3::Z,
            radius: 2.0,
            half_height: Some(1.0),
        }))
    }

    fn squat_cone() -> Shape {
        Shape::Solid(Solid::Cone(Cone::frustum(-2.0 * DVec3::X, DVec3::X, 4.0, 3.0, 1.0)))
    }

    /// Whether x is inside where its y and z are zero.
    fn holds(scene: &Scene, x: f64) -> bool {
        scene.contains(scene.root(), DVec3::new(x, 0.0, 0.0))
    }

    #[test]
    fn every_kind_of_leaf_grows_by_the_distance() {
        let oblique = Shape::half_space(DVec3::new(6.0, 8.0, 0.0), 30.0); // Meets the x axis at 5 under cos = 0.6.
        let cap = short_cylinder().rotated(glam::DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
        for (shape, border, cosine) in [
            (oblique.clone(), 5.0, 0.6),
            (Shape::intersection([oblique, Shape::half_space(DVec3::X, 9.0)]), 5.0, 0.6),
            (Shape::sphere(DVec3::X, 2.0), 3.0, 1.0),
            (Shape::cylinder(DVec3::X, DVec3::Z, 2.0), 3.0, 1.0),
            (short_cylinder(), 3.0, 1.0),
            (cap.translated(DVec3::Z), 1.0, 1.0),
            (squat_cone(), 2.0, 1.0),
            (Shape::Solid(Solid::Cone(Cone::infinite(3.0 * DVec3::X, DVec3::NEG_X, 0.5))), 3.0, 0.5_f64.sin()),
            (Shape::capsule(DVec3::NEG_X, 2.0 * DVec3::X, 1.5), 3.5, 1.0),
            // Stretched alike along all axes, so that the least stretch is that along x.
            (Shape::ellipsoid(DVec3::X, DVec3::new(2.0, 4.0, 4.0), glam::DQuat::IDENTITY), 3.0, 1.0 - 1e-13),
        ] {
            for by in [0.5, -0.25] {
                for shape in [shape.clone(), shape.clone().complement()] {
                    let scene = scene(&shape);
                    let moved = scene.dilated(|_| by);
                    let step = if holds(&scene, border - 1e-9) { by } else { -by } / cosine;
                    assert_eq!(holds(&moved, border + step - 1e-9), holds(&scene, border - 1e-9), "{shape:?} {by}");
                    assert_eq!(holds(&moved, border + step + 1e-9), holds(&scene, border + 1e-9), "{shape:?} {by}");
                }
            }
        }
    }

    #[test]
    fn each_leaf_has_a_distance_of_its_own_also_in_paint_regions() {
        let region = Shape::sphere(DVec3::ZERO, 4.0);
        let slab = [Shape::half_space(DVec3::X, 1.0), Shape::half_space(DVec3::NEG_X, 1.0)];
        let painted = scene(&Shape::intersection(slab).painted(MaterialId(0), region));
        let moved = painted.dilated(|leaf| match leaf.solid {
            Solid::HalfSpace(half_space) if half_space.normal.x > 0.0 => 0.5,
            Solid::HalfSpace(_) => -0.5,
            _ => 2.0,
        });
        assert!(holds(&moved, 1.5) && !holds(&moved, 1.6) && holds(&moved, -0.5) && !holds(&moved, -0.6));
        let inner = DVec3::new(1.5, 5.0, 0.0);
        assert_eq!((painted.material_at(0, inner), moved.material_at(0, inner)), (None, Some(MaterialId(0))));
        // The leaf's own copy moves with that of its cell.
        assert!(moved.leaves()[0].contains(DVec3::new(1.5, 0.0, 0.0)));
    }

    #[test]
    fn what_is_eroded_away_is_nothing_and_its_complement_everything() {
        for gone in [
            Shape::sphere(DVec3::ZERO, 1.0),
            short_cylinder(),
            Shape::cylinder(DVec3::ZERO, DVec3::Z, 1.0),
            Shape::capsule(DVec3::NEG_X, DVec3::X, 1.0),
            Shape::ellipsoid(DVec3::ZERO, DVec3::new(2.0, 1.4, 2.0), glam::DQuat::IDENTITY),
            squat_cone().mapped(glam::DMat3::from_diagonal(DVec3::new(0.7, 1.0, 1.0)), DVec3::ZERO),
        ] {
            let both = scene(&Shape::union([gone.clone(), Shape::sphere(DVec3::new(9.0, 0.0, 0.0), 5.0)]));
            let eroded = both.dilated(|_| -1.5);
            assert!(!holds(&eroded, 0.0) && holds(&eroded, 9.0), "{gone:?}");
            assert_eq!(eroded.leaves().len(), 2);
            let outside = scene(&gone.complement()).dilated(|_| 1.5);
            assert!(holds(&outside, 0.0));
        }
    }
}
