//! Job `box_normal` on a device: 48 bytes for a box, 16 for its normal.
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`].

use bytemuck::Pod;
use rayon::prelude::*;

use super::GpuError;
use super::buffer::{ItemJob, Slots, fault};
use super::device::Device;
use super::kernel::Kernel;
use super::wire::{BoxAnswer, BoxPairWire, BoxWire};
use crate::query::{BoxCase, BoxNormal, BoxPair, BoxPairNormal, BoxPoint, BoxRegion, BoxStatus};

pub(super) const NAME: &str = "box_normal";
pub(super) const PAIRS: &str = "box_pair";
/// Boxes that one thread packs at a time.
const BOXES_PER_TASK: usize = 4096;

/// The normals of boxes.
pub(super) fn box_normals(
    device: &Device,
    slots: &mut Slots,
    kernel: &Kernel,
    points: &[BoxPoint],
    chunk: usize,
) -> Result<Vec<BoxNormal>, GpuError> {
    let job = ItemJob { name: NAME, kernel, shared: Vec::new() };
    answered(device, slots, &job, points, chunk, BoxWire::new, |point, answer| {
        if !point.is_valid() {
            return Some(BoxNormal::none(BoxStatus::BadInput, BoxRegion::Face));
        }
        let (status, normal, number) = answer.decode()?;
        let region = BoxRegion::ALL.into_iter().find(|&region| region as u32 == number)?;
        Some(BoxNormal { status, normal, region })
    })
}

/// The normals of pairs.
pub(super) fn box_pairs(
    device: &Device,
    slots: &mut Slots,
    kernel: &Kernel,
    pairs: &[BoxPair],
    chunk: usize,
) -> Result<Vec<BoxPairNormal>, GpuError> {
    let job = ItemJob { name: PAIRS, kernel, shared: Vec::new() };
    answered(device, slots, &job, pairs, chunk, BoxPairWire::new, |pair, answer| {
        if !pair.is_valid() {
            return Some(BoxPairNormal::none(BoxStatus::BadInput, BoxCase::FaceFace));
        }
        let (status, normal, number) = answer.decode()?;
        let case = BoxCase::ALL.into_iter().find(|&case| case as u32 == number)?;
        Some(BoxPairNormal { status, normal, case })
    })
}

/// One answer for each item; `decode` gives none where the device wrote nothing that it may.
fn answered<T: Sync, W: Pod + Send, R: Send>(
    device: &Device,
    slots: &mut Slots,
    job: &ItemJob<'_>,
    items: &[T],
    chunk: usize,
    wire: impl Fn(&T) -> W + Sync,
    decode: impl Fn(&T, &BoxAnswer) -> Option<R> + Sync,
) -> Result<Vec<R>, GpuError> {
    let mut results = Vec::with_capacity(items.len());
    let mut unanswered = None;
    slots.run(
        device,
        job,
        items.len(),
        chunk,
        |range| items[range].par_iter().with_min_len(BOXES_PER_TASK).map(&wire).collect(),
        |range, answers: &[BoxAnswer]| {
            let pairs = items[range.clone()].par_iter().zip(answers).with_min_len(BOXES_PER_TASK);
            let decoded: Vec<Option<R>> = pairs.map(|(item, answer)| decode(item, answer)).collect();
            unanswered = unanswered.or(decoded.iter().position(Option::is_none).map(|index| range.start + index));
            results.extend(decoded.into_iter().flatten());
        },
    )?;
    match unanswered {
        None => Ok(results),
        Some(item) => Err(fault(device, job.name, &format!("item {item} got no answer"))),
    }
}
