//! Eight landings in progress, step by step.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]. In each step pilots, air and engines see the bodies in its middle; the gear then
//! moves them, in sub-steps if a wheel touches; the structure is swept from the old poses to the new ones; the end of
//! the step is evaluated last.
//!
//! All landings make one sub-step of the gear at a time. For most that is a step; the few whose wheels need many take
//! longer over a step, and the others do not wait for them. A lane is independent of the others, so the outcome of a
//! landing does not depend on its neighbours.

use glam::{DVec2, DVec3};

use super::aerodynamics::{Flow, air_loads, wings_above_ground};
use super::air::Gusts;
use super::airframe::{Airframes, Flying, Programs};
use super::body::{Accelerations, Bodies, Loads, Masses};
use super::gear::{FirstTouches, Footholds, MovingFrames, Pushes, Substep};
use super::gear_watch::GearWatch;
use super::ground::heights;
use super::ground_reactions::{Contacts, Moment, settle_friction};
use super::pilot::{Controls, PilotStates, Pilots, Plans};
use super::structure::StructureWatch;
use crate::flight::LandingPlan;
use crate::lanes::LANES;
use crate::native::ground_query::{Ground, NO_NUMBER, numbers};
use crate::native::index::SceneIndex;
use crate::native::rotation::Quaternions;
use crate::native::surface::NONE;
use crate::native::wheel::{Frames, Wheels};
use crate::query::{Input, LandingInputs, LandingJob, LandingState, stands_on};
use crate::scene::GroundPlane;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};
use crate::vehicle::{GearSubsteps, GroundReactions, Pilot, Wheel};

/// Eight landings.
pub(super) struct Flights<'a, S: Simd> {
    pub simd: S,
    pub job: &'a LandingJob,
    ground: Ground<'a>,
    /// Reference plane of heights, and its pitch angle \[rad\].
    plane: GroundPlane,
    level: f64,
    /// Lanes with a landing in progress.
    pub lanes: Mask8<S>,
    plans: Plans<S>,
    masses: Masses<S>,
    structure: StructureWatch<'a, S>,
    gear_watch: GearWatch<S>,
    /// Number of steps completed.
    pub steps: F64x8<S>,
    pub bodies: Bodies<S>,
    /// Of the last sub-step of the gear.
    accelerations: Accelerations<S>,
    /// The vehicle's wheels, one after another.
    pub wheels: Vec<Wheels<S>>,
    /// Their gear states within a step.
    footholds: Vec<Footholds<S>>,
    /// Those that get into contact in the sub-step under way, and their loads.
    touches: Vec<(usize, FirstTouches<S>, Loads<S>)>,
    /// Points of contact by JSBSim's ground reactions; empty with pebbles.
    contacts: Vec<Contacts<S>>,
    /// Number of sub-steps of a step in which a wheel touches.
    gear_substeps: GearSubsteps,
    /// Where the step under way began.
    pub before: Bodies<S>,
    /// What works on the bodies throughout it, beside the wheels.
    held: Loads<S>,
    /// Its sub-steps, and those of them that are still to do.
    substeps: F64x8<S>,
    left: F64x8<S>,
    /// Lanes in which a step has just ended.
    pub stepped: Mask8<S>,
    pilot_states: PilotStates<S>,
    gusts: Gusts<S>,
    airframes: Airframes<'a, S>,
    /// Where a main wheel has touched, and the step in which it did.
    pub touched: Mask8<S>,
    pub touchdown_step: F64x8<S>,
    /// The structural points that met the scene in the last step, or [`NONE`].
    pub struck: [u32; LANES],
    pub controls: Controls<S>,
}

