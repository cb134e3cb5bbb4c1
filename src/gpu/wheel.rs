//! Job `wheel` on a device: slices of frames, the contacts kept on the host between them.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. Every frame stands in a cell of its own; the pebble is carried over from cell
//! to cell by exact shifts.

use wgpu::{BindingResource, CommandEncoder, CommandEncoderDescriptor};

use super::GpuError;
use super::buffer::{Buffer, Download, largest_chunk, part};
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
    download: Download,
}

impl WheelBuffers {
    pub fn new() -> Self {
        Self {
            parameters: Buffer::new("wheel parameters", wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST),
            runs: Buffer::storage("wheels"),
            frames: Buffer::storage("frames of wheels"),
            results: Buffer::storage("steps of wheels"),
            download: Download::new("steps read back"),
        }
    }

    /// Sends wheels and their frames.
    pub fn send(
        &mut self,
        device: &Device,
        states: &[WheelRun],
        frames: &[PrescribedFrame],
    ) -> Result<Resident, GpuError> {
        let result_bytes = (frames.len() * size_of::<WheelResult>()) as u64;
        Ok(Resident {
            wheels: states.len() as u32,
            runs: (self.runs.fill(device, states)?.clone(), size_of_val(states) as u64),
            frames: (self.frames.fill(device, frames)?.clone(), size_of_val(frames) as u64),
            results: (self.results.with_room(device, result_bytes)?.clone(), result_bytes),
        })
    }

    /// Records the way back of states and results; gives their bytes.
    pub fn record_download(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        resident: &Resident,
    ) -> Result<u64, GpuError> {
        let [(runs, run_bytes), (results, result_bytes)] =
            [&resident.runs, &resident.results].map(|(buffer, size)| (buffer, *size));
        self.download.record(device, encoder, &[(runs, run_bytes), (results, result_bytes)])
    }

    /// States and results, once their way back is done.
    pub fn read(
        &mut self,
        device: &Device,
        resident: &Resident,
        size: u64,
    ) -> Result<(Vec<WheelRun>, Vec<WheelResult>), GpuError> {
        self.download.read(device, size, |bytes| {
            let (runs, results) = bytes.split_at(resident.runs.1 as usize);
            (bytemuck::pod_collect_to_vec(runs), bytemuck::pod_collect_to_vec(results))
        })
    }
}

/// The wheels and frames of a slice in a device's memory: buffers, and how many of their bytes are in use.
pub(super) struct Resident {
    pub wheels: u32,
    pub runs: (wgpu::Buffer, u64),
    pub frames: (wgpu::Buffer, u64),
    pub results: (wgpu::Buffer, u64),
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
        let (states, frames) = self.pack(journeys, slice)?;
        let (states, results) = self.dispatch(&states, &frames)?;
        self.decode(journeys, &states, &frames, &results)
    }

    /// The wire form of the next `slice` frames of each.
    fn pack(
        &self,
        journeys: &mut [&mut Journey<'_>],
        slice: usize,
    ) -> Result<(Vec<WheelRun>, Vec<PrescribedFrame>), GpuError> {
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
        Ok((journeys.iter().map(|journey| journey.state).collect(), frames))
    }

    /// Takes over what a slice came to.
    fn decode(
        &self,
        journeys: &mut [&mut Journey<'_>],
        states: &[WheelRun],
        frames: &[PrescribedFrame],
        results: &[WheelResult],
    ) -> Result<(), GpuError> {
        let origin = self.scene_buffers.wire.origin;
        for (journey, &state) in journeys.iter_mut().zip(states) {
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
        let resident = self.buffers.send(device, states, frames)?;
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(NAME) });
        encoder.clear_buffer(&resident.results.0, 0, Some(resident.results.1));
        self.kernel.dispatch(device, &mut encoder, &self.bindings(&resident), resident.wheels);
        let size = self.buffers.record_download(device, &mut encoder, &resident)?;
        let submission = device.queue.submit([encoder.finish()]);
        self.buffers.download.ask(size);
        device.wait(submission, NAME)?;
        self.buffers.read(device, &resident, size)
    }

    /// All bindings of the kernel.
    pub fn bindings<'b>(&'b self, resident: &'b Resident) -> Vec<BindingResource<'b>> {
        let mut bindings = self.scene_buffers.bindings();
        bindings.extend(self.buffers.parameters.binding());
        bindings
            .extend([&resident.runs, &resident.frames, &resident.results].map(|(buffer, size)| part(buffer, *size)));
        bindings
    }
}

fn fault(device: &Device, cause: &str) -> GpuError {
    GpuError::Fault { adapter: device.name.clone(), what: NAME.to_owned(), cause: cause.to_owned() }
}
