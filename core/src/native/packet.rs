//! Packets of rays: solids without boxes are looked at by all of them together, and coherent ones have one traversal of
//! the tree.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use super::cell::crossings_of_lines;
use super::index::{Part, SceneIndex};
use super::search::Search;
use super::tree::{BoxTree, Bundle, Deferred, Lines, Visitor};
use crate::lanes::{LANES, Lanes, Lanes3};
use crate::query::Ray;
use crate::scene::LIMITS;
use crate::simd::{DVec3x8, F32x8, F64x8, Mask8, Simd};

/// No member.
pub(super) const NO_MEMBER: u32 = u32::MAX;

/// What a ray is known to meet first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// Where, or where the ray ends.
    pub lambda: f64,
    /// The number of the member that is entered there, or [`NO_MEMBER`].
    pub member: u32,
    /// The leaf whose border is met there; `NO_LEAF` where that is still to be looked at.
    pub leaf: u32,
}

/// Rays traced together, eight in each set of lanes, and what they meet first.
pub(super) struct Packet<const EIGHTS: usize> {
    pub x1: [Lanes3; EIGHTS],
    pub x2: [Lanes3; EIGHTS],
    pub from: [Lanes; EIGHTS],
    /// The nearest entry found, or where the ray ends.
    pub until: [Lanes; EIGHTS],
    /// The number of the member that is entered there; infinite while there is none.
    member: [Lanes; EIGHTS],
    /// The leaf whose border is met there; infinite where that is still to be looked at.
    leaf: [Lanes; EIGHTS],
}

