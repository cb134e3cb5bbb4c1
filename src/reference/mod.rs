//! The reference engine: f64, written for clarity, the judge of all other engines.
//!
//! It walks the tree of the scene and never reads program words, so that a fault in flattening cannot hide on both
//! sides. (Cells are made before, when a scene is built; what they do is checked against shapes as they were written.)
//! Items are spread over threads; each is computed alone, so results do not depend on their number.

mod box_normal;
mod entry_point;
mod landing;
mod particle;
mod strut;
mod surface_drag;
mod wheel;

use rayon::prelude::*;

pub use entry_point::Tracer;
pub use landing::recorded_landing;
pub use wheel::{clip_force, pebble_border_axes, spring_force, step_wheel};

use crate::ellipsoid_contact::{pair_contact, wall_contact};
use crate::engine::{Engine, EngineError, EngineIdentity, thread_pool};
use crate::query::{
    BoxNormal, BoxPair, BoxPairNormal, BoxPoint, EllipsoidContact, EllipsoidPair, EllipsoidWall, EntryPoint,
    LandingInputs, LandingJob, LandingOutcome, LandingState, Observer, Particle, ParticleOutcome, ParticleStep, Ray,
    Restitution, WallContact, WheelFrame, WheelParameters, WheelStep,
};
use crate::scene::Scene;

/// Rays that one thread takes at a time: enough that sharing them out costs nothing.
const RAYS_PER_TASK: usize = 1024;
/// Boxes that one thread takes at a time, for the same reason.
const BOXES_PER_TASK: usize = 1024;
/// Particles that one thread takes at a time, for the same reason.
const PARTICLES_PER_TASK: usize = 64;

/// Pairs that one thread takes at a time, for the same reason.
const PAIRS_PER_TASK: usize = 256;

/// Landings per call and thread: about a second's work, so that progress shows and an interruption is quick.
const LANDINGS_PER_THREAD: usize = 128;

/// The reference engine.
#[derive(Debug)]
pub struct Reference {
    pool: rayon::ThreadPool,
}

impl Reference {
    /// An engine with this many threads; 0 takes one per processor.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, EngineError> {
        Ok(Self { pool: thread_pool(threads)? })
    }
}

impl Engine for Reference {
    fn identity(&self) -> EngineIdentity {
        EngineIdentity::of_processor("reference")
    }

    fn landing_batch(&self) -> usize {
        LANDINGS_PER_THREAD * self.pool.current_num_threads()
    }

    fn entry_points(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        let tracer = Tracer::new(scene);
        Ok(self
            .pool
            .install(|| rays.par_iter().with_min_len(RAYS_PER_TASK).map(|ray| tracer.entry_point(ray)).collect()))
    }

    fn ellipsoid_pairs(&self, pairs: &[EllipsoidPair]) -> Result<Vec<EllipsoidContact>, EngineError> {
        let contacts = pairs.par_iter().with_min_len(PAIRS_PER_TASK).map(pair_contact);
        Ok(self.pool.install(|| contacts.collect()))
    }

    fn ellipsoid_walls(&self, walls: &[EllipsoidWall]) -> Result<Vec<WallContact>, EngineError> {
        let contacts = walls.par_iter().with_min_len(PAIRS_PER_TASK).map(wall_contact);
        Ok(self.pool.install(|| contacts.collect()))
    }

    fn wheels(
        &self,
        scene: &Scene,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
    ) -> Result<Vec<Vec<WheelStep>>, EngineError> {
        let tracer = Tracer::new(scene);
        Ok(self.pool.install(|| runs.par_iter().map(|frames| wheel::run(&tracer, parameters, frames)).collect()))
    }

    fn box_normals(&self, points: &[BoxPoint]) -> Result<Vec<BoxNormal>, EngineError> {
        let points = || points.par_iter().with_min_len(BOXES_PER_TASK);
        Ok(self.pool.install(|| points().map(box_normal::box_normal).collect()))
    }

    fn box_pairs(&self, pairs: &[BoxPair]) -> Result<Vec<BoxPairNormal>, EngineError> {
        let pairs = || pairs.par_iter().with_min_len(BOXES_PER_TASK);
        Ok(self.pool.install(|| pairs().map(box_normal::box_pair).collect()))
    }

    fn particles(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<ParticleOutcome>, EngineError> {
        let items = items.par_iter().with_min_len(PARTICLES_PER_TASK);
        Ok(self.pool.install(|| items.map(|item| particle::outcome(item, restitution)).collect()))
    }

    fn trace_particles(
        &self,
        restitution: Restitution,
        items: &[Particle],
    ) -> Result<Vec<Vec<ParticleStep>>, EngineError> {
        let items = items.par_iter().with_min_len(PARTICLES_PER_TASK);
        Ok(self.pool.install(|| items.map(|item| particle::trace(item, restitution)).collect()))
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let tracer = Tracer::new(&job.scene);
        Ok(self.pool.install(|| {
            inputs.par_iter().with_max_len(1).map(|item| landing::simulate(job, item, &tracer, &mut ())).collect()
        }))
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        let tracer = Tracer::new(&job.scene);
        let step = |(inputs, state): &(LandingInputs, LandingState)| landing::step(job, inputs, state, &tracer);
        Ok(self.pool.install(|| items.par_iter().map(step).collect()))
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        Ok(landing::simulate(job, inputs, &Tracer::new(&job.scene), observer))
    }
}
