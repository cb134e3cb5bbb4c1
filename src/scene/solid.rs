//! The convex leaves of a scene, and where a line runs inside them.
//!
//! # Conventions
//! World coordinates in metres, z up. A half space (n, d) is inside where x.n - d <= 0; n need not be a unit
//! vector. Stored normals point out of the solid: a half space's own n as it was given, unit vectors for the
//! curved solids. Lambda runs along x1 + lambda (x2 - x1); it has no unit.

use glam::{DQuat, DVec3};

/// A half space (document 000, "Half Spaces"): inside where x.n - d <= 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Normal n, pointing outwards, not necessarily a unit vector.
    pub normal: DVec3,
    /// Displacement d, in metres times the length of n.
    pub offset: f64,
}

/// A ball: inside where |x - center| <= radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre \[m\].
    pub center: DVec3,
    /// Radius \[m\], not negative.
    pub radius: f64,
}

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

/// Any convex leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// A half space.
    HalfSpace(HalfSpace),
    /// A ball.
    Sphere(Sphere),
    /// A cylinder.
    Cylinder(Cylinder),
}

/// The part of a line inside a convex solid: lambda in [enter, exit], empty when `enter > exit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// First lambda inside.
    pub enter: f64,
    /// Last lambda inside.
    pub exit: f64,
    /// The whole line lies in the border (errata 000.7).
    pub flat: bool,
}

impl Interval {
    /// Nowhere inside.
    pub const EMPTY: Self = Self { enter: f64::INFINITY, exit: f64::NEG_INFINITY, flat: false };
    /// Inside everywhere.
    pub const WHOLE: Self = Self { enter: f64::NEG_INFINITY, exit: f64::INFINITY, flat: false };

    /// Inside everywhere or nowhere, by the sign of a distance that does not change along the line.
    fn constant(distance: f64) -> Self {
        if distance > 0.0 { Self::EMPTY } else { Self { flat: distance == 0.0, ..Self::WHOLE } }
    }

    /// True when no lambda is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.enter > self.exit
    }

    /// True when the border of the solid is met at lambda. A line that lies in the plane of a cap lies in the border
    /// only where it is in the solid.
    #[must_use]
    pub(crate) fn is_border(&self, lambda: f64) -> bool {
        let within = (lambda >= self.enter) & (lambda <= self.exit);
        (lambda == self.enter) | (lambda == self.exit) | (self.flat & within)
    }

    fn intersect(self, other: Self) -> Self {
        let both =
            Self { enter: self.enter.max(other.enter), exit: self.exit.min(other.exit), flat: self.flat || other.flat };
        if both.is_empty() { Self::EMPTY } else { both }
    }
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
}

/// Below this squared length \[m^2\] a direction does not move a point: lambdas of sizes up to [`LIMITS`] would overflow.
///
/// [`LIMITS`]: super::LIMITS
const STANDSTILL: f64 = 1e-180;

/// Where the point `offset + lambda direction` is at most `radius` from the origin.
#[inline(never)]
fn ball_interval(offset: DVec3, direction: DVec3, radius: f64) -> Interval {
    let a = direction.length_squared();
    if a < STANDSTILL {
        return Interval::constant(offset.length() - radius);
    }
    let middle = -offset.dot(direction) / a;
    // The squared half chord from the nearest point of the line: b^2 - a c would cancel far from the ball.
    let nearest = offset + middle * direction;
    let half_chord_squared = (radius - nearest.length()) * (radius + nearest.length()) / a;
    if half_chord_squared < 0.0 {
        return Interval::EMPTY;
    }
    let half_chord = half_chord_squared.sqrt();
    let (near, far) = (middle - half_chord, middle + half_chord);
    // The root nearer to lambda = 0 loses digits by subtraction; the product of the roots restores them. Where the line
    // touches the ball about lambda = 0 the product is nothing but rounding, so the nearer root is held to be nearer.
    let product = (offset.length() - radius) * (offset.length() + radius) / a;
    if middle > 0.0 && far > 0.0 {
        Interval { enter: (product / far).clamp(-far, far), exit: far, flat: false }
    } else if middle < 0.0 && near < 0.0 {
        Interval { enter: near, exit: (product / near).clamp(near, -near), flat: false }
    } else {
        Interval { enter: near, exit: far, flat: false }
    }
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

    #[inline(never)]
    fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        let side = ball_interval(self.radial(x1 - self.center), self.radial(x2 - x1), self.radius);
        match self.caps() {
            None => side,
            Some([top, bottom]) => side.intersect(top.interval(x1, x2)).intersect(bottom.interval(x1, x2)),
        }
    }

    fn distance(&self, point: DVec3) -> f64 {
        let offset = point - self.center;
        let side = self.radial(offset).length() - self.radius;
        self.half_height.map_or(side, |half| side.max(offset.dot(self.axis).abs() - half))
    }

    /// The unit normal of the surface that is nearest to being crossed at `point`.
    fn normal(&self, point: DVec3) -> DVec3 {
        let offset = point - self.center;
        let (along, radial) = (offset.dot(self.axis), self.radial(offset));
        let side = radial.length() - self.radius;
        match self.half_height {
            Some(half) if along.abs() - half >= side => self.axis * along.signum(),
            // On the axis every direction is as good as another; only a cylinder of radius 0 gets here.
            _ => radial.try_normalize().unwrap_or_else(|| self.axis.any_orthonormal_vector()),
        }
    }
}

