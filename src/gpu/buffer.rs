//! Growing buffers, and chunks of items in flight through a kernel.

use std::num::NonZeroU64;
use std::ops::Range;

use bytemuck::Pod;
use wgpu::{
    BindingResource, BufferUsages, BufferViewMut, CommandEncoder, CommandEncoderDescriptor, MapMode, SubmissionIndex,
};

use super::GpuError;
use super::device::Device;
use super::kernel::Kernel;
use super::shader::WORKGROUP;
use crate::parallel;

/// Values written per task of a thread: enough to make scheduling free, and a multiple of what memory wants.
const VALUES_PER_TASK: usize = 8192;
/// Values written at a time, from the fastest cache.
pub(super) const BLOCK: usize = 64;
/// Chunks in flight: one is filled, one computed, one read.
const SLOTS: usize = 3;

/// A buffer that is reallocated when too small.
#[derive(Debug)]
pub(super) struct Buffer {
    label: &'static str,
    usage: BufferUsages,
    inner: Option<wgpu::Buffer>,
}

impl Buffer {
    /// A buffer without memory yet.
    pub fn new(label: &'static str, usage: BufferUsages) -> Self {
        Self { label, usage, inner: None }
    }

    /// A storage buffer.
    pub fn storage(label: &'static str) -> Self {
        Self::new(label, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)
    }

    /// True if it can hold this many bytes without growing.
    fn has_room(&self, bytes: u64) -> bool {
        self.inner.as_ref().is_some_and(|buffer| buffer.size() >= bytes)
    }

    /// The buffer with room for this many bytes; its contents are lost if it grows.
    pub fn with_room(&mut self, device: &Device, bytes: u64) -> Result<&wgpu::Buffer, GpuError> {
        // Copies and clears want multiples of four; nothing can be bound that is empty.
        let size = bytes.max(4).next_multiple_of(4);
        if !self.has_room(size) {
            self.inner = None;
            let descriptor =
                wgpu::BufferDescriptor { label: Some(self.label), size, usage: self.usage, mapped_at_creation: false };
            let buffer = device.inner.create_buffer(&descriptor);
            device.check(self.label)?;
            self.inner = Some(buffer);
        }
        self.inner.as_ref().ok_or_else(|| fault(device, self.label, &"no buffer"))
    }

    /// As a kernel binding; `None` before allocation.
    pub fn binding(&self) -> Option<BindingResource<'_>> {
        self.inner.as_ref().map(wgpu::Buffer::as_entire_binding)
    }

    /// Fills it with these values.
    pub fn fill<T: Pod>(&mut self, device: &Device, values: &[T]) -> Result<&wgpu::Buffer, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let uniform = self.usage.contains(BufferUsages::UNIFORM);
        let limits = &device.limits;
        let allowed =
            if uniform { limits.max_uniform_buffer_binding_size } else { limits.max_storage_buffer_binding_size };
        if bytes.len() as u64 > allowed {
            let adapter = device.name.clone();
            return Err(GpuError::BufferTooLarge { what: self.label, bytes: bytes.len() as u64, allowed, adapter });
        }
        // A kernel declares an array of values, and no binding may be smaller than one: a scene may have no leaf.
        let buffer = self.with_room(device, bytes.len().max(size_of::<T>()) as u64)?;
        device.queue.write_buffer(buffer, 0, bytes);
        Ok(buffer)
    }
}

/// Transfer to a device: written here, copied there.
#[derive(Debug)]
pub(super) struct Upload {
    label: &'static str,
    staging: Buffer,
}

impl Upload {
    pub fn new(label: &'static str) -> Self {
        Self { label, staging: Buffer::new(label, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC) }
    }

    /// Takes this many bytes, which `write` writes, and records their copy.
    pub fn record(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        size: u64,
        to: &wgpu::Buffer,
        write: impl FnOnce(&Outgoing<'_>) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let is_mapped = self.staging.has_room(size);
        let staging = self.staging.with_room(device, size)?;
        if !is_mapped {
            staging.map_async(MapMode::Write, .., |_| ());
            let _ = device.inner.poll(wgpu::PollType::Poll);
        }
        write(&Outgoing { device, label: self.label, memory: staging })?;
        staging.unmap();
        encoder.copy_buffer_to_buffer(staging, 0, to, 0, size);
        Ok(())
    }

    /// Requests the staging buffer back once the submitted copy is done.
    pub fn reclaim(&self) {
        if let Some(staging) = &self.staging.inner {
            staging.map_async(MapMode::Write, .., |_| ());
        }
    }
}

/// Memory that a device copies from. Any thread may write to it, each place once.
pub(super) struct Outgoing<'a> {
    device: &'a Device,
    label: &'static str,
    memory: &'a wgpu::Buffer,
}

