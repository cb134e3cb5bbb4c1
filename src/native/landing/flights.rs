//! Eight landings under way, step by step, semi-implicit Euler.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]. In each step pilots, wheels and air see the state at its start; the new speeds
//! then move the bodies; the structure is swept from the old poses to the new ones; the step's end is judged last.
//! A lane holds nothing of the others, so what comes out of a landing does not depend on its neighbours.

use glam::DVec3;

use super::air::{Flow, air_loads};
use super::body::{Bodies, Loads, Masses};
use super::gusts::Gusts;
use super::pilot::{Controls, Memories, Pilots, Plans};
use super::record::Records;
use super::structure::StructureWatch;
use crate::lanes::{LANES, Vectorized};
use crate::native::index::SceneIndex;
use crate::native::rotation::Quaternions;
use crate::native::surface::NONE;
use crate::native::underfoot::{Ground, NO_NUMBER, numbers};
use crate::native::wheel::{Frames, Wheels};
use crate::query::{Input, LandingInputs, LandingJob, LandingState};
use crate::vehicle::Wheel;
use crate::wide::{Eight, Truth, Wide, Wide3, at_full_width};

/// Eight landings.
pub(super) struct Flights<'a, S: Eight> {
    simd: S,
    pub job: &'a LandingJob,
    ground: Ground<'a>,
    /// Lanes in which a landing is under way.
    pub lanes: Truth<S>,
    plans: Plans<S>,
    masses: Masses<S>,
    structure: StructureWatch<'a, S>,
    /// Steps done.
    pub steps: Wide<S>,
    pub bodies: Bodies<S>,
    /// The vehicle's wheels, one after another.
    pub wheels: Vec<Wheels<S>>,
    memories: Memories<S>,
    gusts: Gusts<S>,
    /// Where a main wheel has touched, and the step in which it did.
    pub touched: Truth<S>,
    pub touchdown_step: Wide<S>,
    /// The structural points that met the scene in the last step, or [`NONE`].
    pub struck: [u32; LANES],
    pub controls: Controls<S>,
}

/// One step of all landings.
struct Step<'f, 'a, S: Eight> {
    flights: &'f mut Flights<'a, S>,
    records: Option<&'f mut Records<'a, S>>,
}

impl<S: Eight> Vectorized for Step<'_, '_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let before = self.flights.advance();
        if let Some(records) = self.records {
            records.take_in(&before, self.flights);
        }
    }
}

impl<'a, S: Eight> Flights<'a, S> {
    pub fn new(simd: S, job: &'a LandingJob, index: &'a SceneIndex) -> Self {
        Self {
            simd,
            job,
            ground: Ground::new(index),
            lanes: Truth::none(simd),
            plans: Plans::none(simd),
            masses: Masses::zero(simd),
            structure: StructureWatch::new(simd, &job.vehicle.structure),
            steps: Wide::zero(simd),
            bodies: Bodies::at_rest(simd),
            wheels: vec![Wheels::in_air(simd); job.vehicle.wheels.len()],
            memories: Memories::none(simd),
            gusts: Gusts::none(simd),
            touched: Truth::none(simd),
            touchdown_step: Wide::zero(simd),
            struck: [NONE; LANES],
            controls: Controls::none(simd),
        }
    }

    /// Puts a landing with valid inputs into a lane, in this state.
    pub fn board(&mut self, lane: usize, inputs: &LandingInputs, state: &LandingState) {
        let LandingState { step, motion, wheels, pilot, gusts, touchdown_step, struck } = state;
        self.plans.set(lane, self.job, inputs);
        self.masses.set(lane, &self.job.vehicle, inputs.get(Input::Mass));
        self.structure.forget(lane);
        self.steps.set(lane, *step as f64);
        self.bodies.set(lane, motion);
        for (lanes, wheel) in self.wheels.iter_mut().zip(wheels) {
            lanes.set(lane, wheel, &self.ground);
        }
        self.memories.set(lane, pilot);
        self.gusts.set(lane, gusts);
        self.touched.set(lane, touchdown_step.is_some());
        self.touchdown_step.set(lane, touchdown_step.map_or(0.0, |step| step as f64));
        self.struck[lane] = struck.unwrap_or(NONE);
        self.lanes.set(lane, true);
    }

