//! Where one ellipsoid that moves along a line first touches another.
//!
//! The centres from which two ellipses touch bound a convex region, the sum of both. Its point with the outward normal n is
//!
//! ```text
//! x(n) = P_A n / h_A + P_B n / h_B        P = sum of a_i^2 u_i u_i^T, h = sqrt(n . P n)
//! ```
//!
//! The line that enters it at some offset does so with a normal against the motion, n = (-sqrt(1 - s^2), s), where `x_y` of s is
//! the offset. There `x_y` rises with the radius of curvature of the sum, between those of its ends: so there is one
//! root wherever the offset is within reach, and Newton's method within a bracket finds it. Nothing moves through
//! anything, and a graze is a root near an end.
//!
//! # Conventions
//! As in [`super`].

use super::{Both, Vector, dot};
use crate::elementary::{Real, greater, lesser};

/// Rounds of the search, at most: 4 to 8 are the rule.
pub const ROUNDS: u32 = 64;
/// The search ends with a step from where the offset is right to so many epsilons of the longest semi-axis.
pub const RESIDUAL: f64 = 32.0;

/// The ellipses of two vehicles.
#[derive(Clone, Copy, Debug)]
pub struct Vehicles<R> {
    /// Unit vectors along them.
    pub headings: Both<Vector<R>>,
    /// Half of the length and the width of the ellipses.
    pub semi_axes: Vector<R>,
}

/// Where two bodies touch.
#[derive(Clone, Copy, Debug)]
pub struct Tangent<R: Real> {
    /// The search ended.
    pub converged: R::Mask8,
    /// Rounds that it took.
    pub rounds: R,
    /// Unit normal from A to B.
    pub normal: Vector<R>,
    /// From each centre to the contact point.
    pub arms: Both<Vector<R>>,
    /// How far the centre of B is from that of A, along the line.
    pub place: R,
}

impl<R: Real> Vehicles<R> {
    /// P of a body, along x, x and y, and y.
    #[inline(always)]
    pub fn shape(&self, body: usize) -> [R; 3] {
        let [cos, sin] = self.headings[body];
        let (along, across) = (self.semi_axes[0] * self.semi_axes[0], self.semi_axes[1] * self.semi_axes[1]);
        [
            along * (cos * cos) + across * (sin * sin),
            (along - across) * (cos * sin),
            along * (sin * sin) + across * (cos * cos),
        ]
    }

    /// How far from the line the centres may be for the bodies to touch.
    #[inline(always)]
    pub fn reach(&self) -> R {
        self.shape(0)[2].sqrt() + self.shape(1)[2].sqrt()
    }

    /// Where the bodies touch with a normal.
    #[inline(always)]
    pub fn touch(&self, normal: Vector<R>, converged: R::Mask8, rounds: R) -> Tangent<R> {
        let (of_a, of_b) = (arm(&self.shape(0), normal), arm(&self.shape(1), normal));
        Tangent { converged, rounds, normal, arms: [of_a, [-of_b[0], -of_b[1]]], place: of_a[0] + of_b[0] }
    }

    /// `x_y` of s, and how fast it rises.
    #[inline(always)]
    pub fn side(&self, shapes: &Both<[R; 3]>, s: R) -> (R, R) {
        let one = s.like(1.0);
        let normal = [-((one - s) * (one + s)).sqrt(), s];
        // The product of the squared semi-axes.
        let area = self.semi_axes[0] * self.semi_axes[1];
        let square = area * area;
        let (a, rises_a) = share_of_side(&shapes[0], normal, square);
        let (b, rises_b) = share_of_side(&shapes[1], normal, square);
        (a + b, rises_a + rises_b)
    }
}

// No closures: what is compiled for a wider instruction set must be inlined.

/// P n of a body, and its h.
#[inline(always)]
fn stretched<R: Real>(&[xx, xy, yy]: &[R; 3], normal: Vector<R>) -> (Vector<R>, R) {
    let stretched = [xx * normal[0] + xy * normal[1], xy * normal[0] + yy * normal[1]];
    (stretched, dot(stretched, normal).sqrt())
}

/// From a body's centre to its point with a normal.
#[inline(always)]
fn arm<R: Real>(shape: &[R; 3], normal: Vector<R>) -> Vector<R> {
    let (stretched, width) = stretched(shape, normal);
    [stretched[0] / width, stretched[1] / width]
}

/// What a body adds to `x_y`, and to how fast that rises; `square` is the product of the squared semi-axes.
#[inline(always)]
fn share_of_side<R: Real>(shape: &[R; 3], normal: Vector<R>, square: R) -> (R, R) {
    let (stretched, width) = stretched(shape, normal);
    (stretched[1] / width, square / (width * width * width))
}

/// The first place on the line at some offset where the bodies touch, to some epsilons.
#[inline(always)]
pub fn search<R: Real>(vehicles: &Vehicles<R>, offset: R, epsilon: f64) -> Tangent<R> {
    let (zero, one, half) = (offset.like(0.0), offset.like(1.0), offset.like(0.5));
    let shapes = [vehicles.shape(0), vehicles.shape(1)];
    let tolerance = greatest(vehicles.semi_axes) * one.like(RESIDUAL * epsilon);
    let (mut low, mut high) = (-one, one);
    // As for balls.
    let mut s = offset / vehicles.reach();
    s = R::select(s.gt(one), one, R::select((-one).gt(s), -one, s));
    let (mut done, mut rounds) = (zero.gt(one), zero);
    for _ in 0..ROUNDS {
        rounds = R::select(done, rounds, rounds + one);
        let (side, rise) = vehicles.side(&shapes, s);
        let missing = offset - side;
        let ends = !missing.abs().gt(tolerance);
        low = R::select(missing.gt(zero), s, low);
        high = R::select(zero.gt(missing), s, high);
        let next = s + missing / rise;
        let kept = next.gt(low) & high.gt(next);
        let guarded = R::select(kept, next, (low + high) * half);
        // The last step needs no guard: rounding alone takes it out of the bracket.
        let last = lesser(greater(next, -one), one);
        s = R::select(done, s, R::select(ends, last, guarded));
        done = done | ends;
        if !R::any(!done) {
            break;
        }
    }
    vehicles.touch([-((one - s) * (one + s)).sqrt(), s], done, rounds)
}

#[inline(always)]
fn greatest<R: Real>(semi_axes: Vector<R>) -> R {
    greater(semi_axes[0], semi_axes[1])
}
