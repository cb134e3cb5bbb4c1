//! Affine maps: translated, rotated, scaled, mirrored or sheared shapes.
//!
//! # Conventions
//! A map takes a point x to `linear x + translation` \[m\]. Similarities are represented as such, so that solids keep
//! their kind under them.

use glam::{DMat3, DQuat, DVec3};

use super::LIMITS;
use crate::elementary::hypot;

/// A linear map is a similarity if its normalized columns are orthogonal up to this: matrices in files, and their
/// products, carry a few roundings.
const SIMILARITY_TOLERANCE: f64 = 32.0 * f64::EPSILON;

/// A quaternion whose length differs from 1 by no more has it up to rounding.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Rounds of rotations: what is left off the diagonal is squared in each, and the third leaves nothing as a rule.
const SWEEPS: usize = 6;

/// An invertible affine map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    pub(super) linear: Linear,
    pub(super) translation: DVec3,
}

/// The linear part of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Linear {
    /// A rotation, a unit quaternion.
    Rotation(DQuat),
    /// A rotation and a nonzero scale factor. A negative one mirrors.
    Similarity { rotation: DQuat, factor: f64 },
    /// Any other.
    General(DMat3),
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Self = Self { linear: Linear::Rotation(DQuat::IDENTITY), translation: DVec3::ZERO };

    /// A rotation about the origin (a unit quaternion), then a translation \[m\].
    #[must_use]
    pub fn rigid(rotation: DQuat, translation: DVec3) -> Self {
        Self { linear: Linear::Rotation(rotation), translation }
    }

    /// A linear map, then a translation \[m\].
    #[must_use]
    pub fn new(linear: DMat3, translation: DVec3) -> Self {
        Self { linear: Linear::new(linear), translation }
    }

    /// The composition: first `inner`, then this.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        Self {
            linear: self.linear.after(&inner.linear),
            translation: self.translation + self.linear.vector(inner.translation),
        }
    }

    /// Image of a point \[m\].
    #[must_use]
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.linear.vector(point) + self.translation
    }

    /// Condition number: ratio of the largest to the smallest stretch; infinite for a singular map.
    #[must_use]
    pub fn distortion(&self) -> f64 {
        match self.linear {
            Linear::Rotation(_) | Linear::Similarity { .. } => 1.0,
            Linear::General(matrix) => distortion(matrix),
        }
    }

    /// Its largest stretch.
    #[must_use]
    pub fn stretch(&self) -> f64 {
        match self.linear {
            Linear::Rotation(_) => 1.0,
            Linear::Similarity { factor, .. } => factor.abs(),
            Linear::General(matrix) => greatest_stretch(matrix),
        }
    }
}

impl Linear {
    fn new(matrix: DMat3) -> Self {
        let size = matrix.x_axis.length();
        let unit = matrix * (1.0 / size);
        let off = unit.transpose() * unit - DMat3::IDENTITY;
        let is_similarity = off.to_cols_array().iter().all(|number| number.abs() <= SIMILARITY_TOLERANCE);
        if !is_similarity {
            return Self::General(matrix);
        }
        let mirrors = matrix.determinant() < 0.0;
        let rotation = DQuat::from_mat3(&if mirrors { unit * -1.0 } else { unit }).normalize();
        match if mirrors { -size } else { size } {
            1.0 => Self::Rotation(rotation),
            factor => Self::Similarity { rotation, factor },
        }
    }

    fn after(&self, inner: &Self) -> Self {
        match (*self, *inner) {
            (Self::Rotation(outer), Self::Rotation(inner)) => Self::Rotation(outer * inner),
            (Self::General(_), _) | (_, Self::General(_)) => Self::new(self.matrix() * inner.matrix()),
            (outer, inner) => Self::Similarity {
                rotation: outer.rotation() * inner.rotation(),
                factor: outer.factor() * inner.factor(),
            },
        }
    }

