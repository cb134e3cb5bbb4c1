//! Cylinders.

use glam::DVec3;

use super::ball::ball_interval;
use super::{HalfSpace, Interval};

/// A circular cylinder around an axis through its centre, infinite or cut at half its height on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Centre \[m\]; any point of the axis when infinite.
    pub center: DVec3,
    /// Axis, a unit vector.
    pub axis: DVec3,
    /// Radius \[m\], not negative.
    pub radius: f64,
    /// Half of the whole height \[m\]; `None` for an infinite cylinder.
    pub half_height: Option<f64>,
}

impl Cylinder {
    fn radial(&self, v: DVec3) -> DVec3 {
        v - self.axis * v.dot(self.axis)
    }

    /// The slab between the two caps, as the half spaces above and below; `None` when infinite.
    fn caps(&self) -> Option<[HalfSpace; 2]> {
        let half = self.half_height?;
        let middle = self.center.dot(self.axis);
        Some([
            HalfSpace { normal: self.axis, offset: middle + half },
            HalfSpace { normal: -self.axis, offset: half - middle },
        ])
    }

    #[inline(always)]
    pub(super) fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        self.between_caps(self.side_interval(x1, x2), x1, x2)
    }

    /// The part inside the infinite cylinder.
    #[inline(always)]
    pub(super) fn side_interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        ball_interval(self.radial(x1 - self.center), self.radial(x2 - x1), self.radius)
    }

    /// What the caps leave of it.
    #[inline(always)]
    pub(super) fn between_caps(&self, side: Interval, x1: DVec3, x2: DVec3) -> Interval {
        match self.caps() {
            None => side,
            Some([top, bottom]) => side.intersect(top.interval(x1, x2)).intersect(bottom.interval(x1, x2)),
        }
    }

    pub(super) fn distance(&self, point: DVec3) -> f64 {
        let offset = point - self.center;
        let side = self.radial(offset).length() - self.radius;
        self.half_height.map_or(side, |half| side.max(offset.dot(self.axis).abs() - half))
    }

    /// The unit normal of the surface that is nearest to being crossed at `point`.
    pub(super) fn normal(&self, point: DVec3) -> DVec3 {
        let offset = point - self.center;
        let (along, radial) = (offset.dot(self.axis), self.radial(offset));
        let side = radial.length() - self.radius;
        match self.half_height {
            Some(half) if along.abs() - half >= side => self.axis * along.signum(),
            // On the axis every direction is as good as another; only a cylinder of radius 0 gets here.
            _ => radial.try_normalize().unwrap_or_else(|| self.axis.any_orthonormal_vector()),
        }
    }

    pub(super) fn support(&self, direction: DVec3) -> f64 {
        let along = direction.dot(self.axis).abs();
        let disc = self.center.dot(direction) + self.radius * self.radial(direction).length();
        match self.half_height {
            Some(half) => disc + half * along,
            None if along == 0.0 => disc,
            None => f64::INFINITY,
        }
    }
}
