//! Ray-box tests in f32 that never miss an intersection.

use glam::DVec3;

use super::{BoxTree, MAX_REACH, Node, WIDTH};
use crate::lanes::{Lanes, Lanes3};

/// f32 rounds by this share.
const ROUNDOFF: f32 = 0.5 * f32::EPSILON;

/// What traverses the boxes of a tree: a ray, or several at once.
pub(in crate::native) trait BoxRay {
    /// Where each child's box is entered at the earliest, and a bit for each that may be met up to `until`.
    fn meets(&self, node: &Node, until: f32) -> ([f32; WIDTH], u32);
}

/// A ray as boxes see it: f32, relative to a tree's centre.
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

/// Along an axis on which the direction is no longer than this \[m\] a ray counts as standing still.
const STILL: f64 = 1e-20;
/// Margins are held below this: infinities would make a number of nothing.
const MAX_MARGIN: f64 = 1e30;

/// What of a ray the margins depend on.
#[derive(Clone, Copy)]
struct Extent {
    /// Greatest coordinate in the world \[m\].
    coordinate: f64,
    /// The ray's lengths that lie between its start and what it may meet.
    lengths: f64,
}

impl Extent {
    /// Of rays whose coordinates are at most `coordinate`, from `origin` along `direction` (magnitudes, relative to the
    /// tree), of interest for lambdas of this magnitude.
    #[inline(always)]
    fn new(tree: &BoxTree, coordinate: f64, origin: DVec3, direction: DVec3, lambda: f64) -> Self {
        let length = (tree.reach.as_dvec3() + origin).max_element() / direction.max_element();
        // Infinite for a ray that stands still, never NaN: the tree has a size.
        Self { coordinate, lengths: lambda.min(length).max(1.0) }
    }

    /// How far a start is moved along an axis \[m\] so that rounding never hides a box.
    ///
    /// In f32 a face at p is met at (p - o) / d. With u = 2^-24 of rounding in p, o, d, the moved o, the difference,
    /// the quotient and the product, the place met is off by less than 4 u |p| + 6 u |o| to first order: 8 u of both
    /// cover it. In f64 the crossings themselves, which decide, are off: the distance of either point of the ray
    /// from a plane by some 2^-51 of all coordinates, and that once more for every length of the ray up to what is met.
    /// A ray that all but stands still along the axis drifts by the rest.
    #[inline(always)]
    fn margin(self, reach: f32, start: f32, drift: f64) -> f32 {
        let exact = 4.0 * f64::EPSILON * 4.0 * self.coordinate * self.lengths;
        8.0 * ROUNDOFF * (reach + start.abs()) + (exact + drift).min(MAX_MARGIN) as f32
    }
}

impl Line {
    /// A ray of interest from `lambda1` to `lambda2`; `None` when it is too long for f32.
    #[inline(always)]
    pub fn new(tree: &BoxTree, x1: DVec3, x2: DVec3, (lambda1, lambda2): (f64, f64)) -> Option<Self> {
        let origin = x1 - tree.center;
        let direction = x2 - x1;
        if origin.abs().max_element().max(direction.abs().max_element()) > MAX_REACH {
            return None;
        }
        let mut line = Self {
            near: [0; 3],
            start_near: [0.0; 3],
            start_far: [0.0; 3],
            inverse: [0.0; 3],
            from: (lambda1 as f32).next_down(),
        };
        let coordinate = x1.abs().max(x2.abs()).max_element();
        let lambda = lambda1.abs().max(lambda2.abs());
        let extent = Extent::new(tree, coordinate, origin.abs(), direction.abs(), lambda);
        for axis in 0..3 {
            let (o, d) = (origin[axis] as f32, direction[axis]);
            let still = d.abs() <= STILL;
            let backward = d < 0.0 && !still;
            let margin = extent.margin(tree.reach[axis], o, if still { lambda * d.abs() } else { 0.0 });
            let careful = if backward { -margin } else { margin };
            line.near[axis] = axis + 3 * usize::from(backward);
            line.start_near[axis] = o + careful;
            line.start_far[axis] = o - careful;
            // Infinite where the ray stands still: each face is passed before it starts, or never. On a face the product
            // is no number, and no comparison takes it.
            line.inverse[axis] = if still { f32::INFINITY } else { 1.0 / d as f32 };
        }
        Some(line)
    }
}

