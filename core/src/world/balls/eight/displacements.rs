//! Displacements: pairs are moved apart, and those that push are kept as contacts.

use super::{Ball, Closed, Eight, Flagged, Whole, gathered, load, scatter, stored};
use crate::lanes::LANES;
use crate::simd::{DVec3x8, F64x8, Simd};
use crate::world::balls::Balls;

/// Starts a pair's push from half of its impulse in the step before.
#[inline(always)]
pub(super) fn prepare<S: Simd>(simd: S, row: &mut Flagged, balls: &[Ball], moving: &mut [Whole<1>]) {
    let zero = F64x8::zero(simd);
    for lane in 0..LANES {
        row.masses[0][lane] = balls[row.first[lane] as usize].inverse_mass[lane];
        row.masses[1][lane] = balls[row.second[lane] as usize].inverse_mass[lane];
    }
    let masses = [F64x8::from_array(simd, row.masses[0]), F64x8::from_array(simd, row.masses[1])];
    let both = masses[0] + masses[1];
    row.mobility = both.gt(zero).select(F64x8::splat(simd, 1.0) / both, zero).to_array();
    let normal = load(simd, &row.normal);
    let half = load(simd, &row.rub) * F64x8::splat(simd, 0.5);
    let along = half.dot(normal);
    let pressed = along.gt(zero);
    let rub = pressed.select3(half - normal * along, DVec3x8::zero(simd));
    let push = pressed.select(along, zero);
    (row.half, row.push, row.rub) = (push.to_array(), push.to_array(), stored(rub));
    row.acting = acting(push, push).to_array();
    let change = normal * push + rub;
    let [first, second] = [gathered(simd, moving, &row.first, 0), gathered(simd, moving, &row.second, 0)];
    scatter(first - change * masses[0], moving, &row.first, 0);
    scatter(second + change * masses[1], moving, &row.second, 0);
}

/// How much of the remembered friction acts.
#[inline(always)]
fn acting<S: Simd>(push: F64x8<S>, half: F64x8<S>) -> F64x8<S> {
    let (zero, one) = (push.like(0.0), push.like(1.0));
    let whole = half.gt(zero).select(one, zero);
    let partial = half.gt(zero) & push.lt(half);
    // Rare: contacts press as hard as before, hence twice as hard as half of that.
    if !partial.any() {
        return whole;
    }
    partial.select((push / half).min(one), whole)
}

/// A relaxation of displacements.
#[inline(always)]
pub(super) fn move_apart<S: Simd>(simd: S, balls: &Balls, row: &mut Flagged, moving: &mut [Whole<1>]) {
    let zero = F64x8::zero(simd);
    let normal = load(simd, &row.normal);
    let [first, second] = [gathered(simd, moving, &row.first, 0), gathered(simd, moving, &row.second, 0)];
    let speed = normal.dot(second - first);
    let bias = F64x8::from_array(simd, row.gap) * balls.rate;
    let push = F64x8::from_array(simd, row.push);
    let wanted = (push - (speed + bias) * F64x8::from_array(simd, row.mobility)).max(zero);
    let half = F64x8::from_array(simd, row.half);
    let acts = acting(wanted, half);
    let share = acts - F64x8::from_array(simd, row.acting);
    let change = normal * (wanted - push) + load(simd, &row.rub) * share;
    scatter(first - change * F64x8::from_array(simd, row.masses[0]), moving, &row.first, 0);
    scatter(second + change * F64x8::from_array(simd, row.masses[1]), moving, &row.second, 0);
    (row.push, row.acting) = (wanted.to_array(), acts.to_array());
}

/// Keeps a pair as a contact where it pushes or has no gap left.
#[inline(always)]
pub(super) fn close<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight, number: usize) {
    let row = &mut eight.flagged.rows[number];
    let zero = F64x8::zero(simd);
    let normal = load(simd, &row.normal);
    let mut before = [[0.0; LANES]; 3];
    for lane in 0..LANES {
        let first = &eight.balls[row.first[lane] as usize].velocity;
        let second = &eight.balls[row.second[lane] as usize].velocity;
        for axis in 0..3 {
            before[axis][lane] = second[axis][lane] - first[axis][lane];
        }
    }
    let start = normal.dot(load(simd, &before));
    let after = gathered(simd, &eight.after, &row.second, 0) - gathered(simd, &eight.after, &row.first, 0);
    let end = normal.dot(after);
    let moving = gathered(simd, &eight.moving, &row.second, 0) - gathered(simd, &eight.moving, &row.first, 0);
    let (gap, share) = (F64x8::from_array(simd, row.gap), F64x8::from_array(simd, row.share));
    let push = F64x8::from_array(simd, row.push);
    let is_closed = push.gt(zero) | (gap + normal.dot(moving) * balls.step).le(zero);
    // The speed of a fall through the gap.
    let speed = start + share * (end - start);
    let square = start * start - (end - start) * (2.0 * balls.rate) * gap;
    let falls = speed.lt(zero) & gap.gt(zero) & square.ge(zero);
    row.approach = falls.select(-square.max(zero).sqrt(), speed).to_array();
    // Twice the half of what the step before has left, as far as it presses.
    let half = F64x8::from_array(simd, row.half);
    let twice = F64x8::from_array(simd, row.acting) * 2.0;
    let (push, rub) = ((half * twice).to_array(), stored(load(simd, &row.rub) * twice));
    let fixed = (eight.balls.len() - 1) as u32;
    let empty = Closed { first: [fixed; LANES], second: [fixed; LANES], ..Closed::NONE };
    let is_closed = is_closed.to_array();
    let row = &eight.flagged.rows[number];
    for lane in 0..LANES {
        if number >= eight.flagged.counts[lane] || !is_closed[lane] {
            continue;
        }
        let [first, second] = [row.first[lane] as usize, row.second[lane] as usize];
        let of_first = if first == balls.radii.len() {
            eight.walls[row.key[lane] as usize % balls.walls.len()]
        } else {
            eight.balls[first].surface
        };
        let of_second = &eight.balls[second].surface;
        let contact = eight.closed.next(lane, empty);
        (contact.first[lane], contact.second[lane], contact.key[lane]) =
            (row.first[lane], row.second[lane], row.key[lane]);
        contact.share[lane] = row.share[lane];
        contact.bias[lane] = of_first[0][lane] * of_second[0][lane] * row.approach[lane];
        contact.friction[lane] = of_first[1][lane] * of_second[1][lane];
        contact.masses[0][lane] = row.masses[0][lane];
        contact.masses[1][lane] = row.masses[1][lane];
        contact.mobility[lane] = row.mobility[lane];
        contact.push[lane] = push[lane];
        for axis in 0..3 {
            contact.normal[axis][lane] = row.normal[axis][lane];
            contact.rub[axis][lane] = rub[axis][lane];
        }
    }
}
