//! Job `entry_point`: many rays in one scene.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`].

use glam::DVec3;

use super::index::SceneIndex;
use super::search::{Entry, NO_LEAF, Search};
use super::tree::Deferred;
use super::{Native, by_tasks};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized, vectorized};
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::Scene;

/// Groups of eight rays traced together.
const EIGHTS: usize = 2;
/// Rays traced together.
const PACKET: usize = EIGHTS * LANES;
/// Rays per task of a thread: enough to make scheduling free.
const RAYS_PER_TASK: usize = 64 * PACKET;

impl Computes<EntryPoints> for Native {
    fn answers(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        let index = self.index(scene);
        let task = |rays: &[Ray], answers: &mut [EntryPoint]| index.entry_points(rays, answers);
        Ok(self.pool.install(|| by_tasks(RAYS_PER_TASK, rays, EntryPoint::none(RayStatus::Miss), task)))
    }
}

impl SceneIndex {
    /// Entry points of rays, on this thread. `answers` has a slot for each.
    pub fn entry_points(&self, rays: &[Ray], answers: &mut [EntryPoint]) {
        vectorized(Batch { index: self, rays, answers });
    }

    /// Neighbouring rays are traced together where possible.
    #[inline(always)]
    fn answer(&self, rays: &[Ray], answers: &mut [EntryPoint]) {
        let mut deferred = Deferred::new();
        for (rays, answers) in rays.chunks(PACKET).zip(answers.chunks_mut(PACKET)) {
            let (eights, rest) = rays.as_chunks::<LANES>();
            let packet = <&[[Ray; LANES]; EIGHTS]>::try_from(eights).ok().filter(|_| rest.is_empty());
            if !packet.is_some_and(|packet| self.answer_packet(packet, answers, &mut deferred)) {
                for (ray, answer) in rays.iter().zip(answers) {
                    *answer = self.answer_one(ray, &mut deferred);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn answer_one(&self, ray: &Ray, deferred: &mut Deferred) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        self.entry_point(ray, self.first_of_scene(Search { ray, from: ray.lambda1, until: ray.lambda2 }, deferred))
    }

    #[inline(always)]
    pub(super) fn entry_point(&self, ray: &Ray, entry: Option<Entry>) -> EntryPoint {
        let Some(Entry { lambda, leaf, border, .. }) = entry else {
            return EntryPoint::none(RayStatus::Miss);
        };
        let point = ray.at(lambda);
        let leaf = (leaf != NO_LEAF).then_some(leaf);
        let border_leaf = leaf.filter(|_| border);
        EntryPoint {
            status: RayStatus::Hit,
            lambda,
            normal: border_leaf.map_or(DVec3::ZERO, |leaf| self.scene.leaf(leaf).normal(point)),
            leaf: border_leaf,
            material: match leaf {
                Some(leaf) => self.scene.material_at(leaf, point),
                None => self.scene.default_material(),
            },
        }
    }
}

struct Batch<'a> {
    index: &'a SceneIndex,
    rays: &'a [Ray],
    answers: &'a mut [EntryPoint],
}

impl Vectorized for Batch<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.index.answer(self.rays, self.answers);
    }
}
