//! Balls.

use glam::DVec3;

use super::Interval;

/// A ball: inside if |x - center| <= radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre \[m\].
    pub center: DVec3,
    /// Radius \[m\], not negative.
    pub radius: f64,
}

impl Sphere {
    #[inline(always)]
    pub(super) fn interval(&self, x1: DVec3, x2: DVec3) -> Interval {
        ball_interval(x1 - self.center, x2 - x1, self.radius)
    }
}

/// Below this squared length \[m^2\] a direction does not move a point: lambdas of sizes up to [`LIMITS`] would overflow.
///
/// [`LIMITS`]: crate::scene::LIMITS
pub(super) const STANDSTILL: f64 = 1e-180;

/// The interval in which `offset + lambda direction` is at most `radius` from the origin.
#[inline(always)]
pub(super) fn ball_interval(offset: DVec3, direction: DVec3, radius: f64) -> Interval {
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
