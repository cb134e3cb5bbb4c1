//! Job `wheel` on a device: slices of frames, with contacts kept on the host in between.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. Every frame has a cell of its own; the pebble is carried from cell to cell
//! by exact shifts.

use rayon::prelude::*;
use wgpu::{BindingResource, CommandEncoder, CommandEncoderDescriptor};

use super::buffer::{Buffer, Download, fault, largest_chunk, part};
use super::device::Device;
use super::kernel::Kernel;
use super::scene::SceneBuffers;
use super::wire::{MAX_LENGTH, PrescribedFrame, PrescribedWheel, WheelResult, WheelRun};
use super::{Gpu, GpuError};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::parallel;
use crate::query::{WheelFrame, WheelParameters, WheelStep, Wheels};
use crate::scene::Scene;

impl Computes<Wheels> for Gpu {
    fn answers(
        &self,
        (scene, parameters): (&Scene, &WheelParameters),
        runs: &[Vec<WheelFrame>],
    ) -> Result<Vec<Vec<WheelStep>>, EngineError> {
        self.run(runs.iter().map(Vec::len).sum(), |session, chunk| {
            session.lead(scene, |mut job| job.run(parameters, runs, chunk))
        })
    }
}

/// Wheels that one thread packs at a time.
const WHEELS_PER_TASK: usize = 64;

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
}

/// Results of a slice: wheels after it, and steps.
pub(super) type Answers = (Vec<WheelRun>, Vec<WheelResult>);

/// The wheels and frames of a slice in a device's memory: buffers, and how many of their bytes are in use.
pub(super) struct Resident {
    pub wheels: u32,
    pub runs: (wgpu::Buffer, u64),
    pub frames: (wgpu::Buffer, u64),
    pub results: (wgpu::Buffer, u64),
}

/// A wheel on its way through its frames.
pub(super) struct Journey<'a> {
    pub frames: &'a [WheelFrame],
    state: WheelRun,
    steps: Vec<WheelStep>,
}

impl<'a> Journey<'a> {
    /// A wheel in the air before its first frame.
    pub fn new(frames: &'a [WheelFrame]) -> Self {
        Self { frames, state: WheelRun::free(), steps: Vec::with_capacity(frames.len()) }
    }

    /// Back to the start.
    pub fn start_again(&mut self) {
        self.state = WheelRun::free();
        self.steps.clear();
    }

    /// Frames that are done.
    pub fn done(&self) -> usize {
        self.steps.len()
    }

    /// Frames still ahead, `most` at most.
    fn ahead(&self, most: usize) -> &'a [WheelFrame] {
        let ahead = &self.frames[self.done()..];
        &ahead[..most.min(ahead.len())]
    }
}

/// What a device needs to compute wheels.
pub(super) struct WheelJob<'a> {
    pub device: &'a Device,
    pub kernel: &'a Kernel,
    pub buffers: &'a mut WheelBuffers,
    pub scene_buffers: &'a SceneBuffers,
    pub scene: &'a Scene,
}

