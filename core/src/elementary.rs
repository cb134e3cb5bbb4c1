//! Elementary functions with the same bits on every processor: sine, cosine, arc tangent and hypot of our own, for one number and for
//! eight, and those of the crate `libm` for one.
//!
//! The system library selects code by processor and changes between versions, so its last bits differ between machines:
//! what goes into the numbers of a trial uses no function of it, neither those of [`f64`] nor those of glam that take angles.
//! Our own functions use additions, multiplications, divisions and square roots only, which IEEE 754 defines to the last
//! bit, and are written once for [`f64`] and [`F64x8`]: a lane gives the same result as the number alone. Polynomials
//! as in fdlibm (Sun Microsystems 1993, `k_sin.c`, `k_cos.c`, `s_atan.c`), which derives their coefficients.
//!
//! # Conventions
//! Angles in radians. Errors are in units of the result's last place (ulp).

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use glam::{DQuat, DVec2, DVec3};
#[doc(no_inline)]
pub use libm::{acos, asin, atan, cbrt, exp, expm1 as exp_m1, log as ln, log1p as ln_1p, log2, log10, pow, tan};

use crate::simd::{F64x8, Mask8, Simd};

/// One number, or eight.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Answers to comparisons.
    type Mask8: Copy
        + BitAnd<Output = Self::Mask8>
        + BitOr<Output = Self::Mask8>
        + BitXor<Output = Self::Mask8>
        + Not<Output = Self::Mask8>;
    /// This number instead, or eight of it.
    fn like(self, number: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Magnitude with the sign of another.
    fn copysign(self, sign: Self) -> Self;
    /// Greater than.
    fn gt(self, other: Self) -> Self::Mask8;
    /// `yes` where it is true, else `no`.
    fn select(truth: Self::Mask8, yes: Self, no: Self) -> Self;
    /// True where any is.
    fn any(truth: Self::Mask8) -> bool;
}

