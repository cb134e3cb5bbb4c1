//! Job `oriented`: the collision state by loops over surfaces (docs/oriented.md).
//!
//! # Conventions
//! As in [`crate::query::InitiatorMotion`].

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{
    InitiatorMotion, MAX_TARGET_SURFACES, Oriented, OrientedAnswer, OrientedConfiguration, OrientedTarget,
    TargetMotions,
};

/// Initiators that one thread takes at a time.
const INITIATORS_PER_TASK: usize = 1024;

impl<T: OrientedTarget> Computes<Oriented<T>> for Reference {
    fn answers(
        &self,
        targets: TargetMotions<'_, T>,
        initiators: &[InitiatorMotion<T::Place>],
    ) -> Result<Vec<OrientedAnswer>, EngineError> {
        Ok(self.each(INITIATORS_PER_TASK, initiators, |initiator| answer(targets, initiator)))
    }
}

fn answer<T: OrientedTarget>(targets: TargetMotions<'_, T>, initiator: &InitiatorMotion<T::Place>) -> OrientedAnswer {
    match targets.target(initiator.target).filter(|_| initiator.is_valid(targets)) {
        Some(both) => OrientedAnswer::of(configuration(both, initiator)),
        None => OrientedAnswer::BAD_INPUT,
    }
}

fn configuration<T: OrientedTarget>(
    [then, now]: [&T; 2],
    initiator: &InitiatorMotion<T::Place>,
) -> OrientedConfiguration {
    let count = now.surface_count();
    let mut separation = [0.0; MAX_TARGET_SURFACES];
    let mut penetrates = [false; MAX_TARGET_SURFACES];
    let mut is_on_range = [false; MAX_TARGET_SURFACES];
    for i in 0..count {
        let standing = now.standing(i, initiator.to);
        separation[i] = standing.separation;
        penetrates[i] = standing.separation <= 0.0;
        is_on_range[i] = standing.is_on_range;
    }
    let is_full = penetrates[..count].iter().all(|&penetrates| penetrates);

    let mut collision = 0;
    let mut collision_last = 0;
    if let Some(reference) = initiator.reference {
        let change = |i: usize| i32::from(penetrates[i]) - i32::from(has(reference.penetration, i));
        let lost = |i: usize| change(i) == 1;
        let last = last_to_vanish([then, now], initiator, (0..count).filter(|&i| lost(i)));
        for i in 0..count {
            let collides = |before: u32, is_new: bool| {
                let had = before != 0;
                if is_full && had {
                    has(before, i)
                } else if is_full {
                    is_new
                } else {
                    has(before, i) && is_on_range[i] && change(i) == 0 && penetrates[i]
                }
            };
            collision |= u32::from(collides(reference.collision, lost(i))) << i;
            collision_last |= u32::from(collides(reference.collision_last, last == Some(i))) << i;
        }
    }
    OrientedConfiguration {
        penetration: mask(&penetrates[..count]),
        range: mask(&is_on_range[..count]),
        collision,
        collision_last,
        minimum_translation: is_full.then(|| nearest(&separation[..count])),
    }
}

/// Of several surfaces that lost separation in a step, the one whose separation, interpolated linearly, vanished last.
fn last_to_vanish<T: OrientedTarget>(
    [then, now]: [&T; 2],
    initiator: &InitiatorMotion<T::Place>,
    lost: impl Iterator<Item = usize>,
) -> Option<usize> {
    let mut last = None;
    let mut latest = f64::NEG_INFINITY;
    for i in lost {
        let before = then.standing(i, initiator.from).separation;
        let after = now.standing(i, initiator.to).separation;
        // A share of the step, as long as the reference configuration is that of the reference time.
        let share = before / (before - after);
        if last.is_none() || share > latest {
            (last, latest) = (Some(i), share);
        }
    }
    last
}

/// The surface with the smallest penetration depth.
fn nearest(separation: &[f64]) -> u32 {
    let mut nearest = 0;
    for (i, &of_surface) in separation.iter().enumerate() {
        if of_surface > separation[nearest] {
            nearest = i;
        }
    }
    nearest as u32
}

fn has(mask: u32, surface: usize) -> bool {
    mask >> surface & 1 == 1
}

fn mask(bits: &[bool]) -> u32 {
    bits.iter().enumerate().fold(0, |mask, (i, &bit)| mask | u32::from(bit) << i)
}
