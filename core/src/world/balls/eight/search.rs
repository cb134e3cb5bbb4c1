//! The search of a step: one pair in all lanes at once.

use glam::DVec3;

use super::{Eight, Flagged, load, stored};
use crate::lanes::LANES;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};
use crate::world::balls::{Balls, SLACK};

#[inline(always)]
pub(super) fn search<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight) {
    let count = balls.radii.len();
    let (zero, one) = (F64x8::zero(simd), F64x8::splat(simd, 1.0));
    let step = F64x8::splat(simd, balls.step);
    let mut depth = zero;
    for body in 0..count {
        let present = F64x8::from_array(simd, eight.balls[body].present).gt(zero);
        let position = load(simd, &eight.balls[body].position);
        let moving = load(simd, &eight.free[body]);
        let radius = balls.radii[body];
        for (wall, (normal, offset)) in balls.walls.iter().enumerate() {
            let normal = DVec3x8::splat(simd, *normal);
            let gap = normal.dot(position) - *offset - radius;
            depth = (present & (-gap).gt(depth)).select(-gap, depth);
            let way = normal.dot(moving) * step;
            let flagged = present & (gap + way).lt(F64x8::splat(simd, SLACK * radius));
            if flagged.any() {
                let meets = way.lt(zero) & gap.gt(zero);
                let share = meets.select((gap / -way).min(one), gap.le(zero).select(zero, one));
                let key = (body * balls.walls.len() + wall) as u32;
                eight.flag(flagged, [count, body], key, normal, gap, share);
            }
        }
    }
    let base = count * balls.walls.len();
    for first in 0..count {
        let there = F64x8::from_array(simd, eight.balls[first].present).gt(zero);
        let from = load(simd, &eight.balls[first].position);
        let slower = load(simd, &eight.free[first]);
        for second in first + 1..count {
            let reach = balls.radii[first] + balls.radii[second];
            let slack = 0.5 * SLACK * reach;
            let outer = reach + slack;
            let offset = load(simd, &eight.balls[second].position) - from;
            let squared = offset.dot(offset);
            let way = (load(simd, &eight.free[second]) - slower) * step;
            let ways = way.dot(way);
            let near = squared.lt((ways + outer * outer) * 2.0);
            if !near.any() {
                continue;
            }
            let present = there & F64x8::from_array(simd, eight.balls[second].present).gt(zero) & near;
            let distance = squared.sqrt();
            let gap = distance - reach;
            depth = (present & (-gap).gt(depth)).select(-gap, depth);
            let closing = offset.dot(way);
            let constant = gap * (distance + reach);
            let discriminant = closing * closing - ways * constant;
            let root = constant / (discriminant.max(zero).sqrt() - closing);
            let meets = closing.lt(zero) & discriminant.gt(zero) & gap.gt(zero) & root.lt(one);
            let nearest = ways.gt(zero).select((-closing / ways).max(zero).min(one), zero);
            let close = gap.le(F64x8::splat(simd, slack));
            let when = close.select(zero, meets.select(root, nearest));
            let there = offset + way * when;
            let length = there.length();
            let flagged = present & (close | length.lt(F64x8::splat(simd, outer)));
            if flagged.any() {
                let upwards = DVec3x8::splat(simd, DVec3::Z);
                let normal = length.gt(zero).select3(there * (one / length), upwards);
                let share = gap.le(zero).select(zero, meets.select(root, one));
                let key = (base + first * count + second) as u32;
                eight.flag(flagged, [first, second], key, normal, normal.dot(offset) - reach, share);
            }
        }
    }
    eight.depth = depth.to_array();
}

impl Eight {
    /// Takes a pair down, with what is remembered of it.
    #[inline(always)]
    fn flag<S: Simd>(
        &mut self,
        flagged: Mask8<S>,
        [first, second]: [usize; 2],
        key: u32,
        normal: DVec3x8<S>,
        gap: F64x8<S>,
        share: F64x8<S>,
    ) {
        let fixed = (self.balls.len() - 1) as u32;
        let empty = Flagged { first: [fixed; LANES], second: [fixed; LANES], ..Flagged::NONE };
        let (normal, gap, share) = (stored(normal), gap.to_array(), share.to_array());
        let is_flagged = flagged.to_array();
        for lane in 0..LANES {
            if !is_flagged[lane] {
                continue;
            }
            let (count, merged) = (self.before.counts[lane], &mut self.merged[lane]);
            while *merged < count && self.before.rows[*merged].key[lane] < key {
                *merged += 1;
            }
            let row = self.flagged.next(lane, empty);
            (row.first[lane], row.second[lane], row.key[lane]) = (first as u32, second as u32, key);
            (row.gap[lane], row.share[lane]) = (gap[lane], share[lane]);
            for axis in 0..3 {
                row.normal[axis][lane] = normal[axis][lane];
            }
            if *merged < count && self.before.rows[*merged].key[lane] == key {
                let old = &self.before.rows[*merged];
                for axis in 0..3 {
                    row.rub[axis][lane] = old.impulse[axis][lane];
                }
            }
        }
    }
}
