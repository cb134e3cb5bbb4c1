//! Velocities: contacts are relaxed by the exact solution of each alone.

use super::{Ball, Closed, Whole, gathered, load, scatter, stored};
use crate::lanes::LANES;
use crate::simd::{DVec3x8, F64x8, Simd};
use crate::world::balls::INERTIA_RATIO;

/// Applies an impulse to velocities and rims of two balls.
#[inline(always)]
fn push<S: Simd>(
    simd: S,
    row: &Closed,
    bodies: [[DVec3x8<S>; 2]; 2],
    impulse: [DVec3x8<S>; 2],
    after: &mut [Whole<2>],
) {
    let [normal, tangential] = impulse;
    let all = normal + tangential;
    // The rim of either turns against the friction on the second: a ball's I / r^2 is 2/5 of its mass.
    let turn = load(simd, &row.normal).cross(tangential);
    let masses = [F64x8::from_array(simd, row.masses[0]), F64x8::from_array(simd, row.masses[1])];
    let [first, second] = bodies;
    scatter(first[0] - all * masses[0], after, &row.first, 0);
    scatter(first[1] - turn * (masses[0] * INERTIA_RATIO), after, &row.first, 1);
    scatter(second[0] + all * masses[1], after, &row.second, 0);
    scatter(second[1] - turn * (masses[1] * INERTIA_RATIO), after, &row.second, 1);
}

#[inline(always)]
fn both<S: Simd>(simd: S, row: &Closed, after: &[Whole<2>]) -> [[DVec3x8<S>; 2]; 2] {
    [
        [gathered(simd, after, &row.first, 0), gathered(simd, after, &row.first, 1)],
        [gathered(simd, after, &row.second, 0), gathered(simd, after, &row.second, 1)],
    ]
}

/// Applies what is left of the step before.
#[inline(always)]
pub(super) fn warm<S: Simd>(simd: S, row: &Closed, after: &mut [Whole<2>]) {
    let bodies = both(simd, row, after);
    let impulse = [load(simd, &row.normal) * F64x8::from_array(simd, row.push), load(simd, &row.rub)];
    push(simd, row, bodies, impulse, after);
}

/// The impulses that solve a contact alone: normal and tangential.
#[inline(always)]
fn alone<S: Simd>(simd: S, row: &Closed, bodies: [[DVec3x8<S>; 2]; 2]) -> (F64x8<S>, DVec3x8<S>) {
    let zero = F64x8::zero(simd);
    let normal = load(simd, &row.normal);
    let [first, second] = bodies;
    let linear = second[0] - first[0];
    let speed = normal.dot(linear);
    let velocity = linear - normal * speed - (first[1] + second[1]).cross(normal);
    let mobility = F64x8::from_array(simd, row.mobility);
    let wanted = F64x8::from_array(simd, row.push) - (speed + F64x8::from_array(simd, row.bias)) * mobility;
    let wanted = wanted.max(zero);
    let sticking = load(simd, &row.rub) - velocity * (mobility * (1.0 / (1.0 + INERTIA_RATIO)));
    let limit = F64x8::from_array(simd, row.friction) * wanted;
    let square = sticking.dot(sticking);
    let slides = square.gt(limit * limit);
    // Most contacts stick, and a quotient and a root take a third of the time.
    if !slides.any() {
        return (wanted, sticking);
    }
    (wanted, slides.select3(sticking * (limit / square.sqrt()), sticking))
}

/// A relaxation of velocities.
#[inline(always)]
pub(super) fn push_apart<S: Simd>(simd: S, row: &mut Closed, after: &mut [Whole<2>]) {
    let bodies = both(simd, row, after);
    let (wanted, rub) = alone(simd, row, bodies);
    let change = wanted - F64x8::from_array(simd, row.push);
    push(simd, row, bodies, [load(simd, &row.normal) * change, rub - load(simd, &row.rub)], after);
    (row.push, row.rub) = (wanted.to_array(), stored(rub));
}

/// The impulse of a contact, and how far it is from the one that would solve it, as a squared speed.
#[inline(always)]
pub(super) fn finish<S: Simd>(
    simd: S,
    row: &mut Closed,
    after: &[Whole<2>],
    balls: &mut [Ball],
    largest: F64x8<S>,
) -> F64x8<S> {
    let (wanted, rub) = alone(simd, row, both(simd, row, after));
    let normal = load(simd, &row.normal);
    let push = F64x8::from_array(simd, row.push);
    let change = normal * (wanted - push) + (rub - load(simd, &row.rub));
    let masses = F64x8::from_array(simd, row.masses[0]) + F64x8::from_array(simd, row.masses[1]);
    let missed = change.dot(change) * (masses * masses);
    let impulse = normal * push + load(simd, &row.rub);
    row.impulse = stored(impulse);
    let length = impulse.length().to_array();
    for lane in 0..LANES {
        for body in [row.first[lane], row.second[lane]] {
            let hardest = &mut balls[body as usize].impulse[lane];
            if length[lane] > *hardest {
                *hardest = length[lane];
            }
        }
    }
    missed.max(largest)
}
