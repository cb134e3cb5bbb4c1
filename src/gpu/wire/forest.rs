//! What job `meetings` exchanges with a device.
//!
//! # Conventions
//! Along each axis coordinates are whole numbers from [`FIRST`] to [`LAST`], from the least face of a forest to the
//! greatest. Every step of the way there (a difference, a quotient, a product, the clamp, the cut) keeps the order of any two
//! numbers, rounded as it is, though it may make them equal: boxes that meet still meet, and the few that meet on a device
//! only are parted in binary64.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use rayon::prelude::*;

use crate::forest::{CHILDREN, Forest, Lookup, Tree};
use crate::program::walk::BoundingBox;

/// Bits of a box's place among those with the same box around them.
pub(in crate::gpu) const CHILDREN_BITS: u32 = CHILDREN.ilog2();
/// Places of boxes that an answer holds.
pub(in crate::gpu) const MOST_PLACES: usize = 12;
/// The least coordinate of a box; beyond it is what meets nothing.
const FIRST: u32 = 1;
/// The greatest.
const LAST: u32 = u32::MAX - 1;

/// Where coordinates stand on a device.
#[derive(Clone, Copy, Debug)]
struct Grid {
    low: DVec3,
    extent: DVec3,
}

impl Grid {
    fn new(all: BoundingBox) -> Self {
        Self { low: all.min, extent: all.max - all.min }
    }

    fn cell(&self, point: DVec3) -> [u32; 3] {
        let cells = f64::from(LAST) - f64::from(FIRST);
        std::array::from_fn(|axis| {
            let along = (point[axis] - self.low[axis]) / self.extent[axis] * cells;
            // Of no extent the one face makes NaN, which counts as the first cell.
            along.max(0.0).min(cells) as u32 + FIRST
        })
    }
}

/// A box of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct TreeBox {
    pub least: [u32; 3],
    pub number: u32,
    pub greatest: [u32; 3],
    pub unused: u32,
}

impl TreeBox {
    /// A box that meets none.
    const NONE: Self = Self { least: [u32::MAX; 3], number: 0, greatest: [0; 3], unused: 0 };
}

/// A box to be looked up, and where its tree's walk begins or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct LookupWire {
    pub least: [u32; 3],
    pub levels_at: u32,
    pub greatest: [u32; 3],
    pub least_number: u32,
    pub level: u32,
    pub place: u32,
    pub top: u32,
    pub unused: u32,
}

/// How a walk ended. Zero is no answer: buffers are cleared before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(in crate::gpu) enum LookupWord {
    Finished = 1,
    Unfinished = 2,
}

impl LookupWord {
    pub const ALL: [Self; 2] = [Self::Finished, Self::Unfinished];
}

/// What a walk found, and where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct LookupAnswer {
    pub status: u32,
    pub level: u32,
    pub place: u32,
    pub count: u32,
    pub places: [u32; MOST_PLACES],
}

/// A box of a tree: the next that a walk looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) struct Position {
    pub level: u32,
    pub place: u32,
}

impl Position {
    /// Grows with every step of a walk: the first body in the box, then the height, downwards.
    pub fn progress(self) -> (u64, std::cmp::Reverse<u32>) {
        (u64::from(self.place) << (CHILDREN_BITS * self.level), std::cmp::Reverse(self.level))
    }
}

impl LookupAnswer {
    /// The places of the boxes that were found, and where the walk goes on if it does; `None` for what is no answer to a
    /// walk from there.
    pub fn decode(&self, tree: &Tree, from: Position) -> Option<(&[u32], Option<Position>)> {
        let places = self.places.get(..self.count as usize)?;
        if places.iter().any(|&place| place as usize >= tree.bodies().len()) {
            return None;
        }
        match LookupWord::ALL.into_iter().find(|&word| word as u32 == self.status)? {
            LookupWord::Finished => Some((places, None)),
            LookupWord::Unfinished => {
                let next = Position { level: self.level, place: self.place };
                let level = tree.levels().get(next.level as usize)?;
                let is_in_level = (next.place as usize) < level.len().next_multiple_of(CHILDREN);
                (is_in_level && next.progress() > from.progress()).then_some((places, Some(next)))
            }
        }
    }
}

/// Where a tree stands among all.
#[derive(Clone, Copy, Debug)]
struct TreePlace {
    levels_at: u32,
    top: u32,
}

/// How a forest stands on a device.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct ForestPlan {
    grid: Grid,
    trees: Vec<TreePlace>,
    /// Where each level of each tree begins among the boxes.
    pub levels: Vec<u32>,
    /// How many boxes there are.
    pub boxes: usize,
}

impl ForestPlan {
    /// Lays out a forest; `None` when it has more boxes than `most`.
    pub fn new(forest: &Forest, most: usize) -> Option<Self> {
        let all = forest.trees().iter().map(Tree::root).fold(BoundingBox::EMPTY, BoundingBox::join);
        let mut plan = Self { grid: Grid::new(all), trees: Vec::new(), levels: Vec::new(), boxes: 0 };
        for tree in forest.trees() {
            let levels_at = plan.levels.len() as u32;
            plan.trees.push(TreePlace { levels_at, top: tree.levels().len() as u32 - 1 });
            for level in tree.levels() {
                plan.levels.push(u32::try_from(plan.boxes).ok()?);
                plan.boxes += level.len().next_multiple_of(CHILDREN);
            }
        }
        (plan.boxes <= most).then_some(plan)
    }

    /// The boxes of the forest that was laid out, each level filled up to groups of eight.
    pub fn tree_boxes(&self, forest: &Forest) -> Vec<TreeBox> {
        let mut boxes = Vec::with_capacity(self.boxes);
        for tree in forest.trees() {
            for (level, around) in tree.levels().iter().enumerate() {
                let number = |place: usize| if level == 0 { tree.bodies()[place] } else { 0 };
                boxes.par_extend(around.par_iter().enumerate().map(|(place, bounds)| TreeBox {
                    least: self.grid.cell(bounds.min),
                    number: number(place),
                    greatest: self.grid.cell(bounds.max),
                    unused: 0,
                }));
                boxes.resize(boxes.len().next_multiple_of(CHILDREN), TreeBox::NONE);
            }
        }
        boxes
    }

    /// Where the walk of a lookup begins.
    pub fn start(&self, lookup: &Lookup) -> Position {
        Position { level: self.trees[lookup.tree as usize].top, place: 0 }
    }

    /// A lookup whose walk goes on somewhere.
    pub fn wire(&self, lookup: &Lookup, from: Position) -> LookupWire {
        let TreePlace { levels_at, top } = self.trees[lookup.tree as usize];
        LookupWire {
            least: self.grid.cell(lookup.bounds.min),
            levels_at,
            greatest: self.grid.cell(lookup.bounds.max),
            least_number: lookup.least_number,
            level: from.level,
            place: from.place,
            top,
            unused: 0,
        }
    }
}
