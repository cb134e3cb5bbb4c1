//! Encounters of two vehicles: when and where they meet, and what the impact does (docs/encounters.md).
//!
//! ```text
//! Encounter --> Meeting (the frame of the relative motion) --> contact --> Impact --> EncounterAnswer
//! ```
//!
//! Additions, multiplications, divisions, square roots and comparisons alone, written once for one number and for eight:
//! a lane of eight holds what the encounter alone gives, on every processor.
//!
//! # Conventions
//! Planar: centres are at one height. Frame of the relative motion: its x axis is the velocity of B seen from A, of which
//! the relative speed is the unit; lengths are in a power of two of about half a vehicle's length. Normals point from A
//! to B, and impulses act on B.

mod boxes;
mod common_scaling;
pub mod driven;
mod frame;
mod impact;
pub mod platoon;
mod running_gear;
mod single;
mod tangent;
#[cfg(test)]
mod tests;

pub use self::boxes::SAME_NORMALS;
pub use self::boxes::{BoxSide, RoundedOutline, boxes_pass, pair_normal};
pub use self::common_scaling::{CommonScaling, ContactFunction, Slope, common_scaling, greatest};
pub use self::common_scaling::{RESIDUAL as SCALING_RESIDUAL, ROUNDS as SCALING_ROUNDS};
pub use self::frame::{Found, Frame};
pub use self::impact::FAR;
pub use self::impact::{Impact, Impulse};
pub(crate) use self::running_gear::CREEP;
pub use self::running_gear::RunningGear;
pub use self::single::{encounter, found, status};
pub use self::tangent::{RESIDUAL, ROUNDS};
pub use self::tangent::{Tangent, Vehicles, search};
use crate::elementary::Real;

/// A number for each of two vehicles.
pub type Both<T> = [T; 2];

/// A vector in the plane.
pub type Vector<R> = [R; 2];

/// An encounter in the frame of its relative motion.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<R> {
    /// The centre of B seen from A, at the start.
    pub start: R,
    /// The way of B passes A's centre at this distance, to the left.
    pub offset: R,
    /// Both bodies.
    pub vehicles: Vehicles<R>,
    /// Half of the boxes' length and width.
    pub half: Vector<R>,
    /// Of the boxes' edges.
    pub radius: R,
    /// Mass over yaw inertia, times the square of the unit of length.
    pub slenderness: R,
    /// Of the normal velocity, by Poisson's hypothesis.
    pub restitution: R,
    /// Coulomb's coefficient.
    pub friction: R,
    /// Above 0 where normals are those of boxes.
    pub boxes: R,
}

/// Numbers of a [`Meeting`].
pub const MEETING_NUMBERS: usize = 15;

impl<R: Real> Meeting<R> {
    /// Both boxes.
    #[inline(always)]
    fn outlines(&self) -> Both<RoundedOutline<R>> {
        [self.outline(0), self.outline(1)]
    }

    #[inline(always)]
    fn outline(&self, body: usize) -> RoundedOutline<R> {
        RoundedOutline { heading: self.vehicles.headings[body], half: self.half, radius: self.radius }
    }

    /// Both bodies as they collide.
    #[inline(always)]
    fn impact(&self) -> Impact<R> {
        Impact::of_twins(self.slenderness, self.restitution, self.friction)
    }
}

impl<R: Copy> Meeting<R> {
    /// Its numbers.
    #[inline(always)]
    pub fn numbers(&self) -> [R; MEETING_NUMBERS] {
        let Self { start, offset, vehicles, half, radius, slenderness, restitution, friction, boxes } = *self;
        let Vehicles { headings: [a, b], semi_axes } = vehicles;
        [
            start,
            offset,
            a[0],
            a[1],
            b[0],
            b[1],
            semi_axes[0],
            semi_axes[1],
            half[0],
            half[1],
            radius,
            slenderness,
            restitution,
            friction,
            boxes,
        ]
    }

    /// Of its numbers.
    #[inline(always)]
    pub fn of_numbers(n: [R; MEETING_NUMBERS]) -> Self {
        let vehicles = Vehicles { headings: [[n[2], n[3]], [n[4], n[5]]], semi_axes: [n[6], n[7]] };
        Self {
            start: n[0],
            offset: n[1],
            vehicles,
            half: [n[8], n[9]],
            radius: n[10],
            slenderness: n[11],
            restitution: n[12],
            friction: n[13],
            boxes: n[14],
        }
    }
}

