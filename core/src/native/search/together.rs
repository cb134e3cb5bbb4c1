//! First points of parts on eight rays at once.
//!
//! Each lane finds what [`super`] finds for its ray. All lanes look at the same parts: those of rays whose search is over
//! go along, and no solid is asked for them one by one.
//!
//! # Conventions
//! As in [`super`], but for what is told of a first point: its face, and only where it is beyond the start of the search.
//! There a border is met. At the start the face has no say in an intersection: another part is entered later, or an earlier
//! pass has told, or the ray itself starts inside, which is left to the search of one ray.

mod cylinder;

use std::slice;

use super::Search;
use crate::lanes::{LANES, Lanes, Vectorized};
use crate::native::cell::crossings_of_lines;
use crate::native::eight::{Eight, Rayx8};
use crate::native::index::{Part, SceneIndex};
use crate::native::tree::Deferred;
use crate::scene::Solid;
use crate::simd::{F64x8, Simd, at_full_width};

/// Parts of eight rays: nothing is looked for in lanes where one ends before it begins.
#[derive(Clone, Copy)]
pub(in crate::native) struct Searches<'a, S: Simd> {
    pub eight: &'a Eight,
    pub from: F64x8<S>,
    pub until: F64x8<S>,
}

/// First points of a part.
#[derive(Clone, Copy)]
pub(in crate::native) struct Entries<S: Simd> {
    /// Infinite where there is none. It may be beyond the end of the search.
    pub lambda: F64x8<S>,
    /// The part holds everything from `lambda` to here.
    pub holds_until: F64x8<S>,
    /// The number of the leaf whose border is met there and one more, where `lambda` is beyond the start of the search.
    pub face: F64x8<S>,
}

impl SceneIndex {
    /// The first points of a part. Cells and what is as simple on the spot, so that they are compiled into the loop that asks.
    #[inline(always)]
    pub(in crate::native) fn first_of_eight<S: Simd>(
        &self,
        simd: S,
        part: &Part,
        search: Searches<'_, S>,
        deferred: &mut Deferred,
    ) -> Entries<S> {
        let Searches { eight, from, .. } = search;
        let Rayx8 { x1, x2, .. } = eight.rays(simd);
        match part {
            Part::Cell(cell) => {
                let (crossing, deciding) = crossings_of_lines(self.half_spaces(*cell), &x1, &x2);
                let face = deciding + (f64::from(cell.first_leaf) + 1.0);
                return Entries::inside(from, (crossing.enter, crossing.exit), face);
            }
            Part::Ball(ball) => {
                if let Some((enter, exit)) = ball.crossings(&eight.x1, &eight.x2) {
                    let crossing = (F64x8::from_array(simd, enter.0), F64x8::from_array(simd, exit.0));
                    return self.entries_of_leaf(from, ball.leaf, crossing);
                }
            }
            Part::Leaf(number) => {
                if let Solid::HalfSpace(half_space) = &self.scene.leaf(*number).solid {
                    let (crossing, _) = crossings_of_lines(slice::from_ref(half_space), &x1, &x2);
                    return self.entries_of_leaf(from, *number, (crossing.enter, crossing.exit));
                }
            }
            _ => {}
        }
        at_full_width(simd, Together { simd, index: self, part, search, deferred })
    }

    /// Of a leaf, or of the complement that it is, where lines enter the solid and leave it.
    #[inline(always)]
    fn entries_of_leaf<S: Simd>(&self, from: F64x8<S>, number: u32, crossing: (F64x8<S>, F64x8<S>)) -> Entries<S> {
        let face = from.like(f64::from(number) + 1.0);
        if self.scene.leaf(number).complemented {
            Entries::outside(from, crossing, face)
        } else {
            Entries::inside(from, crossing, face)
        }
    }

    /// The first points of what has parts, or a longer formula.
    #[inline(always)]
    fn first_of_eight_in_a_call<S: Simd>(
        &self,
        simd: S,
        part: &Part,
        search: Searches<'_, S>,
        deferred: &mut Deferred,
    ) -> Entries<S> {
        match part {
            Part::Intersection(parts) => return self.first_of_all_of_eight(simd, parts, search, deferred),
            Part::Union(group) if group.is_small() => {
                return self.first_of_any_of_eight(simd, &group.members, search, deferred);
            }
            Part::Leaf(number) => {
                let Rayx8 { x1, x2, .. } = search.eight.rays(simd);
                if let Some(crossing) = cylinder::crossings(&self.scene.leaf(*number).solid, &x1, &x2) {
                    return self.entries_of_leaf(search.from, *number, crossing);
                }
            }
            _ => {}
        }
        self.first_one_by_one(simd, part, search, deferred)
    }

