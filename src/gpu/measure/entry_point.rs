//! The stages of job `entry_point`.

use std::hint::black_box;
use std::time::Duration;

use wgpu::CommandEncoderDescriptor;

use super::{Stages, repeat, repeat_on_device};
use crate::gpu::buffer::{Buffer, Download, ItemJob, Upload, largest_chunk, part};
use crate::gpu::entry_point::{NAME, decode_all, pack};
use crate::gpu::wire::{EntryPointWire, RayWire};
use crate::gpu::{GpuError, Session, shader};
use crate::query::Ray;
use crate::scene::Scene;

pub(super) fn measure(session: &mut Session, scene: &Scene, rays: &[Ray], time: Duration) -> Result<Stages, GpuError> {
    let buffers = session.scene(scene)?;
    let kernel = session.kernel(NAME, shader::entry_point_source(&buffers.search.source))?;
    let (device, origin) = (&session.device, buffers.wire.origin);
    let rays = &rays[..rays.len().min(largest_chunk(device, size_of::<RayWire>()))];
    let values = pack(origin, rays);
    let (bytes_up, bytes_down) =
        (size_of_val(values.as_slice()) as u64, (rays.len() * size_of::<EntryPointWire>()) as u64);

    let (mut input, mut output) = (Buffer::storage("items"), Buffer::storage("answers"));
    let (input, output) = (input.with_room(device, bytes_up)?, output.with_room(device, bytes_down)?);
    let (mut upload, mut download) = (Upload::new("upload"), Download::new("download"));
    let job = ItemJob { name: NAME, kernel: &kernel, shared: buffers.bindings() };
    let group = kernel.group(device, &job.bindings(part(input, bytes_up), part(output, bytes_down)));

    let packing = repeat(time, || {
        black_box(pack(origin, rays));
        Ok(())
    })?;
    let uploading = repeat(time, || {
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        upload.record(device, &mut encoder, bytemuck::cast_slice(&values), input)?;
        let submission = device.queue.submit([encoder.finish()]);
        upload.reclaim();
        device.wait(submission, NAME)
    })?;
    let computing = repeat_on_device(device, NAME, time, |encoder| kernel.record(encoder, &group, rays.len() as u32))?;
    let mut answers: Vec<EntryPointWire> = Vec::new();
    let downloading = repeat(time, || {
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        let size = download.record(device, &mut encoder, &[(output, bytes_down)])?;
        let submission = device.queue.submit([encoder.finish()]);
        download.ask(size);
        device.wait(submission, NAME)?;
        answers = download.read(device, size, bytemuck::pod_collect_to_vec)?;
        Ok(())
    })?;
    let decoding = repeat(time, || {
        black_box(decode_all(scene, origin, rays, &answers));
        Ok(())
    })?;
    Ok(Stages {
        search: buffers.search.form,
        items: rays.len() as u64,
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