impl<'a, S: Simd> Flights<'a, S> {
    pub fn new(simd: S, job: &'a LandingJob, index: &'a SceneIndex, programs: Option<&'a Programs<'a>>) -> Self {
        let plane = job.scene.ground_plane();
        Self {
            simd,
            job,
            ground: Ground::new(index),
            plane,
            level: plane.pitch(),
            lanes: Mask8::none(simd),
            plans: Plans::none(simd),
            masses: Masses::zero(simd),
            structure: StructureWatch::new(simd, &job.vehicle.structure),
            gear_watch: GearWatch::new(simd, &job.vehicle.wheels),
            steps: F64x8::zero(simd),
            bodies: Bodies::at_rest(simd),
            accelerations: Accelerations::none(simd),
            wheels: vec![Wheels::in_air(simd); job.vehicle.wheels.len()],
            footholds: vec![Footholds::none(simd); job.vehicle.wheels.len()],
            touches: Vec::with_capacity(job.vehicle.wheels.len()),
            contacts: match job.vehicle.ground_reactions {
                GroundReactions::Pebble => Vec::new(),
                GroundReactions::Jsbsim => vec![Contacts::none(simd); job.vehicle.wheels.len()],
            },
            gear_substeps: job.vehicle.gear_substeps(job.step),
            before: Bodies::at_rest(simd),
            held: Loads::zero(simd),
            substeps: F64x8::splat(simd, 1.0),
            left: F64x8::zero(simd),
            stepped: Mask8::none(simd),
            pilot_states: PilotStates::none(simd),
            gusts: Gusts::none(simd),
            airframes: Airframes::new(simd, programs),
            touched: Mask8::none(simd),
            touchdown_step: F64x8::zero(simd),
            struck: [NONE; LANES],
            controls: Controls::none(simd),
        }
    }

    /// Puts a landing with valid inputs and their plan into a lane, in this state.
    pub fn board(&mut self, lane: usize, inputs: &LandingInputs, plan: &LandingPlan, state: &LandingState) {
        let LandingState { step, motion, acceleration, wheels, pilot, gusts, airframe, touchdown_step, struck } = state;
        self.plans.set(lane, inputs, plan);
        self.masses.set(lane, &self.job.vehicle, inputs.get(Input::Mass));
        self.structure.forget(lane);
        self.gear_watch.forget(lane);
        self.steps.set(lane, *step as f64);
        self.bodies.set(lane, motion);
        self.accelerations.set(lane, acceleration);
        for (lanes, wheel) in self.wheels.iter_mut().zip(wheels) {
            lanes.set(lane, wheel, &self.ground);
        }
        self.pilot_states.set(lane, pilot);
        self.gusts.set(lane, gusts);
        self.airframes.set(lane, airframe, self.plans.atmospheres[lane], inputs);
        self.touched.set(lane, touchdown_step.is_some());
        self.touchdown_step.set(lane, touchdown_step.map_or(0.0, |step| step as f64));
        self.struck[lane] = struck.unwrap_or(NONE);
        self.left.set(lane, 0.0);
        self.lanes.set(lane, true);
    }

    /// Where a structural point has met the scene in the last step.
    #[inline(always)]
    pub fn has_struck(&self) -> Mask8<S> {
        let points = numbers(self.simd, self.struck);
        !points.eq(points.like(NO_NUMBER))
    }

    /// Whether the landing in a lane can stand on the wheels that touch.
    pub fn stand_on_wheels(&self, lane: usize) -> bool {
        let pebbles = self.wheels.iter().map(|wheels| {
            wheels.touching().get(lane).then(|| DVec2::new(wheels.pebble.x.get(lane), wheels.pebble.y.get(lane)))
        });
        let centre = DVec2::new(self.bodies.position.x.get(lane), self.bodies.position.y.get(lane));
        stands_on(centre, pebbles)
    }

    /// Takes the landing out of a lane.
    pub fn leave(&mut self, lane: usize) {
        self.lanes.set(lane, false);
    }

