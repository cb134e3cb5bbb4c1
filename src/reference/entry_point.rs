//! Job `entry_point` on the tree: the function Phi of document 000 as a fixed point.
//!
//! Let m(S, l) be the smallest l' >= l at which S can begin: for a leaf the smallest l' >= l inside it, for a union the
//! least and for an intersection the greatest over the children. m never passes the entry point, and m(S, l) = l holds
//! exactly inside S. So l <- m(S, l) from lambda1 stops at the entry point or beyond lambda2. Every l comes from the
//! finite set of the leaves' interval ends and rises, so the iteration ends; intervals are computed once per ray
//! (errata 000.6), so it stands still exactly.
//!
//! # Conventions
//! As in [`crate::scene`]. The border met is that of the last pass that moved l, or of the first pass when none did
//! (errata 000.9). Ties: a union keeps its first child, an intersection prefers a border over none.

use glam::DVec3;

use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::{Interval, Leaf, Node, NodeId, Scene};

/// A possible entry.
#[derive(Clone, Copy)]
struct Candidate {
    lambda: f64,
    /// The leaf that decided; `None` in [`Node::Everything`]. Gives the material, also without a border.
    leaf: Option<u32>,
    /// The leaf's border is met there.
    border: bool,
}

/// Finds entry points in one scene; keeps its memory from ray to ray.
#[derive(Debug)]
pub struct Tracer<'a> {
    scene: &'a Scene,
    intervals: Vec<Interval>,
}

impl<'a> Tracer<'a> {
    /// A tracer for a scene.
    #[must_use]
    pub fn new(scene: &'a Scene) -> Self {
        Self { scene, intervals: Vec::with_capacity(scene.leaves().len()) }
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The first point of the ray in the scene.
    pub fn entry_point(&mut self, ray: &Ray) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        let Some(Candidate { lambda, leaf, border }) = self.first_inside(ray) else {
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

    fn first_inside(&mut self, ray: &Ray) -> Option<Candidate> {
        self.intervals.clear();
        self.intervals.extend(self.scene.leaves().iter().map(|leaf| leaf.solid.interval(ray.x1, ray.x2)));
        let mut best = self.earliest(self.scene.root(), ray.lambda1)?;
        loop {
            if best.lambda > ray.lambda2 {
                return None;
            }
            let next = self.earliest(self.scene.root(), best.lambda)?;
            if next.lambda == best.lambda {
                return Some(best);
            }
            best = next;
        }
    }

    /// m(node, from), or `None` when the node has no point at or after `from`.
    fn earliest(&self, node: NodeId, from: f64) -> Option<Candidate> {
        match self.scene.node(node) {
            Node::Everything => Some(Candidate { lambda: from, leaf: None, border: false }),
            Node::Nothing => None,
            Node::Leaf(number) => {
                earliest_in_leaf(self.scene.leaf(*number), *number, &self.intervals[*number as usize], from)
            }
            Node::Union(children) => {
                let mut best: Option<Candidate> = None;
                for &child in children {
                    if let Some(candidate) = self.earliest(child, from)
                        && best.is_none_or(|best| candidate.lambda < best.lambda)
                    {
                        best = Some(candidate);
                    }
                }
                best
            }
            Node::Intersection(children) => {
                let mut best: Option<Candidate> = None;
                for &child in children {
                    let candidate = self.earliest(child, from)?;
                    best = Some(best.map_or(candidate, |best| later(best, candidate)));
                }
                Some(best.unwrap_or(Candidate { lambda: from, leaf: None, border: false }))
            }
        }
    }
}

/// The later of two; on a tie the first that shows a border, else the first that has a leaf.
fn later(best: Candidate, candidate: Candidate) -> Candidate {
    let shows_more = (candidate.border, candidate.leaf.is_some()) > (best.border, best.leaf.is_some());
    if candidate.lambda > best.lambda || (candidate.lambda == best.lambda && shows_more) { candidate } else { best }
}

fn earliest_in_leaf(leaf: &Leaf, number: u32, inside: &Interval, from: f64) -> Option<Candidate> {
    if leaf.complemented {
        return Some(earliest_outside(number, inside, from));
    }
    // Also true for an empty interval, whose exit is minus infinity.
    if from > inside.exit {
        return None;
    }
    let lambda = from.max(inside.enter);
    let border = lambda == inside.enter || lambda == inside.exit || inside.flat;
    Some(Candidate { lambda, leaf: Some(number), border })
}

/// The closed complement keeps both ends of the interval.
fn earliest_outside(number: u32, inside: &Interval, from: f64) -> Candidate {
    let within = from > inside.enter && from < inside.exit && !inside.flat;
    let lambda = if within { inside.exit } else { from };
    let border = lambda == inside.enter || lambda == inside.exit || inside.flat;
    Candidate { lambda, leaf: Some(number), border }
}
