//! What happens in a landing, told from successive states.

use crate::gpu::wire::{Flag, StateView};
use crate::query::{LandingEvent, LandingJob, Observer, PilotState, WheelWatch};

/// Tells an observer what happened from step to step.
pub(super) struct Watch {
    wheels: WheelWatch,
    was_over_limit: Vec<bool>,
}

impl Watch {
    pub fn new(job: &LandingJob) -> Self {
        Self { wheels: WheelWatch::new(job), was_over_limit: vec![false; job.vehicle.wheels.len()] }
    }

    /// One step, which ends at a time \[s\]; in the order in which the reference engine reports it.
    pub fn report(&mut self, before: &StateView<'_>, after: &StateView<'_>, time: f64, observer: &mut dyn Observer) {
        let begins = |flag: u32| after.head.has(flag) && !before.head.has(flag);
        // Of numbers that are no vehicle's any more nothing is told but the end.
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
