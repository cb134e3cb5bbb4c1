//! Landings in progress: chunks whose states stay on the device, slice by slice, until all have ended.
//!
//! A slice receives the list of landings in progress and writes the list of those still in progress at its end, so that
//! the next one has no idle lanes. The order of that list is random; landings do not depend on it.
//!
//! ```text
//! round    | slices of A B C D | slices of A B C D | slices of B D E F | ...
//! host       hears of the last   reads A, packs E    reads C, packs F
//! ```
//!
//! The slices of all chunks in progress go to the device together, as a round, and nothing orders them there: while the last
//! landings of one chunk end, which fill no device, those of others do. A chunk is begun as soon as there is room for it. The
//! next round is submitted before the last one is done: the device does not wait for the host to hear of it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use wgpu::{
    BindGroup, BindingResource, BufferUsages, CommandEncoder, CommandEncoderDescriptor, MapMode, SubmissionIndex,
};

use super::NAME;
use crate::gpu::GpuError;
use crate::gpu::buffer::{Buffer, fault, part};
use crate::gpu::device::{Device, Loops};
use crate::gpu::kernel::Kernel;
use crate::gpu::wire::{LANES, LandingWire, Slice};

/// Chunks on the device at most: those that fill it, those whose last landings have not ended, and those to be read.
const SLOTS: usize = 24;
/// A chunk is begun where all landings in progress, its own included, are no more than those of this many chunks.
pub(super) const FULL: usize = 8;
/// Rounds that are submitted before the first of them is done.
const AHEAD: usize = 2;
/// Bytes of the count in front of a list of landings under way.
const COUNT: u64 = size_of::<u32>() as u64;

/// Steps of the first slice, and the minimum worth a dispatch: the lists of landings then cost less than a thirtieth of it.
const MIN_STEPS: u32 = 100;
/// Maximum number of steps of a slice: a tenth of a short landing. More would gain nothing, and keep the lanes of
/// finished landings idle for longer.
const MAX_STEPS: u32 = 256;
/// Maximum number of those that are asked for: in workgroups that keep step the lanes go on until all are done, landings or
/// not, and drivers take a kernel that does not end for a fault.
const MAX_GIVEN_STEPS: u32 = 1 << 14;
/// Target duration of a round: long compared to its overhead, short compared to driver watchdogs.
const GOOD_ROUND: Duration = Duration::from_millis(75);
/// Maximum duration of a round of [`MAX_STEPS`] in which another chunk takes part: a device that is slower is full with less,
/// and its landings should not take for ever.
const FULL_ROUND: Duration = Duration::from_millis(150);
/// Maximum duration of a round, however few steps that leaves.
const MAX_ROUND: Duration = Duration::from_millis(500);

/// Number of steps per slice. Results do not depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    /// A given number.
    Given(u32),
    /// Adapted to how long the last round took.
    Measured(Option<Round>),
    /// One step, and no further slices, whether landings have ended or not.
    OneStep,
}

/// So many steps of so many landings, and how long they took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    steps: u32,
    flying: u32,
    taken: Duration,
}

impl Pace {
    pub fn new(given: Option<u32>) -> Self {
        given.map_or(Self::Measured(None), |steps| Self::Given(steps.clamp(1, MAX_GIVEN_STEPS)))
    }

    /// Steps of the next round, of so many landings.
    fn steps(self, flying: u32) -> u32 {
        let Round { steps, flying: before, taken } = match self {
            Self::Given(steps) => return steps,
            Self::OneStep => return 1,
            Self::Measured(None) => return MIN_STEPS,
            Self::Measured(Some(round)) => round,
        };
        // Fewer may take as long: they no longer fill the device.
        let growth = (f64::from(flying) / f64::from(before)).max(1.0);
        let within = |time: Duration| f64::from(steps) * time.as_secs_f64() / (growth * taken.as_secs_f64()).max(1e-6);
        // The first slices are no measure of the later ones: a factor of two at a time.
        let good = within(GOOD_ROUND).clamp(0.5 * f64::from(steps), 2.0 * f64::from(steps));
        (good.max(f64::from(MIN_STEPS)).min(within(MAX_ROUND)) as u32).clamp(1, MAX_STEPS)
    }