    /// Where a structural point has met the scene in the last step.
    #[inline(always)]
    pub fn has_struck(&self) -> Truth<S> {
        let points = numbers(self.simd, self.struck);
        !points.eq(points.like(NO_NUMBER))
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
            wheels: self.wheels.iter().map(|wheels| wheels.get(lane)).collect(),
            pilot: self.memories.get(lane),
            gusts: self.gusts.get(lane),
            touchdown_step: self.touched.get(lane).then_some(self.touchdown_step.get(lane) as u64),
            struck: (self.struck[lane] != NONE).then_some(self.struck[lane]),
        }
    }

    /// One step of all landings, taken down or not.
    pub fn step(&mut self, records: Option<&mut Records<'a, S>>) {
        at_full_width(self.simd, Step { flights: self, records });
    }

    /// One step; gives the bodies as they were.
    #[inline(always)]
    fn advance(&mut self) -> Bodies<S> {
        let (job, before) = (self.job, self.bodies);
        let air = self.plans.airs.at(before.position.z, &self.gusts);
        let pilots = Pilots {
            vehicle: &job.vehicle,
            step: job.step,
            plans: &self.plans,
            bodies: &before,
            air,
            on_ground: self.touched,
            since: (self.steps - self.touchdown_step).max(Wide::zero(self.simd)),
        };
        let controls = pilots.controls(&mut self.memories);
        let load = self.wheel_loads(&before, &controls)
            + self.air_loads(&before, air, &controls)
            + self.engine_loads(&controls);
        let gravity = Wide3::splat(self.simd, DVec3::new(0.0, 0.0, -job.gravity));
        self.bodies = before.advanced(&self.masses, gravity, load, job.step);
        self.gusts = self.plans.airs.after(&self.gusts, self.steps, self.lanes);
        self.steps = self.steps + 1.0;
        self.struck = self.structure.sweep(&self.ground.finder, &before, &self.bodies, job.step, self.lanes);
        let touches = self.main_wheels_touch() & !self.touched;
        self.touchdown_step = touches.select(self.steps, self.touchdown_step);
        self.touched = self.touched | touches;
        self.controls = controls;
        before
    }

    #[inline(always)]
    fn wheel_loads(&mut self, bodies: &Bodies<S>, controls: &Controls<S>) -> Loads<S> {
        let mut load = Loads::zero(self.simd);
        for (wheel, wheels) in self.job.vehicle.wheels.iter().zip(&mut self.wheels) {
            let anti_skid = self.job.vehicle.pilot.anti_skid;
            let frames = frames(wheel, wheels, &self.ground, bodies, controls, anti_skid);
            wheels.advance(&self.ground, &wheel.parameters, &frames, self.plans.friction_scale, self.lanes);
            let force = bodies.to_world.transposed_times(wheels.force);
            let arm = bodies.to_world.transposed_times(wheels.application - bodies.position);
            load = load + Loads { force, moment: arm.cross(force) };
        }
        load
    }

    #[inline(always)]
    fn air_loads(&self, bodies: &Bodies<S>, air: Wide3<S>, controls: &Controls<S>) -> Loads<S> {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return Loads::zero(self.simd);
        };
        let flow = Flow {
            velocity: bodies.to_world.transposed_times(bodies.velocity - air),
            rate: bodies.rate,
            density: self.plans.air_density,
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
            force: Wide3::new(thrust, across, across),
            moment: Wide3::new(0.0 * pitching, pitching, 0.0 * pitching),
        }
    }

    /// Also true of one that has broken.
    #[inline(always)]
    fn main_wheels_touch(&self) -> Truth<S> {
        let mut touch = Truth::none(self.simd);
        for (wheel, wheels) in self.job.vehicle.wheels.iter().zip(&self.wheels) {
            if wheel.main {
                touch = touch | !wheels.free();
            }
        }
        touch
    }
}

/// A wheel's frames as the bodies carry, the pilots steer and the anti-skid brakes it.
#[inline(always)]
fn frames<S: Eight>(
    wheel: &Wheel,
    last: &Wheels<S>,
    ground: &Ground<'_>,
    bodies: &Bodies<S>,
    controls: &Controls<S>,
    anti_skid: f64,
) -> Frames<S> {
    let place = Wide3::splat(controls.brake.simd(), wheel.position);
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
fn asked_of_brakes<S: Eight>(wheel: &Wheel, pedal: Wide<S>) -> (Wide<S>, Wide<S>) {
    if wheel.brake.is_infinite() {
        return (pedal.like(wheel.brake), pedal.like(0.0));
    }
    (wheel.brake * pedal, wheel.brake_friction * pedal)
}

/// What the anti-skid leaves of it: brake and rolling resistance \[1\] together stay below the friction that the wheel had
/// in the step before, so that the wheel keeps rolling and can still hold sideways.
#[inline(always)]
fn spared_by_anti_skid<S: Eight>(
    last: &Wheels<S>,
    resistance: Wide<S>,
    anti_skid: f64,
    (asked, asked_per_load): (Wide<S>, Wide<S>),
) -> (Wide<S>, Wide<S>) {
    let share = (anti_skid * last.friction - resistance).max(resistance.like(0.0));
    (asked.min(share * last.normal_force), asked_per_load.min(share))
}
