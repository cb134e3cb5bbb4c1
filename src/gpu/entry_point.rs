//! Job `entry_point` on a device.
//!
//! A ray takes 32 bytes up and 8 down: lambda and leaf. The host looks up the normal and the material of the leaf in
//! f64.
//!
//! # Conventions
//! As in [`crate::query::Ray`]; on the device points are relative to the scene's origin.

mod columns;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::DVec3;
use wgpu::BindingResource;

pub(super) use self::columns::{ColumnCodec, fill as fill_columns};
use super::buffer::{Buffer, ItemJob};
use super::device::Device;
use super::items::Codec;
use super::kernel::Kernel;
use super::scene::SceneBuffers;
use super::wire::{EntryPointWire, MAX_LENGTH, ProgramWire, RayStatusWord, RayWire};
use super::{Gpu, GpuError, SearchForm, Searches, Session, shader};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::program::Program;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::{Scene, center};

impl Computes<EntryPoints> for Gpu {
    fn answers(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        self.run(rays.len(), |session, chunk| {
            let search = RaySearch::new(session, scene, self.options.searches)?;
            let codec = codec(scene, search.origin);
            codec.run(&session.device, &mut session.slots, &search.job(), rays, chunk)
        })
    }
}

/// What ray tracing in a scene needs on a device.
pub(super) struct RaySearch {
    pub form: SearchForm,
    /// Origin of all device coordinates, world \[m\].
    pub origin: DVec3,
    kernel: Arc<Kernel>,
    buffers: SearchBuffers,
}

enum SearchBuffers {
    Scene(Arc<SceneBuffers>),
    Program(Arc<ProgramBuffers>),
}

impl RaySearch {
    pub fn new(session: &mut Session, scene: &Scene, searches: Searches) -> Result<Self, GpuError> {
        let name = EntryPoints::NAME;
        match searches {
            Searches::Walks => {
                let buffers = session.scene(scene)?;
                let source = shader::entry_point_source(&buffers.search.source, session.device.loops);
                let (form, origin) = (buffers.search.form, buffers.wire.origin);
                let kernel = session.kernel(name, source)?;
                Ok(Self { form, origin, kernel, buffers: SearchBuffers::Scene(buffers) })
            }
            Searches::Words => {
                let buffers = session.program(scene)?;
                let kernel = session.kernel(name, shader::postfix_source(buffers.stack_depth))?;
                let origin = buffers.origin;
                Ok(Self { form: SearchForm::Words, origin, kernel, buffers: SearchBuffers::Program(buffers) })
            }
        }
    }

    pub fn job(&self) -> ItemJob<'_> {
        let shared = match &self.buffers {
            SearchBuffers::Scene(buffers) => buffers.bindings(),
            SearchBuffers::Program(buffers) => buffers.bindings(),
        };
        ItemJob { name: EntryPoints::NAME, kernel: &self.kernel, shared }
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

/// The words of a scene's program in a device's memory, and the scene.
#[derive(Debug)]
pub(super) struct ProgramBuffers {
    scene: Scene,
    origin: DVec3,
    stack_depth: usize,
    head: Buffer,
    instructions: Buffer,
    constants: Buffer,
}

impl ProgramBuffers {
    /// Sends a scene's program to a device.
    pub fn new(device: &Device, scene: &Scene) -> Result<Self, GpuError> {
        let (program, origin) = (Program::compile(scene), center(scene));
        let wire = ProgramWire::new(&program, origin, device.rounds)?;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let mut buffers = Self {
            scene: scene.clone(),
            origin,
            stack_depth: program.stack_depth(),
            head: Buffer::new("the program's head", uniform),
            instructions: Buffer::storage("the program's instructions"),
            constants: Buffer::storage("the program's constants"),
        };
        buffers.head.fill(device, &[wire.head])?;
        buffers.instructions.fill(device, &wire.instructions)?;
        buffers.constants.fill(device, &wire.constants)?;
        Ok(buffers)
    }

    /// True when they hold this scene's.
    pub fn hold(&self, scene: &Scene) -> bool {
        self.scene == *scene
    }

    fn bindings(&self) -> Vec<BindingResource<'_>> {
        [&self.head, &self.instructions, &self.constants].into_iter().filter_map(Buffer::binding).collect()
    }
}

/// `None` when the device wrote nothing that it may.
fn decode(scene: &Scene, origin: DVec3, ray: &Ray, answer: &EntryPointWire) -> Option<EntryPoint> {
    let (status, leaf) = answer.decode()?;
    match (status, leaf) {
        (RayStatusWord::Miss, _) => Some(EntryPoint::none(RayStatus::Miss)),
        (RayStatusWord::NotConverged, _) => Some(EntryPoint::none(RayStatus::NotConverged)),
        (RayStatusWord::BadInput, _) => Some(EntryPoint::none(RayStatus::BadInput)),
        (RayStatusWord::Hit, None) => {
            let point = ray.at(ray.lambda1);
            Some(EntryPoint::start_inside(scene, point, ray.lambda1, slack(point - origin)))
        }
        (RayStatusWord::Hit, Some(leaf)) if (leaf as usize) < scene.leaves().len() && answer.lambda.is_finite() => {
            let lambda = widened(answer.lambda, ray.lambda1, ray.lambda2);
            let point = ray.at(lambda);
            let normal = scene.leaf(leaf).normal(point);
            let material = scene.material_at(leaf, point);
            Some(EntryPoint { status: RayStatus::Hit, lambda, normal, leaf: Some(leaf), material })
        }
        (RayStatusWord::Hit, Some(_)) => None,
    }
}

/// Lambda of a hit: narrowing may have moved the ends of the range by a unit in the last place.
fn widened(lambda: f32, lambda1: f64, lambda2: f64) -> f64 {
    f64::from(lambda).clamp(lambda1, lambda2)
}

/// How far outside a point may be that the device takes for inside \[m\].
fn slack(point: DVec3) -> f64 {
    // The backward error of a ball, the worst of all solids: 57 and 49 roundings of the lengths at play.
    64.0 * f64::from(f32::EPSILON) * point.abs().max_element().min(MAX_LENGTH)
}