    /// The state of a lane's landing.
    pub fn state(&self, lane: usize) -> LandingState {
        LandingState {
            step: self.steps.get(lane) as u64,
            motion: self.bodies.get(lane),
            acceleration: self.accelerations.get(lane),
            wheels: self.wheels.iter().map(|wheels| wheels.get(lane)).collect(),
            pilot: self.pilot_states.get(lane),
            gusts: self.gusts.get(lane),
            touchdown_step: self.touched.get(lane).then_some(self.touchdown_step.get(lane) as u64),
            airframe: self.airframes.kept(lane),
            struck: (self.struck[lane] != NONE).then_some(self.struck[lane]),
        }
    }

    /// Lanes between two steps start the next one.
    #[inline(always)]
    pub fn do_substep(&mut self) {
        let begins = self.lanes & self.left.eq(self.left.like(0.0));
        let mut middle = self.bodies;
        if begins.any() {
            middle = self.begin_step(begins);
        }
        // A step of one sub-step has its middle.
        if (self.lanes & !self.substeps.eq(self.substeps.like(1.0))).any() {
            middle = self.bodies.ahead(0.5 * (self.job.step / self.substeps), &self.accelerations);
        }
        match self.job.vehicle.ground_reactions {
            GroundReactions::Pebble => self.advance_gear(&middle),
            GroundReactions::Jsbsim => self.advance_on_contacts(&middle),
        }
        self.left = self.left - 1.0;
        self.stepped = self.lanes & self.left.eq(self.left.like(0.0));
        if self.stepped.any() {
            self.end_step(self.stepped);
        }
    }

    /// Sees what the pilots do, and what air, engines and wheels are about, in lanes that begin a step; gives the bodies in
    /// its middle.
    #[inline(always)]
    fn begin_step(&mut self, lanes: Mask8<S>) -> Bodies<S> {
        let job = self.job;
        // Mostly all lanes begin, and nothing of the others has to be kept.
        let all = !(!lanes).any();
        self.before = if all { self.bodies } else { self.bodies.or(lanes, &self.before) };
        let middle = self.bodies.ahead(self.steps.like(0.5 * job.step), &self.accelerations);
        let time = (self.steps + 0.5) * job.step;
        let air = self.plans.airs.at(&job.weather, heights(self.plane, &middle), time, &self.gusts);
        let pilots = Pilots {
            vehicle: &job.vehicle,
            step: job.step,
            plane: self.plane,
            level: self.level,
            plans: &self.plans,
            bodies: &middle,
            air,
            on_ground: self.touched,
            since: (self.steps - self.touchdown_step).max(F64x8::zero(self.simd)),
        };
        let mut pilot_states = self.pilot_states;
        let controls = pilots.controls(&mut pilot_states);
        self.pilot_states = if all { pilot_states } else { pilot_states.or(lanes, &self.pilot_states) };
        let held = self.held_loads(&middle, air, &controls, lanes);
        self.held = if all { held } else { held.or(lanes, &self.held) };
        self.controls = if all { controls } else { controls.or(lanes, &self.controls) };
        let substeps = self.look(&middle, lanes);
        self.substeps = lanes.select(substeps, self.substeps);
        self.left = lanes.select(substeps, self.left);
        middle
    }

