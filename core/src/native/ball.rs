//! Balls and ellipsoids for eight lines at once.
//!
//! # Conventions
//! As in [`crate::scene`]. Crossings are those of the ball's own interval, operation by operation.

use glam::{DMat3, DVec3};

use crate::lanes::{Lanes, Lanes3};
use crate::scene::Solid;

/// Below this squared length \[m^2\] of a direction lines are left to be looked at one by one.
const MIN: f64 = 1e-150;

/// A ball, or an ellipsoid that is one in stretched coordinates.
#[derive(Clone, Debug)]
pub(super) struct Ball {
    pub leaf: u32,
    center: DVec3,
    radius: f64,
    to_local: Option<Box<DMat3>>,
}

impl Ball {
    /// That of a leaf; `None` for what is something else. The complement of one has the same borders.
    pub fn new(number: u32, solid: &Solid) -> Option<Self> {
        match solid {
            Solid::Sphere(ball) => {
                Some(Self { leaf: number, center: ball.center, radius: ball.radius, to_local: None })
            }
            Solid::Stretched(stretched) => match stretched.base {
                Solid::Sphere(ball) if ball.center == DVec3::ZERO => Some(Self {
                    leaf: number,
                    center: stretched.center,
                    radius: ball.radius,
                    to_local: Some(Box::new(stretched.to_local)),
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Lambda of entry and exit of each line, an empty stretch where it misses; `None` where a line may stand still.
    #[inline(always)]
    pub fn crossings(&self, x1: &Lanes3, x2: &Lanes3) -> Option<(Lanes, Lanes)> {
        let center = Lanes3::splat(self.center);
        let (offset, direction) = match &self.to_local {
            None => (*x1 - center, *x2 - *x1),
            Some(to_local) => {
                let start = mapped(to_local, *x1 - center);
                (start, mapped(to_local, *x2 - center) - start)
            }
        };
        let radius = Lanes::splat(self.radius);
        let a = direction.length_squared();
        if !a.gt(Lanes::splat(MIN)).all() {
            return None;
        }
        let middle = -offset.dot(direction) / a;
        let nearest = (offset + direction * middle).length();
        let half_chord_squared = (radius - nearest) * (radius + nearest) / a;
        let missed = half_chord_squared.lt(Lanes::ZERO);
        if missed.all() {
            return Some((Lanes::splat(f64::INFINITY), Lanes::splat(f64::NEG_INFINITY)));
        }
        let half_chord = half_chord_squared.sqrt();
        let (near, far) = (middle - half_chord, middle + half_chord);
        let distance = offset.length();
        let product = (distance - radius) * (distance + radius) / a;
        let ahead = middle.gt(Lanes::ZERO) & far.gt(Lanes::ZERO);
        let behind = middle.lt(Lanes::ZERO) & near.lt(Lanes::ZERO);
        let enter = ahead.select((product / far).clamp(-far, far), near);
        let exit = behind.select((product / near).clamp(near, -near), far);
        Some((missed.select(Lanes::splat(f64::INFINITY), enter), missed.select(Lanes::splat(f64::NEG_INFINITY), exit)))
    }
}

/// Vectors under a map, column by column as glam adds them up.
#[inline(always)]
fn mapped(map: &DMat3, v: Lanes3) -> Lanes3 {
    let column = |column: DVec3, factor: Lanes| Lanes3::splat(column) * factor;
    column(map.x_axis, v.x) + column(map.y_axis, v.y) + column(map.z_axis, v.z)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::*;
    use crate::lanes::LANES;
    use crate::scene::{Sphere, Stretched};

    fn number() -> impl Strategy<Value = f64> {
        // Whole numbers make lines that touch, and that start on the border, common.
        prop_oneof![(-3..=3i32).prop_map(f64::from), -5.0..5.0f64]
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        [number(), number(), number()].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lanes_cross_where_the_solid_itself_says(
            center in vector(),
            radius in number(),
            axes in [0.2..3.0f64, 0.2..3.0f64, 0.2..3.0f64],
            stretch in any::<bool>(),
            lines in [(vector(), vector()), (vector(), vector()), (vector(), vector())],
        ) {
            let solid = if stretch {
                let rotation = DQuat::from_axis_angle(DVec3::new(0.36, 0.48, 0.8), radius);
                Solid::Stretched(Stretched::ellipsoid(center, DVec3::from_array(axes), rotation).into())
            } else {
                Solid::Sphere(Sphere { center, radius: radius.abs() })
            };
            let ball = Ball::new(0, &solid).unwrap();
            let (x1, x2) = (|lane: usize| lines[lane % 3].0, |lane: usize| lines[lane % 3].1);
            match ball.crossings(&Lanes3::from_fn(x1), &Lanes3::from_fn(x2)) {
                None => prop_assert!(lines.iter().any(|(x1, x2)| x1 == x2)),
                Some((enter, exit)) => {
                    for lane in 0..LANES {
                        let inside = solid.interval(&x1(lane), &x2(lane));
                        prop_assert_eq!(enter.0[lane].to_bits(), inside.enter.to_bits());
                        prop_assert_eq!(exit.0[lane].to_bits(), inside.exit.to_bits());
                    }
                }
            }
        }
    }
}
