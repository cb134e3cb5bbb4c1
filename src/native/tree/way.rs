//! Rays as boxes see them: in binary32, and never missing what they might meet.

use glam::DVec3;

use super::{BoxTree, LARGEST_REACH, Node, WIDTH};
use crate::lanes::{Lanes, Lanes3};

/// Binary32 rounds by this share.
const ROUNDOFF: f32 = 0.5 * f32::EPSILON;

/// What goes through the boxes of a tree: a ray, or several at once.
pub(in crate::native) trait Way {
    /// Where each child's box is entered at the earliest, and a bit for each that may be met up to `until`.
    fn meets(&self, node: &Node, until: f32) -> ([f32; WIDTH], u32);
}

/// A ray as boxes see it: binary32, relative to a tree's centre.
#[derive(Clone, Copy, Debug)]
pub(in crate::native) struct Line {
    /// Which faces are met first, by axis: their index in [`Node::faces`].
    near: [usize; 3],
    /// The ray's start moved so that faces in its direction seem nearer, by axis, then farther.
    start_near: [f32; 3],
    start_far: [f32; 3],
    inverse: [f32; 3],
    /// First lambda of interest.
    from: f32,
}

/// A bundle wider than this share of the half size of all boxes is no bundle: its rays meet other boxes.
const WIDEST: f64 = 0.25;

/// A direction's coordinate below this \[m\] counts as this: large enough to say on which side of a face a ray stays.
const LEAST_DIRECTION: f32 = 1e-20;

/// How far a start is moved \[m\] so that rounding never hides a box.
///
/// A face at p is met at (p - o) / d. Each of o, d, the difference, the quotient and the product is rounded by at most
/// u = 2^-24 of itself, so the place met is off by less than 5 u (|p| + |o|) to first order; o moved by 8 u (|p| + |o|) in
/// the careful direction covers it.
#[inline(always)]
fn margin(reach: f32, start: f32) -> f32 {
    8.0 * ROUNDOFF * (reach + start.abs())
}

impl Line {
    /// `None` for a ray that is too long for binary32.
    #[inline(always)]
    pub fn new(tree: &BoxTree, x1: DVec3, x2: DVec3, lambda1: f64) -> Option<Self> {
        let origin = x1 - tree.center;
        let direction = x2 - x1;
        if origin.abs().max_element().max(direction.abs().max_element()) > LARGEST_REACH {
            return None;
        }
        let mut line = Self {
            near: [0; 3],
            start_near: [0.0; 3],
            start_far: [0.0; 3],
            inverse: [0.0; 3],
            from: (lambda1 as f32).next_down(),
        };
        for axis in 0..3 {
            let (o, d) = (origin[axis] as f32, direction[axis] as f32);
            let backward = d < 0.0;
            let margin = margin(tree.reach[axis], o);
            let careful = if backward { -margin } else { margin };
            line.near[axis] = axis + 3 * usize::from(backward);
            line.start_near[axis] = o + careful;
            line.start_far[axis] = o - careful;
            line.inverse[axis] = 1.0 / away_from_zero(d, backward);
        }
        Some(line)
    }
}

#[inline(always)]
fn away_from_zero(direction: f32, backward: bool) -> f32 {
    let least = if backward { -LEAST_DIRECTION } else { LEAST_DIRECTION };
    if direction.abs() < LEAST_DIRECTION { least } else { direction }
}

impl Way for Line {
    #[inline(always)]
    fn meets(&self, node: &Node, until: f32) -> ([f32; WIDTH], u32) {
        let mut first = [self.from; WIDTH];
        let mut last = [until; WIDTH];
        for axis in 0..3 {
            let (near, far) = node.across(axis, self.near[axis]);
            for child in 0..WIDTH {
                let a = (near[child] - self.start_near[axis]) * self.inverse[axis];
                let b = (far[child] - self.start_far[axis]) * self.inverse[axis];
                first[child] = if a > first[child] { a } else { first[child] };
                last[child] = if b < last[child] { b } else { last[child] };
            }
        }
        (first, bits(&first, &last))
    }
}

/// Several rays as boxes see them: what may lie between them. They go in the same direction along each axis.
#[derive(Clone, Copy, Debug)]
pub(in crate::native) struct Bundle {
    near: [usize; 3],
    start_near: [f32; 3],
    start_far: [f32; 3],
    /// Least and greatest.
    inverse: [[f32; 2]; 3],
    from: f32,
}

