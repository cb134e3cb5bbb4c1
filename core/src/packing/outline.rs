//! Extent of an ellipsoid, and separating-plane tests.
//!
//! # Conventions
//! World coordinates in metres. The width of an ellipsoid along a unit vector n is how far it reaches from its centre:
//! with semi-axes s and axes u it is the length of the vector of `s[k] u[k].n`.

use glam::{DMat3, DVec3};

use crate::query::Ellipsoid;
use crate::scene::HalfSpace;

/// Widths and distances are trusted to this part of the lengths they are made of.
///
/// A rotation matrix of a quaternion, its product with a vector and a length take fewer than 32 roundings of 2^-53 each,
/// so they err by less than 2^-48. An engine that rounds takes pairs for touching that are not: where F errs by 2^-40
/// (some 1e-12, which f64 keeps up to aspects of hundreds) they are not lost either.
const TRUST: f64 = 1.0 / 1_099_511_627_776.0;

/// The semi-axes of an ellipsoid as vectors, for support queries.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    center: DVec3,
    axes: DMat3,
}

impl Outline {
    pub fn of(ellipsoid: &Ellipsoid) -> Self {
        let turn = ellipsoid.axes();
        let axes = DMat3::from_cols(
            turn.x_axis * ellipsoid.semi_axes.x,
            turn.y_axis * ellipsoid.semi_axes.y,
            turn.z_axis * ellipsoid.semi_axes.z,
        );
        Self { center: ellipsoid.center, axes }
    }

    /// The same elsewhere.
    pub fn at(self, center: DVec3) -> Self {
        Self { center, ..self }
    }

    /// Half the sides of the box around it along the world's axes \[m\], not too small.
    pub fn half_extents(&self) -> DVec3 {
        let rows = self.axes.transpose();
        let half = DVec3::new(rows.x_axis.length(), rows.y_axis.length(), rows.z_axis.length());
        // What is small beside the longest semi-axis owes its rounding to that.
        half + DVec3::splat(TRUST * half.max_element())
    }

    /// Extent along a vector, times that vector's length.
    fn width(&self, direction: DVec3) -> f64 {
        (self.axes.transpose() * direction).length()
    }

    /// True if it is certainly more than a distance \[m\] away from a half space.
    pub fn is_apart_from(&self, half_space: &HalfSpace, distance: f64) -> bool {
        let HalfSpace { normal, offset } = *half_space;
        let (height, width, length) = (normal.dot(self.center), self.width(normal), normal.length());
        let rounded = length * (self.center.length() + distance) + offset.abs() + width;
        // Comparisons that NaN does not pass.
        height - offset - width > length * distance + TRUST * rounded
    }

    /// True if two are certainly more than a distance \[m\] apart: an eight-direction separating-plane test.
    ///
    /// The directions: that between the centres, which suffices for bodies of any shape that are far apart; the normal
    /// G^-1 R at the middle of the contact function's range (docs/theory/ellipsoids.md), which suffices for most that
    /// just do not touch; and the axes of both, which test the oriented bounding boxes.
    pub fn is_apart(&self, other: &Self, distance: f64) -> bool {
        let between = other.center - self.center;
        let sums = self.axes * self.axes.transpose() + other.axes * other.axes.transpose();
        // Of needles and discs this may be rounded to anything, and any direction is as good as it can.
        let middle = sums.inverse() * between;
        let axes = [self.axes, other.axes].into_iter().flat_map(|axes| [axes.x_axis, axes.y_axis, axes.z_axis]);
        [between, middle].into_iter().chain(axes).any(|direction| {
            let widths = self.width(direction) + other.width(direction);
            let (gap, length) = (between.dot(direction).abs() - widths, direction.length());
            // Comparisons that NaN does not pass.
            gap > length * distance + TRUST * (widths + length * (between.length() + distance))
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    #[test]
    fn a_needle_reaches_as_far_as_its_shadow() {
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let needle = Ellipsoid { center: DVec3::ONE, semi_axes: DVec3::new(5.0, 0.1, 0.2), rotation: turn * 3.0 };
        let across = ((25.0 + 0.01) / 2.0f64).sqrt();
        let expected = DVec3::new(across, across, 0.2);
        let half = Outline::of(&needle).half_extents();
        assert!((half - expected).abs().max_element() < 1e-10, "{half}");
        assert!(half.cmpge(expected).all(), "{half}");
    }

    #[test]
    fn what_touches_is_not_apart_and_a_hair_farther_it_is() {
        // Balls of radii 2 and 3, touching; then along an axis of both, ellipsoids.
        for (semi_axes, distance) in [(DVec3::splat(2.0), 0.0), (DVec3::new(2.0, 0.5, 1e-3), 1.5)] {
            let a = Ellipsoid { center: DVec3::ZERO, semi_axes, rotation: DQuat::IDENTITY };
            let other = |x| Outline::of(&Ellipsoid::ball(DVec3::new(x, 0.0, 0.0), 3.0));
            let touching = 5.0 + distance;
            assert!(!Outline::of(&a).is_apart(&other(touching), distance));
            assert!(Outline::of(&a).is_apart(&other(touching * (1.0 + 1e-11)), distance));
        }
        let ball = Outline::of(&Ellipsoid::ball(DVec3::ONE, 3.0));
        assert!(!ball.is_apart(&ball, 0.0));
        // 3 m above x + y = 2 (a normal of length 2), so 0.5 m above this one.
        let half_space =
            HalfSpace { normal: DVec3::new(2.0_f64.sqrt(), 2.0_f64.sqrt(), 0.0), offset: 2.0 * 2.0_f64.sqrt() - 7.0 };
        assert!(!ball.is_apart_from(&half_space, 0.5));
        assert!(ball.is_apart_from(&half_space, 0.5 - 1e-10));
        let inside = HalfSpace { offset: -half_space.offset, ..half_space };
        assert!(!ball.is_apart_from(&inside, 0.0));
    }
}
