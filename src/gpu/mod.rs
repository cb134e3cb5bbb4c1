//! The GPU engine: the jobs in WGSL through wgpu, f32 on the device, f64 here.
//!
//! ```text
//! Scene --> Walk --> SceneWire --> buffers --+
//!                                            +--> kernel --> answers --> results in f64
//! items --> wire structures, chunk by chunk -+
//! ```
//!
//! Chunks respect the adapter's limits; three are in flight at a time. After a device loss the
//! job is retried, after another one or an out-of-memory error with half the chunk; results never depend on it.
//!
//! # Conventions
//! As in [`crate::query`]. Data sent to a device are relative to a nearby origin, subtracted in f64 (`wire`).

mod adapter;
mod air_load;
mod box_normal;
mod buffer;
mod bvh;
mod deck_landing;
mod device;
mod driven_encounter;
mod ellipsoid;
mod encounter;
mod entry_point;
mod error;
#[cfg(test)]
mod faults;
mod functions;
mod items;
mod kernel;
mod landing;
mod lcp;
mod measure;
pub(crate) mod operations;
mod oriented;
mod particle;
mod probe;
mod retry;
mod scene;
mod shader;
mod unrolled;
mod wheel;
mod wire;
mod world;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

pub use adapter::{Adapter, AdapterKind, adapters, choose};
pub use error::GpuError;
pub use measure::{Rates, Stage, Stages};
pub use unrolled::SearchForm;

use self::buffer::Slots;
use self::bvh::HierarchyBuffers;
use self::device::Device;
use self::entry_point::{ColumnCodec, ProgramBuffers, RaySearch};
use self::kernel::Kernel;
use self::landing::{LandingBuffers, LandingFlight, Queue};
use self::retry::Retries;
use self::scene::SceneBuffers;
use self::shader::{Stride, WORKGROUP};
use self::wheel::{WheelBuffers, WheelJob};
use self::wire::StateLayout;
use crate::bvh::{Hierarchies, Overlap, OverlapQuery};
use crate::columns::{EntryPointColumns, RayColumns};
use crate::engine::{Engine, EngineError, EngineIdentity, LandingStream, StreamsLandings};
use crate::job::Job;
use crate::query::{LandingInputs, LandingJob, LandingOutcome, LandingState, Observer, Wheels};
use crate::scene::Scene;

/// Maximum number of items per chunk: enough to keep any GPU busy, few enough for little memory.
const MAX_CHUNK: usize = 1 << 20;
/// Landings per call on a software adapter: the least are some seconds of work.
const SOFTWARE_BATCH: RangeInclusive<usize> = 1 << 8..=1 << 12;
/// The same on a device: the least are a second of work for a small one; the most fill the largest one several times over,
/// so that it is idle for little of the time in which the last of them end.
const DEVICE_BATCH: RangeInclusive<usize> = 1 << 14..=4 * landing::MAX_FLYING;
/// Maximum number of cached kernels.
const MAX_KERNELS: usize = 64;

/// Options for opening the engine.
#[derive(Clone, Debug, Default)]
pub struct GpuOptions {
    /// The adapter, by number or part of its name; the best GPU if `None`.
    pub adapter: Option<String>,
    /// Maximum number of items on the device at a time; from the adapter's limits if `None`.
    pub chunk: Option<usize>,
    /// Maximum number of landing steps per dispatch, up to 2^14; adapted to a good duration if `None`.
    pub slice: Option<u32>,
    /// How job `entry_point` searches a scene.
    pub searches: Searches,
}

/// How job `entry_point` searches a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Searches {
    /// With walks, compiled from the program: interpreted stop by stop, or unrolled into code.
    #[default]
    Walks,
    /// By interpreting the program's words with a stack: slower, and sharing nothing with walks but the leaves.
    Words,
}

/// The GPU engine.
#[derive(Debug)]
pub struct Gpu {
    options: GpuOptions,
    identity: EngineIdentity,
    is_software: bool,
    session: Mutex<Session>,
}

/// An open device and all its resources.
#[derive(Debug)]
struct Session {
    device: Device,
    kernels: HashMap<String, Arc<Kernel>>,
    scene: Option<Arc<SceneBuffers>>,
    program: Option<Arc<ProgramBuffers>>,
    hierarchies: Option<Arc<HierarchyBuffers>>,
    slots: Slots,
    wheels: WheelBuffers,
    landings: LandingBuffers,
}

impl Session {
    fn open(adapter: Option<&str>) -> Result<Self, GpuError> {
        Ok(Self {
            device: probe::open(adapter)?,
            kernels: HashMap::new(),
            scene: None,
            program: None,
            hierarchies: None,
            slots: Slots::new(),
            wheels: WheelBuffers::new(),
            landings: LandingBuffers::new(),
        })
    }

