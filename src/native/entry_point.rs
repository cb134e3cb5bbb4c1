//! Job `entry_point`: many rays in one scene.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`].

use glam::DVec3;

use super::index::SceneIndex;
use super::packet::RAYS;
use super::search::{Entry, NO_LEAF, Search};
use crate::lanes::{Vectorized, vectorized};
use crate::query::{EntryPoint, Ray, RayStatus};

impl SceneIndex {
    /// Where each ray first meets the scene, on this thread. `answers` has a place for each.
    pub fn entry_points(&self, rays: &[Ray], answers: &mut [EntryPoint]) {
        vectorized(Batch { index: self, rays, answers });
    }

    /// Rays side by side go together where they can.
    #[inline(always)]
    fn answer(&self, rays: &[Ray], answers: &mut [EntryPoint]) {
        for (rays, answers) in rays.chunks(RAYS).zip(answers.chunks_mut(RAYS)) {
            let packet = <&[Ray; RAYS]>::try_from(rays).ok().filter(|rays| rays.iter().all(Ray::is_valid));
            if let Some(entries) = packet.and_then(|rays| self.first_of_packet(rays)) {
                for ((ray, answer), entry) in rays.iter().zip(answers).zip(entries) {
                    *answer = self.entry_point(ray, entry);
                }
            } else {
                for (ray, answer) in rays.iter().zip(answers) {
                    *answer = self.answer_one(ray);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn answer_one(&self, ray: &Ray) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        self.entry_point(ray, self.first_of_scene(Search { ray, from: ray.lambda1, until: ray.lambda2 }))
    }

    #[inline(always)]
    fn entry_point(&self, ray: &Ray, entry: Option<Entry>) -> EntryPoint {
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
                Some(leaf) => self.paint.material(&self.scene, leaf, point),
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
