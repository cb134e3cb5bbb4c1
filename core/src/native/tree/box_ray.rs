//! Ray-box tests in f32 that never miss an intersection.

use glam::DVec3;

use super::{BoxTree, ItemBox, MAX_REACH, Node, WIDTH};
use crate::lanes::LANES;
use crate::native::eight::{Eight, Rayx8};
use crate::simd::{DVec3x8, F32x8, F64x8, Simd};

/// f32 rounds by this share.
const ROUNDOFF: f32 = 0.5 * f32::EPSILON;

/// What traverses the boxes of a tree: a ray, or several at once.
pub(in crate::native) trait BoxRay {
    /// Where each child's box is entered at the earliest, and a bit for each that may be met up to `until`.
    fn meets<S: Simd>(&self, simd: S, node: &Node, until: f32) -> ([f32; WIDTH], u32);
}

/// A ray as boxes see it: f32, relative to a tree's centre.
#[derive(Clone, Copy, Debug)]
pub(in crate::native) struct Line {
    /// Axes along which high faces are met first.
    backward: [bool; 3],
    /// The ray's start moved so that faces in its direction seem nearer, by axis, then farther.
    pub(super) start_near: [f32; 3],
    pub(super) start_far: [f32; 3],
    pub(super) inverse: [f32; 3],
    /// First lambda of interest.
    pub(super) from: f32,
}

/// A bundle wider than this share of the half size of all boxes is no bundle: its rays meet other boxes.
const WIDEST: f64 = 0.25;

/// Along an axis on which the direction is no longer than this \[m\] a ray counts as standing still.
const STILL: f64 = 1e-20;
/// Margins are held below this: infinities would make a number of nothing.
const MAX_MARGIN: f64 = 1e30;

/// How far crossings in f64 are off, by the ray's greatest coordinate and length.
const EXACT: f64 = 16.0 * f64::EPSILON;

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
        let exact = EXACT * self.coordinate * self.lengths;
        8.0 * ROUNDOFF * (reach + start.abs()) + (exact + drift).min(MAX_MARGIN) as f32
    }
}

impl Line {
    /// No ray.
    pub(super) const NONE: Self =
        Self { backward: [false; 3], start_near: [0.0; 3], start_far: [0.0; 3], inverse: [0.0; 3], from: 0.0 };

