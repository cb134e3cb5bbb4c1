//! Separation of two shapes at one instant, and their contact points.

use glam::DVec3;

use super::boxes::{box_box, box_box_points, box_sphere};
use super::polyhedra::{polyhedra, polyhedra_points, polyhedron_ellipsoid};
use crate::ellipsoid_contact::pair_contact;
use crate::query::{ContactStatus, Ellipsoid, EllipsoidPair};
use crate::world::polyhedron::Polyhedron;
use crate::world::pose::Pose;
use crate::world::shape::BodyShape;

/// Maximum number of points of a pair: two rectangles meet in eight.
pub(in crate::world) const MAX_POINTS: usize = 8;

/// Edges whose directions differ by less than this sine are taken for parallel: faces tell as much.
pub(super) const PARALLEL: f64 = 1e-4;
/// An axis across two edges must part two bodies by so much more than faces do, in parts of the smaller one's size: faces meet in
/// several points, and nearly equal axes must not take turns.
pub(super) const PREFERRED: f64 = 1e-6;

/// Of polyhedra that a face parts by so much, in parts of the larger one's size, nobody needs to know how far edges part them.
/// More than any gap that counts as touching, or else a plane that an edge is about to cross beside its face would be one.
const PARTED: f64 = 1e-5;

/// Separation of two shapes.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct Separation {
    /// The gap \[m\] along the normal.
    pub gap: f64,
    /// Unit normal from the first to the second, along which the gap is largest or nearly so.
    pub normal: DVec3,
    /// What of two polyhedra it is across.
    pub(super) parting: Option<Parting>,
}

impl Separation {
    /// Along a normal.
    pub(super) fn along(normal: DVec3, gap: f64) -> Self {
        Self { gap, normal, parting: None }
    }
}

/// What of two polyhedra parts them, by number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parting {
    /// A face of either.
    Face(usize, usize),
    /// An edge of each.
    Edges([usize; 2]),
}

/// Pairs of opposite points of two shapes.
pub(in crate::world) type Points = [[DVec3; 2]; MAX_POINTS];

/// How two shapes are separated.
pub(in crate::world) fn separation(shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Separation {
    separation_up_to(f64::INFINITY, shapes, poses)
}

/// The same where they are near each other; of others some gap and normal that part them.
pub(in crate::world) fn separation_if_near(shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Separation {
    let [one, other] = shapes.map(BodyShape::reach);
    separation_up_to(PARTED * one.max(other), shapes, poses)
}

/// A gap above this is enough.
fn separation_up_to(enough: f64, shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Separation {
    match shapes {
        [BodyShape::Sphere { radius: one }, BodyShape::Sphere { radius: other }] => {
            let offset = poses[1].center - poses[0].center;
            Separation::along(offset.try_normalize().unwrap_or(DVec3::Z), offset.length() - one - other)
        }
        [BodyShape::Box { half }, BodyShape::Sphere { radius }] => {
            box_sphere(poses[0], *half, poses[1].center, *radius)
        }
        [BodyShape::Sphere { radius }, BodyShape::Box { half }] => {
            let mirrored = box_sphere(poses[1], *half, poses[0].center, *radius);
            Separation { normal: -mirrored.normal, ..mirrored }
        }
        [BodyShape::Box { half: one }, BodyShape::Box { half: other }] => box_box(poses, [*one, *other]).0,
        _ => match of_polyhedra(enough, shapes, poses) {
            Some(separation) => separation,
            None => ellipsoids(shapes, poses),
        },
    }
}

/// Where one or both are polyhedra.
fn of_polyhedra(enough: f64, shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Option<Separation> {
    let with_round = || with_round(shapes, poses).map(|(separation, _)| separation);
    both_polyhedra(shapes, |both| polyhedra(enough, poses, both)).or_else(with_round)
}

/// Does something with two polyhedra.
fn both_polyhedra<R>(shapes: [&BodyShape; 2], run: impl FnOnce([Polyhedron<'_>; 2]) -> R) -> Option<R> {
    Polyhedron::of(shapes[0], |one| Polyhedron::of(shapes[1], |other| run([one, other])))?
}

/// A polyhedron and what is round, in either order: their separation, and the points that face each other.
fn with_round(shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Option<(Separation, [DVec3; 2])> {
    if let Some(semi_axes) = shapes[1].semi_axes() {
        let found = Polyhedron::of(shapes[0], |polyhedron| polyhedron_ellipsoid(poses, polyhedron, semi_axes));
        return found.map(|(separation, point)| (separation, [point, poses[1].support(shapes[1], -separation.normal)]));
    }
    shapes[0].semi_axes()?;
    let (Separation { gap, normal, .. }, [of_polyhedron, of_round]) =
        with_round([shapes[1], shapes[0]], [poses[1], poses[0]])?;
    Some((Separation::along(-normal, gap), [of_round, of_polyhedron]))
}

/// The pair job's separation.
fn ellipsoids(shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Separation {
    let apart = Separation::along(DVec3::Z, f64::INFINITY);
    let [Some(one), Some(other)] = shapes.map(BodyShape::semi_axes) else { return apart };
    let ellipsoid = |pose: &Pose, semi_axes| Ellipsoid {
        center: pose.center,
        semi_axes,
        rotation: glam::DQuat::from_mat3(&pose.axes),
    };
    let contact = pair_contact(&EllipsoidPair::new(ellipsoid(poses[0], one), ellipsoid(poses[1], other)));
    match contact.status {
        ContactStatus::Ok | ContactStatus::Degenerate => Separation::along(contact.normal, contact.separation),
        _ => apart,
    }
}

/// The points where two shapes that are so separated face each other: at least one pair, and how many.
pub(in crate::world) fn points(shapes: [&BodyShape; 2], poses: [&Pose; 2], found: &Separation) -> (Points, usize) {
    let mut points = [[DVec3::ZERO; 2]; MAX_POINTS];
    let count = match shapes {
        [BodyShape::Box { half: one }, BodyShape::Box { half: other }] => {
            box_box_points(poses, [*one, *other], &mut points)
        }
        _ => found.parting.map_or(0, |parting| {
            both_polyhedra(shapes, |both| polyhedra_points(parting, poses, both, &mut points)).unwrap_or(0)
        }),
    };
    if count > 0 {
        return (points, count);
    }
    points[0] = facing(shapes, poses, found);
    (points, 1)
}

/// The one pair of points in which two shapes that are not both polyhedra face each other.
pub(in crate::world) fn facing(shapes: [&BodyShape; 2], poses: [&Pose; 2], found: &Separation) -> [DVec3; 2] {
    let normal = found.normal;
    match shapes {
        // The gap leads from the ball to the face, edge or corner, also from a ball that is too deep.
        [BodyShape::Box { .. }, BodyShape::Sphere { .. }] => {
            let of_sphere = poses[1].support(shapes[1], -normal);
            [of_sphere - found.gap * normal, of_sphere]
        }
        [BodyShape::Sphere { .. }, BodyShape::Box { .. }] => {
            let of_sphere = poses[0].support(shapes[0], normal);
            [of_sphere, of_sphere + found.gap * normal]
        }
        _ => match with_round(shapes, poses) {
            Some((_, facing)) => facing,
            None => [poses[0].support(shapes[0], normal), poses[1].support(shapes[1], -normal)],
        },
    }
}