impl<const EIGHTS: usize> Packet<EIGHTS> {
    /// Without rays.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            x1: [Lanes3::ZERO; EIGHTS],
            x2: [Lanes3::ZERO; EIGHTS],
            from: [Lanes::ZERO; EIGHTS],
            until: [Lanes::ZERO; EIGHTS],
            member: [Lanes::splat(f64::INFINITY); EIGHTS],
            leaf: [Lanes::splat(f64::INFINITY); EIGHTS],
        }
    }

    /// Of one ray or more; the last one goes along in the lanes that are left.
    #[inline(always)]
    pub fn of<S: Simd>(simd: S, rays: &[Ray]) -> Self {
        let mut packet = Self::new();
        for eight in 0..EIGHTS {
            let (mut front, mut back) = ([[0.0; 4]; LANES], [[0.0; 4]; LANES]);
            for lane in 0..LANES {
                let Ray { x1, x2, lambda1, lambda2 } = rays[(LANES * eight + lane).min(rays.len() - 1)];
                front[lane] = [x1.x, x1.y, x1.z, x2.x];
                back[lane] = [x2.y, x2.z, lambda1, lambda2];
            }
            let [x1, y1, z1, x2] = columns(simd, front);
            let [y2, z2, from, until] = columns(simd, back);
            packet.x1[eight] = Lanes3::new(x1, y1, z1);
            packet.x2[eight] = Lanes3::new(x2, y2, z2);
            (packet.from[eight], packet.until[eight]) = (from, until);
        }
        packet
    }

    /// What a ray is known to meet.
    #[inline(always)]
    pub fn met(&self, number: usize) -> Met {
        let (eight, lane) = (number / LANES, number % LANES);
        // Infinity is no number of a member or a leaf.
        Met {
            lambda: self.until[eight].0[lane],
            member: self.member[eight].0[lane] as u32,
            leaf: self.leaf[eight].0[lane] as u32,
        }
    }

    /// A ray, up to what it is known to meet.
    #[inline(always)]
    pub fn ray(&self, number: usize) -> Ray {
        let (eight, lane) = (number / LANES, number % LANES);
        Ray {
            x1: self.x1[eight].get(lane),
            x2: self.x2[eight].get(lane),
            lambda1: self.from[eight].0[lane],
            lambda2: self.until[eight].0[lane],
        }
    }

    /// True when every ray is valid, as [`Ray::is_valid`] says.
    #[inline(always)]
    fn is_valid<S: Simd>(&self, simd: S) -> bool {
        let limit = F64x8::splat(simd, LIMITS.magnitude);
        let mut all = u32::MAX;
        for eight in 0..EIGHTS {
            let (x1, x2) = self.points(simd, eight);
            let (from, until) = (self.from(simd, eight), F64x8::from_array(simd, self.until[eight].0));
            let numbers = from.abs().le(limit) & until.abs().le(limit) & from.le(until);
            all &= (x1.is_within(limit) & x2.is_within(limit) & numbers).bits();
        }
        all == (1 << LANES) - 1
    }

    #[inline(always)]
    pub fn points<S: Simd>(&self, simd: S, eight: usize) -> (DVec3x8<S>, DVec3x8<S>) {
        (DVec3x8::from_lanes(simd, &self.x1[eight]), DVec3x8::from_lanes(simd, &self.x2[eight]))
    }

    #[inline(always)]
    pub fn from<S: Simd>(&self, simd: S, eight: usize) -> F64x8<S> {
        F64x8::from_array(simd, self.from[eight].0)
    }

    /// Where the nearest entry of any ray is that has the farthest.
    #[inline(always)]
    fn farthest<S: Simd>(&self, simd: S) -> f64 {
        let mut farthest = F64x8::from_array(simd, self.until[0].0);
        for until in &self.until[1..] {
            farthest = farthest.max(F64x8::from_array(simd, until.0));
        }
        farthest.greatest()
    }

    /// Rays as boxes see them, and where they end.
    #[inline(always)]
    fn lines<S: Simd>(&self, simd: S, tree: &BoxTree) -> [(Lines, F32x8<S>); EIGHTS] {
        let mut lines = [(Lines::NONE, F32x8::splat(simd, 0.0)); EIGHTS];
        for (eight, (lines, limits)) in lines.iter_mut().enumerate() {
            let until = F64x8::from_array(simd, self.until[eight].0);
            *lines = Lines::new(tree, self.points(simd, eight), (self.from(simd, eight), until));
            *limits = self.limits(simd, eight);
        }
        lines
    }

    /// Where eight rays end in f32, rounded up.
    #[inline(always)]
    pub fn limits<S: Simd>(&self, simd: S, eight: usize) -> F32x8<S> {
        let until = F64x8::from_array(simd, self.until[eight].0);
        F32x8::narrowed(until + (until.abs() * f64::from(f32::EPSILON) + 1e-40))
    }

    /// False when some rays go the other way along an axis: no bundle holds them. Tells of the outermost two alone.
    #[inline(always)]
    fn agrees(&self) -> bool {
        let direction = |number: usize| {
            let ray = self.ray(number);
            ray.x2 - ray.x1
        };
        (direction(0) * direction(EIGHTS * LANES - 1)).min_element() >= 0.0
    }

    /// Remembers where a member is entered and by which leaf, in the lanes in which it is, where that is nearest. True if it
    /// is anywhere.
    #[inline(always)]
    fn keep<S: Simd>(
        &mut self,
        eight: usize,
        number: u32,
        (lambda, leaf): (F64x8<S>, F64x8<S>),
        entered: Mask8<S>,
    ) -> bool {
        let load = |lanes: &Lanes| F64x8::from_array(lambda.simd(), lanes.0);
        let (until, member) = (load(&self.until[eight]), load(&self.member[eight]));
        let number = lambda.like(f64::from(number));
        let nearer = entered & (lambda.lt(until) | (lambda.eq(until) & number.lt(member)));
        let any = nearer.any();
        if any {
            self.until[eight] = nearer.select(lambda, until).to_lanes();
            self.member[eight] = nearer.select(number, member).to_lanes();
            self.leaf[eight] = nearer.select(leaf, load(&self.leaf[eight])).to_lanes();
        }
        any
    }
}

/// Rows of four numbers as columns.
#[inline(always)]
fn columns<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: [[f64; 4]; LANES]) -> [Lanes; 4] {
    let [[a, b, c, d], [e, f, g, h]] = [simd.transposed([a, b, c, d]), simd.transposed([e, f, g, h])];
    [[a, e], [b, f], [c, g], [d, h]].map(|halves| Lanes(bytemuck::cast(halves)))
}

/// How far a packet came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traced {
    /// What its rays meet is found.
    Done,
    /// They have no common way through the boxes; what has none is looked at.
    Apart,
    /// Some ray is invalid; nothing is looked at.
    Invalid,
}

