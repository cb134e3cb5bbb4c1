//! The stages of job `entry_point`.

use std::time::Duration;

use super::{Stages, items};
use crate::gpu::entry_point::{RaySearch, codec};
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
