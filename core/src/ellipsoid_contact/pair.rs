//! Contact of two ellipsoids under common scaling: the contact function of Perram and Wertheim
//! (docs/theory/ellipsoids.md).
//!
//! If A is mapped to the unit ball, by diag(1/a) U^T with U its axes, B can be rotated to be axis-aligned: its squared
//! semi-axes e there are the squared singular values of M = diag(1/a) U^T V diag(b). With c its centre there and z =
//! l/(1-l), everything is a sum over three terms,
//!
//! ```text
//! m_k = c_k / (1 + z e_k)     a normal of both      p = sum m_k^2       the squared width of A along it
//! p = z^2 q                   where S is greatest   q = sum e_k m_k^2   that of B
//! ```
//!
//! so that after one decomposition an iteration of Newton's method takes a few operations, without cancellation: M is
//! decomposed by rotating its rows, never via M M^T. The root is found in the logarithm of z, within a bracket.
//! Logarithms and exponentials are rational approximations that are exact where the search ends.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

use super::{Body, dot, product, sum, times};
use crate::elementary::{Real, greater, lesser};

/// Two rows count as orthogonal if the square of their product is at most this fraction of that of their lengths.
const RIGHT_ANGLE: f64 = 1e-30;
/// Maximum number of Jacobi sweeps: random rows take 5.
const SWEEPS: u32 = 16;
/// Maximum number of Newton iterations: typically 3 to 6, at most 20 were observed, for semi-axes of 1000 to 1.
const ROUNDS: u32 = 40;
/// The search ends when an iteration changes ln z by less: the remaining error is of the order of the square.
const MIN_STEP: f64 = 1e-9;
/// A guess with a larger error in ln z, as estimated by the first iteration, is discarded.
const POOR_GUESS: f64 = 1.0;
/// Maximum change of ln z per iteration: the range in which the approximate exponential increases.
const MAX_STEP: f64 = 6.0;
/// Centres closer than this, in units of A's radius between them, coincide: F would be NaN.
const CONCENTRIC: f64 = 1e-150;

/// Contact of two ellipsoids scaled by a common factor.
#[derive(Clone, Copy, Debug)]
pub struct Touch<R: Real> {
    /// The centres coincide: nothing else is defined.
    pub concentric: R::Mask8,
    /// The search converged; else nothing else is defined.
    pub converged: R::Mask8,
    /// The factor.
    pub mu: R,
    /// Where the contact function has its maximum.
    pub lambda: R,
    /// The unit normal from A to B.
    pub normal: [R; 3],
    /// The point, from the centre of A \[m\].
    pub point: [R; 3],
    /// The gap between the bodies' tangent planes with this normal \[m\].
    pub separation: R,
    /// Number of iterations.
    pub rounds: R,
}

/// Contact of two bodies with centres `between` apart; the search starts at Lambda = `guess`, or, if that is not
/// positive, at an estimate.
#[inline(always)]
pub fn touch<R: Real>(a: &Body<R>, b: &Body<R>, between: [R; 3], guess: R) -> Touch<R> {
    let one = guess.like(1.0);
    let inverse = [one / a.semi_axes[0], one / a.semi_axes[1], one / a.semi_axes[2]];
    let mut frame = BallFrame::new(a, b, between, inverse);
    let concentric = !frame.unit.gt(one.like(CONCENTRIC));
    frame.diagonalize();
    let squares =
        [dot(frame.rows[0], frame.rows[0]), dot(frame.rows[1], frame.rows[1]), dot(frame.rows[2], frame.rows[2])];
    let secular = Secular { squares, center: frame.center };
    let (z, rounds, converged) = secular.root(guess, concentric);

    let Sums { normal, p, q, .. } = secular.sums(z);
    let (width_a, width_b) = (p.sqrt(), q.sqrt());
    let both = width_a + width_b;
    // R.n of the support form.
    let apart = frame.unit * dot(frame.center, normal);
    // Back to A's own axes, where normals shrink as points are stretched.
    let [w0, w1, w2] = frame.turn;
    let in_a = sum(sum(times(w0, normal[0]), times(w1, normal[1])), times(w2, normal[2]));
    let gradient = product(in_a, inverse);
    let offset = product(times(in_a, frame.unit), a.semi_axes);
    let to_unit = one / dot(gradient, gradient).sqrt();
    Touch {
        concentric,
        converged,
        mu: apart / both,
        lambda: width_a / both,
        normal: times(a.in_world(gradient), to_unit),
        point: a.in_world(offset),
        separation: (apart - both) * to_unit,
        rounds,
    }
}

