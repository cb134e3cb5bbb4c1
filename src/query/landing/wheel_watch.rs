//! Which wheels are down, for a log: one that chatters is told of once.

use super::rules::BOUNCE_TIME;
use super::{LandingEvent, LandingJob};

/// Tells when wheels come down and leave the ground. A wheel is up again when it has been without contact for the time
/// that makes a bounce, and is told of then.
pub(crate) struct WheelWatch {
    wheels: Vec<Watched>,
    /// Steps without contact after which a wheel is up.
    steps: u64,
}

#[derive(Clone, Copy, Default)]
struct Watched {
    is_down: bool,
    steps_without_contact: u64,
}

impl WheelWatch {
    pub fn new(job: &LandingJob) -> Self {
        Self { wheels: vec![Watched::default(); job.vehicle.wheels.len()], steps: job.steps_of(BOUNCE_TIME).max(1) }
    }

    /// What is worth a line after a step at whose end a wheel touches or not.
    pub fn look(&mut self, wheel: usize, touches: bool) -> Option<LandingEvent> {
        let watched = &mut self.wheels[wheel];
        watched.steps_without_contact = if touches { 0 } else { watched.steps_without_contact + 1 };
        let (was_down, is_down) = (watched.is_down, watched.steps_without_contact < self.steps);
        match (was_down, touches, is_down) {
            (false, true, _) => {
                watched.is_down = true;
                Some(LandingEvent::WheelDown(wheel))
            }
            (true, _, false) => {
                watched.is_down = false;
                Some(LandingEvent::WheelUp(wheel))
            }
            _ => None,
        }
    }
}
