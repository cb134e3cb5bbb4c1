//! Rates of a device, measured with single-purpose kernels.

use std::time::Duration;

use wgpu::CommandEncoderDescriptor;

use super::{Stage, repeat, repeat_on_device, submit};
use crate::gpu::buffer::{Buffer, Download, Upload};
use crate::gpu::device::Device;
use crate::gpu::shader::{self, WORKGROUP};
use crate::gpu::{GpuError, Session};

/// Bytes that are copied for each item of a chunk: 512 MiB in all, more than any cache holds.
const COPIED_PER_ITEM: u64 = 512;
/// Bytes that go to the device and back at a time, as many as a chunk of rays has.
const SENT: u64 = 32 << 20;
/// Invocations of the kernel of sums: several times as many as any GPU holds at once.
const SUMS: u32 = 1 << 20;
/// Rounds that each of them runs.
const ROUNDS: u32 = 128;

/// Rates of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Device memory read and written by a kernel, half each \[bytes/s\].
    pub memory: f64,
    /// Additions and multiplications in f32, fused in pairs \[1/s\].
    pub arithmetic: f64,
    /// Transfer from host to device memory \[bytes/s\].
    pub upload: f64,
    /// Transfer from device to host memory \[bytes/s\].
    pub download: f64,
    /// Duration of an empty kernel, one of many in a submission \[s\].
    pub dispatch: f64,
    /// Duration of a submission with one empty kernel, including the wait \[s\].
    pub submission: f64,
}

pub(super) fn measure(session: &mut Session, chunk: usize, time: Duration) -> Result<Rates, GpuError> {
    let copy = session.kernel("copy", shader::limits_source(shader::COPY, ROUNDS))?;
    let sums = session.kernel("sums", shader::limits_source(shader::SUMS, ROUNDS))?;
    let nothing = session.kernel("nothing", shader::limits_source(shader::NOTHING, ROUNDS))?;
    let device = &session.device;

    let limits = &device.limits;
    let size = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(chunk as u64 * COPIED_PER_ITEM);
    // Whole vectors of four.
    let size = size / 16 * 16;
    let (mut from, mut to) = (Buffer::storage("from"), Buffer::storage("to"));
    let (from, to) = (from.with_room(device, size)?, to.with_room(device, size)?);
    let group = copy.group(device, &[from.as_entire_binding(), to.as_entire_binding()]);
    let workgroups = limits
        .max_compute_workgroups_per_dimension
        .min(u32::try_from(size / 16).unwrap_or(u32::MAX).div_ceil(WORKGROUP));
    let copying =
        repeat_on_device(device, "copy", time, |encoder| copy.record(encoder, &group, workgroups * WORKGROUP))?;

    let (mut numbers, mut results) = (Buffer::storage("numbers"), Buffer::storage("sums"));
    let numbers = numbers.fill(device, &[0.999f32, 0.001])?;
    let results = results.with_room(device, 4 * u64::from(SUMS))?;
    let group = sums.group(device, &[numbers.as_entire_binding(), results.as_entire_binding()]);
    let summing = repeat_on_device(device, "sums", time, |encoder| sums.record(encoder, &group, SUMS))?;

    let group = nothing.group(device, &[results.as_entire_binding()]);
    let dispatching = repeat_on_device(device, "nothing", time, |encoder| nothing.record(encoder, &group, 1))?;
    let submitting = repeat(time, || submit(device, "nothing", |encoder| nothing.record(encoder, &group, 1)))?;

    let (upload, download) = link(device, time)?;
    let operations = f64::from(SUMS) * f64::from(ROUNDS) * f64::from(shader::OPERATIONS_PER_ROUND);
    Ok(Rates {
        memory: 2.0 * size as f64 / copying.seconds(),
        arithmetic: operations / summing.seconds(),
        upload: SENT as f64 / upload.seconds(),
        download: SENT as f64 / download.seconds(),
        dispatch: dispatching.seconds(),
        submission: submitting.seconds(),
    })
}

/// Bytes from this machine's memory to the device's, and back.
fn link(device: &Device, time: Duration) -> Result<(Stage, Stage), GpuError> {
    let mut there = Buffer::storage("bytes");
    let there = there.with_room(device, SENT)?;
    let (mut upload, mut download) = (Upload::new("bytes sent"), Download::new("bytes read back"));
    let label = CommandEncoderDescriptor { label: Some("bytes") };
    let up = repeat(time, || {
        let mut encoder = device.inner.create_command_encoder(&label);
        upload.record(device, &mut encoder, SENT, there, |_| Ok(()))?;
        let submission = device.queue.submit([encoder.finish()]);
        upload.reclaim();
        device.wait(submission, "bytes")
    })?;
    let down = repeat(time, || {
        let mut encoder = device.inner.create_command_encoder(&label);
        let size = download.record(device, &mut encoder, &[(there, SENT)])?;
        let submission = device.queue.submit([encoder.finish()]);
        download.ask(size);
        device.wait(submission, "bytes")?;
        download.read(device, size, |_| ())
    })?;
    Ok((up, down))
}

#[cfg(test)]
mod tests {
    use bytemuck::Pod;

    use super::*;

    fn session() -> Session {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        Session::open(Some(&adapter)).unwrap()
    }

    /// What a kernel leaves in its second buffer, with `invocations`.
    fn run<I: Pod, O: Pod>(source: &str, rounds: u32, input: &[I], output: &[O], invocations: u32) -> Vec<O> {
        let mut session = session();
        let kernel = session.kernel("test", shader::limits_source(source, rounds)).unwrap();
        let device = &session.device;
        let (mut from, mut to, mut download) = (Buffer::storage("from"), Buffer::storage("to"), Download::new("back"));
        let (from, to) = (from.fill(device, input).unwrap(), to.fill(device, output).unwrap());
        let group = kernel.group(device, &[from.as_entire_binding(), to.as_entire_binding()]);
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor::default());
        kernel.record(&mut encoder, &group, invocations);
        let size = download.record(device, &mut encoder, &[(to, size_of_val(output) as u64)]).unwrap();
        let submission = device.queue.submit([encoder.finish()]);
        download.ask(size);
        device.wait(submission, "test").unwrap();
        download.read(device, size, bytemuck::pod_collect_to_vec).unwrap()
    }

    #[test]
    fn the_kernel_that_copies_copies_all_of_it() {
        let values: Vec<u32> = (0..4000).collect();
        // Fewer invocations than vectors: each takes several.
        assert_eq!(run(shader::COPY, 1, &values, &vec![0u32; 4000], 128), values);
    }

    #[test]
    fn the_kernel_of_sums_does_all_its_rounds() {
        let rounds = 5;
        let (factor, term) = (0.75f32, 2.0f32);
        let sums = run(shader::SUMS, rounds, &[factor, term], &[0f32; 100], 100);
        for (index, sum) in (0u16..).zip(sums) {
            let chain = |start: f64| (0..4 * rounds).fold(start, |x, _| x * f64::from(factor) + f64::from(term));
            let expected: f64 = (0..16u16).map(|number| chain(f64::from(index + number))).sum();
            // A chain is at step j within 8 + 0.75^j 115 of zero, and what a rounding (two for a step, each of a unit in
            // the last place) does to it fades by 0.75 a step: 2 (4 * 8 + 20 * 0.75^20 * 115) < 80 units for each of 16
            // chains, then 15 sums.
            let bound = f64::from(f32::EPSILON) * (16.0 * 80.0 + 15.0 * expected);
            assert!((f64::from(sum) - expected).abs() <= bound, "{index}: {sum} {expected}");
        }
    }
}
