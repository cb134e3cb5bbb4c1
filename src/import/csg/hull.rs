//! Polyhedra: convex or refused.

use std::collections::HashMap;

use glam::DVec3;

/// A vertex may stand this share of the polyhedron's size off a face's plane: coordinates in the export have six digits.
const SIX_DIGITS: f64 = 5e-6;

/// What is wrong with the faces as the surface of a convex polyhedron, if anything: each face must have all points on one
/// side, and each edge must belong to two faces, once in each direction.
pub(super) fn check_convex(points: &[DVec3], faces: &[Vec<usize>]) -> Result<(), String> {
    let size = points.iter().map(|point| (*point - points[0]).length()).fold(0.0, f64::max);
    let mut edges: HashMap<(usize, usize), i32> = HashMap::new();
    for (number, face) in faces.iter().enumerate() {
        if face.len() < 3 {
            return Err(format!("face {number} has fewer than three points"));
        }
        if let Some(missing) = face.iter().find(|&&index| index >= points.len()) {
            return Err(format!("face {number} names point {missing}, but there are {}", points.len()));
        }
        for (index, &from) in face.iter().enumerate() {
            let to = face[(index + 1) % face.len()];
            *edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
        // Newell's normal: the sum over all corners, so that nearly straight corners do not matter.
        let corner = |index: usize| points[face[index % face.len()]] - points[face[0]];
        let normal = (0..face.len()).map(|index| corner(index).cross(corner(index + 1))).sum::<DVec3>();
        let Some(normal) = normal.try_normalize() else {
            continue; // All its points stand in a line: it bounds nothing.
        };
        let heights = points.iter().map(|point| (*point - points[face[0]]).dot(normal));
        let (low, high) = heights.fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it)));
        if low.abs().min(high) > SIX_DIGITS * size {
            return Err(format!("it is not convex: points stand on both sides of face {number}"));
        }
    }
    match edges.iter().find(|&(_, &count)| count != 0) {
        Some(((from, to), _)) => {
            Err(format!("it is not closed: the edge between points {from} and {to} does not belong to two faces"))
        }
        None => Ok(()),
    }
}
