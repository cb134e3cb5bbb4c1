//! Opens a device and finds out whether its driver stops long loops in silence.

use super::GpuError;
use super::device::{Device, Loops};
use super::kernel::Kernel;
use super::shader::probe_source;

/// Rounds that the probe asks its loop to run: above the 65,535 at which known drivers stop in silence.
const PROBE_ROUNDS: u32 = 70_000;
/// Rounds that are certain to run for each item where the driver has the limit. It counts rounds of the items that run
/// side by side in vector lanes together, wherever these part; Mesa before 25, the one known driver with the limit, has 8 lanes at most.
const ROUNDS_WITH_LIMIT: u32 = 65_535 / 8;

/// Opens the device of the adapter asked for, or of the best one.
pub(super) fn open(adapter: Option<&str>) -> Result<Device, GpuError> {
    let mut device = Device::open(adapter)?;
    if loops_are_cut(&device)? {
        (device.rounds, device.loops) = (ROUNDS_WITH_LIMIT, Loops::Limited);
    }
    Ok(device)
}

/// Asks the driver to run a long loop and counts.
fn loops_are_cut(device: &Device) -> Result<bool, GpuError> {
    let kernel = Kernel::new(device, "the probe of loops", &probe_source())?;
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let buffer = |label, usage| {
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size: 4, usage, mapped_at_creation: false };
        device.inner.create_buffer(&descriptor)
    };
    let rounds = buffer("rounds", usage);
    let download = buffer("rounds read back", wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    device.queue.write_buffer(&rounds, 0, bytemuck::bytes_of(&PROBE_ROUNDS));
    let mut encoder = device.inner.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    kernel.dispatch(device, &mut encoder, &[rounds.as_entire_binding()], 1);
    encoder.copy_buffer_to_buffer(&rounds, 0, &download, 0, 4);
    let submission = device.queue.submit([encoder.finish()]);
    download.map_async(wgpu::MapMode::Read, .., |_| ());
    device.wait(submission, "the probe of loops")?;
    let fault = |error: wgpu::MapRangeError| GpuError::Fault {
        adapter: device.name.clone(),
        what: "the probe of loops".to_owned(),
        cause: error.to_string(),
    };
    let counted: u32 = bytemuck::pod_read_unaligned(&download.get_mapped_range(..).map_err(fault)?);
    Ok(counted != PROBE_ROUNDS)
}
