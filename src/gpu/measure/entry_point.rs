//! The stages of job `entry_point`.

use std::time::Duration;

use super::{Stages, items};
use crate::gpu::buffer::ItemJob;
use crate::gpu::entry_point::codec;
use crate::gpu::{GpuError, Session, shader};
use crate::job::Job;
use crate::query::{EntryPoints, Ray};
use crate::scene::Scene;

pub(super) fn measure(session: &mut Session, scene: &Scene, rays: &[Ray], time: Duration) -> Result<Stages, GpuError> {
    let buffers = session.scene(scene)?;
    let kernel =
        session.kernel(EntryPoints::NAME, shader::entry_point_source(&buffers.search.source, session.device.loops))?;
    let job = ItemJob { name: EntryPoints::NAME, kernel: &kernel, shared: buffers.bindings() };
    let codec = codec(scene, buffers.wire.origin);
    items::measure(&session.device, &job, &codec, Some(buffers.search.form), rays, time)
}