    /// A ray of interest from `lambda1` to `lambda2`; `None` when it is too long for f32.
    #[inline(always)]
    pub fn new(tree: &BoxTree, x1: DVec3, x2: DVec3, (lambda1, lambda2): (f64, f64)) -> Option<Self> {
        let origin = x1 - tree.center;
        let direction = x2 - x1;
        if origin.abs().max_element().max(direction.abs().max_element()) > MAX_REACH {
            return None;
        }
        let mut line = Self {
            backward: [false; 3],
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
            line.backward[axis] = backward;
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
    fn meets<S: Simd>(&self, simd: S, node: &Node, until: f32) -> ([f32; WIDTH], u32) {
        let splat = |number| F32x8::splat(simd, number);
        let (mut first, mut last) = (splat(self.from), splat(until));
        for axis in 0..3 {
            let (near, far) = node.across(simd, axis, self.backward[axis]);
            let inverse = splat(self.inverse[axis]);
            first = near.minus(splat(self.start_near[axis])).times(inverse).max(first);
            last = far.minus(splat(self.start_far[axis])).times(inverse).min(last);
        }
        (first.to_array(), first.le_bits(last))
    }
}

/// Eight rays as boxes see them.
#[derive(Clone, Copy, Debug)]
pub(in crate::native) struct Lines {
    /// A bit for each ray, by axis.
    backward: [u32; 3],
    start_near: [[f32; LANES]; 3],
    start_far: [[f32; LANES]; 3],
    inverse: [[f32; LANES]; 3],
    from: [f32; LANES],
    /// A bit for each ray that is too long for f32.
    too_long: u32,
}

impl Lines {
    /// No rays.
    pub const NONE: Self = Self {
        backward: [0; 3],
        start_near: [[0.0; LANES]; 3],
        start_far: [[0.0; LANES]; 3],
        inverse: [[0.0; LANES]; 3],
        from: [0.0; LANES],
        too_long: 0,
    };

    /// Each of the rays as a [`Line`], whose start may be moved some 1e-14 of its coordinates farther.
    #[inline(always)]
    pub fn new<S: Simd>(tree: &BoxTree, rays: &Rayx8<S>) -> Self {
        let Rayx8 { x1, x2, from: lambda1, until: lambda2 } = *rays;
        let simd = lambda1.simd();
        let origin = x1 - DVec3x8::splat(simd, tree.center);
        let direction = x2 - x1;
        let longest = greatest_coordinate(direction.abs());
        let too_long = greatest_coordinate(origin.abs()).max(longest).gt(lambda1.like(MAX_REACH)).bits();
        let coordinate = rays.coordinates();
        let lambda = lambda1.abs().max(lambda2.abs());
        // As `Extent` has it.
        let length = greatest_coordinate(DVec3x8::splat(simd, tree.reach.as_dvec3()) + origin.abs()) / longest;
        let lengths = lambda.min(length).max(lambda1.like(1.0));
        let exact = coordinate * lengths * EXACT;
        let from = lambda1 - (lambda1.abs() * f64::from(f32::EPSILON) + 1e-40);
        let mut lines = Self { from: F32x8::narrowed(from).to_array(), too_long, ..Self::NONE };
        for axis in 0..3 {
            let (o, d) = ([origin.x, origin.y, origin.z][axis], [direction.x, direction.y, direction.z][axis]);
            let still = d.abs().le(lambda1.like(STILL));
            let backward = d.lt(lambda1.like(-STILL));
            let drift = still.select(lambda * d.abs(), lambda1.like(0.0));
            let rounding = (o.abs() + f64::from(tree.reach[axis])) * (8.0 * f64::from(ROUNDOFF));
            let margin = rounding + (exact + drift).min(lambda1.like(MAX_MARGIN));
            let careful = backward.select(-margin, margin);
            lines.backward[axis] = backward.bits();
            lines.start_near[axis] = F32x8::narrowed(o + careful).to_array();
            lines.start_far[axis] = F32x8::narrowed(o - careful).to_array();
            let inverse = F32x8::splat(simd, 1.0).over(F32x8::narrowed(still.select(lambda1.like(0.0), d)));
            lines.inverse[axis] = inverse.to_array();
        }
        lines
    }

    /// Whether any of them may meet a box up to where each ends. They go in the same direction along each axis.
    #[inline(always)]
    pub fn may_meet<S: Simd>(&self, simd: S, bounds: &ItemBox, until: F32x8<S>) -> bool {
        let load = |numbers: &[f32; LANES]| F32x8::from_array(simd, *numbers);
        let (mut first, mut last) = (load(&self.from), until);
        for axis in 0..3 {
            let (low, high) = (bounds.low[axis], bounds.high[axis]);
            let (near, far) = if self.backward[axis] == 0 { (low, high) } else { (high, low) };
            let inverse = load(&self.inverse[axis]);
            first = F32x8::splat(simd, near).minus(load(&self.start_near[axis])).times(inverse).max(first);
            last = F32x8::splat(simd, far).minus(load(&self.start_far[axis])).times(inverse).min(last);
        }
        first.le_bits(last) != 0
    }

    /// A bit for each of them that may meet anything up to where it ends: it passes the box of all items, about the centre.
    #[inline(always)]
    pub fn enter<S: Simd>(&self, simd: S, tree: &BoxTree, until: F32x8<S>) -> u32 {
        let load = |numbers: &[f32; LANES]| F32x8::from_array(simd, *numbers);
        let (mut first, mut last) = (load(&self.from), until);
        for axis in 0..3 {
            // The end met first is before the centre along the direction. Terms are rounded as often as in `Line`.
            let inverse = load(&self.inverse[axis]);
            let ends = inverse.times(F32x8::splat(simd, tree.ends[axis]));
            let ends = ends.max(F32x8::splat(simd, 0.0).minus(ends));
            let near = load(&self.start_near[axis]).times(inverse);
            let far = load(&self.start_far[axis]).times(inverse);
            first = F32x8::splat(simd, 0.0).minus(ends).minus(near).max(first);
            last = ends.minus(far).min(last);
        }
        first.le_bits(last) | self.too_long
    }

    /// The octant of a ray's direction: a bit for each axis along which it goes backward.
    #[inline(always)]
    pub fn octant(&self, lane: usize) -> usize {
        (0..3).fold(0, |octant, axis| octant | (self.backward[axis] as usize >> lane & 1) << axis)
    }

    /// One of them; `None` when it is too long for f32.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Option<Line> {
        (self.too_long >> lane & 1 == 0).then(|| Line {
            backward: self.backward.map(|bits| bits >> lane & 1 != 0),
            start_near: self.start_near.map(|all| all[lane]),
            start_far: self.start_far.map(|all| all[lane]),
            inverse: self.inverse.map(|all| all[lane]),
            from: self.from[lane],
        })
    }
}

#[inline(always)]
fn greatest_coordinate<S: Simd>(v: DVec3x8<S>) -> F64x8<S> {
    v.x.max(v.y).max(v.z)
}

/// Several rays as boxes see them: what may lie between them. They go in the same direction along each axis.
#[derive(Clone, Copy, Debug)]
pub(in crate::native) struct Bundle {
    /// A bit for each axis along which they go backward.
    backward: u32,
    /// By axis; the other lanes tell nothing.
    start_near: [f32; LANES],
    start_far: [f32; LANES],
    least_inverse: [f32; LANES],
    greatest_inverse: [f32; LANES],
    from: f32,
}

/// Bits of the lanes that stand for axes.
const AXES: u32 = 0b111;

impl Bundle {
    /// Of these rays, none of whose coordinates is greater than all of `coordinates`; `None` when they go both ways along an
    /// axis, are too far apart for a common way, or too long.
    #[inline(always)]
    pub fn new<S: Simd, const EIGHTS: usize>(
        tree: &BoxTree,
        rays: &[Eight; EIGHTS],
        coordinates: F64x8<S>,
    ) -> Option<Self> {
        let simd = coordinates.simd();
        let Rayx8 { x1, x2, mut from, mut until } = rays[0].rays(simd);
        let (mut low, mut high) = ((x1, x2 - x1), (x1, x2 - x1));
        for others in &rays[1..] {
            let others = others.rays(simd);
            let direction = others.x2 - others.x1;
            low = (others.x1.min(low.0), direction.min(low.1));
            high = (others.x1.max(high.0), direction.max(high.1));
            (from, until) = (others.from.min(from), others.until.max(until));
        }
        // Of places at lambda 0 in the first lanes, of directions from the fifth on, one for each axis.
        let ((a, b), (c, d)) = (low, high);
        let low = F64x8::least_of_each([a.x, a.y, a.z, from, b.x, b.y, b.z, from]);
        let high = F64x8::greatest_of_each([c.x, c.y, c.z, coordinates, d.x, d.y, d.z, until]);
        let ([.., lambda1], [_, _, _, coordinate, .., lambda2]) = (low.to_array(), high.to_array());

        let zero = F64x8::zero(simd);
        let (center, reach) =
            (F64x8::from_array(simd, tree.center_lanes.0), F64x8::from_array(simd, tree.reach_lanes.0));
        let (start, direction) = ([low - center, high - center], [low.halves_swapped(), high.halves_swapped()]);
        let origin = start[0].abs().max(start[1].abs());
        let length = direction[0].abs().max(direction[1].abs());
        if origin.max(length).gt(zero.like(MAX_REACH)).bits() & AXES != 0 {
            return None;
        }
        let still = length.le(zero.like(STILL));
        let (forward, backward) = (direction[0].gt(zero.like(STILL)), direction[1].lt(zero.like(-STILL)));
        if (still | forward | backward).bits() & AXES != AXES {
            return None;
        }
        let lambda = greater(lambda1.abs(), lambda2.abs());
        // As `Extent` has it.
        let mut lengths = greater(lambda, 1.0);
        if lengths > 1.0 {
            lengths = lengths.min(greatest_of_axes(reach + origin) / greatest_of_axes(length)).max(1.0);
        }
        let exact = EXACT * coordinate * lengths;
        // Rays that all but stand still along an axis stay near where they are.
        let drift = still.select(length * lambda, zero);
        let rounding = (origin + reach) * (8.0 * f64::from(ROUNDOFF));
        let margin = rounding + (drift + exact).min(zero.like(MAX_MARGIN));
        let (low, high) = (start[0] - margin, start[1] + margin);
        let inverse = [zero.like(1.0) / direction[1], zero.like(1.0) / direction[0]];

        // The part of the rays that is in the tree's own box, and how wide the bundle is there along each axis.
        let before = forward.select(-reach - start[1], reach - start[0]);
        let after = forward.select(reach - start[0], -reach - start[1]);
        let first = (before * inverse[0]).min(before * inverse[1]);
        let last = (after * inverse[0]).max(after * inverse[1]);
        let first = greater(greatest_of_axes(still.select(zero.like(lambda1), first)), lambda1);
        let last = -greater(greatest_of_axes(-still.select(zero.like(lambda2), last)), -lambda2);
        let farther = greater(first.abs(), last.abs());
        let width = greatest_of_axes(start[1] - start[0] + (direction[1] - direction[0]) * farther);
        if first <= last && width > WIDEST * greatest_of_axes(reach) {
            return None;
        }
        let endless = zero.like(f64::INFINITY);
        Some(Self {
            backward: backward.bits(),
            start_near: F32x8::narrowed(backward.select(low, high)).to_array(),
            start_far: F32x8::narrowed(backward.select(high, low)).to_array(),
            least_inverse: F32x8::narrowed(still.select(endless, inverse[0])).to_array(),
            greatest_inverse: F32x8::narrowed(still.select(endless, inverse[1])).to_array(),
            from: (lambda1 as f32).next_down(),
        })
    }
}

#[inline(always)]
fn greatest_of_axes<S: Simd>(numbers: F64x8<S>) -> f64 {
    let [x, y, z, ..] = numbers.to_array();
    greater(greater(x, y), z)
}

/// The greater of two numbers in one instruction; [`f64::max`] looks whether one is NaN.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl BoxRay for Bundle {
    #[inline(always)]
    fn meets<S: Simd>(&self, simd: S, node: &Node, until: f32) -> ([f32; WIDTH], u32) {
        let splat = |number| F32x8::splat(simd, number);
        let (mut first, mut last) = (splat(self.from), splat(until));
        for axis in 0..3 {
            let (near, far) = node.across(simd, axis, self.backward >> axis & 1 != 0);
            let (least, greatest) = (splat(self.least_inverse[axis]), splat(self.greatest_inverse[axis]));
            let a = near.minus(splat(self.start_near[axis]));
            let b = far.minus(splat(self.start_far[axis]));
            first = a.times(least).min(a.times(greatest)).max(first);
            last = b.times(least).max(b.times(greatest)).min(last);
        }
        (first.to_array(), first.le_bits(last))
    }
}

impl Node {
    /// The faces across an axis, the ones met first in front.
    #[inline(always)]
    pub(super) fn across<S: Simd>(&self, simd: S, axis: usize, backward: bool) -> (F32x8<S>, F32x8<S>) {
        let (low, high) = (&self.faces[axis], &self.faces[axis + 3]);
        let (near, far) = if backward { (high, low) } else { (low, high) };
        (F32x8::from_array(simd, *near), F32x8::from_array(simd, *far))
    }
}
