//! Rays that have no common way through the boxes: those of one octant wait for each other, and go together.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use std::cell::Cell;

use bytemuck::Zeroable;

use super::eight::{Eight, Met, UNKNOWN_FACE};
use super::index::SceneIndex;
use super::search::Search;
use super::tree::{Deferred, Lines, Lists, STREAM, StreamLine, StreamVisitor};
use super::work::Work;
use crate::lanes::{LANES, Vectorized};
use crate::query::Ray;
use crate::simd::{Simd, at_full_width};

/// Directions by their signs along three axes.
const OCTANTS: usize = 8;

/// Rays that wait for each other. Kept by each thread from one work to the next: new memory takes as long as a tenth of
/// what is done with it.
pub(super) struct Streams {
    /// How many wait.
    count: usize,
    lines: Box<[StreamLine]>,
    /// Each up to what it is known to meet.
    rays: Box<[Ray]>,
    waiting: Box<[Waiting]>,
    /// Those of an octant, by their places.
    octants: [Vec<u16>; OCTANTS],
    lists: Lists,
}

thread_local! {
    static STREAMS: Cell<Option<Box<Streams>>> = const { Cell::new(None) };
}

/// What else there is to a ray of a stream. (Apart: only the rays are read for every look.)
#[derive(Clone, Copy, Default)]
struct Waiting {
    /// As in [`Met`].
    member: u32,
    face: u32,
    /// Its number in the work.
    number: usize,
}

impl Streams {
    /// Those of this thread.
    #[cold]
    pub fn of_thread() -> Box<Self> {
        STREAMS.take().unwrap_or_else(|| {
            Box::new(Self {
                count: 0,
                lines: vec![StreamLine::NONE; STREAM].into_boxed_slice(),
                rays: vec![Ray::zeroed(); STREAM].into_boxed_slice(),
                waiting: vec![Waiting::default(); STREAM].into_boxed_slice(),
                octants: std::array::from_fn(|_| Vec::with_capacity(STREAM)),
                lists: Lists::new(),
            })
        })
    }

    /// Gives them back to this thread, with no rays.
    pub fn keep(self: Box<Self>) {
        STREAMS.set(Some(self));
    }

    fn clear(&mut self) {
        self.count = 0;
        self.octants.iter_mut().for_each(Vec::clear);
    }
}

impl SceneIndex {
    /// Has eight rays wait for others that go their way.
    #[inline(always)]
    pub(super) fn sort<S: Simd>(
        &self,
        simd: S,
        eight: &Eight,
        (first, held): (usize, usize),
        work: &mut impl Work,
        streams: &mut Streams,
        deferred: &mut Deferred,
    ) {
        if streams.count > STREAM - LANES {
            self.flush(simd, streams, work, deferred);
        }
        let in_registers = eight.rays(simd);
        let lines = Lines::new(&self.top.tree, &in_registers);
        let enter = lines.enter(simd, &self.top.tree, in_registers.limits());
        let mut rays = [Ray::zeroed(); LANES];
        in_registers.to_rows(&mut rays);
        let all = (1 << LANES.min(held)) - 1;
        let mut others = all & !enter;
        while others != 0 {
            // All that has a box is out of its way.
            let lane = others.trailing_zeros() as usize % LANES;
            others &= others - 1;
            self.answer_met(simd, eight.met(lane), (&rays[lane], first + lane), work, deferred);
        }
        let mut entering = all & enter;
        while entering != 0 {
            let lane = entering.trailing_zeros() as usize % LANES;
            entering &= entering - 1;
            let number = first + lane;
            if let Some(line) = lines.get(lane) {
                let place = streams.count % STREAM;
                let Met { lambda, member, face } = eight.met(lane);
                streams.lines[place] = StreamLine { line, until: (lambda as f32).next_up() };
                streams.rays[place] = rays[lane];
                streams.waiting[place] = Waiting { member, face, number };
                streams.octants[lines.octant(lane) % OCTANTS].push(place as u16);
                streams.count += 1;
            } else {
                work.answer(number, self.answer_one(simd, &rays[lane], deferred));
            }
        }
    }

    /// Answers the rays that wait, after which there are none.
    pub(super) fn flush<S: Simd>(&self, simd: S, streams: &mut Streams, work: &mut impl Work, deferred: &mut Deferred) {
        at_full_width(simd, Flush { simd, index: self, streams, deferred });
        for (ray, &Waiting { member, face, number }) in streams.rays[..streams.count].iter().zip(&streams.waiting) {
            self.answer_met(simd, Met { lambda: ray.lambda2, member, face }, (ray, number), work, deferred);
        }
        streams.clear();
    }
}

/// Finds what the rays that wait meet: a function of its own, since it has other numbers in registers than packets have.
struct Flush<'a, S> {
    simd: S,
    index: &'a SceneIndex,
    streams: &'a mut Streams,
    deferred: &'a mut Deferred,
}

impl<S: Simd> Vectorized for Flush<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { simd, index, streams: Streams { lines, rays, waiting, octants, lists, .. }, deferred } = self;
        let mut visitor = Visitor { simd, index, rays, waiting, deferred };
        for octant in octants.iter().map(Vec::as_slice).enumerate() {
            index.top.tree.stream(simd, octant, lines, &mut visitor, lists);
        }
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
