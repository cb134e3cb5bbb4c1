//! Eight landings under way, step by step, semi-implicit Euler.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]. In each step pilots, wheels and air see the state at its start; the new speeds
//! then move the bodies; the structure is swept from the old poses to the new ones; the step's end is judged last.
//! A lane holds nothing of the others, so what comes out of a landing does not depend on its neighbours.

use glam::DVec3;

use super::air::{Flow, air_loads};
use super::body::{Bodies, Loads, Masses};
use super::pilot::{Controls, Memories, Pilots, Plans};
use super::record::Records;
use super::structure::StructureWatch;
use crate::lanes::{LANES, Lanes, Lanes3, Mask, Vectorized, vectorized};
use crate::native::index::SceneIndex;
use crate::native::rotation::Quaternions;
use crate::native::surface::NONE;
use crate::native::wheel::{Frames, Ground, Wheels};
use crate::query::{Input, LandingInputs, LandingJob, LandingState};
use crate::vehicle::Wheel;

/// Eight landings.
pub(super) struct Flights<'a> {
    pub job: &'a LandingJob,
    ground: Ground<'a>,
    /// Lanes in which a landing is under way.
    pub lanes: Mask,
    plans: Plans,
    masses: Masses,
    structure: StructureWatch<'a>,
    /// Steps done.
    pub steps: Lanes,
    pub bodies: Bodies,
    /// The vehicle's wheels, one after another.
    pub wheels: Vec<Wheels>,
    memories: Memories,
    /// Where a main wheel has touched, and the step in which it did.
    pub touched: Mask,
    pub touchdown_step: Lanes,
    /// The structural points that met the scene in the last step, or [`NONE`].
    pub struck: [u32; LANES],
    pub controls: Controls,
}

/// One step of all landings, recorded or not.
struct Step<'f, 'a> {
    flights: &'f mut Flights<'a>,
    records: Option<&'f mut Records<'a>>,
}

impl Vectorized for Step<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let before = self.flights.advance();
        if let Some(records) = self.records {
            records.take_in(&before, self.flights);
        }
    }
}

impl<'a> Flights<'a> {
    pub fn new(job: &'a LandingJob, index: &'a SceneIndex) -> Self {
        Self {
            job,
            ground: Ground::new(index),
            lanes: Mask::NONE,
            plans: Plans::NONE,
            masses: Masses::ZERO,
            structure: StructureWatch::new(&job.vehicle.structure),
            steps: Lanes::ZERO,
            bodies: Bodies::AT_REST,
            wheels: vec![Wheels::FREE; job.vehicle.wheels.len()],
            memories: Memories::NONE,
            touched: Mask::NONE,
            touchdown_step: Lanes::ZERO,
            struck: [NONE; LANES],
            controls: Controls::NONE,
        }
    }

    /// Puts a landing with valid inputs into a lane, in this state.
    pub fn board(&mut self, lane: usize, inputs: &LandingInputs, state: &LandingState) {
        let LandingState { step, motion, wheels, pilot, touchdown_step, struck } = state;
        self.plans.set(lane, self.job, inputs);
        self.masses.set(lane, &self.job.vehicle, inputs.get(Input::Mass));
        self.structure.forget(lane);
        self.steps.0[lane] = *step as f64;
        self.bodies.set(lane, motion);
        for (lanes, wheel) in self.wheels.iter_mut().zip(wheels) {
            lanes.set(lane, wheel, &self.ground);
        }
        self.memories.set(lane, pilot);
        self.touched.set(lane, touchdown_step.is_some());
        self.touchdown_step.0[lane] = touchdown_step.map_or(0.0, |step| step as f64);
        self.struck[lane] = struck.unwrap_or(NONE);
        self.lanes.set(lane, true);
    }

    /// Takes the landing out of a lane.
    pub fn leave(&mut self, lane: usize) {
        self.lanes.set(lane, false);
    }

    /// The state of a lane's landing.
    pub fn state(&self, lane: usize) -> LandingState {
        LandingState {
            step: self.steps.0[lane] as u64,
            motion: self.bodies.get(lane),
            wheels: self.wheels.iter().map(|wheels| wheels.get(lane)).collect(),
            pilot: self.memories.get(lane),
            touchdown_step: self.touched.get(lane).then_some(self.touchdown_step.0[lane] as u64),
            struck: (self.struck[lane] != NONE).then_some(self.struck[lane]),
        }
    }

