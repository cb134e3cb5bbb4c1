//! Job `landing` on a device: one invocation computes one landing, a slice of steps at a time.
//!
//! ```text
//! inputs --> plan, start in f64 --> state --> slice --> slice --> ... --> state --> outcome in f64
//!                                                 |  those under way ^
//!                                                 +------------------+
//! ```
//!
//! States stay on the device between slices: 288 bytes, plus 80 per wheel and 4 per structural point and per number that an
//! airframe keeps, and 64 per wheel with JSBSim's ground reactions. They stand side by side, as `wire` describes. The outcome of a
//! landing depends on its inputs alone, so the division into chunks and slices is arbitrary. The kernel updates states
//! in place. If the driver cuts long loops short it keeps a copy of each landing's state at the start of the slice, behind
//! the states of all, and restarts from it.
//!
//! # Accuracy
//! How far one step may deviate from the reference's, and why, is derived where it is judged (`validation`). The
//! kernel's measures: a landing has its own reference frame that moves with it by whole cells of 16 m, so that
//! coordinates stay within 16 m of the frame and differences of positions are independent of the length of the runway;
//! sines, cosines and angles are its own polynomials, since WGSL guarantees only three digits of the built-in ones;
//! positions are assembled in f64 on the host.
//!
//! A structural point at distance `c` from the scene is not checked before it has travelled `c`. Let u = 2^-24 and s
//! the sum of all lengths between the scene's origin and the point. The distance `c` and the point where a sweep enters
//! are evaluated to 8 u s each, and the point is positioned to 10 u s in the poses of both; the displacement of a step,
//! and the remainder of `c` (held below s), are known to less than 20 u s together. Increasing the travel of every step
//! by 64 u s covers this from the first step on.
//!
//! NaN and infinity are not used as signals: a state beyond the limits of [`crate::query::rules`] ends the landing as
//! invalid long before anything overflows, and inputs beyond them are never sent to a device. Loads by functions of a file
//! have a flag beside them, which is set where they have no value, or an infinite one.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`].

mod airframe;
mod events;
mod outcome;
mod queue;
mod slices;
mod stages;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use bytemuck::Zeroable;
use glam::DVec3;
use rayon::prelude::*;
use wgpu::BufferUsages;

pub(super) use self::airframe::{source as airframe_source, tables, wind_source};
use self::events::Watch;
use self::outcome::outcome;
pub(super) use self::queue::Queue;
use self::slices::{FULL, Pace, Packed, SliceJob, Slots, with_starts};
use super::GpuError;
use super::buffer::{Buffer, fault, largest_chunk};
use super::device::Device;
use super::kernel::Kernel;
use super::scene::SceneBuffers;
use super::wire::{Flag, LANES, LandingWire, StateLayout, StateView, VehicleWire, unweave, weave, words_of};
use crate::parallel;
use crate::query::rules::MAX_NUMBER;
use crate::query::{LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingState, LandingStep, Observer};

pub(super) const NAME: &str = "landing";
/// Maximum number of landings in a chunk. Several fill the largest GPU some times over: what is left of it while the last
/// workgroups of a round are at work is little then.
pub(super) const MAX_CHUNK: usize = 1 << 15;
/// Landings that a device has on its way at a time, at most.
pub(super) const MAX_FLYING: usize = FULL * MAX_CHUNK;
/// Landings packed per task of a thread.
const LANDINGS_PER_TASK: usize = 256;
/// Steps of traced landings between transfers to the host.
const STEPS_PER_LOOK: usize = 256;
/// Landings traced at a time: all states between two transfers are held on the host.
const TRACED_TOGETHER: usize = 64;

/// The buffers of the job, kept from call to call.
#[derive(Debug)]
pub(super) struct LandingBuffers {
    vehicle: Buffer,
    /// Numbers of tables of airframe and wind.
    curves: Buffer,
    slots: Slots,
}

impl LandingBuffers {
    pub fn new() -> Self {
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Self {
            vehicle: Buffer::new("a vehicle", uniform),
            curves: Buffer::storage("tables of airframe and wind"),
            slots: Slots::new(),
        }
    }
}

