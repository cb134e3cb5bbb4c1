//! Bounding-volume hierarchies of bodies, as pointer-free trees, and overlap queries.
//!
//! The boxes of one tree are sorted along a space-filling curve; every eight neighbours have a common box, every eight
//! of those, and so on up to one. Bodies of different sizes are in different trees: among a million grains a few
//! boulders would make every box that contains one of them as large as the boulder.
//!
//! # Conventions
//! Metres. Boxes are closed: two with only a face in common overlap. A common box has the outermost faces of its
//! members, so a traversal finds all overlaps, and the result does not depend on the tree.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use crate::parallel;
use crate::scene::BoundingBox;

/// Boxes per common box.
pub const CHILDREN: usize = 8;

/// Boxes in one tree differ in size by less than this many doublings.
const DOUBLINGS: i32 = 2;

/// Bits per axis of a position on the curve.
const CURVE_BITS: u32 = 21;

/// Boxes per task of a thread.
const BOXES_PER_TASK: usize = 1024;

/// Queries per task of a thread.
const QUERIES_PER_TASK: usize = 64;

/// Bounding-volume hierarchies, one per size class. Clones share them.
#[derive(Clone, Debug)]
pub struct Hierarchies {
    trees: Arc<[Tree]>,
}

/// Boxes of similar size.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Indices of the bodies, along the curve.
    bodies: Vec<u32>,
    /// Boxes of the bodies, then of eight of them each, and so on up to one.
    levels: Vec<Vec<BoundingBox>>,
}

/// An overlap query: which boxes of a tree overlap a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapQuery {
    /// Index of the tree.
    pub tree: u32,
    /// Bodies with lower indices are excluded.
    pub least_number: u32,
    /// The box.
    pub bounds: BoundingBox,
}

/// An overlap found by a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Index of the query.
    pub query: u32,
    /// Index of the body.
    pub number: u32,
}

impl Hierarchies {
    /// Trees over boxes; a body's index is that of its box.
    #[must_use]
    pub fn new(boxes: &[BoundingBox]) -> Self {
        let all = boxes.iter().copied().fold(BoundingBox::EMPTY, BoundingBox::join);
        let mut order: Vec<(i32, u64, u32)> = parallel::map_numbers(boxes.len(), BOXES_PER_TASK, |number| {
            (size_class(&boxes[number]), place_on_curve(&all, &boxes[number]), number as u32)
        });
        parallel::on_threads(|| order.par_sort_unstable());
        let trees = order.chunk_by(|a, b| a.0 == b.0).map(|bodies| Tree::new(boxes, bodies)).collect();
        Self { trees }
    }

    /// The trees, by index.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// True for a clone that shares the same memory.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.trees, &other.trees)
    }

    /// For each body its position along the curves of all trees: consecutive bodies are mostly close to each other.
    #[must_use]
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.trees.iter().map(|tree| tree.bodies.len()).sum()];
        for (place, &number) in (0..).zip(self.trees.iter().flat_map(|tree| &tree.bodies)) {
            places[number as usize] = place;
        }
        places
    }

    /// All overlaps of queries, ordered by query, then along the curve.
    #[must_use]
    pub fn overlaps(&self, queries: &[OverlapQuery]) -> Vec<Overlap> {
        parallel::flat_map_ranges(queries.len(), QUERIES_PER_TASK, |range| {
            let mut found = Vec::new();
            for (query, asked) in range.clone().zip(&queries[range]) {
                let tree = &self.trees[asked.tree as usize];
                tree.meet(asked, &mut |place| {
                    found.push(Overlap { query: query as u32, number: tree.bodies[place] });
                });
            }
            found
        })
    }
}

