//! How far a step in f32 may be from that in f64.
//!
//! The text of [`crate::encounter::driven`] runs with [`Bounded`] numbers, from narrowed ones on. The search for the common
//! factor alone is not followed: it is known by what it finds, an l where F' as f32 computes it is at most the residual. F' falls
//! with l, so that the l at which it is larger than the residual and its error, on either side, enclose what f32 finds. There F
//! is flat: between them it changes by no more than F' at these ends times their distance.
//!
//! So is the time of touch: the factor falls to 1 once (it is convex along the way, which turns by little within a step).

use crate::elementary::Real;
use crate::encounter::driven::{
    COURSE_NUMBERS, Course, Drive, LANDING_RESIDUAL, Searched, Searches, Touch, clear, energy, step,
};
use crate::encounter::{CommonScaling, ContactFunction, SCALING_RESIDUAL, greatest};
use crate::query::DrivenStep;
use crate::validation::encounters::{Bounded, Decided};
use crate::validation::wheel_bound::U;

/// A step with its bounds.
pub(super) struct StepBound {
    /// In the order of [`crate::query::StepContacts`].
    pub decisions: [Decided; 8],
    /// Of the course's numbers.
    pub errors: [f64; COURSE_NUMBERS],
}

impl StepBound {
    pub fn new(item: &DrivenStep) -> Self {
        let drive = Drive::of_numbers(item.drive.numbers().map(Bounded::narrowed));
        let course = Course::of_numbers(item.course.numbers().map(Bounded::narrowed));
        let (course, contacts) = step(&drive, &course, &InSingle);
        let mut errors = course.numbers().map(|number| number.error);
        let begin = item.course.numbers();
        // Sums of three: compilers may add them in another order, which rounds once more what is largest on the way.
        for number in 1..5 {
            errors[number] += U * (begin[number].abs() + (course.numbers()[number].value - begin[number]).abs());
        }
        errors[46] += U * (begin[46].abs() + energy(&item.drive, &item.course));
        Self { decisions: contacts.decisions(), errors }
    }
}

/// What f32 finds.
#[derive(Clone, Copy)]
struct InSingle;

impl Searches<Bounded> for InSingle {
    fn scaling(&self, function: &ContactFunction<Bounded>) -> CommonScaling<Bounded> {
        scaling(function)
    }

    fn landing(
        &self,
        drive: &Drive<Bounded>,
        course: &Course<Bounded>,
        time: Bounded,
        after: &Touch<Bounded>,
    ) -> Bounded {
        let value = |number: Bounded| number.value;
        let nominal = (Drive::of_numbers(drive.numbers().map(value)), Course::of_numbers(course.numbers().map(value)));
        let end = Touch {
            not_converged: false,
            square: after.square.value,
            normal: after.normal.map(value),
            arms: after.arms.map(|arm| arm.map(value)),
        };
        let found = Searched.landing(&nominal.0, &nominal.1, time.value, &end);
        let residual = LANDING_RESIDUAL * f64::from(f32::EPSILON);
        let outside = |to: f64, side: f64| {
            let there = clear(drive, &course.moved(drive, Bounded::exact(to)), self);
            side * there.value > residual + there.error
        };
        let reaches = |side: f64, limit: f64| {
            let mut wide = time.value.abs() * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE);
            while wide < limit && !outside(found - side * wide, side) {
                wide *= 1.5;
            }
            wide.min(limit)
        };
        // It may be found at the end of the step where the bodies hardly overlap there.
        let later = if outside(time.value, -1.0) { reaches(-1.0, time.value - found) } else { time.value - found };
        let error = reaches(1.0, found).max(later) + time.error + time.value * f64::from(f32::EPSILON);
        Bounded { value: found, error }
    }
}

/// The ellipses under their common factor, as f32 finds it.
fn scaling(function: &ContactFunction<Bounded>) -> CommonScaling<Bounded> {
    let nominal = function.map(|number| number.value);
    let (l, converged) = greatest(&nominal, f64::EPSILON);
    let slope = |l: f64| {
        let l = l.clamp(0.0, 1.0);
        function.at(Bounded::exact(l), Bounded::exact(1.0) - Bounded::exact(l)).slope
    };
    let most = function.most();
    let residual = SCALING_RESIDUAL * f64::from(f32::EPSILON) * (most.value + most.error) * (1.0 + 1e-6);
    let at_ends = slope(0.0).error.max(slope(1.0).error);
    // From a few epsilons on: l is rounded too.
    let mut wide = f64::from(f32::EPSILON);
    let steepest = loop {
        let ends = [slope(l - wide), slope(l + wide)];
        let error = ends[0].error.max(ends[1].error).max(at_ends);
        let least = ends[0].value.min(-ends[1].value);
        if least > residual + error || wide > 1.0 {
            break ends[0].value.abs().max(ends[1].value.abs()) + error;
        }
        wide *= 1.5;
    };
    let converged = Decided { answer: converged, certain: true };
    let at = function.scaled(Bounded::exact(l), converged);
    let around = function.scaled(Bounded { value: l, error: wide }, converged);
    // Rounding is that at l, within a part in a thousand.
    let square = Bounded { value: at.square.value, error: 1.001 * at.square.error + wide * steepest };
    let square = if square.error.is_nan() { square.like(f64::NAN) } else { square };
    CommonScaling { square, ..around }
}
