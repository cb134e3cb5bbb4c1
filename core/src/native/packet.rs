//! Packets of rays: solids without boxes are looked at by all of them together, and coherent ones have one traversal of
//! the tree.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use super::eight::{Eight, Rayx8};
use super::index::SceneIndex;
use super::search::{Entries, Searches};
use super::tree::{Bundle, Deferred, Lines, Visitor};
use crate::lanes::LANES;
use crate::simd::{F32x8, F64x8, Simd};

/// Rays traced together.
pub(super) type Packet<const EIGHTS: usize> = [Eight; EIGHTS];

/// False when some rays go the other way along an axis: no bundle holds them. Tells of the outermost two alone.
#[inline(always)]
fn agree<const EIGHTS: usize>(packet: &Packet<EIGHTS>) -> bool {
    let (first, last) = (packet[0].ray(0), packet[EIGHTS - 1].ray(LANES - 1));
    ((first.x2 - first.x1) * (last.x2 - last.x1)).min_element() >= 0.0
}

/// Where the nearest entry of any ray is that has the farthest.
#[inline(always)]
fn farthest<S: Simd, const EIGHTS: usize>(simd: S, packet: &Packet<EIGHTS>) -> f64 {
    let mut farthest = F64x8::from_array(simd, packet[0].until.0);
    for eight in &packet[1..] {
        farthest = farthest.max(F64x8::from_array(simd, eight.until.0));
    }
    farthest.greatest()
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
        let mut coordinates = F64x8::zero(simd);
        let mut valid = u32::MAX;
        for eight in &*packet {
            let rays = eight.rays(simd);
            valid &= rays.are_valid().bits();
            coordinates = coordinates.max(rays.coordinates());
        }
        if valid != (1 << LANES) - 1 {
            return Traced::Invalid;
        }
        let tree = &self.top.tree;
        // Before anything is looked at: the processor does both at once.
        let mut bundle = None;
        if !tree.is_empty() && agree(packet) {
            bundle = Bundle::new(tree, packet, coordinates);
        }
        for &number in &self.top.unboxed {
            for eight in &mut *packet {
                self.look_at(simd, eight, number, deferred);
            }
        }
        if tree.is_empty() {
            return Traced::Done;
        }
        if let Some(bundle) = bundle {
            let until = farthest(simd, packet);
            let mut visitor = PacketVisitor { simd, index: self, packet, until, lines: None };
            tree.along(simd, &bundle, until, &mut visitor, deferred);
        } else if self.top.is_small() {
            for &number in &self.top.few {
                for eight in &mut *packet {
                    self.look_at(simd, eight, number, deferred);
                }
            }
        } else {
            return Traced::Apart;
        }
        Traced::Done
    }

    /// Has eight rays look at a member of the outermost union. True if any meets it nearer than what it met.
    #[inline(always)]
    fn look_at<S: Simd>(&self, simd: S, eight: &mut Eight, number: u32, deferred: &mut Deferred) -> bool {
        let Rayx8 { from, until, .. } = eight.rays(simd);
        let search = Searches { eight, from, until };
        let Entries { lambda, face, .. } =
            self.first_of_eight(simd, &self.top.members[number as usize], search, deferred);
        let unknown = from.like(f64::INFINITY);
        // What shows where a ray starts inside is looked at by itself.
        let face = lambda.gt(from).select(face, unknown);
        eight.keep(number, (lambda, face), lambda.lt(unknown))
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
            let lines = lines.insert([(Lines::NONE, F32x8::splat(*simd, 0.0)); EIGHTS]);
            for ((lines, limits), eight) in lines.iter_mut().zip(&**packet) {
                let rays = eight.rays(*simd);
                (*lines, *limits) = (Lines::new(tree, &rays), rays.limits());
            }
        }
        let mut nearer = false;
        for (number_of_eight, eight) in packet.iter_mut().enumerate() {
            let lines = lines.as_mut().map(|lines| &mut lines[number_of_eight]);
            // What is in the way of a bundle may lie between its rays.
            if let Some((lines, limits)) = &lines
                && !lines.may_meet(*simd, tree.box_of(number), *limits)
            {
                continue;
            }
            if index.look_at(*simd, eight, number, deferred) {
                if let Some((_, limits)) = lines {
                    *limits = eight.rays(*simd).limits();
                }
                nearer = true;
            }
        }
        if nearer {
            *until = farthest(*simd, packet);
        }
        *until
    }
}
