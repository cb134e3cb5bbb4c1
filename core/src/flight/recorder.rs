//! Observes a landing step by step and builds its outcome.

use crate::query::rules::{BOUNCE_TIME, MAX_FORCE, REST_RATE, REST_SPEED, REST_TIME};
use crate::query::{
    LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingPart, LandingState, Motion, Observer,
    Stop, Touchdown, WheelState, WheelStep, WheelWatch, stands_on,
};

/// The outcome of a landing from its states, whichever engine computed them: the first is the start, each further one
/// is a step later and has all wheels of the vehicle. States beyond the recorded end are ignored.
#[must_use]
pub fn recorded_landing(job: &LandingJob, inputs: &LandingInputs, states: &[LandingState]) -> LandingOutcome {
    if LandingState::start(job, inputs).is_err() {
        return LandingOutcome::invalid(job.vehicle.wheels.len(), job.step);
    }
    let mut recorder = Recorder::new(job);
    for (before, after) in states.iter().zip(states.iter().skip(1)) {
        recorder.record(&before.motion, after, &mut ());
        if recorder.has_ended() {
            break;
        }
    }
    recorder.finish(&mut ())
}

/// The outcome under construction.
pub(crate) struct Recorder<'a> {
    job: &'a LandingJob,
    outcome: LandingOutcome,
    wheels: WheelWatch,
    was_over_limit: Vec<bool>,
    /// Steps for which all main wheels have been free, and for which the body has been at rest.
    steps_in_air: u64,
    steps_at_rest: u64,
    veered_off: bool,
    ended: bool,
}

impl<'a> Recorder<'a> {
    pub fn new(job: &'a LandingJob) -> Self {
        let wheels = job.vehicle.wheels.len();
        Self {
            job,
            outcome: LandingOutcome { class: LandingClass::Unfinished, ..LandingOutcome::invalid(wheels, job.step) },
            wheels: WheelWatch::new(job),
            was_over_limit: vec![false; wheels],
            steps_in_air: 0,
            steps_at_rest: 0,
            veered_off: false,
            ended: false,
        }
    }

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Records a step from the motion `before` to the state `after` it.
    pub fn record<O: Observer + ?Sized>(&mut self, before: &Motion, after: &LandingState, observer: &mut O) {
        self.outcome.steps = after.step;
        // Squares, which need no root in a step; false for NaN.
        let sane_forces = after.wheels.iter().all(|step| step.force.length_squared() <= MAX_FORCE * MAX_FORCE);
        if !after.motion.is_sane() || !sane_forces {
            self.outcome =
                LandingOutcome { steps: after.step, ..LandingOutcome::invalid(after.wheels.len(), self.job.step) };
            self.ended = true;
            return;
        }
        if after.touchdown_step == Some(after.step) {
            self.record_touchdown(before, &after.wheels, observer);
        }
        self.record_wheels(after, observer);
        self.record_runway_end(&after.motion, observer);
        if after.touchdown_step.is_some() {
            self.record_roll(after, observer);
        }
        self.record_failure(after);
    }

    /// Sets the class and returns the outcome.
    pub fn finish<O: Observer + ?Sized>(mut self, observer: &mut O) -> LandingOutcome {
        let outcome = &mut self.outcome;
        // Failures have set the class already; the remaining classes depend on where and whether it stopped.
        if matches!(outcome.class, LandingClass::Unfinished) {
            outcome.class = if self.veered_off {
                LandingClass::VeeredOff
            } else if outcome.runway_end_speed.is_some() {
                LandingClass::Overran
            } else if outcome.stop.is_some() {
                LandingClass::Stopped
            } else {
                LandingClass::Unfinished
            };
        }
        let class = outcome.class;
        observer.event(self.time(), LandingEvent::End(class));
        self.outcome
    }

    fn time(&self) -> f64 {
        self.job.time_after(self.outcome.steps)
    }

    fn record_touchdown<O: Observer + ?Sized>(&mut self, before: &Motion, wheels: &[WheelStep], observer: &mut O) {
        let mains = self.job.vehicle.wheels.iter().zip(wheels).filter(|(wheel, _)| wheel.main);
        let touching = mains.map(|(_, step)| step).filter(|step| step.contact.state != WheelState::Free);
        // If several touch in one step, the rearmost: the order of the wheels must not matter.
        let Some(distance) = touching.map(contact_distance).min_by(f64::total_cmp) else {
            return;
        };
        self.outcome.touchdown = Some(Touchdown {
            distance,
            center_of_gravity: before.position.x,
            lateral: before.position.y,
            sink_rate: self.job.scene.ground_plane().sink_rate(before.velocity),
            ground_speed: before.ground_speed(),
            pitch: before.pitch(),
            bank: before.bank(),
            crab: before.crab(),
        });
        observer.event(self.time(), LandingEvent::Touchdown);
    }

