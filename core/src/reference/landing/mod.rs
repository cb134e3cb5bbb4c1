//! Job `landing`: one landing, step by step.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]. In each step pilot, air and engines see the body in its middle: half a step
//! later, with velocities extrapolated by the last acceleration. The gear then moves it, in sub-steps if a wheel
//! touches (`gear`). The structure is swept from the old pose to the new one; the end of the step is evaluated last.

mod body;
mod gear;
mod ground_reactions;
mod guidance;
mod pilot;
mod structure;

use glam::{DQuat, DVec3};

use self::body::{Body, Load, MassProperties};
use self::gear::{GearWheel, MovingFrame, Pace, Push};
use self::pilot::PilotAtWork;
use self::structure::StructureWatch;
use super::Tracer;
use super::surface_drag::rolling_resistance;
use crate::air_forces::Flight;
use crate::airframe::{Airframe, Atmosphere, Commands};
use crate::elementary::sin_cos;
use crate::flight::{LandingPlan, Recorder, noise};
use crate::query::{
    Acceleration, Controls, Input, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingState,
    LandingStep, Motion, Observer, PilotState, WheelFrame, WheelState, WheelStep,
};
use crate::vehicle::{AirState, GearSubsteps, GroundReactions, Surfaces, Wheel};

/// Data shared by the landings of a job.
pub(super) struct Landings<'a> {
    job: &'a LandingJob,
    tracer: Tracer<'a>,
    /// Sub-steps of a step in which a wheel touches.
    gear_substeps: GearSubsteps,
}

impl<'a> Landings<'a> {
    pub fn new(job: &'a LandingJob) -> Self {
        Self { job, tracer: Tracer::new(&job.scene), gear_substeps: job.vehicle.gear_substeps(job.step) }
    }

    /// Simulates one landing.
    pub fn simulate<O: Observer + ?Sized>(&self, inputs: &LandingInputs, observer: &mut O) -> LandingOutcome {
        self.watched(inputs, observer, &mut |_| ())
    }

    /// The number of sub-steps of the gear in each step of a landing: none if no wheel touches.
    pub fn gear_substeps(&self, inputs: &LandingInputs) -> Vec<u32> {
        let mut substeps = Vec::new();
        self.watched(inputs, &mut (), &mut |landing| substeps.push(landing.substeps));
        substeps
    }

    fn watched<O: Observer + ?Sized>(
        &self,
        inputs: &LandingInputs,
        observer: &mut O,
        after_step: &mut dyn FnMut(&Landing<'_>),
    ) -> LandingOutcome {
        let job = self.job;
        let Ok((start, plan)) = LandingState::start_with_plan(job, inputs) else {
            observer.event(0.0, LandingEvent::End(LandingClass::Invalid));
            return LandingOutcome::invalid(job.vehicle.wheels.len(), job.step);
        };
        let mut landing = Landing::new(self, inputs, plan, start);
        let mut recorder = Recorder::new(job);
        for _ in 0..job.steps_of(job.time_limit) {
            let (motion, begun) = (landing.state.motion, landing.state.pilot.begun);
            let controls = landing.advance();
            after_step(&landing);
            let time = job.time_after(landing.state.step);
            recorder.record(&motion, &landing.state, observer);
            report_actions(begun, landing.state.pilot.begun, time, observer);
            observer.step(&LandingStep { time, state: &landing.state, controls: &controls });
            if recorder.has_ended() {
                break;
            }
        }
        recorder.finish(observer)
    }

    /// One step from a state.
    pub fn step(&self, inputs: &LandingInputs, state: &LandingState) -> LandingState {
        let mut landing = Landing::new(self, inputs, LandingPlan::new(self.job, inputs), state.clone());
        landing.advance();
        landing.state
    }
}

/// Reports to an observer which of the pilot's actions have begun in a step.
fn report_actions<O: Observer + ?Sized>(before: [bool; 3], after: [bool; 3], time: f64, observer: &mut O) {
    for ((action, before), after) in PilotState::ACTIONS.into_iter().zip(before).zip(after) {
        if after && !before {
            observer.event(time, action);
        }
    }
}

/// A landing in progress.
struct Landing<'a> {
    job: &'a LandingJob,
    inputs: &'a LandingInputs,
    mass: MassProperties,
    plan: LandingPlan,
    structure: StructureWatch,
    tracer: &'a Tracer<'a>,
    gear_substeps: GearSubsteps,
    /// Of the last step; none where no wheel touches.
    substeps: u32,
    state: LandingState,
}

