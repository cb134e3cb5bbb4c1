//! Bound on the difference of the normal of a rounded box between f32 and f64.
//!
//! Let u = 2^-24, the largest relative error of one rounding, and count 5 u for a quotient and 9 u for a square root, as
//! WGSL allows. A rounded box is all points within the radius R of an inner box; p is the point that the contact vector
//! pierces, h the distance of its tangent plane from the centre, and the normal is what is left of p beyond the inner
//! box, over R. Taking the nearest point of a convex body and leaving the rest are maps that move no two points apart, so
//! a displacement of p by e and of the inner box by c moves the normal by (e + c) / R at most, across seams or not.
//!
//! * **Pierced point.** The contact vector in the box's axes is known to u for narrowing and 21 u for the turn (a matrix
//!   of a narrowed unit quaternion: entries on the diagonal within 9 u, all three within 19 u together, the others within
//!   4 u, 16 u in all; 5.2 u for its product with a vector). The two quotients that lead to the sharp box cost 10 u. A ray
//!   turned by w radii of p pierces within `w (1 + |p| / h)`: the gauge of a convex body is itself convex, and its slope is
//!   1/h at p. Where the turned ray pierces, h is smaller by no more than the inner box's diagonal times the change of the
//!   normal, and never below half of the least side.
//! * **Sizes.** Half sides and radius are narrowed, u each of what is at most |p| on the axes that matter; counted 4 u.
//! * **Depth.** A difference, another and a quotient of at most R: 7 u R.
//! * **Leaving the reach of a face.** Which of two or three faces the rounding lies between is decided by a sum of squares
//!   known to 30 u: the ray is off by 15 u R |p| / h where that is wrong.
//! * **Chord.** The foot of the perpendicular is known to 24 u; the square of the half chord to 52 u, whose root is off by
//!   at most 26 u over the chord's cosine, which is at least h / |p|; 25 u for the sum and for making it a unit vector.
//! * **Back to the world.** 22 u again.
//!
//! So in metres a displacement of `u (1 + |p|/h) (37 |p| + 7 R) + u R (50 + 41 |p|/h)`, rounded up below, and over R the
//! bound of a normal. An axis along which p stands nearer than this to the border of the inner box may count as rounded or
//! not. Where no second axis may, the normal is that of a face, and only turning it back rounds.
//!
//! # Conventions
//! As in [`crate::query::RoundedBox`]; a contact vector goes from the centre of a box to where it is met.

use glam::{DMat3, DVec3};

use crate::query::{BoxRegion, RoundedBox};
use crate::validation::wheel_bound::U;

/// Error of a unit vector that is turned and narrowed.
pub(super) const TURNED: f64 = 24.0 * U;
/// Relative error of the tangent of the angle between a contact vector and an axis, beside that of the angle.
const TANGENT: f64 = 16.0 * U;
/// Error of the direction of a contact vector in the box's axes \[rad\].
const DIRECTION: f64 = 32.0 * U;

/// How well a device knows the normal of a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxBound {
    /// Of the normal; infinite where it may be any between those of the faces that come into question.
    pub normal: f64,
    /// Fewest and most faces that the pierced point may be found between.
    pub faces: [u32; 2],
    /// The axes that come into question, world.
    near: [Option<DVec3>; 3],
    /// Tangent of the angle between the contact vector and the normal of the face that it is closest to, and its error.
    pub tangent: (f64, f64),
}

impl BoxBound {
    /// For the judge's normal of a box, where it has one.
    pub fn new(body: &RoundedBox, contact: DVec3, truth: Option<DVec3>) -> Self {
        let axes = DMat3::from_quat(body.rotation.normalize());
        let local = (axes.transpose() * contact).abs();
        let (half, radius) = (0.5 * body.sides, body.radius);
        let inner = half - radius;
        let least = half.min_element();
        let (pierced, height) = if let Some(normal) = truth {
            let normal = (axes.transpose() * normal).abs();
            let height = inner.dot(normal) + radius;
            (local * (height / local.dot(normal)), height)
        } else {
            (local / (local / half).max_element(), least)
        };
        let distance = pierced.length();
        let displacement = |height: f64| {
            let lean = distance / height;
            U * ((1.0 + lean) * (40.0 * distance + 8.0 * radius) + (64.0 + 48.0 * lean) * radius)
        };
        // The change of the normal takes off from the height; without a radius it may take off all.
        let change = if radius > 0.0 { displacement(least) / radius } else { 2.0 };
        let displacement = displacement((height - inner.length() * change).max(least));

        let beyond = pierced - inner;
        let count = |limit: f64| beyond.cmpgt(DVec3::splat(limit)).bitmask().count_ones();
        let faces = [count(displacement).max(1), count(-displacement).max(1)];
        let normal = match faces {
            [_, 1] => TURNED,
            _ if radius > 0.0 => displacement / radius + TURNED,
            _ => f64::INFINITY,
        };
        let near = [(axes.x_axis, beyond.x), (axes.y_axis, beyond.y), (axes.z_axis, beyond.z)];
        let (along, beside) = (0..3).fold((0.0, 0.0), |(along, beside), axis| {
            // The face that the ray leaves the sharp box by.
            if local[axis] / half[axis] == (local / half).max_element() {
                (local[axis], beside)
            } else {
                (along, f64::hypot(beside, local[axis]))
            }
        });
        let tangent = beside / along;
        Self {
            normal,
            faces,
            near: near.map(|(axis, beyond)| (beyond > -displacement).then_some(axis)),
            tangent: (tangent, DIRECTION * (1.0 + tangent * tangent) + TANGENT * tangent),
        }
    }

    /// True where a region comes into question.
    pub fn allows(&self, region: BoxRegion) -> bool {
        (self.faces[0]..=self.faces[1]).contains(&(region as u32))
    }

    /// True where the part of a box that has no normal comes into question: an edge so sharp that it is not seen rounded.
    pub fn allows_sharp(&self) -> bool {
        self.faces[1] > 1 && self.normal >= 1.0
    }

    /// How far a normal is from those between the faces that come into question.
    pub fn beside(&self, normal: DVec3) -> f64 {
        self.near.iter().flatten().fold(normal, |rest, axis| rest - *axis * axis.dot(normal)).length()
    }
}
