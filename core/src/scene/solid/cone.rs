//! Cones and frustums.

use glam::DVec3;

use super::ball::STANDSTILL;
use super::{HalfSpace, Interval};
use crate::elementary::{hypot, tan};

/// A circular cone around an axis: inside if the distance from the axis is at most `radius + slope h`, h being the
/// height above `base`. Either infinite, one nappe that opens along the axis from its apex, or a frustum between two
/// discs.
///
/// The form with a base radius stays well conditioned as a frustum tends to a cylinder and the apex to infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Centre of the base disc \[m\]; the apex if infinite.
    pub base: DVec3,
    /// Axis, a unit vector, from the base to the top; into the cone if infinite.
    pub axis: DVec3,
    /// Radius at the base \[m\], not negative; 0 if infinite.
    pub radius: f64,
    /// Change of the radius with height \[1\]: the tangent of half the opening angle, negative if it narrows.
    pub slope: f64,
    /// Height \[m\], above 0; `None` for an infinite cone, whose slope is above 0.
    pub height: Option<f64>,
}

impl Cone {
    /// The frustum between a base disc and one at a height above 0 along the unit vector `axis`, all in metres.
    #[must_use]
    pub fn frustum(base: DVec3, axis: DVec3, height: f64, radius: f64, top_radius: f64) -> Self {
        Self { base, axis, radius, slope: (top_radius - radius) / height, height: Some(height) }
    }

    /// The infinite cone that opens from its apex \[m\] along the unit vector `axis`, by this half angle \[rad\].
    #[must_use]
    pub fn infinite(apex: DVec3, axis: DVec3, half_angle: f64) -> Self {
        Self { base: apex, axis, radius: 0.0, slope: tan(half_angle), height: None }
    }

    /// Radius at the top \[m\], not negative; `None` when infinite.
    #[must_use]
    pub fn top_radius(&self) -> Option<f64> {
        // A slope that was rounded may lead past the axis.
        self.height.map(|height| (self.radius + self.slope * height).max(0.0))
    }

    /// Length of the way along the side for a unit of height.
    pub(in crate::scene) fn slant(&self) -> f64 {
        hypot(self.slope, 1.0)
    }

    fn radial(&self, v: DVec3) -> DVec3 {
        v - self.axis * v.dot(self.axis)
    }

    #[inline(always)]
    pub(super) fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        let (offset, direction) = (x1 - self.base, x2 - x1);
        let side = side_interval(
            self.radial(offset),
            self.radial(direction),
            self.radius + self.slope * offset.dot(self.axis),
            self.slope * direction.dot(self.axis),
        );
        let Some(height) = self.height else {
            return side;
        };
        let middle = self.base.dot(self.axis);
        let top = HalfSpace { normal: self.axis, offset: middle + height };
        let bottom = HalfSpace { normal: -self.axis, offset: -middle };
        side.intersect(top.interval(x1, x2)).intersect(bottom.interval(x1, x2))
    }

    pub(super) fn distance(&self, point: DVec3) -> f64 {
        let offset = point - self.base;
        let along = offset.dot(self.axis);
        let side = self.side_distance(along, self.radial(offset));
        self.height.map_or(side, |height| side.max(along - height).max(-along))
    }

    /// Distance from the line that the side is turned from.
    fn side_distance(&self, along: f64, radial: DVec3) -> f64 {
        (radial.length() - (self.radius + self.slope * along)) / self.slant()
    }

    /// The unit normal of the surface that is nearest to being crossed at `point`.
    pub(super) fn normal(&self, point: DVec3) -> DVec3 {
        let offset = point - self.base;
        let (along, radial) = (offset.dot(self.axis), self.radial(offset));
        let side = self.side_distance(along, radial);
        match self.height {
            Some(height) if along - height >= side.max(-along) => self.axis,
            Some(_) if -along >= side => -self.axis,
            _ => {
                // At an apex every direction across the axis is as good as another.
                let outward = radial.try_normalize().unwrap_or_else(|| self.axis.any_orthonormal_vector());
                (outward - self.slope * self.axis) / self.slant()
            }
        }
    }

    pub(super) fn support(&self, direction: DVec3) -> f64 {
        let (base, along) = (self.base.dot(direction), self.axis.dot(direction));
        let across = self.radial(direction).length();
        match (self.height, self.top_radius()) {
            (Some(height), Some(top_radius)) => {
                (base + self.radius * across).max(base + height * along + top_radius * across)
            }
            // Bounded where no generator leads that way.
            _ if along + self.slope * across <= 0.0 => base,
            _ => f64::INFINITY,
        }
    }

    /// With the side and the caps moved outwards \[m\]; `None` when nothing is left. A cone moved inwards may end at its
    /// apex before it reaches a cap.
    pub(in crate::scene) fn dilated(&self, by: f64) -> Option<Self> {
        let out = by * self.slant();
        let Some(height) = self.height else {
            return Some(Self { base: self.base - out / self.slope * self.axis, ..*self });
        };
        let radius_at = |h: f64| self.radius + out + self.slope * h;
        let (mut bottom, mut top) = (-by, height + by);
        if self.slope > 0.0 && radius_at(bottom) < 0.0 {
            bottom = -(self.radius + out) / self.slope;
        }
        if self.slope < 0.0 && radius_at(top) < 0.0 {
            top = -(self.radius + out) / self.slope;
        }
        let radius = radius_at(bottom);
        // Above its end an apex may be missed by a rounding.
        let is_apex = radius < 0.0 && bottom > -by;
        let left = top > bottom && (radius >= 0.0 || is_apex);
        left.then(|| Self {
            base: self.base + bottom * self.axis,
            radius: radius.max(0.0),
            height: Some(top - bottom),
            ..*self
        })
    }
}

