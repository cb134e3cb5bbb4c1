//! The stages of a job with one answer for each item.

use std::hint::black_box;
use std::time::Duration;

use bytemuck::Pod;
use wgpu::CommandEncoderDescriptor;

use super::{Stage, Stages, repeat, repeat_on_device};
use crate::gpu::buffer::{Buffer, Download, ItemJob, Outgoing, Upload, largest_chunk, part};
use crate::gpu::device::Device;
use crate::gpu::items::Codec;
use crate::gpu::{GpuError, SearchForm};

/// Measures packing, the way there, the kernel, the way back and decoding for the first chunk of items.
pub(super) fn measure<T: Sync, I: Pod, O: Pod + Sync, R: Send>(
    device: &Device,
    job: &ItemJob<'_>,
    codec: &Codec<impl Fn(&T) -> I + Sync, impl Fn(&T, &O) -> Option<R> + Sync>,
    search: Option<SearchForm>,
    items: &[T],
    time: Duration,
) -> Result<Stages, GpuError> {
    let items = &items[..items.len().min(largest_chunk(device, size_of::<I>().max(size_of::<O>())))];
    let mut results = Vec::with_capacity(items.len());
    let host = Host {
        pack: &|to| codec.pack(items, to),
        decode: &mut |answers: &[O]| {
            results.clear();
            // That an item has no answer is for the engine to say.
            let _ = codec.decode(items, answers, &mut results);
            black_box(&results);
        },
    };
    stages(device, job, host, search, (items.len(), [size_of::<I>(), size_of::<O>()]), time)
}

/// What this machine does for a chunk of items.
pub(super) struct Host<'a, O> {
    /// Writes the items.
    pub pack: &'a dyn Fn(&Outgoing<'_>) -> Result<(), GpuError>,
    /// Reads the answers.
    pub decode: &'a mut dyn FnMut(&[O]),
}

/// Measures the stages of items; of each its size and that of its answer \[bytes\].
pub(super) fn stages<O: Pod>(
    device: &Device,
    job: &ItemJob<'_>,
    Host { pack, decode }: Host<'_, O>,
    search: Option<SearchForm>,
    (items, sizes): (usize, [usize; 2]),
    time: Duration,
) -> Result<Stages, GpuError> {
    let [bytes_up, bytes_down] = sizes.map(|size| (items * size) as u64);
    let (mut input, mut output) = (Buffer::storage("items"), Buffer::storage("answers"));
    let (input, output) = (input.with_room(device, bytes_up)?, output.with_room(device, bytes_down)?);
    let (mut upload, mut download) = (Upload::new("upload"), Download::new("download"));
    let group = job.kernel.group(device, &job.bindings(part(input, bytes_up), part(output, bytes_down)));

    let mut send = |write: &mut dyn FnMut(&Outgoing<'_>) -> Result<(), GpuError>| {
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(job.name) });
        upload.record(device, &mut encoder, bytes_up, input, write)?;
        let submission = device.queue.submit([encoder.finish()]);
        upload.reclaim();
        device.wait(submission, job.name)
    };
    let mut packing = Stage { runs: 0, total: Duration::ZERO };
    send(&mut |to| {
        packing = repeat(time, || pack(to))?;
        Ok(())
    })?;
    // What has been written stays there.
    let uploading = repeat(time, || send(&mut |_| Ok(())))?;
    let computing =
        repeat_on_device(device, job.name, time, |encoder| job.kernel.record(encoder, &group, items as u32))?;
    let mut receive = |read: &mut dyn FnMut(&[O]) -> Result<(), GpuError>| {
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(job.name) });
        let size = download.record(device, &mut encoder, &[(output, bytes_down)])?;
        let submission = device.queue.submit([encoder.finish()]);
        download.ask(size);
        device.wait(submission, job.name)?;
        download.read(device, size, |bytes| read(bytemuck::cast_slice(bytes)))?
    };
    let downloading = repeat(time, || receive(&mut |_| Ok(())))?;
    let mut decoding = Stage { runs: 0, total: Duration::ZERO };
    receive(&mut |answers| {
        decoding = repeat(time, || {
            decode(answers);
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(Stages {
        search,
        items: items as u64,
        bytes_up,
        bytes_down,
        bytes_of_kernel: bytes_up + bytes_down,
        pack: packing,
        upload: uploading,
        kernel: computing,
        download: downloading,
        decode: decoding,
    })
}
