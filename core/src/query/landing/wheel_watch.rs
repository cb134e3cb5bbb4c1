//! Which wheels are down, for a log: a chattering wheel is reported once.

use super::rules::BOUNCE_TIME;
use super::{LandingEvent, LandingJob};

/// Reports wheels that touch down and leave the ground. A wheel counts as up again after it has been without contact
/// for the time of a bounce, and is reported then.
pub struct WheelWatch {
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
    /// Before the first step.
    pub fn new(job: &LandingJob) -> Self {
        Self { wheels: vec![Watched::default(); job.vehicle.wheels.len()], steps: job.steps_of(BOUNCE_TIME).max(1) }
    }

    /// The event, if any, after a step at whose end a wheel touches or not.
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

#[cfg(test)]
mod tests {
    use LandingEvent::{WheelDown, WheelUp};

    use super::*;

    /// The events, with their step numbers, of a wheel that touches or not in these steps.
    fn told(touches: &[bool]) -> Vec<(usize, LandingEvent)> {
        let mut watch = WheelWatch { wheels: vec![Watched::default()], steps: 3 };
        let steps = touches.iter().enumerate();
        steps.filter_map(|(step, &touches)| Some((step, watch.look(0, touches)?))).collect()
    }

    #[test]
    fn a_wheel_that_chatters_is_told_of_once() {
        assert_eq!(told(&[false, true, false, true, false, false, true, true]), [(1, WheelDown(0))]);
    }

    #[test]
    fn a_wheel_is_up_after_three_steps_without_contact_and_down_at_once() {
        let touches = [true, false, false, false, false, true, false, false, false];
        assert_eq!(told(&touches), [(0, WheelDown(0)), (3, WheelUp(0)), (5, WheelDown(0)), (8, WheelUp(0))]);
    }

    #[test]
    fn a_wheel_that_never_touches_is_never_up() {
        assert!(told(&[false; 9]).is_empty());
    }
}
