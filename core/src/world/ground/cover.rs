//! Borders of fixed solids that others cover: where parts of a ground meet, nothing can touch their sides, and nothing their edges
//! from where another part is.

use glam::DVec3;

use super::Obstacle;
use crate::world::definition::{Wall, World};
use crate::world::polyhedron::{Face, Polyhedron};
use crate::world::pose::Pose;
use crate::world::shape::BodyShape;

/// How far from a point its face is looked at, in parts of the way to each corner, or of the body's size if that is less.
const BESIDE: f64 = 1e-2;
/// How far above the face, in parts of the smaller one's size, and never as near as counts for inside: there it is covered or
/// free.
const ABOVE: f64 = 1e-4;
/// What is as near as this is inside, in parts of the solid's size: rounding, and what the solver leaves.
const NEAR: f64 = 1e-7;
/// Directions whose sine is less than this are the same.
const LEAN: f64 = 1e-6;

/// Whether an obstacle has no border at a point of it that a body of such a `reach` \[m\] could touch along a normal. Either all
/// around the point the face that looks along the normal is covered, by walls or by others of the obstacle's `neighbors`; or
/// the normal leans from that face towards another one across their edge, and there one of those goes on beyond the point.
pub(in crate::world) fn is_covered(
    world: &World,
    (number, neighbors): (usize, &[usize]),
    reach: f64,
    point: DVec3,
    normal: DVec3,
) -> bool {
    let obstacle = &world.obstacles[number];
    let (pose, size) = (Pose::of(&obstacle.place), obstacle.shape.reach());
    let near = NEAR * size;
    let own = pose.axes.transpose() * normal;
    let along = |face: &&Face| own.dot(face.normal);
    let is_in_any = |probe: DVec3| {
        world.walls.iter().any(|wall| wall.normal.dot(probe) - wall.offset <= near)
            || neighbors.iter().any(|other| world.obstacles[*other].holds(probe, near))
    };
    let covered = Polyhedron::of(&obstacle.shape, |polyhedron| {
        let face = polyhedron.surface.faces.iter().max_by(|a, b| along(a).total_cmp(&along(b)))?;
        let above = point + (ABOVE * size.min(reach)).max(10.0 * near) * (pose.axes * face.normal);
        let beside = |corner: DVec3| BESIDE * (pose.point(corner) - point).clamp_length_max(reach);
        let leans = || own.cross(face.normal).length() > LEAN;
        let goes_on = || {
            let of_wall =
                |wall: &Wall| wall.normal.dot(point) - wall.offset <= near && normal.cross(wall.normal).length() > LEAN;
            let of_other = |other: &Obstacle| {
                let beyond = normal.dot(Pose::of(&other.place).support(&other.shape, normal) - point);
                other.holds(point, near) && beyond > LEAN * other.shape.reach()
            };
            world.walls.iter().any(of_wall) || neighbors.iter().any(|other| of_other(&world.obstacles[*other]))
        };
        Some(polyhedron.loop_of(face).all(|corner| is_in_any(above + beside(corner))) || (leans() && goes_on()))
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