    #[inline(always)]
    fn first_of_all_of_eight<S: Simd>(
        &self,
        simd: S,
        parts: &[Part],
        search: Searches<'_, S>,
        deferred: &mut Deferred,
    ) -> Entries<S> {
        let Searches { eight, mut from, until } = search;
        let mut found = Entries::nowhere(simd);
        let mut open = from.le(until);
        loop {
            let mut all = Entries::everywhere(from);
            for part in parts {
                let wanted = all.lambda.le(until);
                if !wanted.any() {
                    break;
                }
                let until = wanted.select(until, from.like(f64::NEG_INFINITY));
                all = all.and(&self.first_of_eight(simd, part, Searches { eight, from, until }, deferred));
            }
            let moved = all.lambda.gt(from);
            found = Entries {
                lambda: open.select(all.lambda, found.lambda),
                holds_until: open.select(all.holds_until, found.holds_until),
                // Of the last pass that moved (docs/theory/entry-points.md, 9).
                face: (open & moved).select(all.face, found.face),
            };
            open = open & moved & all.lambda.le(until) & all.holds_until.lt(all.lambda);
            if !open.any() {
                return found;
            }
            from = open.select(all.lambda, from.like(f64::INFINITY));
        }
    }

    #[inline(always)]
    fn first_of_any_of_eight<S: Simd>(
        &self,
        simd: S,
        members: &[Part],
        search: Searches<'_, S>,
        deferred: &mut Deferred,
    ) -> Entries<S> {
        let Searches { eight, from, until } = search;
        let mut best = Entries::nowhere(simd);
        for member in members {
            let until = best.lambda.min(until);
            let one = self.first_of_eight(simd, member, Searches { eight, from, until }, deferred);
            let earlier = one.lambda.lt(best.lambda);
            best = Entries {
                lambda: earlier.select(one.lambda, best.lambda),
                holds_until: earlier.select(one.holds_until, best.holds_until),
                face: earlier.select(one.face, best.face),
            };
        }
        best
    }

    /// Of parts that lanes have no formula for, or that have boxes, which each ray passes in its own way.
    #[inline(always)]
    fn first_one_by_one<S: Simd>(
        &self,
        simd: S,
        part: &Part,
        search: Searches<'_, S>,
        deferred: &mut Deferred,
    ) -> Entries<S> {
        let (from, until) = (search.from.to_lanes(), search.until.to_lanes());
        let nowhere = Lanes::splat(f64::INFINITY);
        let (mut lambda, mut holds_until, mut face) = (nowhere, nowhere, nowhere);
        for lane in 0..LANES {
            let ray = &search.eight.ray(lane);
            let search = Search { ray, from: from.0[lane], until: until.0[lane] };
            if search.from <= search.until
                && let Some(entry) = self.first_of_part(simd, part, search, deferred)
            {
                lambda.0[lane] = entry.lambda;
                holds_until.0[lane] = entry.holds_until;
                face.0[lane] = f64::from(entry.leaf) + 1.0;
            }
        }
        Entries {
            lambda: F64x8::from_array(simd, lambda.0),
            holds_until: F64x8::from_array(simd, holds_until.0),
            face: F64x8::from_array(simd, face.0),
        }
    }
}

impl<S: Simd> Entries<S> {
    #[inline(always)]
    fn nowhere(simd: S) -> Self {
        let endless = F64x8::splat(simd, f64::INFINITY);
        Self { lambda: endless, holds_until: endless, face: endless }
    }

    #[inline(always)]
    fn everywhere(from: F64x8<S>) -> Self {
        Self { lambda: from, ..Self::nowhere(from.simd()) }
    }

    /// Of what lines enter and leave there.
    #[inline(always)]
    fn inside(from: F64x8<S>, (enter, exit): (F64x8<S>, F64x8<S>), face: F64x8<S>) -> Self {
        let lambda = enter.max(from);
        Self { lambda: lambda.le(exit).select(lambda, from.like(f64::INFINITY)), holds_until: exit, face }
    }

    /// Of the closed complement of what lines enter and leave there, which keeps both ends.
    #[inline(always)]
    fn outside(from: F64x8<S>, (enter, exit): (F64x8<S>, F64x8<S>), face: F64x8<S>) -> Self {
        let within = from.gt(enter) & from.lt(exit);
        let holds_until = from.le(enter).select(enter, from.like(f64::INFINITY));
        Self { lambda: within.select(exit, from), holds_until, face }
    }

    /// The later of the two, the first on a tie.
    #[inline(always)]
    fn and(self, other: &Self) -> Self {
        let later = other.lambda.gt(self.lambda);
        Self {
            lambda: later.select(other.lambda, self.lambda),
            holds_until: other.holds_until.min(self.holds_until),
            face: later.select(other.face, self.face),
        }
    }
}

/// A search of eight rays as a function of its own: one part is inside another.
struct Together<'a, S: Simd> {
    simd: S,
    index: &'a SceneIndex,
    part: &'a Part,
    search: Searches<'a, S>,
    deferred: &'a mut Deferred,
}

impl<S: Simd> Vectorized for Together<'_, S> {
    type Output = Entries<S>;
    #[inline(always)]
    fn run(self) -> Entries<S> {
        let Self { simd, index, part, search, deferred } = self;
        index.first_of_eight_in_a_call(simd, part, search, deferred)
    }
}