impl SceneIndex {
    /// Finds what the rays of a packet meet first.
    #[inline(always)]
    pub(super) fn trace<S: Simd, const EIGHTS: usize>(
        &self,
        simd: S,
        packet: &mut Packet<EIGHTS>,
        deferred: &mut Deferred,
    ) -> Traced {
        if !packet.is_valid(simd) {
            return Traced::Invalid;
        }
        for &number in &self.top.unboxed {
            for eight in 0..EIGHTS {
                self.look_at(simd, packet, eight, number, deferred);
            }
        }
        let tree = &self.top.tree;
        if tree.is_empty() {
            return Traced::Done;
        }
        let mut bundle = None;
        if packet.agrees() {
            let Packet { x1, x2, from, until, .. } = &*packet;
            bundle = Bundle::new(simd, tree, (x1, x2), (from, until));
        }
        if let Some(bundle) = bundle {
            let until = packet.farthest(simd);
            let mut visitor = PacketVisitor { simd, index: self, packet, until, lines: None };
            tree.along(simd, &bundle, until, &mut visitor, deferred);
        } else if self.top.is_small() {
            for &number in &self.top.few {
                for eight in 0..EIGHTS {
                    self.look_at(simd, packet, eight, number, deferred);
                }
            }
        } else {
            return Traced::Apart;
        }
        Traced::Done
    }

    /// Has eight rays of a packet look at a member of the outermost union. True if any meets it nearer than what it met.
    #[inline(always)]
    fn look_at<S: Simd, const EIGHTS: usize>(
        &self,
        simd: S,
        packet: &mut Packet<EIGHTS>,
        eight: usize,
        number: u32,
        deferred: &mut Deferred,
    ) -> bool {
        let member = &self.top.members[number as usize];
        let unknown = F64x8::splat(simd, f64::INFINITY);
        let from = packet.from(simd, eight);
        let together = match member {
            Part::Cell(cell) => {
                let (x1, x2) = packet.points(simd, eight);
                let (crossing, deciding) = crossings_of_lines(self.half_spaces(*cell), &x1, &x2);
                // A ray that starts inside may start on a border.
                let entered = crossing.enter.gt(from);
                let leaf = entered.select(deciding + f64::from(cell.first_leaf), unknown);
                Some((crossing.enter, crossing.exit, leaf))
            }
            Part::Ball(ball) => {
                let crossings = ball.crossings(&packet.x1[eight], &packet.x2[eight]);
                let load = |lanes: Lanes| F64x8::from_array(simd, lanes.0);
                crossings.map(|(enter, exit)| (load(enter), load(exit), unknown))
            }
            _ => None,
        };
        if let Some((enter, exit, leaf)) = together {
            let lambda = enter.max(from);
            packet.keep(eight, number, (lambda, leaf), lambda.le(exit))
        } else {
            let mut lambda = Lanes::splat(f64::INFINITY);
            for lane in 0..LANES {
                let ray = packet.ray(LANES * eight + lane);
                let search = Search { ray: &ray, from: ray.lambda1, until: ray.lambda2 };
                if let Some(entry) = self.first_of_member(simd, member, search, deferred) {
                    lambda.0[lane] = entry.lambda;
                }
            }
            let lambda = F64x8::from_array(simd, lambda.0);
            packet.keep(eight, number, (lambda, unknown), lambda.lt(unknown))
        }
    }
}

/// Has the rays of a packet look at members of the outermost union.
struct PacketVisitor<'a, S: Simd, const EIGHTS: usize> {
    simd: S,
    index: &'a SceneIndex,
    packet: &'a mut Packet<EIGHTS>,
    /// Where the last of the rays ends, at what it met.
    until: f64,
    /// Each ray as boxes see it, and where it ends: made for the first look, since many packets pass by all boxes, and where
    /// there are boxes enough to be worth it.
    lines: Option<[(Lines, F32x8<S>); EIGHTS]>,
}

impl<S: Simd, const EIGHTS: usize> Visitor for PacketVisitor<'_, S, EIGHTS> {
    #[inline(always)]
    fn look(&mut self, number: u32, deferred: &mut Deferred) -> f64 {
        let Self { simd, index, packet, until, lines } = self;
        let tree = &index.top.tree;
        if lines.is_none() && !index.top.is_small() {
            *lines = Some(packet.lines(*simd, tree));
        }
        let mut nearer = false;
        for eight in 0..EIGHTS {
            // What is in the way of a bundle may lie between its rays.
            if let Some(lines) = lines
                && !lines[eight].0.may_meet(*simd, tree.box_of(number), lines[eight].1)
            {
                continue;
            }
            if index.look_at(*simd, packet, eight, number, deferred) {
                if let Some(lines) = lines {
                    lines[eight].1 = packet.limits(*simd, eight);
                }
                nearer = true;
            }
        }
        if nearer {
            *until = packet.farthest(*simd);
        }
        *until
    }
}
