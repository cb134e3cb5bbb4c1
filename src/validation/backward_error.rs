//! Backward error in f32: by how much the surface of a leaf may appear displaced.
//!
//! # What the engine does
//! Points of rays, centres and displacements are formed in f64 relative to a point c near the scene, normals are
//! normalised there, and all are narrowed once. Everything after that is f32, by the formulas of
//! [`crate::scene::Solid`]: mu = x.n - d at both ends of the ray and lambda = mu1/(mu1 - mu2); for curved leaves the
//! nearest point of the line to the centre, the half chord about it, and the root nearer to lambda = 0 from the product
//! of both.
//!
//! With u = 2^-24 (`UNIT_ROUNDOFF`) the relative errors are, in units of u,
//!
//! | operation | error | why |
//! | --- | --- | --- |
//! | narrowing | 1 | to nearest, on the host |
//! | sum, difference, product | 2 | WGSL 15.7.4: correctly rounded, but up or down; a device may fuse them |
//! | quotient | 5 | 2.5 units in the last place |
//! | square root | 9 | 1/inverseSqrt: 2 units and 2.5 |
//! | length of a vector | 12 | half of a dot product's 6, and the root |
//!
//! Results below 2^-126 may be flushed to zero, and directions shorter than 1e-15 m may count as none.
//!
//! # Half spaces
//! Let x1, x2, d be relative to c, n a unit vector, and |v| in a dot product the vector of magnitudes. Each of the
//! three products in x.n carries two narrowings, a product and at most three sums, d a narrowing and three sums, so
//! that mu is off by at most e(x) = u (10 |n|.|x| + 7 |d|). The computed mu1, mu2 are those of a border displaced at
//! lambda by at most |1-lambda| e(x1) + |lambda| e(x2). Difference and quotient add 7 u |lambda|, narrowing the ends of
//! the range another, each u |lambda| being a way of u |lambda (mu1 - mu2)| along n:
//!
//! delta(lambda) = |1-lambda| e(x1) + |lambda| e(x2) + 8 u |lambda| |mu1 - mu2|
//!
//! The forward error of a crossing at lambda is delta/|mu1 - mu2|, that is (|1-lambda| e(x1) + |lambda| e(x2))/|mu1 -
//! mu2| + 8 u |lambda|.
//!
//! # Balls
//! Let P = x1 - centre (L its length), D = x2 - x1, m the lambda of the nearest point, N its distance from the centre,
//! h the half chord as a length, r the radius. Narrowing and the differences displace the point at lambda by u
//! (|1-lambda| |x1| + |lambda| |x2| + |centre| + 2 L + 2 |lambda D|). For the displaced line: m is off by u (6 + 6 + 5)
//! L/|D| (two dot products and the quotient), a way of s = 17 u L along the ray. The nearest point is off by the same
//! s, which hardly changes its distance (it is at right angles, and what it does change fits the wrong m), and by w = 2
//! u |m D| + 2 u N + 12 u N otherwise. (r - N)(r + N)/a carries 2 + 2 + 2 + 6 + 5 = 17 u and the root half of it and 9
//! u, so that h^2 is off by 35 u (r^2 - N^2); r itself was narrowed. At an end of the computed chord the distance from
//! the centre misses r by at most s h/r + w N/r + 17.5 u (r^2 - N^2)/r + u r. Since h and N are at most r, and m D at
//! most L, that is u (17 L + 2 L + 14 r + 17.5 r + r), or u (19 L + 33 r). The sum m - h or m + h adds 2 u |lambda D|.
//!
//! The root from the product p = (L - r)(L + r)/a: let F be the other root as a length. L - r is off by u (12 L + r),
//! which moves the root by u (12 L + r)(L + r)/F along the ray and, at an incidence of cosine h/r, by 3 u (12 L + r) at
//! most across the border (F is at least sqrt(L^2 - r^2) + h: 3 for L <= 2 r, less beyond; inside the ball F >= h and L
//! <= r). Where F^2 is below the error of p, about a point of touch, the root is held within F and is off by 2 F^2/r <=
//! 52 u r at most; there L is r, so 36 u L + 16 u r covers both. The other factors of p and two quotients add 22 u
//! |lambda D|. F's own error is that of the direct root: the quotient of both lies between the roots of the two radii
//! that fit p and F. In all, with 1 u |lambda D| for the ends of the range,
//!
//! delta(lambda) = u (|1-lambda| |x1| + |lambda| |x2| + |centre| + 57 L + 49 r + 27 |lambda D|)
//!
//! # Cylinders
//! The part across the axis, v - a (v.a), is off by 12 u |v| (axis narrowed twice, 6 for the dot product, 2 for the
//! product, 2 for the difference): 12 u (|P| + |lambda D|) more, after which the line is one about a ball in the plane:
//!
//! delta(lambda) = u (|1-lambda| |x1| + |lambda| |x2| + |centre| + 14 |P| + 14 |lambda D| + 55 |P across| + 49 r
//!                    + 25 |lambda D across|)
//!
//! Caps are half spaces whose displacement is computed on the device, as centre.a + h or from points relative to the
//! centre, the second of them x1 - centre + (x2 - x1). The greater of both counts gives, for an end x with the other
//! end y, e(x) = u (14 |a|.|x| + 6 |a|.|y| + 16 |a|.|centre| + 9 h). A cylinder's border is displaced by at most the
//! greater of what side and caps are.
//!
//! Cones, capsules and stretched solids follow in `curved`.
//!
//! All this is the first order in u, for radii large against delta; `SECOND_ORDER` leaves room for the rest, and for
//! the rounding of the judge, which works with 2^-53.
//!
//! # Conventions
//! As in [`crate::scene`]. Displacements are distances across the border \[m\], at a place of the ray given by lambda.

