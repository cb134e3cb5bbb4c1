//! Any number of rays: packets where neighbours are coherent, streams of one octant where they are not.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use super::eight::{Eight, Met, Rayx8, UNKNOWN_FACE};
use super::index::SceneIndex;
use super::packet::Traced;
use super::search::{Entry, Search};
use super::tree::{Deferred, Lines, Lists, STREAM, StreamLine, StreamVisitor};
use crate::lanes::{LANES, Lanes, Vectorized};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::simd::{Simd, at_full_width};

/// Rays traced together.
const PACKET: usize = 2 * LANES;
/// Directions by their signs along three axes.
const OCTANTS: usize = 8;

/// Where rays come from and answers go to.
pub(super) trait Work {
    /// How many there are.
    fn count(&self) -> usize;
    /// Eight from `first` on; where there are fewer, the last goes along in the other lanes.
    fn eight<S: Simd>(&self, simd: S, first: usize) -> Rayx8<S>;
    /// Takes the answer to a ray.
    fn answer(&mut self, number: usize, answer: EntryPoint);
    /// Takes the answer to a ray: that of a face, but for lambda.
    fn answer_like(&mut self, number: usize, face: &EntryPoint, lambda: f64);
    /// Takes the answers to eight rays from `first` on: those of a face, but for lambda.
    fn answer_alike(&mut self, first: usize, face: &EntryPoint, lambda: &Lanes);
}

/// Rays of one octant that wait for each other.
struct Stream {
    lines: Vec<StreamLine>,
    /// Each up to what it is known to meet.
    rays: Vec<Ray>,
    waiting: Vec<Waiting>,
}

