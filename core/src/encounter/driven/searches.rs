//! What is searched for in a step: the common factor of two ellipses, and when they touch.
//!
//! The factor is a norm of the way between the centres, that of the sum of both bodies. It is convex along a straight way:
//! from where it is above 1 it falls to 1 once.
//!
//! # Conventions
//! As in [`super`].

use super::collision::Touch;
use super::course::{Course, Drive};
use crate::elementary::Real;
use crate::encounter::{CommonScaling, ContactFunction, common_scaling};

/// Rounds of the search for the time of touch, at most: 3 to 6 are the rule. Over a step the factor is linear but for a share
/// of it, way over size, which each round takes off what is left.
pub const LANDINGS: u32 = 24;
/// It ends where the factor is 1 to so many epsilons.
pub const LANDING_RESIDUAL: f64 = 64.0;

/// How it is searched.
pub trait Searches<R: Real> {
    /// The ellipses under their common factor.
    fn scaling(&self, function: &ContactFunction<R>) -> CommonScaling<R>;

    /// When bodies touch that are apart in `course` and after `time` are as `after` says, overlapping.
    fn landing(&self, drive: &Drive<R>, course: &Course<R>, time: R, after: &Touch<R>) -> R;
}

/// To some epsilons, of numbers that have no more.
#[derive(Clone, Copy, Debug)]
pub struct Searched;

impl<R: Real> Searches<R> for Searched {
    #[inline(always)]
    fn scaling(&self, function: &ContactFunction<R>) -> CommonScaling<R> {
        common_scaling(function)
    }

    #[inline(always)]
    fn landing(&self, drive: &Drive<R>, course: &Course<R>, time: R, after: &Touch<R>) -> R {
        let (zero, one) = (time.like(0.0), time.like(1.0));
        let tolerance = one.like(LANDING_RESIDUAL * f64::EPSILON);
        let (mut low, mut high) = ((zero, clear(drive, course, self)), (time, after.square.sqrt() - one));
        let (mut found, mut done) = (time, zero.gt(one));
        // By false position.
        for _ in 0..LANDINGS {
            let to = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
            found = R::select(done, found, to);
            let left = clear(drive, &course.moved(drive, found), self);
            done = done | !left.abs().gt(tolerance);
            if !R::any(!done) {
                break;
            }
            let outside = left.gt(zero);
            low = (R::select(outside, found, low.0), R::select(outside, left, low.1));
            high = (R::select(outside, high.0, found), R::select(outside, high.1, left));
        }
        found
    }
}

/// How far the common factor is above 1.
#[inline(always)]
pub fn clear<R: Real>(drive: &Drive<R>, course: &Course<R>, searches: &impl Searches<R>) -> R {
    let headings = course.motions.map(|motion| motion.heading);
    let scaling = searches.scaling(&ContactFunction::new(headings, drive.semi_axes, course.apart));
    scaling.square.sqrt() - drive.lag.like(1.0)
}
