//! Landings in progress: chunks whose states stay on the device, slice by slice, until all have ended.
//!
//! A slice receives the list of landings in progress and writes the list of those still in progress at its end, so that
//! the next one has no idle lanes. The order of that list is random; landings do not depend on it.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use wgpu::{BindingResource, BufferUsages, CommandEncoder, CommandEncoderDescriptor, MapMode, SubmissionIndex};

use super::NAME;
use crate::gpu::GpuError;
use crate::gpu::buffer::{Buffer, fault, part};
use crate::gpu::device::Device;
use crate::gpu::kernel::Kernel;
use crate::gpu::wire::{LANES, LandingWire, Slice};

/// Chunks in flight: while the host handles one, the others compute.
const SLOTS: usize = 3;
/// Bytes of the count in front of a list of landings under way.
const COUNT: u64 = size_of::<u32>() as u64;

/// Steps of the first slice, and the minimum worth a dispatch: loading and storing the states then costs less than a
/// thirtieth of it.
const MIN_STEPS: u32 = 100;
/// Maximum number of steps of a slice: a tenth of a short landing. More would gain nothing, and keep the lanes of
/// finished landings idle for longer.
const MAX_STEPS: u32 = 256;
/// Target duration of a dispatch: long compared to its overhead, short compared to driver watchdogs.
const GOOD_DISPATCH: Duration = Duration::from_millis(75);
/// Maximum duration of a dispatch, however few steps that leaves.
const MAX_DISPATCH: Duration = Duration::from_millis(500);

/// Number of steps per slice. Results do not depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    /// A given number.
    Given(u32),
    /// Adapted to measured durations.
    Measured(u32),
    /// One step, and no further slices, whether landings have ended or not.
    OneStep,
}

impl Pace {
    pub fn new(given: Option<u32>) -> Self {
        given.map_or(Self::Measured(MIN_STEPS), |steps| Self::Given(steps.max(1)))
    }

    fn steps(self) -> u32 {
        match self {
            Self::Given(steps) | Self::Measured(steps) => steps,
            Self::OneStep => 1,
        }
    }