    /// Number of sub-steps of the gear, in lanes that start a step.
    #[inline(always)]
    fn look(&mut self, middle: &Bodies<S>, lanes: Mask8<S>) -> F64x8<S> {
        let (job, accelerations, controls) = (self.job, &self.accelerations, &self.controls);
        let rate = middle.to_world.times(middle.rate);
        let (mut touches, mut lively) = (Mask8::none(self.simd), Mask8::none(self.simd));
        let mut hang = Mask8::none(self.simd);
        for wheels in &self.wheels {
            hang = hang | (wheels.free() & lanes);
        }
        let mut speeds = [self.steps.like(0.0); 2];
        if hang.any() {
            self.gear_watch.follow(middle, lanes);
            speeds = [middle.velocity.length(), middle.rate.length()];
        }
        let gear = job.vehicle.wheels.iter().zip(&mut self.wheels).zip(&mut self.footholds);
        for (index, ((wheel, wheels), footholds)) in gear.enumerate() {
            footholds.begin(wheels, lanes);
            if job.vehicle.ground_reactions == GroundReactions::Jsbsim {
                let [down, moving] = footholds.look_for_contacts(wheels, &self.ground, wheel, middle, job.step, lanes);
                (touches, lively) = (touches | down, lively | moving);
                continue;
            }
            touches = touches | wheels.touching();
            lively = lively | Footholds::lively(wheels, middle, rate);
            let mut free = wheels.free() & lanes;
            if free.any() {
                free = free & !self.gear_watch.clear(index, &self.ground.finder, middle, speeds, job.step, free);
            }
            if free.any() {
                let pilot = &job.vehicle.pilot;
                let frames = moving_frames((wheel, wheels), &self.ground, middle, accelerations, controls, pilot);
                let (ground, parameters) = (&self.ground, &wheel.parameters);
                lively = lively | footholds.look_down(wheels, ground, parameters, &frames, job.step, free);
            }
        }
        let count = |substeps: u32| self.steps.like(f64::from(substeps));
        let substeps = self.gear_substeps;
        lively.select(count(substeps.lively), touches.select(count(substeps.calm), count(1)))
    }

    /// Moves the bodies, which are there in the middle of the sub-step, under loads that hold, and under the wheels'.
    #[inline(always)]
    fn advance_gear(&mut self, middle: &Bodies<S>) {
        let job = self.job;
        let length = job.step / self.substeps;
        let substep = Substep { length, lanes: self.lanes, is_last: self.left.eq(self.left.like(1.0)) };
        let gravity = DVec3x8::splat(self.simd, DVec3::new(0.0, 0.0, -job.gravity));
        // What works in the sub-step, and what works at its end: not the same where a wheel has just touched.
        let (mut mean, mut last) = (self.held, self.held);
        let mut differ = Mask8::none(self.simd);
        self.touches.clear();
        let gear = job.vehicle.wheels.iter().zip(&mut self.wheels).zip(&mut self.footholds);
        for (index, ((wheel, wheels), footholds)) in gear.enumerate() {
            let mut pushes = Pushes::none(length);
            if (footholds.may_push(wheels) & self.lanes).any() {
                let (accelerations, controls, pilot) = (&self.accelerations, &self.controls, &job.vehicle.pilot);
                let frames = moving_frames((wheel, wheels), &self.ground, middle, accelerations, controls, pilot);
                let scale = self.plans.friction_scale;
                pushes = footholds.advance(wheels, &self.ground, &wheel.parameters, &frames, scale, substep);
            } else {
                Footholds::hang(wheels, middle.at(DVec3x8::splat(self.simd, wheel.position)));
            }
            let Pushes { share, shift, touches } = pushes;
            let force = middle.to_world.transposed_times(wheels.force);
            let arm = middle.to_world.transposed_times(wheels.application - shift - middle.position);
            let load = Loads { force, moment: arm.cross(force) };
            mean = mean + load * share;
            last = last + load;
            differ = differ | !share.eq(share.like(1.0));
            if touches.happen.any() {
                self.touches.push((index, touches, load));
            }
        }
        for (index, touches, _) in &self.touches {
            let wheel = &job.vehicle.wheels[*index];
            let place = DVec3x8::splat(self.simd, wheel.position);
            let change = middle.push_at(place, &self.masses, self.pushed_before(touches.share)) * length;
            touches.record(&mut self.wheels[*index], &wheel.parameters, change);
        }
        let worked = middle.acceleration(&self.masses, gravity, mean);
        let pushed = Bodies {
            velocity: self.bodies.velocity + worked.linear * length,
            rate: self.bodies.rate + worked.angular * length,
            ..*middle
        };
        self.bodies = pushed.drifted(0.5 * length);
        self.accelerations = if differ.any() { middle.acceleration(&self.masses, gravity, last) } else { worked };
    }

