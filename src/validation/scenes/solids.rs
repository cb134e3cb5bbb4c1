//! Random solids of every kind, a few of one kind, and trees of all.

use glam::{DMat3, DVec3};

use super::{Draws, MARKING, ROCK, solid};
use crate::scene::{Cone, Shape, Solid};

/// Nodes on the way down into a mixed tree.
const DEEPEST: usize = 12;
/// A mixed tree has between one leaf and this power of ten: 500.
const MAX_LEAVES_POWER: f64 = 2.7;

/// Some solids, of which the last third is cut out of the others.
pub(super) fn several(draws: &mut Draws, draw: impl Fn(&mut Draws) -> Shape) -> Shape {
    let count = 3 + draws.index(22);
    let mut solids: Vec<Shape> = (0..count).map(|_| draw(draws)).collect();
    let holes = solids.split_off(count - count / 3);
    Shape::Difference(std::iter::once(Shape::union(solids)).chain(holes).map(Into::into).collect())
}

fn center(draws: &mut Draws) -> DVec3 {
    draws.in_cube(7.0)
}

pub(super) fn ellipsoid(draws: &mut Draws) -> Shape {
    let semi_axes = DVec3::from_array([0; 3].map(|_| draws.power_of_ten(-1.0, 0.6)));
    Shape::ellipsoid(center(draws), semi_axes, draws.rotation())
}

pub(super) fn cone(draws: &mut Draws) -> Shape {
    let (base, axis, kind) = (center(draws), draws.direction(), draws.index(4));
    if kind == 0 {
        return Shape::Solid(Solid::Cone(Cone::infinite(base, axis, draws.between(0.05, 1.5))));
    }
    let height = draws.between(0.3, 5.0);
    let [radius, top_radius] = [0; 2].map(|_| draws.between(0.1, 2.5));
    let [radius, top_radius] = match kind {
        1 => [radius, 0.0],
        2 => [0.0, top_radius],
        _ => [radius, top_radius],
    };
    Shape::Solid(Solid::Cone(Cone::frustum(base, axis, height, radius, top_radius)))
}

pub(super) fn capsule(draws: &mut Draws) -> Shape {
    let from = center(draws);
    let to = from + draws.between(0.0, 6.0) * draws.direction();
    Shape::capsule(from, to, draws.power_of_ten(-1.0, 0.4))
}

pub(super) fn cuboid(draws: &mut Draws) -> Shape {
    let half = DVec3::from_array([0; 3].map(|_| draws.power_of_ten(-1.0, 0.5)));
    Shape::cuboid(center(draws), half, draws.rotation())
}

pub(super) fn polyhedron(draws: &mut Draws) -> Shape {
    let (center, size, count) = (center(draws), draws.between(0.5, 3.0), 5 + draws.index(16));
    let points: Vec<DVec3> = (0..count).map(|_| center + draws.between(0.5, 1.0) * size * draws.direction()).collect();
    // Only points in a plane, which are not drawn, have no hull.
    Shape::convex_hull(points).unwrap_or(Shape::Nothing)
}

/// A map that stretches by different factors along axes that stand anyhow, before and after.
fn distortion(draws: &mut Draws) -> DMat3 {
    let factors = DVec3::from_array([0; 3].map(|_| draws.sign() * draws.power_of_ten(-0.6, 0.5)));
    DMat3::from_quat(draws.rotation()) * DMat3::from_diagonal(factors) * DMat3::from_quat(draws.rotation())
}

pub(super) fn stretched_cylinder(draws: &mut Draws) -> Shape {
    let half_height = draws.between(0.3, 3.0);
    let half_height = (draws.index(3) > 0).then_some(half_height);
    let cylinder =
        super::Cylinder { center: DVec3::ZERO, axis: draws.direction(), radius: draws.between(0.3, 2.0), half_height };
    Shape::Solid(Solid::Cylinder(cylinder)).mapped(distortion(draws), center(draws))
}

/// A deep tree of all kinds of solids.
pub(super) fn mixed(draws: &mut Draws) -> Shape {
    let leaves = draws.power_of_ten(0.0, MAX_LEAVES_POWER) as usize;
    tree(draws, DEEPEST, leaves)
}

fn any_solid(draws: &mut Draws) -> Shape {
    match draws.index(8) {
        0 => ellipsoid(draws),
        1 => cone(draws),
        2 => capsule(draws),
        3 => cuboid(draws),
        4 => polyhedron(draws),
        5 => stretched_cylinder(draws),
        _ => solid(draws),
    }
}

fn tree(draws: &mut Draws, depth: usize, leaves: usize) -> Shape {
    if depth <= 1 || leaves <= 1 {
        return any_solid(draws);
    }
    let count = (2 + draws.index(3)).min(leaves);
    let children = |draws: &mut Draws| (0..count).map(|_| tree(draws, depth - 1, leaves / count)).collect::<Vec<_>>();
    match draws.index(16) {
        0..=5 => Shape::union(children(draws)),
        6 | 7 => Shape::intersection(children(draws)),
        8 | 9 => Shape::Difference(children(draws).into_iter().map(Into::into).collect()),
        10 | 11 => tree(draws, depth - 1, leaves).complement(),
        12 => tree(draws, depth - 1, leaves).rotated(draws.rotation()).translated(draws.in_cube(2.0)),
        13 => {
            let factor = draws.sign() * draws.power_of_ten(-0.3, 0.3);
            tree(draws, depth - 1, leaves).mapped(DMat3::from_diagonal(DVec3::splat(factor)), draws.in_cube(2.0))
        }
        14 => tree(draws, depth - 1, leaves).mapped(distortion(draws), draws.in_cube(2.0)),
        _ => {
            let region = any_solid(draws);
            tree(draws, depth - 1, leaves).made_of(ROCK).painted(MARKING, region)
        }
    }
}
