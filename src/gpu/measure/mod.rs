//! How long the stages of a job take on a device, one at a time, and what the device itself can do.
//!
//! The engine overlaps its stages; here everything waits for everything else, so that each stage's own share shows. The
//! pieces are those that the engine is made of: the same wire structures, buffers and kernels.
//!
//! # Conventions
//! Times are wall times of this process, from the first call to the end of the wait. Each stage runs once unmeasured.

mod entry_point;
mod rates;
mod wheel;

use std::time::{Duration, Instant};

use wgpu::{CommandEncoder, CommandEncoderDescriptor};

pub use rates::Rates;

use super::device::Device;
use super::{Gpu, GpuError};
use crate::engine::EngineError;
use crate::query::{Ray, WheelFrame, WheelParameters};
use crate::scene::Scene;

/// A submission of several runs lasts at least this long, so that the way to the device and back does not count ...
const LEAST_SUBMISSION: Duration = Duration::from_millis(20);
/// ... unless it has this many runs.
const LARGEST_SUBMISSION: u32 = 1 << 14;

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// How often it ran.
    pub runs: u64,
    /// All runs together.
    pub total: Duration,
}

impl Stage {
    /// One run \[s\].
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64() / self.runs as f64
    }
}

/// The stages of one chunk of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Items of the chunk.
    pub items: u64,
    /// What is sent for it \[bytes\].
    pub bytes_up: u64,
    /// What comes back \[bytes\].
    pub bytes_down: u64,
    /// What the kernel has to read and write of it in the device's memory, the scene aside \[bytes\].
    pub bytes_of_kernel: u64,
    /// Items to wire structures, on the processor.
    pub pack: Stage,
    /// Wire structures to the device's memory.
    pub upload: Stage,
    /// The kernel, on items that are there.
    pub kernel: Stage,
    /// Answers from the device's memory.
    pub download: Stage,
    /// Wire structures to answers, on the processor.
    pub decode: Stage,
}

impl Gpu {
    /// The stages of job `entry_point` for the first chunk of these rays, each repeated for at least `time`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure_entry_points(&self, scene: &Scene, rays: &[Ray], time: Duration) -> Result<Stages, EngineError> {
        self.run(|session, chunk| entry_point::measure(session, scene, &rays[..rays.len().min(chunk)], time))
    }

    /// The stages of job `wheel` for as many first frames of these wheels as one dispatch computes, each repeated for at
    /// least `time`. The items are steps.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure_wheels(
        &self,
        scene: &Scene,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
        time: Duration,
    ) -> Result<Stages, EngineError> {
        self.run(|session, chunk| {
            wheel::measure(session, scene, parameters, &runs[..runs.len().min(chunk)], chunk, time)
        })
    }

    /// What the device itself can do; each rate is measured for at least `time`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure_rates(&self, time: Duration) -> Result<Rates, EngineError> {
        self.run(|session, chunk| rates::measure(session, chunk, time))
    }
}

/// Repeats a stage for at least `time`.
fn repeat(time: Duration, mut stage: impl FnMut() -> Result<(), GpuError>) -> Result<Stage, GpuError> {
    stage()?;
    let start = Instant::now();
    let mut runs = 0;
    loop {
        stage()?;
        runs += 1;
        let total = start.elapsed();
        if total >= time {
            return Ok(Stage { runs, total });
        }
    }
}

/// Repeats what `record` records for at least `time`, many runs in a submission.
fn repeat_on_device(
    device: &Device,
    what: &str,
    time: Duration,
    mut record: impl FnMut(&mut CommandEncoder),
) -> Result<Stage, GpuError> {
    let mut submit = |runs: u32| {
        let start = Instant::now();
        submit(device, what, |encoder| (0..runs).for_each(|_| record(encoder)))?;
        Ok::<Duration, GpuError>(start.elapsed())
    };
    let mut runs = 1;
    while submit(runs)? < LEAST_SUBMISSION && runs < LARGEST_SUBMISSION {
        runs *= 2;
    }
    let mut stage = Stage { runs: 0, total: Duration::ZERO };
    while stage.runs == 0 || stage.total < time {
        stage.total += submit(runs)?;
        stage.runs += u64::from(runs);
    }
    Ok(stage)
}

/// Submits what is recorded, and waits for its end.
fn submit(device: &Device, what: &str, record: impl FnOnce(&mut CommandEncoder)) -> Result<(), GpuError> {
    let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(what) });
    record(&mut encoder);
    device.wait(device.queue.submit([encoder.finish()]), what)
}