mod curved;

use glam::DVec3;

use crate::query::Ray;
use crate::scene::{Cylinder, HalfSpace, Interval, Solid, Sphere};

/// Half a unit in the last place of 1 in f32.
const UNIT_ROUNDOFF: f64 = 0.5 * f32::EPSILON as f64;
/// Products of relative errors: fewer than 200 u of them are 1.2e-5.
const SECOND_ORDER: f64 = 1.0001;
/// A direction shorter than this may count as none \[m\]; whatever underflows is far less.
const STANDSTILL: f64 = 1e-9;

/// A ray as an engine in f32 sees it: relative to a point near the scene.
#[derive(Clone, Copy, Debug)]
pub struct BackwardError {
    origin: DVec3,
    x1: DVec3,
    x2: DVec3,
    lambda1: f64,
    lambda2: f64,
}

impl BackwardError {
    /// What may happen along a ray; the engine narrows coordinates relative to `origin` \[m\].
    #[must_use]
    pub fn new(ray: &Ray, origin: DVec3) -> Self {
        Self { origin, x1: ray.x1 - origin, x2: ray.x2 - origin, lambda1: ray.lambda1, lambda2: ray.lambda2 }
    }

    /// How far the border of a solid may be displaced at lambda \[m\].
    #[must_use]
    pub fn at(&self, solid: &Solid, lambda: f64) -> f64 {
        SECOND_ORDER * UNIT_ROUNDOFF * self.rounding(solid, lambda) + STANDSTILL * (1.0 + lambda.abs())
    }

    /// How far it may be displaced anywhere in the ray's range \[m\]: a convex function of lambda is greatest at an
    /// end.
    #[must_use]
    pub fn over_range(&self, solid: &Solid) -> f64 {
        self.at(solid, self.lambda1).max(self.at(solid, self.lambda2))
    }

    /// Displacement bound when membership of the ray's point at lambda is tested \[m\]. The point itself is
    /// `x1 + lambda (x2 - x1)` in f32: beyond the narrowing, 4 u of the product's size and 2 u of the sum's.
    #[must_use]
    pub fn of_point(&self, solid: &Solid, lambda: f64) -> f64 {
        let direction = self.x2 - self.x1;
        let point = self.x1 + lambda * direction;
        let spread = 4.0 * lambda.abs() * direction.abs() + 2.0 * point.abs();
        let rounding = match solid {
            Solid::HalfSpace(half_space) => half_space.normal.abs().dot(spread) / half_space.normal.length(),
            _ => spread.length(),
        };
        self.at(solid, lambda) + SECOND_ORDER * UNIT_ROUNDOFF * rounding
    }

