//! What job `oriented` exchanges with a device.
//!
//! # Conventions
//! Lengths in metres relative to the first vertex of each item's target, at the reference time and at the current one;
//! subtracted in f64 before narrowing. Masks as in [`crate::query::OrientedConfiguration`].

use glam::DVec2;

use super::{Structure, on_device};
use crate::query::{ConvexTarget, InitiatorMotion, OrientedConfiguration, TargetMotions};

/// What stands for the nearest surface where a point is outside; zero is no answer, since buffers are cleared before a run.
pub(in crate::gpu) const OUTSIDE: u32 = 1;
/// What is added to the number of the nearest surface.
pub(in crate::gpu) const FIRST_SURFACE: u32 = 2;

on_device! {
    /// A surface of a target.
    SurfaceWire as Surface {
        /// Outward unit normal n.
        normal: [f32; 2],
        /// n . v of its vertices.
        offset: f32,
        /// p . v of its first vertex, where p is n turned by a quarter clockwise.
        start: f32,
        /// p . v of its second.
        end: f32,
        unused: f32,
    }
}

on_device! {
    /// An initiator, and its reference configuration.
    InitiatorWire as Initiator {
        /// At the current time.
        point: [f32; 2],
        /// At the reference time.
        before: [f32; 2],
        /// Where the surfaces of its target begin.
        first: u32,
        /// How many it has; 0 for an initiator that is not valid.
        count: u32,
        penetration: u32,
        collision: u32,
        collision_last: u32,
        unused: u32,
    }
}

on_device! {
    /// The configuration of an initiator.
    ConfigurationWire as Configuration {
        penetration: u32,
        range: u32,
        collision: u32,
        collision_last: u32,
        /// [`OUTSIDE`], or [`FIRST_SURFACE`] and the number of the nearest.
        nearest: u32,
    }
}

/// What the kernel takes and gives.
pub(in crate::gpu) fn oriented_structures() -> String {
    [SurfaceWire::declaration(), InitiatorWire::declaration(), ConfigurationWire::declaration()].concat()
}

/// The targets of a step.
pub(in crate::gpu) struct TargetsWire<'a> {
    targets: TargetMotions<'a>,
    /// Where the surfaces of each begin; those of targets that are not valid have none.
    first: Vec<u32>,
    /// Surfaces at the reference time.
    pub reference: Vec<SurfaceWire>,
    /// Surfaces at the current time.
    pub current: Vec<SurfaceWire>,
}

impl<'a> TargetsWire<'a> {
    pub fn new(targets: TargetMotions<'a>) -> Self {
        let mut wire = Self { targets, first: Vec::new(), reference: Vec::new(), current: Vec::new() };
        for number in 0..targets.current.len() as u32 {
            wire.first.push(wire.current.len() as u32);
            if let Some([reference, current]) = targets.target(number) {
                wire.reference.extend(surfaces(reference));
                wire.current.extend(surfaces(current));
            }
        }
        wire
    }

    /// The wire form of an initiator.
    pub fn initiator(&self, initiator: &InitiatorMotion) -> InitiatorWire {
        let both = self.targets.target(initiator.target).filter(|_| initiator.is_valid(self.targets));
        let Some([reference, current]) = both else { return bytemuck::Zeroable::zeroed() };
        let narrow = |point: DVec2, target: &ConvexTarget| (point - target.vertices()[0]).as_vec2().to_array();
        // Where nothing was before, no surface can lose its separation.
        let first_time = OrientedConfiguration { penetration: current.all_surfaces(), ..Default::default() };
        let OrientedConfiguration { penetration, range: _, collision, collision_last, minimum_translation: _ } =
            initiator.reference.unwrap_or(first_time);
        InitiatorWire {
            point: narrow(initiator.to, current),
            before: narrow(initiator.from, reference),
            first: self.first[initiator.target as usize],
            count: current.vertices().len() as u32,
            penetration,
            collision,
            collision_last,
            unused: 0,
        }
    }
}

fn surfaces(target: &ConvexTarget) -> impl Iterator<Item = SurfaceWire> + '_ {
    let origin = target.vertices()[0];
    target.surfaces().map(move |surface| {
        let (start, end) = (surface.start - origin, surface.end - origin);
        SurfaceWire {
            normal: surface.normal.as_vec2().to_array(),
            offset: surface.normal.dot(start) as f32,
            start: surface.along.dot(start) as f32,
            end: surface.along.dot(end) as f32,
            unused: 0.0,
        }
    })
}

impl ConfigurationWire {
    /// The configuration; `None` when the device wrote nothing that it may.
    pub fn decode(&self, target: &ConvexTarget) -> Option<OrientedConfiguration> {
        let Self { penetration, range, collision, collision_last, nearest } = *self;
        let all = target.all_surfaces();
        let minimum_translation = nearest.checked_sub(FIRST_SURFACE);
        let is_possible = (penetration | range | collision | collision_last) & !all == 0
            && nearest >= OUTSIDE
            && minimum_translation.is_none_or(|surface| (surface as usize) < target.vertices().len())
            && minimum_translation.is_some() == (penetration == all);
        let configuration =
            OrientedConfiguration { penetration, range, collision, collision_last, minimum_translation };
        is_possible.then_some(configuration)
    }
}
