//! Bounds on the f32 error of the contact of a pair or a wall.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`]. U is 2^-24.

use glam::{DQuat, DVec3};

use super::deviation::Deviation;
use super::wheel_bound::U;
use crate::query::{EllipsoidContact, EllipsoidPair, EllipsoidWall, WallContact};

/// Ways to displace a pair: by its semi-axes, by turns about each body's axes, by the way between the centres.
pub(super) const DISPLACEMENTS: usize = 15;
/// How many times the kernel rounds as each displacement does. Directions are off by roundings of 1, however small their
/// coordinates, so bodies are turned, not their quaternions' coordinates rounded: by 8 in each matrix of axes and 3 in
/// their product; by 8 more on the way back into the world. Five for what the turns of rows, the sums and the division by
/// semi-axes add: those roundings are many but of either sign.
const STAGES: f64 = 32.0;
/// What is left where the inputs' rounding happens to change nothing: some 16 roundings of a number near 1.
const FLOOR: f64 = 1e-6;

/// The pair displaced in one way after another by a rounding of f32.
pub(super) fn displaced(pair: &EllipsoidPair) -> [EllipsoidPair; DISPLACEMENTS] {
    let grown = 1.0 + U;
    std::array::from_fn(|way| {
        let mut moved = *pair;
        let between = pair.b.center - pair.a.center;
        match way {
            0..3 => moved.a.semi_axes[way] *= grown,
            3..6 => moved.b.semi_axes[way - 3] *= grown,
            6..9 => moved.a.rotation *= DQuat::from_scaled_axis(U * DVec3::AXES[way - 6]),
            9..12 => moved.b.rotation *= DQuat::from_scaled_axis(U * DVec3::AXES[way - 9]),
            _ => moved.b.center[way - 12] += U * between[way - 12],
        }
        moved
    })
}

/// How far a contact is off, and how far it may be: by what all displacements together do, for each stage.
pub(super) fn deviations_of_pair(
    pair: &EllipsoidPair,
    truth: &EllipsoidContact,
    answer: &EllipsoidContact,
    displaced: &[EllipsoidContact],
) -> [Deviation; 5] {
    let size = pair.a.semi_axes.max(pair.b.semi_axes).max_element();
    let differences = |other: &EllipsoidContact| {
        [
            (other.f / truth.f - 1.0).abs(),
            (other.normal - truth.normal).length(),
            (other.point - truth.point).length() / size,
            (other.separation - truth.separation).abs() / size,
            (other.lambda - truth.lambda).abs(),
        ]
    };
    let mut moved = [0.0; 5];
    for other in displaced {
        for (moved, difference) in moved.iter_mut().zip(differences(other)) {
            *moved += difference;
        }
    }
    let errors = differences(answer);
    let named = |what, number: usize| Deviation::new(what, errors[number], STAGES * moved[number] + FLOOR);
    [named("F", 0), named("normal", 1), named("point", 2), named("separation", 3), named("Lambda", 4)]
}

/// How far the contact with a wall is off, and how far it may be.
///
/// With axes of unit length that 8 roundings of U have moved, and the direction 4, each of the three products of direction
/// and semi-axis that the width is the length of is off by 12 U of that semi-axis and 2 roundings of its own: the width by
/// 12 U of the length of all three semi-axes and 4 U of itself. The point is off by as much as that times twice the longest
/// semi-axis over the width, and by the axes' 8 U. Divisions and roots may be off by 2.5 units: twice all of it.
pub(super) fn deviations_of_wall(wall: &EllipsoidWall, truth: &WallContact, answer: &WallContact) -> [Deviation; 3] {
    let longest = wall.ellipsoid.semi_axes.max_element();
    let height = -wall.offset_from_center() / wall.normal.length();
    let width = height - truth.separation;
    let of_width = 2.0 * (12.0 * U * wall.ellipsoid.semi_axes.length() + 4.0 * U * width);
    let of_point = 2.0 * longest / width * of_width + 16.0 * U * longest;
    // The sums of f64 behind and before.
    let rounding = |length: DVec3| 8.0 * f64::EPSILON * length.abs().max_element();
    [
        Deviation::new("normal", (answer.normal - truth.normal).length(), rounding(DVec3::ONE)),
        Deviation::new("point", (answer.point - truth.point).length(), of_point + rounding(truth.point)),
        Deviation::new(
            "separation",
            (answer.separation - truth.separation).abs(),
            of_width + rounding(DVec3::splat(height)),
        ),
    ]
}
