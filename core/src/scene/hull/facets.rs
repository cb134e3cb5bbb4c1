//! The triangles of a convex hull.

use std::collections::HashMap;

use glam::DVec3;
use robust::{Coord3D, orient3d};

/// The surface of a hull; triangles may lie in one plane.
pub(super) struct Facets {
    pub triangles: Vec<Triangle>,
}

/// A triangle of points by their numbers, counter-clockwise as seen from outside.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub corners: [u32; 3],
    /// The triangle beyond the edge from each corner to the next.
    pub neighbors: [u32; 3],
}

/// A hull under construction.
struct Builder<'a> {
    points: &'a [DVec3],
    triangles: Vec<Triangle>,
    /// For each triangle the points beyond it that no other has; none once it is replaced.
    outside: Vec<Vec<u32>>,
    replaced: Vec<bool>,
}

/// Twice the area of a triangle, along its outward normal \[m^2\].
pub(super) fn area_normal(points: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    (b - a).cross(c - a)
}

/// Above 0 where a point is beyond the plane of a triangle, exactly 0 in it; six times the volume between them \[m^3\].
fn beyond(points: &[DVec3], corners: [u32; 3], point: u32) -> f64 {
    let coord = |number: u32| {
        let DVec3 { x, y, z } = points[number as usize];
        Coord3D { x, y, z }
    };
    let [a, b, c] = corners.map(coord);
    -orient3d(a, b, c, coord(point))
}

impl Facets {
    /// The hull of points that are sorted and different from each other; `None` when they all lie within the tolerance
    /// \[m\] of one plane.
    pub fn around(points: &[DVec3], tolerance: f64) -> Option<Self> {
        let mut builder = Builder { points, triangles: Vec::new(), outside: Vec::new(), replaced: Vec::new() };
        builder.start(tolerance)?;
        let mut at = 0;
        // Triangles are appended; each is done once nothing is left beyond it.
        while at < builder.triangles.len() {
            if builder.outside[at].is_empty() { at += 1 } else { builder.extend(at as u32) }
        }
        Some(builder.finish())
    }

    /// The centroid \[m\]: at least a quarter of the hull's width under each of its planes.
    pub fn centroid(&self, points: &[DVec3]) -> DVec3 {
        // Tetrahedra on a corner have no negative volumes, which would cancel.
        let top = points[self.triangles[0].corners[0] as usize];
        let size = points.iter().fold(0.0, |size, point| point.distance(top).max(size));
        let (mut moment, mut volume) = (DVec3::ZERO, 0.0);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.corners.map(|corner| (points[corner as usize] - top) / size);
            let share = a.dot(b.cross(c)).abs();
            moment += 0.25 * share * (a + b + c);
            volume += share;
        }
        top + size * (moment / volume)
    }

    /// What the hull holds \[m^3\].
    pub fn volume(&self, points: &[DVec3]) -> f64 {
        // Tetrahedra on a corner have no negative volumes, which would cancel.
        let top = points[self.triangles[0].corners[0] as usize];
        let share = |triangle: &Triangle| {
            let [a, b, c] = triangle.corners.map(|corner| points[corner as usize] - top);
            a.dot(b.cross(c)).abs()
        };
        self.triangles.iter().map(share).sum::<f64>() / 6.0
    }

    /// Its surface \[m^2\].
    pub fn area(&self, points: &[DVec3]) -> f64 {
        0.5 * self.triangles.iter().map(|triangle| area_normal(points, triangle.corners).length()).sum::<f64>()
    }

    /// The points that are corners of triangles, in order.
    pub fn corners(&self) -> Vec<u32> {
        let mut corners: Vec<u32> = self.triangles.iter().flat_map(|triangle| triangle.corners).collect();
        corners.sort_unstable();
        corners.dedup();
        corners
    }
}