    fn learn(&mut self, round: Round) {
        if let Self::Measured(last) = self {
            *last = Some(round);
        }
    }
}

/// What a slice is computed with.
pub(super) struct SliceJob<'a> {
    pub device: &'a Device,
    pub kernel: &'a Kernel,
    /// The scene and the vehicle; slice, inputs, states and lists are bound after them.
    pub shared: Vec<BindingResource<'a>>,
    /// Numbers of tables of airframe and wind, bound at last.
    pub curves: Option<BindingResource<'a>>,
    /// Size of a state \[bytes\].
    pub state_bytes: usize,
}

impl SliceJob<'_> {
    /// Bytes of the inputs and of the states of this many landings, in whole blocks.
    fn bytes(&self, landings: usize) -> (u64, u64) {
        let places = landings.next_multiple_of(LANES);
        ((places * size_of::<LandingWire>()) as u64, (places * self.state_bytes) as u64)
    }
}

/// Inputs and states of some landings, as words, side by side in blocks.
#[derive(Clone)]
pub(super) struct Packed {
    pub count: usize,
    pub landings: Vec<u32>,
    pub states: Vec<u32>,
}

/// The chunks on their way, with buffers that are kept from call to call.
#[derive(Debug)]
pub(super) struct Slots {
    slots: [Slot; SLOTS],
    rounds: [RoundBuffers; AHEAD],
    /// [`FULL_ROUND`], but where a test stands for a slower device.
    pub full_round: Duration,
}

/// One chunk's buffers.
#[derive(Debug)]
pub(super) struct Slot {
    landings: Buffer,
    states: Buffer,
    /// The landings under way before a slice and those after it, in turns.
    flying: Buffer,
    still_flying: Buffer,
    answers: Buffer,
}

/// A round's buffers.
#[derive(Debug)]
struct RoundBuffers {
    slice: Buffer,
    /// Of each slot the landings that are under way after the round, as they are read.
    counts: Buffer,
}

/// Some items on the device.
struct Chunk {
    items: Range<usize>,
    /// Those of them that were under way when the host last heard of them.
    flying: u32,
    /// Takes part in the rounds to come.
    goes_on: bool,
}

/// What the device has been told to do.
struct OnItsWay {
    submission: SubmissionIndex,
    task: Task,
}

enum Task {
    /// Some steps of the chunks in these slots, with the buffers of this round.
    Round { number: usize, slots: Vec<usize>, steps: u32, flying: u32, since: Instant },
    /// Reading the states of a slot.
    Read(usize),
}

/// What a device did for landings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flown {
    /// Landings that took part in each slice, summed over the slices.
    pub in_slices: u64,
    /// How long the rounds took.
    pub time: Duration,
}

impl Slots {
    pub fn new() -> Self {
        let (slots, rounds) = (std::array::from_fn(|_| Slot::new()), std::array::from_fn(|_| RoundBuffers::new()));
        Self { slots, rounds, full_round: FULL_ROUND }
    }

