//! Contacts of polyhedra: with each other by separating axes and clipped faces, with balls and ellipsoids by the nearest point.

use std::f64::consts::FRAC_PI_4;

use glam::{DMat3, DVec3};

use super::pair::{MAX_POINTS, PARALLEL, PREFERRED, Parting, Points, Separation};
use crate::elementary::sin_cos;
use crate::world::polyhedron::{Face, Polyhedron};
use crate::world::pose::Pose;

/// Two polyhedra: the axis of largest separation, or one across a face where a face parts them by more than is enough.
pub(super) fn polyhedra(enough: f64, poses: [&Pose; 2], both: [Polyhedron<'_>; 2]) -> Separation {
    let mut best = Separation::along(DVec3::Z, f64::NEG_INFINITY);
    let size = both.map(|one| one.corners.iter().map(|corner| corner.length()).fold(0.0, f64::max));
    let preferred = PREFERRED * size[0].min(size[1]);
    for body in 0..2 {
        let margin = if body == 0 { 0.0 } else { preferred };
        for (number, face) in both[body].surface.faces.iter().enumerate() {
            let gap = above_face(poses, both, body, face);
            if gap > best.gap + margin {
                let outwards = poses[body].axes * face.normal;
                let normal = if body == 0 { outwards } else { -outwards };
                best = Separation { gap, normal, parting: Some(Parting::Face(body, number)) };
            }
        }
    }
    if best.gap > enough {
        return best;
    }
    // In the axes of the first.
    let turn = poses[0].axes.transpose() * poses[1].axes;
    let shift = poses[0].own(poses[1].center);
    for (number, other) in both[1].surface.edges.iter().enumerate() {
        let [from, to] = other.ends.map(|end| shift + turn * both[1].corners[end]);
        let arc = Arc { ends: other.normals.map(|normal| -(turn * normal)), across: turn * other.across };
        for (own, one) in both[0].surface.edges.iter().enumerate() {
            if !arc.crosses(&Arc { ends: one.normals, across: one.across }) {
                continue;
            }
            let [start, end] = one.ends.map(|end| both[0].corners[end]);
            let (u, v) = (end - start, to - from);
            let across = u.cross(v);
            let length = across.length();
            if length <= PARALLEL * u.length() * v.length() {
                continue;
            }
            // Outwards: the centre of mass is inside.
            let normal = across * (across.dot(start).signum() / length);
            let gap = normal.dot(from - start);
            if gap > best.gap + preferred {
                let parting = Some(Parting::Edges([own, number]));
                best = Separation { gap, normal: poses[0].axes * normal, parting };
            }
        }
    }
    // Of what has no faces.
    if best.parting.is_none() { Separation::along(DVec3::Z, f64::INFINITY) } else { best }
}

/// How far all of the other is above a face of one of two.
fn above_face(poses: [&Pose; 2], both: [Polyhedron<'_>; 2], body: usize, face: &Face) -> f64 {
    let other = 1 - body;
    let normal = poses[body].axes * face.normal;
    let own = poses[other].axes.transpose() * normal;
    let lowest = both[other].corners.iter().map(|corner| own.dot(*corner)).fold(f64::INFINITY, f64::min);
    let plane = poses[body].point(both[body].corners[face.corners[0]]);
    normal.dot(poses[other].center - plane) + lowest
}

/// An edge on the sphere of directions: the arc between the normals of its faces (Gregorius 2013).
struct Arc {
    ends: [DVec3; 2],
    across: DVec3,
}

impl Arc {
    /// Only edges whose arcs cross make a face of the difference of two polyhedra.
    fn crosses(&self, other: &Self) -> bool {
        let sides = |arc: &Self, of: &Self| of.ends.map(|end| end.dot(arc.across));
        let ([c, d], [a, b]) = (sides(other, self), sides(self, other));
        c * d < 0.0 && a * b < 0.0 && c * b > 0.0
    }
}

/// Contact points of two polyhedra that this parts; returns their number.
pub(super) fn polyhedra_points(
    parting: Parting,
    poses: [&Pose; 2],
    both: [Polyhedron<'_>; 2],
    points: &mut Points,
) -> usize {
    match parting {
        Parting::Edges(edges) => {
            let edge = |body: usize| both[body].surface.edges[edges[body]].ends;
            let ends = [0, 1].map(|body| edge(body).map(|end| poses[body].point(both[body].corners[end])));
            points[0] = nearest_of_segments(ends);
            1
        }
        Parting::Face(0, face) => face_points(poses, both, &both[0].surface.faces[face], points),
        Parting::Face(_, face) => {
            let count = face_points([poses[1], poses[0]], [both[1], both[0]], &both[1].surface.faces[face], points);
            points[..count].iter_mut().for_each(|pair| pair.swap(0, 1));
            count
        }
    }
}

/// The nearest points of two segments that are not parallel.
fn nearest_of_segments([[a, b], [c, d]]: [[DVec3; 2]; 2]) -> [DVec3; 2] {
    let (u, v, between) = (b - a, d - c, c - a);
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let denominator = uu * vv - uv * uv;
    let s = (vv * u.dot(between) - uv * v.dot(between)) / denominator;
    let t = (uv * u.dot(between) - uu * v.dot(between)) / denominator;
    [a + s.clamp(0.0, 1.0) * u, c + t.clamp(0.0, 1.0) * v]
}

/// Of the faces around the lowest corner of the second above one of the first, that most opposed to it, clipped to its sides.
/// Other faces may be more opposed: those of a pointed body that stands on its tip.
fn face_points(poses: [&Pose; 2], both: [Polyhedron<'_>; 2], face: &Face, points: &mut Points) -> usize {
    let normal = poses[0].axes * face.normal;
    let own = poses[1].axes.transpose() * normal;
    let height = |corner: &usize| own.dot(both[1].corners[*corner]);
    let corners = 0..both[1].corners.len();
    let Some(lowest) = corners.min_by(|a, b| height(a).total_cmp(&height(b))) else { return 0 };
    let opposed = |face: &&Face| own.dot(face.normal);
    let around = both[1].surface.faces.iter().filter(|face| face.corners.contains(&lowest));
    let Some(incident) = around.min_by(|a, b| opposed(a).total_cmp(&opposed(b))) else { return 0 };
    let mut polygon: Vec<DVec3> = both[1].loop_of(incident).map(|corner| poses[1].point(corner)).collect();
    let sides: Vec<DVec3> = both[0].loop_of(face).map(|corner| poses[0].point(corner)).collect();
    for (number, from) in sides.iter().enumerate() {
        let along = sides[(number + 1) % sides.len()] - from;
        polygon = cut(&polygon, *from, along.cross(normal));
    }
    let polygon = spread(polygon, normal);
    for (pair, point) in points.iter_mut().zip(&polygon) {
        *pair = [point - normal * normal.dot(point - sides[0]), *point];
    }
    polygon.len()
}

/// What of a polygon is not beyond a plane through a point (Sutherland and Hodgman 1974).
fn cut(polygon: &[DVec3], through: DVec3, outwards: DVec3) -> Vec<DVec3> {
    let height = |corner: &DVec3| outwards.dot(*corner - through);
    // Of what touches along the border rounding may put all beyond: what is nearest to it stays.
    let limit = polygon.iter().map(height).fold(f64::INFINITY, f64::min).max(0.0);
    let mut left = Vec::with_capacity(polygon.len() + 1);
    for (number, here) in polygon.iter().enumerate() {
        let next = polygon[(number + 1) % polygon.len()];
        let [inside, beyond] = [*here, next].map(|corner| limit - height(&corner));
        if inside >= 0.0 {
            left.push(*here);
        }
        if inside.min(beyond) < 0.0 && inside.max(beyond) > 0.0 {
            left.push(here + inside / (inside - beyond) * (next - here));
        }
    }
    left
}

/// Of a polygon with more corners than a contact has points those farthest in eight directions.
fn spread(polygon: Vec<DVec3>, normal: DVec3) -> Vec<DVec3> {
    if polygon.len() <= MAX_POINTS {
        return polygon;
    }
    let (u, v) = normal.any_orthonormal_pair();
    let farthest = |number: usize| {
        let (sine, cosine) = sin_cos(number as f64 * FRAC_PI_4);
        let direction = cosine * u + sine * v;
        let farther = |best: usize, corner: usize| {
            if polygon[corner].dot(direction) > polygon[best].dot(direction) { corner } else { best }
        };
        (0..polygon.len()).fold(0, farther)
    };
    let mut kept: Vec<usize> = (0..MAX_POINTS).map(farthest).collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|corner| polygon[corner]).collect()
}

/// A polyhedron and an ellipsoid: their separation, and the point of the polyhedron that is nearest where the ellipsoid is
/// scaled to a ball. Along that normal the gap has the sign of the distance; of a ball it is the distance.
pub(super) fn polyhedron_ellipsoid(
    poses: [&Pose; 2],
    polyhedron: Polyhedron<'_>,
    semi_axes: DVec3,
) -> (Separation, DVec3) {
    let to_ellipsoid = poses[1].axes.transpose();
    let corners: Vec<DVec3> = polyhedron
        .corners
        .iter()
        .map(|corner| to_ellipsoid * (poses[0].point(*corner) - poses[1].center) / semi_axes)
        .collect();
    let scaled = Polyhedron { corners: &corners, ..polyhedron };
    let turn = to_ellipsoid * poses[0].axes;
    let (towards, nearest) = towards_origin(scaled, turn, semi_axes);
    let normal = (towards / semi_axes).normalize_or(DVec3::Z);
    let point = poses[1].center + poses[1].axes * (semi_axes * nearest);
    let (normal, depth) = (poses[1].axes * normal, (semi_axes * normal).length());
    (Separation::along(normal, normal.dot(poses[1].center - point) - depth), point)
}

/// From the nearest point of a scaled polyhedron to the origin, a unit vector, and that point; where the origin is inside, the
/// normal of the nearest face. `turn` and `scale` have made of the polyhedron what it is.
fn towards_origin(polyhedron: Polyhedron<'_>, turn: DMat3, scale: DVec3) -> (DVec3, DVec3) {
    let mut nearest: Option<DVec3> = None;
    let mut least = (f64::NEG_INFINITY, DVec3::Z, DVec3::ZERO);
    for face in &polyhedron.surface.faces {
        let normal = (scale * (turn * face.normal)).normalize_or(DVec3::Z);
        let foot = normal * normal.dot(polyhedron.corners[face.corners[0]]);
        let height = -normal.dot(foot);
        if height > least.0 {
            least = (height, normal, foot);
        }
        if height > 0.0 {
            let point = nearest_of_face(polyhedron, face, normal, foot);
            if nearest.is_none_or(|best| point.length_squared() < best.length_squared()) {
                nearest = Some(point);
            }
        }
    }
    match nearest.map(|point| (point, point.length())) {
        Some((point, distance)) if distance > 0.0 => (-point / distance, point),
        _ => (least.1, least.2),
    }
}

/// The point of a face nearest to the origin, whose foot in its plane is given.
fn nearest_of_face(polyhedron: Polyhedron<'_>, face: &Face, normal: DVec3, foot: DVec3) -> DVec3 {
    let (mut is_inside, mut best) = (true, foot);
    let mut squared = f64::INFINITY;
    for (number, from) in face.corners.iter().enumerate() {
        let [from, to] = [*from, face.corners[(number + 1) % face.corners.len()]].map(|end| polyhedron.corners[end]);
        let along = to - from;
        if along.cross(normal).dot(foot - from) <= 0.0 {
            continue;
        }
        is_inside = false;
        let point = from + (-from.dot(along) / along.length_squared()).clamp(0.0, 1.0) * along;
        if point.length_squared() < squared {
            (squared, best) = (point.length_squared(), point);
        }
    }
    if is_inside { foot } else { best }
}

#[cfg(test)]
mod tests;
