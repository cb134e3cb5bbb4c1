//! A single contact, solved exactly.
//!
//! For u = W r + q under Coulomb's law one of three cases holds:
//!
//! - separation: r = 0, which requires `q_N >= 0`;
//! - sticking: u = 0, r = -W^-1 q, which must lie in the cone;
//! - sliding: `u_N = 0`, `|r_T| = mu r_N`, and `u_T = -lambda r_T` with lambda > 0.
//!
//! Sliding (Bonnefon and Daviet 2011): eliminating the normal impulse, with
//! `A = W_TT - W_TN W_NT / W_NN` and `b = q_T - W_TN q_N / W_NN`,
//!
//! ```text
//! (A + lambda I) r_T = -b,   r_N = -(q_N + W_NT r_T) / W_NN,   g(lambda) = |r_T| - mu r_N = 0
//! ```
//!
//! Every root lambda > 0 of g is a solution, and there are no others. If the contact approaches and does not stick
//! there is one: g is continuous, positive at 0 (sticking lies outside the cone) and negative at infinity (`r_T`
//! vanishes, `r_N` does not).
//!
//! Number of roots: at a root the derivative of `mu r_N / |r_T|` with respect to lambda has the sign of
//! `(r_T / |r_T| + mu W_NT / W_NN) . s`, where `s = (A + lambda I)^-1 r_T`. It is positive at every root, so that the
//! root is unique, if `mu |W_NT| / W_NN` is below the cosine between `r_T` and s, which is at least the ratio of A's
//! smallest symmetric eigenvalue to its norm. Otherwise there may be several, among those of the quartic
//! `P = det(A + lambda I)^2 (|r_T|^2 - mu^2 r_N^2)`. Between its critical points P is monotonic and g has at most one
//! root; the signs of g at these points tell which intervals have one. The largest root is taken, which has the
//! smallest tangential impulse (for symmetric W, as `|r_T|` then decreases with lambda).
//!
//! # Conventions
//! Components are ordered normal, then both tangents.

use glam::{DMat2, DMat3, DVec2, DVec3};

/// Smallest ratio of the extreme symmetric eigenvalues of a block, estimated: below, sticking is lost in rounding.
const MIN_RATIO: f64 = 1e-12;
/// Maximum number of steps to a root: safeguarded Newton takes some five, bisection of exponent and digits fewer than
/// this.
const MAX_STEPS: usize = 200;
/// Relative tolerance on `|r_T| / (mu r_N)` at a root: two roundings.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// The block of a contact with its friction coefficient, prepared to be solved for any q.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactBlock {
    /// `W_NN`; all below is of `W / W_NN`.
    normal: f64,
    friction: f64,
    /// `W_NT` and `W_TN`.
    row: DVec2,
    column: DVec2,
    /// A.
    schur: DMat2,
    has_one_root: bool,
}

impl ContactBlock {
    /// `None` if the symmetric part of the block is not positive definite, to rounding.
    pub fn new(matrix: DMat3, friction: f64) -> Option<Self> {
        let normal = matrix.x_axis.x;
        if normal.is_nan() || normal <= 0.0 {
            return None;
        }
        let matrix = matrix * (1.0 / normal);
        let row = DVec2::new(matrix.y_axis.x, matrix.z_axis.x);
        let column = DVec2::new(matrix.x_axis.y, matrix.x_axis.z);
        let tangential = DMat2::from_cols(
            DVec2::new(matrix.y_axis.y, matrix.y_axis.z),
            DVec2::new(matrix.z_axis.y, matrix.z_axis.z),
        );
        let schur = tangential - DMat2::from_cols(column * row.x, column * row.y);
        // Cholesky's last step of the symmetric part: its own Schur complement must be positive definite.
        let mean = 0.5 * (row + column);
        let symmetric = 0.5 * (tangential + tangential.transpose()) - DMat2::from_cols(mean * mean.x, mean * mean.y);
        let largest = tangential.x_axis.x.max(tangential.y_axis.y).max(1.0);
        let least = least_eigenvalue(symmetric);
        if least.is_nan() || least <= MIN_RATIO * largest {
            return None;
        }
        let norm = (schur.x_axis.length_squared() + schur.y_axis.length_squared()).sqrt();
        let cosine = least_eigenvalue(0.5 * (schur + schur.transpose())) / norm;
        let has_one_root = friction * row.length() < cosine;
        Some(Self { normal, friction, row, column, schur, has_one_root })
    }