/// Coordinates in which A is the unit ball.
struct BallFrame<R> {
    /// M, its rows turned towards right angles to each other.
    rows: [[R; 3]; 3],
    /// The frame's axes along those of A: rows of W^T.
    turn: [[R; 3]; 3],
    /// The other centre, in units of its greatest coordinate before turning.
    center: [R; 3],
    unit: R,
}

impl<R: Real> BallFrame<R> {
    #[inline(always)]
    fn new(a: &Body<R>, b: &Body<R>, between: [R; 3], inverse: [R; 3]) -> Self {
        let (zero, one) = (between[0].like(0.0), between[0].like(1.0));
        let mut rows = a.axes;
        for (row, factor) in rows.iter_mut().zip(inverse) {
            *row = times(product(b.along_axes(*row), b.semi_axes), factor);
        }
        let center = product(a.along_axes(between), inverse);
        let unit = greater(greater(center[0].abs(), center[1].abs()), center[2].abs());
        // Where the centres coincide any will do that divides.
        let scale = one / greater(unit, one.like(CONCENTRIC));
        let turn = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        Self { rows, turn, center: times(center, scale), unit }
    }

    /// Turns until the rows are at right angles (Jacobi, one-sided).
    #[inline(always)]
    fn diagonalize(&mut self) {
        for _ in 0..SWEEPS {
            let turned = self.rotate(0, 1);
            let turned = self.rotate(0, 2) | turned;
            let turned = self.rotate(1, 2) | turned;
            if !R::any(turned) {
                break;
            }
        }
    }

    /// Turns two rows to a right angle, and all else with them. True where they had none.
    #[inline(always)]
    fn rotate(&mut self, i: usize, k: usize) -> R::Mask8 {
        let (first, second) = (self.rows[i], self.rows[k]);
        let (ii, kk, ik) = (dot(first, first), dot(second, second), dot(first, second));
        let turned = (ik * ik).gt(ik.like(RIGHT_ANGLE) * (ii * kk));
        let (zero, one, two) = (ik.like(0.0), ik.like(1.0), ik.like(2.0));
        let difference = kk - ii;
        let doubled = two * ik;
        let root = (difference * difference + doubled * doubled).sqrt();
        // The smaller of the two angles.
        let tangent = doubled / (difference + root.copysign(difference));
        let tangent = R::select(turned, tangent, zero);
        let cosine = one / (one + tangent * tangent).sqrt();
        let sine = cosine * tangent;
        (self.rows[i], self.rows[k]) = turn(first, second, cosine, sine);
        (self.turn[i], self.turn[k]) = turn(self.turn[i], self.turn[k], cosine, sine);
        let (one, other) = (self.center[i], self.center[k]);
        (self.center[i], self.center[k]) = (one * cosine - other * sine, one * sine + other * cosine);
        turned
    }
}

/// The equation p = z^2 q.
struct Secular<R> {
    squares: [R; 3],
    center: [R; 3],
}

/// Sums over the three axes at some z.
struct Sums<R> {
    /// m, a normal in the frame.
    normal: [R; 3],
    p: R,
    q: R,
    /// Sum of e m^2/(1 + z e): how fast p and q change.
    t: R,
}

impl<R: Real> Secular<R> {
    #[inline(always)]
    fn sums(&self, z: R) -> Sums<R> {
        let (zero, one) = (z.like(0.0), z.like(1.0));
        let mut sums = Sums { normal: [zero; 3], p: zero, q: zero, t: zero };
        for k in 0..3 {
            let e = self.squares[k];
            let shrink = one / (one + z * e);
            let m = self.center[k] * shrink;
            let on_ball = m * m;
            let on_other = e * on_ball;
            sums.normal[k] = m;
            sums.p = sums.p + on_ball;
            sums.q = sums.q + on_other;
            sums.t = sums.t + on_other * shrink;
        }
        sums
    }