impl Builder<'_> {
    /// A tetrahedron that is as large as can be found in a pass over the points for each corner.
    fn start(&mut self, tolerance: f64) -> Option<()> {
        let points = self.points;
        let numbers = || 0..points.len() as u32;
        let farthest = |measure: &dyn Fn(u32) -> f64| numbers().max_by(|&a, &b| measure(a).total_cmp(&measure(b)));
        let a = 0;
        let b = farthest(&|point| (points[point as usize] - points[0]).length())?;
        let edge = (points[b as usize] - points[0]).try_normalize()?;
        let c = farthest(&|point| (points[point as usize] - points[0]).cross(edge).length())?;
        let normal = (points[c as usize] - points[0]).cross(edge).try_normalize()?;
        let height = |point: u32| (points[point as usize] - points[0]).dot(normal).abs();
        let d = farthest(&height)?;
        if height(d) <= tolerance {
            return None;
        }
        let [b, c] = if beyond(points, [a, b, c], d) > 0.0 { [c, b] } else { [b, c] };
        // Every edge stands once in each direction.
        self.push([a, b, c], [3, 2, 1]);
        self.push([a, c, d], [0, 2, 3]);
        self.push([c, b, d], [0, 3, 1]);
        self.push([b, a, d], [0, 1, 2]);
        self.share(&numbers().collect::<Vec<_>>(), 0);
        Some(())
    }

    fn push(&mut self, corners: [u32; 3], neighbors: [u32; 3]) {
        self.triangles.push(Triangle { corners, neighbors });
        self.outside.push(Vec::new());
        self.replaced.push(false);
    }

    /// Gives each point to the first triangle from `first` on that it is beyond of; one that is beyond none is inside.
    fn share(&mut self, points: &[u32], first: usize) {
        for &point in points {
            let sees = |&triangle: &usize| beyond(self.points, self.triangles[triangle].corners, point) > 0.0;
            if let Some(triangle) = (first..self.triangles.len()).find(sees) {
                self.outside[triangle].push(point);
            }
        }
    }

    /// Extends the hull to the farthest point beyond a triangle: all triangles that it sees make place for those from
    /// their outline to it.
    fn extend(&mut self, triangle: u32) {
        let corners = self.triangles[triangle as usize].corners;
        let height = |&point: &u32| beyond(self.points, corners, point);
        let farthest = self.outside[triangle as usize].iter().copied().max_by(|a, b| height(a).total_cmp(&height(b)));
        let Some(apex) = farthest else {
            return;
        };
        let mut seen = vec![triangle];
        let mut outline: Vec<(u32, u32, u32)> = Vec::new();
        self.replaced[triangle as usize] = true;
        let mut at = 0;
        while at < seen.len() {
            let Triangle { corners, neighbors } = self.triangles[seen[at] as usize];
            for edge in 0..3 {
                let neighbor = neighbors[edge];
                if self.replaced[neighbor as usize] {
                    continue;
                }
                if beyond(self.points, self.triangles[neighbor as usize].corners, apex) > 0.0 {
                    self.replaced[neighbor as usize] = true;
                    seen.push(neighbor);
                } else {
                    outline.push((corners[edge], corners[(edge + 1) % 3], neighbor));
                }
            }
            at += 1;
        }
        self.cap(apex, &outline);
        let orphans: Vec<u32> =
            seen.iter().flat_map(|&triangle| std::mem::take(&mut self.outside[triangle as usize])).collect();
        let first = self.triangles.len() - outline.len();
        self.share(&orphans, first);
    }

    /// Triangles from the outline, a closed way of edges with what lies beyond them, to the apex.
    fn cap(&mut self, apex: u32, outline: &[(u32, u32, u32)]) {
        let first = self.triangles.len() as u32;
        let starting: HashMap<u32, u32> = (first..).zip(outline).map(|(new, &(from, ..))| (from, new)).collect();
        let ending: HashMap<u32, u32> = (first..).zip(outline).map(|(new, &(_, to, _))| (to, new)).collect();
        for (new, &(from, to, beyond)) in (first..).zip(outline) {
            // The outline is a circle, so some edge starts where this one ends.
            self.push([from, to, apex], [beyond, starting[&to], ending[&from]]);
            let Triangle { corners, neighbors } = &mut self.triangles[beyond as usize];
            if let Some(edge) = (0..3).find(|&edge| corners[edge] == to && corners[(edge + 1) % 3] == from) {
                neighbors[edge] = new;
            }
        }
    }

    fn finish(self) -> Facets {
        let mut numbers = Vec::with_capacity(self.triangles.len());
        let mut count = 0;
        for &replaced in &self.replaced {
            numbers.push(count);
            count += u32::from(!replaced);
        }
        let kept = self.triangles.iter().zip(&self.replaced).filter(|&(_, &replaced)| !replaced);
        let renumbered = kept.map(|(triangle, _)| Triangle {
            neighbors: triangle.neighbors.map(|neighbor| numbers[neighbor as usize]),
            ..*triangle
        });
        Facets { triangles: renumbered.collect() }
    }
}
