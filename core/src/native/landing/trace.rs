//! One landing with an observer: the same lanes, one of which holds it.

use super::airframe::Programs;
use super::flights::Flights;
use super::recorder::{Records, advance};
use crate::native::index::SceneIndex;
use crate::query::{
    LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingState, LandingStep, Observer,
    PilotState, WheelWatch,
};
use crate::simd::{InRegisters, Simd, in_registers};

/// The lane that holds the landing.
const LANE: usize = 0;

/// Simulates one landing and shows every step to an observer.
pub(in crate::native) fn trace(
    job: &LandingJob,
    index: &SceneIndex,
    inputs: &LandingInputs,
    observer: &mut dyn Observer,
) -> LandingOutcome {
    in_registers(Traced { job, index, inputs, observer })
}

/// A landing before its observer.
struct Traced<'a> {
    job: &'a LandingJob,
    index: &'a SceneIndex,
    inputs: &'a LandingInputs,
    observer: &'a mut dyn Observer,
}

impl InRegisters for Traced<'_> {
    type Output = LandingOutcome;
    fn run<S: Simd>(self, simd: S) -> LandingOutcome {
        let Self { job, index, inputs, observer } = self;
        traced(simd, job, index, inputs, observer)
    }
}

fn traced<S: Simd>(
    simd: S,
    job: &LandingJob,
    index: &SceneIndex,
    inputs: &LandingInputs,
    observer: &mut dyn Observer,
) -> LandingOutcome {
    let Ok((mut state, plan)) = LandingState::start_with_plan(job, inputs) else {
        observer.event(0.0, LandingEvent::End(LandingClass::Invalid));
        return LandingOutcome::invalid(job.vehicle.wheels.len(), job.step);
    };
    let programs = Programs::new(job);
    let mut flights = Flights::new(simd, job, index, programs.as_ref());
    let mut records = Records::new(simd, job);
    flights.board(LANE, inputs, &plan, &state);
    let mut wheels = Wheels { watch: WheelWatch::new(job), over_limit: vec![false; job.vehicle.wheels.len()] };
    for _ in 0..job.steps_of(job.time_limit) {
        let marks = Marks::of(&records);
        loop {
            advance(&mut flights, Some(&mut records));
            if flights.stepped.get(LANE) {
                break;
            }
        }
        let last = std::mem::replace(&mut state, flights.state(LANE));
        let time = job.time_after(state.step);
        if !records.is_invalid(LANE) {
            wheels.report(&state, time, observer);
            report_marks(&marks, &Marks::of(&records), time, observer);
        }
        for ((action, before), after) in PilotState::ACTIONS.into_iter().zip(last.pilot.begun).zip(state.pilot.begun) {
            if after && !before {
                observer.event(time, action);
            }
        }
        observer.step(&LandingStep { time, state: &state, controls: &flights.controls.get(LANE) });
        if records.ended.get(LANE) {
            break;
        }
    }
    let outcome = records.outcome(LANE);
    observer.event(job.time_after(outcome.steps), LandingEvent::End(outcome.class));
    outcome
}

/// What an observer has heard of the wheels.
struct Wheels {
    watch: WheelWatch,
    over_limit: Vec<bool>,
}

impl Wheels {
    /// Tells what happened to the wheels in the step to a state.
    fn report(&mut self, state: &LandingState, time: f64, observer: &mut dyn Observer) {
        if state.touchdown_step == Some(state.step) {
            observer.event(time, LandingEvent::Touchdown);
        }
        for (index, (wheel, over_limit)) in state.wheels.iter().zip(&mut self.over_limit).enumerate() {
            if let Some(event) = self.watch.look(index, wheel.contact.touches()) {
                observer.event(time, event);
            }
            if wheel.over_max_force && !*over_limit {
                *over_limit = true;
                observer.event(time, LandingEvent::ForceLimit(index));
            }
        }
    }
}

/// What a record holds of a landing that an observer hears of when it changes.
struct Marks {
    passed_end: bool,
    bounces: f64,
    veered_off: bool,
}

impl Marks {
    fn of<S: Simd>(records: &Records<'_, S>) -> Self {
        Self {
            passed_end: records.passed_end.get(LANE),
            bounces: records.bounces.get(LANE),
            veered_off: records.veered_off.get(LANE),
        }
    }
}

fn report_marks(before: &Marks, after: &Marks, time: f64, observer: &mut dyn Observer) {
    for (happened, event) in [
        (after.passed_end && !before.passed_end, LandingEvent::RunwayEnd),
        (after.bounces > before.bounces, LandingEvent::Bounce),
        (after.veered_off && !before.veered_off, LandingEvent::VeeredOff),
    ] {
        if happened {
            observer.event(time, event);
        }
    }
}