    /// The kernel of a source, compiled at first use. Sources with unrolled scenes can be numerous, and are not all
    /// kept.
    fn kernel(&mut self, label: &str, source: String) -> Result<Arc<Kernel>, GpuError> {
        self.kernel_in_workgroups(label, source, WORKGROUP)
    }

    /// The same of a kernel whose workgroups have this size.
    fn kernel_in_workgroups(&mut self, label: &str, source: String, workgroup: u32) -> Result<Arc<Kernel>, GpuError> {
        if let Some(kernel) = self.kernels.get(&source) {
            return Ok(Arc::clone(kernel));
        }
        if self.kernels.len() >= MAX_KERNELS {
            self.kernels.clear();
        }
        let kernel = Arc::new(Kernel::new(&self.device, label, &source)?.in_workgroups_of(workgroup));
        self.kernels.insert(source, Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Runs a job with wheels on a scene.
    fn lead<R>(
        &mut self,
        scene: &Scene,
        call: impl FnOnce(WheelJob<'_>) -> Result<R, GpuError>,
    ) -> Result<R, GpuError> {
        let scene_buffers = self.scene(scene)?;
        // Wheels are led over a scene for a while, not for millions of steps: code for it would take longer to compile.
        let kernel = self.kernel(Wheels::NAME, shader::wheel_source(self.device.loops))?;
        let (device, buffers) = (&self.device, &mut self.wheels);
        call(WheelJob { device, kernel: &kernel, buffers, scene_buffers: &scene_buffers, scene })
    }

    /// Runs a job with landings.
    fn with_landings<R>(
        &mut self,
        job: &LandingJob,
        call: impl FnOnce(LandingFlight<'_>) -> Result<R, GpuError>,
    ) -> Result<R, GpuError> {
        let scene_buffers = self.scene(&job.scene)?;
        let (held, mut curves) = match &job.vehicle.airframe {
            Some(airframe) => landing::airframe_source(airframe),
            None => (shader::AERODYNAMICS.to_owned(), Vec::new()),
        };
        let wind = landing::wind_source(&job.weather, &mut curves);
        let tables = if curves.is_empty() { String::new() } else { landing::tables() };
        let held = [tables, wind, held].concat();
        let layout = StateLayout::new(&job.vehicle);
        let stride = Stride::on(&self.device);
        let runs = (self.device.loops, stride);
        let source = shader::landing_source(layout, &scene_buffers.search.source, &held, runs);
        let kernel = self.kernel_in_workgroups(landing::NAME, source, stride.workgroup())?;
        let curves = (!curves.is_empty()).then_some(&curves[..]);
        let (device, buffers) = (&self.device, &mut self.landings);
        call(LandingFlight { device, kernel: &kernel, buffers, scene_buffers: &scene_buffers, curves, job })
    }

    /// The buffers of a scene; those of the latest scene are cached.
    fn scene(&mut self, scene: &Scene) -> Result<Arc<SceneBuffers>, GpuError> {
        if let Some(buffers) = self.scene.as_ref().filter(|buffers| buffers.hold(scene)) {
            return Ok(Arc::clone(buffers));
        }
        let buffers = Arc::new(SceneBuffers::new(&self.device, scene)?);
        self.scene = Some(Arc::clone(&buffers));
        Ok(buffers)
    }

    /// The buffers of a scene's program; those of the latest scene are cached.
    fn program(&mut self, scene: &Scene) -> Result<Arc<ProgramBuffers>, GpuError> {
        if let Some(buffers) = self.program.as_ref().filter(|buffers| buffers.hold(scene)) {
            return Ok(Arc::clone(buffers));
        }
        let buffers = Arc::new(ProgramBuffers::new(&self.device, scene)?);
        self.program = Some(Arc::clone(&buffers));
        Ok(buffers)
    }

    /// The buffers of a set of hierarchies; those of the latest set are cached. `None` if it does not fit.
    fn hierarchies(&mut self, hierarchies: &Hierarchies) -> Result<Option<Arc<HierarchyBuffers>>, GpuError> {
        if !self.hierarchies.as_ref().is_some_and(|buffers| buffers.hold(hierarchies)) {
            // First of all the memory of the last one is given back.
            self.hierarchies = None;
            self.hierarchies = HierarchyBuffers::new(&self.device, hierarchies)?.map(Arc::new);
        }
        Ok(self.hierarchies.clone())
    }
}

impl Gpu {
    /// Opens a device.
    ///
    /// # Errors
    /// If no suitable adapter exists, or its driver refuses.
    pub fn open(options: GpuOptions) -> Result<Self, GpuError> {
        let session = Session::open(options.adapter.as_deref())?;
        let identity = EngineIdentity {
            engine: "gpu".to_owned(),
            adapter: session.device.identity.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let is_software = session.device.is_software;
        Ok(Self { options, identity, is_software, session: Mutex::new(session) })
    }

    /// Runs a job in chunks of at most `largest` items; after a failure of memory or device, again, as [`Retries`] says.
    fn run<R>(
        &self,
        largest: usize,
        job: impl FnMut(&mut Session, usize) -> Result<R, GpuError>,
    ) -> Result<R, EngineError> {
        self.run_noting(largest, &Cell::new(false), job)
    }

    /// The same of a job that notes whether it has finished something for good.
    fn run_noting<R>(
        &self,
        largest: usize,
        has_advanced: &Cell<bool>,
        mut job: impl FnMut(&mut Session, usize) -> Result<R, GpuError>,
    ) -> Result<R, EngineError> {
        let mut retries = Retries::new(self.options.chunk.unwrap_or(MAX_CHUNK).min(largest).max(1));
        loop {
            match self.run_once(|session| job(session, retries.chunk())) {
                Err(error) if retries.go_on_after(&error, has_advanced.take()) => {}
                result => return result.map_err(EngineError::from),
            }
        }
    }

    /// Runs a job on the device. After a device loss or out-of-memory error the device is reopened for the next job,
    /// which also frees all of its memory.
    fn run_once<R>(&self, job: impl FnOnce(&mut Session) -> Result<R, GpuError>) -> Result<R, GpuError> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        job(&mut session).inspect_err(|error| {
            if error.may_pass()
                && let Ok(anew) = Session::open(self.options.adapter.as_deref())
            {
                *session = anew;
            }
        })
    }

    /// Runs a job with this many landings.
    fn run_landings<R>(
        &self,
        job: &LandingJob,
        landings: usize,
        mut call: impl FnMut(LandingFlight<'_>, usize) -> Result<R, GpuError>,
    ) -> Result<R, EngineError> {
        let largest = landings.min(landing::MAX_CHUNK);
        self.run(largest, |session, chunk| session.with_landings(job, |flight| call(flight, chunk)))
    }
}

impl StreamsLandings for Gpu {
    fn stream_landings(&self, job: &LandingJob, landings: &mut dyn LandingStream) -> Result<(), EngineError> {
        let mut queue = Queue::new(landings);
        let has_advanced = Cell::new(false);
        self.run_noting(landing::MAX_CHUNK, &has_advanced, |session, chunk| {
            let before = queue.given_back();
            let streamed = session.with_landings(job, |flight| flight.stream(&mut queue, chunk, self.options.slice));
            has_advanced.set(queue.given_back() > before);
            streamed
        })
    }
}

impl From<GpuError> for EngineError {
    fn from(error: GpuError) -> Self {
        Self::Device(Box::new(error))
    }
}

impl Engine for Gpu {
    fn identity(&self) -> EngineIdentity {
        self.identity.clone()
    }

    fn is_device(&self) -> bool {
        !self.is_software
    }

    fn streams(&self) -> Option<&dyn StreamsLandings> {
        // What goes through a software adapter takes minutes for each chunk: in batches progress shows.
        (!self.is_software).then_some(self)
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        if self.is_software { SOFTWARE_BATCH } else { DEVICE_BATCH }
    }

    fn entry_points_in_columns(
        &self,
        scene: &Scene,
        rays: &RayColumns<'_>,
        answers: &mut EntryPointColumns,
    ) -> Result<(), EngineError> {
        self.run(rays.len(), |session, chunk| {
            let search = RaySearch::new(session, scene, self.options.searches)?;
            let codec = ColumnCodec::new(scene, search.origin, *rays);
            entry_point::fill_columns(session, (&search, &codec), chunk, answers)
        })
    }

    fn overlaps(&self, hierarchies: &Hierarchies, queries: &[OverlapQuery]) -> Result<Vec<Overlap>, EngineError> {
        self.run(queries.len(), |session, chunk| {
            let Some(buffers) = session.hierarchies(hierarchies)? else { return Ok(hierarchies.overlaps(queries)) };
            let kernel = session.kernel(bvh::NAME, shader::overlaps_source(session.device.rounds))?;
            buffers.overlaps(&session.device, &mut session.slots, &kernel, queries, chunk)
        })
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        self.run_landings(job, inputs.len(), |flight, chunk| flight.landings(inputs, chunk, self.options.slice))
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        self.run_landings(job, items.len(), |flight, chunk| flight.steps(items, chunk))
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        // One for each landing.
        Ok(self.trace_landings(job, &mut [(*inputs, observer)])?.remove(0))
    }

    fn trace_landings(
        &self,
        job: &LandingJob,
        landings: &mut [(LandingInputs, &mut dyn Observer)],
    ) -> Result<Vec<LandingOutcome>, EngineError> {
        // Not to be tried again: the observers would see the same steps twice.
        Ok(self.run_once(|session| session.with_landings(job, |flight| flight.trace(landings)))?)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::job::Compute;
    use crate::query::{EntryPoints, Ray, RayStatus};
    use crate::scene::Shape;

    fn open() -> Gpu {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap()
    }

    fn ball_and_rays() -> (Scene, Vec<Ray>) {
        let scene = Scene::new(&Shape::sphere(DVec3::ZERO, 1.0), Vec::new(), None, None).unwrap();
        let ray = |index| Ray::segment(DVec3::new(0.0, 0.001 * f64::from(index), 3.0), DVec3::new(0.0, 0.0, -3.0));
        (scene, (0..3000).map(ray).collect())
    }

    #[test]
    fn a_lost_device_is_opened_again_and_the_answers_are_the_same() {
        let gpu = open();
        let (scene, rays) = ball_and_rays();
        let before = gpu.compute::<EntryPoints>(&scene, &rays).unwrap();
        assert!(before.iter().any(|entry| entry.status == RayStatus::Hit));
        // However few items there are.
        for count in [rays.len(), 10] {
            gpu.session.lock().unwrap().device.destroy();
            assert_eq!(gpu.compute::<EntryPoints>(&scene, &rays[..count]).unwrap(), before[..count]);
        }
    }

    #[test]
    fn rounds_that_do_not_suffice_are_the_drivers_fault_only_where_it_cuts_loops() {
        let gpu = open();
        let mut session = gpu.session.lock().unwrap();
        let told = [device::Loops::Limited, device::Loops::Whole].map(|loops| {
            session.device.loops = loops;
            session.device.too_many_rounds("wheel").to_string()
        });
        assert_eq!(told.map(|text| text.contains("Mesa before version 25")), [true, false]);
    }

    #[test]
    fn a_device_that_stays_out_of_memory_ends_in_an_error_with_advice() {
        let gpu = open();
        let mut chunks = Vec::new();
        let error = gpu
            .run::<()>(usize::MAX, |session, chunk| {
                chunks.push(chunk);
                Err(GpuError::OutOfMemory { adapter: session.device.name.clone(), cause: "a test".to_owned() })
            })
            .unwrap_err();
        assert_eq!(chunks.first(), Some(&MAX_CHUNK));
        assert!(chunks.len() > 1 && chunks.windows(2).all(|pair| pair[1] == pair[0] / 2));
        assert!(error.to_string().contains("out of memory"), "{error}");
    }

    #[test]
    fn a_kernel_that_is_no_wgsl_is_an_error_and_no_panic() {
        let gpu = open();
        let mut session = gpu.session.lock().unwrap();
        let error = session.kernel("broken", "fn main() { nonsense }".to_owned()).unwrap_err();
        assert!(matches!(error, GpuError::Fault { .. }), "{error}");
    }

    #[test]
    fn a_buffer_beyond_the_limit_is_an_error_that_names_sizes() {
        let gpu = open();
        let session = gpu.session.lock().unwrap();
        let mut buffer = buffer::Buffer::storage("too much");
        let allowed = session.device.limits.max_storage_buffer_binding_size as usize;
        let error = buffer.fill(&session.device, &vec![0u8; allowed + 4]).unwrap_err();
        assert!(error.to_string().contains(&(allowed + 4).to_string()), "{error}");
    }

    #[test]
    fn a_faulty_call_is_an_error_of_ours() {
        let gpu = open();
        let session = gpu.session.lock().unwrap();
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::STORAGE;
        let mut buffer = buffer::Buffer::new("a buffer of two kinds", usage);
        assert!(matches!(buffer.with_room(&session.device, 64), Err(GpuError::Fault { .. })));
    }

    #[test]
    fn loops_that_the_driver_cuts_are_noticed() {
        let gpu = open();
        let session = gpu.session.lock().unwrap();
        let is_old_llvmpipe =
            session.device.identity.contains("llvmpipe") && session.device.identity.contains("Mesa 22");
        println!("{}: {:?} loops", session.device.identity, session.device.loops);
        assert!(!is_old_llvmpipe || session.device.loops == device::Loops::Limited);
    }
}
