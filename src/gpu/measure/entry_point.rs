//! The stages of job `entry_point`.

use std::hint::black_box;
use std::time::Duration;

use super::items::{Host, stages};
use super::{Stages, items};
use crate::columns::{EntryPointColumns, RayColumns};
use crate::gpu::buffer::largest_chunk;
use crate::gpu::entry_point::{ColumnCodec, RaySearch, codec};
use crate::gpu::wire::{EntryPointWire, RayWire};
use crate::gpu::{GpuError, Searches, Session};
use crate::query::Ray;
use crate::scene::Scene;

pub(super) fn measure(
    session: &mut Session,
    scene: &Scene,
    searches: Searches,
    rays: &[Ray],
    time: Duration,
) -> Result<Stages, GpuError> {
    let search = RaySearch::new(session, scene, searches)?;
    let codec = codec(scene, search.origin);
    items::measure(&session.device, &search.job(), &codec, Some(search.form), rays, time)
}

pub(super) fn measure_columns(
    session: &mut Session,
    scene: &Scene,
    searches: Searches,
    rays: RayColumns<'_>,
    time: Duration,
) -> Result<Stages, GpuError> {
    let search = RaySearch::new(session, scene, searches)?;
    let sizes = [size_of::<RayWire>(), size_of::<EntryPointWire>()];
    let count = rays.len().min(largest_chunk(&session.device, sizes[0]));
    let codec = ColumnCodec::new(scene, search.origin, rays);
    let mut entries = EntryPointColumns::default();
    entries.resize(count);
    let host = Host {
        pack: &|to| codec.pack(0, count, to),
        decode: &mut |answers: &[EntryPointWire]| {
            // That a ray has no answer is for the engine to say.
            let _ = codec.decode(0, answers, entries.rows());
            black_box(&entries);
        },
    };
    stages(&session.device, &search.job(), host, Some(search.form), (count, sizes), time)
}
