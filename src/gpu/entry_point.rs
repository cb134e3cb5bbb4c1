//! Job `entry_point` on a device.
//!
//! A ray is 32 bytes on its way there and 8 on its way back: lambda and leaf. The host fetches the normal and the material
//! of the leaf in f64.
//!
//! # Conventions
//! As in [`crate::query::Ray`]; the device sees points relative to the scene's origin.

use glam::DVec3;

use super::buffer::{Buffer, ItemJob};
use super::device::Device;
use super::items::Codec;
use super::kernel::Kernel;
use super::wire::{EntryPointWire, MAX_LENGTH, ProgramWire, RayStatusWord, RayWire};
use super::{Gpu, GpuError, shader};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::program::Program;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::Scene;

impl Computes<EntryPoints> for Gpu {
    fn answers(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        self.run(rays.len(), |session, chunk| {
            let buffers = session.scene(scene)?;
            let kernel = session
                .kernel(EntryPoints::NAME, shader::entry_point_source(&buffers.search.source, session.device.loops))?;
            let job = ItemJob { name: EntryPoints::NAME, kernel: &kernel, shared: buffers.bindings() };
            let codec = codec(scene, buffers.wire.origin);
            codec.run(&session.device, &mut session.slots, &job, rays, chunk)
        })
    }
}

impl Gpu {
    /// Job `entry_point` by the plain words of the program and a stack, the oracle for walks: the same answers, slowly.
    ///
    /// # Errors
    /// When the device fails.
    pub fn entry_points_by_words(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        let program = Program::compile(scene);
        self.run(rays.len(), |session, chunk| {
            let kernel = session.kernel(EntryPoints::NAME, shader::postfix_source(program.stack_depth()))?;
            let origin = session.scene(scene)?.wire.origin;
            let buffers = ProgramBuffers::new(&session.device, &program, origin)?;
            let job = buffers.job(&kernel);
            codec(scene, origin).run(&session.device, &mut session.slots, &job, rays, chunk)
        })
    }
}

/// Rays in a scene whose lengths are sent relative to `origin`.
pub(super) fn codec(
    scene: &Scene,
    origin: DVec3,
) -> Codec<impl Fn(&Ray) -> RayWire + Sync, impl Fn(&Ray, &EntryPointWire) -> Option<EntryPoint> + Sync> {
    Codec {
        pack: move |ray: &Ray| RayWire::new(ray, origin).unwrap_or(RayWire::NONE),
        decode: move |ray: &Ray, answer: &EntryPointWire| decode(scene, origin, ray, answer),
    }
}

/// The plain words of a scene's program in a device's memory.
#[derive(Debug)]
pub(super) struct ProgramBuffers {
    head: Buffer,
    instructions: Buffer,
    constants: Buffer,
}

impl ProgramBuffers {
    /// Sends a program to a device.
    pub fn new(device: &Device, program: &Program, origin: DVec3) -> Result<Self, GpuError> {
        let wire = ProgramWire::new(program, origin, device.rounds)?;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let mut buffers = Self {
            head: Buffer::new("the program's head", uniform),
            instructions: Buffer::storage("the program's instructions"),
            constants: Buffer::storage("the program's constants"),
        };
        buffers.head.fill(device, &[wire.head])?;
        buffers.instructions.fill(device, &wire.instructions)?;
        buffers.constants.fill(device, &wire.constants)?;
        Ok(buffers)
    }

    /// The job that reads these words.
    pub fn job<'a>(&'a self, kernel: &'a Kernel) -> ItemJob<'a> {
        let buffers = [&self.head, &self.instructions, &self.constants];
        ItemJob { name: EntryPoints::NAME, kernel, shared: buffers.into_iter().filter_map(Buffer::binding).collect() }
    }
}

/// `None` when the device wrote nothing that it may.
fn decode(scene: &Scene, origin: DVec3, ray: &Ray, answer: &EntryPointWire) -> Option<EntryPoint> {
    if RayWire::new(ray, origin).is_none() {
        return Some(EntryPoint::none(RayStatus::BadInput));
    }
    let (status, leaf) = answer.decode()?;
    match (status, leaf) {
        (RayStatusWord::Miss, _) => Some(EntryPoint::none(RayStatus::Miss)),
        (RayStatusWord::NotConverged, _) => Some(EntryPoint::none(RayStatus::NotConverged)),
        (RayStatusWord::Hit, None) => {
            let point = ray.at(ray.lambda1);
            Some(EntryPoint::start_inside(scene, point, ray.lambda1, slack(point - origin)))
        }
        (RayStatusWord::Hit, Some(leaf)) if (leaf as usize) < scene.leaves().len() && answer.lambda.is_finite() => {
            // Narrowing may have moved the ends of the range by a unit in the last place.
            let lambda = f64::from(answer.lambda).clamp(ray.lambda1, ray.lambda2);
            let point = ray.at(lambda);
            let normal = scene.leaf(leaf).normal(point);
            let material = scene.material_at(leaf, point);
            Some(EntryPoint { status: RayStatus::Hit, lambda, normal, leaf: Some(leaf), material })
        }
        (RayStatusWord::Hit, Some(_)) => None,
    }
}

/// How far outside a point may be that the device takes for inside \[m\].
fn slack(point: DVec3) -> f64 {
    // The backward error of a ball, the worst of all solids: 57 and 49 roundings of the lengths at play.
    64.0 * f64::from(f32::EPSILON) * point.abs().max_element().min(MAX_LENGTH)
}

#[cfg(test)]
mod tests;