impl<'a> Landing<'a> {
    fn new(shared: &'a Landings<'a>, inputs: &'a LandingInputs, plan: LandingPlan, state: LandingState) -> Self {
        let job = shared.job;
        Self {
            job,
            inputs,
            mass: MassProperties::new(&job.vehicle, inputs.get(Input::Mass)),
            plan,
            structure: StructureWatch::new(&job.vehicle.structure),
            tracer: &shared.tracer,
            gear_substeps: shared.gear_substeps,
            substeps: 0,
            state,
        }
    }

    /// One step; returns the controls used in it.
    fn advance(&mut self) -> Controls {
        let step = self.job.step;
        let before = Body::new(self.state.motion);
        let middle = before.ahead(0.5 * step, &self.state.acceleration);
        let height = self.job.scene.ground_plane().height(middle.motion.position);
        let time = self.job.middle_of(self.state.step);
        let air = self.plan.air(&self.job.weather, height, time, &self.state.gusts);
        let pilot = PilotAtWork { job: self.job, inputs: self.inputs, plan: &self.plan, motion: middle.motion, air };
        let controls = pilot.controls(&mut self.state);
        let held = self.held_load(&middle, air, &controls);
        let after = match self.job.vehicle.ground_reactions {
            GroundReactions::Pebble => self.advance_gear(&before, &middle, held, &controls),
            GroundReactions::Jsbsim => self.advance_on_contacts(&before, &middle, held, &controls),
        };
        if let Some(turbulence) = &self.plan.turbulence {
            self.state.gusts = turbulence.after(&self.state.gusts, noise(self.inputs.noise, self.state.step));
        }
        self.state.step += 1;
        self.state.motion = after.motion;
        self.state.struck = self.structure.sweep(&self.job.vehicle.structure, self.tracer, &before, &after);
        if self.state.touchdown_step.is_none() && self.main_wheel_has_touched() {
            self.state.touchdown_step = Some(self.state.step);
        }
        controls
    }

    /// Moves the body from the start of a step to its end, under a constant load and the wheel forces.
    fn advance_gear(&mut self, before: &Body, middle: &Body, held: Load, controls: &Controls) -> Body {
        let step = self.job.step;
        let vehicle = &self.job.vehicle;
        let gravity = DVec3::new(0.0, 0.0, -self.job.gravity);
        let friction_scale = self.inputs.get(Input::FrictionScale);
        let frames = |body: &Body, acceleration: &Acceleration, wheel: &Wheel, last: &WheelStep| {
            let frame = wheel_frame(wheel, last, body, controls, self.job);
            MovingFrame::new(body, acceleration, wheel.position, frame)
        };
        let mut pace = Pace::Aloft;
        let mut gear: Vec<GearWheel<'_>> = Vec::with_capacity(vehicle.wheels.len());
        let mut pushes: Vec<(Push, Load)> = Vec::with_capacity(vehicle.wheels.len());
        for (wheel, last) in vehicle.wheels.iter().zip(&self.state.wheels) {
            let frame = frames(middle, &self.state.acceleration, wheel, last);
            let gear_wheel = GearWheel::new(self.tracer, &wheel.parameters, last, &frame.frame, step);
            pace = pace.max(gear_wheel.pace((middle, &frame), step));
            gear.push(gear_wheel);
        }

        let substeps = self.choose_substeps(pace);
        let substep = step / f64::from(substeps);
        let (mut body, mut acceleration) = (*before, self.state.acceleration);
        for number in 1..=substeps {
            let middle = body.ahead(0.5 * substep, &acceleration);
            // What works in the sub-step, and what works at its end: not the same where a wheel has just touched.
            let (mut mean, mut last) = (held, held);
            for (wheel, gear_wheel) in vehicle.wheels.iter().zip(&mut gear) {
                let frame = frames(&middle, &acceleration, wheel, &gear_wheel.step);
                let push = gear_wheel.advance(self.tracer, &frame, friction_scale, substep, number == substeps);
                let force = middle.to_world.transpose() * gear_wheel.step.force;
                let arm = gear_wheel.step.application - push.shift - middle.motion.position;
                let load = Load { force, moment: (middle.to_world.transpose() * arm).cross(force) };
                mean += push.share * load;
                last += load;
                pushes.push((push, load));
            }
            for (index, (wheel, gear_wheel)) in vehicle.wheels.iter().zip(&mut gear).enumerate() {
                let share = pushes[index].0.share;
                if let Some(touch) = pushes[index].0.touch.filter(|_| share < 1.0) {
                    let earlier = pushed_before(share, &pushes);
                    gear_wheel.first_touches(&touch, substep * middle.push_at(wheel.position, &self.mass, earlier));
                }
            }
            pushes.clear();
            let worked = middle.acceleration(&self.mass, gravity, mean);
            let Motion { velocity, rate, .. } = body.motion;
            body = Body {
                motion: Motion {
                    velocity: velocity + substep * worked.linear,
                    rate: rate + substep * worked.angular,
                    ..middle.motion
                },
                ..middle
            }
            .drifted(0.5 * substep);
            acceleration = middle.acceleration(&self.mass, gravity, last);
        }
        self.state.acceleration = acceleration;
        for (last, gear_wheel) in self.state.wheels.iter_mut().zip(gear) {
            *last = gear_wheel.step;
        }
        body
    }