impl Real for f64 {
    type Mask8 = bool;
    #[inline(always)]
    fn like(self, number: f64) -> Self {
        number
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
    #[inline(always)]
    fn gt(self, other: Self) -> bool {
        self > other
    }
    #[inline(always)]
    fn select(truth: bool, yes: Self, no: Self) -> Self {
        if truth { yes } else { no }
    }
    #[inline(always)]
    fn any(truth: bool) -> bool {
        truth
    }
}

impl<S: Simd> Real for F64x8<S> {
    type Mask8 = Mask8<S>;
    #[inline(always)]
    fn like(self, number: f64) -> Self {
        self.like(number)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
    #[inline(always)]
    fn gt(self, other: Self) -> Mask8<S> {
        self.gt(other)
    }
    #[inline(always)]
    fn select(truth: Mask8<S>, yes: Self, no: Self) -> Self {
        truth.select(yes, no)
    }
    #[inline(always)]
    fn any(truth: Mask8<S>) -> bool {
        truth.any()
    }
}

/// The greater of two; the second where either is NaN.
#[inline(always)]
pub(crate) fn greater<R: Real>(a: R, b: R) -> R {
    R::select(a.gt(b), a, b)
}

/// The lesser of two; the second where either is NaN.
#[inline(always)]
pub(crate) fn lesser<R: Real>(a: R, b: R) -> R {
    R::select(b.gt(a), a, b)
}

/// Above this magnitude [`sin_cos`] gives NaN \[rad\]: its quarter turns would not fit their 20 bits.
pub const MAX_ANGLE: f64 = 1e6;

/// The tangent of pi/8.
const TAN_EIGHTH: f64 = std::f64::consts::SQRT_2 - 1.0;

/// Sine and cosine of an angle \[rad\] up to [`MAX_ANGLE`]; NaN above it.
///
/// Error below 1 ulp, or below 2^-100 where the result is within 2^-46 of a zero that is not at angle 0: the angle is
/// reduced by quarter turns k pi/2 with |k| < 2^20, and pi/2 is taken as 33 + 33 + 53 bits. The products of k with the
/// first two are exact; that with the third is below 2^-48 and rounded once. Angles near 0 are not reduced, as what is computed often
/// has them: to reduce by no quarter turn gives the same.
#[inline(always)]
pub fn sin_cos<R: Real>(angle: R) -> (R, R) {
    /// Below pi/4, so that rounding finds no quarter turn in it \[rad\].
    const NEAR: f64 = 0.75;
    if R::any(!angle.like(NEAR).gt(angle.abs())) {
        reduced_sin_cos(angle)
    } else {
        sin_cos_near_zero(angle, angle.like(0.0))
    }
}

/// The same of any angle, reduced.
#[inline(always)]
fn reduced_sin_cos<R: Real>(angle: R) -> (R, R) {
    const QUARTERS_PER_RADIAN: f64 = std::f64::consts::FRAC_2_PI;
    const QUARTER: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
    let quarters = nearest_whole(angle * angle.like(QUARTERS_PER_RADIAN));
    let (first, second, third) = (angle.like(QUARTER[0]), angle.like(QUARTER[1]), angle.like(QUARTER[2]));
    let (coarse, coarse_error) = exact_difference(angle - quarters * first, quarters * second);
    let fine = quarters * third - coarse_error;
    let rest = coarse - fine;
    let (sine, cosine) = sin_cos_near_zero(rest, (coarse - rest) - fine);

    let (odd, halves) = remainder_of_two(quarters);
    let (half_turned, _) = remainder_of_two(halves);
    let (sine, cosine) = (R::select(odd, cosine, sine), R::select(odd, sine, cosine));
    let (sine, cosine) = (R::select(half_turned, -sine, sine), R::select(odd ^ half_turned, -cosine, cosine));
    let too_large = angle.abs().gt(angle.like(MAX_ANGLE));
    let nan = angle.like(f64::NAN);
    (R::select(too_large, nan, sine), R::select(too_large, nan, cosine))
}

/// The nearest whole number of one below 2^51.
#[inline(always)]
fn nearest_whole<R: Real>(x: R) -> R {
    // At this magnitude the last place is one.
    let shift = x.like(1.5 * (1u64 << 52) as f64);
    (x + shift) - shift
}

/// Whether a whole number is odd, and the half of it, rounded down.
#[inline(always)]
fn remainder_of_two<R: Real>(whole: R) -> (R::Mask8, R) {
    let half = whole.like(0.5);
    let halved = whole * half;
    let odd = (halved - nearest_whole(halved)).abs().gt(whole.like(0.25));
    (odd, R::select(odd, halved - half, halved))
}

/// The rounded difference and what rounding took from it (Knuth's sum of two, for any magnitudes).
#[inline(always)]
fn exact_difference<R: Real>(a: R, b: R) -> (R, R) {
    let difference = a - b;
    let b_taken = a - difference;
    let a_taken = difference + b_taken;
    (difference, (a - a_taken) + (b_taken - b))
}

/// Sine and cosine of x + tail, |x| <= pi/4.
#[inline(always)]
fn sin_cos_near_zero<R: Real>(x: R, tail: R) -> (R, R) {
    const SINE: [f64; 5] = [
        0.00833333333332249,
        -0.0001984126982985795,
        2.7557313707070068e-06,
        -2.5050760253406863e-08,
        1.58969099521155e-10,
    ];
    const SINE_CUBE: f64 = -0.16666666666666632;
    const COSINE: [f64; 6] = [
        0.0416666666666666,
        -0.001388888888887411,
        2.480158728947673e-05,
        -2.7557314351390663e-07,
        2.087572321298175e-09,
        -1.1359647557788195e-11,
    ];
    let (one, half) = (x.like(1.0), x.like(0.5));
    let square = x * x;
    let cube = square * x;
    let sine = x - ((square * (half * tail - cube * polynomial(square, SINE)) - tail) - cube * x.like(SINE_CUBE));
    let half_square = half * square;
    let leading = one - half_square;
    let correction = square * (square * polynomial(square, COSINE)) - x * tail;
    (sine, leading + (((one - leading) - half_square) + correction))
}

/// The angle from the x axis to (x, y) \[rad\], between -pi and pi, signed zeros as in C: pi for y = 0 and x = -0.
///
/// Error below 2 ulp for finite x and y of which the larger is between 1e-290 and 1e300: with |y/x| or |x/y| above tan pi/8
/// the quotient of difference and sum is taken, so that the polynomial has to serve up to tan pi/8 only. Two infinities
/// give NaN. Angles near 0 are not searched for their octant, which gives the same.
#[inline(always)]
pub fn atan2<R: Real>(y: R, x: R) -> R {
    let up = y.abs();
    if R::any(!(x.like(TAN_EIGHTH) * x).gt(up)) {
        return atan2_in_octants(y, x);
    }
    let tangent = up / x;
    (tangent - tangent_over_angle(tangent)).abs().copysign(y)
}

/// What a tangent up to tan pi/8 has above its angle \[rad\].
#[inline(always)]
fn tangent_over_angle<R: Real>(tangent: R) -> R {
    const ARC_TANGENT: [f64; 11] = [
        0.3333333333333293,
        -0.19999999999876483,
        0.14285714272503466,
        -0.11111110405462356,
        0.09090887133436507,
        -0.0769187620504483,
        0.06661073137387531,
        -0.058335701337905735,
        0.049768779946159324,
        -0.036531572744216916,
        0.016285820115365782,
    ];
    let square = tangent * tangent;
    tangent * (square * polynomial(square, ARC_TANGENT))
}

/// The angle from the x axis to (x, y) in any octant.
#[inline(always)]
fn atan2_in_octants<R: Real>(y: R, x: R) -> R {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    /// The smallest number above zero.
    const MIN: f64 = f64::from_bits(1);
    /// What the nearest f64 lacks of pi.
    const PI_REST: f64 = 1.2246467991473532e-16;
    const THREE_QUARTERS: (f64, f64) = (2.356194490192345, 9.184850993605148e-17);
    let (up, along) = (y.abs(), x.abs());
    let steep = up.gt(along);
    let (less, more) = (R::select(steep, along, up), R::select(steep, up, along));
    let diagonal = less.gt(x.like(TAN_EIGHTH) * more);
    let divisor = R::select(diagonal, less + more, more);
    // Both zero: zero over one.
    let divisor = R::select(x.like(MIN).gt(divisor), x.like(1.0), divisor);
    let tangent = R::select(diagonal, less - more, less) / divisor;

    let back = x.like(0.0).gt(x.like(1.0).copysign(x));
    let zero = x.like(0.0);
    let straight = R::select(back, x.like(PI), zero);
    let upright = R::select(steep, x.like(FRAC_PI_2), straight);
    let slanted = R::select(back, x.like(THREE_QUARTERS.0), x.like(FRAC_PI_4));
    let base = R::select(diagonal, slanted, upright);
    let straight = R::select(back, x.like(PI_REST), zero);
    let upright = R::select(steep, x.like(0.5 * PI_REST), straight);
    let slanted = R::select(back, x.like(THREE_QUARTERS.1), x.like(0.25 * PI_REST));
    let base_rest = R::select(diagonal, slanted, upright);

    let backwards = steep ^ back;
    let tangent = R::select(backwards, -tangent, tangent);
    let beyond = tangent_over_angle(tangent) - base_rest;
    (base - (beyond - tangent)).abs().copysign(y)
}

/// Length of (x, y). Neither may be above 1e150, where the square overflows; below 1e-150 it vanishes.
#[inline(always)]
pub fn hypot<R: Real>(x: R, y: R) -> R {
    (x * x + y * y).sqrt()
}

/// The unit vector at an angle from the x axis \[rad\], however large, as [`DVec2::from_angle`].
#[must_use]
pub fn direction(angle: f64) -> DVec2 {
    let (sine, cosine) = libm::sincos(angle);
    DVec2::new(cosine, sine)
}

/// The rotation about a unit vector by an angle \[rad\], however large, as [`DQuat::from_axis_angle`].
#[must_use]
pub fn rotation(axis: DVec3, angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_vec4((axis * sine).extend(cosine))
}

/// The sum of `coefficients[i] x^i`.
#[inline(always)]
fn polynomial<R: Real, const N: usize>(x: R, coefficients: [f64; N]) -> R {
    let mut sum = x.like(coefficients[N - 1]);
    let mut index = N - 1;
    while index > 0 {
        index -= 1;
        sum = sum * x + x.like(coefficients[index]);
    }
    sum
}

#[cfg(test)]
mod sources;

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use crate::lanes::{LANES, Vectorized};
    use crate::random::uniform;
    use crate::simd::{InRegisters, at_full_width, in_registers};

