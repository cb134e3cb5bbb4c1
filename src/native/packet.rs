//! Where rays that stay near each other first meet a scene: one way through the boxes for eight or sixteen of them.
//!
//! # Conventions
//! As in [`super::search`], whose answers these are, bit by bit.

use super::cell::crossings_of_lines;
use super::index::{Part, SceneIndex};
use super::search::{Entry, Search};
use super::tree::{Bundle, greatest};
use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::query::Ray;

/// Rays that search together, eight in each set of lanes.
struct Packet<'a, const EIGHTS: usize> {
    rays: &'a [[Ray; LANES]; EIGHTS],
    x1: [Lanes3; EIGHTS],
    x2: [Lanes3; EIGHTS],
    from: [Lanes; EIGHTS],
    /// The nearest entry found, or where the ray ends.
    until: [Lanes; EIGHTS],
    /// The number of the member that is entered there; infinite while there is none.
    member: [Lanes; EIGHTS],
}

impl<'a, const EIGHTS: usize> Packet<'a, EIGHTS> {
    #[inline(always)]
    fn new(rays: &'a [[Ray; LANES]; EIGHTS]) -> Self {
        Self {
            rays,
            x1: std::array::from_fn(|eight| Lanes3::from_fn(|lane| rays[eight][lane].x1)),
            x2: std::array::from_fn(|eight| Lanes3::from_fn(|lane| rays[eight][lane].x2)),
            from: std::array::from_fn(|eight| Lanes::from_fn(|lane| rays[eight][lane].lambda1)),
            until: std::array::from_fn(|eight| Lanes::from_fn(|lane| rays[eight][lane].lambda2)),
            member: [Lanes::splat(f64::INFINITY); EIGHTS],
        }
    }

    /// What is left to search for one ray.
    #[inline(always)]
    fn search(&self, eight: usize, lane: usize) -> Search<'_> {
        Search { ray: &self.rays[eight][lane], from: self.from[eight].0[lane], until: self.until[eight].0[lane] }
    }

    /// Beyond this nothing is of interest to any ray.
    #[inline(always)]
    fn farthest(&self) -> f64 {
        greatest(&self.until)
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
    /// The first points of valid rays; `None` when they are too far apart for a common way.
    #[inline(always)]
    pub(super) fn first_of_packet<const EIGHTS: usize>(
        &self,
        rays: &[[Ray; LANES]; EIGHTS],
    ) -> Option<[[Option<Entry>; LANES]; EIGHTS]> {
        let mut packet = Packet::new(rays);
        let tree = &self.top.tree;
        let bundle = if tree.is_empty() {
            None
        } else {
            let Packet { x1, x2, from, until, .. } = &packet;
            Some(Bundle::new(tree, (x1, x2), (from, until))?)
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
        // Borders and leaves are looked at once, when it is known whose they are.
        let entry = |eight: usize, lane: usize| {
            let member = packet.member[eight].0[lane];
            if member.is_infinite() {
                return None;
            }
            self.first_of_member(&self.top.members[member as usize], packet.search(eight, lane))
        };
        Some(std::array::from_fn(|eight| std::array::from_fn(|lane| entry(eight, lane))))
    }

    /// Has all rays look at a member of the outermost union.
    #[inline(always)]
    fn look<const EIGHTS: usize>(&self, packet: &mut Packet<'_, EIGHTS>, number: u32) {
        let member = &self.top.members[number as usize];
        for eight in 0..EIGHTS {
            let from = packet.from[eight];
            if let Part::Cell(cell) = member {
                let crossing = crossings_of_lines(self.half_spaces(*cell), &packet.x1[eight], &packet.x2[eight]);
                let lambda = crossing.enter.gt(from).select(crossing.enter, from);
                packet.keep(eight, number, lambda, lambda.le(crossing.exit));
            } else {
                let lambda = Lanes::from_fn(|lane| {
                    let entry = self.first_of_member(member, packet.search(eight, lane));
                    entry.map_or(f64::INFINITY, |entry| entry.lambda)
                });
                packet.keep(eight, number, lambda, lambda.lt(Lanes::splat(f64::INFINITY)));
            }
        }
    }
}
