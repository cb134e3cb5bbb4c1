//! A bounding-volume hierarchy with eight children per node, and its traversal by rays.
//!
//! Boxes are f32 and only ever too large: which of them are visited does not change results. (Except for slivers: where
//! two faces meet at an angle of the order of rounding, crossings are computed beyond the tip, and beyond the box.)
//!
//! # Conventions
//! World coordinates relative to the tree's centre, in metres. Lambda along a ray. Items are identified by number.

mod box_ray;
mod build;
mod stream;
#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3};

use crate::lanes::Lanes;
use crate::scene::BoundingBox;
use crate::simd::Simd;

use box_ray::BoxRay;
pub(super) use box_ray::{Bundle, Line, Lines};
pub(super) use stream::{Lists, STREAM, StreamLine, StreamVisitor};

/// Children of a node.
pub(super) const WIDTH: usize = 8;
/// A child that is an item; its number is in the other bits.
const ITEM: u32 = 1 << 31;
/// No child.
const ABSENT: u32 = u32::MAX;
/// Things that reach farther from the world's origin \[m\] are not for f32.
const MAX_REACH: f64 = 1e15;
/// Eight children: where their faces are, and what they are. Absent children have faces between which nothing is.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Low faces across x, y and z, then high ones.
    faces: [[f32; WIDTH]; 6],
    children: [u32; WIDTH],
}

/// Who looks at the items of a tree. (No closure: those are not compiled into the loop that calls them.)
pub(super) trait Visitor {
    /// Looks at an item; beyond the lambda returned nothing is of interest any more. Ways through other trees may go on
    /// top of what is deferred.
    fn look(&mut self, item: u32, deferred: &mut Deferred) -> f64;
}

/// Nodes and items that are still to be looked at, and where their boxes are entered: the nearest on top. Empty between
/// searches; kept from one to the next, since making room for it takes as long as a search.
pub(super) type Deferred = Vec<(u32, f32)>;

/// The box of an item.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct ItemBox {
    low: [f32; 3],
    high: [f32; 3],
}

/// Boxes of items.
#[derive(Clone, Debug)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    /// By number; those of numbers that are no item's hold nothing.
    boxes: Vec<ItemBox>,
    /// What coordinates are relative to, world \[m\].
    center: DVec3,
    /// No face is farther from the centre, by axis \[m\]; those of boxes without end count as far away.
    reach: Vec3,
    /// The same; infinite where a box has no end.
    ends: Vec3,
    /// Centre and reach, by axis, then zeros.
    center_lanes: Lanes,
    reach_lanes: Lanes,
}

impl BoxTree {
    /// True when a tree can hold the box: it has ends along two axes at least, none of them too far away.
    pub fn takes(bounds: &BoundingBox) -> bool {
        let ends = bounds.min.is_finite_mask() & bounds.max.is_finite_mask();
        let near = |face: DVec3| !face.is_finite_mask() | face.abs().cmple(DVec3::splat(MAX_REACH));
        ends.bitmask().count_ones() >= 2 && (near(bounds.min) & near(bounds.max)).all()
    }

    /// True without items.
    pub fn is_empty(&self) -> bool {
        self.nodes[0].children[0] == ABSENT
    }

    /// The box of an item.
    #[inline(always)]
    pub fn box_of(&self, number: u32) -> &ItemBox {
        &self.boxes[number as usize]
    }

    /// All items.
    pub fn items(&self) -> impl Iterator<Item = u32> {
        let children = self.nodes.iter().flat_map(|node| node.children);
        children.filter(|&child| child & ITEM != 0 && child != ABSENT).map(|child| child & !ITEM)
    }

    /// Shows the items whose boxes may be met, near ones first as far as boxes tell.
    #[inline(always)]
    pub fn along<S: Simd>(
        &self,
        simd: S,
        ray: &impl BoxRay,
        mut until: f64,
        visitor: &mut impl Visitor,
        deferred: &mut Deferred,
    ) {
        let bottom = deferred.len();
        let mut next = 0;
        let mut limit = (until as f32).next_up();
        loop {
            if next & ITEM == 0 {
                let node = &self.nodes[next as usize];
                let (first, mut met) = ray.meets(simd, node, limit);
                if met != 0 && met & (met - 1) == 0 {
                    // As a rule it is one.
                    next = node.children[met.trailing_zeros() as usize % WIDTH];
                    continue;
                }
                let lowest = deferred.len();
                while met != 0 {
                    let child = met.trailing_zeros() as usize % WIDTH;
                    met &= met - 1;
                    let at = first[child];
                    deferred.push((node.children[child], at));
                    // The nearest on top.
                    let mut place = deferred.len() - 1;
                    while place > lowest && deferred[place - 1].1 < at {
                        deferred.swap(place, place - 1);
                        place -= 1;
                    }
                }
            } else {
                let nearer = visitor.look(next & !ITEM, deferred);
                if nearer < until {
                    until = nearer;
                    limit = (until as f32).next_up();
                }
            }
            next = loop {
                let Some((number, at)) = (deferred.len() > bottom).then(|| deferred.pop()).flatten() else {
                    return;
                };
                if at <= limit {
                    break number;
                }
            };
        }
    }

    /// The least of `nearest` and what `distance` says of the items, a lower bound of the distance \[m\] from a point to
    /// each: items in boxes that are farther than the least so far are not asked.
    pub fn around(&self, point: DVec3, mut nearest: f64, distance: impl Fn(u32) -> f64) -> f64 {
        let from = point - self.center;
        // Boxes are only ever too large; what is rounded is the point relative to the centre, in f64.
        let rounding = 4.0 * f64::EPSILON * point.abs().max(self.center.abs()).max_element();
        let mut deferred = vec![0];
        while let Some(next) = deferred.pop() {
            let node = &self.nodes[next as usize];
            for (child, &number) in node.children.iter().enumerate().filter(|&(_, &number)| number != ABSENT) {
                let face =
                    |side: usize| DVec3::from_array([0, 1, 2].map(|axis| f64::from(node.faces[axis + side][child])));
                let outside = (face(0) - from).max(from - face(3)).max(DVec3::ZERO);
                if outside.length() - rounding > nearest {
                    continue;
                }
                if number & ITEM == 0 {
                    deferred.push(number);
                } else {
                    nearest = nearest.min(distance(number & !ITEM));
                }
            }
        }
        nearest
    }
}