    /// Our error is below 1 ulp and the system's too; in places of the binade below that is twice as many.
    const SINE_PLACES: u64 = 4;
    /// Below 2 ulp here and 1 ulp there.
    const ANGLE_PLACES: u64 = 6;
    const TRIALS: u64 = 100_000;

    /// A number of either sign whose magnitude is spread evenly over the powers of ten.
    fn spread(item: u64, variable: u32, low: f64, high: f64) -> f64 {
        let exponent = low + (high - low) * uniform(7, item, variable);
        (uniform(7, item, variable + 1) - 0.5).signum() * 10f64.powf(exponent)
    }

    fn places(found: f64, expected: f64) -> u64 {
        assert_eq!(found.is_sign_negative(), expected.is_sign_negative(), "{found:e} {expected:e}");
        found.to_bits().abs_diff(expected.to_bits())
    }

    fn check_sin_cos(angle: f64) {
        let ((sine, cosine), (true_sine, true_cosine)) = (sin_cos(angle), angle.sin_cos());
        assert!(places(sine, true_sine) <= SINE_PLACES, "sin {angle:e}: {sine:e} {true_sine:e}");
        assert!(places(cosine, true_cosine) <= SINE_PLACES, "cos {angle:e}: {cosine:e} {true_cosine:e}");
    }

