//! Observes eight landings step by step and builds their outcomes.
//!
//! What happens in every step is counted in lanes; touchdown and end, which happen once, lane by lane. Counts are kept
//! as f64, which holds integers up to 2^53.

use super::body::Bodies;
use super::flights::Flights;
use crate::elementary::hypot;
use crate::lanes::{LANES, Vectorized};
use crate::query::rules::{BOUNCE_TIME, MAX_FORCE, REST_RATE, REST_SPEED, REST_TIME};
use crate::query::{LandingClass, LandingJob, LandingOutcome, LandingPart, Stop, Touchdown, WheelOutcome, WheelState};
use crate::simd::{F64x8, Mask8, Simd, at_full_width};

/// One sub-step of all landings.
struct Advance<'f, 'a, S: Simd> {
    flights: &'f mut Flights<'a, S>,
    records: Option<&'f mut Records<'a, S>>,
}

impl<S: Simd> Vectorized for Advance<'_, '_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.flights.do_substep();
        if let Some(records) = self.records
            && self.flights.stepped.any()
        {
            records.take_in(self.flights);
        }
    }
}

/// One sub-step of all landings, taken down or not.
pub(super) fn advance<'a, S: Simd>(flights: &mut Flights<'a, S>, records: Option<&mut Records<'a, S>>) {
    at_full_width(flights.simd, Advance { flights, records });
}

/// Eight outcomes under construction.
pub(super) struct Records<'a, S: Simd> {
    job: &'a LandingJob,
    bounce_steps: F64x8<S>,
    rest_steps: F64x8<S>,
    /// The number of steps up to the time limit.
    last_step: F64x8<S>,
    /// Lanes whose landings ended by an event, or at the time limit.
    pub ended: Mask8<S>,
    /// The numbers left the finite range.
    invalid: Mask8<S>,
    touchdowns: [Option<Touchdown>; LANES],
    stops: [Option<Stop>; LANES],
    failed_parts: [Option<LandingPart>; LANES],
    pub bounces: F64x8<S>,
    largest_lateral_deviation: F64x8<S>,
    pub passed_end: Mask8<S>,
    runway_end_speed: F64x8<S>,
    pub veered_off: Mask8<S>,
    steps: F64x8<S>,
    steps_in_state: [F64x8<S>; WheelState::ALL.len()],
    force_limit_steps: F64x8<S>,
    contact_steps: F64x8<S>,
    peak_forces: Vec<F64x8<S>>,
    peak_compressions: Vec<F64x8<S>>,
    /// Steps for which all main wheels have been free, and for which the body has been at rest.
    steps_in_air: F64x8<S>,
    steps_at_rest: F64x8<S>,
}

impl<'a, S: Simd> Records<'a, S> {
    pub fn new(simd: S, job: &'a LandingJob) -> Self {
        let (zero, none) = (F64x8::zero(simd), Mask8::none(simd));
        let wheels = job.vehicle.wheels.len();
        let steps_of = |time: f64| zero.like(job.steps_of(time) as f64);
        Self {
            job,
            bounce_steps: steps_of(BOUNCE_TIME),
            rest_steps: steps_of(REST_TIME),
            last_step: steps_of(job.time_limit),
            ended: none,
            invalid: none,
            touchdowns: [None; LANES],
            stops: [None; LANES],
            failed_parts: [None; LANES],
            bounces: zero,
            largest_lateral_deviation: zero,
            passed_end: none,
            runway_end_speed: zero,
            veered_off: none,
            steps: zero,
            steps_in_state: [zero; WheelState::ALL.len()],
            force_limit_steps: zero,
            contact_steps: zero,
            peak_forces: vec![zero; wheels],
            peak_compressions: vec![zero; wheels],
            steps_in_air: zero,
            steps_at_rest: zero,
        }
    }

    /// Prepares a lane for a landing that starts.
    pub fn begin(&mut self, lane: usize) {
        let nothing = Self::new(self.steps.simd(), self.job);
        self.take_over(lane, &nothing, lane);
        self.ended.set(lane, self.last_step.get(lane) == 0.0);
    }