    /// Computes landings to their ends. `next` gives at most `chunk` of them, which follow those that it gave before: none if
    /// there are no more, or not before some have been taken; `take` receives their numbers and their final states.
    pub fn run<'a>(
        &mut self,
        job: &SliceJob<'_>,
        chunk: usize,
        pace: Pace,
        next: impl FnMut() -> Result<Option<Cow<'a, Packed>>, GpuError>,
        take: impl FnMut(Range<usize>, &[u32]) -> Result<(), GpuError>,
    ) -> Result<Flown, GpuError> {
        let result = self.run_chunks(job, chunk, pace, next, take);
        if result.is_err() {
            // What is mapped, and what still computes, is not known any more.
            *self = Self::new();
        }
        result
    }

    fn run_chunks<'a>(
        &mut self,
        job: &SliceJob<'_>,
        chunk: usize,
        mut pace: Pace,
        mut next: impl FnMut() -> Result<Option<Cow<'a, Packed>>, GpuError>,
        mut take: impl FnMut(Range<usize>, &[u32]) -> Result<(), GpuError>,
    ) -> Result<Flown, GpuError> {
        let mut on_device: [Option<Chunk>; SLOTS] = [const { None }; SLOTS];
        let mut queue: VecDeque<OnItsWay> = VecDeque::new();
        let mut flown = Flown::default();
        let mut last: Option<Round> = None;
        let mut begun = 0;
        let mut round = 0;
        let mut rounds_on_their_way = 0;
        // When the device last was known to be done with something.
        let mut idle_since = Instant::now();
        loop {
            while let Some(slot) = room_for(chunk, &on_device, last, self.full_round)
                && let Some(packed) = next()?
            {
                self.slots[slot].fill(job.device, &packed)?;
                let items = begun..begun + packed.count;
                begun = items.end;
                on_device[slot] = Some(Chunk { items, flying: packed.count as u32, goes_on: true });
            }
            let flying = flying(&on_device);
            if flying > 0 && rounds_on_their_way < AHEAD {
                let steps = pace.steps(flying);
                let (submission, slots) = self.submit_round(job, round % AHEAD, steps, &on_device)?;
                if matches!(pace, Pace::OneStep) {
                    on_device.iter_mut().flatten().for_each(|chunk| chunk.goes_on = false);
                }
                let task = Task::Round { number: round % AHEAD, slots, steps, flying, since: Instant::now() };
                queue.push_back(OnItsWay { submission, task });
                rounds_on_their_way += 1;
                round += 1;
                continue;
            }
            let Some(OnItsWay { submission, task }) = queue.pop_front() else { return Ok(flown) };
            job.device.wait(submission, NAME)?;
            match task {
                Task::Round { number, slots, steps, flying: before, since } => {
                    rounds_on_their_way -= 1;
                    let now = Instant::now();
                    let taken = now - since.max(idle_since);
                    idle_since = now;
                    // Those that are known of now were under way when the round before it was done.
                    let began = slots.iter().filter_map(|&slot| on_device[slot].as_ref());
                    flown.in_slices += began.map(|chunk| u64::from(chunk.flying)).sum::<u64>();
                    flown.time += taken;
                    let counts = self.rounds[number].counts(job)?;
                    for slot in slots {
                        let Some(chunk) = &mut on_device[slot] else { continue };
                        // It has been told to end already, in the round before.
                        let is_read = !chunk.goes_on && !matches!(pace, Pace::OneStep);
                        chunk.flying = counts[slot];
                        if !is_read && (chunk.flying == 0 || !chunk.goes_on) {
                            chunk.goes_on = false;
                            let submission = self.slots[slot].fetch(job, chunk.items.len())?;
                            queue.push_back(OnItsWay { submission, task: Task::Read(slot) });
                        }
                    }
                    let round = Round { steps, flying: before, taken };
                    last = Some(round);
                    pace.learn(round);
                }
                Task::Read(slot) => {
                    if let Some(chunk) = on_device[slot].take() {
                        self.slots[slot].take(job, chunk.items, &mut take)?;
                    }
                }
            }
        }
    }

    /// Submits a round of all chunks that go on; says which slots these are in.
    fn submit_round(
        &mut self,
        job: &SliceJob<'_>,
        number: usize,
        steps: u32,
        on_device: &[Option<Chunk>; SLOTS],
    ) -> Result<(SubmissionIndex, Vec<usize>), GpuError> {
        let device = job.device;
        let going = |(slot, chunk): (usize, &Option<Chunk>)| {
            let chunk = chunk.as_ref().filter(|chunk| chunk.goes_on)?;
            Some((slot, chunk.items.len(), chunk.flying))
        };
        let going: Vec<(usize, usize, u32)> = on_device.iter().enumerate().filter_map(going).collect();
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        let Self { slots, rounds, full_round: _ } = self;
        let RoundBuffers { slice, counts } = &mut rounds[number];
        slice.fill(device, &[Slice::new(steps)])?;
        let counts = counts.with_room(device, SLOTS as u64 * COUNT)?;
        // Nothing between the slices makes one wait for another: first what goes before all, at last what comes after all.
        let mut runs: Vec<(BindGroup, u32)> = Vec::with_capacity(going.len());
        for &(slot, items, flying) in &going {
            let slot = &mut slots[slot];
            slot.clear(device, &mut encoder)?;
            runs.push((slot.group(job, slice, items)?, flying));
        }
        job.kernel.record_together(&mut encoder, runs.iter().map(|(group, flying)| (group, *flying)));
        for &(slot, _, _) in &going {
            let after = slots[slot].turn(device)?;
            encoder.copy_buffer_to_buffer(after, 0, counts, slot as u64 * COUNT, COUNT);
        }
        let submission = device.queue.submit([encoder.finish()]);
        counts.map_async(MapMode::Read, .., |_| ());
        device.check(NAME)?;
        Ok((submission, going.into_iter().map(|(slot, _, _)| slot).collect()))
    }

    /// The slot with this number, while none is on its way. A chunk may get any that is free.
    pub fn slot(&mut self, number: usize) -> &mut Slot {
        &mut self.slots[number]
    }

    /// Advances this many landings in the first slot by `count` steps and returns the states of all after each step, side by
    /// side in blocks.
    pub fn trace(&mut self, job: &SliceJob<'_>, count: usize, items: usize) -> Result<Vec<u32>, GpuError> {
        let slice = &mut self.rounds[0].slice;
        let states = self.slots[0].trace(job, slice, count, items);
        if states.is_err() {
            *self = Self::new();
        }
        states
    }
}

