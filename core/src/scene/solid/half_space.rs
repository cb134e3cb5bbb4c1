//! Half spaces.

use glam::DVec3;

use super::super::affine::{Affine, Linear, rotate};
use super::Interval;

/// A half space (docs/theory/entry-points.md, 1): inside where x.n - d <= 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Normal n, pointing outwards, not necessarily a unit vector.
    pub normal: DVec3,
    /// Displacement d, in metres times the length of n.
    pub offset: f64,
}

impl HalfSpace {
    /// The half space with this outward normal and a point of its border \[m\].
    #[must_use]
    pub fn through(normal: DVec3, point: DVec3) -> Self {
        Self { normal, offset: normal.dot(point) }
    }

    /// x.n - d: the distance from the border \[m\] times |n|, negative inside.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> f64 {
        point.dot(self.normal) - self.offset
    }

    /// The distance as if computed in twice the precision and rounded once (Ogita, Rump and Oishi 2005, Dot2).
    #[cold]
    fn precise_distance(&self, point: DVec3) -> f64 {
        let (mut sum, mut error) = (-self.offset, 0.0);
        for (a, b) in point.to_array().into_iter().zip(self.normal.to_array()) {
            let product = a * b;
            let next = sum + product;
            let shifted = next - sum;
            error += a.mul_add(b, -product) + ((sum - (next - shifted)) + (product - shifted));
            sum = next;
        }
        sum + error
    }

    /// The closed complement. Negation is exact, so no rounding separates a half space from its complement.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// The part of the line through `x1` (lambda 0) and `x2` (lambda 1) that is inside.
    #[must_use]
    #[inline(always)]
    pub fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        let (mu1, mu2) = (self.distance(x1), self.distance(x2));
        let slope = mu2 - mu1;
        if slope == 0.0 {
            // Here the sign of one distance decides everything, so it must not be a matter of rounding.
            return Interval::constant(self.precise_distance(x1));
        }
        let crossing = -mu1 / slope;
        // Selections, not branches: the side from which a ray comes cannot be predicted.
        Interval {
            enter: if slope < 0.0 { crossing } else { f64::NEG_INFINITY },
            exit: if slope > 0.0 { crossing } else { f64::INFINITY },
            flat: false,
        }
    }

    /// The image under a map. The normal keeps its length.
    pub(crate) fn transformed(&self, map: &Affine) -> Self {
        let (normal, length) = match map.linear {
            Linear::Rotation(rotation) => (rotate(rotation, self.normal), 1.0),
            Linear::Similarity { factor, .. } => (map.linear.direction(self.normal), factor.abs()),
            // Normals go with the transposed inverse.
            Linear::General(_) => {
                let image = map.linear.inverse().transpose() * self.normal;
                let length = self.normal.length() / image.length();
                (length * image, length)
            }
        };
        Self { normal, offset: length * self.offset + normal.dot(map.translation) }
    }

    /// Finite along its own normal alone.
    pub(super) fn support(&self, direction: DVec3) -> f64 {
        let along = direction.dot(self.normal);
        let parallel = along > 0.0 && direction.cross(self.normal) == DVec3::ZERO;
        if parallel { self.offset * (along / self.normal.length_squared()) } else { f64::INFINITY }
    }
}