    /// The same by JSBSim's ground reactions.
    #[inline(always)]
    fn advance_on_contacts(&mut self, middle: &Bodies<S>) {
        let job = self.job;
        let length = job.step / self.substeps;
        let gravity = DVec3x8::splat(self.simd, DVec3::new(0.0, 0.0, -job.gravity));
        let moment = Moment {
            ground: &self.ground,
            controls: &self.controls,
            friction_scale: self.plans.friction_scale,
            start: &self.bodies,
            middle,
            length,
            lanes: self.lanes,
        };
        let mut load = self.held;
        let gear = job.vehicle.wheels.iter().zip(&mut self.wheels).zip(&self.footholds);
        for (((wheel, wheels), footholds), contacts) in gear.zip(&mut self.contacts) {
            contacts.press(wheels, &footholds.planes, wheel, &moment);
            if contacts.happen.any() {
                load = contacts.pushed(load);
            }
        }
        let unhindered = middle.acceleration(&self.masses, gravity, load);
        settle_friction(&mut self.contacts, &self.masses, &moment, &unhindered);
        for (wheels, contacts) in self.wheels.iter_mut().zip(&self.contacts) {
            if contacts.happen.any() {
                load = contacts.held_back(load);
                contacts.take_in(wheels, middle);
            }
        }
        let worked = middle.acceleration(&self.masses, gravity, load);
        let pushed = Bodies {
            velocity: self.bodies.velocity + worked.linear * length,
            rate: self.bodies.rate + worked.angular * length,
            ..*middle
        };
        self.bodies = pushed.drifted(0.5 * length);
        self.accelerations = worked;
    }

    /// What the wheels that get into contact in a sub-step give the bodies before those that work for these shares of it do:
    /// loads times the shares of the sub-step in between.
    #[inline(always)]
    fn pushed_before(&self, share: F64x8<S>) -> Loads<S> {
        let (mut pushed, zero) = (Loads::zero(self.simd), share.like(0.0));
        for (_, touches, load) in &self.touches {
            let earlier = pushed + *load * (touches.share - share).max(zero);
            pushed = earlier.or(touches.happen, &pushed);
        }
        pushed
    }

    /// Sweeps the structure along the step, and takes down what has touched, in lanes that end it.
    #[inline(always)]
    fn end_step(&mut self, lanes: Mask8<S>) {
        self.gusts = self.plans.airs.after(&self.gusts, self.steps, lanes);
        self.steps = lanes.select(self.steps + 1.0, self.steps);
        self.struck = self.structure.sweep(&self.ground.finder, &self.before, &self.bodies, lanes);
        let touches = lanes & self.main_wheels_touch() & !self.touched;
        self.touchdown_step = touches.select(self.steps, self.touchdown_step);
        self.touched = self.touched | touches;
    }

    /// What works throughout a step beside the wheels: air and engines.
    #[inline(always)]
    fn held_loads(&mut self, bodies: &Bodies<S>, air: DVec3x8<S>, controls: &Controls<S>, lanes: Mask8<S>) -> Loads<S> {
        if self.job.vehicle.airframe.is_none() {
            return self.air_loads(bodies, air, controls) + self.engine_loads(controls);
        }
        let flying = Flying {
            bodies,
            air,
            air_rate: self.gusts.rotation(),
            acceleration: self.accelerations.linear,
            height: heights(self.plane, bodies),
            controls,
            on_ground: self.touched,
        };
        self.airframes.step(&flying, lanes)
    }

