//! Duration of the stages of a job on a device, one at a time, and the rates of the device itself.
//!
//! The engine overlaps its stages; here everything is serialized, so that each stage is measured separately. The wire
//! structures, buffers and kernels are those of the engine.
//!
//! # Conventions
//! Times are wall-clock times of this process, from the first call to the end of the wait. Each stage runs once
//! unmeasured.

mod entry_point;
mod items;
mod rates;
mod wheel;

use std::time::{Duration, Instant};

use wgpu::{CommandEncoder, CommandEncoderDescriptor};

pub use rates::Rates;

use super::buffer::ItemJob;
use super::device::Device;
use super::items::{ClosedForm, Codec, source};
use super::oriented::OrientedStep;
use super::{Gpu, GpuError, SearchForm};
use crate::columns::RayColumns;
use crate::engine::EngineError;
use crate::query::{
    EllipsoidPair, EllipsoidPairs, Encounter, Encounters, InitiatorMotion, LandingInputs, LandingJob, LcpItem,
    LcpItems, Ray, TargetMotions, WheelFrame, WheelParameters,
};
use crate::scene::Scene;

/// A submission of several runs lasts at least this long, so that the latency of the device is negligible ...
const MIN_SUBMISSION: Duration = Duration::from_millis(20);
/// ... unless it has this many runs.
const MAX_SUBMISSION: u32 = 1 << 14;
/// How long a GPU is at work before it is measured: one that was idle runs at a third of its clock for up to half a second.
const WARM_UP: Duration = Duration::from_millis(500);

/// Duration of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Number of runs.
    pub runs: u64,
    /// Total duration.
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
    /// How the kernel finds entry points, if it does.
    pub search: Option<SearchForm>,
    /// Items of the chunk.
    pub items: u64,
    /// Bytes sent \[bytes\].
    pub bytes_up: u64,
    /// Bytes received \[bytes\].
    pub bytes_down: u64,
    /// Device memory read and written by the kernel, without the scene \[bytes\].
    pub bytes_of_kernel: u64,
    /// Packing items to wire structures, on the CPU.
    pub pack: Stage,
    /// Wire structures to the device's memory.
    pub upload: Stage,
    /// The kernel, on data already uploaded.
    pub kernel: Stage,
    /// Answers from the device's memory.
    pub download: Stage,
    /// Decoding wire structures to answers, on the CPU.
    pub decode: Stage,
}