    /// Image of a vector.
    pub(super) fn vector(&self, v: DVec3) -> DVec3 {
        match *self {
            Self::Rotation(rotation) => rotate(rotation, v),
            Self::Similarity { rotation, factor } => factor * rotate(rotation, v),
            Self::General(matrix) => matrix * v,
        }
    }

    /// Where a unit vector points, for a similarity: its length stays.
    pub(super) fn direction(&self, v: DVec3) -> DVec3 {
        match *self {
            Self::Rotation(rotation) => rotate(rotation, v),
            Self::Similarity { rotation, factor } => factor.signum() * rotate(rotation, v),
            Self::General(matrix) => matrix * v,
        }
    }

    pub(super) fn matrix(&self) -> DMat3 {
        match *self {
            Self::Rotation(rotation) => DMat3::from_quat(rotation),
            Self::Similarity { rotation, factor } => DMat3::from_quat(rotation) * factor,
            Self::General(matrix) => matrix,
        }
    }

    /// The matrix of the map that undoes this.
    pub(super) fn inverse(&self) -> DMat3 {
        match *self {
            Self::Rotation(rotation) => DMat3::from_quat(rotation).transpose(),
            Self::Similarity { rotation, factor } => DMat3::from_quat(rotation).transpose() * (1.0 / factor),
            Self::General(matrix) => inverse(matrix),
        }
    }

    fn rotation(&self) -> DQuat {
        match *self {
            Self::Rotation(rotation) | Self::Similarity { rotation, .. } => rotation,
            Self::General(_) => DQuat::IDENTITY,
        }
    }

    fn factor(&self) -> f64 {
        match *self {
            Self::Similarity { factor, .. } => factor,
            Self::Rotation(_) | Self::General(_) => 1.0,
        }
    }
}

/// What stands for a rotation that there is none of: scenes refuse its numbers.
pub(super) const NO_ROTATION: DQuat = DQuat::from_xyzw(f64::NAN, f64::NAN, f64::NAN, f64::NAN);

/// The quaternion of length 1 of the same rotation; one that has it up to rounding keeps its bits. `None` without a
/// direction: if the length is 0, not a number or beyond the limits of scenes.
pub(super) fn unit(rotation: DQuat) -> Option<DQuat> {
    let length = rotation.length();
    if (length - 1.0).abs() <= UNIT_TOLERANCE {
        return Some(rotation);
    }
    (1.0 / LIMITS.magnitude..=LIMITS.magnitude).contains(&length).then(|| rotation / length)
}

/// Rotation that leaves every bit alone when there is nothing to rotate.
pub(super) fn rotate(rotation: DQuat, v: DVec3) -> DVec3 {
    if rotation == DQuat::IDENTITY { v } else { rotation * v }
}

/// The inverse of a matrix of any size: cubes of very large or small numbers would overflow or vanish.
fn inverse(matrix: DMat3) -> DMat3 {
    let size = largest(matrix);
    (matrix * (1.0 / size)).inverse() * (1.0 / size)
}

fn largest(matrix: DMat3) -> f64 {
    matrix.to_cols_array().iter().fold(0.0, |largest, number| number.abs().max(largest))
}

/// How often the greatest stretch of a matrix is its least.
fn distortion(matrix: DMat3) -> f64 {
    let unit = matrix * (1.0 / largest(matrix));
    let distortion = greatest_stretch(unit) * greatest_stretch(unit.inverse());
    // False for the NaN that zeros leave, too.
    let is_regular = unit.determinant().abs() > 0.0;
    if is_regular && distortion.is_finite() { distortion } else { f64::INFINITY }
}

