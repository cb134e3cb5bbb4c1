//! Packets of coherent rays: one traversal of the tree for eight or sixteen of them.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use super::cell::crossings_of_lines;
use super::index::{Part, SceneIndex};
use super::search::{Entry, Search};
use super::tree::{Bundle, Deferred, Visitor, greatest};
use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::LIMITS;

/// Rays traced together, eight in each set of lanes.
struct Packet<'a, const EIGHTS: usize> {
    rays: &'a [[Ray; LANES]; EIGHTS],
    x1: [Lanes3; EIGHTS],
    x2: [Lanes3; EIGHTS],
    from: [Lanes; EIGHTS],
    /// The nearest entry found, or where the ray ends.
    until: [Lanes; EIGHTS],
    /// The number of the member that is entered there; infinite while there is none.
    member: [Lanes; EIGHTS],
    /// The leaf whose border is met there; infinite where that is still to be looked at.
    leaf: [Lanes; EIGHTS],
}

impl<'a, const EIGHTS: usize> Packet<'a, EIGHTS> {
    #[inline(always)]
    fn new(rays: &'a [[Ray; LANES]; EIGHTS]) -> Self {
        let mut packet = Self {
            rays,
            x1: [Lanes3::ZERO; EIGHTS],
            x2: [Lanes3::ZERO; EIGHTS],
            from: [Lanes::ZERO; EIGHTS],
            until: [Lanes::ZERO; EIGHTS],
            member: [Lanes::splat(f64::INFINITY); EIGHTS],
            leaf: [Lanes::splat(f64::INFINITY); EIGHTS],
        };
        for (eight, rays) in rays.iter().enumerate() {
            for (lane, ray) in rays.iter().enumerate() {
                packet.x1[eight].set(lane, ray.x1);
                packet.x2[eight].set(lane, ray.x2);
                packet.from[eight].0[lane] = ray.lambda1;
                packet.until[eight].0[lane] = ray.lambda2;
            }
        }
        packet
    }

    /// True when every ray is valid, as [`Ray::is_valid`] says.
    #[inline(always)]
    fn is_valid(&self) -> bool {
        let limit = Lanes::splat(LIMITS.magnitude);
        let mut all = Mask::ALL;
        for eight in 0..EIGHTS {
            let (x1, x2) = (self.x1[eight].abs(), self.x2[eight].abs());
            let (from, until) = (self.from[eight], self.until[eight]);
            all = all & x1.x.le(limit) & x1.y.le(limit) & x1.z.le(limit);
            all = all & x2.x.le(limit) & x2.y.le(limit) & x2.z.le(limit);
            all = all & from.abs().le(limit) & until.abs().le(limit) & from.le(until);
        }
        all.all()
    }

    /// What is left to search for one ray.
    #[inline(always)]
    fn search(&self, eight: usize, lane: usize) -> Search<'_> {
        Search { ray: &self.rays[eight][lane], from: self.from[eight].0[lane], until: self.until[eight].0[lane] }
    }

    /// Remembers where a member is entered and by which leaf, in the lanes in which it is, where that is nearest.
    #[inline(always)]
    fn keep(&mut self, eight: usize, number: u32, (lambda, leaf): (Lanes, Lanes), entered: Mask) {
        let (until, member) = (self.until[eight], self.member[eight]);
        let number = Lanes::splat(f64::from(number));
        let nearer = entered & (lambda.lt(until) | (lambda.eq(until) & number.lt(member)));
        self.until[eight] = nearer.select(lambda, until);
        self.member[eight] = nearer.select(number, member);
        self.leaf[eight] = nearer.select(leaf, self.leaf[eight]);
    }
}

