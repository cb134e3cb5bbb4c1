//! Convex cells: their half spaces in lanes for one line, or lines in lanes for one half space after another.
//!
//! # Conventions
//! As in [`crate::scene`]. Crossings are those of [`HalfSpace::interval`], operation by operation.

use glam::DVec3;

use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::scene::HalfSpace;

/// Distances from a border are rounded by less than this share of the terms that they are added up from: three products
/// and three sums with 2^-53 each, and as much again.
pub(super) const ROUNDING: f64 = 12.0 * f64::EPSILON;

/// Where lines are inside a half space or a cell: lambda in [enter, exit], nowhere when `enter > exit`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing<T> {
    pub enter: T,
    pub exit: T,
}

impl Crossing<Lanes> {
    #[inline(always)]
    fn new(mu1: Lanes, mu2: Lanes, level: impl FnOnce(Mask) -> Mask) -> Self {
        let slope = mu2 - mu1;
        let crossing = -mu1 / slope;
        let mut all = Self {
            enter: slope.lt(Lanes::ZERO).select(crossing, Lanes::splat(f64::NEG_INFINITY)),
            exit: slope.gt(Lanes::ZERO).select(crossing, Lanes::splat(f64::INFINITY)),
        };
        let parallel = slope.eq(Lanes::ZERO);
        if parallel.any() {
            let outside = level(parallel);
            all.enter = outside.select(Lanes::splat(f64::INFINITY), all.enter);
        }
        all
    }
}

/// True in lanes of `parallel` lines that are outside of a half space, where x.n - d is `distance` and `terms` is the sum
/// of the magnitudes that it was added up from. `exact` knows the lanes in which rounding leaves that open.
#[inline(always)]
fn outside(parallel: Mask, distance: Lanes, terms: Lanes, exact: impl Fn(usize) -> bool) -> Mask {
    let doubtful = parallel & distance.abs().le(terms * ROUNDING);
    if doubtful.any() {
        return Mask::from_fn(|lane| {
            if doubtful.get(lane) { exact(lane) } else { parallel.get(lane) && distance.0[lane] > 0.0 }
        });
    }
    parallel & distance.gt(Lanes::ZERO)
}

/// True when a line that is parallel to the border is outside, without doubt.
#[cold]
fn is_outside(half_space: &HalfSpace, x1: DVec3, x2: DVec3) -> bool {
    half_space.interval(x1, x2).is_empty()
}

/// Up to eight half spaces, one in each lane; absent ones hold everything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planes {
    normal: Lanes3,
    offset: Lanes,
}

impl Planes {
    pub fn new(half_spaces: &[HalfSpace]) -> Self {
        // Where the normal is zero each line is parallel, and inside.
        let mut planes = Self { normal: Lanes3::ZERO, offset: Lanes::splat(1.0) };
        for (lane, half_space) in half_spaces.iter().enumerate().take(LANES) {
            planes.normal.set(lane, half_space.normal);
            planes.offset.0[lane] = half_space.offset;
        }
        planes
    }

    #[inline(always)]
    fn distance(&self, point: Lanes3) -> Lanes {
        point.dot(self.normal) - self.offset
    }

    /// Where the line crosses each of them; `half_spaces` are those that it was made from.
    #[inline(always)]
    pub fn crossings(&self, half_spaces: &[HalfSpace], x1: DVec3, x2: DVec3) -> Crossing<Lanes> {
        let start = Lanes3::splat(x1);
        let distance = self.distance(start);
        Crossing::new(distance, self.distance(Lanes3::splat(x2)), |parallel| {
            let terms = start.abs().dot(self.normal.abs()) + self.offset.abs();
            outside(parallel, distance, terms, |lane| is_outside(&half_spaces[lane], x1, x2))
        })
    }
}

/// Where eight lines are in a cell.
#[inline(always)]
pub(super) fn crossings_of_lines(half_spaces: &[HalfSpace], x1: &Lanes3, x2: &Lanes3) -> Crossing<Lanes> {
    let mut all = Crossing { enter: Lanes::splat(f64::NEG_INFINITY), exit: Lanes::splat(f64::INFINITY) };
    for half_space in half_spaces {
        let (normal, offset) = (Lanes3::splat(half_space.normal), Lanes::splat(half_space.offset));
        let distance = x1.dot(normal) - offset;
        let one = Crossing::new(distance, x2.dot(normal) - offset, |parallel| {
            let terms = x1.abs().dot(normal.abs()) + offset.abs();
            outside(parallel, distance, terms, |lane| is_outside(half_space, x1.get(lane), x2.get(lane)))
        });
        all.enter = one.enter.gt(all.enter).select(one.enter, all.enter);
        all.exit = one.exit.lt(all.exit).select(one.exit, all.exit);
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = f64> {
        // Whole numbers make parallel lines and lines in borders common.
        prop_oneof![(-3..=3i32).prop_map(f64::from), -10.0..10.0f64]
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        [number(), number(), number()].prop_map(DVec3::from_array)
    }

    fn half_space() -> impl Strategy<Value = HalfSpace> {
        (vector().prop_filter("a direction", |normal| *normal != DVec3::ZERO), number())
            .prop_map(|(normal, offset)| HalfSpace { normal, offset })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lanes_cross_where_one_half_space_after_another_does(
            half_spaces in prop::collection::vec(half_space(), 1..=8),
            x1 in vector(),
            x2 in vector(),
        ) {
            let by_lanes = Planes::new(&half_spaces).crossings(&half_spaces, x1, x2);
            let lines = crossings_of_lines(&half_spaces, &Lanes3::splat(x1), &Lanes3::splat(x2));
            let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
            for (lane, half_space) in half_spaces.iter().enumerate() {
                let inside = half_space.interval(x1, x2);
                prop_assert_eq!(by_lanes.enter.0[lane].to_bits(), inside.enter.to_bits());
                if !inside.is_empty() {
                    prop_assert_eq!(by_lanes.exit.0[lane].to_bits(), inside.exit.to_bits());
                }
                enter = if inside.enter > enter { inside.enter } else { enter };
                exit = if inside.exit < exit { inside.exit } else { exit };
            }
            prop_assert_eq!(lines.enter.0[3].to_bits(), enter.to_bits());
            if enter <= exit {
                prop_assert_eq!(lines.exit.0[3].to_bits(), exit.to_bits());
            }
            for lane in half_spaces.len()..LANES {
                prop_assert_eq!((by_lanes.enter.0[lane], by_lanes.exit.0[lane]), (f64::NEG_INFINITY, f64::INFINITY));
            }
        }
    }
}