    #[inline(always)]
    fn air_loads(&self, bodies: &Bodies<S>, air: DVec3x8<S>, controls: &Controls<S>) -> Loads<S> {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return Loads::zero(self.simd);
        };
        let flow = Flow {
            velocity: bodies.to_world.transposed_times(bodies.velocity - air),
            rate: bodies.rate - self.gusts.rotation(),
            density: self.plans.air_density,
            wing_height: wings_above_ground(aerodynamics, heights(self.plane, bodies), bodies.to_world.z_axis),
        };
        air_loads(aerodynamics, &flow, controls)
    }

    #[inline(always)]
    fn engine_loads(&self, controls: &Controls<S>) -> Loads<S> {
        let thrust = controls.thrust;
        // Zeros with the sign that products with zero have.
        let across = 0.0 * thrust;
        let pitching = self.job.vehicle.thrust.line * thrust;
        Loads {
            force: DVec3x8::new(thrust, across, across),
            moment: DVec3x8::new(0.0 * pitching, pitching, 0.0 * pitching),
        }
    }

    /// Also true of a broken wheel.
    #[inline(always)]
    fn main_wheels_touch(&self) -> Mask8<S> {
        let mut touch = Mask8::none(self.simd);
        for (wheel, wheels) in self.job.vehicle.wheels.iter().zip(&self.wheels) {
            if wheel.main {
                touch = touch | !wheels.free();
            }
        }
        touch
    }
}

/// A wheel's frames, and how they move on.
#[inline(always)]
fn moving_frames<S: Simd>(
    (wheel, last): (&Wheel, &Wheels<S>),
    ground: &Ground<'_>,
    bodies: &Bodies<S>,
    accelerations: &Accelerations<S>,
    controls: &Controls<S>,
    pilot: &Pilot,
) -> MovingFrames<S> {
    let place = DVec3x8::splat(controls.brake.simd(), wheel.position);
    MovingFrames::new(bodies, accelerations, place, frames(wheel, last, ground, bodies, controls, pilot.anti_skid))
}

/// A wheel's frames as the bodies carry, the pilots steer and the anti-skid brakes it.
#[inline(always)]
fn frames<S: Simd>(
    wheel: &Wheel,
    last: &Wheels<S>,
    ground: &Ground<'_>,
    bodies: &Bodies<S>,
    controls: &Controls<S>,
    anti_skid: f64,
) -> Frames<S> {
    let place = DVec3x8::splat(controls.brake.simd(), wheel.position);
    let mut to_world = bodies.to_world;
    // Most wheels are fixed: a rotation by zero need not be computed.
    if wheel.steering != 0.0 {
        let limit = wheel.steering * controls.steering_authority;
        let angle = controls.steering.clamp(-limit, limit);
        let steered = bodies.orientation.after(Quaternions::about_z(angle)).matrices();
        to_world = steered.unless(angle.eq(angle.like(0.0)), &to_world);
    }
    let velocity = bodies.velocity_at(place);
    let (brake, brake_friction) = if anti_skid == 0.0 || wheel.brake.is_infinite() {
        asked_of_brakes(wheel, controls.brake)
    } else {
        let resistance = last.rolling_resistance(ground, &wheel.parameters, velocity);
        spared_by_anti_skid(last, resistance, anti_skid, asked_of_brakes(wheel, controls.brake))
    };
    Frames { origin: bodies.at(place), to_world, velocity, brake, brake_friction }
}

/// B of a wheel without load \[N\], and what each newton of load adds to it \[1\], as the pedals ask for them.
#[inline(always)]
fn asked_of_brakes<S: Simd>(wheel: &Wheel, pedal: F64x8<S>) -> (F64x8<S>, F64x8<S>) {
    if wheel.brake.is_infinite() {
        return (pedal.like(wheel.brake), pedal.like(0.0));
    }
    (wheel.brake * pedal, wheel.brake_friction * pedal)
}

/// Anti-skid: the sum of brake and rolling resistance \[1\] stays below the friction of the previous step, so that the
/// wheel keeps rolling and retains lateral grip.
#[inline(always)]
fn spared_by_anti_skid<S: Simd>(
    last: &Wheels<S>,
    resistance: F64x8<S>,
    anti_skid: f64,
    (asked, asked_per_load): (F64x8<S>, F64x8<S>),
) -> (F64x8<S>, F64x8<S>) {
    let share = (anti_skid * last.friction - resistance).max(resistance.like(0.0));
    (asked.min(share * last.normal_force), asked_per_load.min(share))
}
