//! Buffers that grow, and chunks of items on their way through a kernel.

use std::num::NonZeroU64;
use std::ops::Range;

use bytemuck::Pod;
use wgpu::{BindingResource, BufferUsages, CommandEncoderDescriptor, MapMode, SubmissionIndex};

use super::GpuError;
use super::device::Device;
use super::kernel::Kernel;
use super::shader::WORKGROUP;

/// Chunks on their way at the same time: one is filled, one computes, one is read.
const SLOTS: usize = 3;

/// A buffer that is made anew when it is too small.
#[derive(Debug)]
pub(super) struct Buffer {
    label: &'static str,
    usage: BufferUsages,
    inner: Option<wgpu::Buffer>,
}

impl Buffer {
    /// A buffer without room yet.
    pub fn new(label: &'static str, usage: BufferUsages) -> Self {
        Self { label, usage, inner: None }
    }

    /// A buffer for a kernel's use.
    pub fn storage(label: &'static str) -> Self {
        Self::new(label, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)
    }

    /// True when it need not grow to hold this many bytes.
    fn has_room(&self, bytes: u64) -> bool {
        self.inner.as_ref().is_some_and(|buffer| buffer.size() >= bytes)
    }

    /// The buffer with room for this many bytes; what it held is lost when it grows.
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

    /// As a binding of a kernel; `None` before it has room.
    pub fn binding(&self) -> Option<BindingResource<'_>> {
        self.inner.as_ref().map(wgpu::Buffer::as_entire_binding)
    }

    /// Fills it with these values.
    pub fn fill<T: Pod>(&mut self, device: &Device, values: &[T]) -> Result<&wgpu::Buffer, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let allowed = device.limits.max_storage_buffer_binding_size;
        if bytes.len() as u64 > allowed {
            let adapter = device.name.clone();
            return Err(GpuError::BufferTooLarge { what: self.label, bytes: bytes.len() as u64, allowed, adapter });
        }
        let buffer = self.with_room(device, bytes.len() as u64)?;
        device.queue.write_buffer(buffer, 0, bytes);
        Ok(buffer)
    }
}

/// One chunk's buffers: written here, read by the kernel, written by the kernel, read here.
#[derive(Debug)]
struct Slot {
    upload: Buffer,
    input: Buffer,
    output: Buffer,
    download: Buffer,
    on_its_way: Option<OnItsWay>,
}

#[derive(Debug)]
struct OnItsWay {
    items: Range<usize>,
    submission: SubmissionIndex,
}

/// The buffers of the chunks on their way, kept from call to call: making and mapping new ones costs more than the work.
#[derive(Debug)]
pub(super) struct Slots {
    slots: [Slot; SLOTS],
}

/// A kernel that computes one answer for each item.
pub(super) struct ItemJob<'a> {
    pub name: &'static str,
    pub kernel: &'a Kernel,
    /// What all items share; items and answers are bound after them.
    pub shared: Vec<BindingResource<'a>>,
}

impl Slots {
    pub fn new() -> Self {
        Self { slots: std::array::from_fn(|_| Slot::new()) }
    }

    /// Runs a job over `items` items, at most `chunk` at a time. `pack` makes the wire form of a range of items; `take`
    /// gets the answers, range by range in order.
    pub fn run<I: Pod, O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        items: usize,
        chunk: usize,
        pack: impl FnMut(Range<usize>) -> Vec<I>,
        take: impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        let result = self.run_chunks(device, job, items, chunk, pack, take);
        if result.is_err() {
            // What is mapped, and what still computes, is not known any more.
            *self = Self::new();
        }
        result
    }

    fn run_chunks<I: Pod, O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        items: usize,
        chunk: usize,
        mut pack: impl FnMut(Range<usize>) -> Vec<I>,
        mut take: impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        let chunk = chunk.min(largest_chunk(device, size_of::<I>().max(size_of::<O>()))).max(1);
        let chunks = items.div_ceil(chunk);
        for turn in 0..chunks + SLOTS {
            let slot = &mut self.slots[turn % SLOTS];
            if let Some(done) = slot.on_its_way.take() {
                slot.collect(device, job, &done, &mut take)?;
            }
            if turn < chunks {
                let range = turn * chunk..items.min((turn + 1) * chunk);
                let values = pack(range.clone());
                slot.start::<I, O>(device, job, range, &values)?;
            }
        }
        Ok(())
    }
}

