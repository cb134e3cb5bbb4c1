//! Job `oriented` on a device: 40 bytes per initiator, 20 per collision state, and 24 per surface of its target at
//! either time.
//!
//! # Conventions
//! As in [`crate::query::InitiatorMotion`].

use std::sync::Arc;

use super::buffer::{Buffer, ItemJob};
use super::items::Codec;
use super::kernel::Kernel;
use super::shader::{WORKGROUP, float, unsigned};
use super::wire::{ConfigurationWire, FAR, FIRST_SURFACE, InitiatorWire, OUTSIDE, TargetsWire, oriented_structures};
use super::{Gpu, GpuError, Session};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{InitiatorMotion, Oriented, OrientedAnswer, TargetMotions};

impl Computes<Oriented> for Gpu {
    fn answers(
        &self,
        targets: TargetMotions<'_>,
        initiators: &[InitiatorMotion],
    ) -> Result<Vec<OrientedAnswer>, EngineError> {
        self.run(initiators.len(), |session, chunk| {
            let step = OrientedStep::new(session, targets)?;
            step.codec().run(&session.device, &mut session.slots, &step.job(), initiators, chunk)
        })
    }
}

/// The targets of a step on a device.
pub(super) struct OrientedStep<'a> {
    targets: TargetMotions<'a>,
    wire: TargetsWire<'a>,
    kernel: Arc<Kernel>,
    /// At the reference time, and at the current one.
    surfaces: [Buffer; 2],
}

impl<'a> OrientedStep<'a> {
    pub fn new(session: &mut Session, targets: TargetMotions<'a>) -> Result<Self, GpuError> {
        let (kernel, wire) = (session.kernel(<Oriented>::NAME, source())?, TargetsWire::new(targets));
        let mut surfaces = ["surfaces before", "surfaces"].map(Buffer::storage);
        for (buffer, values) in surfaces.iter_mut().zip([&wire.reference, &wire.current]) {
            buffer.fill(&session.device, values)?;
        }
        Ok(Self { targets, wire, kernel, surfaces })
    }

    pub fn job(&self) -> ItemJob<'_> {
        let shared = self.surfaces.iter().filter_map(Buffer::binding).collect();
        ItemJob { name: <Oriented>::NAME, kernel: &self.kernel, shared }
    }

    pub fn codec(
        &self,
    ) -> Codec<
        impl Fn(&InitiatorMotion) -> InitiatorWire + Sync,
        impl Fn(&InitiatorMotion, &ConfigurationWire) -> Option<OrientedAnswer> + Sync,
    > {
        Codec {
            pack: |initiator: &InitiatorMotion| self.wire.initiator(initiator),
            decode: |initiator: &InitiatorMotion, answer: &ConfigurationWire| decode(self.targets, initiator, answer),
        }
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

#[cfg(test)]
mod tests {
    //! Kernels that are broken on purpose.

    use super::source;
    use crate::gpu::faults::see_all;
    use crate::gpu::{Gpu, GpuOptions};
    use crate::reference::Reference;
    use crate::validation::oriented::{Class, OrientedCollisions};
    use crate::validation::{Agreement, validate_drawn};

    #[test]
    fn broken_kernels_of_oriented_collisions_are_called_wrong() {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
        let judge = Reference::new(0).unwrap();
        let wrong = |class| match validate_drawn::<OrientedCollisions>(&judge, &gpu, (class, 1), 2_000, &mut |_| {}) {
            Ok(report) => report.tally.count(Agreement::Wrong),
            // Bits of surfaces that there are not, or a nearest surface outside, are no answer.
            Err(error) if error.to_string().contains("got no answer") => 2_000,
            Err(error) => panic!("{error}"),
        };
        let faults = [
            ("apart <= 0.0", "apart <= 1e-3", Class::Polygons),
            ("- surface.offset", "+ surface.offset", Class::Polygons),
            ("surface.start <= along && along <= surface.end", "surface.start <= along", Class::Polygons),
            ("vec2<f32>(surface.normal.y, -surface.normal.x)", "surface.normal", Class::Polygons),
            ("if apart > greatest", "if apart < greatest || i == 0u", Class::Thin),
            // As the listing has it: what collides is forgotten, or never let go.
            ("(before & (full | held)) |", "", Class::Passing),
            ("full | held", "0xffffffffu", Class::Passing),
            ("full | held", "full", Class::Passing),
            ("lost & full & ~had", "lost & full", Class::Passing),
            ("lost & full & ~had", "lost & ~had", Class::Thin),
            (
                "range & ~(penetration ^ item.penetration) & penetration",
                "penetration & item.penetration",
                Class::Passing,
            ),
            ("share > latest", "share < latest", Class::Corners),
            (
                "surfaces_before[item.first + i], item.before",
                "surfaces_before[item.first + i], item.point",
                Class::Corners,
            ),
            ("last = last_to_vanish(item, lost);", "last |= last_to_vanish(item, lost);", Class::Corners),
        ];
        see_all(&gpu, |_| [source()], &faults, wrong);
    }
}
