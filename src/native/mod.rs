//! The native engine: f64 in lanes of eight on all cores, with the instructions that the processor is found to have.
//!
//! Its lanes follow the formulas of [`mod@crate::reference`] operation by operation, so it gives the same bytes as the
//! reference, and gives them on every machine of one architecture. What differs is the order in which things are looked
//! at: boxes tell which solids a ray cannot meet, and eight items are computed at once.

mod ball;
mod border;
mod box_normal;
mod cell;
mod clearance;
mod ellipsoid;
mod entry_point;
mod grip;
mod ground_query;
mod index;
mod landing;
mod packet;
mod paint;
mod particle;
mod rotation;
mod search;
mod strut;
mod surface;
mod surface_drag;
mod tree;
mod wheel;
mod wheel_runs;

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use self::ground_query::Ground;
pub use self::index::SceneIndex;
use crate::engine::{Engine, EngineError, EngineIdentity, thread_pool};
use crate::query::{
    BoxNormal, BoxPair, BoxPairNormal, BoxPoint, ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidWall,
    EntryPoint, LandingInputs, LandingJob, LandingOutcome, LandingState, Observer, Particle, ParticleOutcome,
    ParticleStep, Ray, Restitution, WallContact, WheelFrame, WheelParameters, WheelStep,
};
use crate::scene::Scene;

/// Landings per call and thread: about a second's work, so that progress shows and an interruption is quick.
const LANDINGS_PER_THREAD: usize = 1024;

/// Pairs of ellipsoids that one thread takes at a time: enough that sharing them out costs nothing.
const PAIRS_PER_TASK: usize = 1024;

/// Runs of wheels that one thread takes at a time: enough that lanes seldom idle at their end.
const WHEEL_RUNS_PER_TASK: usize = 64;

/// The native engine.
#[derive(Debug)]
pub struct Native {
    pool: rayon::ThreadPool,
    /// The scene that was asked last, laid out: batches of one study ask the same again and again.
    last: Mutex<Option<Arc<SceneIndex>>>,
}

impl Native {
    /// An engine with this many threads; 0 takes one per processor.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, EngineError> {
        Ok(Self { pool: thread_pool(threads)?, last: Mutex::new(None) })
    }

    /// The scene laid out.
    fn index(&self, scene: &Scene) -> Arc<SceneIndex> {
        // What a panic has left behind is whole: it is replaced in one step.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|index| index.scene() == scene) {
            Some(index) => Arc::clone(index),
            None => Arc::clone(last.insert(Arc::new(SceneIndex::new(scene)))),
        }
    }
}

impl Engine for Native {
    fn identity(&self) -> EngineIdentity {
        EngineIdentity::of_processor("native")
    }

    fn promises_equality(&self) -> bool {
        true
    }

    fn landing_batch(&self) -> usize {
        LANDINGS_PER_THREAD * self.pool.current_num_threads()
    }

    fn entry_points(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        let index = self.index(scene);
        Ok(self.pool.install(|| entry_point::entry_points(&index, rays)))
    }

    fn ellipsoid_pairs(&self, pairs: &[EllipsoidPair]) -> Result<Vec<EllipsoidContact>, EngineError> {
        let mut contacts = vec![EllipsoidContact::none(ContactStatus::BadInput); pairs.len()];
        let tasks = pairs.par_chunks(PAIRS_PER_TASK).zip(contacts.par_chunks_mut(PAIRS_PER_TASK));
        self.pool.install(|| tasks.for_each(|(pairs, contacts)| ellipsoid::pair_contacts(pairs, contacts)));
        Ok(contacts)
    }

    fn ellipsoid_walls(&self, walls: &[EllipsoidWall]) -> Result<Vec<WallContact>, EngineError> {
        let mut contacts = vec![WallContact::none(ContactStatus::BadInput); walls.len()];
        let tasks = walls.par_chunks(PAIRS_PER_TASK).zip(contacts.par_chunks_mut(PAIRS_PER_TASK));
        self.pool.install(|| tasks.for_each(|(walls, contacts)| ellipsoid::wall_contacts(walls, contacts)));
        Ok(contacts)
    }

    fn wheels(
        &self,
        scene: &Scene,
        parameters: &WheelParameters,
        runs: &[Vec<WheelFrame>],
    ) -> Result<Vec<Vec<WheelStep>>, EngineError> {
        let index = self.index(scene);
        let ground = Ground::new(&index);
        let led = |runs: &[Vec<WheelFrame>]| wheel_runs::run(&ground, parameters, runs);
        Ok(self.pool.install(|| runs.par_chunks(WHEEL_RUNS_PER_TASK).flat_map_iter(led).collect()))
    }

    fn box_normals(&self, points: &[BoxPoint]) -> Result<Vec<BoxNormal>, EngineError> {
        Ok(self.pool.install(|| box_normal::box_normals(points)))
    }

    fn box_pairs(&self, pairs: &[BoxPair]) -> Result<Vec<BoxPairNormal>, EngineError> {
        Ok(self.pool.install(|| box_normal::box_pairs(pairs)))
    }

    fn particles(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<ParticleOutcome>, EngineError> {
        Ok(self.pool.install(|| particle::particles(restitution, items)))
    }

    fn trace_particles(
        &self,
        restitution: Restitution,
        items: &[Particle],
    ) -> Result<Vec<Vec<ParticleStep>>, EngineError> {
        Ok(self.pool.install(|| particle::traces(restitution, items)))
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        let index = self.index(&job.scene);
        Ok(self.pool.install(|| landing::simulate(job, &index, inputs)))
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        let index = self.index(&job.scene);
        Ok(self.pool.install(|| landing::step(job, &index, items)))
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        Ok(landing::trace(job, &self.index(&job.scene), inputs, observer))
    }
}
