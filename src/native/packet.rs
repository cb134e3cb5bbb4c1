//! Where sixteen rays that stay near each other first meet a scene: one way through the boxes for all of them.
//!
//! # Conventions
//! As in [`super::search`], whose answers these are, bit by bit.

use glam::DVec3;

use super::cell::crossings_of_lines;
use super::index::{Part, SceneIndex};
use super::search::{Entry, Search};
use super::tree::Bundle;
use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::query::Ray;

/// Eights of rays in a packet.
const EIGHTS: usize = 2;
/// Rays of a packet.
pub(super) const RAYS: usize = EIGHTS * LANES;

/// Rays that search together, eight in each set of lanes.
struct Packet<'a> {
    rays: &'a [Ray; RAYS],
    x1: [Lanes3; EIGHTS],
    x2: [Lanes3; EIGHTS],
    from: [Lanes; EIGHTS],
    /// The nearest entry found, or where the ray ends.
    until: [Lanes; EIGHTS],
    /// The number of the member that is entered there; infinite while there is none.
    member: [Lanes; EIGHTS],
}

impl<'a> Packet<'a> {
    #[inline(always)]
    fn new(rays: &'a [Ray; RAYS]) -> Self {
        let each = |number: fn(&Ray) -> f64| {
            std::array::from_fn(|eight| Lanes::from_fn(|lane| number(&rays[eight * LANES + lane])))
        };
        let each3 = |vector: fn(&Ray) -> DVec3| -> [Lanes3; EIGHTS] {
            std::array::from_fn(|eight| Lanes3::from_fn(|lane| vector(&rays[eight * LANES + lane])))
        };
        Self {
            rays,
            x1: each3(|ray| ray.x1),
            x2: each3(|ray| ray.x2),
            from: each(|ray| ray.lambda1),
            until: each(|ray| ray.lambda2),
            member: [Lanes::splat(f64::INFINITY); EIGHTS],
        }
    }

    /// Beyond this nothing is of interest to any ray.
    #[inline(always)]
    fn farthest(&self) -> f64 {
        let [first, second] = self.until;
        first.gt(second).select(first, second).greatest()
    }

    /// Remembers where a member is entered, in the lanes in which it is, where that is nearest.
    #[inline(always)]
    fn keep(&mut self, eight: usize, number: u32, lambda: Lanes, entered: Mask) {
        let (until, member) = (self.until[eight], self.member[eight]);
        let number = Lanes::splat(f64::from(number));
        let nearer = entered & (lambda.lt(until) | (lambda.eq(until) & number.lt(member)));
        self.until[eight] = nearer.select(lambda, until);
        self.member[eight] = nearer.select(number, member);
    }
}

impl SceneIndex {
    /// The first points of sixteen valid rays; `None` when they are too far apart for a common way.
    #[inline(always)]
    pub(super) fn first_of_packet(&self, rays: &[Ray; RAYS]) -> Option<[Option<Entry>; RAYS]> {
        let mut packet = Packet::new(rays);
        let tree = &self.top.tree;
        let bundle = if tree.is_empty() {
            None
        } else {
            let Packet { x1, x2, from, until, .. } = &packet;
            Some(Bundle::new(tree, x1, x2, from, until)?)
        };
        for &number in &self.top.unboxed {
            self.look(&mut packet, number);
        }
        if let Some(bundle) = bundle {
            let until = packet.farthest();
            tree.along(&bundle, until, |number| {
                self.look(&mut packet, number);
                packet.farthest()
            });
        }
        Some(std::array::from_fn(|ray| {
            let (eight, lane) = (ray / LANES, ray % LANES);
            let member = packet.member[eight].0[lane];
            let search = packet.search(ray);
            member.is_finite().then(|| self.first_of_member(&self.top.members[member as usize], search)).flatten()
        }))
    }

    /// Has all rays look at a member of the outermost union.
    #[inline(always)]
    fn look(&self, packet: &mut Packet<'_>, number: u32) {
        let member = &self.top.members[number as usize];
        for eight in 0..EIGHTS {
            let from = packet.from[eight];
            if let Part::Cell(cell) = member {
                let crossing = crossings_of_lines(self.half_spaces(*cell), &packet.x1[eight], &packet.x2[eight]);
                let lambda = crossing.enter.gt(from).select(crossing.enter, from);
                packet.keep(eight, number, lambda, lambda.le(crossing.exit));
            } else {
                let lambda = Lanes::from_fn(|lane| {
                    let entry = self.first_of_member(member, packet.search(eight * LANES + lane));
                    entry.map_or(f64::INFINITY, |entry| entry.lambda)
                });
                packet.keep(eight, number, lambda, lambda.lt(Lanes::splat(f64::INFINITY)));
            }
        }
    }
}

impl Packet<'_> {
    /// What is left to search for one ray.
    #[inline(always)]
    fn search(&self, ray: usize) -> Search<'_> {
        let (eight, lane) = (ray / LANES, ray % LANES);
        Search { ray: &self.rays[ray], from: self.from[eight].0[lane], until: self.until[eight].0[lane] }
    }
}