/// Landings under way in the chunks that go on, as far as is known.
fn flying(on_device: &[Option<Chunk>; SLOTS]) -> u32 {
    on_device.iter().flatten().filter(|chunk| chunk.goes_on).map(|chunk| chunk.flying).sum()
}

/// Bytes that states of so many bytes take on a device: where it cuts loops short, those at the start of the slice stand behind
/// them.
pub(super) fn with_starts(device: &Device, states: u64) -> u64 {
    match device.loops {
        Loops::Whole => states,
        Loops::Limited => 2 * states,
    }
}

/// A free slot, if one more chunk of this size is to be begun. The first round has one alone: nobody knows how long it takes.
fn room_for(
    chunk: usize,
    on_device: &[Option<Chunk>; SLOTS],
    last: Option<Round>,
    full_round: Duration,
) -> Option<usize> {
    let flying = flying(on_device) as usize;
    let is_quick = |round: Round| {
        let growth = (flying + chunk) as f64 / f64::from(round.flying);
        let per_step = round.taken.as_secs_f64() / f64::from(round.steps);
        f64::from(MAX_STEPS) * per_step * growth <= full_round.as_secs_f64()
    };
    let is_wanted = flying == 0 || (flying + chunk <= FULL * chunk && last.is_some_and(is_quick));
    on_device.iter().position(Option::is_none).filter(|_| is_wanted)
}

impl RoundBuffers {
    fn new() -> Self {
        Self {
            slice: Buffer::new("a slice of steps", BufferUsages::UNIFORM | BufferUsages::COPY_DST),
            counts: Buffer::new("counts read back", BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        }
    }

    /// Of each slot the number of landings under way after the round that was waited for.
    fn counts(&mut self, job: &SliceJob<'_>) -> Result<Vec<u32>, GpuError> {
        let counts = self.counts.with_room(job.device, SLOTS as u64 * COUNT)?;
        let view = counts.get_mapped_range(..).map_err(|error| fault(job.device, NAME, &error))?;
        let numbers = bytemuck::pod_collect_to_vec(&view);
        drop(view);
        counts.unmap();
        Ok(numbers)
    }
}

impl Slot {
    fn new() -> Self {
        let download = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Self {
            landings: Buffer::storage("landings"),
            states: Buffer::storage("states of landings"),
            flying: Buffer::storage("landings under way"),
            still_flying: Buffer::storage("landings still under way"),
            answers: Buffer::new("states read back", download),
        }
    }

    /// Sends inputs and states; all landings are under way.
    pub fn fill(&mut self, device: &Device, packed: &Packed) -> Result<(), GpuError> {
        let items = packed.count as u32;
        let flying: Vec<u32> = std::iter::once(items).chain(0..items).collect();
        self.landings.fill(device, &packed.landings)?;
        self.states.with_room(device, with_starts(device, size_of_val(packed.states.as_slice()) as u64))?;
        self.states.fill(device, &packed.states)?;
        self.flying.fill(device, &flying)?;
        self.still_flying.with_room(device, COUNT + u64::from(items) * COUNT)?;
        Ok(())
    }