impl Outgoing<'_> {
    /// Writes all values.
    pub fn write<T: Pod>(&self, values: &[T]) -> Result<(), GpuError> {
        let mut places = self.places(0..size_of_val(values))?;
        places.copy_from_slice(bytemuck::cast_slice(values));
        Ok(())
    }

    /// Writes the value of each number, on all threads.
    pub fn write_numbers<T: Pod>(&self, count: usize, value: impl Fn(usize) -> T + Sync) -> Result<(), GpuError> {
        self.write_blocks(count, |first, block: &mut [T]| {
            block.iter_mut().zip(first..).for_each(|(place, number)| *place = value(number));
        })
    }

    /// Writes values, several at a time on all threads: a function gets the number of the first and their places.
    pub fn write_blocks<T: Pod>(&self, count: usize, fill: impl Fn(usize, &mut [T]) + Sync) -> Result<(), GpuError> {
        let written = parallel::map_numbers(count.div_ceil(VALUES_PER_TASK), 1, |task| {
            let range = task * VALUES_PER_TASK..count.min((task + 1) * VALUES_PER_TASK);
            let mut places = self.places(range.start * size_of::<T>()..range.end * size_of::<T>())?;
            // The memory may be slow to write to piece by piece.
            let mut block = [T::zeroed(); BLOCK];
            for first in range.clone().step_by(BLOCK) {
                let block = &mut block[..BLOCK.min(range.end - first)];
                fill(first, block);
                let at = (first - range.start) * size_of::<T>();
                places.slice(at..at + size_of_val(block)).copy_from_slice(bytemuck::cast_slice(block));
            }
            Ok(())
        });
        written.into_iter().collect()
    }

    fn places(&self, bytes: Range<usize>) -> Result<BufferViewMut, GpuError> {
        let view = self.memory.get_mapped_range_mut(bytes.start as u64..bytes.end as u64);
        view.map_err(|error| fault(self.device, self.label, &error))
    }
}

/// Transfer from a device: copied there, read here.
#[derive(Debug)]
pub(super) struct Download {
    label: &'static str,
    staging: Buffer,
}

impl Download {
    pub fn new(label: &'static str) -> Self {
        Self { label, staging: Buffer::new(label, BufferUsages::MAP_READ | BufferUsages::COPY_DST) }
    }

    /// Records the copy of the leading bytes of buffers, one after the other; returns the total.
    pub fn record(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        from: &[(&wgpu::Buffer, u64)],
    ) -> Result<u64, GpuError> {
        let whole = from.iter().map(|(_, size)| size).sum();
        let staging = self.staging.with_room(device, whole)?;
        let mut at = 0;
        for (buffer, size) in from {
            encoder.copy_buffer_to_buffer(buffer, 0, staging, at, *size);
            at += size;
        }
        Ok(whole)
    }

    /// Requests the bytes once the submitted copy is done.
    pub fn ask(&self, size: u64) {
        if let Some(staging) = &self.staging.inner {
            staging.map_async(MapMode::Read, ..size, |_| ());
        }
    }

    /// Passes on the requested bytes; the copy must be done.
    pub fn read<R>(&mut self, device: &Device, size: u64, see: impl FnOnce(&[u8]) -> R) -> Result<R, GpuError> {
        let staging = self.staging.with_room(device, size)?;
        let view = staging.get_mapped_range(..size).map_err(|error| fault(device, self.label, &error))?;
        let seen = see(&view);
        drop(view);
        staging.unmap();
        Ok(seen)
    }
}

/// Buffers of one chunk: input and output, on host and device.
#[derive(Debug)]
struct Slot {
    upload: Upload,
    input: Buffer,
    output: Buffer,
    download: Download,
    on_its_way: Option<OnItsWay>,
}

#[derive(Debug)]
struct OnItsWay {
    items: Range<usize>,
    submission: SubmissionIndex,
}

/// Buffers of the chunks in flight, kept between calls: allocating and mapping new ones costs more than the work.
#[derive(Debug)]
pub(super) struct Slots {
    slots: [Slot; SLOTS],
}

/// A kernel that computes one answer for each item.
pub(super) struct ItemJob<'a> {
    pub name: &'static str,
    pub kernel: &'a Kernel,
    /// Data shared by all items; items and answers are bound after them.
    pub shared: Vec<BindingResource<'a>>,
}

impl<'a> ItemJob<'a> {
    /// All bindings of the kernel.
    pub fn bindings<'b>(&self, items: BindingResource<'b>, answers: BindingResource<'b>) -> Vec<BindingResource<'b>>
    where
        'a: 'b,
    {
        let mut bindings: Vec<BindingResource<'b>> = self.shared.clone();
        bindings.extend([items, answers]);
        bindings
    }
}

