//! Normals of vehicles as boxes with rounded edges, in the plane (docs/theory/vehicle-boxes.md).
//!
//! # Conventions
//! As in [`super`].

use super::{Both, Vector, cross, dot};
use crate::elementary::{Real, greater};

/// Two normals whose difference is no longer are the same but for rounding.
pub const SAME_NORMALS: f64 = 1e-4;

/// Where an arm pierces a box.
#[derive(Clone, Copy, Debug)]
pub struct BoxSide<R: Real> {
    /// Outward unit normal.
    pub normal: Vector<R>,
    /// At a rounded edge, not a face.
    pub on_edge: R::Mask8,
    /// Tangent of the angle between arm and normal; of a face alone.
    pub slope: R,
}

/// A vehicle's box, the edges of which are rounded.
#[derive(Clone, Copy, Debug)]
pub struct RoundedOutline<R> {
    /// The unit vector along it.
    pub heading: Vector<R>,
    /// Half of its length and width.
    pub half: Vector<R>,
    /// Of its edges.
    pub radius: R,
}

impl<R: Real> RoundedOutline<R> {
    /// In a frame with this x axis.
    #[inline(always)]
    fn seen_along(&self, axis: Vector<R>) -> Self {
        Self { heading: [dot(axis, self.heading), cross(axis, self.heading)], ..*self }
    }

    /// Half of its width across the x axis.
    #[inline(always)]
    pub fn reach(&self) -> R {
        let [cos, sin] = self.heading;
        (self.half[0] - self.radius) * sin.abs() + (self.half[1] - self.radius) * cos.abs() + self.radius
    }

    /// The normal where an arm from the centre pierces it.
    #[inline(always)]
    pub fn pierced(&self, arm: Vector<R>) -> BoxSide<R> {
        let Self { heading, half: sides, radius } = *self;
        let (zero, one) = (arm[0].like(0.0), arm[0].like(1.0));
        let local = [dot(heading, arm), cross(heading, arm)];
        let [along, across] = [local[0].abs(), local[1].abs()];
        // The face that the arm leaves the sharp box by: front or rear, else a side.
        let by_front = !(across * sides[0]).gt(along * sides[1]);
        let (towards, beside) = (R::select(by_front, along, across), R::select(by_front, across, along));
        let half = R::select(by_front, sides[0], sides[1]);
        let other = R::select(by_front, sides[1], sides[0]);
        let slope = beside / towards;
        // In radii, from the middle of the rounding: 1 along the face's normal, and this much beside.
        let beyond = (slope * half - (other - radius)) / radius;
        let on_edge = beyond.gt(zero);
        let beyond = greater(beyond, zero);
        let square = one + slope * slope;
        let back = (one + beyond * slope) / square;
        let foot = [one - back, beyond - slope * back];
        let half_chord = (greater(one - dot(foot, foot), zero) / square).sqrt();
        let ahead = greater(foot[0] + half_chord, zero);
        let aside = greater(foot[1] + slope * half_chord, zero);
        let size = (ahead * ahead + aside * aside).sqrt();
        let (ahead, aside) = (R::select(on_edge, ahead / size, one), R::select(on_edge, aside / size, zero));
        let mirrored = [
            R::select(by_front, ahead, aside).copysign(local[0]),
            R::select(by_front, aside, ahead).copysign(local[1]),
        ];
        let [cos, sin] = heading;
        let normal = [cos * mirrored[0] - sin * mirrored[1], sin * mirrored[0] + cos * mirrored[1]];
        BoxSide { normal, on_edge, slope }
    }
}

/// Whether two boxes pass each other: an axis across their drift separates them. Of bodies that drift more slowly than `least`
/// it is across the first.
#[inline(always)]
pub fn boxes_pass<R: Real>(
    outlines: &Both<RoundedOutline<R>>,
    apart: Vector<R>,
    drift: Vector<R>,
    least: R,
) -> R::Mask8 {
    let one = least.like(1.0);
    let speed = dot(drift, drift).sqrt();
    let moves = !least.gt(speed);
    let to_unit = one / R::select(moves, speed, one);
    let heading = outlines[0].heading;
    let axis = [R::select(moves, drift[0] * to_unit, heading[0]), R::select(moves, drift[1] * to_unit, heading[1])];
    cross(axis, apart).abs().gt(outlines[0].seen_along(axis).reach() + outlines[1].seen_along(axis).reach())
}

/// The normal of two boxes by the parts that touch, and how long it was before it became a unit vector.
#[inline(always)]
pub fn pair_normal<R: Real>(sides: &Both<BoxSide<R>>) -> (Vector<R>, R) {
    let [one, two] = sides;
    let unit = one.slope.like(1.0);
    let of_two = [-two.normal[0], -two.normal[1]];
    let sum = [one.normal[0] + of_two[0], one.normal[1] + of_two[1]];
    let length = dot(sum, sum).sqrt();
    let divisor = greater(length, unit.like(SAME_NORMALS));
    let mean = [sum[0] / divisor, sum[1] / divisor];
    let both_edges = one.on_edge & two.on_edge;
    // A face decides, that which is met closer to its middle where both are faces.
    let by_first = !one.on_edge & (two.on_edge | two.slope.gt(one.slope));
    let mut normal = mean;
    for k in 0..2 {
        normal[k] = R::select(both_edges, mean[k], R::select(by_first, one.normal[k], of_two[k]));
    }
    (normal, R::select(both_edges, length, unit))
}