    /// `W_NN`.
    pub fn normal(&self) -> f64 {
        self.normal
    }

    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// The impulse r that solves the contact for u = W r + q.
    pub fn solve(&self, q: DVec3) -> DVec3 {
        if q.x >= 0.0 {
            return DVec3::ZERO;
        }
        let q = q / self.normal;
        if self.friction == 0.0 {
            return DVec3::new(-q.x, 0.0, 0.0);
        }
        let question = Question { block: self, normal: q.x, tangential: DVec2::new(q.y, q.z) - self.column * q.x };
        let (normal, tangential) = question.impulse(0.0);
        if tangential.length() <= self.friction * normal {
            return DVec3::new(normal, tangential.x, tangential.y);
        }
        let Some(lambda) = question.largest_root() else { return DVec3::new(-q.x, 0.0, 0.0) };
        let (normal, tangential) = question.impulse(lambda);
        // Project onto the cone, against rounding in the last step.
        let tangential = tangential * (self.friction * normal / tangential.length());
        DVec3::new(normal, tangential.x, tangential.y)
    }
}

/// Of a symmetric matrix.
fn least_eigenvalue(matrix: DMat2) -> f64 {
    let (sum, difference) = (matrix.x_axis.x + matrix.y_axis.y, matrix.x_axis.x - matrix.y_axis.y);
    0.5 * (sum - DVec2::new(difference, 2.0 * matrix.x_axis.y).length())
}

/// A block and a q, scaled to `W_NN` = 1.
struct Question<'a> {
    block: &'a ContactBlock,
    /// `q_N`.
    normal: f64,
    /// b.
    tangential: DVec2,
}

