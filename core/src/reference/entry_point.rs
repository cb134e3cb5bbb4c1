//! Job `entry_point` on the tree: Phi as a fixed-point iteration (docs/theory/entry-points.md).
//!
//! Phi(S, l) is the smallest l' >= l inside S. For a leaf it is an end of its interval or l itself, for a union the
//! minimum over its children. For an intersection no point before the maximum over its children is inside, so l is
//! replaced by that maximum until it is stationary. Every l belongs to the finite set of interval ends of the leaves,
//! and increases, so the iteration terminates. A leaf's interval is computed from x1 and x2 alone, never from l: it has
//! the same bits in every pass, so stationarity is exact.
//!
//! Iterating at every intersection, not only at the root, finds the same lambda, and where two surfaces coincide it
//! selects that of a set which begins there: a child that is entered there without being inside has no say.
//!
//! Each Phi comes with the following stretch that is known to be inside. If the children of an intersection share such
//! a stretch a single pass is enough: always so for convex sets.
//!
//! # Conventions
//! As in [`crate::scene`]. The surface hit is that of the last pass that moved l, or of the first pass if none did
//! (docs/theory/entry-points.md, 9). Ties: a union keeps its first child, an intersection prefers a surface over none.

use glam::DVec3;

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::{Cell, Interval, Node, NodeId, Scene};

/// Rays that one thread takes at a time.
const RAYS_PER_TASK: usize = 1024;

impl Computes<EntryPoints> for Reference {
    fn answers(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        let tracer = Tracer::new(scene);
        Ok(self.each(RAYS_PER_TASK, rays, |ray| tracer.entry_point(ray)))
    }
}

/// The first point of a node's set.
#[derive(Clone, Copy)]
struct Candidate {
    lambda: f64,
    /// The set is known to contain everything from `lambda` to here.
    holds_until: f64,
    /// The set contains nothing beyond `holds_until`.
    ends_there: bool,
    /// The leaf that decided; `None` in [`Node::Everything`]. Determines the material, also without a surface.
    leaf: Option<u32>,
    /// The leaf's surface is hit there.
    border: bool,
}

/// Traces rays in one scene.
#[derive(Clone, Copy, Debug)]
pub struct Tracer<'a> {
    scene: &'a Scene,
}

/// The part of a ray still to be searched.
#[derive(Clone, Copy)]
struct Search<'a> {
    ray: &'a Ray,
    from: f64,
    until: f64,
}

impl<'a> Tracer<'a> {
    /// A tracer for a scene.
    #[must_use]
    pub fn new(scene: &'a Scene) -> Self {
        Self { scene }
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The first point of the ray in the scene.
    #[must_use]
    pub fn entry_point(&self, ray: &Ray) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        let Some(Candidate { lambda, leaf, border, .. }) = self.first_inside(ray) else {
            return EntryPoint::none(RayStatus::Miss);
        };
        let point = ray.at(lambda);
        let border_leaf = leaf.filter(|_| border);
        EntryPoint {
            status: RayStatus::Hit,
            lambda,
            normal: border_leaf.map_or(DVec3::ZERO, |number| self.scene.leaf(number).normal(point)),
            leaf: border_leaf,
            material: leaf.map_or(self.scene.default_material(), |number| self.scene.material_at(number, point)),
        }
    }

    fn first_inside(&self, ray: &Ray) -> Option<Candidate> {
        self.earliest(self.scene.root(), Search { ray, from: ray.lambda1, until: ray.lambda2 })
    }

    /// Phi(node, from), or `None` if the node has no point in the searched part of the ray.
    #[inline(always)] // A dispatch alone: groups then reach their leaves without a call between.
    fn earliest(&self, node: NodeId, search: Search<'_>) -> Option<Candidate> {
        match self.scene.node(node) {
            Node::Everything => Some(Candidate::everything(search.from)),
            Node::Nothing => None,
            Node::Leaf(number) => self.earliest_in_leaf(*number, search),
            Node::Cell(cell) => earliest_in_cell(cell, search),
            Node::Union(children) => self.earliest_in_any(children, search),
            Node::Intersection(children) => self.earliest_in_all(children, search),
        }
    }

    fn earliest_in_leaf(&self, number: u32, search: Search<'_>) -> Option<Candidate> {
        let leaf = self.scene.leaf(number);
        let inside = leaf.solid.interval(&search.ray.x1, &search.ray.x2);
        let candidate = if leaf.complemented {
            Candidate::outside(number, &inside, search.from)
        } else {
            Candidate::inside(number, &inside, search.from)?
        };
        (candidate.lambda <= search.until).then_some(candidate)
    }

