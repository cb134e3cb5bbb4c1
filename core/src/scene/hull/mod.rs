//! Convex hulls of points, as cells of half spaces.
//!
//! Quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact predicates (Shewchuk 1997, crate `robust`): whether a point
//! is beyond a facet never depends on rounding, so coplanar points, which are common in meshes, need no tolerance for
//! the hull to stay consistent. Facets that are coplanar up to [`FLATNESS`] are then merged into one half space, unless
//! the cell would extend beyond a thin hull without them.
//!
//! # Conventions
//! Normals are outward unit vectors. Each half space contains all corners of the hull: its offset is the largest
//! computed n.x over them, so a facet may be too far out by rounding, but never cuts a corner off. Other points are
//! inside up to the rounding of that product.

mod concavity;
mod facets;
mod points;

use std::cmp::Ordering;

use glam::DVec3;
use thiserror::Error;

pub(super) use self::concavity::Concavity;
use self::facets::{Facets, area_normal};
use super::{HalfSpace, LIMITS};

/// Points that are all within this share of their size of one plane are flat. Files carry six digits: a coordinate is off
/// by up to 5e-6 of itself.
const THINNEST: f64 = 5e-6;
/// Facets within this share of the hull's size of a plane are one half space: a corner is off from the plane of three
/// others by a few roundings of files, of which some are smaller.
const FLATNESS: f64 = 1e-5;
/// How far the cell may stand out of the hull by that, in units of [`FLATNESS`].
const STANDING_OUT: f64 = 10.0;
/// Maximum number of half spaces of a hull: every nearby ray tests all of them.
const MAX_FACES: usize = 10_000;
/// Most products of half spaces and corners, which are looked at one by one.
const MAX_PAIRS: usize = 500_000_000;

/// Why points have no convex hull.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HullError {
    /// Neither STL nor OBJ.
    #[error("must be the name of a file that ends in .stl or .obj")]
    UnknownEnding,
    /// A text file that is not text.
    #[error("must be a binary STL of the length that it states, or text in UTF-8")]
    NotText,
    /// A line of a text file without a point where one is required.
    #[error("must have three numbers on line {line}")]
    BadLine {
        /// The line, counted from 1.
        line: usize,
    },
    /// A face of an OBJ with a corner that is no vertex of it.
    #[error("must have faces of three corners or more, by the numbers of its {vertices} vertices, on line {line}")]
    BadFace {
        /// The line, counted from 1.
        line: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// An STL of text whose end is missing.
    #[error("must end with `endsolid`, after whole facets: it was cut off")]
    CutOff,
    /// There are no points at all.
    #[error("must have at least one vertex")]
    NoPoints,
    /// A coordinate that is not finite or out of range.
    #[error("must have finite coordinates, at most {:e} in magnitude", LIMITS.magnitude)]
    OutOfRange,
    /// Products of coordinates would underflow.
    #[error("must be larger: points must lie at least {:e} m apart", 1.0 / LIMITS.magnitude)]
    TooSmall,
    /// All points lie in one plane.
    #[error("must not be flat: {count} different points lie within {THINNEST:e} of their size of one plane")]
    Flat {
        /// Number of distinct points.
        count: usize,
    },
    /// The hull has too many faces.
    #[error("must be simpler: the hull has {faces} faces, at most {MAX_FACES} are allowed")]
    TooDetailed {
        /// Number of faces.
        faces: usize,
    },
}

/// A convex hull.
#[derive(Clone, Debug, PartialEq)]
struct Hull {
    /// With unit normals, those with the greatest x first.
    half_spaces: Vec<HalfSpace>,
    /// What it holds \[m^3\].
    volume: f64,
    /// Its surface \[m^2\].
    area: f64,
    /// The diagonal of the box around it \[m\].
    size: f64,
}

/// The convex hull of the vertices of a mesh file, whose format follows from the suffix of its name, and how far the
/// mesh is from it if it is concave.
pub(super) fn of_file(name: &str, bytes: &[u8]) -> Result<(Vec<HalfSpace>, Option<Concavity>), HullError> {
    let mesh = points::mesh(name, bytes)?;
    let hull = around(mesh.points.clone())?;
    let concavity = concavity::of(&mesh, &hull);
    Ok((hull.half_spaces, concavity))
}

/// The convex hull of points \[m\]: half spaces with unit normals, those with the largest x first. A function of the
/// set of points, independent of their order.
pub fn of_points(points: Vec<DVec3>) -> Result<Vec<HalfSpace>, HullError> {
    Ok(around(points)?.half_spaces)
}