impl Gpu {
    /// The stages of job `entry_point` for the first chunk of these rays, each repeated for at least `time`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_entry_points(&self, scene: &Scene, rays: &[Ray], time: Duration) -> Result<Stages, EngineError> {
        self.run(usize::MAX, |session, chunk| {
            let rays = &rays[..rays.len().min(chunk)];
            entry_point::measure(session, scene, self.options.searches, rays, time)
        })
    }

    /// The same for rays in columns.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_entry_points_in_columns(
        &self,
        scene: &Scene,
        rays: &RayColumns<'_>,
        time: Duration,
    ) -> Result<Stages, EngineError> {
        self.run(usize::MAX, |session, chunk| {
            let rays = rays.rows(0..rays.len().min(chunk));
            entry_point::measure_columns(session, scene, self.options.searches, rays, time)
        })
    }

    /// The stages of job `ellipsoid` for the first chunk of these pairs, each repeated for at least `time`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_ellipsoid_pairs(&self, pairs: &[EllipsoidPair], time: Duration) -> Result<Stages, EngineError> {
        self.measure_items::<EllipsoidPairs>(pairs, time)
    }

    /// The stages of job `lcp` for the first chunk of these problems, each repeated for at least `time`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_lcp(&self, problems: &[LcpItem], time: Duration) -> Result<Stages, EngineError> {
        self.measure_items::<LcpItems>(problems, time)
    }

    /// The stages of job `encounter` for the first chunk of these encounters, each repeated for at least `time`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure_encounters(&self, encounters: &[Encounter], time: Duration) -> Result<Stages, EngineError> {
        self.measure_items::<Encounters>(encounters, time)
    }

    /// The stages of a closed-form job for the first chunk of these items.
    fn measure_items<J: ClosedForm>(&self, some: &[J::Item], time: Duration) -> Result<Stages, EngineError> {
        self.run(usize::MAX, |session, chunk| {
            let kernel = session.kernel(J::NAME, source::<J>())?;
            let job = ItemJob { name: J::NAME, kernel: &kernel, shared: Vec::new() };
            let codec = Codec { pack: J::pack, decode: J::decode };
            items::measure(&session.device, &job, &codec, None, &some[..some.len().min(chunk)], time)
        })
    }

    /// The stages of job `oriented` for the first chunk of these initiators, each repeated for at least `time`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_oriented(
        &self,
        targets: TargetMotions<'_>,
        initiators: &[InitiatorMotion],
        time: Duration,
    ) -> Result<Stages, EngineError> {
        self.run(usize::MAX, |session, chunk| {
            let step = OrientedStep::new(session, targets)?;
            let some = &initiators[..initiators.len().min(chunk)];
            items::measure(&session.device, &step.job(), &step.codec(), None, some, time)
        })
    }

    /// The stages of job `wheel` for as many first frames of these wheels as one dispatch computes, each repeated for at
    /// least `time`. The items are steps.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_wheels(
        &self,
        scene: &Scene,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
        time: Duration,
    ) -> Result<Stages, EngineError> {
        self.run(usize::MAX, |session, chunk| {
            wheel::measure(session, scene, parameters, &runs[..runs.len().min(chunk)], chunk, time)
        })
    }

    /// The stages of job `landing` for the first chunk of these landings: the kernel once, slice by slice to the end of the
    /// last landing, the other stages repeated for at least `time`. The items are steps of vehicles.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_landings(
        &self,
        job: &LandingJob,
        inputs: &[LandingInputs],
        time: Duration,
    ) -> Result<Stages, EngineError> {
        self.run_landings(job, inputs.len(), |flight, chunk| flight.stages(inputs, chunk, self.options.slice, time))
    }

    /// The rates of the device itself; each is measured for at least `time`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure_rates(&self, time: Duration) -> Result<Rates, EngineError> {
        self.run(usize::MAX, |session, chunk| rates::measure(session, chunk, time))
    }
}

