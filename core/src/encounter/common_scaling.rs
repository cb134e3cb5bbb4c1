//! Two ellipses scaled by a common factor until they touch: the contact function of Perram and Wertheim, in the plane.
//!
//! With the shapes `P_A` and `P_B` of [`super::tangent`], r from A to B and `M = (1 - l) P_A + l P_B`, the function
//!
//! ```text
//! F(l) = l (1 - l) r . M^-1 r,        F' = (1 - l)^2 n . P_A n - l^2 n . P_B n,       n = M^-1 r
//! ```
//!
//! is concave; its greatest value is the square of the factor, and n there the normal. In the plane the adjugate of M is
//! linear in l, so that `n . P_A n` and all the rest are quadratic in l with coefficients that are sums of positive numbers:
//! nothing cancels, and a round of the search costs some twenty operations. For bodies of the same size det P is the same.
//!
//! # Conventions
//! As in [`super`].

use super::running_gear::rotated;
use super::{Both, Vector, cross, dot};
use crate::elementary::Real;

/// Rounds of the search, at most: 3 to 6 are the rule.
pub const ROUNDS: u32 = 64;
/// The search ends where F' is 0 to so many epsilons of what F may be at most.
pub const RESIDUAL: f64 = 32.0;

/// What F and its derivatives are made of.
#[derive(Clone, Copy, Debug)]
pub struct ContactFunction<R> {
    headings: Both<Vector<R>>,
    /// Half of the length and the width, squared.
    squares: Vector<R>,
    /// det P of both.
    area: R,
    /// What det M has of either.
    mixed: R,
    /// r . adj(P) r of both.
    own: Both<R>,
    /// Of `adj(P_B) r` in A, and of `adj(P_A) r` in B.
    other: Both<R>,
    /// adj(P) r of both.
    normals: Both<Vector<R>>,
}

/// F' at some l.
#[derive(Clone, Copy, Debug)]
pub struct Slope<R> {
    /// F'
    pub slope: R,
    /// F''
    pub curvature: R,
}

/// Two ellipses under the common factor.
#[derive(Clone, Copy, Debug)]
pub struct CommonScaling<R: Real> {
    /// The search ended.
    pub converged: R::Mask8,
    /// The square of the factor: 1 where they touch, below it where they overlap.
    pub square: R,
    /// Unit normal from A to B.
    pub normal: Vector<R>,
    /// From each centre to the point where the scaled ellipses touch.
    pub arms: Both<Vector<R>>,
}

impl<R: Copy> ContactFunction<R> {
    /// Of other numbers, each from its own.
    pub fn map<T>(&self, of: impl Fn(R) -> T + Copy) -> ContactFunction<T> {
        ContactFunction {
            headings: self.headings.map(|heading| heading.map(of)),
            squares: self.squares.map(of),
            area: of(self.area),
            mixed: of(self.mixed),
            own: self.own.map(of),
            other: self.other.map(of),
            normals: self.normals.map(|normal| normal.map(of)),
        }
    }
}

impl<R: Real> ContactFunction<R> {
    /// Of two ellipses with these headings and semi-axes, and the way from A to B.
    #[inline(always)]
    pub fn new(headings: Both<Vector<R>>, semi_axes: Vector<R>, apart: Vector<R>) -> Self {
        let squares = semi_axes.map(|half| half * half);
        let [long, short] = squares;
        let area = long * short;
        let (cos, sin) = (dot(headings[0], headings[1]), cross(headings[0], headings[1]));
        let mixed = area * (cos * cos) + area * (cos * cos) + (long * long + short * short) * (sin * sin);
        let (own_a, normal_a) = narrowed(headings[0], squares, apart);
        let (own_b, normal_b) = narrowed(headings[1], squares, apart);
        let other = [widened(headings[0], squares, normal_b), widened(headings[1], squares, normal_a)];
        Self { headings, squares, area, mixed, own: [own_a, own_b], other, normals: [normal_a, normal_b] }
    }

    /// det M.
    #[inline(always)]
    fn determinant(&self, l: R, rest: R) -> R {
        self.area * (rest * rest + l * l) + l * rest * self.mixed
    }

