//! Boxes around bodies, in trees without pointers.
//!
//! The boxes of one tree stand along a curve that fills space; every eight neighbours have a box around them, every eight
//! of those, and so on up to one. Bodies of different sizes are in different trees: among a million grains a few boulders
//! would make every box that holds one of them as large as it.
//!
//! # Conventions
//! World coordinates in metres, of bodies moved into the period that begins at 0.

use glam::DVec3;
use rayon::prelude::*;

use crate::program::walk::BoundingBox;

/// Boxes that have one around them.
const CHILDREN: usize = 8;

/// Boxes in one tree differ in size by less than this many doublings.
const DOUBLINGS: i32 = 2;

/// Bits per axis of a place on the curve.
const CURVE_BITS: u32 = 21;

/// Boxes in trees, by the sizes of the boxes.
#[derive(Clone, Debug)]
pub struct Forest {
    trees: Vec<Tree>,
}

#[derive(Clone, Debug)]
struct Tree {
    /// Numbers of the bodies, along the curve.
    bodies: Vec<u32>,
    /// Boxes of the bodies, then of eight of them each, and so on up to one.
    levels: Vec<Vec<BoundingBox>>,
}

impl Forest {
    /// Trees over boxes; a body's number is its box's place.
    pub fn new(boxes: &[BoundingBox]) -> Self {
        let all = boxes.par_iter().copied().reduce(|| BoundingBox::EMPTY, BoundingBox::join);
        let mut order: Vec<(i32, u64, u32)> = boxes
            .par_iter()
            .zip(0..boxes.len() as u32)
            .map(|(bounds, number)| (size_class(bounds), place_on_curve(&all, bounds), number))
            .collect();
        order.par_sort_unstable();
        let trees = order.chunk_by(|a, b| a.0 == b.0).map(|bodies| Tree::new(boxes, bodies)).collect();
        Self { trees }
    }

    /// The boxes around all bodies of each tree.
    pub fn roots(&self) -> impl Iterator<Item = BoundingBox> {
        self.trees.iter().map(Tree::root)
    }

    /// For each body its place along the curves of all trees: bodies that follow each other are mostly near each other.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.trees.iter().map(|tree| tree.bodies.len()).sum()];
        for (place, &number) in (0..).zip(self.trees.iter().flat_map(|tree| &tree.bodies)) {
            places[number as usize] = place;
        }
        places
    }

    /// Shows the numbers of all bodies of a tree whose boxes meet a box.
    pub fn meet(&self, tree: usize, bounds: &BoundingBox, found: &mut impl FnMut(u32)) {
        let tree = &self.trees[tree];
        tree.meet(tree.levels.len() - 1, 0, bounds, found);
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

    fn root(&self) -> BoundingBox {
        self.levels.last().map_or(BoundingBox::EMPTY, |top| top[0])
    }

    /// Looks at a group of eight boxes.
    fn meet(&self, level: usize, group: usize, bounds: &BoundingBox, found: &mut impl FnMut(u32)) {
        let boxes = &self.levels[level];
        let first = group * CHILDREN;
        let last = boxes.len().min(first + CHILDREN);
        for (place, other) in (first..last).zip(&boxes[first..last]) {
            if meets(bounds, other) {
                match level {
                    0 => found(self.bodies[place]),
                    _ => self.meet(level - 1, place, bounds, found),
                }
            }
        }
    }
}

/// Without branches between the comparisons, which no processor could foresee.
#[inline(always)]
fn meets(a: &BoundingBox, b: &BoundingBox) -> bool {
    (a.min.x <= b.max.x)
        & (b.min.x <= a.max.x)
        & (a.min.y <= b.max.y)
        & (b.min.y <= a.max.y)
        & (a.min.z <= b.max.z)
        & (b.min.z <= a.max.z)
}

/// Of the tree that a box belongs to; any would be right.
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
        fn trees_find_what_looking_at_all_finds(boxes in prop::collection::vec(some_box(), 0..200), asked in some_box()) {
            let forest = Forest::new(&boxes);
            let mut found = Vec::new();
            for (tree, root) in forest.roots().enumerate() {
                prop_assert!(boxes.iter().any(|bounds| have_a_point_in_common(&root, bounds)));
                forest.meet(tree, &asked, &mut |number| found.push(number));
            }
            found.sort_unstable();
            let all: Vec<u32> = (0..boxes.len() as u32).filter(|&number| have_a_point_in_common(&asked, &boxes[number as usize])).collect();
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