    /// The sub-steps of a step in which the wheels are about this.
    fn choose_substeps(&mut self, pace: Pace) -> u32 {
        self.substeps = match pace {
            Pace::Aloft => 0,
            Pace::Calm => self.gear_substeps.calm,
            Pace::Lively => self.gear_substeps.lively,
        };
        self.substeps.max(1)
    }

    /// What works throughout a step beside the wheels: air and engines.
    fn held_load(&mut self, body: &Body, air: DVec3, controls: &Controls) -> Load {
        let Some(airframe) = &self.job.vehicle.airframe else {
            return self.air_load(body, air, controls) + self.engine_load(controls);
        };
        let to_body = body.to_world.transpose();
        let Motion { position, velocity, rate, .. } = body.motion;
        let ground_velocity = to_body * velocity;
        let Atmosphere { density, temperature, pressure, sound } = self.plan.atmosphere;
        let flight = Flight {
            air_velocity: to_body * (velocity - air),
            ground_velocity,
            rate,
            air_rate: self.state.gusts.rotation(),
            acceleration: to_body * self.state.acceleration.linear - rate.cross(ground_velocity),
            roll: body.motion.bank(),
            pitch: body.motion.pitch(),
            height: self.job.scene.ground_plane().height(position),
            density,
            sound,
            temperature,
            pressure,
            mass: self.inputs.get(Input::Mass),
            arm: airframe.description().air_forces.reference_point,
            ..Flight::default()
        };
        let Surfaces { elevator, aileron, rudder, spoilers } = controls.surfaces;
        let on_ground = f64::from(u8::from(self.state.touchdown_step.is_some()));
        let (throttle, brake) = (controls.thrust, controls.brake);
        let commands = Commands { elevator, aileron, rudder, spoilers, throttle, brake, on_ground };
        let downwards = -body.to_world.row(2);
        let given = Airframe::given(&flight, downwards, &commands, self.job.step);
        let [force, moment] = airframe.step(&given, &mut self.state.airframe);
        Load { force, moment }
    }

    fn air_load(&self, body: &Body, air: DVec3, controls: &Controls) -> Load {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return Load::default();
        };
        let height = self.job.scene.ground_plane().height(body.motion.position);
        let flow = AirState {
            velocity: body.to_world.transpose() * (body.motion.velocity - air),
            rate: body.motion.rate - self.state.gusts.rotation(),
            density: self.plan.atmosphere.density,
            wing_height: aerodynamics.wing_above_ground(height, body.to_world.z_axis),
        };
        let (force, moment) = aerodynamics.force_and_moment(&flow, &controls.surfaces);
        Load { force, moment }
    }

    fn engine_load(&self, controls: &Controls) -> Load {
        let thrust = controls.thrust;
        Load { force: DVec3::X * thrust, moment: DVec3::Y * (self.job.vehicle.thrust.line * thrust) }
    }

    /// Also true of a broken wheel.
    fn main_wheel_has_touched(&self) -> bool {
        let mut wheels = self.job.vehicle.wheels.iter().zip(&self.state.wheels);
        wheels.any(|(wheel, step)| wheel.main && step.contact.state != WheelState::Free)
    }
}

/// What the wheels that get into contact in a sub-step give the body before the one that works for this share of it does:
/// loads times the shares of the sub-step in between.
fn pushed_before(share: f64, pushes: &[(Push, Load)]) -> Load {
    let mut pushed = Load::default();
    for (push, load) in pushes.iter().filter(|(push, _)| push.touch.is_some()) {
        pushed += (push.share - share).max(0.0) * *load;
    }
    pushed
}