/// Repeats a stage for at least `time`.
pub(super) fn repeat(time: Duration, mut stage: impl FnMut() -> Result<(), GpuError>) -> Result<Stage, GpuError> {
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

/// Repeats what `record` records for at least `time`, many runs in a submission, on a device that has been at work before.
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
    let started = Instant::now();
    while !device.is_software && started.elapsed() < WARM_UP {
        submit(1)?;
    }
    let mut runs = 1;
    while submit(runs)? < MIN_SUBMISSION && runs < MAX_SUBMISSION {
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
pub(super) fn submit(device: &Device, what: &str, record: impl FnOnce(&mut CommandEncoder)) -> Result<(), GpuError> {
    let mut encoder = device.inner.create_command_encoder(&CommandEncoderDescriptor { label: Some(what) });
    record(&mut encoder);
    device.wait(device.queue.submit([encoder.finish()]), what)
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::gpu::GpuOptions;
    use crate::gpu::wire::RayWire;
    use crate::query::Ellipsoid;
    use crate::scene::Shape;

    fn open(chunk: Option<usize>) -> Gpu {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        Gpu::open(GpuOptions { adapter: Some(adapter), chunk, ..GpuOptions::default() }).unwrap()
    }

    fn ground() -> Scene {
        Scene::new(&Shape::half_space(DVec3::Z, 0.0), Vec::new(), None, None).unwrap()
    }

    fn each_stage_ran(stages: &Stages) -> bool {
        let Stages { pack, upload, kernel, download, decode, .. } = *stages;
        [pack, upload, kernel, download, decode].iter().all(|stage| stage.runs >= 1 && stage.total > Duration::ZERO)
    }

    #[test]
    fn a_chunk_of_rays_is_32_bytes_up_and_8_down_for_each() {
        let ray = Ray::segment(DVec3::Z, DVec3::NEG_Z);
        let stages = open(Some(1000)).measure_entry_points(&ground(), &vec![ray; 3000], Duration::ZERO).unwrap();
        assert_eq!(size_of::<RayWire>(), 32);
        let Stages { items, bytes_up, bytes_down, bytes_of_kernel, .. } = stages;
        assert_eq!([items, bytes_up, bytes_down, bytes_of_kernel], [1000, 32_000, 8000, 40_000]);
        assert!(each_stage_ran(&stages));
    }

    #[test]
    fn a_chunk_of_pairs_is_80_bytes_up_and_48_down_for_each() {
        let ball = |x| Ellipsoid::ball(DVec3::new(x, 0.0, 0.0), 1.0);
        let pairs = vec![EllipsoidPair::new(ball(0.0), ball(1.5)); 3000];
        let stages = open(Some(1000)).measure_ellipsoid_pairs(&pairs, Duration::ZERO).unwrap();
        let Stages { search, items, bytes_up, bytes_down, bytes_of_kernel, .. } = stages;
        assert_eq!([items, bytes_up, bytes_down, bytes_of_kernel], [1000, 80_000, 48_000, 128_000]);
        assert_eq!(search, None);
        assert!(each_stage_ran(&stages));
    }

    #[test]
    fn a_slice_of_wheels_counts_frames_results_and_states() {
        let parameters = WheelParameters {
            k_xy: -60e3,
            k_z: -40e3,
            d_xy: -3000.0,
            d_z: -3500.0,
            z_min: 0.35,
            z_zero: 0.7,
            z_max: 0.7,
            rolling_resistance: 0.0,
            clamp_to_max_force: false,
            ..WheelParameters::PLAIN
        };
        let down = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        let frame = |step| WheelFrame {
            origin: DVec3::new(0.1 * f64::from(step), 0.0, 0.6),
            orientation: down,
            velocity: DVec3::X,
            brake: 0.0,
            brake_friction: 0.0,
        };
        let runs = vec![(0..4).map(frame).collect::<Vec<_>>(); 50];
        let stages = open(None).measure_wheels(&ground(), &parameters, &runs, Duration::ZERO).unwrap();
        // A state is 64 bytes, a frame 64, a result 48.
        let Stages { items, bytes_up, bytes_down, bytes_of_kernel, .. } = stages;
        assert_eq!(items, 200);
        assert_eq!([bytes_up, bytes_down], [50 * 64 + 200 * 64, 50 * 64 + 200 * 48]);
        assert_eq!(bytes_of_kernel, bytes_up + bytes_down);
        assert!(each_stage_ran(&stages));
    }

    #[test]
    fn every_rate_is_a_number_of_something_that_happened() {
        let Rates { memory, arithmetic, upload, download, dispatch, submission } =
            open(Some(1 << 14)).measure_rates(Duration::ZERO).unwrap();
        for rate in [memory, arithmetic, upload, download, dispatch, submission] {
            assert!(rate > 0.0 && rate.is_finite(), "{rate}");
        }
    }

    #[test]
    fn a_stage_is_repeated_for_the_time_asked_and_once_before() {
        let mut calls = 0;
        let stage = repeat(Duration::from_millis(5), || {
            calls += 1;
            std::thread::sleep(Duration::from_millis(1));
            Ok(())
        })
        .unwrap();
        assert_eq!(stage.runs + 1, calls);
        assert!(stage.total >= Duration::from_millis(5));
        assert!(stage.seconds() >= 1e-3);
    }
}
