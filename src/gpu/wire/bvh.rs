//! Wire formats of job `overlaps`.
//!
//! # Conventions
//! Along each axis coordinates are integers from [`FIRST`] to [`LAST`], from the lowest face of a set of hierarchies to
//! the highest. Every operation of the conversion (difference, quotient, product, clamp, truncation) is monotonic, also
//! with rounding, though it may make numbers equal: boxes that overlap still overlap, and the few that overlap on a
//! device only are removed in f64.

use glam::DVec3;

use super::{OnDevice, Structure, array_of, on_device};
use crate::bvh::{CHILDREN, Hierarchies, OverlapQuery, Tree};
use crate::parallel;
use crate::scene::BoundingBox;

/// Bits of a box's place among those with the same box around them.
pub(in crate::gpu) const CHILDREN_BITS: u32 = CHILDREN.ilog2();
/// Places of boxes that an answer holds.
pub(in crate::gpu) const MAX_PLACES: usize = 12;
/// The least coordinate of a box; beyond it is what meets nothing.
const FIRST: u32 = 1;
/// The greatest.
const LAST: u32 = u32::MAX - 1;
/// Boxes per task of a thread.
const BOXES_PER_TASK: usize = 4096;

/// Conversion of coordinates to the integer grid.
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

on_device! {
    /// A box of a tree.
    TreeBox {
        /// Of its faces, in cells of the grid.
        least: [u32; 3],
        /// Of a body.
        number: u32,
        greatest: [u32; 3],
        unused: u32,
    }
}

impl TreeBox {
    /// A box that meets none.
    const NONE: Self = Self { least: [u32::MAX; 3], number: 0, greatest: [0; 3], unused: 0 };
}

on_device! {
    /// A box to be looked up, and where its tree's walk begins or goes on.
    OverlapQueryWire as OverlapQuery {
        least: [u32; 3],
        /// Where the tree's levels begin among those of all.
        levels_at: u32,
        greatest: [u32; 3],
        /// Boxes of bodies with lower numbers are left out.
        least_number: u32,
        /// The box to begin with.
        level: u32,
        place: u32,
        /// The level of the one box around all.
        top: u32,
        unused: u32,
    }
}

/// How a walk ended. Zero is no answer: buffers are cleared before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(in crate::gpu) enum QueryWord {
    Finished = 1,
    Unfinished = 2,
}

impl QueryWord {
    pub const ALL: [Self; 2] = [Self::Finished, Self::Unfinished];
}

on_device! {
    /// What a walk found, and where it goes on.
    QueryAnswer {
        /// A [`QueryWord`].
        status: u32,
        /// The box to go on with.
        level: u32,
        place: u32,
        count: u32,
        places: [u32; MAX_PLACES],
    }
}

impl OnDevice for [u32; MAX_PLACES] {
    const ALIGN: usize = u32::ALIGN;

    fn name() -> String {
        array_of::<u32>(MAX_PLACES)
    }
}

/// What the kernel of job `overlaps` takes and gives.
pub(in crate::gpu) fn overlap_structures() -> String {
    [TreeBox::declaration(), OverlapQueryWire::declaration(), QueryAnswer::declaration()].concat()
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

impl QueryAnswer {
    /// The places of the boxes that were found, and where the walk goes on if it does; `None` for what is no answer to a
    /// walk from there.
    pub fn decode(&self, tree: &Tree, from: Position) -> Option<(&[u32], Option<Position>)> {
        let places = self.places.get(..self.count as usize)?;
        if places.iter().any(|&place| place as usize >= tree.bodies().len()) {
            return None;
        }
        match QueryWord::ALL.into_iter().find(|&word| word as u32 == self.status)? {
            QueryWord::Finished => Some((places, None)),
            QueryWord::Unfinished => {
                let next = Position { level: self.level, place: self.place };
                let level = tree.levels().get(next.level as usize)?;
                let is_in_level = (next.place as usize) < level.len().next_multiple_of(CHILDREN);
                (is_in_level && next.progress() > from.progress()).then_some((places, Some(next)))
            }
        }
    }
}

/// Position of a tree among all.
#[derive(Clone, Copy, Debug)]
struct TreePlace {
    levels_at: u32,
    top: u32,
}

/// Layout of a set of hierarchies on a device.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct HierarchyPlan {
    grid: Grid,
    trees: Vec<TreePlace>,
    /// Where each level of each tree begins among the boxes.
    pub levels: Vec<u32>,
    /// How many boxes there are.
    pub boxes: usize,
}

impl HierarchyPlan {
    /// Lays out a set of hierarchies; `None` when it has more boxes than `most`.
    pub fn new(hierarchies: &Hierarchies, most: usize) -> Option<Self> {
        let all = hierarchies.trees().iter().map(Tree::root).fold(BoundingBox::EMPTY, BoundingBox::join);
        let mut plan = Self { grid: Grid::new(all), trees: Vec::new(), levels: Vec::new(), boxes: 0 };
        for tree in hierarchies.trees() {
            let levels_at = plan.levels.len() as u32;
            plan.trees.push(TreePlace { levels_at, top: tree.levels().len() as u32 - 1 });
            for level in tree.levels() {
                plan.levels.push(u32::try_from(plan.boxes).ok()?);
                plan.boxes += level.len().next_multiple_of(CHILDREN);
            }
        }
        (plan.boxes <= most).then_some(plan)
    }

