//! Convex cells: eight half spaces against one line, or eight lines against one half space after another.
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
pub(super) struct Crossing {
    pub enter: Lanes,
    pub exit: Lanes,
    /// Lines that are parallel to the border. They are inside so far.
    parallel: Mask,
}

impl Crossing {
    /// Of lines with these distances from the border at lambda 0 and 1.
    #[inline(always)]
    fn new(mu1: Lanes, mu2: Lanes) -> Self {
        let slope = mu2 - mu1;
        let crossing = -mu1 / slope;
        Self {
            enter: slope.lt(Lanes::ZERO).select(crossing, Lanes::splat(f64::NEG_INFINITY)),
            exit: slope.gt(Lanes::ZERO).select(crossing, Lanes::splat(f64::INFINITY)),
            parallel: slope.eq(Lanes::ZERO),
        }
    }

    /// Takes out the parallel lines that are outside, where `mu1` is their distance and `terms` the sum of the magnitudes
    /// that it was added up from. Gives the lanes in which rounding leaves open whether they are.
    #[inline(always)]
    fn without_outer(&mut self, mu1: Lanes, terms: Lanes) -> Mask {
        let outside = self.parallel & mu1.gt(Lanes::ZERO);
        self.enter = outside.select(Lanes::splat(f64::INFINITY), self.enter);
        self.parallel & mu1.abs().le(terms * ROUNDING)
    }

    /// Says without doubt whether a lane's line, parallel to the border, is outside.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, lane: usize, half_space: &HalfSpace, x1: DVec3, x2: DVec3) {
        let empty = half_space.interval(x1, x2).is_empty();
        self.enter.0[lane] = if empty { f64::INFINITY } else { f64::NEG_INFINITY };
    }
}

/// Up to eight half spaces, one in each lane; absent ones hold everything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planes {
    normal: Lanes3,
    offset: Lanes,
}

impl Planes {
    pub fn new(half_spaces: &[HalfSpace]) -> Self {
        // Infinitely far away: the slope is no number, so nothing is entered, left or parallel.
        let mut planes = Self { normal: Lanes3::ZERO, offset: Lanes::splat(f64::INFINITY) };
        for (lane, half_space) in half_spaces.iter().enumerate().take(LANES) {
            planes.normal.set(lane, half_space.normal);
            planes.offset.0[lane] = half_space.offset;
        }
        planes
    }

    /// Where the line crosses each of them; `half_spaces` are those that it was made from.
    #[inline(always)]
    pub fn crossings(&self, half_spaces: &[HalfSpace], x1: DVec3, x2: DVec3) -> Crossing {
        let (start, end) = (Lanes3::splat(x1), Lanes3::splat(x2));
        let mu1 = start.dot(self.normal) - self.offset;
        let mut crossing = Crossing::new(mu1, end.dot(self.normal) - self.offset);
        if crossing.parallel.any() {
            let terms = start.abs().dot(self.normal.abs()) + self.offset.abs();
            let doubtful = crossing.without_outer(mu1, terms);
            if doubtful.any() {
                for (lane, half_space) in half_spaces.iter().enumerate() {
                    if doubtful.get(lane) {
                        crossing.settle(lane, half_space, x1, x2);
                    }
                }
            }
        }
        crossing
    }
}

/// Where eight lines are in a cell, and the half space by which each enters last, by number.
#[inline(always)]
pub(super) fn crossings_of_lines(half_spaces: &[HalfSpace], x1: &Lanes3, x2: &Lanes3) -> (Crossing, Lanes) {
    let (mut deciding, mut number) = (Lanes::ZERO, 0.0);
    let mut all =
        Crossing { enter: Lanes::splat(f64::NEG_INFINITY), exit: Lanes::splat(f64::INFINITY), parallel: Mask::NONE };
    for half_space in half_spaces {
        let (normal, offset) = (Lanes3::splat(half_space.normal), Lanes::splat(half_space.offset));
        let mu1 = x1.dot(normal) - offset;
        let mut one = Crossing::new(mu1, x2.dot(normal) - offset);
        if one.parallel.any() {
            let doubtful = one.without_outer(mu1, x1.abs().dot(normal.abs()) + offset.abs());
            if doubtful.any() {
                for lane in 0..LANES {
                    if doubtful.get(lane) {
                        one.settle(lane, half_space, x1.get(lane), x2.get(lane));
                    }
                }
            }
        }
        let later = one.enter.gt(all.enter);
        all.enter = later.select(one.enter, all.enter);
        deciding = later.select(Lanes::splat(number), deciding);
        all.exit = one.exit.min(all.exit);
        number += 1.0;
    }
    (all, deciding)
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
            let (lines, deciding) = crossings_of_lines(&half_spaces, &Lanes3::splat(x1), &Lanes3::splat(x2));
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
            let first = by_lanes.enter.0.iter().position(|lane| *lane == enter).unwrap_or(0);
            prop_assert!(enter == f64::NEG_INFINITY || deciding.0[3] == first as f64);
            if enter <= exit {
                prop_assert_eq!(lines.exit.0[3].to_bits(), exit.to_bits());
            }
            for lane in half_spaces.len()..LANES {
                prop_assert_eq!((by_lanes.enter.0[lane], by_lanes.exit.0[lane]), (f64::NEG_INFINITY, f64::INFINITY));
            }
        }
    }
}