    /// Nobody is known to be under way after the next slice.
    fn clear(&mut self, device: &Device, encoder: &mut CommandEncoder) -> Result<(), GpuError> {
        encoder.clear_buffer(self.still_flying.with_room(device, COUNT)?, 0, Some(COUNT));
        Ok(())
    }

    /// The bindings of a slice of so many landings.
    fn group(&mut self, job: &SliceJob<'_>, slice: &Buffer, items: usize) -> Result<BindGroup, GpuError> {
        let device = job.device;
        let (input_bytes, state_bytes) = job.bytes(items);
        let mut bindings = job.shared.clone();
        bindings.extend(slice.binding());
        bindings.push(part(self.landings.with_room(device, input_bytes)?, input_bytes));
        let with_starts = with_starts(device, state_bytes);
        bindings.push(part(self.states.with_room(device, with_starts)?, with_starts));
        bindings.extend(self.flying.binding());
        bindings.extend(self.still_flying.binding());
        bindings.extend(job.curves.clone());
        Ok(job.kernel.group(device, &bindings))
    }

    /// Those under way after a slice are those before the next one; their list, with the count in front.
    fn turn(&mut self, device: &Device) -> Result<&wgpu::Buffer, GpuError> {
        std::mem::swap(&mut self.flying, &mut self.still_flying);
        self.flying.with_room(device, COUNT)
    }

    /// Requests the states of this many landings.
    fn fetch(&mut self, job: &SliceJob<'_>, items: usize) -> Result<SubmissionIndex, GpuError> {
        let device = job.device;
        let (_, bytes) = job.bytes(items);
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        let answers = self.answers.with_room(device, bytes)?;
        encoder.copy_buffer_to_buffer(self.states.with_room(device, bytes)?, 0, answers, 0, bytes);
        let submission = device.queue.submit([encoder.finish()]);
        answers.map_async(MapMode::Read, ..bytes, |_| ());
        device.check(NAME)?;
        Ok(submission)
    }

    fn take(
        &mut self,
        job: &SliceJob<'_>,
        items: Range<usize>,
        take: &mut impl FnMut(Range<usize>, &[u32]) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let (_, bytes) = job.bytes(items.len());
        let answers = self.answers.with_room(job.device, bytes)?;
        let view = answers.get_mapped_range(..bytes).map_err(|error| fault(job.device, NAME, &error))?;
        let result = take(items, bytemuck::cast_slice(&view));
        drop(view);
        answers.unmap();
        result
    }

    /// The states of this many landings.
    pub fn states(&mut self, job: &SliceJob<'_>, items: usize) -> Result<Vec<u32>, GpuError> {
        let submission = self.fetch(job, items)?;
        job.device.wait(submission, NAME)?;
        let mut states = Vec::new();
        self.take(job, 0..items, &mut |_, words| {
            states.extend_from_slice(words);
            Ok(())
        })?;
        Ok(states)
    }

