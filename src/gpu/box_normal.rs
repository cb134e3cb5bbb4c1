//! Job `box_normal` on a device: 48 bytes for a box, 16 for its normal.
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`].

use super::items::Codec;
use super::wire::{BoxAnswer, BoxPairWire, BoxWire};
use crate::query::{BoxCase, BoxNormal, BoxPair, BoxPairNormal, BoxPoint, BoxRegion, BoxStatus};

pub(super) const NAME: &str = "box_normal";
pub(super) const PAIRS: &str = "box_pair";

/// Boxes and their normals.
pub(super) fn boxes()
-> Codec<impl Fn(&BoxPoint) -> BoxWire + Sync, impl Fn(&BoxPoint, &BoxAnswer) -> Option<BoxNormal> + Sync> {
    let decode = |point: &BoxPoint, answer: &BoxAnswer| {
        if !point.is_valid() {
            return Some(BoxNormal::none(BoxStatus::BadInput, BoxRegion::Face));
        }
        let (status, normal, number) = answer.decode()?;
        let region = BoxRegion::ALL.into_iter().find(|&region| region as u32 == number)?;
        Some(BoxNormal { status, normal, region })
    };
    Codec { pack: BoxWire::new, decode }
}

/// Pairs and their normals.
pub(super) fn pairs()
-> Codec<impl Fn(&BoxPair) -> BoxPairWire + Sync, impl Fn(&BoxPair, &BoxAnswer) -> Option<BoxPairNormal> + Sync> {
    let decode = |pair: &BoxPair, answer: &BoxAnswer| {
        if !pair.is_valid() {
            return Some(BoxPairNormal::none(BoxStatus::BadInput, BoxCase::FaceFace));
        }
        let (status, normal, number) = answer.decode()?;
        let case = BoxCase::ALL.into_iter().find(|&case| case as u32 == number)?;
        Some(BoxPairNormal { status, normal, case })
    };
    Codec { pack: BoxPairWire::new, decode }
}

#[cfg(test)]
mod tests;