/// What a device needs to fly landings.
pub(super) struct LandingFlight<'a> {
    pub device: &'a Device,
    pub kernel: &'a Kernel,
    pub buffers: &'a mut LandingBuffers,
    pub scene_buffers: &'a SceneBuffers,
    /// Numbers of tables of airframe and wind, if there are any.
    pub curves: Option<&'a [f32]>,
    pub job: &'a LandingJob,
}

/// A flight with the vehicle on the device.
struct Prepared<'a> {
    slots: &'a mut Slots,
    slice_job: SliceJob<'a>,
    codec: StateCodec<'a>,
}

/// How states of a job are laid out and read.
#[derive(Clone, Copy)]
struct StateCodec<'a> {
    device: &'a Device,
    job: &'a LandingJob,
    /// Of the scene \[m\].
    origin: DVec3,
    layout: StateLayout,
}

impl<'a> LandingFlight<'a> {
    /// Landings end after `step_limit` steps, if they are told.
    fn prepare(self, step_limit: Option<u64>) -> Result<Prepared<'a>, GpuError> {
        let Self { device, kernel, buffers: LandingBuffers { vehicle, curves, slots }, scene_buffers, job, .. } = self;
        let origin = scene_buffers.wire.origin;
        vehicle.fill(device, &VehicleWire::new(job, origin, step_limit)?.bytes())?;
        if let Some(numbers) = self.curves {
            curves.fill(device, numbers)?;
        }
        let layout = StateLayout::new(&job.vehicle);
        let mut shared = scene_buffers.bindings();
        shared.extend(vehicle.binding());
        let curves = self.curves.and_then(|_| curves.binding());
        let slice_job = SliceJob { device, kernel, shared, curves, state_bytes: layout.bytes() };
        Ok(Prepared { slots, slice_job, codec: StateCodec { device, job, origin, layout } })
    }

    /// Whole landings, at most `chunk` at a time, in slices of `slice` steps or of adaptive length.
    pub fn landings(
        self,
        inputs: &[LandingInputs],
        chunk: usize,
        slice: Option<u32>,
    ) -> Result<Vec<LandingOutcome>, GpuError> {
        let step_limit = self.job.steps_of(self.job.time_limit);
        let mut prepared = self.prepare(Some(step_limit))?;
        let codec = prepared.codec;
        prepared.run(
            inputs,
            chunk,
            Pace::new(slice),
            |inputs, words| Ok(codec.start(inputs, words)),
            |landing, state| codec.outcome(landing, state),
        )
    }

    /// Whole landings of a stream, as those that are there.
    pub fn stream(self, landings: &mut Queue<'_>, chunk: usize, slice: Option<u32>) -> Result<(), GpuError> {
        let step_limit = self.job.steps_of(self.job.time_limit);
        let prepared = self.prepare(Some(step_limit))?;
        let chunk = prepared.chunk(chunk);
        let Prepared { slots, slice_job, codec } = prepared;
        let start = |inputs: &LandingInputs, words: &mut [u32]| Ok(codec.start(inputs, words));
        landings.begin_again();
        let landings = RefCell::new(landings);
        let next = || {
            let inputs = landings.borrow_mut().next(chunk);
            inputs.map(|inputs| codec.pack(&inputs, &start).map(Cow::Owned)).transpose()
        };
        slots.run(&slice_job, chunk, Pace::new(slice), next, |range, states| {
            let first = range.start;
            let outcomes = codec.decode(range, states, &|landing, state| codec.outcome(landing, state))?;
            landings.borrow_mut().take(first, outcomes);
            Ok(())
        })?;
        Ok(())
    }

    /// One step of each landing.
    pub fn steps(self, items: &[(LandingInputs, LandingState)], chunk: usize) -> Result<Vec<LandingState>, GpuError> {
        let mut prepared = self.prepare(None)?;
        let codec = prepared.codec;
        prepared.run(
            items,
            chunk,
            Pace::OneStep,
            |(inputs, state), words| codec.go_on(inputs, state, words),
            |landing, state| {
                codec.check(state)?;
                state.decode(&codec.job.scene, codec.origin).ok_or_else(|| codec.no_answer(landing))
            },
        )
    }

    /// Several landings together, with every step of each passed to its observer.
    pub fn trace(self, landings: &mut [(LandingInputs, &mut dyn Observer)]) -> Result<Vec<LandingOutcome>, GpuError> {
        let step_limit = self.job.steps_of(self.job.time_limit);
        let Prepared { slots, slice_job, codec } = self.prepare(Some(step_limit))?;
        let (job, layout) = (codec.job, codec.layout);
        let words = layout.words();
        let mut outcomes = Vec::with_capacity(landings.len());
        for together in landings.chunks_mut(TRACED_TOGETHER) {
            let inputs: Vec<&LandingInputs> = together.iter().map(|(inputs, _)| inputs).collect();
            let packed = codec.pack(&inputs, &|inputs, words| Ok(codec.start(inputs, words)))?;
            slots.slot(0).fill(codec.device, &packed)?;
            let mut last = codec.states(&packed.states, together.len());
            let mut watches: Vec<Watch> = together.iter().map(|_| Watch::new(job)).collect();
            while last.chunks_exact(words).any(|state| !layout.view(state).head.has(Flag::ENDED)) {
                let steps = slots.trace(&slice_job, STEPS_PER_LOOK, together.len())?;
                for step in steps.chunks_exact(words_of(together.len(), words)) {
                    let step = codec.states(step, together.len());
                    let before = last.chunks_exact(words).map(|state| layout.view(state));
                    let after = step.chunks_exact(words).map(|state| layout.view(state));
                    for (((_, observer), watch), (before, after)) in
                        together.iter_mut().zip(&mut watches).zip(before.zip(after))
                    {
                        // An ended landing stays as it is; one without time for a step ends where it starts.
                        if before.head.has(Flag::ENDED) {
                            continue;
                        }
                        codec.check(&after)?;
                        if after.head.step > before.head.step {
                            let time = job.time_after(u64::from(after.head.step));
                            watch.report(&before, &after, time, *observer);
                            let state = after.decode(&job.scene, codec.origin).ok_or_else(|| codec.no_answer(0))?;
                            observer.step(&LandingStep { time, state: &state, controls: &after.controls() });
                        }
                    }
                    last = step;
                }
            }
            for ((_, observer), state) in together.iter_mut().zip(last.chunks_exact(words)) {
                let outcome = codec.outcome(outcomes.len(), &layout.view(state))?;
                observer.event(job.time_after(outcome.steps), LandingEvent::End(outcome.class));
                outcomes.push(outcome);
            }
        }
        Ok(outcomes)
    }
}

