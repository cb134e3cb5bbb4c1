//! Opens a device and detects whether its driver silently stops long loops.

use super::GpuError;
use super::device::{Device, Loops};
use super::kernel::Kernel;
use super::shader::probe_source;

/// Iterations of the probe's loop: above the 65,535 at which known drivers stop silently.
const PROBE_ROUNDS: u32 = 70_000;
/// Guaranteed iterations per item if the driver has the limit. It counts the iterations of all items that run side by
/// side in vector lanes, wherever these diverge; Mesa before 25, the only known driver with the limit, has at most 8
/// lanes.
const ROUNDS_WITH_LIMIT: u32 = 65_535 / 8;

/// Opens the device of the requested adapter, or of the best one.
pub(super) fn open(adapter: Option<&str>) -> Result<Device, GpuError> {
    let mut device = Device::open(adapter)?;
    if loops_are_cut(&device)? {
        (device.rounds, device.loops) = (ROUNDS_WITH_LIMIT, Loops::Limited);
    }
    Ok(device)
}

/// Makes the driver run a long loop and counts iterations.
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
