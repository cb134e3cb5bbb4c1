//! A step of an encounter.
//!
//! # Conventions
//! As in [`super`].

pub use super::collision::Contacts;
pub use super::collision::Touch;
use super::collision::{collide, touch};
use super::course::{Course, Drive};
use super::searches::Searches;
use crate::elementary::{Real, greater};
use crate::encounter::{Both, Vector};

/// A step, from what holds at its begin; what holds at its end, and what was decided.
#[inline(always)]
pub fn step<R: Real>(drive: &Drive<R>, course: &Course<R>, searches: &impl Searches<R>) -> (Course<R>, Contacts<R>) {
    let (course, _, contacts) = step_from(drive, course, &touch(drive, course, searches), searches);
    (course, contacts)
}

/// The same, where it is known how the bodies are to each other; and how they are at its end.
#[inline(always)]
pub fn step_from<R: Real>(
    drive: &Drive<R>,
    course: &Course<R>,
    known: &Touch<R>,
    searches: &impl Searches<R>,
) -> (Course<R>, Touch<R>, Contacts<R>) {
    let (zero, one) = (drive.lag.like(0.0), drive.lag.like(1.0));
    let remaining = drive.until - course.time;
    let (mut hit, mut contacts) = collide(drive, course, known);
    hit.peaks = peaks(&hit);
    let is_last = !remaining.gt(drive.step);
    let time = R::select(is_last, remaining, drive.step);
    let mut next = hit.moved(drive, time);
    next.time = R::select(is_last, drive.until, next.time);
    let mut after = touch(drive, &next, searches);
    contacts.lands = !contacts.touches & !after.square.gt(one);
    if R::any(contacts.lands) {
        let landed = hit.moved(drive, searches.landing(drive, &hit, time, &after));
        let touching = touch(drive, &landed, searches);
        next = Course::select(contacts.lands, &landed, &next);
        after = Touch::select(contacts.lands, &touching, &after);
    }
    next.peaks = peaks(&next);
    contacts.not_converged = contacts.not_converged | after.not_converged;
    let fault = R::select(contacts.not_converged, one + one, R::select(contacts.has_no_normal, one, course.fault));
    next.fault = fault;
    let goes_on = remaining.gt(zero) & !course.fault.gt(zero);
    if R::any(!goes_on) {
        next = Course::select(goes_on, &next, course);
        after = Touch::select(goes_on, &after, known);
    }
    (next, after, contacts)
}

/// The largest magnitudes of yaw rates so far.
#[inline(always)]
fn peaks<R: Real>(course: &Course<R>) -> Both<R> {
    let [a, b] = course.peaks;
    [greater(a, course.motions[0].yaw_rate.abs()), greater(b, course.motions[1].yaw_rate.abs())]
}

impl<R: Real> Course<R> {
    /// After a time without contact.
    #[inline(always)]
    pub fn moved(&self, drive: &Drive<R>, time: R) -> Self {
        let (a, by_a) = self.motions[0].after(drive, &drive.gear[0], time);
        let (b, by_b) = self.motions[1].after(drive, &drive.gear[1], time);
        let between: Vector<R> = [by_b[0] - by_a[0], by_b[1] - by_a[1]];
        Self {
            time: self.time + time,
            apart: [self.apart[0] + between[0], self.apart[1] + between[1]],
            way: [self.way[0] + by_a[0], self.way[1] + by_a[1]],
            motions: [a, b],
            ..*self
        }
    }
}

impl<R: Real> Touch<R> {
    #[inline(always)]
    fn select(truth: R::Mask8, yes: &Self, no: &Self) -> Self {
        let pick = |yes: Vector<R>, no: Vector<R>| [0, 1].map(|k| R::select(truth, yes[k], no[k]));
        Self {
            not_converged: (truth & yes.not_converged) | (!truth & no.not_converged),
            square: R::select(truth, yes.square, no.square),
            normal: pick(yes.normal, no.normal),
            arms: [pick(yes.arms[0], no.arms[0]), pick(yes.arms[1], no.arms[1])],
        }
    }
}