    /// z, the rounds that it took, and where it was found; `skip` says where none is looked for.
    #[inline(always)]
    fn root(&self, guess: R, skip: R::Mask8) -> (R, R, R::Mask8) {
        let (zero, one) = (guess.like(0.0), guess.like(1.0));
        let [e0, e1, e2] = self.squares;
        let [c0, c1, c2] =
            [self.center[0] * self.center[0], self.center[1] * self.center[1], self.center[2] * self.center[2]];
        // z^2 = p/q, and q/p is a mean of the squares; a little more, since rounding takes roots at an end beyond it.
        let mut low = one.like(1.0 - MIN_STEP) / greater(greater(e0, e1), e2).sqrt();
        let mut high = one.like(1.0 + MIN_STEP) / lesser(lesser(e0, e1), e2).sqrt();
        // The ratio of both surfaces' distances from their centres along the line between these.
        let likely = ((c0 / e0 + c1 / e1 + c2 / e2) / (c0 + c1 + c2)).sqrt();
        let mut guessed = guess.gt(zero);
        let start = R::select(guessed, guess / (one - guess), likely);
        let mut z = greater(lesser(start, high), low);
        let mut rounds = zero;
        let (mut done, mut found) = (skip, zero.gt(one));
        for _ in 0..ROUNDS {
            let Sums { p, q, t, .. } = self.sums(z);
            // Above 1 where z is too small.
            let ratio = p / (z * z * q);
            low = R::select(one.gt(ratio), low, z);
            high = R::select(ratio.gt(one), high, z);
            // Newton's method has the logarithm of its root fall to 0, at the rate t (1/q + z/p) for each unit of ln z.
            let (over, under) = half_logarithm(ratio);
            let step = over * p * q / (under * t * (p + z * q));
            let limit = one.like(MAX_STEP);
            let step = greater(lesser(step, limit), -limit);
            let next = z * exponential(step);
            // Before the guard: rounding makes the last steps leave the bracket.
            let ends = one.like(MIN_STEP).gt(step.abs());
            let kept = next.gt(low) & high.gt(next);
            let guarded = R::select(ends | kept, next, (low * high).sqrt());
            // From a guess that turns out a poor one the way is long.
            let poor = guessed & step.abs().gt(one.like(POOR_GUESS));
            let guarded = R::select(poor, greater(lesser(likely, high), low), guarded);
            guessed = guessed & zero.gt(one);
            z = R::select(done, z, guarded);
            rounds = R::select(done, rounds, rounds + one);
            found = found | (ends & !done);
            done = done | ends;
            if !R::any(!done) {
                break;
            }
        }
        (z, rounds, found)
    }
}

/// Half of the natural logarithm, as a fraction: exact at 1 with its first six derivatives, of the right sign everywhere,
/// below 7.4 in magnitude.
#[inline(always)]
fn half_logarithm<R: Real>(number: R) -> (R, R) {
    // ln x = 4 ln y = 8 atanh s with s = (y - 1)/(y + 1), and atanh s is close to s (15 - 4 s^2)/(15 - 9 s^2).
    let y = number.sqrt().sqrt();
    let (a, b) = (y - y.like(1.0), y + y.like(1.0));
    let (aa, bb) = (a * a, y.like(15.0) * (b * b));
    (y.like(4.0) * a * (bb - y.like(4.0) * aa), b * (bb - y.like(9.0) * aa))
}

/// The exponential near 0, positive and rising up to [`MAX_STEP`] on either side.
#[inline(always)]
fn exponential<R: Real>(number: R) -> R {
    // The square of a Pade approximant of the exponential of half of it.
    let quarter = number * number.like(0.25);
    let even = number.like(1.0) + quarter * quarter * number.like(1.0 / 3.0);
    let root = (even + quarter) / (even - quarter);
    root * root
}

/// Two vectors turned in their plane.
#[inline(always)]
fn turn<R: Real>(a: [R; 3], b: [R; 3], cosine: R, sine: R) -> ([R; 3], [R; 3]) {
    let first = [a[0] * cosine - b[0] * sine, a[1] * cosine - b[1] * sine, a[2] * cosine - b[2] * sine];
    let second = [a[0] * sine + b[0] * cosine, a[1] * sine + b[1] * cosine, a[2] * sine + b[2] * cosine];
    (first, second)
}