/// The greatest singular value up to a few roundings, rather too large than too small: the root of the greatest eigenvalue
/// of A^T A, by the rotations of Jacobi (1846). A closed form by angles loses half of the digits where the greatest two
/// agree.
pub(super) fn greatest_stretch(matrix: DMat3) -> f64 {
    let size = largest(matrix);
    if size == 0.0 || !size.is_finite() {
        return size;
    }
    let unit = matrix * (1.0 / size);
    let mut product = unit.transpose() * unit;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            product = without(product, p, q);
        }
    }
    // No eigenvalue is beyond the greatest sum of magnitudes in a column (Gershgorin 1931).
    let sums = [product.x_axis, product.y_axis, product.z_axis].map(|column| column.abs().element_sum());
    size * sums.into_iter().fold(0.0, f64::max).sqrt()
}

/// A symmetric matrix turned so that two of its elements vanish.
fn without(matrix: DMat3, p: usize, q: usize) -> DMat3 {
    let off = matrix.col(q)[p];
    if off == 0.0 {
        return matrix;
    }
    // The cotangent of twice the angle; where it is infinite there is nothing left to turn.
    let double = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * off);
    let tangent = double.signum() / (double.abs() + hypot(double, 1.0));
    let cosine = 1.0 / hypot(tangent, 1.0);
    let mut turn = DMat3::IDENTITY;
    turn.col_mut(p)[p] = cosine;
    turn.col_mut(q)[q] = cosine;
    turn.col_mut(q)[p] = tangent * cosine;
    turn.col_mut(p)[q] = -tangent * cosine;
    turn.transpose() * matrix * turn
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second greatest stretch agrees with the greatest to many digits, and so does the least with both in the end.
    #[test]
    fn the_greatest_stretch_is_known_to_its_last_digits_where_the_second_is_near() {
        for (near, least) in (-60..-24).flat_map(|near| (-64..0).map(move |least| (near, least))) {
            let [near, least] = [near, least].map(|exponent| 10f64.powf(f64::from(exponent) / 4.0));
            let stretches = DVec3::new(1.0, 1.0 - near, 1.0 - 0.9 * least);
            let turn = DQuat::from_axis_angle(DVec3::new(0.36, 0.48, 0.8), 1e4 * near + least);
            let turned = DMat3::from_quat(turn) * DMat3::from_diagonal(stretches);
            for matrix in [DMat3::from_diagonal(stretches), turned, turned * DMat3::from_quat(turn)] {
                let found = greatest_stretch(matrix);
                // Far less than what its users allow for; the rotations themselves round as well.
                assert!((found - 1.0).abs() < 16.0 * f64::EPSILON, "{near:e} {least:e}: {:e}", found - 1.0);
            }
        }
    }

    #[test]
    fn singular_maps_distort_without_limit() {
        for columns in [[[0.0; 3]; 3], [[1.0; 3]; 3], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]] {
            let map = Affine::new(DMat3::from_cols_array_2d(&columns), DVec3::X);
            assert_eq!(map.distortion(), f64::INFINITY, "{columns:?}");
        }
        let small = Affine::new(DMat3::from_diagonal(DVec3::new(1e-200, 2e-200, 4e-200)), DVec3::X);
        assert!((small.distortion() - 4.0).abs() < 1e-12, "{}", small.distortion());
    }

    #[test]
    fn the_greatest_stretch_of_matrices_computed_by_hand() {
        let golden = 0.5 * (1.0 + 5f64.sqrt());
        for (columns, expected) in [
            // A shear of 1 stretches by the golden section.
            ([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], golden),
            ([[1.0; 3]; 3], 3.0),
            ([[0.0, 2.0, 0.0], [0.0, 0.0, -5.0], [3.0, 0.0, 0.0]], 5.0),
            ([[1e-40, 0.0, 0.0], [0.0, 2e-40, 0.0], [0.0, 0.0, 3e-60]], 2e-40),
            ([[0.0; 3]; 3], 0.0),
        ] {
            let found = greatest_stretch(DMat3::from_cols_array_2d(&columns));
            assert!((found - expected).abs() <= 8.0 * f64::EPSILON * expected, "{columns:?}: {found}");
        }
    }
}