impl SceneIndex {
    /// Entry points of rays; `answers` has a slot for each. False, with nothing written, if they are too incoherent for
    /// a common traversal, or not all valid.
    #[inline(always)]
    pub(super) fn answer_packet<const EIGHTS: usize>(
        &self,
        rays: &[[Ray; LANES]; EIGHTS],
        answers: &mut [EntryPoint],
        deferred: &mut Deferred,
    ) -> bool {
        let (tree, small) = (&self.top.tree, self.top.is_small());
        let agree = agree(&rays[0][0], &rays[EIGHTS - 1][LANES - 1]);
        if !agree && !small {
            return false;
        }
        let mut visitor = PacketVisitor { index: self, packet: Packet::new(rays) };
        if !visitor.packet.is_valid() {
            return false;
        }
        let mut bundle = None;
        if agree && !tree.is_empty() {
            let Packet { x1, x2, from, until, .. } = &visitor.packet;
            bundle = Bundle::new(tree, (x1, x2), (from, until));
        }
        if bundle.is_none() && !small {
            return false;
        }
        for &number in &self.top.unboxed {
            visitor.look(number, deferred);
        }
        if let Some(bundle) = bundle {
            let until = greatest(&visitor.packet.until);
            tree.along(&bundle, until, &mut visitor, deferred);
        } else {
            for &number in &self.top.few {
                visitor.look(number, deferred);
            }
        }
        // What is left of borders and leaves is looked at once, when it is known whose they are.
        let packet = &visitor.packet;
        for (number, (ray, answer)) in rays.as_flattened().iter().zip(answers).enumerate() {
            let (eight, lane) = (number / LANES, number % LANES);
            let (member, leaf) = (packet.member[eight].0[lane], packet.leaf[eight].0[lane]);
            *answer = if leaf.is_finite() {
                let lambda = packet.until[eight].0[lane];
                self.entry_point(ray, Some(Entry { lambda, holds_until: lambda, leaf: leaf as u32, border: true }))
            } else if member.is_finite() {
                let search = packet.search(eight, lane);
                let entry = self.first_of_member(&self.top.members[member as usize], search, deferred);
                self.entry_point(ray, entry)
            } else {
                EntryPoint::none(RayStatus::Miss)
            };
        }
        true
    }
}

/// False if two rays have opposite directions along an axis: no packet holds both.
#[inline(always)]
fn agree(a: &Ray, b: &Ray) -> bool {
    ((a.x2 - a.x1) * (b.x2 - b.x1)).min_element() >= 0.0
}

/// Has all rays of a packet look at members of the outermost union.
struct PacketVisitor<'a, const EIGHTS: usize> {
    index: &'a SceneIndex,
    packet: Packet<'a, EIGHTS>,
}

impl<const EIGHTS: usize> Visitor for PacketVisitor<'_, EIGHTS> {
    #[inline(always)]
    fn look(&mut self, number: u32, deferred: &mut Deferred) -> f64 {
        let Self { index, packet } = self;
        let member = &index.top.members[number as usize];
        for eight in 0..EIGHTS {
            let from = packet.from[eight];
            let (x1, x2) = (&packet.x1[eight], &packet.x2[eight]);
            let unknown = Lanes::splat(f64::INFINITY);
            let together = match member {
                Part::Cell(cell) => {
                    let (crossing, deciding) = crossings_of_lines(index.half_spaces(*cell), x1, x2);
                    // A ray that starts inside may start on a border.
                    let entered = crossing.enter.gt(from);
                    let leaf = entered.select(deciding + f64::from(cell.first_leaf), unknown);
                    Some((crossing.enter, crossing.exit, leaf))
                }
                Part::Ball(ball) => ball.crossings(x1, x2).map(|(enter, exit)| (enter, exit, unknown)),
                _ => None,
            };
            if let Some((enter, exit, leaf)) = together {
                let lambda = enter.max(from);
                packet.keep(eight, number, (lambda, leaf), lambda.le(exit));
            } else {
                let mut lambda = Lanes::splat(f64::INFINITY);
                for lane in 0..LANES {
                    if let Some(entry) = index.first_of_member(member, packet.search(eight, lane), deferred) {
                        lambda.0[lane] = entry.lambda;
                    }
                }
                packet.keep(eight, number, (lambda, unknown), lambda.lt(unknown));
            }
        }
        greatest(&packet.until)
    }
}