impl Question<'_> {
    /// (A + lambda I)^-1 x.
    fn solve(&self, lambda: f64, x: DVec2) -> DVec2 {
        let DMat2 { x_axis: DVec2 { x: a, y: c }, y_axis: DVec2 { x: b, y: d } } = self.block.schur;
        let (a, d) = (a + lambda, d + lambda);
        DVec2::new(d * x.x - b * x.y, a * x.y - c * x.x) / (a * d - b * c)
    }

    /// `r_N` and `r_T`; where lambda is 0, those of sticking.
    fn impulse(&self, lambda: f64) -> (f64, DVec2) {
        let tangential = -self.solve(lambda, self.tangential);
        (-(self.normal + self.block.row.dot(tangential)), tangential)
    }

    /// The largest root; `None` if `r_T` is negligible against `r_N`.
    fn largest_root(&self) -> Option<f64> {
        let friction = self.block.friction;
        // |r_T| <= |b| / lambda, as A is positive definite, and r_N >= -q_N - |W_NT| |r_T|: above this g is negative.
        let most = self.tangential.length() * (1.0 + friction * self.block.row.length()) / (friction * -self.normal);
        if !(most > 0.0 && most < 1e100) {
            return None;
        }
        let (mut low, mut high) = (0.0, most);
        if !self.block.has_one_root {
            for point in self.critical_points(most).into_iter().rev().flatten() {
                let (normal, tangential) = self.impulse(point);
                if tangential.length() >= friction * normal {
                    low = point;
                    break;
                }
                high = point;
            }
        }
        Some(self.root_between(low, high))
    }

    /// The root of `mu r_N / |r_T| - 1`, which has the roots of g and is nearly linear (More and Sorensen 1983): by
    /// Newton's method, safeguarded by bisection.
    fn root_between(&self, mut low: f64, mut high: f64) -> f64 {
        let friction = self.block.friction;
        let mut lambda = low;
        for _ in 0..MAX_STEPS {
            let (normal, tangential) = self.impulse(lambda);
            let length = tangential.length();
            let value = friction * normal / length - 1.0;
            if value.abs() <= ROUNDING {
                break;
            }
            if value < 0.0 {
                low = lambda;
            } else {
                high = lambda;
            }
            let slope = self.solve(lambda, tangential);
            let slope =
                friction * (self.block.row.dot(slope) + normal * tangential.dot(slope) / (length * length)) / length;
            let newton = lambda - value / slope;
            let next = if newton > low && newton < high { newton } else { middle(low, high) };
            if next == lambda || !(low < next && next < high) {
                break;
            }
            lambda = next;
        }
        lambda
    }

    /// Zeros of the quartic's derivative between 0 and `most`, in ascending order.
    fn critical_points(&self, most: f64) -> [Option<f64>; 3] {
        let DMat2 { x_axis: DVec2 { x: a, y: c }, y_axis: DVec2 { x: b, y: d } } = self.block.schur;
        let (det, trace) = (a * d - b * c, a + d);
        // det(A + lambda I) r_T = t + lambda t', and the same of r_N: n + lambda n' + lambda^2 n''.
        let t1 = -self.tangential;
        let t0 = DVec2::new(d * t1.x - b * t1.y, a * t1.y - c * t1.x);
        let row = self.block.row;
        let n = [-self.normal * det - row.dot(t0), -self.normal * trace - row.dot(t1), -self.normal];
        let squared = self.block.friction * self.block.friction;
        let derivative = [
            2.0 * (t0.dot(t1) - squared * n[0] * n[1]),
            2.0 * (t1.length_squared() - squared * (n[1] * n[1] + 2.0 * n[0] * n[2])),
            -6.0 * squared * n[1] * n[2],
            -4.0 * squared * n[2] * n[2],
        ];
        let [p0, p1, p2, p3] = derivative;
        let value = |x: f64| ((p3 * x + p2) * x + p1) * x + p0;
        // Between the zeros of the second derivative the first is monotonic.
        let ends =
            quadratic_roots([p1, 2.0 * p2, 3.0 * p3]).map_or([0.0, 0.0], |roots| roots.map(|x| x.clamp(0.0, most)));
        [(0.0, ends[0]), (ends[0], ends[1]), (ends[1], most)].map(|(low, high)| {
            let is_crossed = low < high && (value(low) < 0.0) != (value(high) < 0.0);
            is_crossed.then(|| bisect(value, low, high))
        })
    }
}

/// Midpoint of two nonnegative numbers: bisects exponents first, then digits.
fn middle(low: f64, high: f64) -> f64 {
    if low == 0.0 {
        high / 64.0
    } else if high > 4.0 * low {
        (low * high).sqrt()
    } else {
        0.5 * (low + high)
    }
}

/// Where a function changes sign.
fn bisect(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let is_negative = value(low) < 0.0;
    for _ in 0..MAX_STEPS {
        let point = middle(low, high);
        if !(low < point && point < high) {
            break;
        }
        if (value(point) < 0.0) == is_negative {
            low = point;
        } else {
            high = point;
        }
    }
    high
}

/// Both roots of a + b x + c x^2 with c < 0, in ascending order, if there are any.
fn quadratic_roots([a, b, c]: [f64; 3]) -> Option<[f64; 2]> {
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return None;
    }
    // Without cancellation.
    let sum = -0.5 * (b + discriminant.sqrt().copysign(b));
    let (x, y) = (sum / c, if sum == 0.0 { 0.0 } else { a / sum });
    Some([x.min(y), x.max(y)])
}

#[cfg(test)]
#[path = "block/tests.rs"]
mod tests;