    /// The forward error of a crossing at lambda: how far it moves along the ray when the border of the solid is
    /// displaced as far as may be, there or at the place `found` instead. In the first order that is delta over the
    /// rate at which the ray nears the border; for a ray that almost touches a curved leaf this is exact where the
    /// first order is not. `None` when the crossing may move without end.
    #[must_use]
    pub fn of_crossing(&self, solid: &Solid, lambda: f64, found: f64) -> Option<f64> {
        let by = self.at(solid, lambda).max(self.at(solid, found));
        let ends = |solid: Option<Solid>| {
            solid.map_or(Interval::EMPTY, |solid| solid.interval(&(self.origin + self.x1), &(self.origin + self.x2)))
        };
        let (actual, wide, narrow) = (ends(Some(solid.clone())), ends(solid.dilated(by)), ends(solid.dilated(-by)));
        let exits = (lambda - actual.exit).abs() < (lambda - actual.enter).abs();
        let window = match (narrow.is_empty(), exits) {
            // The leaf may be missed, or entered anywhere up to where it is left.
            (true, _) => [wide.enter, wide.exit],
            (false, false) => [wide.enter, narrow.enter],
            (false, true) => [narrow.exit, wide.exit],
        };
        let bound = window.map(|end| (end - lambda).abs()).into_iter().fold(0.0, f64::max);
        bound.is_finite().then_some(bound)
    }

    /// In units of [`UNIT_ROUNDOFF`], as all that follow.
    fn rounding(&self, solid: &Solid, lambda: f64) -> f64 {
        match solid {
            Solid::HalfSpace(half_space) => self.half_space(half_space, lambda),
            Solid::Sphere(ball) => self.ball(ball, lambda),
            Solid::Cylinder(cylinder) => self.cylinder(cylinder, lambda),
            Solid::Cone(cone) => self.cone(cone, lambda),
            Solid::Capsule(capsule) => self.capsule(capsule, lambda),
            Solid::Stretched(stretched) => self.stretched(stretched, lambda),
        }
    }

    fn half_space(&self, half_space: &HalfSpace, lambda: f64) -> f64 {
        let size = half_space.normal.length();
        let normal = half_space.normal / size;
        let offset = half_space.offset / size - normal.dot(self.origin);
        let of_mu = |x: DVec3| 10.0 * normal.abs().dot(x.abs()) + 7.0 * offset.abs();
        self.between_ends(lambda, of_mu(self.x1), of_mu(self.x2)) + self.quotient(normal, lambda)
    }

    fn ball(&self, ball: &Sphere, lambda: f64) -> f64 {
        let center = ball.center - self.origin;
        let way = lambda.abs() * (self.x2 - self.x1).length();
        self.narrowing(center, lambda) + 57.0 * (self.x1 - center).length() + 49.0 * ball.radius + 27.0 * way
    }

    fn cylinder(&self, cylinder: &Cylinder, lambda: f64) -> f64 {
        let axis = cylinder.axis;
        let across = |v: DVec3| (v - axis * v.dot(axis)).length();
        let center = cylinder.center - self.origin;
        let (offset, direction) = (self.x1 - center, self.x2 - self.x1);
        let side = self.narrowing(center, lambda)
            + 14.0 * offset.length()
            + 14.0 * lambda.abs() * direction.length()
            + 55.0 * across(offset)
            + 49.0 * cylinder.radius
            + 25.0 * lambda.abs() * across(direction);
        cylinder.half_height.map_or(side, |half| side.max(self.caps(axis, center, half, lambda)))
    }

    fn caps(&self, axis: DVec3, center: DVec3, half: f64, lambda: f64) -> f64 {
        let along = |v: DVec3| axis.abs().dot(v.abs());
        let of_mu = |x: DVec3, other: DVec3| 14.0 * along(x) + 6.0 * along(other) + 16.0 * along(center) + 9.0 * half;
        self.between_ends(lambda, of_mu(self.x1, self.x2), of_mu(self.x2, self.x1)) + self.quotient(axis, lambda)
    }

    /// What displaces the ray's ends, at lambda.
    fn between_ends(&self, lambda: f64, first: f64, second: f64) -> f64 {
        (1.0 - lambda).abs() * first + lambda.abs() * second
    }

    fn quotient(&self, normal: DVec3, lambda: f64) -> f64 {
        8.0 * lambda.abs() * normal.dot(self.x2 - self.x1).abs()
    }

    fn narrowing(&self, center: DVec3, lambda: f64) -> f64 {
        self.between_ends(lambda, self.x1.length(), self.x2.length()) + center.length()
    }
}