    fn check_atan2(y: f64, x: f64) {
        let (found, expected) = (atan2(y, x), y.atan2(x));
        assert!(places(found, expected) <= ANGLE_PLACES, "atan2 {y:e} {x:e}: {found:e} {expected:e}");
    }

    #[test]
    fn sines_are_those_of_the_system_within_rounding() {
        [0.0, -0.0, f64::MIN_POSITIVE, 5e-324, MAX_ANGLE, -MAX_ANGLE].into_iter().for_each(check_sin_cos);
        for item in 0..TRIALS {
            check_sin_cos(spread(item, 0, -30.0, 6.0));
            check_sin_cos(MAX_ANGLE * (2.0 * uniform(7, item, 2) - 1.0));
            check_sin_cos(2.0 * PI * (2.0 * uniform(7, item, 3) - 1.0));
            // Next to the zeros, where the reduction must not cancel.
            check_sin_cos(item as f64 * FRAC_PI_2);
        }
    }

    #[test]
    fn angles_beyond_the_largest_have_no_sine() {
        for angle in [1.000_001 * MAX_ANGLE, f64::NEG_INFINITY, f64::NAN] {
            let (sine, cosine) = sin_cos(angle);
            assert!(sine.is_nan() && cosine.is_nan(), "{angle}");
        }
    }

    #[test]
    fn arc_tangents_are_those_of_the_system_within_rounding() {
        let signed = |magnitudes: [f64; 5]| magnitudes.into_iter().flat_map(|number| [number, -number]);
        let corners = [0.0, 5e-324, 1.0, 1e300, f64::INFINITY];
        for (y, x) in signed(corners).flat_map(|y| signed(corners).map(move |x| (y, x))) {
            if y.is_finite() || x.is_finite() {
                check_atan2(y, x);
            }
        }
        for item in 0..TRIALS {
            check_atan2(spread(item, 10, -140.0, 140.0), spread(item, 12, -140.0, 140.0));
            let x = spread(item, 14, -3.0, 3.0);
            check_atan2(x * spread(item, 16, -1.0, 1.0), x);
            check_atan2(x * (1.0 + 1e-6 * spread(item, 18, -10.0, 0.0)), x);
        }
    }

    #[test]
    fn angles_near_zero_are_what_they_are_reduced_and_searched_for() {
        let edges = [0.0, 5e-324, 1e-310, 0.75, 0.75f64.next_down(), 0.75f64.next_up()];
        let drawn = (0..TRIALS).map(|item| spread(item, 40, -20.0, 0.0));
        for angle in edges.into_iter().flat_map(|edge| [edge, -edge]).chain(drawn) {
            let (found, expected) = (sin_cos(angle), reduced_sin_cos(angle));
            assert_eq!(found.0.to_bits(), expected.0.to_bits(), "sin {angle:e}");
            assert_eq!(found.1.to_bits(), expected.1.to_bits(), "cos {angle:e}");
        }
        let scales = [5e-324, 1e-310, 1e-290, 1.0, 3.0, 1e300, f64::INFINITY];
        let edges = [0.0, 1e-320, TAN_EIGHTH.next_down(), TAN_EIGHTH, TAN_EIGHTH.next_up(), 1.0];
        let edges = scales.into_iter().flat_map(|x| edges.into_iter().map(move |ratio| (ratio * x.min(1e300), x)));
        let drawn = (0..TRIALS).map(|item| (spread(item, 42, -20.0, 0.0), spread(item, 44, -10.0, 0.0).abs()));
        for (y, x) in edges.flat_map(|(y, x)| [(y, x), (-y, x)]).chain(drawn) {
            assert_eq!(atan2(y, x).to_bits(), atan2_in_octants(y, x).to_bits(), "atan2 {y:e} {x:e}");
        }
    }

