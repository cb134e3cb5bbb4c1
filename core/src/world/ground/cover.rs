//! Faces of fixed solids that others cover: where parts of a ground meet in a plane, nothing can touch their sides.

use glam::DVec3;

use super::Obstacle;
use crate::world::definition::World;
use crate::world::polyhedron::{Face, Polyhedron};
use crate::world::pose::Pose;
use crate::world::shape::BodyShape;

/// How far from a point its face is looked at, in parts of the way to each corner.
const BESIDE: f64 = 1e-2;
/// How far above the face, in parts of the solid's size: there it is covered or free.
const ABOVE: f64 = 1e-4;
/// What is as near as this is inside, in parts of the solid's size: rounding, and what the solver leaves.
const NEAR: f64 = 1e-7;

/// Whether the face of an obstacle that looks along a normal is covered around a point on it by walls or by others of its
/// `neighbors`: then the ground has no border there that anything could touch.
pub(in crate::world) fn is_covered(
    world: &World,
    (number, neighbors): (usize, &[usize]),
    point: DVec3,
    normal: DVec3,
) -> bool {
    let obstacle = &world.obstacles[number];
    let (pose, size) = (Pose::of(&obstacle.place), obstacle.shape.reach());
    let own = pose.axes.transpose() * normal;
    let along = |face: &&Face| own.dot(face.normal);
    let is_in_any = |probe: DVec3| {
        let near = NEAR * size;
        world.walls.iter().any(|wall| wall.normal.dot(probe) - wall.offset <= near)
            || neighbors.iter().any(|other| world.obstacles[*other].holds(probe, near))
    };
    let covered = Polyhedron::of(&obstacle.shape, |polyhedron| {
        let face = polyhedron.surface.faces.iter().max_by(|a, b| along(a).total_cmp(&along(b)))?;
        let above = point + ABOVE * size * (pose.axes * face.normal);
        Some(polyhedron.loop_of(face).all(|corner| is_in_any(above + BESIDE * (pose.point(corner) - point))))
    });
    covered.flatten().unwrap_or(false)
}

impl Obstacle {
    /// Whether a point is inside, or no farther than `near` \[m\] outside a face.
    fn holds(&self, point: DVec3, near: f64) -> bool {
        let own = Pose::of(&self.place).own(point);
        match &self.shape {
            BodyShape::Sphere { radius } => own.length() <= radius + near,
            BodyShape::Ellipsoid { semi_axes } => (own / *semi_axes).length() <= 1.0 + near / semi_axes.min_element(),
            shape => Polyhedron::of(shape, |polyhedron| {
                let is_below = |face: &Face| face.normal.dot(own - polyhedron.corners[face.corners[0]]) <= near;
                polyhedron.surface.faces.iter().all(is_below)
            })
            .unwrap_or(false),
        }
    }
}