/// How an encounter goes.
#[derive(Clone, Copy, Debug)]
pub struct Contact<R: Real> {
    /// The search for the place of contact has not ended; nothing else has a meaning.
    pub not_converged: R::Mask8,
    /// The ways of the ellipsoids, or of the boxes, miss each other.
    pub misses: R::Mask8,
    /// The ellipsoids overlap at the start.
    pub overlaps: R::Mask8,
    /// They have met before the start.
    pub is_past: R::Mask8,
    /// The boxes meet with corners of one normal, so that none is known.
    pub has_no_normal: R::Mask8,
    /// The way of B until contact.
    pub way: R,
    /// From the centre of A to the contact point.
    pub arm: Vector<R>,
    /// The unit normal.
    pub normal: Vector<R>,
    /// Whether each body is met at the rounding of an edge.
    pub on_edge: Both<R::Mask8>,
    /// In units of mass times relative speed.
    pub impulse: Impulse<R>,
}

/// What finds where bodies touch: a function, or [`Searched`].
pub trait Touches<R: Real> {
    /// The first place on the line at some offset where the bodies touch.
    fn tangent(&self, meeting: &Meeting<R>, offset: R) -> Tangent<R>;
}

impl<R: Real, F: Fn(&Meeting<R>, R) -> Tangent<R>> Touches<R> for F {
    #[inline(always)]
    fn tangent(&self, meeting: &Meeting<R>, offset: R) -> Tangent<R> {
        self(meeting, offset)
    }
}

/// [`search`] to f64's epsilon. No function: those that are passed on cannot be inlined always, as what is compiled for a
/// wider instruction set must be.
#[derive(Clone, Copy, Debug)]
pub struct Searched;

impl<R: Real> Touches<R> for Searched {
    #[inline(always)]
    fn tangent(&self, meeting: &Meeting<R>, offset: R) -> Tangent<R> {
        search(&meeting.vehicles, offset, f64::EPSILON)
    }
}

/// How an encounter goes of bodies that touch where `touches` finds it.
#[inline(always)]
pub fn contact<R: Real>(meeting: &Meeting<R>, touches: impl Touches<R> + Copy) -> Contact<R> {
    let (zero, one) = (meeting.offset.like(0.0), meeting.offset.like(1.0));
    let by_boxes = meeting.boxes.gt(zero);
    let distance = meeting.offset.abs();
    let reach = meeting.vehicles.reach();
    let outlines = meeting.outlines();
    let boxes_miss = by_boxes & distance.gt(outlines[0].reach() + outlines[1].reach());
    let misses = distance.gt(reach) | boxes_miss;
    // A line that passes touches nowhere: that the search ends is all that is asked.
    let first = touches.tangent(meeting, R::select(misses, zero, meeting.offset));
    let way = first.place - meeting.start;
    let is_past = zero.gt(way);
    // The bodies are symmetric: where the last touch is, the first is on the other side.
    let last = if R::any(is_past) { -touches.tangent(meeting, -meeting.offset).place } else { first.place };
    let overlaps = is_past & last.gt(meeting.start);

    let arms = first.arms;
    let sides = [outlines[0].pierced(arms[0]), outlines[1].pierced(arms[1])];
    let (of_boxes, length) = pair_normal(&sides);
    let has_no_normal = by_boxes & one.like(SAME_NORMALS).gt(length);
    let normal = [R::select(by_boxes, of_boxes[0], first.normal[0]), R::select(by_boxes, of_boxes[1], first.normal[1])];
    Contact {
        not_converged: !first.converged & !misses,
        misses,
        overlaps,
        is_past,
        has_no_normal,
        way,
        arm: arms[0],
        normal,
        on_edge: [by_boxes & sides[0].on_edge, by_boxes & sides[1].on_edge],
        impulse: meeting.impact().impulse(arms, normal, [one, zero]),
    }
}

#[inline(always)]
pub(crate) fn dot<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
    a[0] * b[0] + a[1] * b[1]
}

#[inline(always)]
pub(crate) fn cross<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
    a[0] * b[1] - a[1] * b[0]
}
