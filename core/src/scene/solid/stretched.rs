//! Curved solids in stretched coordinates: ellipsoids, and whatever a map that keeps no circles makes of the others.

use glam::{DMat3, DQuat, DVec3};

use super::super::affine::{Affine, NO_ROTATION, greatest_stretch, unit};
use super::{Interval, Solid, Sphere};

/// The image of a curved solid under a linear map, moved to a centre. Lambda along a line is the same in local
/// coordinates as in the world's, so a line's part inside is found there.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretched {
    /// Where the local origin stands \[m\].
    pub center: DVec3,
    /// From local coordinates to world coordinates relative to the centre.
    pub from_local: DMat3,
    /// The inverse, which decides: local = `to_local` (x - center).
    pub to_local: DMat3,
    /// The solid in local coordinates, as near to the origin as it is to its own reference point; never a half space, and
    /// never stretched itself.
    pub base: Solid,
    /// A lower bound of the length of the image of any local unit vector.
    pub least_stretch: f64,
    /// The greatest length of the image of any local unit vector, up to a few roundings.
    pub greatest_stretch: f64,
}

/// Room for the rounding of a few dozen operations.
const ROUNDED: f64 = 1.0 - 64.0 * f64::EPSILON;

impl Stretched {
    fn new(center: DVec3, from_local: DMat3, to_local: DMat3, base: Solid) -> Self {
        let least_stretch = Self::least_stretch_of(to_local);
        let greatest_stretch = greatest_stretch(from_local);
        Self { center, from_local, to_local, base, least_stretch, greatest_stretch }
    }

    /// The least stretch of the way back from local coordinates.
    pub fn least_stretch_of(to_local: DMat3) -> f64 {
        ROUNDED / greatest_stretch(to_local)
    }

    /// The ellipsoid with these semi-axes \[m\], all above 0, along the axes turned by a rotation.
    ///
    /// The quaternion's length is made 1. With a semi-axis that is not above 0, or a quaternion without a direction,
    /// stretches are NaN, which [`Scene::new`](crate::scene::Scene::new) refuses.
    #[must_use]
    pub fn ellipsoid(center: DVec3, semi_axes: DVec3, rotation: DQuat) -> Self {
        let turned = DMat3::from_quat(unit(rotation).unwrap_or(NO_ROTATION));
        // A negative semi-axis would only mirror the ellipsoid of its magnitude.
        let semi_axes = semi_axes.map(|semi_axis| if semi_axis > 0.0 { semi_axis } else { f64::NAN });
        let from_local = turned * DMat3::from_diagonal(semi_axes);
        let to_local = DMat3::from_diagonal(semi_axes.recip()) * turned.transpose();
        Self::new(center, from_local, to_local, Solid::Sphere(Sphere { center: DVec3::ZERO, radius: 1.0 }))
    }

    /// A curved solid, none of these, under a map that keeps no circles. Its reference point becomes the local origin, so
    /// that nothing cancels there.
    pub(super) fn of(solid: &Solid, map: &Affine) -> Self {
        let reference = solid.reference_point();
        let base = solid.transformed(&Affine::rigid(DQuat::IDENTITY, -reference));
        Self::new(map.point(reference), map.linear.matrix(), map.linear.inverse(), base)
    }

    /// Under another map.
    pub(super) fn transformed(&self, map: &Affine) -> Self {
        let from_local = map.linear.matrix() * self.from_local;
        let to_local = self.to_local * map.linear.inverse();
        Self::new(map.point(self.center), from_local, to_local, self.base.clone())
    }

    /// A world point in local coordinates.
    #[must_use]
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.to_local * (point - self.center)
    }

    #[inline(never)]
    pub(super) fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        self.base.interval_on_the_spot(self.local(x1), self.local(x2))
    }

    pub(super) fn distance(&self, point: DVec3) -> f64 {
        self.least_stretch * self.base.distance(self.local(point))
    }

    /// Normals go with the transposed inverse.
    pub(super) fn normal(&self, point: DVec3) -> DVec3 {
        let normal = self.to_local.transpose() * self.base.normal(self.local(point));
        normal.normalize()
    }

    /// The greatest x.direction over the solid, at least. The way back that counts is the inverse F' of `to_local` T. A
    /// few roundings make T F differ from 1 by as many epsilons times the distortion, so `from_local` F moves a local point
    /// p by up to |F' (T F - 1) p|, that is stretch x distortion x |p| of them, however near p is along the direction.
    pub(super) fn support(&self, direction: DVec3) -> f64 {
        let reach = self.base.support(self.from_local.transpose() * direction);
        let stretch = self.greatest_stretch;
        let size = DVec3::AXES.map(|axis| self.base.support(axis).max(self.base.support(-axis)));
        let size = DVec3::from_array(size).length();
        let error = if size.is_finite() {
            (stretch / self.least_stretch) * stretch * direction.length() * size
        } else if self.is_diagonal() {
            // Each coordinate rounds by itself: along an axis that a base without an end is level with, it stays so.
            reach.abs()
        } else {
            f64::INFINITY
        };
        self.center.dot(direction) + reach + 16.0 * f64::EPSILON * error
    }

    fn is_diagonal(&self) -> bool {
        self.from_local == DMat3::from_diagonal(self.from_local.diagonal())
    }

    /// A ball of radius `by` is in local coordinates within one of radius by / `least_stretch`.
    pub(in crate::scene) fn dilated(&self, by: f64) -> Option<Self> {
        Some(Self { base: self.base.dilated(by / self.least_stretch)?, ..self.clone() })
    }
}
