//! Capsules.

use glam::DVec3;

use super::Interval;
use super::ball::{STANDSTILL, ball_interval};
use super::cylinder::Cylinder;

/// All points within `radius` of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the segment \[m\].
    pub from: DVec3,
    /// The other end \[m\]; if equal to `from` the capsule is a ball.
    pub to: DVec3,
    /// Radius \[m\], not negative.
    pub radius: f64,
}

impl Capsule {
    /// The balls at both ends and the cylinder between them: their union is convex, so a line's parts inside are one.
    #[inline(always)]
    pub(super) fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        if (x2 - x1).length_squared() < STANDSTILL {
            return Interval::constant(self.distance(x1));
        }
        let end = |center: DVec3| ball_interval(x1 - center, x2 - x1, self.radius);
        let balls = end(self.from).hull(end(self.to));
        let Some(shaft) = self.shaft() else {
            return balls;
        };
        let side = shaft.side_interval(x1, x2);
        let between = shaft.between_caps(side, x1, x2);
        // The caps lie inside, only the side is border of both.
        Interval { flat: side.flat && !between.is_empty(), ..balls.hull(between) }
    }

    fn shaft(&self) -> Option<Cylinder> {
        let along = self.to - self.from;
        let axis = along.try_normalize()?;
        let center = self.from + 0.5 * along;
        Some(Cylinder { center, axis, radius: self.radius, half_height: Some(0.5 * along.length()) })
    }

    /// The point of the segment that is nearest to a point.
    fn nearest(&self, point: DVec3) -> DVec3 {
        let along = self.to - self.from;
        let squared = along.length_squared();
        if squared == 0.0 {
            return self.from;
        }
        let share = (point - self.from).dot(along) / squared;
        if share >= 1.0 { self.to } else { self.from + share.max(0.0) * along }
    }

    pub(super) fn distance(&self, point: DVec3) -> f64 {
        (point - self.nearest(point)).length() - self.radius
    }

    pub(super) fn normal(&self, point: DVec3) -> DVec3 {
        let outward = (point - self.nearest(point)).try_normalize();
        // On the segment every direction across it is as good as another; only a capsule of radius 0 gets here.
        outward.or_else(|| Some((self.to - self.from).try_normalize()?.any_orthonormal_vector())).unwrap_or(DVec3::Z)
    }

    pub(super) fn support(&self, direction: DVec3) -> f64 {
        self.from.dot(direction).max(self.to.dot(direction)) + self.radius * direction.length()
    }
}