impl Bundle {
    /// Rays from `x1` to `x2`, of interest from `from` to `until`; `None` when they have no common direction, are too far
    /// apart for a common way, or too long.
    #[inline(always)]
    pub fn new<const EIGHTS: usize>(
        tree: &BoxTree,
        (x1, x2): (&[Lanes3; EIGHTS], &[Lanes3; EIGHTS]),
        (from, until): (&[Lanes; EIGHTS], &[Lanes; EIGHTS]),
    ) -> Option<Self> {
        let mut bundle = Self {
            near: [0; 3],
            start_near: [0.0; 3],
            start_far: [0.0; 3],
            inverse: [[0.0; 2]; 3],
            from: (least(from) as f32).next_down(),
        };
        // The part of the rays that is in the tree's own box, and how wide the bundle is along each axis.
        let (mut first, mut last) = (least(from), greatest(until));
        let mut wide = [[0.0; 2]; 3];
        for (axis, wide) in wide.iter_mut().enumerate() {
            let start = x1.map(|x1| x1.axis(axis) - tree.center[axis]);
            let mut direction = x2.map(|x2| x2.axis(axis));
            for (direction, x1) in direction.iter_mut().zip(x1) {
                *direction = *direction - x1.axis(axis);
            }
            let (o, d) = ([least(&start), greatest(&start)], [least(&direction), greatest(&direction)]);
            let largest = o[0].abs().max(o[1].abs()).max(d[0].abs()).max(d[1].abs());
            let (forward, backward) = (d[0] > f64::from(LEAST_DIRECTION), d[1] < -f64::from(LEAST_DIRECTION));
            if largest > LARGEST_REACH || !(forward || backward) {
                return None;
            }
            let reach = f64::from(tree.reach[axis]);
            let ends = if forward { [-reach - o[1], reach - o[0]] } else { [reach - o[0], -reach - o[1]] };
            first = first.max((ends[0] / d[0]).min(ends[0] / d[1]));
            last = last.min((ends[1] / d[0]).max(ends[1] / d[1]));
            *wide = [o[1] - o[0], d[1] - d[0]];
            let (low, high) = (o[0] as f32, o[1] as f32);
            let margin = margin(tree.reach[axis], low.abs().max(high.abs()));
            let (low, high) = (low - margin, high + margin);
            bundle.near[axis] = axis + 3 * usize::from(backward);
            (bundle.start_near[axis], bundle.start_far[axis]) = if backward { (low, high) } else { (high, low) };
            bundle.inverse[axis] = [1.0 / d[1] as f32, 1.0 / d[0] as f32];
        }
        let farther = first.abs().max(last.abs());
        let width = wide.into_iter().map(|[start, direction]| start + farther * direction).fold(0.0, f64::max);
        (first > last || width <= WIDEST * f64::from(tree.reach.max_element())).then_some(bundle)
    }
}

#[inline(always)]
fn least<const EIGHTS: usize>(all: &[Lanes; EIGHTS]) -> f64 {
    all.iter().fold(Lanes::splat(f64::INFINITY), |least, &one| one.min(least)).least()
}

/// The greatest of all lanes.
#[inline(always)]
pub(in crate::native) fn greatest<const EIGHTS: usize>(all: &[Lanes; EIGHTS]) -> f64 {
    all.iter().fold(Lanes::splat(f64::NEG_INFINITY), |greatest, &one| one.max(greatest)).greatest()
}

impl Way for Bundle {
    #[inline(always)]
    fn meets(&self, node: &Node, until: f32) -> ([f32; WIDTH], u32) {
        let mut first = [self.from; WIDTH];
        let mut last = [until; WIDTH];
        for axis in 0..3 {
            let (near, far) = node.across(axis, self.near[axis]);
            let [least, greatest] = self.inverse[axis];
            for child in 0..WIDTH {
                let a = near[child] - self.start_near[axis];
                let b = far[child] - self.start_far[axis];
                let (a0, a1) = (a * least, a * greatest);
                let (b0, b1) = (b * least, b * greatest);
                let a = if a0 < a1 { a0 } else { a1 };
                let b = if b0 > b1 { b0 } else { b1 };
                first[child] = if a > first[child] { a } else { first[child] };
                last[child] = if b < last[child] { b } else { last[child] };
            }
        }
        (first, bits(&first, &last))
    }
}

impl Node {
    /// The faces across an axis, the ones with index `near` first.
    #[inline(always)]
    fn across(&self, axis: usize, near: usize) -> (&[f32; WIDTH], &[f32; WIDTH]) {
        // The two across an axis are 0 and 3, 1 and 4, 2 and 5.
        (&self.faces[near], &self.faces[2 * axis + 3 - near])
    }
}

#[inline(always)]
fn bits(first: &[f32; WIDTH], last: &[f32; WIDTH]) -> u32 {
    let mut met = 0;
    for child in 0..WIDTH {
        met |= u32::from(first[child] <= last[child]) << child;
    }
    met
}
