//! Job `box_normal` on a device: 48 bytes for a box, 16 for its normal.
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`].

use super::items::ClosedForm;
use super::shader;
use super::wire::{BoxAnswer, BoxPairWire, BoxWire};
use crate::query::{BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus};

impl ClosedForm for BoxNormals {
    type Wire = BoxWire;
    type AnswerWire = BoxAnswer;

    fn source() -> String {
        shader::box_normal_source()
    }

    fn pack(point: &BoxPoint) -> BoxWire {
        BoxWire::new(point)
    }

    fn decode(point: &BoxPoint, answer: &BoxAnswer) -> Option<BoxNormal> {
        if !point.is_valid() {
            return Some(BoxNormal::none(BoxStatus::BadInput, BoxRegion::Face));
        }
        let (status, normal, number) = answer.decode()?;
        let region = BoxRegion::ALL.into_iter().find(|&region| region as u32 == number)?;
        Some(BoxNormal { status, normal, region })
    }
}

impl ClosedForm for BoxPairs {
    type Wire = BoxPairWire;
    type AnswerWire = BoxAnswer;

    fn source() -> String {
        shader::box_pair_source()
    }

    fn pack(pair: &BoxPair) -> BoxPairWire {
        BoxPairWire::new(pair)
    }

    fn decode(pair: &BoxPair, answer: &BoxAnswer) -> Option<BoxPairNormal> {
        if !pair.is_valid() {
            return Some(BoxPairNormal::none(BoxStatus::BadInput, BoxCase::FaceFace));
        }
        let (status, normal, number) = answer.decode()?;
        let case = BoxCase::ALL.into_iter().find(|&case| case as u32 == number)?;
        Some(BoxPairNormal { status, normal, case })
    }
}

#[cfg(test)]
mod tests;