impl Slots {
    pub fn new() -> Self {
        Self { slots: std::array::from_fn(|_| Slot::new()) }
    }

    /// Runs a job over `items` items, at most `chunk` at a time. `pack` writes a range of items; `take` receives the
    /// answers, range by range in order.
    pub fn run<I: Pod, O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        items: usize,
        chunk: usize,
        pack: impl FnMut(Range<usize>, &Outgoing<'_>) -> Result<(), GpuError>,
        take: impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        let sizes = [size_of::<I>(), size_of::<O>()];
        self.run_sized(device, job, (items, sizes), chunk, pack, take)
    }

    /// The same for items and answers of these sizes \[bytes\], each of several values.
    pub fn run_sized<O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        items: (usize, [usize; 2]),
        chunk: usize,
        pack: impl FnMut(Range<usize>, &Outgoing<'_>) -> Result<(), GpuError>,
        take: impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        let result = self.run_chunks(device, job, items, chunk, pack, take);
        if result.is_err() {
            // What is mapped, and what still computes, is not known any more.
            *self = Self::new();
        }
        result
    }

    fn run_chunks<O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        (items, [item_size, answer_size]): (usize, [usize; 2]),
        chunk: usize,
        mut pack: impl FnMut(Range<usize>, &Outgoing<'_>) -> Result<(), GpuError>,
        mut take: impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        let chunk = chunk.min(largest_chunk(device, item_size.max(answer_size))).max(1);
        let chunks = items.div_ceil(chunk);
        for turn in 0..chunks + SLOTS {
            let slot = &mut self.slots[turn % SLOTS];
            if let Some(done) = slot.on_its_way.take() {
                slot.collect(device, job, &done, answer_size, &mut take)?;
            }
            if turn < chunks {
                let range = turn * chunk..items.min((turn + 1) * chunk);
                slot.start(device, job, range.clone(), [item_size, answer_size], |to| pack(range, to))?;
            }
        }
        Ok(())
    }
}

/// The maximum number of items of this size per chunk on the adapter.
pub(super) fn largest_chunk(device: &Device, item_bytes: usize) -> usize {
    let limits = &device.limits;
    let by_dispatch = limits.max_compute_workgroups_per_dimension as usize * WORKGROUP as usize;
    let by_size = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) as usize / item_bytes;
    by_dispatch.min(by_size)
}

impl Slot {
    fn new() -> Self {
        Self {
            upload: Upload::new("upload"),
            input: Buffer::storage("items"),
            output: Buffer::storage("answers"),
            download: Download::new("download"),
            on_its_way: None,
        }
    }

    fn start(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        items: Range<usize>,
        sizes: [usize; 2],
        write: impl FnOnce(&Outgoing<'_>) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let [input_size, output_size] = sizes.map(|size| (items.len() * size) as u64);
        let input = self.input.with_room(device, input_size)?;
        let output = self.output.with_room(device, output_size)?;
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(job.name) });
        self.upload.record(device, &mut encoder, input_size, input, write)?;
        // An answer that the kernel does not write must not be taken for one of the chunk before.
        encoder.clear_buffer(output, 0, Some(output_size));
        let bindings = job.bindings(part(input, input_size), part(output, output_size));
        job.kernel.dispatch(device, &mut encoder, &bindings, items.len() as u32);
        self.download.record(device, &mut encoder, &[(output, output_size)])?;
        let submission = device.queue.submit([encoder.finish()]);
        self.upload.reclaim();
        self.download.ask(output_size);
        device.check(job.name)?;
        self.on_its_way = Some(OnItsWay { items, submission });
        Ok(())
    }

    fn collect<O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        done: &OnItsWay,
        answer_size: usize,
        take: &mut impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        device.wait(done.submission.clone(), job.name)?;
        let size = (done.items.len() * answer_size) as u64;
        self.download.read(device, size, |bytes| take(done.items.clone(), bytemuck::cast_slice(bytes)))
    }
}

/// The first bytes of a buffer, as a binding.
pub(super) fn part(buffer: &wgpu::Buffer, bytes: u64) -> BindingResource<'_> {
    BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: NonZeroU64::new(bytes) })
}

/// A fault of this program or of the driver, or what has been noted as its cause.
pub(super) fn fault(device: &Device, what: &str, cause: &impl ToString) -> GpuError {
    device.check(what).err().unwrap_or_else(|| GpuError::Fault {
        adapter: device.name.clone(),
        what: what.to_owned(),
        cause: cause.to_string(),
    })
}
