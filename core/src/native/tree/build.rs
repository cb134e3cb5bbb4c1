//! Builds trees of boxes.

use glam::{DVec3, Vec3};

use super::{ABSENT, BoxTree, ITEM, ItemBox, Node, WIDTH};
use crate::lanes::Lanes;
use crate::scene::BoundingBox;

/// Cheap splits are looked for between this many bins.
const BINS: usize = 16;
/// From this level on ranges are halved, so that no tree is deeper than this and 11 levels for 2^31 items.
const HALVED_FROM: usize = 40;

impl BoxTree {
    /// A tree over items by number and their boxes, which it [takes](Self::takes); none of them is empty.
    pub fn new(items: &[(u32, BoundingBox)]) -> Self {
        let finite = items.iter().fold(BoundingBox::EMPTY, |all, (_, bounds)| {
            all.join(BoundingBox { min: finite_or(bounds.min, all.min), max: finite_or(bounds.max, all.max) })
        });
        // Nothing has an end along an axis on which the box is still empty.
        let known = finite.min.cmple(finite.max);
        let center = DVec3::select(known, finite.center(), DVec3::ZERO);
        let size = DVec3::select(known, finite.max - finite.min, DVec3::ZERO);
        // As good as endless beside the others, and still a number.
        let endless = 4.0 * size.max_element().max(1.0);
        let relative = |&(item, bounds): &(u32, BoundingBox)| {
            let BoundingBox { min, max } = bounds.widened(0.0);
            let within = |v: DVec3| (v - center).clamp(DVec3::splat(-endless), DVec3::splat(endless));
            (item, BoundingBox { min: within(min), max: within(max) })
        };
        let relative: Vec<(u32, BoundingBox)> = items.iter().map(relative).collect();
        let reach = relative.iter().fold(DVec3::ZERO, |reach, (_, bounds)| reach.max(bounds.max.max(-bounds.min)));
        let numbers = items.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        let nothing = ItemBox { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
        let mut builder = Builder {
            items: relative,
            endless,
            nodes: Vec::with_capacity(items.len() / 4 + 1),
            boxes: vec![nothing; numbers as usize],
        };
        builder.node(0, items.len(), 0);
        let Builder { nodes, boxes, .. } = builder;
        let ends = DVec3::select(reach.cmplt(DVec3::splat(endless)), reach, DVec3::INFINITY);
        let lanes = |v: DVec3| Lanes::from_fn(|lane| if lane < 3 { v[lane] } else { 0.0 });
        let (center_lanes, reach_lanes) = (lanes(center), lanes(above(reach).as_dvec3()));
        Self { nodes, boxes, center, reach: above(reach), ends: above(ends), center_lanes, reach_lanes }
    }
}

/// A vector's coordinates where they are finite, another's where they are not.
fn finite_or(v: DVec3, other: DVec3) -> DVec3 {
    DVec3::select(v.is_finite_mask(), v, other)
}

/// The next f32 above.
fn above(v: DVec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(|number| (number as f32).next_up()))
}

/// The next f32 below.
fn below(v: DVec3) -> Vec3 {
    -above(-v)
}

/// Half the surface of a box \[m^2\]: how likely a ray is to meet it.
fn area(bounds: &BoundingBox) -> f64 {
    let size = (bounds.max - bounds.min).max(DVec3::ZERO);
    size.x * size.y + size.y * size.z + size.z * size.x
}

struct Builder {
    /// Numbers and boxes relative to the tree's centre; those of every node stand together.
    items: Vec<(u32, BoundingBox)>,
    /// A coordinate \[m\] that stands for having no end.
    endless: f64,
    nodes: Vec<Node>,
    /// By the numbers of items.
    boxes: Vec<ItemBox>,
}

/// A range of [`Builder::items`].
#[derive(Clone, Copy)]
struct Range {
    first: usize,
    end: usize,
    area: f64,
}

impl Builder {
    /// Makes the node of a range of items and all below it.
    fn node(&mut self, first: usize, end: usize, level: usize) -> u32 {
        let number = self.nodes.len();
        let mut faces = [[f32::INFINITY; WIDTH]; 6];
        faces[3..].fill([f32::NEG_INFINITY; WIDTH]);
        self.nodes.push(Node { faces, children: [ABSENT; WIDTH] });
        for (child, Range { first, end, .. }) in self.children(first, end, level).into_iter().enumerate() {
            let bounds = self.bounds(first, end);
            let mut whole = ItemBox { low: below(bounds.min).to_array(), high: above(bounds.max).to_array() };
            for axis in 0..3 {
                if bounds.min[axis] <= -self.endless {
                    whole.low[axis] = f32::NEG_INFINITY;
                }
                if bounds.max[axis] >= self.endless {
                    whole.high[axis] = f32::INFINITY;
                }
                self.nodes[number].faces[axis][child] = whole.low[axis];
                self.nodes[number].faces[axis + 3][child] = whole.high[axis];
            }
            self.nodes[number].children[child] = if end - first == 1 {
                let (item, _) = self.items[first];
                self.boxes[item as usize] = whole;
                ITEM | item
            } else {
                self.node(first, end, level + 1)
            };
        }
        number as u32
    }