    /// At l; `rest` is 1 - l.
    #[inline(always)]
    pub fn at(&self, l: R, rest: R) -> Slope<R> {
        let Self { area, own: [own_a, own_b], other: [other_a, other_b], .. } = *self;
        let two = l.like(2.0);
        let both = two * (l * rest);
        let width_a = area * (rest * rest * own_a + both * own_b) + l * l * other_a;
        let width_b = area * (l * l * own_b + both * own_a) + rest * rest * other_b;
        let determinant = self.determinant(l, rest);
        let square = determinant * determinant;
        let difference = rest * rest * width_a - l * l * width_b;
        let slope = difference / square;
        // How all of that changes.
        let turning = rest - l;
        let rise_a = two * (area * (turning * own_b - rest * own_a) + l * other_a);
        let rise_b = two * (area * (turning * own_a + l * own_b) - rest * other_b);
        let rise = rest * (rest * rise_a - two * width_a) - l * (l * rise_b + two * width_b);
        let stretch = turning * (self.mixed - two * area) / determinant;
        Slope { slope, curvature: rise / square - two * slope * stretch }
    }

    /// What F is at most, on either side.
    #[inline(always)]
    pub fn most(&self) -> R {
        (self.own[0] + self.own[1]) / self.area
    }

    /// From a centre to the contact point, for its share.
    #[inline(always)]
    fn arm(&self, body: usize, normal: Vector<R>, factor: R) -> Vector<R> {
        let ([long, short], heading) = (self.squares, self.headings[body]);
        let local = [long * dot(heading, normal), short * cross(heading, normal)];
        let [x, y] = rotated(heading, local);
        [factor * x, factor * y]
    }

    /// The ellipses under the factor of some l.
    #[inline(always)]
    pub fn scaled(&self, l: R, converged: R::Mask8) -> CommonScaling<R> {
        let rest = l.like(1.0) - l;
        let determinant = self.determinant(l, rest);
        let square = l * rest * (rest * self.own[0] + l * self.own[1]) / determinant;
        let [a, b] = self.normals;
        let normal = [rest * a[0] + l * b[0], rest * a[1] + l * b[1]];
        let size = dot(normal, normal).sqrt();
        CommonScaling {
            converged,
            square,
            normal: [normal[0] / size, normal[1] / size],
            arms: [self.arm(0, normal, rest / determinant), self.arm(1, normal, -l / determinant)],
        }
    }
}

/// r . adj(P) r and adj(P) r of a body.
#[inline(always)]
fn narrowed<R: Real>(heading: Vector<R>, [long, short]: Vector<R>, apart: Vector<R>) -> (R, Vector<R>) {
    let local = [dot(heading, apart), cross(heading, apart)];
    let stretched = [short * local[0], long * local[1]];
    (short * (local[0] * local[0]) + long * (local[1] * local[1]), rotated(heading, stretched))
}

/// n . P n of a body.
#[inline(always)]
fn widened<R: Real>(heading: Vector<R>, [long, short]: Vector<R>, normal: Vector<R>) -> R {
    let (along, across) = (dot(heading, normal), cross(heading, normal));
    long * (along * along) + short * (across * across)
}

/// The l where F is greatest, to some epsilons, and whether it was found.
#[inline(always)]
pub fn greatest<R: Real>(function: &ContactFunction<R>, epsilon: f64) -> (R, R::Mask8) {
    let (zero, one, half) = (function.area.like(0.0), function.area.like(1.0), function.area.like(0.5));
    let tolerance = one.like(RESIDUAL * epsilon) * function.most();
    let (mut low, mut high, mut l) = (zero, one, half);
    let mut done = zero.gt(one);
    for _ in 0..ROUNDS {
        let Slope { slope, curvature } = function.at(l, one - l);
        done = done | !slope.abs().gt(tolerance);
        if !R::any(!done) {
            break;
        }
        low = R::select(slope.gt(zero), l, low);
        high = R::select(zero.gt(slope), l, high);
        let next = l - slope / curvature;
        let kept = next.gt(low) & high.gt(next);
        l = R::select(done, l, R::select(kept, next, (low + high) * half));
    }
    (l, done)
}

/// The ellipses under their common factor.
#[inline(always)]
pub fn common_scaling<R: Real>(function: &ContactFunction<R>) -> CommonScaling<R> {
    let (l, converged) = greatest(function, f64::EPSILON);
    function.scaled(l, converged)
}
