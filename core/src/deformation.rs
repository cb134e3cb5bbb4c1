//! Homogeneously deforming bodies: an ellipsoid stays an ellipsoid (docs/theory/vehicle-boxes.md, 3).
//!
//! # Conventions
//! The deformation gradient F maps material vectors of the reference configuration, in which the ellipsoid's axes are
//! the world axes, to vectors of the current one, in world axes.

use glam::{DMat3, DQuat, DVec3};

use crate::query::Ellipsoid;

/// Maximum number of Jacobi sweeps: convergence is quadratic, so four or five are enough; a matrix that needs more is
/// not finite.
const ROUNDS: usize = 30;

/// The current ellipsoid about the origin of a body with these reference semi-axes \[m\], the longest axis first;
/// `None` if the gradient is singular, or a number is not finite.
///
/// Its points are F diag(semi-axes) times the unit ball, so its semi-axes are the singular values of that matrix and
/// its axes the left singular vectors. Rotations of column pairs make these orthogonal (one-sided Jacobi), which
/// preserves the relative accuracy of the short axes of long bodies, as the eigenvalues of F diag(semi-axes)^2 F^T
/// would not.
#[must_use]
pub fn current_ellipsoid(semi_axes: DVec3, gradient: &DMat3) -> Option<Ellipsoid> {
    let matrix = *gradient * DMat3::from_diagonal(semi_axes);
    // Scaled so that squares neither overflow nor underflow.
    let scale = matrix.to_cols_array().into_iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    if !(matrix.is_finite() && scale > 0.0) {
        return None;
    }
    let mut columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column / scale);
    for _ in 0..ROUNDS {
        // All three, whatever each says.
        let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| turn(&mut columns, p, q));
        if turned == [false; 3] {
            break;
        }
    }
    columns.sort_by(|a, b| b.length_squared().total_cmp(&a.length_squared()));
    let lengths = columns.map(DVec3::length);
    if lengths[2] <= f64::EPSILON * f64::EPSILON * lengths[0] {
        return None;
    }
    let [first, second, _] = [columns[0] / lengths[0], columns[1] / lengths[1], columns[2] / lengths[2]];
    let axes = DMat3::from_cols(first, second, first.cross(second));
    Some(Ellipsoid {
        center: DVec3::ZERO,
        semi_axes: scale * DVec3::from_array(lengths),
        rotation: DQuat::from_mat3(&axes).normalize(),
    })
}

/// Rotates two columns into orthogonal ones; false where they are already.
fn turn(columns: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let (a, b) = (columns[p], columns[q]);
    let (aa, bb, ab) = (a.dot(a), b.dot(b), a.dot(b));
    if ab.abs() <= f64::EPSILON * (aa * bb).sqrt() {
        return false;
    }
    let cotangent = (bb - aa) / (2.0 * ab);
    let tangent = 1.0_f64.copysign(cotangent) / (cotangent.abs() + (1.0 + cotangent * cotangent).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    columns[p] = cosine * a - sine * b;
    columns[q] = sine * a + cosine * b;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F diag(semi-axes)^2 F^T, whose inverse is the ellipsoid's quadratic form.
    fn form(matrix: &DMat3) -> DMat3 {
        *matrix * matrix.transpose()
    }

    #[test]
    fn the_axes_are_those_of_the_deformed_ball_to_all_places() {
        let gradient =
            DMat3::from_cols(DVec3::new(1.0, 0.3, -0.2), DVec3::new(-0.4, 0.9, 0.1), DVec3::new(0.2, 0.5, 1.3));
        for semi_axes in [DVec3::new(3.1, 1.9, 1.8), DVec3::new(1e-3, 5.0, 1e3), DVec3::splat(2.0)] {
            let found = current_ellipsoid(semi_axes, &gradient).unwrap();
            let axes = DMat3::from_quat(found.rotation);
            let matrix = gradient * DMat3::from_diagonal(semi_axes);
            let again = form(&(axes * DMat3::from_diagonal(found.semi_axes)));
            // Entries are sums of nine products of numbers with some four roundings each.
            let off = (again - form(&matrix)).to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
            assert!(off <= 100.0 * f64::EPSILON * found.semi_axes.x.powi(2), "{semi_axes}: {off:e}");
            // The least axis too: determinants multiply.
            let volume = found.semi_axes.element_product() / matrix.determinant().abs();
            assert!((volume - 1.0).abs() <= 100.0 * f64::EPSILON, "{semi_axes}: {volume}");
            assert!(found.semi_axes.x >= found.semi_axes.y && found.semi_axes.y >= found.semi_axes.z);
        }
    }

    #[test]
    fn mirrors_have_axes_too_and_flat_bodies_have_none() {
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, -2.0, 1.0));
        let found = current_ellipsoid(DVec3::new(1.0, 2.0, 3.0), &mirror).unwrap();
        assert_eq!(found.semi_axes, DVec3::new(4.0, 3.0, 1.0));
        assert!((DMat3::from_quat(found.rotation).determinant() - 1.0).abs() < 1e-15);
        let flat = DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::X + DVec3::Y);
        assert_eq!(current_ellipsoid(DVec3::ONE, &flat), None);
        assert_eq!(current_ellipsoid(DVec3::new(1.0, f64::NAN, 1.0), &DMat3::IDENTITY), None);
    }
}
