//! Where the deck is, as f32 has it.

use glam::DVec2;

use super::vector::{Vector, narrowed};
use crate::deck::DeckStep;
use crate::validation::encounters::bounded::Bounded;
use crate::validation::wheel_bound::U;

/// Places in the world are split at multiples of this on the device \[m\].
const GRID: f64 = 1.0 / 1024.0;

/// One of two that both may be.
fn either(a: Bounded, b: Bounded) -> Bounded {
    Bounded { value: a.value, error: a.error.max((a.value - b.value).abs() + b.error) }
}

/// A place as a multiple of the grid, and the rest.
pub(super) fn split(place: DVec2) -> [DVec2; 2] {
    let base = (place / GRID).round() * GRID;
    [base, place - base]
}

/// Where the deck is: base is exact.
pub(super) struct Pose {
    pub base: DVec2,
    pub rest: Vector,
    pub velocity: Vector,
    pub roll: Bounded,
    pub roll_rate: Bounded,
}

impl Pose {
    pub fn new(item: &DeckStep, step: f64) -> Self {
        let (interval, samples) = item.start.motion.samples();
        let place = f64::from(item.record.steps) * step / interval;
        let place = place.clamp(0.0, (samples.len() - 1) as f64);
        let before = (place as usize).min(samples.len() - 2);
        let mut pose = Self::within(item, before, place - before as f64);
        // At a sample the device may be on the other side.
        let nearest = place.round() as usize;
        if (place - nearest as f64).abs() < 1e-9 && nearest > 0 && nearest + 1 < samples.len() {
            let side = if before == nearest { nearest - 1 } else { nearest };
            let other = Self::within(item, side, place - side as f64);
            let shift = other.base - pose.base;
            let of_other = Vector::exact(shift) + other.rest;
            pose.rest = Vector(either(pose.rest.0, of_other.0), either(pose.rest.1, of_other.1));
            pose.velocity =
                Vector(either(pose.velocity.0, other.velocity.0), either(pose.velocity.1, other.velocity.1));
            (pose.roll, pose.roll_rate) = (either(pose.roll, other.roll), either(pose.roll_rate, other.roll_rate));
        }
        pose
    }

    fn within(item: &DeckStep, before: usize, share: f64) -> Self {
        let (interval, samples) = item.start.motion.samples();
        let h = narrowed(interval);
        // A fraction of 32 bits, and what f64 leaves of the place.
        let error = U * share.abs() + 2f64.powi(-32) + 1e-15 * (before as f64 + 1.0);
        let u = Bounded { value: share, error };
        let (one, two, three) = (Bounded::exact(1.0), Bounded::exact(2.0), Bounded::exact(3.0));
        let (a, b) = (u * u * (three - two * u), u * (one - u));
        let place = |sample: usize| split(DVec2::new(samples[sample][0][0], samples[sample][1][0]));
        let ([from_base, from_rest], [to_base, to_rest]) = (place(before), place(before + 1));
        let moved = Vector::exact(to_base - from_base) + (Vector::narrowed(to_rest) - Vector::narrowed(from_rest));
        let rate = |sample: usize, motion: usize| narrowed(samples[sample][motion][1]);
        let rolls = [before, before + 1].map(|sample| narrowed(samples[sample][2][0]));
        let value = |by: Bounded, motion: usize| {
            let (v, w) = (rate(before, motion), rate(before + 1, motion));
            let value = a * by + (h * b) * ((one - u) * v - u * w);
            let rate =
                (Bounded::exact(6.0) * b / h) * by + ((one - u) * (one - three * u)) * v - (u * (two - three * u)) * w;
            (value, rate)
        };
        let [(sway, sway_rate), (heave, heave_rate), (roll, roll_rate)] =
            [value(moved.0, 0), value(moved.1, 1), value(rolls[1] - rolls[0], 2)];
        Self {
            base: from_base,
            rest: Vector::narrowed(from_rest) + Vector(sway, heave),
            velocity: Vector(sway_rate, heave_rate),
            roll: rolls[0] + roll,
            roll_rate,
        }
    }
}