    fn bounds(&self, first: usize, end: usize) -> BoundingBox {
        self.items[first..end].iter().fold(BoundingBox::EMPTY, |all, &(_, bounds)| all.join(bounds))
    }

    fn range(&self, first: usize, end: usize) -> Range {
        Range { first, end, area: area(&self.bounds(first, end)) }
    }

    /// Up to eight ranges: of those that there are the one that most rays meet is split next.
    fn children(&mut self, first: usize, end: usize, level: usize) -> Vec<Range> {
        let mut ranges = Vec::with_capacity(WIDTH);
        if first < end {
            ranges.push(self.range(first, end));
        }
        while ranges.len() < WIDTH {
            let splittable = ranges.iter().enumerate().filter(|(_, range)| range.end - range.first > 1);
            let area = |range: &Range| if level < HALVED_FROM { range.area } else { 0.0 };
            // Of equals the one that holds most.
            let order =
                |a: &Range, b: &Range| area(a).total_cmp(&area(b)).then((a.end - a.first).cmp(&(b.end - b.first)));
            let Some((index, _)) = splittable.max_by(|(_, a), (_, b)| order(a, b)) else {
                break;
            };
            let Range { first, end, .. } = ranges[index];
            let cheap = if level < HALVED_FROM { self.split(first, end) } else { None };
            let middle = cheap.unwrap_or(first.midpoint(end));
            ranges[index] = self.range(first, middle);
            ranges.insert(index + 1, self.range(middle, end));
        }
        ranges
    }

    /// Puts the items of a range in such an order that a cheap split is at the place returned (surface area heuristic:
    /// Wald 2007, "On fast Construction of SAH-based Bounding Volume Hierarchies"). `None` where all are in one place.
    fn split(&mut self, first: usize, end: usize) -> Option<usize> {
        let items = &mut self.items[first..end];
        let centers = items.iter().map(|(_, bounds)| bounds.center());
        let spread = centers.fold(BoundingBox::EMPTY, |all, center| all.join(BoundingBox { min: center, max: center }));
        let size = spread.max - spread.min;
        let axis = size.max_position();
        if size[axis] <= 0.0 {
            return None;
        }
        let bin_of = |bounds: &BoundingBox| {
            let share = (bounds.center()[axis] - spread.min[axis]) / size[axis];
            ((share * BINS as f64) as usize).min(BINS - 1)
        };
        let mut bins = [Bin::EMPTY; BINS];
        for &(_, bounds) in items.iter() {
            let bin = bin_of(&bounds);
            bins[bin] = bins[bin].with(Bin { items: 1, bounds });
        }
        let place = cheapest(&bins)?;
        // In the order that they had: nothing depends on how a sort treats equals.
        let (left, right): (Vec<_>, Vec<_>) = items.iter().partition(|(_, bounds)| bin_of(bounds) < place);
        items[..left.len()].copy_from_slice(&left);
        items[left.len()..].copy_from_slice(&right);
        Some(first + left.len())
    }
}

/// How many items have their centre in a bin, and a box around them.
#[derive(Clone, Copy)]
struct Bin {
    items: usize,
    bounds: BoundingBox,
}

impl Bin {
    const EMPTY: Self = Self { items: 0, bounds: BoundingBox::EMPTY };

    fn with(self, other: Self) -> Self {
        Self { items: self.items + other.items, bounds: self.bounds.join(other.bounds) }
    }

    fn cost(&self) -> f64 {
        self.items as f64 * area(&self.bounds)
    }
}

/// The first bin of the right half of the cheapest split; `None` when all items are in one bin.
fn cheapest(bins: &[Bin; BINS]) -> Option<usize> {
    let mut behind = [Bin::EMPTY; BINS + 1];
    for place in (1..BINS).rev() {
        behind[place] = behind[place + 1].with(bins[place]);
    }
    let (mut best, mut before) = (None, Bin::EMPTY);
    for place in 1..BINS {
        before = before.with(bins[place - 1]);
        let cost = before.cost() + behind[place].cost();
        if before.items > 0 && behind[place].items > 0 && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, place));
        }
    }
    best.map(|(_, place)| place)
}