    fn record_wheels<O: Observer + ?Sized>(&mut self, after: &LandingState, observer: &mut O) {
        let time = self.time();
        let mut any_touches = false;
        for (index, step) in after.wheels.iter().enumerate() {
            let touches = step.contact.touches();
            any_touches |= touches;
            let worst = &mut self.outcome.wheels[index];
            worst.peak_force = worst.peak_force.max(step.peak_force);
            worst.peak_compression = worst.peak_compression.max(step.peak_compression);
            if after.touchdown_step.is_some() {
                self.outcome.steps_in_state[step.contact.state as usize] += 1;
            }
            if let Some(event) = self.wheels.look(index, touches) {
                observer.event(time, event);
            }
            if step.over_max_force {
                self.outcome.force_limit_steps += 1;
                if !self.was_over_limit[index] {
                    self.was_over_limit[index] = true;
                    observer.event(time, LandingEvent::ForceLimit(index));
                }
            }
        }
        self.outcome.contact_steps += u64::from(any_touches);
    }

    fn record_roll<O: Observer + ?Sized>(&mut self, after: &LandingState, observer: &mut O) {
        let lateral = after.motion.position.y.abs();
        self.outcome.largest_lateral_deviation =
            Some(self.outcome.largest_lateral_deviation.map_or(lateral, |largest| largest.max(lateral)));
        self.record_bounce(&after.wheels, observer);
        self.record_runway_side(&after.wheels, observer);
        self.record_rest(after);
    }

    fn record_bounce<O: Observer + ?Sized>(&mut self, wheels: &[WheelStep], observer: &mut O) {
        let mut mains = self.job.vehicle.wheels.iter().zip(wheels).filter(|(wheel, _)| wheel.main);
        if !mains.all(|(_, step)| step.contact.state == WheelState::Free) {
            self.steps_in_air = 0;
            return;
        }
        self.steps_in_air += 1;
        if self.steps_in_air == self.job.steps_of(BOUNCE_TIME) {
            self.outcome.bounces += 1;
            observer.event(self.time(), LandingEvent::Bounce);
        }
    }

    /// Rolling or airborne: being past the end before touchdown, or from the start on, is an overrun too.
    fn record_runway_end<O: Observer + ?Sized>(&mut self, after: &Motion, observer: &mut O) {
        let Some(runway) = self.job.scene.runway() else {
            return;
        };
        let first = self.outcome.runway_end_speed.is_none();
        if first && after.position.x > runway.end() {
            self.outcome.runway_end_speed = Some(after.ground_speed());
            observer.event(self.time(), LandingEvent::RunwayEnd);
        }
    }

    fn record_runway_side<O: Observer + ?Sized>(&mut self, wheels: &[WheelStep], observer: &mut O) {
        let Some(runway) = self.job.scene.runway() else {
            return;
        };
        let beside = |step: &WheelStep| {
            let pebble = step.contact.pebble;
            step.contact.touches() && pebble.x <= runway.end() && runway.is_beside(pebble.y)
        };
        if !self.veered_off && wheels.iter().any(beside) {
            self.veered_off = true;
            observer.event(self.time(), LandingEvent::VeeredOff);
        }
    }

    fn record_rest(&mut self, after: &LandingState) {
        let motion = &after.motion;
        let pebbles = after.wheels.iter().map(|step| step.contact.touches().then_some(step.contact.pebble.truncate()));
        let at_rest = motion.velocity.length_squared() < REST_SPEED * REST_SPEED
            && motion.rate.length_squared() < REST_RATE * REST_RATE
            && stands_on(motion.position.truncate(), pebbles);
        self.steps_at_rest = if at_rest { self.steps_at_rest + 1 } else { 0 };
        if self.steps_at_rest >= self.job.steps_of(REST_TIME) {
            self.outcome.stop = Some(Stop::new(motion.position.x, self.outcome.touchdown.as_ref()));
            self.ended = true;
        }
    }

    /// A broken wheel or a structural contact ends the landing, whatever else happened.
    fn record_failure(&mut self, after: &LandingState) {
        let broken = after.wheels.iter().position(|step| step.contact.state == WheelState::Broken);
        let (class, part) = match (broken, after.struck) {
            (Some(wheel), _) => (LandingClass::WheelBroken, LandingPart::Wheel(wheel as u32)),
            (None, Some(point)) => (LandingClass::StructureContact, LandingPart::Structure(point)),
            (None, None) => return,
        };
        self.outcome.class = class;
        self.outcome.failed_part = Some(part);
        self.ended = true;
    }
}

/// Position of a touching or broken wheel along the runway \[m\].
fn contact_distance(step: &WheelStep) -> f64 {
    let broken = step.contact.state == WheelState::Broken;
    if broken { step.application.x } else { step.contact.pebble.x }
}
