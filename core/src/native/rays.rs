//! Any number of rays: packets where neighbours are coherent, streams of one octant where they are not.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use super::index::{Face, SceneIndex};
use super::packet::{Met, NO_MEMBER, Packet, Traced};
use super::search::{Entry, NO_LEAF, Search};
use super::tree::{Deferred, Lines, Lists, STREAM, StreamLine, StreamVisitor};
use crate::lanes::LANES;
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::simd::{F64x8, Simd};

/// Groups of eight rays traced together.
pub(super) const EIGHTS: usize = 2;
/// Rays traced together.
const PACKET: usize = EIGHTS * LANES;
/// Directions by their signs along three axes.
const OCTANTS: usize = 8;

/// Where rays come from and answers go to.
pub(super) trait Work {
    /// How many there are.
    fn count(&self) -> usize;
    /// Those from `first` on, in as many lanes as there are; the last ray goes along in the others.
    fn packet<S: Simd>(&self, simd: S, first: usize) -> Packet<EIGHTS>;
    /// Takes the answer to a ray.
    fn answer(&mut self, number: usize, answer: EntryPoint);
}

/// Rays of one octant that wait for each other.
struct Stream {
    lines: Vec<StreamLine>,
    rays: Vec<Waiting>,
}

/// A ray of a stream.
#[derive(Clone, Copy)]
struct Waiting {
    ray: Ray,
    met: Met,
    /// Its number in the work.
    number: usize,
}

/// What work needs besides: made when it is needed, and once.
struct Streams {
    octants: [Stream; OCTANTS],
    lists: Lists,
}

impl Streams {
    fn new() -> Self {
        let stream = |_| Stream { lines: Vec::with_capacity(STREAM), rays: Vec::with_capacity(STREAM) };
        Self { octants: std::array::from_fn(stream), lists: Lists::new() }
    }
}

impl SceneIndex {
    /// Answers all rays of some work.
    #[inline(always)]
    pub(super) fn answer<S: Simd>(&self, simd: S, work: &mut impl Work) {
        let deferred = &mut Deferred::new();
        let mut streams: Option<Streams> = None;
        let count = work.count();
        for first in (0..count).step_by(PACKET) {
            let mut packet = work.packet(simd, first);
            let held = PACKET.min(count - first);
            match self.trace(simd, &mut packet, deferred) {
                Traced::Done => {
                    for number in 0..held {
                        let put = |answer| work.answer(first + number, answer);
                        self.answer_known(packet.met(number), || packet.ray(number), deferred, put);
                    }
                }
                Traced::Apart => {
                    let streams = streams.get_or_insert_with(Streams::new);
                    self.sort(simd, &packet, (first, held), work, streams, deferred);
                }
                Traced::Invalid => {
                    for number in 0..held {
                        let answer = self.answer_one(simd, &packet.ray(number), deferred);
                        work.answer(first + number, answer);
                    }
                }
            }
        }
        if let Some(Streams { octants, lists }) = &mut streams {
            for (octant, stream) in octants.iter_mut().enumerate() {
                self.flush(simd, octant, stream, work, (lists, deferred));
            }
        }
    }

    /// Has the rays of a packet wait for others that go their way.
    #[inline(always)]
    fn sort<S: Simd>(
        &self,
        simd: S,
        packet: &Packet<EIGHTS>,
        (first, held): (usize, usize),
        work: &mut impl Work,
        Streams { octants, lists }: &mut Streams,
        deferred: &mut Deferred,
    ) {
        for eight in 0..EIGHTS {
            let until = F64x8::from_array(simd, packet.until[eight].0);
            let lines = Lines::new(&self.top.tree, packet.points(simd, eight), (packet.from(simd, eight), until));
            let enter = lines.enter(simd, &self.top.tree, packet.limits(simd, eight));
            for lane in 0..LANES.min(held.saturating_sub(LANES * eight)) {
                let number = LANES * eight + lane;
                if enter >> lane & 1 == 0 {
                    // All that has a box is out of its way.
                    let put = |answer| work.answer(first + number, answer);
                    self.answer_known(packet.met(number), || packet.ray(number), deferred, put);
                    continue;
                }
                let ray = packet.ray(number);
                if let Some(line) = lines.get(lane) {
                    let stream = &mut octants[lines.octant(lane) % OCTANTS];
                    stream.lines.push(StreamLine { line, until: (ray.lambda2 as f32).next_up() });
                    stream.rays.push(Waiting { ray, met: packet.met(number), number: first + number });
                } else {
                    work.answer(first + number, self.answer_one(simd, &ray, deferred));
                }
            }
        }
        for (octant, stream) in octants.iter_mut().enumerate() {
            if stream.rays.len() > STREAM - PACKET {
                self.flush(simd, octant, stream, work, (lists, deferred));
            }
        }
    }

    /// Answers the rays of a stream, after which there are none.
    #[inline(always)]
    fn flush<S: Simd>(
        &self,
        simd: S,
        octant: usize,
        stream: &mut Stream,
        work: &mut impl Work,
        (lists, deferred): (&mut Lists, &mut Deferred),
    ) {
        let Stream { lines, rays } = stream;
        let mut visitor = Visitor { simd, index: self, rays, deferred };
        self.top.tree.stream(simd, octant, lines, &mut visitor, lists);
        for &Waiting { ray, met, number } in rays.iter() {
            self.answer_known(met, || ray, deferred, |answer| work.answer(number, answer));
        }
        lines.clear();
        rays.clear();
    }

    /// Makes the answer to a ray of what is known of it. What is left of borders and leaves is looked at now that it is
    /// known whose they are.
    #[inline(always)]
    pub(super) fn answer_known(
        &self,
        met: Met,
        ray: impl Fn() -> Ray,
        deferred: &mut Deferred,
        mut answer: impl FnMut(EntryPoint),
    ) {
        let Met { lambda, member, leaf } = met;
        // Answers are made where they go: copies of what was just written are slow.
        if leaf != NO_LEAF {
            if let Some(Face { normal, material }) = self.faces[leaf as usize] {
                answer(EntryPoint { status: RayStatus::Hit, lambda, normal, leaf: Some(leaf), material });
            } else {
                answer(self.entry_point(&ray(), Some(Entry { lambda, holds_until: lambda, leaf, border: true })));
            }
        } else if member == NO_MEMBER {
            answer(EntryPoint::none(RayStatus::Miss));
        } else {
            let ray = ray();
            let search = Search { ray: &ray, from: ray.lambda1, until: lambda };
            answer(self.entry_point(&ray, self.first_of_part(&self.top.members[member as usize], search, deferred)));
        }
    }
}

/// Has rays of a stream look at members of the outermost union.
struct Visitor<'a, S> {
    simd: S,
    index: &'a SceneIndex,
    rays: &'a mut [Waiting],
    deferred: &'a mut Deferred,
}

impl<S: Simd> StreamVisitor for Visitor<'_, S> {
    #[inline(always)]
    fn look(&mut self, item: u32, ray: u16) -> f64 {
        let Waiting { ray, met, .. } = &mut self.rays[ray as usize];
        let search = Search { ray, from: ray.lambda1, until: met.lambda };
        let member = &self.index.top.members[item as usize];
        if let Some(entry) = self.index.first_of_member(self.simd, member, search, self.deferred)
            && (entry.lambda < met.lambda || item < met.member)
        {
            *met = Met { lambda: entry.lambda, member: item, leaf: if entry.border { entry.leaf } else { NO_LEAF } };
        }
        met.lambda
    }
}
