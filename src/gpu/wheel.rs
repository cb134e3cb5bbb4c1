//! Job `wheel` on a device: slices of frames, with contacts kept on the host in between.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. Every frame has a cell of its own; the pebble is carried from cell to cell
//! by exact shifts.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use wgpu::{BindingResource, CommandEncoder, CommandEncoderDescriptor, SubmissionIndex};

use super::buffer::{Buffer, Download, Outgoing, Upload, fault, largest_chunk, part};
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
    upload: Upload,
    frames: Buffer,
    results: Buffer,
    download: Download,
}

impl WheelBuffers {
    pub fn new() -> Self {
        Self {
            parameters: Buffer::new("wheel parameters", wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST),
            runs: Buffer::storage("wheels"),
            upload: Upload::new("frames of wheels on their way"),
            frames: Buffer::storage("frames of wheels"),
            results: Buffer::storage("steps of wheels"),
            download: Download::new("steps read back"),
        }
    }

    /// Sends wheels and, as `write` writes them, their frames.
    pub fn send(
        &mut self,
        device: &Device,
        states: &[WheelRun],
        frames: usize,
        write: impl FnOnce(&Outgoing<'_>) -> Result<(), GpuError>,
    ) -> Result<Resident, GpuError> {
        let (frame_bytes, result_bytes) =
            ((frames * size_of::<PrescribedFrame>()) as u64, (frames * size_of::<WheelResult>()) as u64);
        let runs = self.runs.fill(device, states)?.clone();
        let frames = self.frames.with_room(device, frame_bytes)?.clone();
        let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(Wheels::NAME) });
        self.upload.record(device, &mut encoder, frame_bytes, &frames, write)?;
        let sent = device.queue.submit([encoder.finish()]);
        self.upload.reclaim();
        Ok(Resident {
            sent,
            wheels: states.len() as u32,
            runs: (runs, size_of_val(states) as u64),
            frames: (frames, frame_bytes),
            results: (self.results.with_room(device, result_bytes)?.clone(), result_bytes),
        })
    }
}

/// The wheels and frames of a slice in a device's memory: buffers, and how many of their bytes are in use.
pub(super) struct Resident {
    /// When they are there.
    pub sent: SubmissionIndex,
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

    /// Where the wheel is, and which frames of a slice are its own.
    pub fn state(&self) -> WheelRun {
        self.state
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
        let resident = self.send(journeys, slice)?;
        let group = self.kernel.group(self.device, &self.bindings(&resident));
        let (device, scene, origin) = (self.device, self.scene, self.scene_buffers.wire.origin);
        self.read_back(
            &resident,
            |encoder| {
                encoder.clear_buffer(&resident.results.0, 0, Some(resident.results.1));
                self.kernel.record(encoder, &group, resident.wheels);
            },
            |states, results| decode(device, (scene, origin), journeys, states, results),
        )?
    }

    /// Sends the next `slice` frames of each.
    pub fn send(&mut self, journeys: &mut [&mut Journey<'_>], slice: usize) -> Result<Resident, GpuError> {
        let frames = number_frames(journeys, slice);
        let states: Vec<WheelRun> = journeys.iter().map(|journey| journey.state).collect();
        let origin = self.scene_buffers.wire.origin;
        self.buffers.send(self.device, &states, frames, |to| write_frames(journeys, frames, origin, to))
    }

    /// Sees states and results where they arrive, after what is recorded first.
    pub fn read_back<R>(
        &mut self,
        resident: &Resident,
        first: impl FnOnce(&mut CommandEncoder),
        see: impl FnOnce(&[WheelRun], &[WheelResult]) -> R,
    ) -> Result<R, GpuError> {
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
            see(bytemuck::cast_slice(runs), bytemuck::cast_slice(results))
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

/// Gives the next `slice` frames of each their numbers; how many there are.
pub(super) fn number_frames(journeys: &mut [&mut Journey<'_>], slice: usize) -> usize {
    let mut first = 0;
    for journey in journeys.iter_mut() {
        let count = journey.ahead(slice).len() as u32;
        (journey.state.first, journey.state.count) = (first, count);
        first += count;
    }
    first as usize
}

/// Writes the frames that have numbers; each journey has some.
pub(super) fn write_frames(
    journeys: &[&mut Journey<'_>],
    frames: usize,
    origin: DVec3,
    to: &Outgoing<'_>,
) -> Result<(), GpuError> {
    let is_beyond = AtomicBool::new(false);
    to.write_blocks(frames, |first, block: &mut [PrescribedFrame]| {
        let behind = journeys.partition_point(|journey| journey.state.first as usize <= first);
        let numbered = journeys[behind - 1..].iter().flat_map(|journey| {
            let ahead = journey.ahead(journey.state.count as usize);
            ahead[first.saturating_sub(journey.state.first as usize)..].iter()
        });
        for (place, frame) in block.iter_mut().zip(numbered) {
            match PrescribedFrame::new(frame, origin) {
                Some(wire) => *place = wire,
                None => is_beyond.store(true, Ordering::Relaxed),
            }
        }
    })?;
    if is_beyond.into_inner() {
        let what = "the place or speed of a wheel frame".to_owned();
        return Err(GpuError::OutOfRange { what, limit: MAX_LENGTH, unit: "m or m/s" });
    }
    Ok(())
}

/// Takes over the results of a slice.
pub(super) fn decode(
    device: &Device,
    (scene, origin): (&Scene, DVec3),
    journeys: &mut [&mut Journey<'_>],
    states: &[WheelRun],
    results: &[WheelResult],
) -> Result<(), GpuError> {
    let take_over = |(journey, &state): (&mut &mut Journey<'_>, &WheelRun)| {
        if state.done == 0 {
            return Err(device.too_many_rounds(Wheels::NAME));
        }
        for index in state.first..state.first + state.done {
            let frame = &journey.frames[journey.done()];
            let step = results[index as usize]
                .decode(scene, origin, frame)
                .ok_or_else(|| fault(device, Wheels::NAME, &"a wheel got no answer"))?;
            journey.steps.push(step);
        }
        journey.state = state;
        Ok(())
    };
    let journeys = journeys.par_iter_mut().zip(states).with_min_len(WHEELS_PER_TASK);
    parallel::on_threads(|| journeys.try_for_each(take_over))
}
