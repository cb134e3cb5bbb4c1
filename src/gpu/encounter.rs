//! Job `encounter` on a device: 64 bytes for an encounter, 32 for its answer.
//!
//! # Conventions
//! As in [`crate::encounter`]: in the frame of the relative motion, made here in f64, so that only narrowing rounds.

use super::items::ClosedForm;
use super::shader::{float, unsigned};
use super::wire::{Structure, on_device};
use crate::encounter::{FAR, Found, Frame, RESIDUAL, ROUNDS, SAME_NORMALS};
use crate::query::{ContactModel, Encounter, EncounterAnswer, EncounterStatus, Encounters};

/// Bits of the status.
const STATUS: u32 = 7;
/// Whether each vehicle is met at an edge.
const EDGES: [u32; 2] = [8, 16];

/// Takes the place of what is not valid: its answer is known.
const ANY: [f64; 16] = [0.0, 0.0, 0.0, 1.0, 9.0, 0.0, 0.0, 0.0, 4.0, 2.0, 2.0, 0.5, 1.0, 4.0, 0.0, 0.0];

on_device! {
    /// The numbers of a meeting, in their order.
    EncounterWire {
        numbers: [[f32; 4]; 4],
    }
}

on_device! {
    /// What becomes of it. Zero is no answer: buffers are cleared before a run.
    EncounterAnswerWire {
        /// From the centre of A to the contact point.
        arm: [f32; 2],
        normal: [f32; 2],
        /// Along the normal, and along the tangent.
        impulse: [f32; 2],
        way: f32,
        /// The status in its lowest bits, then the edges.
        status: u32,
    }
}

impl ClosedForm for Encounters {
    type Wire = EncounterWire;
    type AnswerWire = EncounterAnswerWire;
    const FUNCTION: &'static str = "encounter";

    fn library() -> String {
        [
            &unsigned("ROUNDS", ROUNDS),
            &unsigned("ENCOUNTER_CONTACT", EncounterStatus::Contact as u32),
            &unsigned("ENCOUNTER_MISSED", EncounterStatus::Missed as u32),
            &unsigned("ENCOUNTER_OVERLAP", EncounterStatus::Overlap as u32),
            &unsigned("ENCOUNTER_DEGENERATE", EncounterStatus::Degenerate as u32),
            &unsigned("ENCOUNTER_NOT_CONVERGED", EncounterStatus::NotConverged as u32),
            &unsigned("EDGE_OF_A", EDGES[0]),
            &unsigned("EDGE_OF_B", EDGES[1]),
            &float("RESIDUAL", RESIDUAL * f64::from(f32::EPSILON)),
            &float("SAME_NORMALS", SAME_NORMALS),
            &float("NEVER", FAR),
            &EncounterWire::declaration(),
            &EncounterAnswerWire::declaration(),
            include_str!("../../shaders/vehicle_contact.wgsl"),
            include_str!("../../shaders/encounter.wgsl"),
        ]
        .concat()
    }

    fn pack(item: &Encounter) -> EncounterWire {
        let any = || Encounter::of_numbers(ANY, ContactModel::Box);
        let valid = if item.fault().is_none() { *item } else { any() };
        let numbers = Frame::new(&valid).1.numbers();
        let number = |index: usize| numbers.get(index).map_or(0.0, |&number| number as f32);
        EncounterWire { numbers: std::array::from_fn(|row| std::array::from_fn(|column| number(4 * row + column))) }
    }

    fn decode(item: &Encounter, answer: &EncounterAnswerWire) -> Option<EncounterAnswer> {
        if item.fault().is_some() {
            return Some(EncounterAnswer::none(EncounterStatus::BadInput));
        }
        let status = EncounterStatus::OF_VALID.into_iter().find(|&of| of as u32 == answer.status & STATUS)?;
        let found = Found {
            status,
            way: f64::from(answer.way),
            arm: answer.arm.map(f64::from),
            normal: answer.normal.map(f64::from),
            on_edge: EDGES.map(|edge| answer.status & edge != 0),
            impulse: answer.impulse.map(f64::from),
        };
        let mut numbers = [found.way].into_iter().chain(found.arm).chain(found.normal).chain(found.impulse);
        let is_allowed = numbers.all(f64::is_finite) && found.way >= 0.0 && found.impulse[0] >= 0.0;
        let (frame, meeting) = Frame::new(item);
        is_allowed.then(|| frame.answer(item, &meeting, &found))
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
    use crate::validation::encounters::{Class, MeetingVehicles};
    use crate::validation::{Agreement, validate_drawn};

    #[test]
    fn the_kernel_is_valid_without_a_driver() {
        assert_valid::<Encounters>();
    }

    #[test]
    fn broken_kernels_of_encounters_are_called_wrong() {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
        let judge = Reference::new(0).unwrap();
        let wrong = |class| match validate_drawn::<MeetingVehicles>(&judge, &gpu, (class, 1), 4_000, &mut |_| {}) {
            Ok(report) => report.tally.count(Agreement::Wrong),
            // A number that is none is no answer.
            Err(error) if error.to_string().contains("got no answer") => 4_000,
            Err(error) => panic!("{error}"),
        };
        let faults = [
            ("distance > sqrt(a.yy) + sqrt(b.yy)", "distance > 0.99 * sqrt(a.yy) + sqrt(b.yy)", Class::Crossing),
            ("(by_boxes && distance > boxes)", "false", Class::Traffic),
            ("- radius) * abs(heading.y)", ") * abs(heading.y)", Class::Crossing),
            ("if way < 0.0", "if way < -1.0", Class::Overlapping),
            ("last > start", "last < start", Class::Overlapping),
            ("-tangent_at(a, b, semi_axes, -offset)", "-tangent_at(a, b, semi_axes, offset)", Class::Overlapping),
            ("(along - across) * (heading.x * heading.y)", "0.0", Class::Crossing),
            ("round < ROUNDS", "round < 1u", Class::Crossing),
            ("foot.y + slope * half_chord", "foot.y + 0.99 * slope * half_chord", Class::Crossing),
            ("two.slope > one.slope", "two.slope < one.slope", Class::Crossing),
            ("one.normal - two.normal", "one.normal - 0.99 * two.normal", Class::Crossing),
            ("(1.0 + restitution)", "(1.0 + 0.999 * restitution)", Class::Sizes),
            ("let sticks = abs(coupled) <= friction * across", "let sticks = true", Class::Friction),
            ("-with_sign(friction, coupled)", "with_sign(friction, coupled)", Class::Friction),
            ("max(whole - stop, 0.0)", "0.0", Class::Friction),
            ("drift * max(whole", "0.999 * drift * max(whole", Class::Friction),
        ];
        see_all(&gpu, |_| [source::<Encounters>()], &faults, wrong);
    }
}
