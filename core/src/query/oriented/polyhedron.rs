//! Convex polyhedra as targets: the same test in three dimensions. The literature has two dimensions only; this is our
//! own extension.
//!
//! Face i has the outward unit normal `n_i` and the separation `n_i . (q - v)` for any of its vertices v. Its range is
//! the prism over it: q is in it if `(n_i x (b - a)) . (q - a) >= 0` for every edge from a to b. Everything else is as
//! in the plane; an extruded polygon has the states of the polygon for points beside its length.
//!
//! # Conventions
//! A right-handed frame \[m\]. Vertices of a face are counter-clockwise as seen from outside.

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::{MAX_PLANAR_COORDINATE, MAX_TARGET_SURFACES, MIN_SURFACE_LENGTH, OrientedTarget, Standing, is_coordinate};

/// Tolerance on the flatness of faces, relative to the polyhedron's extent; all other vertices must be farther behind
/// the plane.
pub const FLATNESS: f64 = 1e-9;

/// Why vertices and faces do not define a polyhedron.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PolyhedronError {
    /// Too few faces for a volume, or more than masks have bits.
    #[error("there are {faces} faces; a polyhedron has from 4 to {MAX_TARGET_SURFACES}")]
    Faces {
        /// Number of faces.
        faces: usize,
    },
    /// A coordinate beyond the limit, or not a number.
    #[error(
        "vertex {vertex}: {value:e} is not a coordinate; its magnitude must be at most {MAX_PLANAR_COORDINATE:e} m"
    )]
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// The coordinate \[m\].
        value: f64,
    },
    /// Too few vertices for an area.
    #[error("face {face}: it has {vertices} vertices; a face has 3 at least")]
    Corners {
        /// Index of the face.
        face: usize,
        /// Number of its vertices.
        vertices: usize,
    },
    /// A vertex that does not exist.
    #[error("face {face}: it has vertex {vertex}, and there are {vertices}, counted from 0")]
    NoVertex {
        /// Index of the face.
        face: usize,
        /// Index of the vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// An edge too short to define a direction.
    #[error(
        "face {face}: its edge from vertex {vertex} is {length:e} m long; an edge must be at least {MIN_SURFACE_LENGTH:e} m long"
    )]
    Short {
        /// Index of the face.
        face: usize,
        /// Index of the edge's first vertex.
        vertex: u32,
        /// Length of the edge \[m\].
        length: f64,
    },
    /// A face that is not flat and convex, not on the hull, or oriented inwards.
    #[error(
        "face {face}: vertex {vertex} is on its wrong side; faces must be flat and convex, their vertices counter-clockwise as \
         seen from outside of a convex polyhedron, and other vertices clearly behind them"
    )]
    NotConvex {
        /// Index of the face.
        face: usize,
        /// Index of the vertex.
        vertex: u32,
    },
    /// An edge without a face on each side.
    #[error("the edge between vertices {from} and {to}: there must be one face on either side of it")]
    Open {
        /// Index of a vertex.
        from: u32,
        /// Index of the other.
        to: u32,
    },
    /// A vertex without faces.
    #[error("vertex {vertex}: no face has it")]
    Unused {
        /// Index of the vertex.
        vertex: usize,
    },
}

/// A target: a convex polyhedron. Valid by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolyhedron {
    vertices: Vec<DVec3>,
    faces: Vec<Vec<u32>>,
    /// Outward unit normals of the faces.
    normals: Vec<DVec3>,
}

