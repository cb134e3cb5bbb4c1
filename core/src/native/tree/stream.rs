//! Many rays of one octant through a tree together: each node is visited once, with the list of rays that meet its box.
//!
//! A single ray waits at every node for the branch that its tests decide. In a list the tests of one ray wait for no
//! other's, and there is nothing to decide: each ray gets a bit for every child that it may meet, and each child's list is
//! made of the bits of eight rays at a time.

use super::{BoxTree, ITEM, Line, WIDTH};
use crate::lanes::LANES;
use crate::simd::{F32x8, Simd};

/// Most rays that wait for each other, a multiple of eight.
pub(in crate::native) const STREAM: usize = 8192;

/// A ray of a stream.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(in crate::native) struct StreamLine {
    pub line: Line,
    /// Beyond this nothing is of interest any more.
    pub until: f32,
}

impl StreamLine {
    /// No ray.
    pub const NONE: Self = Self { line: Line::NONE, until: 0.0 };
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
    /// What is behind the last list says nothing.
    rays: Vec<u16>,
    /// Those at a node.
    here: Box<[[u16; LANES]]>,
    /// For each of them a bit for each child that it may meet; then for each child a bit for each of eight.
    met: Box<[[u8; LANES]]>,
}

impl Lists {
    pub fn new() -> Self {
        let eights = STREAM / LANES;
        Self {
            waiting: Vec::new(),
            rays: Vec::new(),
            here: vec![[0; LANES]; eights].into_boxed_slice(),
            met: vec![[0; LANES]; eights].into_boxed_slice(),
        }
    }
}

impl BoxTree {
    /// Shows each of some rays the items whose boxes it may meet, near ones first as far as boxes tell. All go backward
    /// along the axes of `octant`, a bit for each.
    #[inline(always)]
    pub fn stream<S: Simd>(
        &self,
        simd: S,
        (octant, numbers): (usize, &[u16]),
        lines: &mut [StreamLine],
        visitor: &mut impl StreamVisitor,
        lists: &mut Lists,
    ) {
        let Lists { waiting, rays, here, met } = lists;
        waiting.push((0, 0));
        rays.clear();
        rays.extend_from_slice(numbers);
        let mut end = rays.len();
        while let Some((next, start)) = waiting.pop() {
            let start = start as usize;
            if next & ITEM != 0 {
                for &ray in &rays[start..end] {
                    if let Some(nearer) = visitor.look(next & !ITEM, ray) {
                        lines[ray as usize].until = (nearer as f32).next_up();
                    }
                }
                end = start;
                continue;
            }
            let node = &self.nodes[next as usize];
            let count = end - start;
            here.as_flattened_mut()[..count].copy_from_slice(&rays[start..end]);
            let mut faces = [(F32x8::splat(simd, 0.0), F32x8::splat(simd, 0.0)); 3];
            // How far children are along the octant: the near ones are looked at first.
            let mut order = F32x8::splat(simd, 0.0);
            for (axis, face) in faces.iter_mut().enumerate() {
                let backward = octant >> axis & 1 != 0;
                *face = node.across(simd, axis, backward);
                order = if backward { order.minus(face.0) } else { order.plus(face.0) };
            }
            let mut met_by_any = 0;
            for (&ray, met) in rays[start..end].iter().zip(met.as_flattened_mut()) {
                let StreamLine { line, until } = &lines[ray as usize];
                let mut first = F32x8::splat(simd, line.from);
                let mut last = F32x8::splat(simd, *until);
                for (axis, &(near, far)) in faces.iter().enumerate() {
                    let inverse = F32x8::splat(simd, line.inverse[axis]);
                    first = near.minus(F32x8::splat(simd, line.start_near[axis])).times(inverse).max(first);
                    last = far.minus(F32x8::splat(simd, line.start_far[axis])).times(inverse).min(last);
                }
                *met = first.le_bits(last) as u8;
                met_by_any |= *met;
            }
            let eights = count.div_ceil(LANES);
            met.as_flattened_mut()[count..eights * LANES].fill(0);
            for eight in &mut met[..eights] {
                *eight = transposed(*eight);
            }
            let (children, met_children) = farthest_first(order.to_array(), met_by_any);
            let room = start + met_children * count + LANES;
            if rays.len() < room {
                rays.resize(room, 0);
            }
            end = start;
            for &child in &children[..met_children] {
                waiting.push((node.children[child], end as u32));
                for (&numbers, met) in here[..eights].iter().zip(&met[..eights]) {
                    let met = met[child];
                    rays[end..end + LANES].copy_from_slice(&simd.chosen_first(numbers, met));
                    end += met.count_ones() as usize;
                }
            }
        }
    }
}

/// Those of a node's children that have a bit, the nearest last, and how many they are.
#[inline(always)]
fn farthest_first(order: [f32; WIDTH], mut chosen: u8) -> ([usize; WIDTH], usize) {
    let mut children = [0; WIDTH];
    let mut count = 0;
    while chosen != 0 {
        let child = chosen.trailing_zeros() as usize % WIDTH;
        chosen &= chosen - 1;
        let mut place = count;
        while place > 0 && order[children[place - 1]] < order[child] {
            children[place] = children[place - 1];
            place -= 1;
        }
        children[place] = child;
        count += 1;
    }
    (children, count)
}

/// Bit `column` of byte `row` as bit `row` of byte `column`: ever larger squares change places with those across the
/// diagonal.
#[inline(always)]
fn transposed(rows: [u8; 8]) -> [u8; 8] {
    let mut bits = u64::from_le_bytes(rows);
    for (by, squares) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let differing = (bits ^ bits >> by) & squares;
        bits ^= differing ^ differing << by;
    }
    bits.to_le_bytes()
}