    /// Adapts to the duration of a slice with this many steps.
    fn learn(&mut self, steps: u32, taken: Duration) {
        if let Self::Measured(next) = self {
            let within = |time: Duration| f64::from(steps) * time.as_secs_f64() / taken.as_secs_f64().max(1e-6);
            // The first slices are no measure of the later ones: a factor of two at a time.
            let good = within(GOOD_DISPATCH).clamp(0.5 * f64::from(steps), 2.0 * f64::from(steps));
            *next = (good.max(f64::from(MIN_STEPS)).min(within(MAX_DISPATCH)) as u32).clamp(1, MAX_STEPS);
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
pub(super) struct Packed {
    pub count: usize,
    pub landings: Vec<u32>,
    pub states: Vec<u32>,
}

/// The chunks on their way, with buffers that are kept from call to call.
#[derive(Debug)]
pub(super) struct Slots {
    slots: [Slot; SLOTS],
}

/// One chunk's buffers.
#[derive(Debug)]
pub(super) struct Slot {
    slice: Buffer,
    landings: Buffer,
    states: Buffer,
    /// The landings under way before a slice and those after it, in turns.
    flying: Buffer,
    still_flying: Buffer,
    count: Buffer,
    answers: Buffer,
}

/// A command submitted to the device for a chunk.
struct OnItsWay {
    slot: usize,
    chunk: Chunk,
    submission: SubmissionIndex,
    task: Task,
}

/// Some items on the device.
struct Chunk {
    items: Range<usize>,
    /// Those of them that are under way.
    flying: u32,
    pace: Pace,
}

enum Task {
    /// Some steps, and the count of landings that are still under way after them.
    Fly { steps: u32, since: Instant },
    /// Reading the states.
    Read,
}

impl Slots {
    pub fn new() -> Self {
        Self { slots: std::array::from_fn(|_| Slot::new()) }
    }

    /// Computes `items` landings to their ends, `chunk` at a time. `pack` encodes a range of them; `take` receives
    /// their final states.
    pub fn run(
        &mut self,
        job: &SliceJob<'_>,
        items: usize,
        chunk: usize,
        pace: Pace,
        pack: impl Fn(Range<usize>) -> Result<Packed, GpuError>,
        take: impl FnMut(Range<usize>, &[u32]) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let chunks = (0..items).step_by(chunk).map(|first| {
            let items = first..items.min(first + chunk);
            let packed = pack(items.clone())?;
            Ok((Chunk { flying: items.len() as u32, items, pace }, packed))
        });
        let result = self.run_chunks(job, chunks, take);
        if result.is_err() {
            // What is mapped, and what still computes, is not known any more.
            *self = Self::new();
        }
        result
    }

    fn run_chunks(
        &mut self,
        job: &SliceJob<'_>,
        mut chunks: impl Iterator<Item = Result<(Chunk, Packed), GpuError>>,
        mut take: impl FnMut(Range<usize>, &[u32]) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let mut queue = VecDeque::with_capacity(SLOTS);
        for (number, slot) in self.slots.iter_mut().enumerate() {
            if let Some((chunk, packed)) = chunks.next().transpose()? {
                slot.fill(job.device, &packed)?;
                queue.push_back(slot.fly(job, number, chunk)?);
            }
        }
        // When the device last was known to be done with something.
        let mut idle_since = Instant::now();
        while let Some(OnItsWay { slot: number, mut chunk, submission, task }) = queue.pop_front() {
            job.device.wait(submission, NAME)?;
            let slot = &mut self.slots[number];
            match task {
                Task::Fly { steps, since } => {
                    let now = Instant::now();
                    chunk.pace.learn(steps, now - since.max(idle_since));
                    idle_since = now;
                    chunk.flying = slot.count(job)?;
                    let ended = chunk.flying == 0 || matches!(chunk.pace, Pace::OneStep);
                    queue.push_back(if ended { slot.read(job, number, chunk) } else { slot.fly(job, number, chunk) }?);
                }
                Task::Read => {
                    slot.take(job, chunk.items, &mut take)?;
                    if let Some((chunk, packed)) = chunks.next().transpose()? {
                        slot.fill(job.device, &packed)?;
                        queue.push_back(slot.fly(job, number, chunk)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// A slot for a single chunk.
    pub fn first(&mut self) -> &mut Slot {
        &mut self.slots[0]
    }

    /// Advances this many landings in the first slot by `count` steps and returns the states of all after each step, side by
    /// side in blocks.
    pub fn trace(&mut self, job: &SliceJob<'_>, count: usize, items: usize) -> Result<Vec<u32>, GpuError> {
        let states = self.slots[0].trace(job, count, items);
        if states.is_err() {
            *self = Self::new();
        }
        states
    }
}

impl Slot {
    fn new() -> Self {
        let download = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Self {
            slice: Buffer::new("a slice of steps", BufferUsages::UNIFORM | BufferUsages::COPY_DST),
            landings: Buffer::storage("landings"),
            states: Buffer::storage("states of landings"),
            flying: Buffer::storage("landings under way"),
            still_flying: Buffer::storage("landings still under way"),
            count: Buffer::new("count read back", download),
            answers: Buffer::new("states read back", download),
        }
    }

    /// Sends inputs and states; all landings are under way.
    pub fn fill(&mut self, device: &Device, packed: &Packed) -> Result<(), GpuError> {
        let items = packed.count as u32;
        let flying: Vec<u32> = std::iter::once(items).chain(0..items).collect();
        self.landings.fill(device, &packed.landings)?;
        self.states.fill(device, &packed.states)?;
        self.flying.fill(device, &flying)?;
        self.still_flying.with_room(device, COUNT + u64::from(items) * COUNT)?;
        Ok(())
    }

    fn fly(&mut self, job: &SliceJob<'_>, number: usize, chunk: Chunk) -> Result<OnItsWay, GpuError> {
        let (device, steps) = (job.device, chunk.pace.steps());
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        self.slice.fill(device, &[Slice::new(steps)])?;
        self.record_slice(job, &mut encoder, chunk.items.len(), chunk.flying)?;
        let count = self.count.with_room(device, COUNT)?;
        encoder.copy_buffer_to_buffer(self.flying.with_room(device, COUNT)?, 0, count, 0, COUNT);
        let since = Instant::now();
        let submission = device.queue.submit([encoder.finish()]);
        count.map_async(MapMode::Read, ..COUNT, |_| ());
        device.check(NAME)?;
        Ok(OnItsWay { slot: number, chunk, submission, task: Task::Fly { steps, since } })
    }

    /// Records one run of the kernel over the `flying` landings in progress; those still in progress after it are
    /// listed in `flying`.
    fn record_slice(
        &mut self,
        job: &SliceJob<'_>,
        encoder: &mut CommandEncoder,
        items: usize,
        flying: u32,
    ) -> Result<(), GpuError> {
        let device = job.device;
        let (input_bytes, state_bytes) = job.bytes(items);
        let still_flying = self.still_flying.with_room(device, COUNT)?;
        encoder.clear_buffer(still_flying, 0, Some(COUNT));
        let mut bindings = job.shared.clone();
        bindings.extend(self.slice.binding());
        bindings.push(part(self.landings.with_room(device, input_bytes)?, input_bytes));
        bindings.push(part(self.states.with_room(device, state_bytes)?, state_bytes));
        bindings.extend(self.flying.binding());
        bindings.push(still_flying.as_entire_binding());
        bindings.extend(job.curves.clone());
        job.kernel.dispatch(device, encoder, &bindings, flying);
        std::mem::swap(&mut self.flying, &mut self.still_flying);
        Ok(())
    }

    /// Number of landings in progress after the last slice.
    fn count(&mut self, job: &SliceJob<'_>) -> Result<u32, GpuError> {
        let count = self.count.with_room(job.device, COUNT)?;
        let view = count.get_mapped_range(..COUNT).map_err(|error| fault(job.device, NAME, &error))?;
        let flying = bytemuck::pod_read_unaligned(&view);
        drop(view);
        count.unmap();
        Ok(flying)
    }

    fn read(&mut self, job: &SliceJob<'_>, number: usize, chunk: Chunk) -> Result<OnItsWay, GpuError> {
        let submission = self.fetch(job, chunk.items.len())?;
        Ok(OnItsWay { slot: number, chunk, submission, task: Task::Read })
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

    /// Flies the landings that it was filled with to their ends while nothing else is on its way; gives how many took part
    /// in each slice, summed over the slices.
    pub fn fly_alone(&mut self, job: &SliceJob<'_>, items: usize, pace: Pace) -> Result<u64, GpuError> {
        let mut chunk = Chunk { items: 0..items, flying: items as u32, pace };
        let mut flown = 0;
        while chunk.flying > 0 {
            flown += u64::from(chunk.flying);
            let (start, steps) = (Instant::now(), chunk.pace.steps());
            let on_its_way = self.fly(job, 0, chunk)?;
            job.device.wait(on_its_way.submission, NAME)?;
            chunk = on_its_way.chunk;
            chunk.pace.learn(steps, start.elapsed());
            chunk.flying = self.count(job)?;
        }
        Ok(flown)
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

    fn trace(&mut self, job: &SliceJob<'_>, count: usize, items: usize) -> Result<Vec<u32>, GpuError> {
        let device = job.device;
        let (_, state_bytes) = job.bytes(items);
        let bytes = count as u64 * state_bytes;
        self.slice.fill(device, &[Slice::new(1)])?;
        self.answers.with_room(device, bytes)?;
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        for step in 0..count as u64 {
            self.record_slice(job, &mut encoder, items, items as u32)?;
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
