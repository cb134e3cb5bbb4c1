//! Polyhedra: convex, or refused.

use std::collections::HashMap;

use glam::DVec3;

use super::CsgError;
use super::arguments::{polyhedron_faces, polyhedron_points};
use super::syntax::Statement;

/// Tolerance of a vertex off a face's plane, relative to the polyhedron's size: coordinates in the export have six
/// digits.
const SIX_DIGITS: f64 = 5e-6;
/// Most products of faces and corners, which are looked at one by one: a second's work.
const MAX_PAIRS: usize = 500_000_000;

/// A polyhedron as given in the file.
pub(super) struct Mesh {
    /// All points of the list.
    points: Vec<DVec3>,
    /// Numbers of points, each of which exists.
    faces: Vec<Vec<usize>>,
}

impl Mesh {
    pub(super) fn read(statement: &Statement) -> Result<Self, CsgError> {
        let (points, faces) = (polyhedron_points(statement)?, polyhedron_faces(statement)?);
        for (number, face) in faces.iter().enumerate() {
            if let Some(missing) = face.iter().find(|&&index| index >= points.len()) {
                let count = points.len();
                let message = format!("polyhedron: face {number} names point {missing}, but there are {count}");
                return Err(CsgError::new(statement.line, message));
            }
        }
        Ok(Self { points, faces })
    }

    /// The points that faces name, each once. What else the list holds is no part of the solid.
    pub(super) fn corners(&self) -> Vec<DVec3> {
        let mut named = vec![false; self.points.len()];
        self.faces.iter().flatten().for_each(|&index| named[index] = true);
        self.points.iter().zip(named).filter_map(|(&point, named)| named.then_some(point)).collect()
    }

    /// What is wrong with the faces as the surface of a convex polyhedron, if anything: each face must have all corners on
    /// one side, and each edge must belong to two faces, once in each direction.
    pub(super) fn check_convex(&self) -> Result<(), String> {
        let Self { points, faces } = self;
        let corners = self.corners();
        let Some(&first) = corners.first() else {
            return Ok(());
        };
        if faces.len().saturating_mul(corners.len()) > MAX_PAIRS {
            return Err(format!(
                "must be simpler: {} faces times {} corners are {}, at most {MAX_PAIRS} are allowed",
                faces.len(),
                corners.len(),
                faces.len().saturating_mul(corners.len())
            ));
        }
        let size = corners.iter().map(|corner| (*corner - first).length()).fold(0.0, f64::max);
        let mut edges: HashMap<(usize, usize), i32> = HashMap::new();
        for (number, face) in faces.iter().enumerate() {
            if face.len() < 3 {
                return Err(format!("face {number} has fewer than three points"));
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
            let heights = corners.iter().map(|corner| (*corner - points[face[0]]).dot(normal));
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polyhedron_that_would_take_minutes_is_refused_at_once() {
        let count = 25_000;
        let faces = (0..count).map(|index| vec![index, (index + 1) % count, (index + 2) % count]).collect();
        let points = (0..count).map(|index| DVec3::new(index as f64, 0.0, 0.0)).collect();
        let message = Mesh { points, faces }.check_convex().unwrap_err();
        assert!(message.contains("25000 faces times 25000 corners are 625000000, at most 500000000"), "{message}");
    }
}