    fn earliest_in_any(&self, children: &[NodeId], mut search: Search<'_>) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for &child in children {
            if let Some(candidate) = self.earliest(child, search)
                && best.is_none_or(|best| candidate.lambda < best.lambda)
            {
                // The others matter only where they begin earlier.
                search.until = candidate.lambda;
                best = Some(candidate);
            }
        }
        best.map(|best| Candidate { ends_there: best.ends_there && children.len() == 1, ..best })
    }

    /// The maximum over the children, iterated until all are stationary or known to contain it.
    fn earliest_in_all(&self, children: &[NodeId], mut search: Search<'_>) -> Option<Candidate> {
        let mut found: Option<Candidate> = None;
        loop {
            let mut all = Candidate::everything(search.from);
            let mut last = f64::INFINITY;
            for &child in children {
                let candidate = self.earliest(child, search)?;
                if candidate.ends_there {
                    last = last.min(candidate.holds_until);
                }
                all = all.and(candidate);
                if all.lambda > last {
                    return None;
                }
            }
            let moved = all.lambda > search.from;
            // The border is that of the last pass that moved, or of the first (docs/theory/entry-points.md, 9).
            let entry = match found {
                Some(Candidate { lambda, leaf, border, .. }) if !moved => Candidate { lambda, leaf, border, ..all },
                _ => all,
            };
            if !moved || all.holds_until >= all.lambda {
                return Some(entry);
            }
            found = Some(entry);
            search.from = all.lambda;
        }
    }
}

/// The largest entry, if it is not beyond the smallest exit (docs/theory/entry-points.md, 6): the same as intersecting
/// the half spaces one by one, without a ray-dependent branch until the end.
fn earliest_in_cell(cell: &Cell, search: Search<'_>) -> Option<Candidate> {
    let Search { ray, from, until } = search;
    let (mut enter, mut deciding, mut exit, mut flat) = (f64::NEG_INFINITY, 0, f64::INFINITY, false);
    for (index, half_space) in cell.half_spaces.iter().enumerate() {
        let inside = half_space.interval(ray.x1, ray.x2);
        let later = inside.enter > enter;
        enter = if later { inside.enter } else { enter };
        deciding = if later { index } else { deciding };
        exit = if inside.exit < exit { inside.exit } else { exit };
        flat |= inside.flat;
    }
    let lambda = if enter > from { enter } else { from };
    if (lambda > exit) | (lambda > until) {
        return None;
    }
    let starts_on_border = lambda == from && (flat || lambda == enter || lambda == exit);
    if starts_on_border && let Some(first) = first_border(cell, search) {
        return Some(Candidate { border: true, ..Candidate::in_cell(cell, first, lambda, exit) });
    }
    let entered = enter > from;
    Some(Candidate { border: entered, ..Candidate::in_cell(cell, if entered { deciding } else { 0 }, lambda, exit) })
}

/// The first half space with the start of the search on its surface.
#[cold]
fn first_border(cell: &Cell, search: Search<'_>) -> Option<usize> {
    cell.half_spaces
        .iter()
        .position(|half_space| half_space.interval(search.ray.x1, search.ray.x2).is_border(search.from))
}

impl Candidate {
    fn in_cell(cell: &Cell, index: usize, lambda: f64, exit: f64) -> Self {
        Self { lambda, holds_until: exit, ends_there: true, leaf: Some(cell.first_leaf + index as u32), border: false }
    }

    fn everything(from: f64) -> Self {
        Self { lambda: from, holds_until: f64::INFINITY, ends_there: true, leaf: None, border: false }
    }

    fn inside(number: u32, inside: &Interval, from: f64) -> Option<Self> {
        // Also true for an empty interval, whose exit is minus infinity.
        if from > inside.exit {
            return None;
        }
        let lambda = from.max(inside.enter);
        Some(Self {
            lambda,
            holds_until: inside.exit,
            ends_there: true,
            leaf: Some(number),
            border: inside.is_border(lambda),
        })
    }

    /// The closed complement includes both ends of the interval.
    fn outside(number: u32, inside: &Interval, from: f64) -> Self {
        let within = from > inside.enter && from < inside.exit && !inside.flat;
        let lambda = if within { inside.exit } else { from };
        let before = from <= inside.enter && !inside.flat;
        Self {
            lambda,
            holds_until: if before { inside.enter } else { f64::INFINITY },
            ends_there: false,
            leaf: Some(number),
            border: inside.is_border(lambda),
        }
    }

    /// Inside both: the later of the two. On a tie the first with a surface, else the first with a leaf.
    fn and(self, other: Self) -> Self {
        // `|` and `&` where `||` and `&&` would branch: which child is the later cannot be predicted.
        let other_wins =
            (other.lambda > self.lambda) | ((other.lambda == self.lambda) & (other.shows() > self.shows()));
        let later = if other_wins { other } else { self };
        Self {
            holds_until: if other.holds_until < self.holds_until { other.holds_until } else { self.holds_until },
            ends_there: self.ends_there & other.ends_there,
            ..later
        }
    }

    /// Rank on a tie.
    fn shows(&self) -> u8 {
        2 * u8::from(self.border) + u8::from(self.leaf.is_some())
    }
}
