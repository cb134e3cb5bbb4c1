//! Job `ellipsoid` on a device.
//!
//! A pair is 80 bytes on its way there and 48 on its way back, an ellipsoid with its wall 48 and 16. The host adds what is
//! exact in binary64: the place of the centre, the wall's distance, F from mu. What binary32 cannot hold (semi-axes of
//! 1e5 to 1, say), pairs with one centre and pairs that all but touch, all of them rare, are computed here.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

use glam::DVec3;
use rayon::prelude::*;

use super::GpuError;
use super::buffer::{ItemJob, Slots};
use super::device::Device;
use super::kernel::Kernel;
use super::wire::{ContactWord, PairAnswer, PairWire, WallAnswer, WallWire};
use crate::ellipsoid_contact::{pair_contact, wall_contact};
use crate::query::{ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidWall, WallContact};

pub(super) const PAIRS: &str = "ellipsoid pairs";
pub(super) const WALLS: &str = "ellipsoids and walls";
/// So near to touching a pair is computed here as well, for each 10 of its aspect once more: whether it overlaps is decided
/// in binary64. The kernel's error of mu is a tenth of that, as measured up to aspects of 10,000.
const UNDECIDED: f64 = 1e-5;
/// Items that one thread packs at a time.
const ITEMS_PER_TASK: usize = 4096;

/// The contacts of pairs, `chunk` at a time.
pub(super) fn pairs(
    device: &Device,
    slots: &mut Slots,
    kernel: &Kernel,
    pairs: &[EllipsoidPair],
    chunk: usize,
) -> Result<Vec<EllipsoidContact>, GpuError> {
    let mut contacts = Vec::with_capacity(pairs.len());
    slots.run(
        device,
        &ItemJob { name: PAIRS, kernel, shared: Vec::new() },
        pairs.len(),
        chunk,
        |range| pack_pairs(&pairs[range]),
        |range, answers: &[PairAnswer]| contacts.extend(decode_pairs(&pairs[range], answers)),
    )?;
    all_answered(device, PAIRS, contacts)
}

/// Pairs in wire form.
pub(super) fn pack_pairs(pairs: &[EllipsoidPair]) -> Vec<PairWire> {
    let pairs = pairs.par_iter().with_min_len(ITEMS_PER_TASK);
    pairs.map(|pair| PairWire::new(pair).map_or(PairWire::NONE, |(wire, _)| wire)).collect()
}

/// The contacts of pairs; `None` where the device wrote nothing that it may.
pub(super) fn decode_pairs(pairs: &[EllipsoidPair], answers: &[PairAnswer]) -> Vec<Option<EllipsoidContact>> {
    let answered = pairs.par_iter().zip(answers).with_min_len(ITEMS_PER_TASK);
    answered.map(|(pair, answer)| contact_of_pair(pair, answer)).collect()
}

/// The contacts of ellipsoids with their walls, `chunk` at a time.
pub(super) fn walls(
    device: &Device,
    slots: &mut Slots,
    kernel: &Kernel,
    walls: &[EllipsoidWall],
    chunk: usize,
) -> Result<Vec<WallContact>, GpuError> {
    let mut contacts = Vec::with_capacity(walls.len());
    slots.run(
        device,
        &ItemJob { name: WALLS, kernel, shared: Vec::new() },
        walls.len(),
        chunk,
        |range| {
            let packed = walls[range].par_iter().with_min_len(ITEMS_PER_TASK);
            packed.map(|wall| WallWire::new(wall).map_or(WallWire::NONE, |(wire, _)| wire)).collect()
        },
        |range, answers: &[WallAnswer]| {
            let answered = walls[range].par_iter().zip(answers).with_min_len(ITEMS_PER_TASK);
            contacts.par_extend(answered.map(|(wall, answer)| contact_of_wall(wall, answer)));
        },
    )?;
    all_answered(device, WALLS, contacts)
}

/// `None` when the device wrote nothing that it may.
fn contact_of_pair(pair: &EllipsoidPair, answer: &PairAnswer) -> Option<EllipsoidContact> {
    let Some((_, unit)) = PairWire::new(pair) else {
        return Some(pair_contact(pair));
    };
    match ContactWord::ALL.into_iter().find(|&word| word as u32 == answer.status)? {
        ContactWord::Concentric => Some(pair_contact(pair)),
        ContactWord::NotConverged => Some(EllipsoidContact::none(ContactStatus::NotConverged)),
        ContactWord::Found => {
            let mu = f64::from(answer.mu);
            if (mu - 1.0).abs() <= UNDECIDED * (1.0 + 0.1 * aspect(pair)) {
                return Some(pair_contact(pair));
            }
            let normal = wide(answer.normal).try_normalize()?;
            let point = unit * wide(answer.point);
            let separation = unit * f64::from(answer.separation);
            (mu.is_finite() && point.is_finite() && separation.is_finite()).then(|| EllipsoidContact {
                status: ContactStatus::Ok,
                f: mu * mu,
                mu,
                lambda: f64::from(answer.lambda),
                normal,
                point: pair.a.center + point,
                separation,
                iterations: answer.rounds,
            })
        }
    }
}

/// `None` when the device wrote nothing that it may.
fn contact_of_wall(wall: &EllipsoidWall, answer: &WallAnswer) -> Option<WallContact> {
    let Some((_, unit)) = WallWire::new(wall) else {
        return Some(wall_contact(wall));
    };
    let (width, deepest) = (unit * f64::from(answer.width), unit * wide(answer.deepest));
    let length = wall.normal.length();
    let height = -wall.offset_from_center() / length;
    (width > 0.0 && width.is_finite() && deepest.is_finite()).then(|| WallContact {
        status: ContactStatus::Ok,
        mu: height / width,
        normal: -wall.normal / length,
        point: wall.ellipsoid.center + deepest,
        separation: height - width,
    })
}

/// The longest semi-axis of a pair over the shortest.
fn aspect(pair: &EllipsoidPair) -> f64 {
    pair.a.semi_axes.max(pair.b.semi_axes).max_element() / pair.a.semi_axes.min(pair.b.semi_axes).min_element()
}

fn wide(vector: [f32; 3]) -> DVec3 {
    DVec3::from_array(vector.map(f64::from))
}

/// The answers, or which item has none.
fn all_answered<A>(device: &Device, job: &str, answers: Vec<Option<A>>) -> Result<Vec<A>, GpuError> {
    let unanswered = answers.iter().position(Option::is_none);
    match unanswered {
        None => Ok(answers.into_iter().flatten().collect()),
        Some(item) => Err(GpuError::Fault {
            adapter: device.name.clone(),
            what: job.to_owned(),
            cause: format!("item {item} got no answer"),
        }),
    }
}

#[cfg(test)]
mod tests;