/// The triangles of the convex hull of points \[m\], counter-clockwise as seen from outside.
pub(crate) fn triangles(points: Vec<DVec3>) -> Result<Vec<[DVec3; 3]>, HullError> {
    let (points, facets, _) = surface(points)?;
    Ok(facets.triangles.iter().map(|triangle| triangle.corners.map(|corner| points[corner as usize])).collect())
}

fn order(a: &DVec3, b: &DVec3) -> Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
}

/// The points in order, the hull's facets, and its size \[m\].
fn surface(mut points: Vec<DVec3>) -> Result<(Vec<DVec3>, Facets, f64), HullError> {
    if points.iter().any(|point| point.abs().max_element().is_nan() || point.abs().max_element() > LIMITS.magnitude) {
        return Err(HullError::OutOfRange);
    }
    points.iter_mut().for_each(|point| *point += DVec3::ZERO);
    points.sort_unstable_by(order);
    points.dedup();
    let (low, high) = points
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(*point), high.max(*point)));
    let size = (high - low).length();
    if size > 0.0 && size < 1.0 / LIMITS.magnitude {
        return Err(HullError::TooSmall);
    }
    let flat = HullError::Flat { count: points.len() };
    let facets = Facets::around(&points, THINNEST * size).ok_or(flat)?;
    Ok((points, facets, size))
}

fn around(points: Vec<DVec3>) -> Result<Hull, HullError> {
    let (points, facets, size) = surface(points)?;
    let corners = facets.corners();
    let mut faces = in_one_plane(&facets, &points, FLATNESS * size);
    if faces.len() > MAX_FACES || faces.len().saturating_mul(corners.len()) > MAX_PAIRS {
        return Err(HullError::TooDetailed { faces: faces.len() });
    }
    faces.sort_unstable_by(|a, b| order(b, a));
    let holding = |normal: DVec3| {
        let reach = corners.iter().map(|&corner| points[corner as usize].dot(normal));
        HalfSpace { normal, offset: reach.fold(f64::NEG_INFINITY, f64::max) + 0.0 }
    };
    let half_spaces = faces.into_iter().map(holding).collect();
    Ok(Hull { half_spaces, volume: facets.volume(&points), area: facets.area(&points), size })
}

/// The unit normals of the planes that the facets lie in. The largest facet that is left decides on its plane, and all
/// that are connected with it within the tolerance \[m\] belong to it, or within less.
///
/// A ray from the hull's centroid c to a point x of the cell leaves the hull at a point y of some facet; x = c + s (y - c).
/// With the depth w of c under the facet's plane, and y at most t under it, s (w - t) <= w. So the cell stands out by
/// (s - 1) |y - c| <= r t/(w - t), r being the greatest distance of a corner from c. That is no more than e where
/// t <= w e/(r + e).
fn in_one_plane(facets: &Facets, points: &[DVec3], tolerance: f64) -> Vec<DVec3> {
    let areas: Vec<DVec3> = facets.triangles.iter().map(|triangle| area_normal(points, triangle.corners)).collect();
    let mut order: Vec<usize> = (0..areas.len()).collect();
    order.sort_by(|&a, &b| areas[b].length_squared().total_cmp(&areas[a].length_squared()));
    let centroid = facets.centroid(points);
    let reach = points.iter().fold(0.0, |reach, point| point.distance(centroid).max(reach));
    let standing_out = STANDING_OUT * tolerance;
    let mut taken = vec![false; areas.len()];
    let mut normals = Vec::new();
    for seed in order {
        if taken[seed] {
            continue;
        }
        // Longer than nothing: three points in a line are no facet.
        let Some(normal) = (areas[seed] / areas[seed].abs().max_element()).try_normalize() else {
            continue;
        };
        let [a, b, c] = facets.triangles[seed].corners.map(|corner| points[corner as usize]);
        let depth = (a - centroid).dot(normal);
        // The normal of a sliver is rounding for the greater part; over the hull's width its plane may be off by this.
        let blur = 16.0 * f64::EPSILON * reach * (b - a).length() * (c - a).length() / areas[seed].length();
        let allowed = tolerance.min(depth * standing_out / (reach + standing_out)) - blur;
        let near = |corner: u32| (points[corner as usize] - a).dot(normal).abs() <= allowed;
        // Adding 0 makes -0 of both kinds the same, here and below.
        normals.push(normal + DVec3::ZERO);
        taken[seed] = true;
        let mut front = vec![seed];
        while let Some(facet) = front.pop() {
            for neighbor in facets.triangles[facet].neighbors.map(|neighbor| neighbor as usize) {
                if !taken[neighbor] && facets.triangles[neighbor].corners.into_iter().all(near) {
                    taken[neighbor] = true;
                    front.push(neighbor);
                }
            }
        }
    }
    normals
}

#[cfg(test)]
mod tests;
