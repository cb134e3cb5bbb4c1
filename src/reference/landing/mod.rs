//! Job `landing`: one landing, step by step, semi-implicit Euler.
//!
//! # Conventions
//! As in [`crate::query::LandingJob`]. In each step pilot, wheels and air see the state at its start; the new speeds
//! then move the body; the structure is swept from the old pose to the new one; the step's end is judged last.

mod body;
mod pilot;
mod recorder;
mod start;
mod structure;

use glam::DVec3;

use self::body::{Body, Load, MassProperties};
use self::pilot::PilotAtWork;
use self::recorder::Recorder;
use self::structure::StructureWatch;
use super::{Tracer, step_wheel};
use crate::query::{
    Controls, Input, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingStep, Observer,
    WheelContact, WheelFrame, WheelStep,
};
use crate::vehicle::{AirState, Wheel};

/// Simulates one landing.
pub(super) fn simulate<O: Observer + ?Sized>(
    job: &LandingJob,
    inputs: &LandingInputs,
    tracer: &Tracer<'_>,
    observer: &mut O,
) -> LandingOutcome {
    if !inputs.is_valid() {
        observer.event(0.0, LandingEvent::End(LandingClass::Invalid));
        return LandingOutcome::invalid(job.vehicle.wheels.len(), job.step);
    }
    let mut landing = Landing::new(job, inputs);
    let mut recorder = Recorder::new(job);
    let last_step = (job.time_limit / job.step).ceil() as u64;
    for step in 1..=last_step {
        let before = landing.body;
        landing.advance(tracer, recorder.touchdown_time(), (step - 1) as f64 * job.step);
        let struck = landing.structure.sweep(&job.vehicle.structure, tracer, &before, &landing.body, job.step);
        let time = step as f64 * job.step;
        recorder.record(&before, &landing.body, &landing.wheels, struck, observer);
        landing.pilot.report(time, observer);
        observer.step(&LandingStep {
            time,
            position: landing.body.position,
            orientation: landing.body.orientation,
            velocity: landing.body.velocity,
            rate: landing.body.rate,
            controls: &landing.controls,
            wheels: &landing.wheels,
        });
        if recorder.has_ended() {
            break;
        }
    }
    recorder.finish(observer)
}

/// The moving state of a landing.
struct Landing<'a> {
    job: &'a LandingJob,
    inputs: &'a LandingInputs,
    mass: MassProperties,
    wind: DVec3,
    body: Body,
    wheels: Vec<WheelStep>,
    pilot: PilotAtWork<'a>,
    controls: Controls,
    structure: StructureWatch,
}

impl<'a> Landing<'a> {
    fn new(job: &'a LandingJob, inputs: &'a LandingInputs) -> Self {
        let wind = start::wind(inputs);
        let body = start::body(&job.vehicle, inputs, wind);
        let pilot = PilotAtWork::new(&job.vehicle, inputs, &body, wind);
        Self {
            job,
            inputs,
            mass: MassProperties::new(&job.vehicle, inputs.get(Input::Mass)),
            wind,
            body,
            wheels: vec![WheelStep::without_force(WheelContact::FREE, DVec3::ZERO); job.vehicle.wheels.len()],
            controls: pilot.hands_off(),
            pilot,
            structure: StructureWatch::new(&job.vehicle.structure),
        }
    }

    /// One step from the state at `time` \[s\].
    fn advance(&mut self, tracer: &Tracer<'_>, touchdown: Option<f64>, time: f64) {
        self.controls = self.pilot.controls(&self.body, touchdown, time, self.job.step);
        let load = self.wheel_load(tracer) + self.air_load() + self.engine_load();
        let gravity = DVec3::new(0.0, 0.0, -self.job.gravity);
        self.body.advance(&self.mass, gravity, load, self.job.step);
    }

    fn wheel_load(&mut self, tracer: &Tracer<'_>) -> Load {
        let to_world = self.body.rotation();
        let friction_scale = self.inputs.get(Input::FrictionScale);
        let mut load = Load::default();
        for (wheel, last) in self.job.vehicle.wheels.iter().zip(&mut self.wheels) {
            let frame = wheel_frame(wheel, last, &self.body, &self.controls, &self.job.vehicle.pilot);
            *last = step_wheel(tracer, &wheel.parameters, &last.contact, &frame, friction_scale);
            let force = to_world.transpose() * last.force;
            let arm = to_world.transpose() * (last.application - self.body.position);
            load += Load { force, moment: arm.cross(force) };
        }
        load
    }

    fn air_load(&self) -> Load {
        let Some(aerodynamics) = &self.job.vehicle.aerodynamics else {
            return Load::default();
        };
        let air = AirState {
            velocity: self.body.rotation().transpose() * (self.body.velocity - self.wind),
            rate: self.body.rate,
            density: self.inputs.get(Input::AirDensity),
        };
        let (force, moment) = aerodynamics.force_and_moment(&air, &self.controls.surfaces);
        Load { force, moment }
    }

    fn engine_load(&self) -> Load {
        let thrust = self.controls.thrust;
        Load { force: DVec3::X * thrust, moment: DVec3::Y * (self.job.vehicle.thrust.line * thrust) }
    }
}

/// The wheel's frame as the body carries, the pilot steers and the anti-skid brakes it.
fn wheel_frame(
    wheel: &Wheel,
    last: &WheelStep,
    body: &Body,
    controls: &Controls,
    pilot: &crate::vehicle::Pilot,
) -> WheelFrame {
    let limit = wheel.steering * controls.steering_authority;
    let angle = controls.steering.clamp(-limit, limit);
    // Most wheels are fixed: a rotation by zero need not be computed.
    let orientation =
        if angle == 0.0 { body.orientation } else { body.orientation * glam::DQuat::from_rotation_z(angle) };
    WheelFrame {
        origin: body.at(wheel.position),
        orientation,
        velocity: body.velocity_at(wheel.position),
        brake: braking_strength(wheel, last, controls.brake, pilot.anti_skid),
    }
}

/// B of a wheel \[N\]. The anti-skid keeps brake and rolling resistance together below the friction that the wheel had
/// in the step before, so that the wheel keeps rolling and can still hold sideways.
fn braking_strength(wheel: &Wheel, last: &WheelStep, pedal: f64, anti_skid: f64) -> f64 {
    if wheel.brake.is_infinite() {
        return wheel.brake;
    }
    let asked = wheel.brake * pedal;
    if anti_skid == 0.0 {
        return asked;
    }
    let share = anti_skid * last.friction - wheel.parameters.rolling_resistance;
    asked.min(share.max(0.0) * last.normal_force)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{ClipCase, WheelParameters};

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
        };
        Wheel { name: "main".to_owned(), position: DVec3::ZERO, parameters, main: true, brake, steering: 0.0 }
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
            let wheel = wheel(1e5);
            let brake = braking_strength(&wheel, &pressed(friction), 1.0, 0.9);
            let along = brake + wheel.parameters.rolling_resistance * 1000.0;
            assert!(along < friction * 1000.0, "{along} N of {} N at friction {friction}", friction * 1000.0);
        }
    }

    #[test]
    fn without_anti_skid_the_pedal_decides_and_pads_never_yield() {
        assert_eq!(braking_strength(&wheel(1e5), &pressed(0.1), 0.5, 0.0), 5e4);
        assert_eq!(braking_strength(&wheel(f64::INFINITY), &pressed(0.1), 0.0, 0.9), f64::INFINITY);
    }
}
