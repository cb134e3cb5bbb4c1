//! Cones, capsules and stretched solids.
//!
//! # Cones
//! With cosine c and sine s of half the opening angle, p = c (P across the axis), q = c (D across), r = c r0 + s P.a and
//! g = s D.a, the side is where |p + lambda q| <= r + lambda g, and the difference of both sides *is* the distance across
//! it: an error of either is a displacement. c and c r0 are narrowed; P across is off by 12 u |P| (see cylinders), its
//! product with c by 3 u |p|; s P.a by 1 + 7 + 2 u s |P| and the sum by 2 u of both terms; the same for D. As 12 c + 12 s is
//! at most 17, p and r displace by u (17 |P| + 3 |p| + 3 c r0), q and g by u |lambda| (17 |D| + 3 |q|), and the differences
//! P and D by 2 u of each. Let rho be the greater of |p + lambda q| and r + lambda g, and G their squares' difference: a
//! change of G displaces by half of it over rho.
//!
//! *A line shallower than the side*, |q| >= |g|: the pivot is off by 17 u |p|/|q| (as m of a ball), a way of 17 u |p|; the
//! distance n of the nearest point by 2 u |p| + 14 u n, the radius R there by 2 u |p| + 2 u R. With t for lambda less the
//! pivot, G = A t^2 - 2 R g t + (n^2 - R^2): A carries 30 u q^2 (that is 15 u |q t| of displacement), R g 2 u (4 u |q t|) and
//! the product (n - R)(n + R) 6 u (27 u rho). The discriminant q^2 R^2 - A n^2 is off by at most 58 u q^2 (R^2 + n^2); that
//! displaces the nearer root, C over the sum F, by 29 u |t| q^2 (R^2 + n^2)/(F rho), at most 210 u rho (n < 2 R bounds it by
//! 7.1 rho^2, n >= 2 R by 1.7), and the farther one, F/A, by no more. Root, quotients and sums move t by another 20 u |t|.
//! n and |q t| are at most rho, R at most 2 rho: in all 21 u |p| + 300 u rho.
//!
//! *A steeper one*: the height of the apex carries 5 u |r|, the point there 2 u |r| + 4 u rho; its square, its product with q
//! and A 12 + 12 + 15 u rho, the discriminant 21 u rho, the root and the quotient 44 u rho: 7 u |r| + 108 u rho.
//!
//! Adding the pivot displaces by 2 u |lambda| (|q| + |g|). In all
//!
//! delta(lambda) = u (|1-lambda| |x1| + |lambda| |x2| + |base| + 19 |P| + 19 |lambda D| + 24 |p| + 5 |lambda q|
//!                    + 2 |lambda g| + 7 |r| + 3 c r0 + 300 rho)
//!
//! Caps are those of a cylinder, their heights relative to the base.
//!
//! # Capsules
//! The balls stand at the ends, which are off by 4 u of half the length l; beyond what a ball has, 2 u of the distance P from
//! the middle and 4 u l. The cylinder between them is displaced by its side's delta and, along the axis, by its caps': a
//! part of an eroded capsule that a cap cuts off is within the ball behind it when that is eroded by the caps' delta less.
//! So the line's part inside is that of a capsule displaced by the greater of ends and side, and the caps' delta.
//!
//! # Stretched solids
//! Local coordinates are M (x - centre), M scaled so that nothing is longer there than in the world, and a border that is
//! displaced by delta there is one of [`crate::scene::Solid::dilated`] by delta. Narrowing displaces x1, x2 and the centre as ever, the
//! difference carries 2 u, the product with M 1 + 2 + 4 (entries, products, sums): the length of
//!
//! |M| u (|1-lambda| |x1| + |lambda| |x2| + |centre| + 9 |x1 - centre| + 9 |lambda (x2 - x1)|)
//!
//! taken entry by entry, and then whatever the solid has in local coordinates, where its numbers are narrowed as well.

use glam::{DMat3, DVec3};

use super::BackwardError;
use crate::scene::{Affine, Capsule, Cone, Cylinder, Stretched};

/// A vector less its part along a unit vector.
fn across(axis: DVec3, v: DVec3) -> DVec3 {
    v - axis * v.dot(axis)
}

impl BackwardError {
    pub(super) fn cone(&self, cone: &Cone, lambda: f64) -> f64 {
        let cosine = 1.0 / cone.slope.hypot(1.0);
        let sine = cone.slope * cosine;
        let center = cone.base - self.origin;
        let (offset, direction) = (self.x1 - center, self.x2 - self.x1);
        let (p, q) = (cosine * across(cone.axis, offset), cosine * across(cone.axis, direction));
        let (base_radius, g) = (cosine * cone.radius, sine * direction.dot(cone.axis));
        let r = base_radius + sine * offset.dot(cone.axis);
        let rho = (p + lambda * q).length().max((r + lambda * g).abs());
        let side = self.narrowing(center, lambda)
            + 19.0 * (offset.length() + lambda.abs() * direction.length())
            + 24.0 * p.length()
            + lambda.abs() * (5.0 * q.length() + 2.0 * g.abs())
            + 7.0 * r.abs()
            + 3.0 * base_radius
            + 300.0 * rho;
        cone.height.map_or(side, |height| side.max(self.caps(cone.axis, center, height, lambda)))
    }

    pub(super) fn capsule(&self, capsule: &Capsule, lambda: f64) -> f64 {
        let half = 0.5 * (capsule.to - capsule.from);
        let (axis, half_length) = (half.try_normalize().unwrap_or(DVec3::Z), half.length());
        let center = capsule.from + half - self.origin;
        let offset = self.x1 - center;
        let farther_end = (offset - half).length().max((offset + half).length());
        let way = lambda.abs() * (self.x2 - self.x1).length();
        let ends = self.narrowing(center, lambda)
            + 2.0 * offset.length()
            + 4.0 * half_length
            + 57.0 * farther_end
            + 49.0 * capsule.radius
            + 27.0 * way;
        let shaft = Cylinder { center: center + self.origin, axis, radius: capsule.radius, half_height: None };
        ends.max(self.cylinder(&shaft, lambda)) + self.caps(axis, center, half_length, lambda)
    }

    pub(super) fn stretched(&self, stretched: &Stretched, lambda: f64) -> f64 {
        let Stretched { center, to_local, base, least_stretch, .. } = stretched;
        let to_local = *least_stretch * *to_local;
        let center = *center - self.origin;
        let (offset, direction) = (self.x1 - center, self.x2 - self.x1);
        let spread = (1.0 - lambda).abs() * self.x1.abs()
            + lambda.abs() * self.x2.abs()
            + center.abs()
            + 9.0 * offset.abs()
            + 9.0 * lambda.abs() * direction.abs();
        let magnitudes = DMat3::from_cols(to_local.x_axis.abs(), to_local.y_axis.abs(), to_local.z_axis.abs());
        let local = Self {
            origin: DVec3::ZERO,
            x1: to_local * offset,
            x2: to_local * (self.x2 - center),
            lambda1: self.lambda1,
            lambda2: self.lambda2,
        };
        let scaled = base.transformed(&Affine::new(DMat3::from_diagonal(DVec3::splat(*least_stretch)), DVec3::ZERO));
        (magnitudes * spread).length() + local.rounding(&scaled, lambda)
    }
}
