//! Convex polyhedra: their corners, faces and edges.

use std::collections::HashMap;
use std::sync::LazyLock;

use glam::DVec3;

use super::shape::BodyShape;

/// Triangles whose corners are no farther off a plane than this, in parts of the size, are one face.
const FLAT: f64 = 1e-11;
/// The triangles of a box, by the numbers of its corners, counter-clockwise as seen from outside.
const BOX_TRIANGLES: [[usize; 3]; 12] = [
    [0, 2, 6],
    [0, 6, 4],
    [1, 5, 7],
    [1, 7, 3],
    [0, 4, 5],
    [0, 5, 1],
    [2, 3, 7],
    [2, 7, 6],
    [0, 1, 3],
    [0, 3, 2],
    [4, 6, 7],
    [4, 7, 5],
];

static BOX: LazyLock<Surface> = LazyLock::new(|| {
    let half = BodyShape::Box { half: DVec3::ONE };
    let corners: Vec<DVec3> = (0..).map_while(|number| half.corner(number)).collect();
    Surface::of(&corners, &BOX_TRIANGLES)
});

/// The surface of a convex polyhedron about the origin, by the numbers of its corners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Surface {
    pub faces: Vec<Face>,
    pub edges: Vec<Edge>,
}

/// A face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Face {
    /// Unit normal, outwards.
    pub normal: DVec3,
    /// Its corners, counter-clockwise as seen from outside.
    pub corners: Vec<usize>,
}

/// Where two faces meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub ends: [usize; 2],
    /// Normals of both faces.
    pub normals: [DVec3; 2],
    /// The second normal times the first.
    pub across: DVec3,
}

/// A polyhedron in the axes of its body.
#[derive(Clone, Copy)]
pub(super) struct Polyhedron<'a> {
    pub corners: &'a [DVec3],
    pub surface: &'a Surface,
}

impl Polyhedron<'_> {
    /// Does something with a shape that is a polyhedron, with others nothing.
    pub fn of<R>(shape: &BodyShape, run: impl FnOnce(Polyhedron<'_>) -> R) -> Option<R> {
        match shape {
            BodyShape::Box { half } => {
                let corners: [DVec3; 8] = std::array::from_fn(|number| shape.corner(number).unwrap_or(*half));
                Some(run(Polyhedron { corners: &corners, surface: &BOX }))
            }
            BodyShape::Hull(hull) => Some(run(Polyhedron { corners: &hull.vertices, surface: &hull.surface })),
            BodyShape::Sphere { .. } | BodyShape::Ellipsoid { .. } => None,
        }
    }

    /// The corners of a face, in its order.
    pub fn loop_of(&self, face: &Face) -> impl Iterator<Item = DVec3> {
        face.corners.iter().map(|corner| self.corners[*corner])
    }
}

impl Surface {
    /// Of a polyhedron with these triangles, counter-clockwise as seen from outside.
    pub fn of(corners: &[DVec3], triangles: &[[usize; 3]]) -> Self {
        let size = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let twice_area = |triangle: usize| {
            let [a, b, c] = triangles[triangle].map(|corner| corners[corner]);
            (b - a).cross(c - a)
        };
        let sides = |triangle: usize| {
            let [a, b, c] = triangles[triangle];
            [[a, b], [b, c], [c, a]]
        };
        let owner: HashMap<[usize; 2], usize> =
            (0..triangles.len()).flat_map(|number| sides(number).map(|side| (side, number))).collect();
        // The largest triangle of a face has the truest normal.
        let mut by_size: Vec<usize> = (0..triangles.len()).collect();
        by_size.sort_by(|a, b| twice_area(*b).length_squared().total_cmp(&twice_area(*a).length_squared()));
        let mut face_of = vec![usize::MAX; triangles.len()];
        let mut normals: Vec<DVec3> = Vec::new();
        for seed in by_size {
            if face_of[seed] != usize::MAX {
                continue;
            }
            let normal = twice_area(seed).normalize_or_zero();
            let offset = normal.dot(corners[triangles[seed][0]]);
            let lies_in = |triangle: usize| {
                let near = |corner: usize| (normal.dot(corners[corner]) - offset).abs() <= FLAT * size;
                triangles[triangle].into_iter().all(near) && normal.dot(twice_area(triangle)) >= 0.0
            };
            face_of[seed] = normals.len();
            let mut beside = vec![seed];
            while let Some(triangle) = beside.pop() {
                for [from, to] in sides(triangle) {
                    let Some(&other) = owner.get(&[to, from]) else { continue };
                    if face_of[other] == usize::MAX && lies_in(other) {
                        face_of[other] = normals.len();
                        beside.push(other);
                    }
                }
            }
            normals.push(normal);
        }
        let (mut faces, mut edges) = (Vec::with_capacity(normals.len()), Vec::new());
        for (face, normal) in normals.iter().enumerate() {
            let own = (0..triangles.len()).filter(|triangle| face_of[*triangle] == face).flat_map(sides);
            let beyond = |[from, to]: [usize; 2]| owner.get(&[to, from]).map_or(face, |other| face_of[*other]);
            let border: Vec<[usize; 2]> = own.filter(|side| beyond(*side) != face).collect();
            for side in border.iter().filter(|[from, to]| from < to) {
                let both = [*normal, normals[beyond(*side)]];
                edges.push(Edge { ends: *side, normals: both, across: both[1].cross(both[0]) });
            }
            let next: HashMap<usize, usize> = border.iter().map(|[from, to]| (*from, *to)).collect();
            let mut around: Vec<usize> = border.iter().map(|[from, _]| *from).min().into_iter().collect();
            while let Some(&corner) = around.last().and_then(|last| next.get(last)) {
                if corner == around[0] || around.len() > border.len() {
                    break;
                }
                around.push(corner);
            }
            faces.push(Face { normal: *normal, corners: around });
        }
        Self { faces, edges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_six_faces_of_four_corners_and_twelve_edges() {
        assert_eq!((BOX.faces.len(), BOX.edges.len()), (6, 12));
        let half = DVec3::new(0.3, 0.2, 0.7);
        Polyhedron::of(&BodyShape::Box { half }, |polyhedron| {
            for face in &polyhedron.surface.faces {
                let corners: Vec<DVec3> = polyhedron.loop_of(face).collect();
                assert_eq!(corners.len(), 4, "{face:?}");
                // Outwards, and counter-clockwise as seen from there.
                let turn = (corners[1] - corners[0]).cross(corners[2] - corners[1]);
                assert!((turn.normalize() - face.normal).length() < 1e-15, "{face:?}");
                assert!(
                    corners.iter().all(|corner| (face.normal.dot(*corner) - face.normal.abs().dot(half)).abs() < 1e-15)
                );
            }
        })
        .unwrap();
    }
}