impl Prepared<'_> {
    /// Landings on the device at a time, `chunk` at most.
    fn chunk(&self, chunk: usize) -> usize {
        let Self { codec: StateCodec { device, layout, .. }, .. } = self;
        let by_size = largest_chunk(device, with_starts(device, layout.bytes() as u64) as usize) / LANES * LANES;
        chunk.min(MAX_CHUNK).min(by_size).max(1)
    }

    /// Packs items, flies them and decodes their states, in the order of the items.
    fn run<I: Sync, O: Send>(
        &mut self,
        items: &[I],
        chunk: usize,
        pace: Pace,
        pack: impl Fn(&I, &mut [u32]) -> Result<LandingWire, GpuError> + Sync,
        decode: impl Fn(usize, &StateView<'_>) -> Result<O, GpuError> + Sync,
    ) -> Result<Vec<O>, GpuError> {
        let chunk = self.chunk(chunk);
        let Self { slots, slice_job, codec } = self;
        let mut chunks = items.chunks(chunk);
        let next = || chunks.next().map(|items| codec.pack(items, &pack).map(Cow::Owned)).transpose();
        // Chunks end in any order.
        let mut ended: Vec<(usize, Vec<O>)> = Vec::new();
        slots.run(slice_job, chunk, pace, next, |range, states| {
            ended.push((range.start, codec.decode(range, states, &decode)?));
            Ok(())
        })?;
        ended.sort_unstable_by_key(|&(first, _)| first);
        Ok(ended.into_iter().flat_map(|(_, decoded)| decoded).collect())
    }
}