impl ConvexPolyhedron {
    /// A polyhedron with these vertices \[m\] and faces, as lists of vertex indices, counter-clockwise as seen from
    /// outside.
    ///
    /// # Errors
    /// If they are beyond the limits, or do not enclose a convex volume.
    pub fn new(vertices: Vec<DVec3>, faces: Vec<Vec<u32>>) -> Result<Self, PolyhedronError> {
        if !(4..=MAX_TARGET_SURFACES).contains(&faces.len()) {
            return Err(PolyhedronError::Faces { faces: faces.len() });
        }
        for (vertex, place) in vertices.iter().enumerate() {
            if let Some(value) = place.to_array().into_iter().find(|value| !is_coordinate(*value)) {
                return Err(PolyhedronError::Coordinate { vertex, value });
            }
        }
        for (face, corners) in faces.iter().enumerate() {
            if corners.len() < 3 {
                return Err(PolyhedronError::Corners { face, vertices: corners.len() });
            }
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices.len()) {
                return Err(PolyhedronError::NoVertex { face, vertex, vertices: vertices.len() });
            }
        }
        let mut polyhedron = Self { vertices, faces, normals: Vec::new() };
        polyhedron.check_edges()?;
        polyhedron.normals = (0..polyhedron.faces.len()).map(|face| polyhedron.normal_of(face)).collect();
        polyhedron.check_convex()?;
        Ok(polyhedron)
    }

    /// A polygon of the xy plane extruded along z: its surfaces in order, then the lower and the upper end.
    ///
    /// # Errors
    /// If the result is no polyhedron.
    pub fn prism(polygon: &super::ConvexTarget, [bottom, top]: [f64; 2]) -> Result<Self, PolyhedronError> {
        let count = polygon.vertices().len() as u32;
        let at = |z: f64| polygon.vertices().iter().map(move |vertex| vertex.extend(z));
        // Polygons are clockwise as seen from above.
        let side = |start: u32| {
            let next = (start + 1) % count;
            vec![next, start, count + start, count + next]
        };
        let ends = [(0..count).collect(), (count..2 * count).rev().collect()];
        Self::new(at(bottom).chain(at(top)).collect(), (0..count).map(side).chain(ends).collect())
    }

    /// The polyhedron rotated about the origin, then translated \[m\].
    ///
    /// # Errors
    /// If the result is beyond the limits of coordinates.
    pub fn moved(&self, rotation: DQuat, translation: DVec3) -> Result<Self, PolyhedronError> {
        let vertices = self.vertices.iter().map(|&vertex| rotation * vertex + translation).collect();
        Self::new(vertices, self.faces.clone())
    }

    /// Its vertices \[m\].
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Its faces, as lists of vertex indices.
    #[must_use]
    pub fn faces(&self) -> &[Vec<u32>] {
        &self.faces
    }

    /// The outward unit normals of its faces.
    #[must_use]
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// The edges of a face, from each vertex to the next.
    fn edges(&self, face: usize) -> impl Iterator<Item = [u32; 2]> + '_ {
        let corners = &self.faces[face];
        (0..corners.len()).map(|corner| [corners[corner], corners[(corner + 1) % corners.len()]])
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// Newell's method: the directed area, which is insensitive to small deviations of single vertices.
    fn normal_of(&self, face: usize) -> DVec3 {
        let origin = self.at(self.faces[face][0]);
        let area = |[from, to]: [u32; 2]| (self.at(from) - origin).cross(self.at(to) - origin);
        self.edges(face).map(area).sum::<DVec3>().normalize_or_zero()
    }

    /// Checks that each edge is long enough and occurs once in each direction, and that each vertex has an edge.
    fn check_edges(&self) -> Result<(), PolyhedronError> {
        let mut all: Vec<[u32; 2]> = (0..self.faces.len()).flat_map(|face| self.edges(face)).collect();
        for face in 0..self.faces.len() {
            for [vertex, to] in self.edges(face) {
                let length = self.at(vertex).distance(self.at(to));
                if length < MIN_SURFACE_LENGTH {
                    return Err(PolyhedronError::Short { face, vertex, length });
                }
            }
        }
        all.sort_unstable();
        for &[from, to] in &all {
            let times = |edge: [u32; 2]| all.partition_point(|it| *it <= edge) - all.partition_point(|it| *it < edge);
            if times([from, to]) != 1 || times([to, from]) != 1 {
                return Err(PolyhedronError::Open { from, to });
            }
        }
        let is_unused = |vertex: &usize| all.binary_search_by_key(vertex, |edge| edge[0] as usize).is_err();
        match (0..self.vertices.len()).find(is_unused) {
            Some(vertex) => Err(PolyhedronError::Unused { vertex }),
            None => Ok(()),
        }
    }

    /// Checks that faces are flat and convex, with everything else behind them.
    fn check_convex(&self) -> Result<(), PolyhedronError> {
        let (low, high) = self
            .vertices
            .iter()
            .fold((self.vertices[0], self.vertices[0]), |(low, high), &vertex| (low.min(vertex), high.max(vertex)));
        let tolerance = FLATNESS * (high - low).max_element();
        for (face, corners) in self.faces.iter().enumerate() {
            let (normal, origin) = (self.normals[face], self.at(corners[0]));
            let wrong = (0..self.vertices.len() as u32).find(|vertex| {
                let height = normal.dot(self.at(*vertex) - origin);
                // A face without area has no normal: nothing is behind it.
                if corners.contains(vertex) { height.abs() > tolerance } else { height >= -tolerance }
            });
            let beyond_an_edge = || {
                self.edges(face).find_map(|[from, to]| {
                    let others = corners.iter().filter(|&&corner| corner != from && corner != to);
                    let mut others = others.copied();
                    others.find(|&corner| self.inwards(face, [from, to], self.at(corner)) <= 0.0)
                })
            };
            if let Some(vertex) = wrong.or_else(beyond_an_edge) {
                return Err(PolyhedronError::NotConvex { face, vertex });
            }
        }
        Ok(())
    }

    /// Signed distance of a point inwards from an edge of a face, times the length of the edge \[m2\].
    fn inwards(&self, face: usize, [from, to]: [u32; 2], place: DVec3) -> f64 {
        let inwards = self.normals[face].cross(self.at(to) - self.at(from));
        inwards.dot(place - self.at(from))
    }
}

impl OrientedTarget for ConvexPolyhedron {
    type Place = DVec3;

    fn surface_count(&self) -> usize {
        self.faces.len()
    }

    fn standing(&self, surface: usize, place: DVec3) -> Standing {
        Standing {
            separation: self.normals[surface].dot(place - self.at(self.faces[surface][0])),
            is_on_range: self.edges(surface).all(|edge| self.inwards(surface, edge, place) >= 0.0),
        }
    }

    fn is_place(place: DVec3) -> bool {
        place.to_array().into_iter().all(is_coordinate)
    }
}
