//! Job `oriented` on a device: 40 bytes for an initiator, 20 for its configuration, and 24 for each surface of its target at
//! either time.
//!
//! # Conventions
//! As in [`crate::query::InitiatorMotion`].

use super::buffer::{Buffer, ItemJob};
use super::items::Codec;
use super::shader::{WORKGROUP, float, unsigned};
use super::wire::{ConfigurationWire, FAR, FIRST_SURFACE, OUTSIDE, TargetsWire, oriented_structures};
use super::{Gpu, GpuError};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{InitiatorMotion, Oriented, OrientedAnswer, TargetMotions};

impl Computes<Oriented> for Gpu {
    fn answers(
        &self,
        targets: TargetMotions<'_>,
        initiators: &[InitiatorMotion],
    ) -> Result<Vec<OrientedAnswer>, EngineError> {
        let wire = TargetsWire::new(targets);
        self.run(initiators.len(), |session, chunk| -> Result<_, GpuError> {
            let kernel = session.kernel(Oriented::NAME, source())?;
            let mut surfaces = ["surfaces before", "surfaces"].map(Buffer::storage);
            for (buffer, values) in surfaces.iter_mut().zip([&wire.reference, &wire.current]) {
                buffer.fill(&session.device, values)?;
            }
            let shared = surfaces.iter().filter_map(Buffer::binding).collect();
            let job = ItemJob { name: Oriented::NAME, kernel: &kernel, shared };
            let codec = Codec {
                pack: |initiator: &InitiatorMotion| wire.initiator(initiator),
                decode: |initiator: &InitiatorMotion, answer: &ConfigurationWire| decode(targets, initiator, answer),
            };
            codec.run(&session.device, &mut session.slots, &job, initiators, chunk)
        })
    }
}

/// `None` when the device wrote nothing that it may.
fn decode(
    targets: TargetMotions<'_>,
    initiator: &InitiatorMotion,
    answer: &ConfigurationWire,
) -> Option<OrientedAnswer> {
    match targets.target(initiator.target).filter(|_| initiator.is_valid(targets)) {
        None => Some(OrientedAnswer::BAD_INPUT),
        Some([_, current]) => answer.decode(current).map(OrientedAnswer::of),
    }
}

/// The kernel.
pub(super) fn source() -> String {
    [
        &unsigned("WORKGROUP", WORKGROUP),
        &unsigned("OUTSIDE", OUTSIDE),
        &unsigned("FIRST_SURFACE", FIRST_SURFACE),
        &float("FAR", f64::from(FAR)),
        &oriented_structures(),
        include_str!("../../shaders/oriented.wgsl"),
    ]
    .concat()
}