/// What else there is to a ray of a stream. (Apart: only the rays are read for every look.)
#[derive(Clone, Copy)]
struct Waiting {
    /// As in [`Met`].
    member: u32,
    face: u32,
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
        let stream = |_| Stream {
            lines: Vec::with_capacity(STREAM),
            rays: Vec::with_capacity(STREAM),
            waiting: Vec::with_capacity(STREAM),
        };
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
        let mut packet = [Eight::NONE; PACKET / LANES];
        for first in (0..count).step_by(PACKET) {
            for (eight, start) in packet.iter_mut().zip((first..).step_by(LANES)) {
                eight.set(&work.eight(simd, start));
            }
            let held = PACKET.min(count - first);
            match self.trace(simd, &mut packet, deferred) {
                Traced::Done => {
                    for (eight, start) in packet.iter().zip((0..held).step_by(LANES)) {
                        self.answer_eight(simd, eight, (first + start, held - start), work, deferred);
                    }
                }
                Traced::Apart => {
                    let streams = streams.get_or_insert_with(Streams::new);
                    for (eight, start) in packet.iter().zip((0..held).step_by(LANES)) {
                        self.sort(simd, eight, (first + start, held - start), work, streams, deferred);
                    }
                }
                Traced::Invalid => {
                    for number in 0..held {
                        let answer = self.answer_one(simd, &packet[number / LANES].ray(number % LANES), deferred);
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

    /// Answers eight rays that are traced, or so many of them as are `held`: mostly they meet the same.
    #[inline(always)]
    fn answer_eight<S: Simd>(
        &self,
        simd: S,
        eight: &Eight,
        (first, held): (usize, usize),
        work: &mut impl Work,
        deferred: &mut Deferred,
    ) {
        if held >= LANES
            && eight.meets_alike(simd)
            && let Some(face) = self.face(eight.met(0))
        {
            let lambda = if face.status == RayStatus::Hit { &eight.until } else { &Lanes::ZERO };
            work.answer_alike(first, face, lambda);
            return;
        }
        for lane in 0..LANES.min(held) {
            self.answer_met(eight.met(lane), || eight.ray(lane), first + lane, work, deferred);
        }
    }

    /// Has eight rays wait for others that go their way.
    #[inline(always)]
    fn sort<S: Simd>(
        &self,
        simd: S,
        eight: &Eight,
        (first, held): (usize, usize),
        work: &mut impl Work,
        Streams { octants, lists }: &mut Streams,
        deferred: &mut Deferred,
    ) {
        let rays = eight.rays(simd);
        let lines = Lines::new(&self.top.tree, &rays);
        let enter = lines.enter(simd, &self.top.tree, rays.limits());
        for lane in 0..LANES.min(held) {
            let number = first + lane;
            if enter >> lane & 1 == 0 {
                // All that has a box is out of its way.
                self.answer_met(eight.met(lane), || eight.ray(lane), number, work, deferred);
                continue;
            }
            let ray = eight.ray(lane);
            if let Some(line) = lines.get(lane) {
                let stream = &mut octants[lines.octant(lane) % OCTANTS];
                stream.lines.push(StreamLine { line, until: (ray.lambda2 as f32).next_up() });
                stream.rays.push(ray);
                let Met { member, face, .. } = eight.met(lane);
                stream.waiting.push(Waiting { member, face, number });
            } else {
                work.answer(number, self.answer_one(simd, &ray, deferred));
            }
        }
        for (octant, stream) in octants.iter_mut().enumerate() {
            if stream.rays.len() > STREAM - LANES {
                self.flush(simd, octant, stream, work, (lists, deferred));
            }
        }
    }

    /// Answers the rays of a stream, after which there are none.
    fn flush<S: Simd>(
        &self,
        simd: S,
        octant: usize,
        stream: &mut Stream,
        work: &mut impl Work,
        (lists, deferred): (&mut Lists, &mut Deferred),
    ) {
        at_full_width(simd, Flush { simd, index: self, octant, stream, lists, deferred });
        let Stream { lines, rays, waiting } = stream;
        for (&ray, &Waiting { member, face, number }) in rays.iter().zip(&*waiting) {
            self.answer_met(Met { lambda: ray.lambda2, member, face }, || ray, number, work, deferred);
        }
        lines.clear();
        rays.clear();
        waiting.clear();
    }

    /// What is known before any ray of what is met.
    #[inline(always)]
    fn face(&self, met: Met) -> Option<&EntryPoint> {
        self.faces.get(met.face as usize)?.as_ref()
    }

    /// Answers a ray that meets this. What is left of borders and leaves is looked at now that it is known whose they are.
    #[inline(always)]
    pub(super) fn answer_met(
        &self,
        met: Met,
        ray: impl Fn() -> Ray,
        number: usize,
        work: &mut impl Work,
        deferred: &mut Deferred,
    ) {
        let Met { lambda, member, face } = met;
        if let Some(face) = self.face(met) {
            work.answer_like(number, face, if face.status == RayStatus::Hit { lambda } else { 0.0 });
        } else if face != UNKNOWN_FACE {
            let entry = Entry { lambda, holds_until: lambda, leaf: face - 1, border: true };
            work.answer(number, self.entry_point(&ray(), Some(entry)));
        } else {
            let ray = ray();
            let search = Search { ray: &ray, from: ray.lambda1, until: lambda };
            let entry = self.first_of_part(&self.top.members[member as usize], search, deferred);
            work.answer(number, self.entry_point(&ray, entry));
        }
    }
}

/// Finds what the rays of a stream meet: a function of its own, since it has other numbers in registers than packets have.
struct Flush<'a, S> {
    simd: S,
    index: &'a SceneIndex,
    octant: usize,
    stream: &'a mut Stream,
    lists: &'a mut Lists,
    deferred: &'a mut Deferred,
}

impl<S: Simd> Vectorized for Flush<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { simd, index, octant, stream: Stream { lines, rays, waiting }, lists, deferred } = self;
        let mut visitor = Visitor { simd, index, rays, waiting, deferred };
        index.top.tree.stream(simd, octant, lines, &mut visitor, lists);
    }
}

/// Has rays of a stream look at members of the outermost union.
struct Visitor<'a, S> {
    simd: S,
    index: &'a SceneIndex,
    rays: &'a mut [Ray],
    waiting: &'a mut [Waiting],
    deferred: &'a mut Deferred,
}

impl<S: Simd> StreamVisitor for Visitor<'_, S> {
    #[inline(always)]
    fn look(&mut self, item: u32, ray: u16) -> Option<f64> {
        let (ray, waiting) = (&mut self.rays[ray as usize], &mut self.waiting[ray as usize]);
        let search = Search { ray, from: ray.lambda1, until: ray.lambda2 };
        let member = &self.index.top.members[item as usize];
        let entry = self.index.first_of_member(self.simd, member, search, self.deferred)?;
        if entry.lambda == ray.lambda2 && item >= waiting.member {
            return None;
        }
        ray.lambda2 = entry.lambda;
        waiting.member = item;
        waiting.face = if entry.border { entry.leaf + 1 } else { UNKNOWN_FACE };
        Some(entry.lambda)
    }
}
