//! The outcome of a landing from its final state.

use glam::DVec3;

use crate::gpu::wire::{Flag, StateView};
use crate::query::{LandingClass, LandingJob, LandingOutcome, LandingPart, Stop, Touchdown, WheelOutcome, WheelState};

/// The outcome; places are brought together in f64. `None` when the device wrote what no state has. `origin` is
/// the scene's.
pub(super) fn outcome(job: &LandingJob, origin: DVec3, state: &StateView<'_>) -> Option<LandingOutcome> {
    let head = &state.head;
    let steps = u64::from(head.step);
    if head.has(Flag::INVALID) {
        return Some(LandingOutcome { steps, ..LandingOutcome::invalid(state.wheels.len(), job.step) });
    }
    let along = |[frame, place]: [f32; 2]| origin.x + f64::from(frame) + f64::from(place);
    let across = |[frame, place]: [f32; 2]| origin.y + f64::from(frame) + f64::from(place);
    let touchdown = (head.touchdown_step != 0).then(|| Touchdown {
        distance: along(head.touchdown.distance),
        center_of_gravity: along([head.touchdown.distance[0], head.touchdown.center_of_gravity]),
        lateral: across(head.touchdown.lateral),
        sink_rate: f64::from(head.touchdown.sink_rate),
        ground_speed: f64::from(head.touchdown.ground_speed),
        pitch: f64::from(head.touchdown.pitch),
        bank: f64::from(head.touchdown.bank),
        crab: f64::from(head.touchdown.crab),
    });
    let stop = head.has(Flag::STOPPED).then(|| Stop::new(state.motion(origin).position.x, touchdown.as_ref()));
    let failed_part = failed_part(state)?;
    let passed_end = head.has(Flag::PASSED_END);
    let class = match failed_part {
        Some(LandingPart::Wheel(_)) => LandingClass::WheelBroken,
        Some(LandingPart::Structure(_)) => LandingClass::StructureContact,
        None if head.has(Flag::VEERED_OFF) => LandingClass::VeeredOff,
        None if passed_end => LandingClass::Overran,
        None if stop.is_some() => LandingClass::Stopped,
        None => LandingClass::Unfinished,
    };
    Some(LandingOutcome {
        class,
        failed_part,
        touchdown,
        bounces: head.bounces,
        largest_lateral_deviation: touchdown.map(|_| across(head.largest_lateral).abs()),
        runway_end_speed: passed_end.then_some(f64::from(head.runway_end_speed)),
        stop,
        steps_in_state: head.steps_in_state.map(u64::from),
        force_limit_steps: u64::from(head.force_limit_steps),
        steps,
        contact_steps: u64::from(head.contact_steps),
        step: job.step,
        wheels: state
            .wheels
            .iter()
            .map(|wheel| WheelOutcome {
                peak_force: f64::from(wheel.peak_force),
                peak_compression: f64::from(wheel.peak_compression),
            })
            .collect(),
    })
}

/// A broken wheel, else a structural point that met the scene; the outer `None` for a word that no state has.
fn failed_part(state: &StateView<'_>) -> Option<Option<LandingPart>> {
    for (number, wheel) in (0..).zip(state.wheels) {
        if wheel.state()? == WheelState::Broken {
            return Some(Some(LandingPart::Wheel(number)));
        }
    }
    Some(state.head.struck.checked_sub(1).map(LandingPart::Structure))
}