    /// One step of all landings.
    pub fn step(&mut self, records: Option<&mut Records<'a>>) {
        vectorized(Step { flights: self, records });
    }

    /// One step; gives the bodies as they were.
    #[inline(always)]
    fn advance(&mut self) -> Bodies {
        let (job, before) = (self.job, self.bodies);
        let pilots = Pilots {
            vehicle: &job.vehicle,
            step: job.step,
            plans: &self.plans,
            bodies: &before,
            on_ground: self.touched,
            since: (self.steps - self.touchdown_step).max(Lanes::ZERO),
        };
        let controls = pilots.controls(&mut self.memories);
        let load =
            self.wheel_loads(&before, &controls) + self.air_loads(&before, &controls) + self.engine_loads(&controls);
        let gravity = Lanes3::splat(DVec3::new(0.0, 0.0, -job.gravity));
        self.bodies = before.advanced(&self.masses, gravity, load, job.step);
        self.steps = self.steps + 1.0;
        self.struck = self.structure.sweep(&self.ground.finder, &before, &self.bodies, job.step, self.lanes);
        let touches = self.main_wheels_touch() & !self.touched;
        self.touchdown_step = touches.select(self.steps, self.touchdown_step);
        self.touched = self.touched | touches;
        self.controls = controls;
        before
    }

    #[inline(always)]
    fn wheel_loads(&mut self, bodies: &Bodies, controls: &Controls) -> Loads {
        let mut load = Loads::ZERO;
        for (wheel, wheels) in self.job.vehicle.wheels.iter().zip(&mut self.wheels) {
            let frames = frames(wheel, wheels, bodies, controls, self.job.vehicle.pilot.anti_skid);
            wheels.advance(&self.ground, &wheel.parameters, &frames, self.plans.friction_scale, self.lanes);
            let force = bodies.to_world.transposed_times(wheels.force);
            let arm = bodies.to_world.transposed_times(wheels.application - bodies.position);
            load = load + Loads { force, moment: arm.cross(force) };
        }
        load
    }

    #[inline(always)]
    fn air_loads(&self, bodies: &Bodies, controls: &Controls) -> Loads {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return Loads::ZERO;
        };
        let flow = Flow {
            velocity: bodies.to_world.transposed_times(bodies.velocity - self.plans.wind),
            rate: bodies.rate,
            density: self.plans.air_density,
        };
        air_loads(aerodynamics, &flow, controls)
    }

    #[inline(always)]
    fn engine_loads(&self, controls: &Controls) -> Loads {
        let thrust = controls.thrust;
        // Zeros with the sign that products with zero have.
        let across = 0.0 * thrust;
        let pitching = self.job.vehicle.thrust.line * thrust;
        Loads {
            force: Lanes3::new(thrust, across, across),
            moment: Lanes3::new(0.0 * pitching, pitching, 0.0 * pitching),
        }
    }

    /// Also true of one that has broken.
    #[inline(always)]
    fn main_wheels_touch(&self) -> Mask {
        let mut touch = Mask::NONE;
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
fn frames(wheel: &Wheel, last: &Wheels, bodies: &Bodies, controls: &Controls, anti_skid: f64) -> Frames {
    let place = Lanes3::splat(wheel.position);
    let mut to_world = bodies.to_world;
    // Most wheels are fixed: a rotation by zero need not be computed.
    if wheel.steering != 0.0 {
        let limit = wheel.steering * controls.steering_authority;
        let angle = controls.steering.clamp(-limit, limit);
        let steered = bodies.orientation.after(Quaternions::about_z(angle)).matrices();
        to_world = steered.unless(angle.eq(Lanes::ZERO), &to_world);
    }
    Frames {
        origin: bodies.at(place),
        to_world,
        velocity: bodies.velocity_at(place),
        brake: braking_strength(wheel, last, controls.brake, anti_skid),
    }
}

/// B of a wheel \[N\]. The anti-skid keeps brake and rolling resistance together below the friction that the wheel had
/// in the step before, so that the wheel keeps rolling and can still hold sideways.
#[inline(always)]
fn braking_strength(wheel: &Wheel, last: &Wheels, pedal: Lanes, anti_skid: f64) -> Lanes {
    if wheel.brake.is_infinite() {
        return Lanes::splat(wheel.brake);
    }
    let asked = wheel.brake * pedal;
    if anti_skid == 0.0 {
        return asked;
    }
    let share = anti_skid * last.friction - wheel.parameters.rolling_resistance;
    asked.min(share.max(Lanes::ZERO) * last.normal_force)
}