    /// The boxes of the set that was laid out, each level filled up to groups of eight.
    pub fn tree_boxes(&self, hierarchies: &Hierarchies) -> Vec<TreeBox> {
        let mut boxes = Vec::with_capacity(self.boxes);
        for tree in hierarchies.trees() {
            for (level, around) in tree.levels().iter().enumerate() {
                let number = |place: usize| if level == 0 { tree.bodies()[place] } else { 0 };
                let tree_box = |place: usize| TreeBox {
                    least: self.grid.cell(around[place].min),
                    number: number(place),
                    greatest: self.grid.cell(around[place].max),
                    unused: 0,
                };
                boxes.extend(parallel::map_numbers(around.len(), BOXES_PER_TASK, tree_box));
                boxes.resize(boxes.len().next_multiple_of(CHILDREN), TreeBox::NONE);
            }
        }
        boxes
    }

    /// Where the walk of a query begins.
    pub fn start(&self, query: &OverlapQuery) -> Position {
        Position { level: self.trees[query.tree as usize].top, place: 0 }
    }

    /// A query whose walk goes on somewhere.
    pub fn wire(&self, query: &OverlapQuery, from: Position) -> OverlapQueryWire {
        let TreePlace { levels_at, top } = self.trees[query.tree as usize];
        OverlapQueryWire {
            least: self.grid.cell(query.bounds.min),
            levels_at,
            greatest: self.grid.cell(query.bounds.max),
            least_number: query.least_number,
            level: from.level,
            place: from.place,
            top,
            unused: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn meet(a: &BoundingBox, b: &BoundingBox, grid: &Grid) -> bool {
        let cells = |bounds: &BoundingBox| (grid.cell(bounds.min), grid.cell(bounds.max));
        let (a, b) = (cells(a), cells(b));
        (0..3).all(|axis| a.0[axis] <= b.1[axis] && b.0[axis] <= a.1[axis])
    }

    /// Coordinates that are the same, neighbours among numbers, or anywhere.
    fn coordinate() -> impl Strategy<Value = f64> {
        let near = (-3i64..3).prop_map(|steps| f64::from_bits((1.0f64.to_bits() as i64 + steps) as u64));
        prop_oneof![Just(-1.0), Just(0.0), near, -1.0f64..1.0, -1e3f64..1e3]
    }

    fn some_box() -> impl Strategy<Value = BoundingBox> {
        let corner = || prop::array::uniform3(coordinate()).prop_map(DVec3::from_array);
        (corner(), corner()).prop_map(|(a, b)| BoundingBox { min: a.min(b), max: a.max(b) })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn boxes_that_meet_meet_on_a_device(
            all in some_box(),
            [a, b] in prop::array::uniform2(some_box()),
            exponent in prop_oneof![Just(0), -1000i32..1000],
        ) {
            let scale = 2f64.powi(exponent);
            let [all, a, b] = [all, a, b].map(|bounds| BoundingBox { min: scale * bounds.min, max: scale * bounds.max });
            let grid = Grid::new(all);
            prop_assert!(!a.touches(&b) || meet(&a, &b, &grid), "{:?} {:?} {:?}", a, b, grid);
            prop_assert!(grid.cell(a.min).iter().chain(&grid.cell(b.max)).all(|cell| (FIRST..=LAST).contains(cell)));
        }
    }

    #[test]
    fn boxes_apart_by_a_billionth_of_the_hierarchies_are_apart_and_what_fills_up_meets_nothing() {
        let cube = |low: f64, high: f64| BoundingBox { min: DVec3::splat(low), max: DVec3::splat(high) };
        let grid = Grid::new(cube(-3.0, 7.0));
        assert!(!meet(&cube(0.0, 1.0), &cube(1.0 + 1e-8, 2.0), &grid));
        assert!(meet(&cube(0.0, 1.0), &cube(1.0, 2.0), &grid));
        let (least, greatest) = (grid.cell(DVec3::splat(-1e9)), grid.cell(DVec3::splat(1e9)));
        assert!(TreeBox::NONE.least[0] > greatest[0] && TreeBox::NONE.greatest[0] < least[0]);
    }

    #[test]
    fn answers_that_no_walk_gives_are_none() {
        let unit = |place: f64| BoundingBox { min: DVec3::splat(place), max: DVec3::splat(place + 0.5) };
        let boxes: Vec<BoundingBox> = (0..20).map(|place| unit(f64::from(place))).collect();
        let hierarchies = Hierarchies::new(&boxes);
        let tree = &hierarchies.trees()[0];
        assert_eq!(tree.levels().len(), 3);
        let from = Position { level: 1, place: 1 };
        let unfinished = QueryWord::Unfinished as u32;
        let answer = QueryAnswer { status: unfinished, level: 0, place: 9, count: 2, places: [3; MAX_PLACES] };
        let decoded = answer.decode(tree, from);
        assert_eq!(decoded, Some((&[3, 3][..], Some(Position { level: 0, place: 9 }))));
        assert_eq!(QueryAnswer { level: 0, place: 8, ..answer }.decode(tree, from).unwrap().1.unwrap().place, 8);
        let finished = QueryAnswer { status: QueryWord::Finished as u32, level: 9, place: 99, ..answer };
        assert_eq!(finished.decode(tree, from), Some((&[3, 3][..], None)));
        for (why, answer) in [
            ("nothing written", QueryAnswer { status: 0, ..answer }),
            ("more than fits", QueryAnswer { count: MAX_PLACES as u32 + 1, ..answer }),
            ("no such body", QueryAnswer { places: [20; MAX_PLACES], ..answer }),
            ("no such level", QueryAnswer { level: 3, ..answer }),
            ("no such box", QueryAnswer { place: 24, ..answer }),
            ("no progress", QueryAnswer { level: 1, place: 1, ..answer }),
            ("back", QueryAnswer { level: 0, place: 7, ..answer }),
            ("up to the same", QueryAnswer { level: 2, place: 0, ..answer }),
        ] {
            assert_eq!(answer.decode(tree, from), None, "{why}");
        }
    }
}