/// Where |p + lambda q| <= r + lambda s: a line that starts at the distance vector `p` from the axis and moves by `q` away
/// from it, while the cone's radius is `r` and grows by `s`.
///
/// From a pivot that is chosen so that no coefficient of the quadratic cancels, t = lambda - pivot. Its own rounding moves
/// the roots along the line by less than 2^-52 |pivot|, and the border by as much times |q| + |s|: a few roundings of |p|
/// or r.
#[inline(always)]
fn side_interval(p: DVec3, q: DVec3, r: f64, s: f64) -> Interval {
    let (speed, growth) = (q.length(), s.abs());
    if speed.max(growth) < STANDSTILL.sqrt() {
        return Interval::constant(p.length() - r);
    }
    if speed < growth { steep_interval(p, q, r, s) } else { shallow_interval(p, q, r, s) }
}

/// The line runs steeper than the side and stays inside once it is: from the height of the apex,
/// -|A| t^2 + 2 B t + C <= 0 with C >= 0, and the root on the side to which the cone opens counts.
#[inline(always)]
fn steep_interval(p: DVec3, q: DVec3, r: f64, s: f64) -> Interval {
    let pivot = -r / s;
    let apex = p + pivot * q;
    let (speed, growth) = (q.length(), s.abs());
    let a = (growth - speed) * (growth + speed);
    let (b, c) = (s.signum() * apex.dot(q), apex.length_squared());
    let root = (b * b + a * c).sqrt();
    let way = if b >= 0.0 { (b + root) / a } else { c / (root - b) };
    if s > 0.0 {
        Interval { enter: pivot + way, ..Interval::WHOLE }
    } else {
        Interval { exit: pivot - way, ..Interval::WHOLE }
    }
}

/// The line runs shallower than the side, or as steep: from its point nearest to the axis, at the distance n across q,
/// A t^2 - 2 r s t + (n^2 - r^2) <= 0 with A >= 0 and the discriminant q^2 r^2 - A n^2.
#[inline(always)]
fn shallow_interval(p: DVec3, q: DVec3, r: f64, s: f64) -> Interval {
    let (speed, growth) = (q.length(), s.abs());
    let pivot = -p.dot(q) / (speed * speed);
    let (nearest, radius) = ((p + pivot * q).length(), r + pivot * s);
    let a = (speed - growth) * (speed + growth);
    let (wide, narrow) = (speed * radius, a.sqrt() * nearest);
    // The other nappe has radii below 0; at the apex itself there is no way on but along a generator.
    if radius < 0.0 || wide < narrow {
        return Interval::EMPTY;
    }
    let root = ((wide - narrow) * (wide + narrow)).sqrt();
    let middle = radius * s;
    let far = middle.abs() + root;
    if far == 0.0 {
        return match (a > 0.0, nearest == 0.0) {
            (true, _) => Interval { enter: pivot, exit: pivot, flat: false },
            (false, true) => generator(pivot, s),
            (false, false) => Interval::EMPTY,
        };
    }
    let near = (nearest - radius) * (nearest + radius) / far;
    let (enter, exit) = if middle >= 0.0 { (pivot + near, pivot + far / a) } else { (pivot - far / a, pivot - near) };
    // Where the line touches, rounding may turn the two round.
    Interval { enter, exit: exit.max(enter), flat: false }
}

/// The line lies in the side, from the apex on.
fn generator(apex: f64, s: f64) -> Interval {
    if s > 0.0 {
        Interval { enter: apex, flat: true, ..Interval::WHOLE }
    } else {
        Interval { exit: apex, flat: true, ..Interval::WHOLE }
    }
}
