//! The stages of job `ellipsoid` for pairs.

use std::hint::black_box;
use std::time::Duration;

use super::{Stages, items};
use crate::gpu::buffer::{ItemJob, largest_chunk};
use crate::gpu::ellipsoid::{PAIRS, decode_pairs, pack_pairs};
use crate::gpu::wire::{PairAnswer, PairWire};
use crate::gpu::{GpuError, Session, shader};
use crate::query::EllipsoidPair;

pub(super) fn measure(session: &mut Session, pairs: &[EllipsoidPair], time: Duration) -> Result<Stages, GpuError> {
    let kernel = session.kernel(PAIRS, shader::ellipsoid_pair_source())?;
    let device = &session.device;
    let pairs = &pairs[..pairs.len().min(largest_chunk(device, size_of::<PairWire>()))];
    let job = ItemJob { name: PAIRS, kernel: &kernel, shared: Vec::new() };
    let decode = |answers: &[PairAnswer]| drop(black_box(decode_pairs(pairs, answers)));
    items::measure(device, &job, None, time, || pack_pairs(pairs), decode)
}
