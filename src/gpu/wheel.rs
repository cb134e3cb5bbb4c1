//! Job `wheel` on a device: slices of frames, the contacts kept on the host between them.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. Every frame stands in a cell of its own; the pebble is carried over from cell
//! to cell by exact shifts.

use bytemuck::Zeroable;

use super::GpuError;
use super::buffer::{Buffer, largest_chunk, part};
use super::device::Device;
use super::kernel::Kernel;
use super::scene::SceneBuffers;
use super::wire::{LARGEST_LENGTH, PrescribedFrame, WheelParametersWire, WheelResult, WheelRun};
use crate::query::{WheelFrame, WheelParameters, WheelStep};
use crate::scene::Scene;

const NAME: &str = "wheel";

/// The buffers of the job, kept from call to call.
#[derive(Debug)]
pub(super) struct WheelBuffers {
    parameters: Buffer,
    runs: Buffer,
    frames: Buffer,
    results: Buffer,
    download: Buffer,
}

impl WheelBuffers {
    pub fn new() -> Self {
        Self {
            parameters: Buffer::new("wheel parameters", wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST),
            runs: Buffer::storage("wheels"),
            frames: Buffer::storage("frames of wheels"),
            results: Buffer::storage("steps of wheels"),
            download: Buffer::new("steps read back", wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        }
    }
}

/// A wheel on its way through its frames.
struct Journey<'a> {
    frames: &'a [WheelFrame],
    state: WheelRun,
    steps: Vec<WheelStep>,
}

/// What a device needs to lead wheels.
pub(super) struct WheelJob<'a> {
    pub device: &'a Device,
    pub kernel: &'a Kernel,
    pub buffers: &'a mut WheelBuffers,
    pub scene_buffers: &'a SceneBuffers,
    pub scene: &'a Scene,
}

impl WheelJob<'_> {
    /// Leads wheels that start in the air through their frames, at most `chunk` frames at a time.
    pub fn run(
        &mut self,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
        chunk: usize,
    ) -> Result<Vec<Vec<WheelStep>>, GpuError> {
        self.buffers.parameters.fill(self.device, &[WheelParametersWire::new(parameters)])?;
        let chunk = chunk.min(largest_chunk(self.device, size_of::<PrescribedFrame>()));
        let mut done = Vec::with_capacity(runs.len());
        for group in runs.chunks(chunk) {
            let mut journeys: Vec<Journey<'_>> = group
                .iter()
                .map(|frames| Journey { frames, state: WheelRun::free(), steps: Vec::with_capacity(frames.len()) })
                .collect();
            let slice = (chunk / group.len()).max(1);
            loop {
                let mut under_way: Vec<&mut Journey<'_>> =
                    journeys.iter_mut().filter(|journey| journey.steps.len() < journey.frames.len()).collect();
                if under_way.is_empty() {
                    break;
                }
                self.slice(&mut under_way, slice)?;
            }
            done.extend(journeys.into_iter().map(|journey| journey.steps));
        }
        Ok(done)
    }

    /// At most `slice` frames of each.
    fn slice(&mut self, journeys: &mut [&mut Journey<'_>], slice: usize) -> Result<(), GpuError> {
        let origin = self.scene_buffers.wire.origin;
        let mut frames = Vec::new();
        for journey in journeys.iter_mut() {
            let ahead = &journey.frames[journey.steps.len()..];
            journey.state.first = frames.len() as u32;
            for frame in &ahead[..slice.min(ahead.len())] {
                let what = || "the origin of a wheel frame".to_owned();
                let wire = PrescribedFrame::new(frame, origin)
                    .ok_or_else(|| GpuError::OutOfRange { what: what(), limit: LARGEST_LENGTH })?;
                frames.push(wire);
            }
            journey.state.count = frames.len() as u32 - journey.state.first;
        }
        let states: Vec<WheelRun> = journeys.iter().map(|journey| journey.state).collect();
        let (states, results) = self.dispatch(&states, &frames)?;
        for (journey, state) in journeys.iter_mut().zip(states) {
            if state.done == 0 {
                return Err(GpuError::LoopLimit {
                    adapter: self.device.name.clone(),
                    limit: self.device.rounds,
                    job: NAME,
                });
            }
            for index in state.first..state.first + state.done {
                let frame = &journey.frames[journey.steps.len()];
                let step = results[index as usize]
                    .decode(self.scene, origin, &frames[index as usize], frame)
                    .ok_or_else(|| fault(self.device, "a wheel got no answer"))?;
                journey.steps.push(step);
            }
            journey.state = state;
        }
        Ok(())
    }

    fn dispatch(
        &mut self,
        states: &[WheelRun],
        frames: &[PrescribedFrame],
    ) -> Result<(Vec<WheelRun>, Vec<WheelResult>), GpuError> {
        let device = self.device;
        let (state_bytes, frame_bytes) = (size_of_val(states) as u64, size_of_val(frames) as u64);
        let result_bytes = (frames.len() * size_of::<WheelResult>()) as u64;
        let runs = self.buffers.runs.fill(device, states)?;
        let frame_buffer = self.buffers.frames.fill(device, frames)?;
        let results = self.buffers.results.with_room(device, result_bytes)?;
        let download = self.buffers.download.with_room(device, state_bytes + result_bytes)?;
        let mut bindings = self.scene_buffers.bindings();
        bindings.extend(self.buffers.parameters.binding());
        bindings.extend([part(runs, state_bytes), part(frame_buffer, frame_bytes), part(results, result_bytes)]);
        let mut encoder = device.inner.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(NAME) });
        encoder.clear_buffer(results, 0, Some(result_bytes));
        self.kernel.dispatch(device, &mut encoder, &bindings, states.len() as u32);
        encoder.copy_buffer_to_buffer(runs, 0, download, 0, state_bytes);
        encoder.copy_buffer_to_buffer(results, 0, download, state_bytes, result_bytes);
        let submission = device.queue.submit([encoder.finish()]);
        let size = state_bytes + result_bytes;
        download.map_async(wgpu::MapMode::Read, ..size, |_| ());
        device.wait(submission, NAME)?;
        let view = download.get_mapped_range(..size).map_err(|error| fault(device, &error.to_string()))?;
        let (state_view, result_view) = view.split_at(state_bytes as usize);
        let mut states = vec![WheelRun::zeroed(); states.len()];
        bytemuck::cast_slice_mut(&mut states).copy_from_slice(state_view);
        let mut steps = vec![WheelResult::zeroed(); frames.len()];
        bytemuck::cast_slice_mut(&mut steps).copy_from_slice(result_view);
        drop(view);
        download.unmap();
        Ok((states, steps))
    }
}

fn fault(device: &Device, cause: &str) -> GpuError {
    GpuError::Fault { adapter: device.name.clone(), what: NAME.to_owned(), cause: cause.to_owned() }
}
