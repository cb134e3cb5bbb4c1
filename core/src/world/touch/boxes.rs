//! Contacts of boxes: with balls by the closest point, with each other by separating axes and clipped faces.

use glam::DVec3;

use super::pair::{MAX_POINTS, PARALLEL, PREFERRED, Points, Separation};
use crate::world::pose::Pose;

/// A box and a ball.
pub(super) fn box_sphere(pose: &Pose, half: DVec3, center: DVec3, radius: f64) -> Separation {
    let own = pose.own(center);
    let nearest = own.clamp(-half, half);
    let offset = own - nearest;
    let distance = offset.length();
    if distance > 0.0 {
        return Separation::along(pose.axes * (offset / distance), distance - radius);
    }
    // The centre is inside: out through the nearest face.
    let depths = half - own.abs();
    let axis = (0..3).fold(0, |least, axis| if depths[axis] < depths[least] { axis } else { least });
    let normal = pose.axes.col(axis) * own[axis].signum();
    Separation::along(normal, -depths[axis] - radius)
}

/// Separating axis of two boxes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Axis {
    /// The normal of a face of either.
    Face(usize),
    /// Across an edge of the first and one of the second, along these axes.
    Edges(usize, usize),
}

/// Extent of a box along a direction.
fn reach(pose: &Pose, half: DVec3, direction: DVec3) -> f64 {
    (pose.axes.transpose() * direction).abs().dot(half)
}

/// Two boxes: the axis of largest separation (Gottschalk, Lin and Manocha 1996).
pub(super) fn box_box(poses: [&Pose; 2], halves: [DVec3; 2]) -> (Separation, Axis) {
    let offset = poses[1].center - poses[0].center;
    let along = |direction: DVec3| {
        let normal = if direction.dot(offset) < 0.0 { -direction } else { direction };
        let gap = normal.dot(offset) - reach(poses[0], halves[0], normal) - reach(poses[1], halves[1], normal);
        Separation::along(normal, gap)
    };
    let mut best = (along(poses[0].axes.x_axis), Axis::Face(0));
    for (body, pose) in poses.into_iter().enumerate() {
        for axis in 0..3 {
            let found = along(pose.axes.col(axis));
            if found.gap > best.0.gap {
                best = (found, Axis::Face(body));
            }
        }
    }
    let preferred = PREFERRED * halves[0].length().min(halves[1].length());
    for one in 0..3 {
        for other in 0..3 {
            let across = poses[0].axes.col(one).cross(poses[1].axes.col(other));
            let sine = across.length();
            if sine > PARALLEL {
                let found = along(across / sine);
                let margin = if matches!(best.1, Axis::Face(_)) { preferred } else { 0.0 };
                if found.gap > best.0.gap + margin {
                    best = (found, Axis::Edges(one, other));
                }
            }
        }
    }
    best
}

/// Contact points of two boxes; returns their number.
pub(super) fn box_box_points(poses: [&Pose; 2], halves: [DVec3; 2], points: &mut Points) -> usize {
    let (Separation { normal, .. }, axis) = box_box(poses, halves);
    match axis {
        Axis::Edges(one, other) => {
            points[0] = edge_points(poses, halves, normal, [one, other]);
            1
        }
        Axis::Face(0) => face_points(poses, halves, normal, points),
        Axis::Face(_) => {
            let count = face_points([poses[1], poses[0]], [halves[1], halves[0]], -normal, points);
            points[..count].iter_mut().for_each(|pair| pair.swap(0, 1));
            count
        }
    }
}

/// Closest points of two edges along these axes.
fn edge_points(poses: [&Pose; 2], halves: [DVec3; 2], normal: DVec3, axes: [usize; 2]) -> [DVec3; 2] {
    let middle = |body: usize, outwards: DVec3| {
        let own = poses[body].axes.transpose() * outwards;
        let mut corner = halves[body] * own.map(f64::signum);
        corner[axes[body]] = 0.0;
        poses[body].point(corner)
    };
    let [from, to] = [middle(0, normal), middle(1, -normal)];
    let [u, v] = [poses[0].axes.col(axes[0]), poses[1].axes.col(axes[1])];
    let (between, cosine) = (to - from, u.dot(v));
    let denominator = 1.0 - cosine * cosine;
    let s = (u.dot(between) - cosine * v.dot(between)) / denominator;
    let t = (cosine * u.dot(between) - v.dot(between)) / denominator;
    let clamped = |share: f64, body: usize| share.clamp(-halves[body][axes[body]], halves[body][axes[body]]);
    [from + clamped(s, 0) * u, to + clamped(t, 1) * v]
}

/// The face of the second box most opposed to the first one's face, clipped to its sides.
fn face_points(poses: [&Pose; 2], halves: [DVec3; 2], normal: DVec3, points: &mut Points) -> usize {
    let own = poses[0].axes.transpose() * normal;
    let axis = largest(own);
    let (face, sign) = (halves[0][axis], own[axis].signum());
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    let mut polygon = Polygon::incident(poses, halves[1], normal);
    for (side, outwards) in [(u, 1.0), (u, -1.0), (v, 1.0), (v, -1.0)] {
        polygon.cut(side, outwards, halves[0][side]);
    }
    for (pair, corner) in points.iter_mut().zip(&polygon.corners[..polygon.count]) {
        let mut below = *corner;
        below[axis] = sign * face;
        *pair = [poses[0].point(below), poses[0].point(*corner)];
    }
    polygon.count
}

fn largest(vector: DVec3) -> usize {
    let sizes = vector.abs();
    (0..3).fold(0, |largest, axis| if sizes[axis] > sizes[largest] { axis } else { largest })
}

/// A convex polygon in the axes of a box.
struct Polygon {
    corners: [DVec3; MAX_POINTS],
    count: usize,
}

impl Polygon {
    /// The face of the second box most opposed to a normal, in the axes of the first.
    fn incident(poses: [&Pose; 2], half: DVec3, normal: DVec3) -> Self {
        let own = poses[1].axes.transpose() * normal;
        let axis = largest(own);
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        let mut corners = [DVec3::ZERO; MAX_POINTS];
        for (corner, (along, across)) in corners.iter_mut().zip([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]) {
            let mut place = DVec3::ZERO;
            place[axis] = -own[axis].signum() * half[axis];
            (place[u], place[v]) = (along * half[u], across * half[v]);
            *corner = poses[0].own(poses[1].point(place));
        }
        Self { corners, count: 4 }
    }

    /// Clips to `outwards * x[side] <= limit` (Sutherland and Hodgman 1974).
    fn cut(&mut self, side: usize, outwards: f64, limit: f64) {
        let (old, count) = (self.corners, self.count);
        // Of what touches along the border rounding may put all beyond: what is nearest to it stays.
        let nearest = old[..count].iter().map(|corner| outwards * corner[side]).fold(f64::INFINITY, f64::min);
        let limit = limit.max(nearest);
        self.count = 0;
        for number in 0..count {
            let [here, next] = [old[number], old[(number + 1) % count]];
            let [inside, beyond] = [here, next].map(|corner| limit - outwards * corner[side]);
            if inside >= 0.0 {
                self.add(here);
            }
            if inside.min(beyond) < 0.0 && inside.max(beyond) > 0.0 {
                self.add(here + inside / (inside - beyond) * (next - here));
            }
        }
    }

    /// A rectangle that is cut at four sides has eight corners at most.
    fn add(&mut self, corner: DVec3) {
        if self.count < MAX_POINTS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }
}