    #[test]
    fn numbers_that_do_not_compare_have_no_arc_tangent() {
        for (y, x) in [(f64::NAN, 1.0), (1.0, f64::NAN), (0.0, f64::NAN), (f64::NAN, 0.0)] {
            assert!(atan2(y, x).is_nan(), "{y} {x}");
        }
    }

    #[test]
    fn lengths_are_those_of_the_system_within_rounding() {
        for item in 0..TRIALS {
            let (x, y) = (spread(item, 20, -100.0, 100.0), spread(item, 22, -100.0, 100.0));
            // Two products, a sum and a root of half its error: below 1 ulp, and 1 ulp of the system's.
            assert!(places(hypot(x, y), x.hypot(y)) <= 4, "{x:e} {y:e}");
        }
    }

    #[test]
    fn directions_and_rotations_are_those_of_glam_within_rounding() {
        let axis = DVec3::new(0.48, -0.6, 0.64);
        for angle in (0..1000).map(|item| spread(item, 24, -3.0, 9.0)) {
            let off = direction(angle) - DVec2::from_angle(angle);
            let turned = DQuat::from_axis_angle(axis, angle);
            assert!(off.length() < 4.0 * f64::EPSILON, "{angle}: {off}");
            assert!((rotation(axis, angle) - turned).length() < 4.0 * f64::EPSILON, "{angle}: {turned}");
        }
    }

    /// The functions of eight pairs (y, x).
    struct All([[f64; LANES]; 2]);

    impl InRegisters for All {
        type Output = [[f64; LANES]; 4];
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let [y, x] = self.0.map(|numbers| F64x8::from_array(simd, numbers));
            at_full_width(simd, Each { y, x })
        }
    }

    struct Each<S: Simd> {
        y: F64x8<S>,
        x: F64x8<S>,
    }

    impl<S: Simd> Vectorized for Each<S> {
        type Output = [[f64; LANES]; 4];
        #[inline(always)]
        fn run(self) -> Self::Output {
            let Self { y, x } = self;
            let (sine, cosine) = sin_cos(y);
            [sine.to_array(), cosine.to_array(), atan2(y, x).to_array(), hypot(x, y).to_array()]
        }
    }

    #[test]
    fn each_lane_holds_what_the_number_alone_gives() {
        for item in 0..TRIALS / LANES as u64 {
            let number = |lane: usize, variable| {
                let item = item * LANES as u64 + lane as u64;
                if uniform(7, item, variable + 2) < 0.05 { -0.0 } else { spread(item, variable, -8.0, 6.5) }
            };
            let mut pairs = [30, 33].map(|variable| std::array::from_fn(|lane| number(lane, variable)));
            // Often all are near 0.
            if item % 2 == 0 {
                pairs = [pairs[0].map(|y| y.clamp(-0.4, 0.4)), pairs[1].map(|x| x.abs().max(1.0))];
            }
            let found = [in_registers(All(pairs)), All(pairs).run(crate::simd::Portable)];
            for lane in 0..LANES {
                let [y, x] = pairs.map(|numbers| numbers[lane]);
                let alone = [sin_cos(y).0, sin_cos(y).1, atan2(y, x), hypot(x, y)];
                for (in_lane, alone) in found.iter().flat_map(|found| found.iter().zip(alone)) {
                    let same = alone.to_bits() == in_lane[lane].to_bits() || alone.is_nan() && in_lane[lane].is_nan();
                    assert!(same, "{x:e} {y:e}: {alone:e} {:e}", in_lane[lane]);
                }
            }
        }
    }
}
