//! Job `box_normal` on a device: 48 bytes per box, 16 per normal.
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`]. Sides and radius are scaled by about the longest side, the contact vector by its
//! own scale: a normal depends on neither. Both scales are powers of two, so that only the conversion to f32 rounds.

use glam::DVec3;

use super::items::ClosedForm;
use super::shader::{ROTATION, float, unsigned};
use super::wire::{Structure, on_device, power_of_two_below};
use crate::query::{
    BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus,
    SAME_NORMALS_EPSILONS,
};

/// Bits of the status; the region or the case is stored above them.
const STATUS_BITS: u32 = 2;

/// A radius below this fraction of the longest side counts as zero: far below the f32 resolution of positions on the
/// box, and far above its smallest numbers.
const MIN_RADIUS: f64 = 1e-30;

on_device! {
    /// A rounded box and its contact vector.
    BoxWire {
        /// Half of the sides.
        half: [f32; 3],
        radius: f32,
        /// From the centre, in world axes; not zero.
        contact: [f32; 3],
        unused: f32,
        /// x, y, z, w; a unit quaternion.
        rotation: [f32; 4],
    }
}

on_device! {
    /// Two boxes.
    BoxPairWire { one: BoxWire, two: BoxWire }
}

on_device! {
    /// The answer for a box or a pair. Zero means no answer: buffers are cleared before a run.
    BoxAnswer {
        normal: [f32; 3],
        /// The status in its lowest bits, then the region or the case.
        status: u32,
    }
}

/// Both kernels are made of this.
fn library() -> String {
    [
        &unsigned("BOX_OK", BoxStatus::Ok as u32),
        &unsigned("BOX_DEGENERATE", BoxStatus::Degenerate as u32),
        &unsigned("BOX_STATUS_BITS", STATUS_BITS),
        &float("SAME_NORMALS", SAME_NORMALS_EPSILONS * f64::from(f32::EPSILON)),
        &BoxWire::declaration(),
        &BoxPairWire::declaration(),
        &BoxAnswer::declaration(),
        ROTATION,
        include_str!("../../shaders/box_normal.wgsl"),
    ]
    .concat()
}

impl ClosedForm for BoxNormals {
    type Wire = BoxWire;
    type AnswerWire = BoxAnswer;
    const FUNCTION: &'static str = "box_normal";

    fn library() -> String {
        library()
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
    const FUNCTION: &'static str = "box_pair";

    fn library() -> String {
        library()
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

impl BoxWire {
    /// An invalid box is replaced: its answer is known.
    fn new(point: &BoxPoint) -> Self {
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

impl BoxPairWire {
    fn new(pair: &BoxPair) -> Self {
        let [one, two] = pair.bodies.each_ref().map(BoxWire::new);
        Self { one, two }
    }
}

impl BoxAnswer {
    /// Status, normal, and the number of the region or the case; `None` if the device wrote anything invalid.
    fn decode(&self) -> Option<(BoxStatus, DVec3, u32)> {
        let word = self.status & ((1 << STATUS_BITS) - 1);
        let status = [BoxStatus::Ok, BoxStatus::Degenerate].into_iter().find(|&status| status as u32 == word)?;
        let normal = DVec3::from_array(self.normal.map(f64::from));
        normal.is_finite().then_some((status, normal, self.status >> STATUS_BITS))
    }
}

#[cfg(test)]
mod tests {
    //! Kernels that are broken on purpose.

    use super::*;
    use crate::gpu::faults::see_all;
    use crate::gpu::items::source;
    use crate::gpu::items::tests::assert_valid;
    use crate::gpu::{Gpu, GpuOptions};
    use crate::reference::Reference;
    use crate::validation::boxes::{Boxes, Class};
    use crate::validation::{Agreement, validate_drawn};

    #[test]
    fn kernels_are_valid_without_a_driver() {
        assert_valid::<BoxNormals>();
        assert_valid::<BoxPairs>();
    }

    #[test]
    fn broken_kernels_of_boxes_are_called_wrong() {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
        let judge = Reference::new(0).unwrap();
        let wrong = |class| {
            match validate_drawn::<Boxes>(&judge, &gpu, (class, 1), 2_000, &mut |_| {}) {
                Ok(report) => report.tally.count(Agreement::Wrong),
                // A normal that is no number is no answer.
                Err(error) if error.to_string().contains("got no answer") => 2_000,
                Err(error) => panic!("{error}"),
            }
        };
        let faults = [
            // Each face forgets that others are near; edges stay sharp.
            ("min(depth, radius)", "min(2.0 * depth, radius)", Class::Vehicles),
            // The ray keeps to a face whose reach it has left, or leaves every corner.
            ("if dot(there, there) > 1.0", "if dot(there, there) > 1e9", Class::Vehicles),
            ("if dot(there, there) > 1.0", "if dot(there, there) > 0.9", Class::Vehicles),
            ("foot + direction * half_chord", "foot - direction * half_chord", Class::Vehicles),
            ("body.contact * to_world", "to_world * body.contact", Class::Axes),
            ("sqrt(max(1.0 - dot", "sqrt(max(1.0001 - dot", Class::Seams),
            ("select(normal, -normal, local < zero)", "normal", Class::Sizes),
            ("one.slope < two.slope", "one.slope > two.slope", Class::Pairs),
            ("one.normal - two.normal", "one.normal - 0.99 * two.normal", Class::Pairs),
        ];
        see_all(&gpu, |_| [source::<BoxNormals>(), source::<BoxPairs>()], &faults, wrong);
    }
}