    /// Goes on in a lane with what others have recorded in one of theirs.
    pub fn take_over(&mut self, lane: usize, others: &Self, their_lane: usize) {
        let Self {
            job: _,
            bounce_steps: _,
            rest_steps: _,
            last_step: _,
            ended,
            invalid,
            touchdowns,
            stops,
            failed_parts,
            bounces,
            largest_lateral_deviation,
            passed_end,
            runway_end_speed,
            veered_off,
            steps,
            steps_in_state,
            force_limit_steps,
            contact_steps,
            peak_forces,
            peak_compressions,
            steps_in_air,
            steps_at_rest,
        } = self;
        touchdowns[lane] = others.touchdowns[their_lane];
        stops[lane] = others.stops[their_lane];
        failed_parts[lane] = others.failed_parts[their_lane];
        for (mask, theirs) in [
            (ended, &others.ended),
            (invalid, &others.invalid),
            (passed_end, &others.passed_end),
            (veered_off, &others.veered_off),
        ] {
            mask.set(lane, theirs.get(their_lane));
        }
        let counts = [
            (bounces, &others.bounces),
            (largest_lateral_deviation, &others.largest_lateral_deviation),
            (runway_end_speed, &others.runway_end_speed),
            (steps, &others.steps),
            (force_limit_steps, &others.force_limit_steps),
            (contact_steps, &others.contact_steps),
            (steps_in_air, &others.steps_in_air),
            (steps_at_rest, &others.steps_at_rest),
        ];
        let of_wheels = peak_forces.iter_mut().zip(&others.peak_forces);
        let of_wheels = of_wheels.chain(peak_compressions.iter_mut().zip(&others.peak_compressions));
        let numbers = counts.into_iter().chain(steps_in_state.iter_mut().zip(&others.steps_in_state)).chain(of_wheels);
        for (number, theirs) in numbers {
            number.set(lane, theirs.get(their_lane));
        }
    }

    /// True if the numbers of a lane's landing left the finite range.
    pub fn is_invalid(&self, lane: usize) -> bool {
        self.invalid.get(lane)
    }

    /// The outcome of a lane's landing, as it is when nothing more happens.
    pub fn outcome(&self, lane: usize) -> LandingOutcome {
        let steps = self.steps.get(lane) as u64;
        let nothing = LandingOutcome::invalid(self.job.vehicle.wheels.len(), self.job.step);
        if self.invalid.get(lane) {
            return LandingOutcome { steps, ..nothing };
        }
        let touchdown = self.touchdowns[lane];
        let wheel = |(force, compression): (&F64x8<S>, &F64x8<S>)| WheelOutcome {
            peak_force: force.get(lane),
            peak_compression: compression.get(lane),
        };
        LandingOutcome {
            class: self.class(lane),
            failed_part: self.failed_parts[lane],
            touchdown,
            bounces: self.bounces.get(lane) as u32,
            largest_lateral_deviation: touchdown.map(|_| self.largest_lateral_deviation.get(lane)),
            runway_end_speed: self.passed_end.get(lane).then_some(self.runway_end_speed.get(lane)),
            stop: self.stops[lane],
            steps_in_state: self.steps_in_state.map(|steps| steps.get(lane) as u64),
            force_limit_steps: self.force_limit_steps.get(lane) as u64,
            steps,
            contact_steps: self.contact_steps.get(lane) as u64,
            wheels: self.peak_forces.iter().zip(&self.peak_compressions).map(wheel).collect(),
            ..nothing
        }
    }

    fn class(&self, lane: usize) -> LandingClass {
        match self.failed_parts[lane] {
            Some(LandingPart::Wheel(_)) => LandingClass::WheelBroken,
            Some(LandingPart::Structure(_)) => LandingClass::StructureContact,
            None if self.veered_off.get(lane) => LandingClass::VeeredOff,
            None if self.passed_end.get(lane) => LandingClass::Overran,
            None if self.stops[lane].is_some() => LandingClass::Stopped,
            None => LandingClass::Unfinished,
        }
    }

    /// Records the steps that have just ended.
    #[inline(always)]
    pub fn take_in(&mut self, after: &Flights<'_, S>) {
        let before = &after.before;
        self.steps = after.steps;
        let mut sane = after.bodies.are_sane();
        for (wheels, peak) in after.wheels.iter().zip(&mut self.peak_forces) {
            let force = wheels.force;
            sane = sane & force.dot(force).le(force.x.like(MAX_FORCE * MAX_FORCE)); // false for NaN
            *peak = peak.max(wheels.peak_force);
        }
        let insane = after.stepped & !sane;
        self.invalid = self.invalid | insane;
        self.ended = self.ended | insane | (after.stepped & after.steps.ge(self.last_step));
        let lanes = after.stepped & sane;

        let touching_down = lanes & after.touched & after.touchdown_step.eq(after.steps);
        if touching_down.any() {
            for lane in touching_down.lanes() {
                self.touchdowns[lane] = touchdown(before, after, lane);
            }
        }
        self.take_in_wheels(after);
        self.take_in_runway(after, lanes);
        self.take_in_roll(after, lanes & after.touched);
        self.take_in_failures(after, lanes);
    }

    #[inline(always)]
    fn take_in_wheels(&mut self, after: &Flights<'_, S>) {
        let (stepped, mut touching) = (after.stepped, Mask8::none(self.steps.simd()));
        let rolling = stepped & after.touched;
        for (wheels, peak) in after.wheels.iter().zip(&mut self.peak_compressions) {
            *peak = peak.max(wheels.peak_compression);
            touching = touching | wheels.touching();
            let [broken, free, slipping, standing] = &mut self.steps_in_state;
            *broken = *broken + (wheels.broken & rolling).as_numbers();
            *free = *free + (wheels.free() & rolling).as_numbers();
            *slipping = *slipping + (wheels.slipping & rolling).as_numbers();
            *standing = *standing + (wheels.standing & rolling).as_numbers();
            self.force_limit_steps = self.force_limit_steps + (wheels.over_max_force & stepped).as_numbers();
        }
        self.contact_steps = self.contact_steps + (touching & stepped).as_numbers();
    }