impl Solid {
    /// The part of the line through `x1` (lambda 0) and `x2` (lambda 1) that is inside.
    #[must_use]
    #[inline(always)] // The innermost step of every ray: a call costs as much as the half space.
    pub fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        match self {
            Self::HalfSpace(half_space) => half_space.interval(x1, x2),
            Self::Sphere(ball) => ball_interval(x1 - ball.center, x2 - x1, ball.radius),
            Self::Cylinder(cylinder) => cylinder.interval(x1, x2),
        }
    }

    /// True inside or on the border.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        self.distance(point) <= 0.0
    }

    /// A signed distance \[m\]: zero on the border, negative inside, never more than the true distance outside.
    ///
    /// Half spaces with a normal that is not a unit vector give a multiple of it.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> f64 {
        match self {
            Self::HalfSpace(half_space) => half_space.distance(point),
            Self::Sphere(ball) => (point - ball.center).length() - ball.radius,
            Self::Cylinder(cylinder) => cylinder.distance(point),
        }
    }

    /// The outward normal at a point of the border: as stored for a half space, a unit vector otherwise.
    #[must_use]
    pub fn normal(&self, point: DVec3) -> DVec3 {
        match self {
            Self::HalfSpace(half_space) => half_space.normal,
            // At the centre of a ball of radius 0 every direction is as good as another.
            Self::Sphere(ball) => (point - ball.center).try_normalize().unwrap_or(DVec3::Z),
            Self::Cylinder(cylinder) => cylinder.normal(point),
        }
    }

    /// The same solid, first rotated about the world's origin, then moved.
    #[must_use]
    pub fn transformed(&self, rotation: DQuat, translation: DVec3) -> Self {
        match *self {
            Self::HalfSpace(HalfSpace { normal, offset }) => {
                let normal = rotate(rotation, normal);
                Self::HalfSpace(HalfSpace { normal, offset: offset + normal.dot(translation) })
            }
            Self::Sphere(Sphere { center, radius }) => {
                Self::Sphere(Sphere { center: rotate(rotation, center) + translation, radius })
            }
            Self::Cylinder(cylinder) => Self::Cylinder(Cylinder {
                center: rotate(rotation, cylinder.center) + translation,
                axis: rotate(rotation, cylinder.axis),
                ..cylinder
            }),
        }
    }
}

/// Rotation that leaves every bit alone when there is nothing to rotate.
fn rotate(rotation: DQuat, v: DVec3) -> DVec3 {
    if rotation == DQuat::IDENTITY { v } else { rotation * v }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // One case in some ten thousand is ill enough.
        #![proptest_config(ProptestConfig { cases: 1_000_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// A line that touches the ball about where it starts: neither root is far from lambda = 0, and the product of
        /// both is nothing but rounding.
        #[test]
        fn a_line_that_starts_at_the_point_of_touch_keeps_both_ends_on_the_border(
            radius in 0.2..4.0,
            toward in -1.0..1.0,
            tilt_exponent in -17.0..-5.0,
            height_exponent in -17.0..-7.0,
            sign in prop::sample::select(vec![-1.0, 0.0, 1.0]),
        ) {
            let normal = DVec3::new(0.36, 0.48, 0.8);
            let across = normal.cross(DVec3::new(toward, 1.0, 0.3)).normalize();
            let offset = normal * radius * (1.0 + sign * 10f64.powf(height_exponent));
            let direction = across - normal * 10f64.powf(tilt_exponent);
            let inside = ball_interval(offset, direction, radius);
            for lambda in [inside.enter, inside.exit].into_iter().filter(|lambda| lambda.is_finite()) {
                let distance = (offset + lambda * direction).length() - radius;
                // A hundred roundings of numbers up to 5.
                prop_assert!(distance.abs() < 100.0 * 5.0 * f64::EPSILON, "{lambda} is {distance} m off");
            }
        }
    }
}
