//! The stages of job `entry_point`.

use std::hint::black_box;
use std::time::Duration;

use super::{Stages, items};
use crate::gpu::buffer::{ItemJob, largest_chunk};
use crate::gpu::entry_point::{NAME, decode_all, pack};
use crate::gpu::wire::{EntryPointWire, RayWire};
use crate::gpu::{GpuError, Session, shader};
use crate::query::Ray;
use crate::scene::Scene;

pub(super) fn measure(session: &mut Session, scene: &Scene, rays: &[Ray], time: Duration) -> Result<Stages, GpuError> {
    let buffers = session.scene(scene)?;
    let kernel = session.kernel(NAME, shader::entry_point_source(&buffers.search.source))?;
    let (device, origin) = (&session.device, buffers.wire.origin);
    let rays = &rays[..rays.len().min(largest_chunk(device, size_of::<RayWire>()))];
    let job = ItemJob { name: NAME, kernel: &kernel, shared: buffers.bindings() };
    let decode = |answers: &[EntryPointWire]| drop(black_box(decode_all(scene, origin, rays, answers)));
    items::measure(device, &job, Some(buffers.search.form), time, || pack(origin, rays), decode)
}
