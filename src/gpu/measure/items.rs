//! The stages of a job with one answer for each item.

use std::hint::black_box;
use std::time::Duration;

use bytemuck::Pod;
use wgpu::CommandEncoderDescriptor;

use super::{Stages, repeat, repeat_on_device};
use crate::gpu::buffer::{Buffer, Download, ItemJob, Upload, largest_chunk, part};
use crate::gpu::device::Device;
use crate::gpu::items::Codec;
use crate::gpu::{GpuError, SearchForm};

/// Measures packing, the way there, the kernel, the way back and decoding for the first chunk of items.
pub(super) fn measure<T: Sync, I: Pod + Send, O: Pod + Sync, R: Send>(
    device: &Device,
    job: &ItemJob<'_>,
    codec: &Codec<impl Fn(&T) -> I + Sync, impl Fn(&T, &O) -> Option<R> + Sync>,
    search: Option<SearchForm>,
    items: &[T],
    time: Duration,
) -> Result<Stages, GpuError> {
    let items = &items[..items.len().min(largest_chunk(device, size_of::<I>().max(size_of::<O>())))];
    let values = codec.packed(items);
    let (bytes_up, bytes_down) = (size_of_val(values.as_slice()) as u64, (items.len() * size_of::<O>()) as u64);

    let (mut input, mut output) = (Buffer::storage("items"), Buffer::storage("answers"));
    let (input, output) = (input.with_room(device, bytes_up)?, output.with_room(device, bytes_down)?);
    let (mut upload, mut download) = (Upload::new("upload"), Download::new("download"));
    let group = job.kernel.group(device, &job.bindings(part(input, bytes_up), part(output, bytes_down)));

    let packing = repeat(time, || {
        black_box(codec.packed(items));
        Ok(())
    })?;
    let uploading = repeat(time, || {
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(job.name) });
        upload.record(device, &mut encoder, bytemuck::cast_slice(&values), input)?;
        let submission = device.queue.submit([encoder.finish()]);
        upload.reclaim();
        device.wait(submission, job.name)
    })?;
    let computing =
        repeat_on_device(device, job.name, time, |encoder| job.kernel.record(encoder, &group, items.len() as u32))?;
    let mut answers: Vec<O> = Vec::new();
    let downloading = repeat(time, || {
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(job.name) });
        let size = download.record(device, &mut encoder, &[(output, bytes_down)])?;
        let submission = device.queue.submit([encoder.finish()]);
        download.ask(size);
        device.wait(submission, job.name)?;
        answers = download.read(device, size, bytemuck::pod_collect_to_vec)?;
        Ok(())
    })?;
    let decoding = repeat(time, || {
        black_box(codec.decoded(items, &answers));
        Ok(())
    })?;
    Ok(Stages {
        search,
        items: items.len() as u64,
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