/// The largest number of items of this size that the adapter takes at once.
pub(super) fn largest_chunk(device: &Device, item_bytes: usize) -> usize {
    let limits = &device.limits;
    let by_dispatch = limits.max_compute_workgroups_per_dimension as usize * WORKGROUP as usize;
    let by_size = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) as usize / item_bytes;
    by_dispatch.min(by_size)
}

impl Slot {
    fn new() -> Self {
        Self {
            upload: Buffer::new("upload", BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC),
            input: Buffer::storage("items"),
            output: Buffer::storage("answers"),
            download: Buffer::new("download", BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            on_its_way: None,
        }
    }

    fn start<I: Pod, O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        items: Range<usize>,
        values: &[I],
    ) -> Result<(), GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let (input_size, output_size) = (bytes.len() as u64, (items.len() * size_of::<O>()) as u64);
        let is_mapped = self.upload.has_room(input_size);
        let upload = self.upload.with_room(device, input_size)?;
        if !is_mapped {
            upload.map_async(MapMode::Write, .., |_| ());
            let _ = device.inner.poll(wgpu::PollType::Poll);
        }
        upload
            .get_mapped_range_mut(..input_size)
            .map_err(|error| fault(device, job.name, &error))?
            .slice(..)
            .copy_from_slice(bytes);
        upload.unmap();
        let input = self.input.with_room(device, input_size)?;
        let output = self.output.with_room(device, output_size)?;
        let download = self.download.with_room(device, output_size)?;

        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(job.name) });
        encoder.copy_buffer_to_buffer(upload, 0, input, 0, input_size);
        // An answer that the kernel does not write must not be taken for one of the chunk before.
        encoder.clear_buffer(output, 0, Some(output_size));
        let mut bindings = job.shared.clone();
        bindings.extend([part(input, input_size), part(output, output_size)]);
        job.kernel.dispatch(device, &mut encoder, &bindings, items.len() as u32);
        encoder.copy_buffer_to_buffer(output, 0, download, 0, output_size);
        let submission = device.queue.submit([encoder.finish()]);
        upload.map_async(MapMode::Write, .., |_| ());
        download.map_async(MapMode::Read, ..output_size, |_| ());
        device.check(job.name)?;
        self.on_its_way = Some(OnItsWay { items, submission });
        Ok(())
    }

    fn collect<O: Pod>(
        &mut self,
        device: &Device,
        job: &ItemJob<'_>,
        done: &OnItsWay,
        take: &mut impl FnMut(Range<usize>, &[O]),
    ) -> Result<(), GpuError> {
        device.wait(done.submission.clone(), job.name)?;
        let size = (done.items.len() * size_of::<O>()) as u64;
        let download = self.download.with_room(device, size)?;
        let view = download.get_mapped_range(..size).map_err(|error| fault(device, job.name, &error))?;
        take(done.items.clone(), bytemuck::cast_slice(&view));
        drop(view);
        download.unmap();
        Ok(())
    }
}

/// The first bytes of a buffer, as a binding.
pub(super) fn part(buffer: &wgpu::Buffer, bytes: u64) -> BindingResource<'_> {
    BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: NonZeroU64::new(bytes) })
}

/// A fault of this program or of the driver.
pub(super) fn fault(device: &Device, what: &str, cause: &impl ToString) -> GpuError {
    GpuError::Fault { adapter: device.name.clone(), what: what.to_owned(), cause: cause.to_string() }
}