impl Tree {
    fn new(boxes: &[BoundingBox], order: &[(i32, u64, u32)]) -> Self {
        let bodies: Vec<u32> = order.iter().map(|&(_, _, number)| number).collect();
        let mut levels = vec![bodies.iter().map(|&number| boxes[number as usize]).collect::<Vec<_>>()];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let around = |boxes: &[BoundingBox]| boxes.iter().copied().fold(BoundingBox::EMPTY, BoundingBox::join);
            levels.push(below.chunks(CHILDREN).map(around).collect());
        }
        Self { bodies, levels }
    }

    /// The box around all bodies.
    #[must_use]
    pub fn root(&self) -> BoundingBox {
        self.levels.last().map_or(BoundingBox::EMPTY, |top| top[0])
    }

    /// Indices of the bodies, along the curve.
    #[must_use]
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// Boxes of the bodies, along the curve, then of [`CHILDREN`] of them each, and so on up to one.
    #[must_use]
    pub fn levels(&self) -> &[Vec<BoundingBox>] {
        &self.levels
    }

    /// Calls back with the positions along the curve of all bodies whose boxes overlap that of a query.
    pub fn meet(&self, query: &OverlapQuery, found: &mut impl FnMut(usize)) {
        self.meet_group(self.levels.len() - 1, 0, query, found);
    }

    /// Looks at a group of eight boxes.
    fn meet_group(&self, level: usize, group: usize, query: &OverlapQuery, found: &mut impl FnMut(usize)) {
        let boxes = &self.levels[level];
        let first = group * CHILDREN;
        let last = boxes.len().min(first + CHILDREN);
        for (place, other) in (first..last).zip(&boxes[first..last]) {
            if query.bounds.touches(other) {
                match level {
                    0 if self.bodies[place] < query.least_number => {}
                    0 => found(place),
                    _ => self.meet_group(level - 1, place, query, found),
                }
            }
        }
    }
}

/// Size class of a box, which selects its tree; the choice affects speed only.
fn size_class(bounds: &BoundingBox) -> i32 {
    let size = (bounds.max - bounds.min).max_element();
    (size.log2().floor() as i32).div_euclid(DOUBLINGS)
}

/// How far along a curve of Morton's (bits of the three coordinates in turn) through a large box the middle of a small
/// one is.
fn place_on_curve(all: &BoundingBox, bounds: &BoundingBox) -> u64 {
    let side = (all.max - all.min).max_element();
    let cells = f64::from(1u32 << CURVE_BITS);
    let middle = 0.5 * (bounds.min + bounds.max);
    let cell = ((middle - all.min) / side * cells).max(DVec3::ZERO).min(DVec3::splat(cells - 1.0));
    let spread = |cell: f64| spread_bits(cell as u64);
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}

/// Two zeros after each of the lowest 21 bits.
fn spread_bits(bits: u64) -> u64 {
    let mut spread = bits;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        spread = (spread | spread << shift) & mask;
    }
    spread
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some_box() -> impl Strategy<Value = BoundingBox> {
        let side = prop_oneof![0.0f64..0.5, 0.0f64..1e-6, 0.0f64..9.0];
        let corners = (prop::array::uniform3(-10.0f64..10.0), prop::array::uniform3(side), any::<bool>());
        corners.prop_map(|(min, sides, is_whole)| {
            let (min, max) = (DVec3::from_array(min), DVec3::from_array(min) + DVec3::from_array(sides));
            // Faces that coincide are the cases that go wrong.
            if is_whole { BoundingBox { min: min.floor(), max: max.ceil() } } else { BoundingBox { min, max } }
        })
    }

    fn have_a_point_in_common(a: &BoundingBox, b: &BoundingBox) -> bool {
        a.min.max(b.min).cmple(a.max.min(b.max)).all()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn trees_find_what_looking_at_all_finds(
            boxes in prop::collection::vec(some_box(), 0..200),
            asked in some_box(),
            least_number in prop_oneof![Just(0u32), 0u32..100],
        ) {
            let hierarchies = Hierarchies::new(&boxes);
            let query = |tree: usize| OverlapQuery { tree: tree as u32, least_number, bounds: asked };
            let queries: Vec<OverlapQuery> = (0..hierarchies.trees().len()).map(query).collect();
            let overlaps = hierarchies.overlaps(&queries);
            prop_assert!(overlaps.is_sorted_by_key(|overlap| overlap.query));
            for overlap in &overlaps {
                let tree = &hierarchies.trees()[overlap.query as usize];
                prop_assert!(tree.bodies().contains(&overlap.number));
                prop_assert!(have_a_point_in_common(&tree.root(), &asked));
            }
            let mut found: Vec<u32> = overlaps.iter().map(|overlap| overlap.number).collect();
            found.sort_unstable();
            let meets = |&number: &u32| have_a_point_in_common(&asked, &boxes[number as usize]);
            let all: Vec<u32> = (least_number..boxes.len() as u32).filter(meets).collect();
            prop_assert_eq!(found, all);
        }
    }

    #[test]
    fn bits_are_spread_three_apart() {
        for bits in [0, 1, 0b1011, 0x1f_ffff, 0x15_5555] {
            let expected = (0..21).filter(|bit| bits >> bit & 1 == 1).fold(0u64, |sum, bit| sum | 1 << (3 * bit));
            assert_eq!(spread_bits(bits), expected, "{bits:b}");
        }
    }
}
