//! The stages of job `ellipsoid` for pairs.

use std::time::Duration;

use super::{Stages, items};
use crate::gpu::buffer::ItemJob;
use crate::gpu::ellipsoid::{PAIRS, pairs as crossing};
use crate::gpu::{GpuError, Session, shader};
use crate::query::EllipsoidPair;

pub(super) fn measure(session: &mut Session, pairs: &[EllipsoidPair], time: Duration) -> Result<Stages, GpuError> {
    let kernel = session.kernel(PAIRS, shader::ellipsoid_pair_source())?;
    let job = ItemJob { name: PAIRS, kernel: &kernel, shared: Vec::new() };
    items::measure(&session.device, &job, &crossing(), None, pairs, time)
}
