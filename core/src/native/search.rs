//! Entry point of a single ray.
//!
//! Phi(part, l) is the first point of the part at or beyond l. For a union it is the minimum over its members. For an
//! intersection no point before the maximum over its members is inside; from there the search is repeated until all are
//! stationary. Intervals are computed from the ray alone, never from l, so Phi(part, Phi(part, l)) is the same number
//! bit by bit, and the search terminates (docs/theory/entry-points.md, 4 and 8).
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`]. Ties: a union keeps its first member, an intersection prefers a surface over
//! none.

mod together;

use super::ball::Ball;
use super::index::{CellPart, Group, Part, SceneIndex};
use super::tree::{Deferred, Line, Visitor};
use crate::lanes::{LANES, Vectorized};
use crate::query::Ray;
use crate::simd::{InRegisters, Simd, at_full_width, in_registers};

pub(super) use together::{Entries, Searches};

/// No leaf.
pub(super) const NO_LEAF: u32 = u32::MAX;

/// The first point of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub lambda: f64,
    /// The part holds everything from `lambda` to here.
    pub holds_until: f64,
    /// The leaf that decided, or [`NO_LEAF`].
    pub leaf: u32,
    /// Its border is met there.
    pub border: bool,
}

/// A part of a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub ray: &'a Ray,
    pub from: f64,
    pub until: f64,
}

impl SceneIndex {
    /// True when a valid ray meets the scene.
    pub(super) fn is_met(&self, ray: &Ray) -> bool {
        let search = Search { ray, from: ray.lambda1, until: ray.lambda2 };
        in_registers(SceneSearch { index: self, search })
    }

    /// The first point of the whole scene.
    #[inline(always)]
    pub(super) fn first_of_scene<S: Simd>(
        &self,
        simd: S,
        search: Search<'_>,
        deferred: &mut Deferred,
    ) -> Option<Entry> {
        self.first_of_group(simd, &self.top, search, deferred)
    }

    #[inline(always)]
    fn first_of_group<S: Simd>(
        &self,
        simd: S,
        group: &Group,
        search: Search<'_>,
        deferred: &mut Deferred,
    ) -> Option<Entry> {
        let mut visitor = RayVisitor { simd, index: self, group, search, best: None, member: u32::MAX };
        let mut until = search.until;
        for &number in group.unboxed.iter().chain(&group.few) {
            until = visitor.look(number, deferred);
        }
        if !group.is_small() {
            match Line::new(&group.tree, search.ray.x1, search.ray.x2, (search.from, search.until)) {
                Some(line) => group.tree.along(simd, &line, until, &mut visitor, deferred),
                // Too long for boxes.
                None => {
                    for number in group.tree.items() {
                        visitor.look(number, deferred);
                    }
                }
            }
        }
        visitor.best
    }

    /// The first point of a part. Cells and leaves on the spot, so that they are compiled into the loop that asks.
    #[inline(always)]
    pub(super) fn first_of_member<S: Simd>(
        &self,
        simd: S,
        part: &Part,
        search: Search<'_>,
        deferred: &mut Deferred,
    ) -> Option<Entry> {
        match part {
            Part::Cell(cell) => self.first_of_cell(simd, *cell, search),
            Part::Leaf(leaf) | Part::Ball(Ball { leaf, .. }) => self.first_of_leaf(*leaf, search),
            _ => self.first_of_part(simd, part, search, deferred),
        }
    }

    /// The first point of a part, in a call: one part is inside another. The instruction set stays what it is.
    #[inline(always)]
    pub(super) fn first_of_part<S: Simd>(
        &self,
        simd: S,
        part: &Part,
        search: Search<'_>,
        deferred: &mut Deferred,
    ) -> Option<Entry> {
        at_full_width(simd, PartSearch { simd, index: self, part, search, deferred })
    }

    #[inline(always)]
    fn first_of_all<S: Simd>(
        &self,
        simd: S,
        parts: &[Part],
        mut search: Search<'_>,
        deferred: &mut Deferred,
    ) -> Option<Entry> {
        let mut found: Option<Entry> = None;
        loop {
            let mut all = Entry::everything(search.from);
            for part in parts {
                all = all.and(self.first_of_member(simd, part, search, deferred)?);
            }
            let moved = all.lambda > search.from;
            // The border is that of the last pass that moved, or of the first (docs/theory/entry-points.md, 9).
            let entry = match found {
                Some(found) if !moved => Entry { holds_until: all.holds_until, ..found },
                _ => all,
            };
            if !moved || all.holds_until >= all.lambda {
                return Some(entry);
            }
            found = Some(entry);
            search.from = all.lambda;
        }
    }

    #[inline(always)]
    fn first_of_cell<S: Simd>(&self, simd: S, cell: CellPart, search: Search<'_>) -> Option<Entry> {
        let Search { ray, from, until } = search;
        let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut deciding = 0;
        for ((half_spaces, planes), block) in self.blocks(cell).zip(0u32..) {
            let crossing = planes.crossings(simd, half_spaces, ray.x1, ray.x2);
            let last = crossing.enter.greatest();
            if last > enter {
                let first = crossing.enter.eq(crossing.enter.like(last)).bits().trailing_zeros() as usize % LANES;
                // The number of that lane says which of 0 and -0 it is.
                enter = crossing.enter.get(first);
                deciding = block * LANES as u32 + first as u32;
            }
            exit = exit.min(crossing.exit.least());
        }
        let lambda = if enter > from { enter } else { from };
        if lambda > exit || lambda > until {
            return None;
        }
        if enter > from {
            return Some(Entry { lambda, holds_until: exit, leaf: cell.first_leaf + deciding, border: true });
        }
        // The search starts inside: on a border?
        let border =
            self.half_spaces(cell).iter().position(|half_space| half_space.interval(ray.x1, ray.x2).is_border(from));
        let leaf = cell.first_leaf + border.unwrap_or(0) as u32;
        Some(Entry { lambda, holds_until: exit, leaf, border: border.is_some() })
    }

    #[inline(always)]
    fn first_of_leaf(&self, number: u32, search: Search<'_>) -> Option<Entry> {
        let Search { ray, from, until } = search;
        let leaf = self.scene.leaf(number);
        let inside = leaf.solid.interval(&ray.x1, &ray.x2);
        let (lambda, holds_until) = if leaf.complemented {
            // The closed complement keeps both ends of the interval.
            let within = from > inside.enter && from < inside.exit && !inside.flat;
            let before = from <= inside.enter && !inside.flat;
            (if within { inside.exit } else { from }, if before { inside.enter } else { f64::INFINITY })
        } else if from > inside.exit {
            return None;
        } else {
            (from.max(inside.enter), inside.exit)
        };
        (lambda <= until).then_some(Entry { lambda, holds_until, leaf: number, border: inside.is_border(lambda) })
    }
}

/// Looks for the first point of a union, member by member.
struct RayVisitor<'a, S> {
    simd: S,
    index: &'a SceneIndex,
    group: &'a Group,
    /// Up to the best found so far.
    search: Search<'a>,
    best: Option<Entry>,
    /// The number of the member that it is of.
    member: u32,
}

impl<S: Simd> Visitor for RayVisitor<'_, S> {
    #[inline(always)]
    fn look(&mut self, number: u32, deferred: &mut Deferred) -> f64 {
        if let Some(entry) =
            self.index.first_of_member(self.simd, &self.group.members[number as usize], self.search, deferred)
            && (entry.lambda < self.search.until || number < self.member)
        {
            self.search.until = entry.lambda;
            self.best = Some(entry);
            self.member = number;
        }
        self.search.until
    }
}

impl Entry {
    fn everything(from: f64) -> Self {
        Self { lambda: from, holds_until: f64::INFINITY, leaf: NO_LEAF, border: false }
    }

    /// The later of the two. On a tie the first that shows a border, else the first that has a leaf.
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // `|` and `&` where `||` and `&&` would branch: which part is the later cannot be predicted.
        let other_wins =
            (other.lambda > self.lambda) | ((other.lambda == self.lambda) & (other.shows() > self.shows()));
        let later = if other_wins { other } else { self };
        Self { holds_until: self.holds_until.min(other.holds_until), ..later }
    }

    /// Rank on a tie.
    #[inline(always)]
    fn shows(&self) -> u8 {
        2 * u8::from(self.border) + u8::from(self.leaf != NO_LEAF)
    }
}

/// Looks whether a ray meets a scene.
struct SceneSearch<'a> {
    index: &'a SceneIndex,
    search: Search<'a>,
}

/// A search with a token of the instruction set.
struct With<S, W>(S, W);

impl InRegisters for SceneSearch<'_> {
    type Output = bool;
    fn run<S: Simd>(self, simd: S) -> bool {
        at_full_width(simd, With(simd, self))
    }
}

impl<S: Simd> Vectorized for With<S, SceneSearch<'_>> {
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        let Self(simd, SceneSearch { index, search }) = self;
        index.first_of_scene(simd, search, &mut Deferred::new()).is_some()
    }
}

/// Looks for the first point of a part.
struct PartSearch<'a, S> {
    simd: S,
    index: &'a SceneIndex,
    part: &'a Part,
    search: Search<'a>,
    deferred: &'a mut Deferred,
}

impl<S: Simd> Vectorized for PartSearch<'_, S> {
    type Output = Option<Entry>;
    #[inline(always)]
    fn run(self) -> Option<Entry> {
        let Self { simd, index, part, search, deferred } = self;
        match part {
            Part::Nothing => None,
            Part::Everything => Some(Entry::everything(search.from)),
            Part::Leaf(leaf) | Part::Ball(Ball { leaf, .. }) => index.first_of_leaf(*leaf, search),
            Part::Cell(cell) => index.first_of_cell(simd, *cell, search),
            Part::Intersection(parts) => index.first_of_all(simd, parts, search, deferred),
            Part::Union(group) => index.first_of_group(simd, group, search, deferred),
        }
    }
}
