//! How a landing starts, and what stays the same in all of it. Every engine starts from these numbers in f64.

use glam::{DMat3, DVec3};

use super::motion::orientation;
use super::{Input, LandingInputs, LandingJob, LandingState, Motion, PilotState};
use crate::elementary::atan2;
use crate::query::{WheelContact, WheelStep};
use crate::vehicle::{Aerodynamics, Vehicle};

/// What follows from the inputs of one landing and holds throughout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Speed of the air over the ground, world \[m/s\].
    pub wind: DVec3,
    /// Elevator that held the attitude at the start \[rad\].
    pub trim: f64,
    /// Pitch angle at the start \[rad\], which the pilot holds until touchdown.
    pub pitch: f64,
    /// Heading at the start \[rad\], which the pilot holds until touchdown.
    pub heading: f64,
    /// Steps from touchdown to each of [`PilotState::ACTIONS`]; `None` where the vehicle has nothing to do it with.
    pub delays: [Option<u64>; 3],
}

impl Course {
    /// The course of a landing with valid inputs.
    #[must_use]
    pub fn new(job: &LandingJob, inputs: &LandingInputs) -> Self {
        let wind = wind(inputs);
        let start = motion(&job.vehicle, inputs, wind);
        let air = start.to_world().transpose() * (start.velocity - wind);
        let aerodynamics = job.vehicle.aerodynamics.as_ref();
        let delay = |able: bool, input: Input| able.then(|| job.steps_of(inputs.get(input)));
        Self {
            wind,
            trim: aerodynamics.map_or(0.0, |aerodynamics| aerodynamics.trim_elevator(air)),
            pitch: start.pitch(),
            heading: start.heading(),
            delays: [
                delay(aerodynamics.is_some_and(Aerodynamics::has_spoilers), Input::SpoilerDelay),
                delay(true, Input::BrakeDelay),
                delay(job.vehicle.thrust.reverse > 0.0, Input::ReverseDelay),
            ],
        }
    }
}

impl LandingState {
    /// The state in which a landing with valid inputs starts: in the air, nothing done yet.
    #[must_use]
    pub fn at_start(job: &LandingJob, inputs: &LandingInputs) -> Self {
        let motion = motion(&job.vehicle, inputs, wind(inputs));
        Self {
            step: 0,
            motion,
            wheels: vec![WheelStep::without_force(WheelContact::FREE, DVec3::ZERO); job.vehicle.wheels.len()],
            pilot: PilotState {
                pedal: 0.0,
                last_speed: motion.ground_speed(),
                pitch_at_touchdown: None,
                begun: [false; 3],
            },
            touchdown_step: None,
            struck: None,
        }
    }
}

fn wind(inputs: &LandingInputs) -> DVec3 {
    DVec3::new(-inputs.get(Input::Headwind), inputs.get(Input::Crosswind), 0.0)
}

/// Pose and motion at the start. The airspeed is horizontal; what of it the crosswind does not take points along the
/// runway.
fn motion(vehicle: &Vehicle, inputs: &LandingInputs, wind: DVec3) -> Motion {
    let airspeed = inputs.get(Input::Airspeed);
    let drift = inputs.get(Input::Drift);
    let across = drift - wind.y;
    let along = (airspeed * airspeed - across * across).max(0.0).sqrt();
    let correction = atan2(-across, along);
    let heading = inputs.get(Input::Crab) + (1.0 - inputs.get(Input::Decrab)) * correction;
    let orientation = orientation(heading, inputs.get(Input::Pitch), inputs.get(Input::Bank));
    let position = DVec3::new(
        inputs.get(Input::StartDistance),
        inputs.get(Input::LateralOffset),
        inputs.get(Input::Height) - lowest_main_wheel(vehicle, &DMat3::from_quat(orientation)),
    );
    let velocity = DVec3::new(along + wind.x, drift, -inputs.get(Input::SinkRate));
    let rate = DVec3::new(inputs.get(Input::RollRate), inputs.get(Input::PitchRate), inputs.get(Input::YawRate));
    Motion { position, orientation, velocity, rate }
}

/// Height of the lowest uncompressed main wheel relative to the centre of gravity \[m\].
fn lowest_main_wheel(vehicle: &Vehicle, to_world: &DMat3) -> f64 {
    vehicle
        .wheels
        .iter()
        .filter(|wheel| wheel.main)
        .map(|wheel| (*to_world * (wheel.position + DVec3::Z * wheel.parameters.z_max)).z)
        .fold(f64::INFINITY, f64::min)
}
