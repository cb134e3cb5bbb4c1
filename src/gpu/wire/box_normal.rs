//! What job `box_normal` exchanges with a device.
//!
//! # Conventions
//! Sides and radius in a unit of about the longest side, the contact vector in one of its own: a normal depends on neither.
//! Both are powers of two, so that only narrowing rounds.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

use super::power_of_two_below;
use crate::query::{BoxPair, BoxPoint, BoxStatus};

/// Bits that the status takes; the region or the case stands above them.
pub(in crate::gpu) const BOX_STATUS_BITS: u32 = 2;

/// A radius below this share of the longest side is taken for none: far below what f32 tells apart in a place on the
/// box, and far above its least numbers.
const MIN_RADIUS: f64 = 1e-30;

/// A rounded box and its contact vector.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct BoxWire {
    pub half: [f32; 3],
    pub radius: f32,
    pub contact: [f32; 3],
    pub unused: f32,
    pub rotation: [f32; 4],
}

impl BoxWire {
    /// One that is not valid is replaced: its answer is known.
    pub fn new(point: &BoxPoint) -> Self {
        if !point.is_valid() {
            let (half, contact) = ([1.0; 3], [1.0, 0.0, 0.0]);
            return Self { half, radius: 0.0, contact, unused: 0.0, rotation: [0.0, 0.0, 0.0, 1.0] };
        }
        let BoxPoint { body, contact } = point;
        let size = power_of_two_below(body.sides);
        let radius = body.radius / size;
        Self {
            half: (0.5 * body.sides / size).as_vec3().to_array(),
            radius: if radius < MIN_RADIUS { 0.0 } else { radius as f32 },
            contact: (*contact / power_of_two_below(*contact)).as_vec3().to_array(),
            unused: 0.0,
            rotation: body.rotation.normalize().as_quat().to_array(),
        }
    }
}

/// Two boxes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct BoxPairWire {
    pub one: BoxWire,
    pub two: BoxWire,
}

impl BoxPairWire {
    pub fn new(pair: &BoxPair) -> Self {
        let [one, two] = pair.bodies.each_ref().map(BoxWire::new);
        Self { one, two }
    }
}

/// The answer to a box or a pair. Zero is no answer: buffers are cleared before a run.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct BoxAnswer {
    pub normal: [f32; 3],
    pub status: u32,
}

impl BoxAnswer {
    /// Status, normal, and the number of the region or the case; `None` when the device wrote nothing that it may.
    pub fn decode(&self) -> Option<(BoxStatus, DVec3, u32)> {
        let word = self.status & ((1 << BOX_STATUS_BITS) - 1);
        let status = [BoxStatus::Ok, BoxStatus::Degenerate].into_iter().find(|&status| status as u32 == word)?;
        let normal = DVec3::from_array(self.normal.map(f64::from));
        normal.is_finite().then_some((status, normal, self.status >> BOX_STATUS_BITS))
    }
}
