//! Convex cells: eight half spaces against one line, or eight lines against one half space after another.
//!
//! # Conventions
//! As in [`crate::scene`]. Crossings are those of [`HalfSpace::interval`], operation by operation.

use glam::DVec3;

use crate::lanes::{LANES, Lanes, Lanes3};
use crate::scene::HalfSpace;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// Distances from a border are rounded by less than this share of the terms that they are added up from: three products
/// and three sums with 2^-53 each, and as much again.
pub(super) const ROUNDING: f64 = 12.0 * f64::EPSILON;

/// Where lines are inside a half space or a cell: lambda in [enter, exit], nowhere when `enter > exit`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing<S: Simd> {
    pub enter: F64x8<S>,
    pub exit: F64x8<S>,
    /// Lines that are parallel to the border. They are inside so far.
    pub parallel: Mask8<S>,
}

impl<S: Simd> Crossing<S> {
    /// Of lines with these distances from the border at lambda 0 and 1.
    #[inline(always)]
    pub fn new(mu1: F64x8<S>, mu2: F64x8<S>) -> Self {
        let zero = mu1.like(0.0);
        let slope = mu2 - mu1;
        let crossing = -mu1 / slope;
        Self {
            enter: slope.lt(zero).select(crossing, mu1.like(f64::NEG_INFINITY)),
            exit: slope.gt(zero).select(crossing, mu1.like(f64::INFINITY)),
            parallel: slope.eq(zero),
        }
    }

    /// Takes out the parallel lines that are outside, where `mu1` is their distance and `terms` the sum of the magnitudes
    /// that it was added up from. Gives the lanes in which rounding leaves open whether they are.
    #[inline(always)]
    fn without_outer(&mut self, mu1: F64x8<S>, terms: F64x8<S>) -> Mask8<S> {
        let outside = self.parallel & mu1.gt(mu1.like(0.0));
        self.enter = outside.select(mu1.like(f64::INFINITY), self.enter);
        self.parallel & mu1.abs().le(terms * ROUNDING)
    }
}

/// The entry of a line that is parallel to the border, without doubt whether it is outside.
#[cold]
#[inline(never)]
fn settled(half_space: &HalfSpace, x1: DVec3, x2: DVec3) -> f64 {
    if half_space.interval(x1, x2).is_empty() { f64::INFINITY } else { f64::NEG_INFINITY }
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
    pub fn crossings<S: Simd>(&self, simd: S, half_spaces: &[HalfSpace], x1: DVec3, x2: DVec3) -> Crossing<S> {
        let (start, end) = (DVec3x8::splat(simd, x1), DVec3x8::splat(simd, x2));
        let (normal, offset) = (DVec3x8::from_lanes(simd, &self.normal), F64x8::from_array(simd, self.offset.0));
        let mu1 = start.dot(normal) - offset;
        let mut crossing = Crossing::new(mu1, end.dot(normal) - offset);
        if crossing.parallel.any() {
            let terms = start.abs().dot(normal.abs()) + offset.abs();
            let doubtful = crossing.without_outer(mu1, terms);
            if doubtful.any() {
                for (lane, half_space) in half_spaces.iter().enumerate() {
                    if doubtful.get(lane) {
                        crossing.enter.set(lane, settled(half_space, x1, x2));
                    }
                }
            }
        }
        crossing
    }
}

/// Where eight lines are in a cell, and the half space by which each enters last, by number.
#[inline(always)]
pub(super) fn crossings_of_lines<S: Simd>(
    half_spaces: &[HalfSpace],
    x1: &DVec3x8<S>,
    x2: &DVec3x8<S>,
) -> (Crossing<S>, F64x8<S>) {
    let like = |number| x1.x.like(number);
    let (mut deciding, mut number) = (like(0.0), 0.0);
    let mut all =
        Crossing { enter: like(f64::NEG_INFINITY), exit: like(f64::INFINITY), parallel: Mask8::none(x1.x.simd()) };
    for half_space in half_spaces {
        let (normal, offset) = (DVec3x8::splat(x1.x.simd(), half_space.normal), like(half_space.offset));
        let mu1 = x1.dot(normal) - offset;
        let mut one = Crossing::new(mu1, x2.dot(normal) - offset);
        if one.parallel.any() {
            let doubtful = one.without_outer(mu1, x1.abs().dot(normal.abs()) + offset.abs());
            if doubtful.any() {
                for lane in doubtful.lanes() {
                    one.enter.set(lane, settled(half_space, x1.get(lane), x2.get(lane)));
                }
            }
        }
        let later = one.enter.gt(all.enter);
        all.enter = later.select(one.enter, all.enter);
        deciding = later.select(like(number), deciding);
        all.exit = one.exit.min(all.exit);
        number += 1.0;
    }
    (all, deciding)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::{InRegisters, in_registers};

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

    /// Entries and exits by half spaces in lanes, then by lines in lanes, then by which half space.
    struct Both<'a> {
        half_spaces: &'a [HalfSpace],
        x1: DVec3,
        x2: DVec3,
    }

    impl InRegisters for Both<'_> {
        type Output = [[[f64; LANES]; 2]; 3];
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let Self { half_spaces, x1, x2 } = self;
            let by_lanes = Planes::new(half_spaces).crossings(simd, half_spaces, x1, x2);
            let (x1, x2) = (DVec3x8::splat(simd, x1), DVec3x8::splat(simd, x2));
            let (lines, deciding) = crossings_of_lines(half_spaces, &x1, &x2);
            let both = |crossing: Crossing<S>| [crossing.enter, crossing.exit].map(F64x8::to_array);
            [both(by_lanes), both(lines), [deciding.to_array(); 2]]
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lanes_cross_where_one_half_space_after_another_does(
            half_spaces in prop::collection::vec(half_space(), 1..=8),
            x1 in vector(),
            x2 in vector(),
        ) {
            let [by_lanes, lines, [deciding, _]] = in_registers(Both { half_spaces: &half_spaces, x1, x2 });
            let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
            for (lane, half_space) in half_spaces.iter().enumerate() {
                let inside = half_space.interval(x1, x2);
                prop_assert_eq!(by_lanes[0][lane].to_bits(), inside.enter.to_bits());
                if !inside.is_empty() {
                    prop_assert_eq!(by_lanes[1][lane].to_bits(), inside.exit.to_bits());
                }
                enter = if inside.enter > enter { inside.enter } else { enter };
                exit = if inside.exit < exit { inside.exit } else { exit };
            }
            prop_assert_eq!(lines[0][3].to_bits(), enter.to_bits());
            let first = by_lanes[0].iter().position(|lane| *lane == enter).unwrap_or(0);
            prop_assert!(enter == f64::NEG_INFINITY || deciding[3] == first as f64);
            if enter <= exit {
                prop_assert_eq!(lines[1][3].to_bits(), exit.to_bits());
            }
            for (enter, exit) in by_lanes[0].iter().zip(&by_lanes[1]).skip(half_spaces.len()) {
                prop_assert_eq!((*enter, *exit), (f64::NEG_INFINITY, f64::INFINITY));
            }
        }
    }
}
