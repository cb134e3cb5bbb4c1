//! Encounters one by one.

use super::collision::{Contacts, touch};
use super::frame::DrivenFrame;
use super::searches::Searched;
use super::step::{step, step_from};
use super::{Course, Drive};
use crate::elementary::Real;
use crate::query::{DrivenAnswer, DrivenEncounter, DrivenStep, DrivenStepAnswer, EncounterStatus, StepContacts};

/// Steps that an encounter may take: each ends a step's length later, or with bodies that touch.
const STEPS_OVER_LENGTHS: f64 = 4.0;

/// How an encounter goes.
#[must_use]
pub fn driven_encounter(item: &DrivenEncounter) -> DrivenAnswer {
    if item.fault().is_some() {
        return DrivenAnswer::none(EncounterStatus::BadInput);
    }
    let (frame, drive, course) = DrivenFrame::new(item);
    frame.answer(item, &followed(&drive, course, f64::from(most_steps(&drive))))
}

/// Most steps of an encounter.
#[must_use]
pub fn most_steps(drive: &Drive<f64>) -> u32 {
    (STEPS_OVER_LENGTHS * (drive.until / drive.step).ceil()) as u32 + 16
}

/// A course at its end; one that has not come there after `most` steps has a fault.
#[inline(always)]
pub fn followed<R: Real>(drive: &Drive<R>, mut course: Course<R>, most: R) -> Course<R> {
    let (zero, one, two) = (most.like(0.0), most.like(1.0), most.like(2.0));
    let mut known = touch(drive, &course, &Searched);
    let mut steps = zero;
    loop {
        (course, known, _) = step_from(drive, &course, &known, &Searched);
        steps = steps + one;
        let goes_on = drive.until.gt(course.time) & !course.fault.gt(zero);
        course.fault = R::select(goes_on & !most.gt(steps), two, course.fault);
        if !R::any(goes_on & most.gt(steps)) {
            return course;
        }
    }
}

/// A step.
#[must_use]
pub fn driven_step(item: &DrivenStep) -> DrivenStepAnswer {
    let (course, contacts) = step(&item.drive, &item.course, &Searched);
    DrivenStepAnswer { course, contacts: StepContacts::new(contacts.decisions()) }
}

impl<R: Real> Contacts<R> {
    /// In the order of [`StepContacts`].
    #[inline(always)]
    pub fn decisions(&self) -> [R::Mask8; 8] {
        let Self { touches, passes, has_no_normal, hits, on_edge, lands, not_converged } = *self;
        [touches, passes, has_no_normal, hits, hits & on_edge[0], hits & on_edge[1], lands, not_converged]
    }
}