impl StateCodec<'_> {
    /// Items in wire form.
    fn pack<I: Sync>(
        &self,
        items: &[I],
        pack: &(impl Fn(&I, &mut [u32]) -> Result<LandingWire, GpuError> + Sync),
    ) -> Result<Packed, GpuError> {
        let (words, input_words) = (self.layout.words(), size_of::<LandingWire>() / 4);
        let mut states = vec![0; words_of(items.len(), words)];
        let mut landings = vec![0; words_of(items.len(), input_words)];
        let blocks = states.par_chunks_mut(LANES * words).zip(landings.par_chunks_mut(LANES * input_words));
        let blocks = items.par_chunks(LANES).zip(blocks).with_min_len(LANDINGS_PER_TASK / LANES);
        let packed = blocks.map(|(items, (states, landings))| {
            let mut state = vec![0; words];
            for (lane, item) in items.iter().enumerate() {
                let wire = pack(item, &mut state)?;
                weave(&state, lane, states);
                weave(bytemuck::cast_slice(bytemuck::bytes_of(&wire)), lane, landings);
            }
            Ok(())
        });
        parallel::on_threads(|| packed.collect::<Result<(), GpuError>>())?;
        Ok(Packed { count: items.len(), landings, states })
    }

    /// What becomes of states from their wire form; `range` has the numbers of their landings.
    fn decode<O: Send>(
        &self,
        range: Range<usize>,
        states: &[u32],
        decode: &(impl Fn(usize, &StateView<'_>) -> Result<O, GpuError> + Sync),
    ) -> Result<Vec<O>, GpuError> {
        let first = range.start;
        let numbered = range.into_par_iter().with_min_len(LANDINGS_PER_TASK);
        let decoded = numbered.map_init(
            || vec![0; self.layout.words()],
            |state, number| {
                unweave(states, number - first, state);
                decode(number, &self.layout.view(state))
            },
        );
        parallel::on_threads(|| decoded.collect())
    }

    /// This many states, one behind the other.
    fn states(&self, blocks: &[u32], count: usize) -> Vec<u32> {
        let words = self.layout.words();
        let mut states = vec![0; count * words];
        states.chunks_exact_mut(words).enumerate().for_each(|(number, state)| unweave(blocks, number, state));
        states
    }

    /// The start of a landing; its end where it cannot be flown.
    fn start(&self, inputs: &LandingInputs, words: &mut [u32]) -> LandingWire {
        let start = |wire: LandingWire| {
            let state = LandingState::start(self.job, inputs).ok()?;
            self.layout.encode(&state, self.origin, words).map(|()| wire)
        };
        LandingWire::new(self.job, inputs).and_then(start).unwrap_or_else(|| {
            self.layout.encode_invalid(words);
            LandingWire::zeroed()
        })
    }

    /// A landing from a given state on.
    fn go_on(&self, inputs: &LandingInputs, state: &LandingState, words: &mut [u32]) -> Result<LandingWire, GpuError> {
        LandingWire::new(self.job, inputs)
            .filter(|_| state.wheels.len() == self.layout.wheels)
            .and_then(|wire| self.layout.encode(state, self.origin, words).map(|()| wire))
            .ok_or_else(|| GpuError::OutOfRange { what: "a landing's state".to_owned(), limit: MAX_NUMBER, unit: "" })
    }

    fn outcome(&self, landing: usize, state: &StateView<'_>) -> Result<LandingOutcome, GpuError> {
        self.check(state)?;
        outcome(self.job, self.origin, state).ok_or_else(|| self.no_answer(landing))
    }

    /// An error where the device could not follow the rules.
    fn check(&self, state: &StateView<'_>) -> Result<(), GpuError> {
        if state.head.has(Flag::OUT_OF_ROUNDS) {
            return Err(self.device.too_many_rounds(NAME));
        }
        Ok(())
    }

    fn no_answer(&self, landing: usize) -> GpuError {
        fault(self.device, NAME, &format!("landing {landing} got no answer"))
    }
}