impl WheelJob<'_> {
    /// Moves wheels that start in the air through their frames, at most `chunk` frames at a time.
    pub fn run(
        &mut self,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
        chunk: usize,
    ) -> Result<Vec<Vec<WheelStep>>, GpuError> {
        self.set_parameters(parameters)?;
        let chunk = self.largest_slice(chunk);
        let mut done = Vec::with_capacity(runs.len());
        for group in runs.chunks(chunk) {
            let mut journeys: Vec<Journey<'_>> = group.iter().map(|frames| Journey::new(frames)).collect();
            let slice = (chunk / group.len()).max(1);
            loop {
                let mut under_way: Vec<&mut Journey<'_>> =
                    journeys.iter_mut().filter(|journey| journey.done() < journey.frames.len()).collect();
                if under_way.is_empty() {
                    break;
                }
                self.slice(&mut under_way, slice)?;
            }
            done.extend(journeys.into_iter().map(|journey| journey.steps));
        }
        Ok(done)
    }

    /// Sends what all wheels share.
    pub fn set_parameters(&mut self, parameters: &WheelParameters) -> Result<(), GpuError> {
        self.buffers.parameters.fill(self.device, &[PrescribedWheel::new(parameters)?]).map(|_| ())
    }

    /// The largest number of frames that the adapter takes at once, `chunk` at most.
    pub fn largest_slice(&self, chunk: usize) -> usize {
        chunk.min(largest_chunk(self.device, size_of::<PrescribedFrame>()))
    }

    /// At most `slice` frames of each.
    pub fn slice(&mut self, journeys: &mut [&mut Journey<'_>], slice: usize) -> Result<(), GpuError> {
        let (states, frames) = self.pack(journeys, slice)?;
        let (states, results) = self.dispatch(&states, &frames)?;
        self.decode(journeys, &states, &frames, &results)
    }

    /// The wire form of the next `slice` frames of each.
    pub fn pack(
        &self,
        journeys: &mut [&mut Journey<'_>],
        slice: usize,
    ) -> Result<(Vec<WheelRun>, Vec<PrescribedFrame>), GpuError> {
        let origin = self.scene_buffers.wire.origin;
        let mut first = 0;
        for journey in journeys.iter_mut() {
            let count = journey.ahead(slice).len() as u32;
            (journey.state.first, journey.state.count) = (first, count);
            first += count;
        }
        let wire = |frame| {
            let what = || "the place or speed of a wheel frame".to_owned();
            PrescribedFrame::new(frame, origin).ok_or_else(|| GpuError::OutOfRange { what: what(), limit: MAX_LENGTH })
        };
        let frames = journeys.par_iter().with_min_len(WHEELS_PER_TASK).flat_map_iter(|journey| journey.ahead(slice));
        let frames = parallel::on_threads(|| frames.map(wire).collect::<Result<_, _>>())?;
        Ok((journeys.iter().map(|journey| journey.state).collect(), frames))
    }

    /// Takes over the results of a slice.
    pub fn decode(
        &self,
        journeys: &mut [&mut Journey<'_>],
        states: &[WheelRun],
        frames: &[PrescribedFrame],
        results: &[WheelResult],
    ) -> Result<(), GpuError> {
        let origin = self.scene_buffers.wire.origin;
        let take_over = |(journey, &state): (&mut &mut Journey<'_>, &WheelRun)| {
            if state.done == 0 {
                return Err(GpuError::LoopLimit {
                    adapter: self.device.name.clone(),
                    limit: self.device.rounds,
                    job: Wheels::NAME,
                });
            }
            for index in state.first..state.first + state.done {
                let frame = &journey.frames[journey.done()];
                let step = results[index as usize]
                    .decode(self.scene, origin, &frames[index as usize], frame)
                    .ok_or_else(|| fault(self.device, Wheels::NAME, &"a wheel got no answer"))?;
                journey.steps.push(step);
            }
            journey.state = state;
            Ok(())
        };
        let journeys = journeys.par_iter_mut().zip(states).with_min_len(WHEELS_PER_TASK);
        parallel::on_threads(|| journeys.try_for_each(take_over))
    }

    fn dispatch(&mut self, states: &[WheelRun], frames: &[PrescribedFrame]) -> Result<Answers, GpuError> {
        let resident = self.buffers.send(self.device, states, frames)?;
        let group = self.kernel.group(self.device, &self.bindings(&resident));
        self.read_back(&resident, |encoder| {
            encoder.clear_buffer(&resident.results.0, 0, Some(resident.results.1));
            self.kernel.record(encoder, &group, resident.wheels);
        })
    }

    /// States and results, after what is recorded first.
    pub fn read_back(
        &mut self,
        resident: &Resident,
        first: impl FnOnce(&mut CommandEncoder),
    ) -> Result<Answers, GpuError> {
        let device = self.device;
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(Wheels::NAME) });
        first(&mut encoder);
        let Resident { runs: (runs, run_bytes), results: (results, result_bytes), .. } = resident;
        let download = &mut self.buffers.download;
        let size = download.record(device, &mut encoder, &[(runs, *run_bytes), (results, *result_bytes)])?;
        let submission = device.queue.submit([encoder.finish()]);
        download.ask(size);
        device.wait(submission, Wheels::NAME)?;
        download.read(device, size, |bytes| {
            let (runs, results) = bytes.split_at(*run_bytes as usize);
            (bytemuck::pod_collect_to_vec(runs), bytemuck::pod_collect_to_vec(results))
        })
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