/// The wheel's frame as carried by the body, with steering and anti-skid braking.
fn wheel_frame(wheel: &Wheel, last: &WheelStep, body: &Body, controls: &Controls, job: &LandingJob) -> WheelFrame {
    let limit = wheel.steering * controls.steering_authority;
    let angle = controls.steering.clamp(-limit, limit);
    // Most wheels are fixed: a rotation by zero need not be computed.
    let orientation = if angle == 0.0 {
        body.motion.orientation
    } else {
        let (sine, cosine) = sin_cos(0.5 * angle);
        body.motion.orientation * DQuat::from_xyzw(0.0, 0.0, sine, cosine)
    };
    let velocity = body.velocity_at(wheel.position);
    let surface = last.contact.material.map(|id| job.scene.material(id));
    let resistance = rolling_resistance(&wheel.parameters, surface, &last.contact, velocity);
    let (brake, brake_friction) =
        braking_strength(wheel, last, resistance, controls.brake, job.vehicle.pilot.anti_skid);
    WheelFrame { origin: body.at(wheel.position), orientation, velocity, brake, brake_friction }
}

/// B of an unloaded wheel \[N\], and its increase per newton of load \[1\]. The anti-skid keeps the sum of brake and
/// rolling resistance \[1\] below the friction of the previous step, so that the wheel keeps rolling and retains
/// lateral grip.
fn braking_strength(wheel: &Wheel, last: &WheelStep, resistance: f64, pedal: f64, anti_skid: f64) -> (f64, f64) {
    if wheel.brake.is_infinite() {
        return (wheel.brake, 0.0);
    }
    let (asked, asked_per_load) = (wheel.brake * pedal, wheel.brake_friction * pedal);
    if anti_skid == 0.0 {
        return (asked, asked_per_load);
    }
    let share = (anti_skid * last.friction - resistance).max(0.0);
    (asked.min(share * last.normal_force), asked_per_load.min(share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{ClipCase, WheelContact, WheelParameters};

    fn wheel(brake: f64) -> Wheel {
        let parameters = WheelParameters {
            k_xy: -6e4,
            k_z: -4e4,
            d_xy: -3e3,
            d_z: -3.5e3,
            z_min: 0.35,
            z_zero: 0.7,
            z_max: 0.7,
            rolling_resistance: 0.02,
            clamp_to_max_force: false,
            ..WheelParameters::PLAIN
        };
        Wheel {
            name: "main".to_owned(),
            position: DVec3::ZERO,
            parameters,
            main: true,
            brake,
            brake_friction: 0.0,
            steering: 0.0,
            friction: None,
        }
    }

    fn pressed(friction: f64) -> WheelStep {
        WheelStep {
            friction,
            normal_force: 1000.0,
            clip_case: ClipCase::Brake,
            ..WheelStep::without_force(WheelContact::FREE, DVec3::ZERO)
        }
    }

    #[test]
    fn the_anti_skid_leaves_room_for_rolling_resistance_on_the_most_slippery_ground() {
        for friction in [0.5, 0.16, 0.1, 0.05, 0.021] {
            let following = Wheel { brake_friction: 0.8, ..wheel(0.0) };
            for wheel in [wheel(1e5), following] {
                let (brake, per_load) = braking_strength(&wheel, &pressed(friction), 0.02, 1.0, 0.9);
                let along = brake + (per_load + 0.02) * 1000.0;
                assert!(along > 0.02 * 1000.0 || friction < 0.03);
                assert!(along < friction * 1000.0, "{along} N of {} N at friction {friction}", friction * 1000.0);
            }
        }
    }

    #[test]
    fn without_anti_skid_the_pedal_decides_and_pads_never_yield() {
        assert_eq!(braking_strength(&wheel(1e5), &pressed(0.1), 0.02, 0.5, 0.0), (5e4, 0.0));
        let following = Wheel { brake_friction: 0.8, ..wheel(0.0) };
        assert_eq!(braking_strength(&following, &pressed(0.1), 0.02, 0.5, 0.0), (0.0, 0.4));
        assert_eq!(braking_strength(&wheel(f64::INFINITY), &pressed(0.1), 0.02, 0.0, 0.9), (f64::INFINITY, 0.0));
    }
}
