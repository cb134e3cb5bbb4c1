//! Any number of rays: packets where neighbours are coherent, streams of one octant where they are not.
//!
//! # Conventions
//! As in [`super::search`], with bitwise equal answers.

use bytemuck::Zeroable;

use super::eight::{Eight, Met, UNKNOWN_FACE};
use super::index::SceneIndex;
use super::packet::Traced;
use super::search::{Entry, Search};
use super::streams::Streams;
use super::tree::Deferred;
use super::work::Work;
use crate::lanes::{LANES, Lanes};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::simd::Simd;

/// Rays traced together.
const PACKET: usize = 2 * LANES;

impl SceneIndex {
    /// Answers all rays of some work.
    #[inline(always)]
    pub(super) fn answer<S: Simd>(&self, simd: S, work: &mut impl Work) {
        let deferred = &mut Deferred::new();
        let mut streams: Option<Box<Streams>> = None;
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
                    let streams = streams.get_or_insert_with(Streams::of_thread);
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
        if let Some(mut streams) = streams {
            self.flush(simd, &mut streams, work, deferred);
            streams.keep();
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
        let mut rays = [Ray::zeroed(); LANES];
        eight.rays(simd).to_rows(&mut rays);
        for (lane, ray) in rays.iter().enumerate().take(held) {
            self.answer_met(simd, eight.met(lane), (ray, first + lane), work, deferred);
        }
    }

    /// What is known before any ray of what is met.
    #[inline(always)]
    fn face(&self, met: Met) -> Option<&EntryPoint> {
        self.faces.get(met.face as usize)?.as_ref()
    }

    /// Answers a ray that meets this. What is left of borders and leaves is looked at now that it is known whose they are.
    #[inline(always)]
    pub(super) fn answer_met<S: Simd>(
        &self,
        simd: S,
        met: Met,
        (ray, number): (&Ray, usize),
        work: &mut impl Work,
        deferred: &mut Deferred,
    ) {
        let Met { lambda, member, face } = met;
        if let Some(face) = self.face(met) {
            work.answer_like(number, face, if face.status == RayStatus::Hit { lambda } else { 0.0 });
        } else if face != UNKNOWN_FACE {
            let entry = Entry { lambda, holds_until: lambda, leaf: face - 1, border: true };
            work.answer(number, self.entry_point(ray, Some(entry)));
        } else {
            let search = Search { ray, from: ray.lambda1, until: lambda };
            let entry = self.first_of_part(simd, &self.top.members[member as usize], search, deferred);
            work.answer(number, self.entry_point(ray, entry));
        }
    }
}
