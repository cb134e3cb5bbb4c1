//! The stages of a job with one answer for each item.

use std::hint::black_box;
use std::time::Duration;

use bytemuck::Pod;
use wgpu::CommandEncoderDescriptor;

use super::{Stages, repeat, repeat_on_device};
use crate::gpu::buffer::{Buffer, Download, ItemJob, Upload, part};
use crate::gpu::device::Device;
use crate::gpu::{GpuError, SearchForm};

/// Measures `pack`, the way there, the kernel, the way back and `decode` for one chunk.
pub(super) fn measure<I: Pod, O: Pod>(
    device: &Device,
    job: &ItemJob<'_>,
    search: Option<SearchForm>,
    time: Duration,
    pack: impl Fn() -> Vec<I>,
    decode: impl Fn(&[O]),
) -> Result<Stages, GpuError> {
    let values = pack();
    let items = values.len();
    let (bytes_up, bytes_down) = (size_of_val(values.as_slice()) as u64, (items * size_of::<O>()) as u64);

    let (mut input, mut output) = (Buffer::storage("items"), Buffer::storage("answers"));
    let (input, output) = (input.with_room(device, bytes_up)?, output.with_room(device, bytes_down)?);
    let (mut upload, mut download) = (Upload::new("upload"), Download::new("download"));
    let group = job.kernel.group(device, &job.bindings(part(input, bytes_up), part(output, bytes_down)));

    let packing = repeat(time, || {
        black_box(pack());
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
        repeat_on_device(device, job.name, time, |encoder| job.kernel.record(encoder, &group, items as u32))?;
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
        decode(&answers);
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