impl BoxRay for Line {
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
    /// Rays from `x1` to `x2`, of interest from `from` to `until`; `None` when they go both ways along an axis, are too far
    /// apart for a common way, or too long.
    #[inline(always)]
    pub fn new<const EIGHTS: usize>(
        tree: &BoxTree,
        (x1, x2): (&[Lanes3; EIGHTS], &[Lanes3; EIGHTS]),
        (from, until): (&[Lanes; EIGHTS], &[Lanes; EIGHTS]),
    ) -> Option<Self> {
        let (lambda1, lambda2) = (least(from), greatest(until));
        // Least and greatest places at lambda 0, and directions, by axis.
        let (mut start, mut direction) = ([[0.0; 2]; 3], [[0.0; 2]; 3]);
        let mut coordinates = [Lanes::ZERO; EIGHTS];
        for axis in 0..3 {
            let mut directions = [Lanes::ZERO; EIGHTS];
            let mut starts = directions;
            for eight in 0..EIGHTS {
                let end = x2[eight].axis(axis);
                starts[eight] = x1[eight].axis(axis);
                directions[eight] = end - starts[eight];
                coordinates[eight] = coordinates[eight].max(starts[eight].abs().max(end.abs()));
            }
            start[axis] = [least(&starts), greatest(&starts)];
            direction[axis] = [least(&directions), greatest(&directions)];
        }
        let magnitude = |range: [f64; 2]| range[0].abs().max(range[1].abs());
        let center = tree.center;
        let origin = DVec3::from_array([0, 1, 2].map(|axis| magnitude(start[axis].map(|place| place - center[axis]))));
        let length = DVec3::from_array(direction.map(magnitude));
        if origin.max(length).max_element() > MAX_REACH {
            return None;
        }
        let coordinate = greatest(&coordinates);
        let lambda = lambda1.abs().max(lambda2.abs());
        let extent = Extent::new(tree, coordinate, origin, length, lambda);
        let mut bundle = Self {
            near: [0; 3],
            start_near: [0.0; 3],
            start_far: [0.0; 3],
            inverse: [[f32::INFINITY; 2]; 3],
            from: (lambda1 as f32).next_down(),
        };
        // The part of the rays that is in the tree's own box, and how wide the bundle is along each axis.
        let (mut first, mut last) = (lambda1, lambda2);
        let mut wide = [[0.0; 2]; 3];
        for axis in 0..3 {
            let (o, d) = (start[axis].map(|place| place - center[axis]), direction[axis]);
            let (forward, backward) = (d[0] > STILL, d[1] < -STILL);
            // Rays that all but stand still along the axis stay near where they are.
            let still = magnitude(d) <= STILL;
            if !(forward || backward || still) {
                return None;
            }
            wide[axis] = [o[1] - o[0], d[1] - d[0]];
            let drift = if still { lambda * magnitude(d) } else { 0.0 };
            let margin = extent.margin(tree.reach[axis], magnitude(o) as f32, drift);
            let (low, high) = (o[0] as f32 - margin, o[1] as f32 + margin);
            bundle.near[axis] = axis + 3 * usize::from(backward);
            (bundle.start_near[axis], bundle.start_far[axis]) = if backward { (low, high) } else { (high, low) };
            if !still {
                let reach = f64::from(tree.reach[axis]);
                let ends = if forward { [-reach - o[1], reach - o[0]] } else { [reach - o[0], -reach - o[1]] };
                first = first.max((ends[0] / d[0]).min(ends[0] / d[1]));
                last = last.min((ends[1] / d[0]).max(ends[1] / d[1]));
                bundle.inverse[axis] = [1.0 / d[1] as f32, 1.0 / d[0] as f32];
            }
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

impl BoxRay for Bundle {
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
