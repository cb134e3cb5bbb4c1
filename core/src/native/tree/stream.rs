//! Many rays of one octant through a tree together: each node is visited once, with the list of rays that meet its box.
//!
//! A single ray waits at every node for the branch that its tests decide. In a list the tests of one ray wait for no
//! other's, and there is nothing to decide: each child's list takes the ray's number, and grows if the box is met.

use super::{BoxTree, ITEM, Line, WIDTH};
use crate::simd::{F32x8, Simd};

/// Most rays in a stream, a power of two.
pub(in crate::native) const STREAM: usize = 1024;
/// Room for a list: lists that are as long do not share their places in the cache.
const ROW: usize = STREAM + 32;

/// A ray of a stream.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(in crate::native) struct StreamLine {
    pub line: Line,
    /// Beyond this nothing is of interest any more.
    pub until: f32,
}

/// Who looks at items for the rays of a stream.
pub(in crate::native) trait StreamVisitor {
    /// Has a ray look at an item. Beyond the lambda returned, if any, nothing is of interest to it any more.
    fn look(&mut self, item: u32, ray: u16) -> Option<f64>;
}

/// Lists of rays that are still to be looked at, and what for. Empty between searches.
pub(in crate::native) struct Lists {
    /// Nodes and items, and where their rays start in `rays`: they end where those above start.
    waiting: Vec<(u32, u32)>,
    rays: Vec<u16>,
    /// Those of a node's children.
    below: Box<[[u16; ROW]; WIDTH]>,
}

impl Lists {
    pub fn new() -> Self {
        let below = vec![[0; ROW]; WIDTH].into_boxed_slice();
        let below = below.try_into().unwrap_or_else(|_| Box::new([[0; ROW]; WIDTH]));
        Self { waiting: Vec::new(), rays: Vec::new(), below }
    }
}

impl BoxTree {
    /// Shows each ray the items whose boxes it may meet, near ones first as far as boxes tell. All go backward along the
    /// axes of `octant`, a bit for each.
    #[inline(always)]
    pub fn stream<S: Simd>(
        &self,
        simd: S,
        octant: usize,
        lines: &mut [StreamLine],
        visitor: &mut impl StreamVisitor,
        lists: &mut Lists,
    ) {
        lists.waiting.push((0, 0));
        lists.rays.extend(0..lines.len() as u16);
        while let Some((next, start)) = lists.waiting.pop() {
            let start = start as usize;
            if next & ITEM != 0 {
                for &ray in &lists.rays[start..] {
                    if let Some(nearer) = visitor.look(next & !ITEM, ray) {
                        lines[ray as usize].until = (nearer as f32).next_up();
                    }
                }
                lists.rays.truncate(start);
                continue;
            }
            let node = &self.nodes[next as usize];
            let mut faces = [(F32x8::splat(simd, 0.0), F32x8::splat(simd, 0.0)); 3];
            // How far children are along the octant: the near ones are looked at first.
            let mut order = F32x8::splat(simd, 0.0);
            for (axis, face) in faces.iter_mut().enumerate() {
                let backward = octant >> axis & 1 != 0;
                *face = node.across(simd, axis, backward);
                order = if backward { order.minus(face.0) } else { order.plus(face.0) };
            }
            let order = order.to_array();
            let mut lengths = [0; WIDTH];
            for &ray in &lists.rays[start..] {
                let StreamLine { line, until } = &lines[ray as usize];
                let mut first = F32x8::splat(simd, line.from);
                let mut last = F32x8::splat(simd, *until);
                for (axis, &(near, far)) in faces.iter().enumerate() {
                    let inverse = F32x8::splat(simd, line.inverse[axis]);
                    first = near.minus(F32x8::splat(simd, line.start_near[axis])).times(inverse).max(first);
                    last = far.minus(F32x8::splat(simd, line.start_far[axis])).times(inverse).min(last);
                }
                let met = first.le_bits(last);
                for (child, (below, length)) in lists.below.iter_mut().zip(&mut lengths).enumerate() {
                    below[*length % STREAM] = ray;
                    *length += (met >> child & 1) as usize;
                }
            }
            lists.rays.truncate(start);
            let mut children = [0; WIDTH];
            let mut count = 0;
            for child in 0..WIDTH {
                if lengths[child] > 0 {
                    // The nearest last.
                    let mut place = count;
                    while place > 0 && order[children[place - 1]] < order[child] {
                        children[place] = children[place - 1];
                        place -= 1;
                    }
                    children[place] = child;
                    count += 1;
                }
            }
            for &child in &children[..count] {
                lists.waiting.push((node.children[child], lists.rays.len() as u32));
                lists.rays.extend_from_slice(&lists.below[child][..lengths[child]]);
            }
        }
    }
}
