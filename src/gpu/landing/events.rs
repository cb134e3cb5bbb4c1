//! Events of a landing, derived from successive states.

use crate::gpu::wire::{Flag, StateView};
use crate::query::{LandingEvent, LandingJob, Observer, PilotState, WheelWatch};

/// Reports events to an observer from step to step.
pub(super) struct Watch {
    wheels: WheelWatch,
    was_over_limit: Vec<bool>,
}

impl Watch {
    pub fn new(job: &LandingJob) -> Self {
        Self { wheels: WheelWatch::new(job), was_over_limit: vec![false; job.vehicle.wheels.len()] }
    }

    /// One step, ending at a time \[s\]; events are in the order of the reference engine.
    pub fn report(&mut self, before: &StateView<'_>, after: &StateView<'_>, time: f64, observer: &mut dyn Observer) {
        let begins = |flag: u32| after.head.has(flag) && !before.head.has(flag);
        // For unphysical numbers only the end is reported.
        if !after.head.has(Flag::INVALID) {
            if after.head.touchdown_step == after.head.step {
                observer.event(time, LandingEvent::Touchdown);
            }
            self.report_wheels(after, time, observer);
            if begins(Flag::PASSED_END) {
                observer.event(time, LandingEvent::RunwayEnd);
            }
            if after.head.bounces > before.head.bounces {
                observer.event(time, LandingEvent::Bounce);
            }
            if begins(Flag::VEERED_OFF) {
                observer.event(time, LandingEvent::VeeredOff);
            }
        }
        for (action, event) in PilotState::ACTIONS.into_iter().enumerate() {
            if begins(Flag::BEGUN << action) {
                observer.event(time, event);
            }
        }
    }

    fn report_wheels(&mut self, after: &StateView<'_>, time: f64, observer: &mut dyn Observer) {
        for (wheel, is) in after.wheels.iter().enumerate() {
            if let Some(event) = self.wheels.look(wheel, is.touches()) {
                observer.event(time, event);
            }
            if is.is_over_max_force() && !self.was_over_limit[wheel] {
                self.was_over_limit[wheel] = true;
                observer.event(time, LandingEvent::ForceLimit(wheel));
            }
        }
    }
}