    /// Rolling or airborne: being past the end before touchdown, or from the start on, is an overrun too.
    #[inline(always)]
    fn take_in_runway(&mut self, after: &Flights<'_, S>, lanes: Mask8<S>) {
        let Some(runway) = self.job.scene.runway() else {
            return;
        };
        let end = self.steps.like(runway.end());
        let passes = after.bodies.position.x.gt(end) & lanes & !self.passed_end;
        if passes.any() {
            let velocity = after.bodies.velocity;
            self.runway_end_speed = passes.select(hypot(velocity.x, velocity.y), self.runway_end_speed);
            self.passed_end = self.passed_end | passes;
        }
        let half_width = end.like(0.5 * runway.width);
        let mut beside = lanes & !lanes;
        for wheels in &after.wheels {
            let place = wheels.pebble;
            beside = beside | (wheels.touching() & place.x.le(end) & place.y.abs().gt(half_width));
        }
        self.veered_off = self.veered_off | (beside & lanes & after.touched);
    }

    /// What counts from touchdown on, in the lanes that have touched down.
    #[inline(always)]
    fn take_in_roll(&mut self, after: &Flights<'_, S>, lanes: Mask8<S>) {
        let bodies = &after.bodies;
        let zero = self.steps.like(0.0);
        let lateral = self.largest_lateral_deviation.max(bodies.position.y.abs());
        self.largest_lateral_deviation = lanes.select(lateral, self.largest_lateral_deviation);

        let mut in_air = lanes;
        for (wheel, wheels) in self.job.vehicle.wheels.iter().zip(&after.wheels) {
            if wheel.main {
                in_air = in_air & wheels.free();
            }
        }
        self.steps_in_air = lanes.select(in_air.select(self.steps_in_air + 1.0, zero), self.steps_in_air);
        let bounces = in_air & self.steps_in_air.eq(self.bounce_steps);
        self.bounces = bounces.select(self.bounces + 1.0, self.bounces);

        let slow = bodies.velocity.dot(bodies.velocity).lt(zero.like(REST_SPEED * REST_SPEED));
        let mut at_rest = lanes & slow & bodies.rate.dot(bodies.rate).lt(zero.like(REST_RATE * REST_RATE));
        for lane in at_rest.lanes() {
            at_rest.set(lane, after.stand_on_wheels(lane));
        }
        self.steps_at_rest = lanes.select(at_rest.select(self.steps_at_rest + 1.0, zero), self.steps_at_rest);
        let stops = at_rest & self.steps_at_rest.ge(self.rest_steps);
        if stops.any() {
            for lane in stops.lanes() {
                self.stops[lane] = Some(Stop::new(bodies.position.x.get(lane), self.touchdowns[lane].as_ref()));
            }
            self.ended = self.ended | stops;
        }
    }

    /// A broken wheel or a structural contact ends the landing, whatever else happened.
    #[inline(always)]
    fn take_in_failures(&mut self, after: &Flights<'_, S>, lanes: Mask8<S>) {
        let mut failed = after.has_struck();
        for wheels in &after.wheels {
            failed = failed | wheels.broken;
        }
        let failed = failed & lanes;
        if failed.any() {
            for lane in failed.lanes() {
                let broken = after.wheels.iter().position(|wheels| wheels.broken.get(lane));
                let part =
                    broken.map_or(LandingPart::Structure(after.struck[lane]), |wheel| LandingPart::Wheel(wheel as u32));
                self.failed_parts[lane] = Some(part);
            }
            self.ended = self.ended | failed;
        }
    }
}

/// The touchdown of a lane's landing: the motion before the step, and the rearmost of the main wheels that touch.
fn touchdown<S: Simd>(before: &Bodies<S>, after: &Flights<'_, S>, lane: usize) -> Option<Touchdown> {
    let mains = after.job.vehicle.wheels.iter().zip(&after.wheels).filter(|(wheel, _)| wheel.main);
    let places = mains.map(|(_, wheels)| wheels).filter(|wheels| !wheels.free().get(lane)).map(|wheels| {
        let place = if wheels.broken.get(lane) { wheels.application } else { wheels.pebble };
        place.x.get(lane)
    });
    let before = before.get(lane);
    Some(Touchdown {
        distance: places.min_by(f64::total_cmp)?,
        center_of_gravity: before.position.x,
        lateral: before.position.y,
        sink_rate: after.job.scene.ground_plane().sink_rate(before.velocity),
        ground_speed: before.ground_speed(),
        pitch: before.pitch(),
        bank: before.bank(),
        crab: before.crab(),
    })
}
