//! Convex hulls of points as bodies: mass, centre and principal axes.
//!
//! The tetrahedra between the origin and the triangles of the surface hold the hull, those seen from inside negatively. Of a
//! tetrahedron with one corner at the origin the second moments are V / 20 (sum of p p^T + s s^T), where s is the sum of
//! its corners p (Tonon 2004).

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::polyhedron::Surface;
use super::shape::{BodyShape, HullBody};
use crate::scene::{HullError, hull_triangles};

/// Rotations until a symmetric matrix is diagonal to rounding: they converge quadratically.
const ROTATIONS: usize = 64;

/// A hull as a body.
pub(super) struct Hull {
    pub shape: BodyShape,
    /// Its centre of mass \[m\].
    pub center: DVec3,
    /// From its principal axes to those of the points.
    pub rotation: DQuat,
}

/// A hull of points as a body.
///
/// # Errors
/// If the points have no hull.
pub(super) fn hull_body(points: &[DVec3]) -> Result<Hull, HullError> {
    let size = points.iter().map(|point| point.length()).fold(0.0, f64::max);
    let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let triangles = hull_triangles(points.to_vec())?;
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    let mut second = DMat3::ZERO;
    for [a, b, c] in triangles.iter().map(|corners| corners.map(|corner| corner - middle)) {
        let share = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        volume += share;
        moment += 0.25 * share * sum;
        let squares = [a, b, c, sum].into_iter().map(outer).fold(DMat3::ZERO, |all, one| all + one);
        second += share / 20.0 * squares;
    }
    let off = moment / volume;
    let second = second * (1.0 / volume) - outer(off);
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let (gyration, axes) = principal(DMat3::from_diagonal(DVec3::splat(trace)) - second);
    let mut vertices: Vec<DVec3> = Vec::new();
    for corner in triangles.iter().flatten() {
        let own = axes.transpose() * (corner - middle - off);
        if !vertices.iter().any(|vertex| vertex.distance(own) <= 1e-12 * size) {
            vertices.push(own);
        }
    }
    let number = |corner: DVec3| {
        let own = axes.transpose() * (corner - middle - off);
        vertices.iter().position(|vertex| vertex.distance(own) <= 1e-12 * size)
    };
    // Of what is as good as a line nothing is a face.
    let triangles: Vec<[usize; 3]> = triangles
        .iter()
        .filter_map(|&[a, b, c]| Some([number(a)?, number(b)?, number(c)?]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    let surface = Surface::of(&vertices, &triangles);
    let rotation = DQuat::from_mat3(&axes);
    let shape = BodyShape::Hull(Arc::new(HullBody { vertices, surface, volume, gyration, axes: rotation }));
    Ok(Hull { shape, center: middle + off, rotation })
}

fn outer(vector: DVec3) -> DMat3 {
    DMat3::from_cols(vector.x * vector, vector.y * vector, vector.z * vector)
}

/// Eigenvalues and right-handed axes of a symmetric matrix, by Jacobi's rotations of the largest entry beside the diagonal.
fn principal(matrix: DMat3) -> (DVec3, DMat3) {
    let (mut matrix, mut axes) = (matrix, DMat3::IDENTITY);
    for _ in 0..ROTATIONS {
        let entries = [(1, 2), (2, 0), (0, 1)].map(|(p, q)| (p, q, matrix.col(q)[p]));
        let largest =
            entries.into_iter().fold(entries[0], |best, one| if one.2.abs() > best.2.abs() { one } else { best });
        let (p, q, entry) = largest;
        if entry.abs() <= f64::EPSILON * 1e-3 * (matrix.col(p)[p].abs() + matrix.col(q)[q].abs()) {
            break;
        }
        let theta = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * entry);
        let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sine = tangent * cosine;
        let mut rotation = DMat3::IDENTITY;
        (rotation.col_mut(p)[p], rotation.col_mut(q)[q]) = (cosine, cosine);
        (rotation.col_mut(q)[p], rotation.col_mut(p)[q]) = (sine, -sine);
        matrix = rotation.transpose() * matrix * rotation;
        axes *= rotation;
    }
    (DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z), axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_corners_is_a_box() {
        let (half, rotation) = (DVec3::new(0.3, 0.5, 0.2), DQuat::from_rotation_y(0.4) * DQuat::from_rotation_x(1.1));
        let corner =
            |number: i32| half * DVec3::new(f64::from(number & 1), f64::from(number >> 1 & 1), f64::from(number >> 2));
        let points: Vec<DVec3> =
            (0..8).map(|number| DVec3::new(7.0, 8.0, 9.0) + rotation * (2.0 * corner(number))).collect();
        let Hull { shape, center, rotation: axes } = hull_body(&points).unwrap();
        assert!(center.distance(DVec3::new(7.0, 8.0, 9.0) + rotation * half) < 1e-12);
        let BodyShape::Hull(hull) = &shape else { panic!("{shape:?}") };
        let expected = BodyShape::Box { half };
        assert!((shape.volume() / expected.volume() - 1.0).abs() < 1e-12);
        assert_eq!(hull.vertices.len(), 8);
        let sorted = |vector: DVec3| {
            let mut sizes = vector.abs().to_array();
            sizes.sort_by(f64::total_cmp);
            DVec3::from_array(sizes)
        };
        assert!((sorted(shape.gyration()) - sorted(expected.gyration())).length() < 1e-12, "{}", shape.gyration());
        for vertex in &hull.vertices {
            assert!((sorted(*vertex) - sorted(half)).length() < 1e-12, "{vertex}");
        }
        // The largest moment is about the shortest edge.
        let most = shape.gyration().to_array().into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
        assert!((axes * DVec3::AXES[most]).dot(rotation * DVec3::Z).abs() > 1.0 - 1e-12);
    }
}