    fn trace(
        &mut self,
        job: &SliceJob<'_>,
        slice: &mut Buffer,
        count: usize,
        items: usize,
    ) -> Result<Vec<u32>, GpuError> {
        let device = job.device;
        let (_, state_bytes) = job.bytes(items);
        let bytes = count as u64 * state_bytes;
        slice.fill(device, &[Slice::new(1)])?;
        self.answers.with_room(device, bytes)?;
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        for step in 0..count as u64 {
            self.clear(device, &mut encoder)?;
            job.kernel.record(&mut encoder, &self.group(job, slice, items)?, items as u32);
            self.turn(device)?;
            let states = self.states.with_room(device, state_bytes)?;
            let answers = self.answers.with_room(device, bytes)?;
            encoder.copy_buffer_to_buffer(states, 0, answers, step * state_bytes, state_bytes);
        }
        let submission = device.queue.submit([encoder.finish()]);
        let answers = self.answers.with_room(device, bytes)?;
        answers.map_async(MapMode::Read, ..bytes, |_| ());
        device.check(NAME)?;
        device.wait(submission, NAME)?;
        let view = answers.get_mapped_range(..bytes).map_err(|error| fault(device, NAME, &error))?;
        let states = bytemuck::cast_slice(&view).to_vec();
        drop(view);
        answers.unmap();
        Ok(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: usize = 1 << 15;

    fn room(on_device: &[Option<Chunk>; SLOTS], last: Option<Round>) -> Option<usize> {
        room_for(ONE, on_device, last, FULL_ROUND)
    }

    fn measured(steps: u32, flying: u32, milliseconds: u64) -> Pace {
        Pace::Measured(Some(Round { steps, flying, taken: Duration::from_millis(milliseconds) }))
    }

    #[test]
    fn steps_that_are_asked_for_are_at_least_one_and_end() {
        let steps = [0, 1, 300, u32::MAX].map(|asked| Pace::new(Some(asked)).steps(1000));
        assert_eq!(steps, [1, 1, 300, 1 << 14]);
    }

    #[test]
    fn rounds_get_as_many_steps_as_take_a_good_while() {
        assert_eq!(Pace::new(None).steps(1000), MIN_STEPS);
        assert_eq!(Pace::new(Some(7)).steps(1000), 7);
        assert_eq!(Pace::OneStep.steps(1000), 1);
        // Twice as many at most; no more than the most; as many as are worth it, where a round takes no longer than is allowed.
        assert_eq!(measured(110, 1000, 10).steps(1000), 220);
        assert_eq!(measured(200, 1000, 10).steps(1000), MAX_STEPS);
        assert_eq!(measured(200, 1000, 200).steps(1000), MIN_STEPS);
        assert_eq!(measured(100, 1000, 1000).steps(1000), 50);
        // Eight times as many landings take eight times as long, and an eighth perhaps no less.
        assert_eq!(measured(100, 1000, 250).steps(8000), 25);
        assert_eq!(measured(100, 8000, 1000).steps(1000), 50);
    }

    #[test]
    fn chunks_are_begun_when_a_round_is_known_and_as_others_make_room() {
        let mut on_device: [Option<Chunk>; SLOTS] = [const { None }; SLOTS];
        let mut begin = |slot: usize, flying: usize| {
            on_device[slot] = Some(Chunk { items: 0..ONE, flying: flying as u32, goes_on: true });
            let of_all = Round { steps: 256, flying: (FULL * ONE) as u32, taken: Duration::from_millis(100) };
            (room(&on_device, None), room(&on_device, Some(of_all)))
        };
        assert_eq!(begin(0, ONE), (None, Some(1)), "the first round is waited for");
        for slot in 1..FULL - 1 {
            assert_eq!(begin(slot, ONE).1, Some(slot + 1));
        }
        assert_eq!(begin(FULL - 1, ONE).1, None, "the device is full");
        assert_eq!(begin(3, ONE / 2).1, None);
        assert_eq!(begin(5, ONE / 2).1, Some(FULL), "two halves have ended");
        assert_eq!(room(&[const { None }; SLOTS], None), Some(0));
    }

    #[test]
    fn a_device_that_is_slow_gets_no_more_than_it_computes_in_a_while() {
        let mut on_device: [Option<Chunk>; SLOTS] = [const { None }; SLOTS];
        on_device[0] = Some(Chunk { items: 0..ONE, flying: ONE as u32, goes_on: true });
        // Two chunks would take twice as long: 256 steps of them 160 ms, or 128 ms.
        let round =
            |steps, milliseconds| Some(Round { steps, flying: ONE as u32, taken: Duration::from_millis(milliseconds) });
        assert_eq!([round(128, 40), round(256, 64)].map(|last| room(&on_device, last)), [None, Some(1)]);
        // The last of the first chunk do not fill it.
        on_device[0] = Some(Chunk { items: 0..ONE, flying: ONE as u32 / 8, goes_on: true });
        assert_eq!(room(&on_device, round(128, 40)), Some(1));
        on_device[0] = None;
        assert_eq!(room(&on_device, round(128, 4000)), Some(0));
    }
}
