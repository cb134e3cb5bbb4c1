//! Job `entry_point` on a device.
//!
//! A ray is 32 bytes on its way there and 8 on its way back: lambda and leaf. The host fetches the normal and the material
//! of the leaf in binary64.
//!
//! # Conventions
//! As in [`crate::query::Ray`]; the device sees points relative to the scene's origin.

use rayon::prelude::*;

use super::GpuError;
use super::buffer::{ItemJob, Slots};
use super::device::Device;
use super::kernel::Kernel;
use super::scene::SceneBuffers;
use super::wire::{EntryPointWire, LARGEST_LENGTH, RayStatusWord, RayWire};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::Scene;

const NAME: &str = "entry_point";
/// Rays that one thread packs at a time.
const RAYS_PER_TASK: usize = 4096;

/// Where rays meet a scene.
pub(super) fn entry_points(
    device: &Device,
    slots: &mut Slots,
    kernel: &Kernel,
    buffers: &SceneBuffers,
    scene: &Scene,
    rays: &[Ray],
    chunk: usize,
) -> Result<Vec<EntryPoint>, GpuError> {
    let origin = buffers.wire.origin;
    let job = ItemJob { name: NAME, kernel, shared: buffers.bindings() };
    let mut entries = Vec::with_capacity(rays.len());
    let mut unanswered = None;
    slots.run(
        device,
        &job,
        rays.len(),
        chunk,
        |range| {
            let rays = rays[range].par_iter().with_min_len(RAYS_PER_TASK);
            rays.map(|ray| RayWire::new(ray, origin).unwrap_or(RayWire::NONE)).collect()
        },
        |range, answers: &[EntryPointWire]| {
            let first = range.start;
            let answered = rays[range].par_iter().zip(answers).with_min_len(RAYS_PER_TASK);
            let decoded: Vec<Option<EntryPoint>> =
                answered.map(|(ray, answer)| decode(scene, origin, ray, answer)).collect();
            unanswered = unanswered.or(decoded.iter().position(Option::is_none).map(|index| first + index));
            entries.extend(decoded.into_iter().flatten());
        },
    )?;
    match unanswered {
        None => Ok(entries),
        Some(ray) => Err(GpuError::Fault {
            adapter: device.name.clone(),
            what: NAME.to_owned(),
            cause: format!("ray {ray} got no answer"),
        }),
    }
}

/// `None` when the device wrote nothing that it may.
fn decode(scene: &Scene, origin: glam::DVec3, ray: &Ray, answer: &EntryPointWire) -> Option<EntryPoint> {
    if RayWire::new(ray, origin).is_none() {
        return Some(EntryPoint::none(RayStatus::BadInput));
    }
    let (status, leaf) = answer.decode()?;
    match status {
        RayStatusWord::Miss => Some(EntryPoint::none(RayStatus::Miss)),
        RayStatusWord::NotConverged => Some(EntryPoint::none(RayStatus::NotConverged)),
        RayStatusWord::Hit => {
            let Some(leaf) = leaf else {
                let point = ray.at(ray.lambda1);
                return Some(scene.start_inside(point, ray.lambda1, slack(point - origin)));
            };
            let lambda = f64::from(answer.lambda);
            if !(leaf as usize) < scene.leaves().len() || !lambda.is_finite() {
                return None;
            }
            // Narrowing may have moved the ends of the range by a unit in the last place.
            let lambda = lambda.clamp(ray.lambda1, ray.lambda2);
            let point = ray.at(lambda);
            let normal = scene.leaf(leaf).normal(point);
            let material = scene.material_at(leaf, point);
            Some(EntryPoint { status: RayStatus::Hit, lambda, normal, leaf: Some(leaf), material })
        }
    }
}

/// How far outside a point may be that the device takes for inside \[m\].
fn slack(point: glam::DVec3) -> f64 {
    32.0 * f64::from(f32::EPSILON) * point.abs().max_element().min(LARGEST_LENGTH)
}
